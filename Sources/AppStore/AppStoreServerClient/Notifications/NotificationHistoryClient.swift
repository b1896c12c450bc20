package import ExternalPurchaseCore

/// One page of `POST /inApps/v1/notifications/history` (spec/06 section 8).
package struct NotificationHistoryPage: Hashable, Sendable {
    /// The signed payloads in the order of the response.
    ///
    /// Their signatures are not verified yet (NT-84).
    package let signedPayloads: [String]
    /// The token of the next page; nil after the last page, even if the response contains a token (NT-84).
    package let next: String?
}

/// The outcome of a request for the notification history.
package enum NotificationHistoryOutcome: Hashable, Sendable {
    case page(NotificationHistoryPage)
    /// 400, with the error code if it is readable (NT-82).
    case refused(code: Int64?)
    case unauthorized
    case rateLimited(until: Timestamp?)
    /// Any other status, or a 200 whose body is not a page.
    case serverError(status: Int)
    case noAnswer(reason: String)
}

/// Fetches past notifications from Apple.
///
/// Implemented by the HTTP client, and by substitutes in tests.
package protocol NotificationHistoryClient: Sendable {
    /// Fetches one page.
    ///
    /// - Parameters:
    ///   - start: the first moment of the range.
    ///   - end: the moment after the range. A moment in the future counts as now.
    ///   - page: the token of the previous page, whose range must be repeated (NT-80); nil for the first page.
    ///   - environment: determines the host (NT-71).
    func notificationHistory(
        from start: Timestamp,
        until end: Timestamp,
        page: String?,
        environment: AppStoreEnvironment
    ) async -> NotificationHistoryOutcome
}
