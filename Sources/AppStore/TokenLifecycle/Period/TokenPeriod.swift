package import ExternalPurchaseCore

/// A period of `ACQUISITION` or `SERVICES`: one creation and expiration, any number of ids (TK-36).
package struct TokenPeriod: Hashable, Sendable {
    /// The token that began the period.
    package let original: ExternalPurchaseToken
    /// The ids handed out later; all of them are valid for reports.
    package private(set) var refreshed: [ExternalPurchaseId] = []
    private var requests = 0

    init(_ original: ExternalPurchaseToken) {
        self.original = original
    }

    /// Both ends are included, as in the report rule on creation dates (TK-35).
    package func isActive(at now: Timestamp) -> Bool {
        original.tokenCreationDate <= now && original.tokenExpirationDate.map { now <= $0 } ?? true
    }

    /// Every token of the period.
    package var tokens: [ExternalPurchaseToken] { [original] + refreshed.map(token(named:)) }

    /// The token that a request in the active period returns.
    mutating func next(_ policy: RefreshPolicy, id: ExternalPurchaseId) -> ExternalPurchaseToken {
        requests += 1
        guard policy.refreshes(request: requests) else { return original }
        refreshed.append(id)
        return token(named: id)
    }

    /// Same type, creation and expiration, another id.
    private func token(named id: ExternalPurchaseId) -> ExternalPurchaseToken {
        var token = original
        token.externalPurchaseId = id
        return token
    }
}
