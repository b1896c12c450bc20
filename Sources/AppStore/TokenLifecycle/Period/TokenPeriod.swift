import ExternalPurchaseCore

/// A period of `ACQUISITION` or `SERVICES`, with one creation date, one expiration and any number of ids (TK-36).
struct TokenPeriod: Hashable, Sendable {
    /// The token that began the period.
    let original: ExternalPurchaseToken
    /// The ids issued later.
    ///
    /// All of them are valid in reports.
    private(set) var refreshed: [ExternalPurchaseId] = []
    private var requests = 0

    init(_ original: ExternalPurchaseToken) {
        self.original = original
    }

    /// True during the period, including both ends, as in the report rule on creation dates (TK-35).
    func isActive(at now: Timestamp) -> Bool {
        original.tokenCreationDate <= now && original.tokenExpirationDate.map { now <= $0 } ?? true
    }

    /// Every token of the period.
    var tokens: [ExternalPurchaseToken] { [original] + refreshed.map(token(named:)) }

    /// Returns the token for a request during the active period.
    mutating func next(_ policy: RefreshPolicy, id: ExternalPurchaseId) -> ExternalPurchaseToken {
        requests += 1
        guard policy.refreshes(request: requests) else { return original }
        refreshed.append(id)
        return token(named: id)
    }

    /// A token with the same type, creation date and expiration, and another id.
    private func token(named id: ExternalPurchaseId) -> ExternalPurchaseToken {
        var token = original
        token.externalPurchaseId = id
        return token
    }
}
