import ExternalPurchaseCore

/// A time in which Apple's API does not answer the requests of one app and environment, so that reports wait.
struct SendingOutage: Hashable, Sendable {
    let scope: ReportingScope
    /// What the last request met, such as `no server listens at …`, without personal data (TK-77).
    let reason: String
    /// The time of the first request without an answer since the start of the process.
    let since: Timestamp
    /// True for 401: nothing of the app is sent until a person acts (SA-73).
    var isRefusedKey: Bool = false

    /// One sentence for the operator.
    var sentence: String {
        isRefusedKey
            ? "Apple refused the key of \(scope.bundleId): nothing of the app is sent since \(since): \(reason)"
            : "reports of \(scope.environment.rawValue) wait: Apple's API does not answer since \(since): \(reason)"
    }
}
