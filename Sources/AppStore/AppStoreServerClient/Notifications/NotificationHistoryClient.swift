package import ExternalPurchaseCore

/// One page of `POST /inApps/v1/notifications/history` (spec/06 section 8).
package struct NotificationHistoryPage: Hashable, Sendable {
    /// In the order of the answer; their signatures are not verified here (NT-84).
    package let signedPayloads: [String]
    /// Asks for the next page; nil after the last one, whatever token came with it (NT-84).
    package let next: String?

    package init(signedPayloads: [String], next: String?) {
        self.signedPayloads = signedPayloads
        self.next = next
    }
}

/// What Apple answered to a question for the history.
package enum NotificationHistoryOutcome: Hashable, Sendable {
    case page(NotificationHistoryPage)
    /// 400, with the code where it can be read (NT-82).
    case refused(code: Int64?)
    case unauthorized
    case rateLimited(until: Timestamp?)
    /// Any other status, or a 200 whose body is not a page.
    case serverError(status: Int)
    case noAnswer(reason: String)
}

/// Fetches past notifications from Apple: the HTTP client, or a stand-in for tests.
package protocol NotificationHistoryClient: Sendable {
    /// Asks for one page.
    ///
    /// - Parameters:
    ///   - start: the first moment of the range.
    ///   - end: the moment after the range; one in the future counts as now.
    ///   - page: the token of the page before, whose range has to be repeated (NT-80).
    ///   - environment: decides about the host (NT-71).
    func notificationHistory(
        from start: Timestamp,
        until end: Timestamp,
        page: String?,
        environment: AppStoreEnvironment
    ) async -> NotificationHistoryOutcome
}
