import ExternalPurchaseCore
import Hummingbird
import TokenLifecycle

// Accounts, devices and their events.
extension AdminRoute {
    func lifecycle(_ request: Request, _ state: EmulatorState) async throws(EmulatorInputError) -> Response {
        let outcome: LifecycleOutcome
        switch self {
        case .openAccount:
            if request.headers[.contentType] != nil { _ = try await ControlBody(request, known: []) }
            outcome = try await state.live(.account)
        case .addDevice:
            let body = try await ControlBody(request, known: ["account"])
            let account = try body.required("account", body.integer("account"), such: "the number of an account")
            outcome = try await state.live(.device(account: Int(clamping: account)))
        case .deviceEvent(let device):
            outcome = try await state.live(.event(event(on: device, request, state)))
        case .deviceCall(let device):
            outcome = try await state.live(.call(call(on: device, request, state)))
        default:
            throw EmulatorInputError("unknown-path", kind: .unknownPath, "there is no such control path")
        }
        return outcome.response
    }

    private func event(
        on device: Int,
        _ request: Request,
        _ state: EmulatorState
    ) async throws(EmulatorInputError) -> LifecycleInput.Event {
        let body = try await ControlBody(request, known: ["event", "bundleId", "environment", "configured"])
        let events = AppEvent.allCases.map(\.rawValue).joined(separator: ", ")
        let name = try body.required("event", body.string("event"), such: "one of \(events)")
        guard let event = AppEvent.named(name) else { throw body.wrongType("event", "one of \(events)") }
        return LifecycleInput.Event(
            device: device,
            event: event,
            app: try await app(body, state),
            // Events have an effect in production only (TK-34).
            environment: try body.environment() ?? state.configuration.environment ?? .production,
            isConfigured: try body.bool("configured") ?? true,
            draws: await state.draws()
        )
    }

    private func call(
        on device: Int,
        _ request: Request,
        _ state: EmulatorState
    ) async throws(EmulatorInputError) -> LifecycleInput.Call {
        let body = try await ControlBody(request, known: ["bundleId", "environment", "tokenType"])
        let type = try body.string("tokenType").map(TokenType.init(rawValue:))
        let known: [TokenType] = [.acquisition, .services, .inApp, .linkOut]
        if let type, !known.contains(type) {
            let names = known.map(\.rawValue).joined(separator: ", ")
            throw body.wrongType("tokenType", "one of \(names), or null for a token without type")
        }
        return LifecycleInput.Call(
            device: device,
            type: type,
            app: try await app(body, state),
            environment: try body.environment() ?? state.configuration.environment ?? .sandbox,
            draw: await state.draws().0
        )
    }

    private func app(_ body: ControlBody, _ state: EmulatorState) async throws(EmulatorInputError) -> TokenLifecycle.App
    {
        if let named = try body.string("bundleId") { return try await state.app(BundleId(named)) }
        let apps = await state.registeredApps
        guard apps.count == 1, let only = apps.first else {
            throw EmulatorInputError(
                "missing-field",
                field: "bundleId",
                "bundleId is missing; with \(apps.count) apps registered it says which one"
            )
        }
        return try await state.app(only.bundleId)
    }
}

extension ControlBody {
    func environment() throws(EmulatorInputError) -> AppStoreEnvironment? {
        guard let text = try string("environment") else { return nil }
        guard let environment = AppStoreEnvironment.named(text) else {
            throw wrongType("environment", "production or sandbox")
        }
        return environment
    }
}

extension LifecycleOutcome {
    fileprivate var response: Response {
        switch self {
        case .account(let account):
            Self.created([.init("id", .integer(Int64(account.number)))])
        case .device(let device, let account):
            Self.created([
                .init("id", .integer(Int64(device.number))), .init("account", .integer(Int64(account.number))),
            ])
        case .tokens(let tokens):
            .json(["tokens": .array(tokens.map(Self.json))])
        case .answer(.created(let token)):
            .json(["token": Self.json(token), "created": true])
        case .answer(.current(let token)):
            .json(["token": Self.json(token), "created": false])
        case .answer(.none(let absence)):
            .json(
                ["token": .null, "reason": .string(absence.description)]
            )
        }
    }

    private static func created(_ members: [JSONObject.Member]) -> Response {
        .json(.object(JSONObject(members)), status: .created)
    }

    private static func json(_ token: ExternalPurchaseToken) -> JSONValue {
        guard let decoded = try? ExternalPurchaseToken.decode(token.encoded()) else { return .null }
        return .object(JSONObject(decoded.members))
    }
}
