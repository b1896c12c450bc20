package import ExternalPurchaseCore

/// The result of a token request.
package enum TokenAnswer: Hashable, Sendable {
    /// A new token, which begins a period or belongs to none.
    case created(ExternalPurchaseToken)
    /// A token of the active period.
    case current(ExternalPurchaseToken)
    /// No token, with the reason.
    case none(Absence)

    /// Why no period is active.
    package enum Absence: Hashable, Sendable, CustomStringConvertible {
        /// Production: no qualifying event has happened (TK-32).
        case noEventYet
        /// Production: the first install happened before the app was configured, so there will never be a period
        /// (TK-33).
        case installedBefore
        /// The only period of `ACQUISITION` has ended (TK-37).
        case exhausted(at: Timestamp)
        /// Production: the last period of `SERVICES` has ended.
        ///
        /// An update or redownload begins a new one (TK-38).
        case expired(at: Timestamp)
        /// The clock shows a time before the only period.
        case notBegun(until: Timestamp)

        package var description: String {
            switch self {
            case .noEventYet: "no install, update or redownload has created one yet"
            case .installedBefore: "the first install came before the app was configured for the storefront"
            case .exhausted(let moment): "its only period ended at \(moment)"
            case .expired(let moment): "the last period ended at \(moment); an update or redownload begins the next"
            case .notBegun(let moment): "its period begins at \(moment)"
            }
        }
    }

    /// The token, if there is one.
    package var token: ExternalPurchaseToken? {
        switch self {
        case .created(let token), .current(let token): token
        case .none: nil
        }
    }
}
