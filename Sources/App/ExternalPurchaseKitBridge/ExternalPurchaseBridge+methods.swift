import ExternalPurchaseCore
import ExternalPurchaseKit
import Foundation

extension ExternalPurchaseBridge {
    /// Carries out a method: its parameters are read, and a method other than `configure` needs a model.
    func perform(_ method: BridgeMethod, _ parameters: JSONValue) async throws(BridgeError) -> JSONValue {
        let path = "/parameters"
        switch method {
        case .configure:
            return try await configure(try ConfigureParameters(parameters, at: path))
        case .setCustomer:
            let parameters = try CustomerParameters(parameters, at: path)
            try configured().customerId = parameters.customerId
            return .members([:])
        case .setGates:
            let model = try configured()
            let parameters = try GatesParameters(parameters, at: path, gates: gates.names)
            gates.set(parameters.decisions)
            await model.refresh()
            return state(of: model)
        case .openLink:
            let url = try OpenLinkParameters(parameters, at: path).url
            return try await flow { model in
                await model.openLink { urls in
                    guard let url else { return urls.first }
                    return urls.first { $0.absoluteString == url }
                }
            }.json
        case .purchaseWithCustomLink:
            let destination = try CustomLinkParameters(parameters, at: path).destination
            return try await flow { model in await model.purchaseWithCustomLink(destination) }.json
        case .answerDisclosure:
            try answer(method, try DecisionParameters(parameters, at: path, decision: "isContinued"))
            return .members([:])
        case .answerOpenURL:
            try answer(method, try DecisionParameters(parameters, at: path, decision: "isOpened"))
            return .members([:])
        case .answerSendToken:
            let parameters = try SendTokenParameters(parameters, at: path)
            _ = try configured()
            try questions.answer(parameters.question, by: method, .delivery(parameters.delivery))
            return .members([:])
        case .start, .stop, .refresh, .availability, .presentNoticeSheet, .outboxStatus, .refusedTokens, .retryRefused,
            .dismissInterruptedRequests, .wake, .deliverDue:
            _ = try NoParameters(parameters, at: path)
            return try await perform(method)
        }
    }

    private func answer(_ method: BridgeMethod, _ parameters: DecisionParameters) throws(BridgeError) {
        _ = try configured()
        try questions.answer(parameters.question, by: method, .decision(parameters.decision))
    }

    /// Carries out a method without parameters.
    private func perform(_ method: BridgeMethod) async throws(BridgeError) -> JSONValue {
        let model = try configured()
        switch method {
        case .start: start()
        case .stop: stop()
        case .refresh:
            await model.refresh()
            return state(of: model)
        case .availability: return state(of: model)
        case .presentNoticeSheet: return try await flow { model in await model.presentNoticeSheet() }.json
        case .outboxStatus: return await outbox.currentStatus.json
        case .refusedTokens:
            return .members(["tokens": .array(await outbox.refusedTokens.map(\.jsonWithText))])
        case .retryRefused:
            return try await changed { outbox throws(StorageFailure) in try await outbox.retryRefused() }
        case .dismissInterruptedRequests:
            return try await changed { outbox throws(StorageFailure) in try await outbox.dismissInterruptedRequests() }
        case .wake: await outbox.wake()
        case .deliverDue:
            let wait = await outbox.deliverDue()
            // Rounded up, so that an attempt after these seconds is due.
            let seconds = wait.map { $0.components.seconds + ($0.components.attoseconds > 0 ? 1 : 0) }
            return .members(["waitSeconds": seconds.map(JSONValue.integer) ?? .null])
        default: break
        }
        return .members([:])
    }

    /// Changes the outbox and returns its status.
    private func changed(
        _ change: (TokenOutbox) async throws(StorageFailure) -> Void
    ) async throws(BridgeError) -> JSONValue {
        do throws(StorageFailure) {
            try await change(outbox)
        } catch {
            throw BridgeError(.storageFailed, "The outbox could not be changed: \(error).")
        }
        return await outbox.currentStatus.json
    }

    /// What may be offered and whether a flow is going on.
    func state(of model: ExternalPurchaseModel) -> JSONValue {
        .object(Self.state(of: model))
    }

    static func state(of model: ExternalPurchaseModel) -> JSONObject {
        [
            "availability": model.availability?.json ?? .null,
            "isPurchasing": .bool(model.isPurchasing),
        ]
    }
}
