package import ExternalPurchaseCore
import Foundation
import NIOHTTP1

extension AppStoreServerClient: NotificationHistoryClient {
    package func notificationHistory(
        from start: Timestamp,
        until end: Timestamp,
        page: String?,
        environment: AppStoreEnvironment
    ) async -> NotificationHistoryOutcome {
        var address = URLComponents()
        address.path = "/inApps/v1/notifications/history"
        var query: [URLQueryItem] = []
        if let page { query.append(URLQueryItem(name: "paginationToken", value: page)) }
        if baseURLs.needsEnvironmentQuery(environment) {
            query.append(URLQueryItem(name: "environment", value: environment.rawValue))
        }
        if !query.isEmpty { address.queryItems = query }
        // A plus sign in a token would be decoded as a blank.
        address.percentEncodedQuery = address.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
        let body =
            JSONValue.object([
                "startDate": .integer(start.milliseconds), "endDate": .integer(end.milliseconds),
            ])
        guard let path = address.string else { return .noAnswer(reason: "the page token cannot be part of a URL") }
        switch await exchange(.POST, path, body: body.encoded(), environment: environment) {
        case .failure(let failure): return .noAnswer(reason: failure.reason)
        case .success(let answer): return NotificationHistoryOutcome(answer)
        }
    }
}

extension NotificationHistoryOutcome {
    /// Interprets the response to a history request.
    package init(_ answer: ReceivedResponse) {
        self =
            switch answer.status {
            case 200: Self.page(answer).map(NotificationHistoryOutcome.page) ?? .serverError(status: 200)
            case 400: .refused(code: answer.object?["errorCode"]?.int64Value)
            case 401: .unauthorized
            case 429: .rateLimited(until: answer.retryAt)
            case let status: .serverError(status: status)
            }
    }

    private static func page(_ answer: ReceivedResponse) -> NotificationHistoryPage? {
        guard let object = answer.object, let records = object["notificationHistory"]?.arrayValue else { return nil }
        return NotificationHistoryPage(
            signedPayloads: records.compactMap { $0.objectValue?["signedPayload"]?.stringValue },
            next: object["hasMore"]?.boolValue == true ? object["paginationToken"]?.stringValue : nil
        )
    }
}
