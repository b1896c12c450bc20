import ExternalPurchaseCore

/// Apple's endpoints.
///
/// Each has its own request budget (SA-80).
enum AppleEndpoint: Hashable, Sendable {
    case sendReport
    case retrieveReport
    case testNotification
    case testNotificationStatus
    case notificationHistory
}

/// The number of requests in the current clock hour, by app, endpoint and environment.
struct RequestBudgets: Sendable {
    private struct Account: Hashable, Sendable {
        let bundleId: BundleId
        let endpoint: AppleEndpoint
        let environment: AppStoreEnvironment
    }

    private var hour: Int64?
    private var spent: [Account: Int64] = [:]

    static let hourLength: Int64 = 3_600_000

    /// Counts a request.
    ///
    /// - Returns: nil while the budget is not exhausted, otherwise the moment from which a request is allowed again
    ///   (SA-81).
    mutating func spend(
        _ bundleId: BundleId,
        _ endpoint: AppleEndpoint,
        _ environment: AppStoreEnvironment,
        perSecond: Int64,
        now: Timestamp
    ) -> Timestamp? {
        let present = now.milliseconds / Self.hourLength
        if hour != present {
            hour = present
            spent = [:]
        }
        let whole = perSecond * 3_600
        let budget = environment == .sandbox ? whole / 10 : whole
        let account = Account(bundleId: bundleId, endpoint: endpoint, environment: environment)
        guard spent[account, default: 0] < budget else {
            return Timestamp(milliseconds: (present + 1) * Self.hourLength)
        }
        spent[account, default: 0] += 1
        return nil
    }
}

extension EmulatorState {
    /// Counts a request against its budget, if there is a limit.
    ///
    /// - Returns: nil if this request is allowed, otherwise the moment from which a request is allowed again.
    func exhausts(
        _ bundleId: BundleId,
        _ endpoint: AppleEndpoint,
        _ environment: AppStoreEnvironment
    ) -> Timestamp? {
        guard let perSecond = settings.requestsPerSecond else { return nil }
        return budgets.spend(bundleId, endpoint, environment, perSecond: perSecond, now: now)
    }
}
