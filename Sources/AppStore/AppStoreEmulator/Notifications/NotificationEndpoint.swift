import ExternalPurchaseCore
import HTTPSupport
import Hummingbird
import NIOCore

/// Apple's notification endpoints: test, test status and history (spec/06 sections 7 and 8).
struct NotificationEndpoint: Sendable {
    let state: EmulatorState

    static let root = "/inApps/v1/notifications"

    /// An endpoint under the root, with the only method that it accepts.
    enum Question: Hashable, Sendable {
        case test
        case testStatus(String)
        case history

        init?(path: String) {
            switch path.dropFirst(NotificationEndpoint.root.count) {
            case "/test": self = .test
            case "/history": self = .history
            case let rest where rest.hasPrefix("/test/"):
                let token = rest.dropFirst("/test/".count)
                guard !token.isEmpty, !token.contains("/") else { return nil }
                self = .testStatus(PercentEncoding.decoded(token))
            default: return nil
            }
        }

        var endpoint: AppleEndpoint {
            switch self {
            case .test: .testNotification
            case .testStatus: .testNotificationStatus
            case .history: .notificationHistory
            }
        }
    }

    func answer(_ question: Question, _ request: Request, entry: inout JournalEntry) async
        -> NotificationEndpointResponse
    {
        let bundleId: BundleId
        do throws(AuthorizationFault) {
            let authorised = try await state.authorise(request.headers[.authorization])
            let caller: BundleId? = if let authorised { authorised } else { await state.owner(of: nil) }
            guard let caller else { throw .bundleUnknown }
            bundleId = caller
        } catch {
            entry.reason = error.rawValue
            return .unauthenticated
        }
        entry.bundleId = bundleId
        guard let environment = state.environment(of: request) else {
            entry.reason = String(NotificationEndpointError.badRequest.code)
            return .refused(.badRequest)
        }
        if let retryAt = await state.exhausts(bundleId, question.endpoint, environment) {
            return .rateLimited(retryAt: retryAt)
        }
        do throws(NotificationEndpointError) {
            switch question {
            case .test:
                guard let token = await state.test(bundleId, in: environment) else { throw .noAddress }
                return .testRequested(token)
            case .testStatus(let token):
                return .testStatus(try await status(token, of: bundleId))
            case .history:
                return try await history(request, bundleId, environment, entry: &entry)
            }
        } catch {
            entry.reason = String(error.code)
            return .refused(error)
        }
    }

    private func status(
        _ token: String,
        of bundleId: BundleId
    ) async throws(NotificationEndpointError) -> NotificationRecord {
        let parts = token.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, RequestIdentifier(String(parts[0])) != nil, let moment = Int64(parts[1]), moment >= 0
        else { throw .testTokenInvalid }
        guard let record = await state.notifications.test(token), record.bundleId == bundleId,
            !record.attempts.isEmpty,
            await state.now <= record.madeAt + HistoryQueryReader.reach
        else { throw .statusNotAvailable }
        return record
    }

    private func history(
        _ request: Request,
        _ bundleId: BundleId,
        _ environment: AppStoreEnvironment,
        entry: inout JournalEntry
    ) async throws(NotificationEndpointError) -> NotificationEndpointResponse {
        do {
            entry.body = try await request.bytes(upTo: 1_048_576)
        } catch {
            throw .badRequest
        }
        let reader = HistoryQueryReader(
            bundleId: bundleId,
            environment: environment,
            now: await state.now,
            secret: state.pageSecret
        )
        let pageToken = request.uri.queryParameters["paginationToken"].map(String.init)
        let query = try reader.read(entry.body, pageToken: pageToken)
        let page = await state.notifications.page(query, of: bundleId, in: environment)
        return .history(page.records, next: page.next.map { reader.pageToken($0, body: entry.body) })
    }
}

extension EmulatorState {
    /// Returns the environment of a request whose path does not determine it (NT-71); nil when its query names an
    /// unknown one.
    nonisolated func environment(of request: Request) -> AppStoreEnvironment? {
        var named: [AppStoreEnvironment] = []
        for (name, value) in request.uri.queryParameters where name == "environment" {
            guard let environment = AppStoreEnvironment.named(value) else { return nil }
            named.append(environment)
        }
        guard Set(named).count < 2 else { return nil }
        return configuration.environment ?? named.first ?? .sandbox
    }
}
