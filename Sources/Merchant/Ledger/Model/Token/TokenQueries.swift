package import ExternalPurchaseCore

/// A list of some tokens of one customer; only the imported ones may be of other types than custom links.
package enum CustomerTokenQuery: Hashable, Sendable {
    /// Custom link tokens in every state, in unspecified order.
    case customLink(limit: Int)
    /// A token of the newest period, without those unknown to Apple; at most one. Of equally new periods that with the
    /// latest end counts.
    ///
    /// - Parameters:
    ///   - createdUntil: the latest creation, included.
    ///   - endingFrom: the earliest expiration, included.
    ///   - atLeast: the least trust of the tokens that are searched; `claimed` for all.
    case newest(
        TokenType,
        AppStoreEnvironment,
        createdUntil: Timestamp,
        endingFrom: Timestamp,
        atLeast: TokenTrust
    )
    /// Tokens of a period, without those unknown to Apple, in unspecified order.
    case ofPeriod(TokenPeriod, AppStoreEnvironment, Member)
    /// Tokens that were imported from another system, at their arrival or later, in unspecified order.
    case imported

    /// The tokens of a period that a query returns.
    package enum Member: Hashable, Sendable {
        case all
        /// Those that a plan chose for their period (RR-60).
        case chosen
        /// One that is trusted so much at least, if there is one.
        case trusted(TokenTrust)
    }
}

/// What the tokens of a customer's period have in common: one of them takes the sales, the others are answered as its
/// duplicates (RR-60, RR-62).
package struct TokenPeriod: Hashable, Sendable {
    package let type: TokenType?
    package let creationDate: Timestamp
    package let expirationDate: Timestamp?
}

/// How a token is known to be its customer's, the best first (TK-76, TK-78).
package enum TokenTrust: Int, Comparable, CaseIterable, Sendable {
    /// An authenticated source delivered it, or Apple confirmed it.
    case vouched
    /// Only visits named it, and sales link it to the customer.
    case visited
    /// A public arrival named the customer, and Apple confirmed the token.
    case confirmed
    /// A public arrival named the customer.
    case claimed

    /// The steps in which a period is searched: within a step by type first, then by trust (RR-60).
    package static let steps: [[TokenTrust]] = [[.vouched, .visited], [.confirmed], [.claimed]]

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension StoredToken {
    /// How far the token is known to be its customer's.
    package var trust: TokenTrust {
        let isConfirmed = state == .confirmed
        // A sale vouches for a link to the customer, an authenticated source or a person for the token itself.
        if isCustomerClaimed, customerSource == .stated { return isConfirmed ? .confirmed : .claimed }
        let isDelivered = firstSeen.source != .website || customerId != nil && customerSource == .stated
        return isConfirmed || isDelivered ? .vouched : .visited
    }

    package var period: TokenPeriod {
        TokenPeriod(
            type: token.tokenType,
            creationDate: token.tokenCreationDate,
            expirationDate: token.tokenExpirationDate
        )
    }
}

extension LedgerQueries {
    /// The customer's tokens of one period.
    package func tokens(
        of customer: CustomerId,
        app bundleId: BundleId,
        in period: TokenPeriod
    ) throws(LedgerError) -> [StoredToken] {
        try tokens(of: customer, app: bundleId).filter { $0.period == period }
    }
}

extension [StoredToken] {
    /// The tokens of a query among all tokens of its customer; empty for ``CustomerTokenQuery/imported``, which needs
    /// observations.
    package func matching(_ query: CustomerTokenQuery) -> [StoredToken] {
        let known = lazy.filter { $0.state != .unknownToApple }
        switch query {
        case .customLink(let limit):
            return Array(lazy.filter { $0.token.family == .customLink }.prefix(Swift.max(0, limit)))
        case .newest(let type, let environment, let created, let ending, let trust):
            let active = known.compactMap { token -> (token: StoredToken, end: Timestamp)? in
                guard token.token.tokenType == type, token.token.environment == environment,
                    token.token.tokenCreationDate <= created, token.trust <= trust,
                    let end = token.token.tokenExpirationDate, end >= ending
                else { return nil }
                return (token, end)
            }
            let newest = active.max {
                ($0.token.token.tokenCreationDate, $0.end) < ($1.token.token.tokenCreationDate, $1.end)
            }
            return newest.map { [$0.token] } ?? []
        case .ofPeriod(let period, let environment, let member):
            let members = known.filter { $0.period == period && $0.token.environment == environment }
            return switch member {
            case .all: Array(members)
            case .chosen: members.filter { $0.periodChoice == .chosen }
            case .trusted(let trust): Array(members.filter { $0.trust <= trust }.prefix(1))
            }
        case .imported: return []
        }
    }
}
