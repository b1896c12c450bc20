package import ExternalPurchaseCore

/// What a request for a token yields.
package enum TokenAnswer: Hashable, Sendable {
    /// A new token, which began a period or stands for itself.
    case created(ExternalPurchaseToken)
    /// A token of the period that is active.
    case current(ExternalPurchaseToken)
    /// No token, and why.
    case none(Absence)

    /// Why no period is active.
    package enum Absence: Hashable, Sendable, CustomStringConvertible {
        /// Production: no qualifying event has happened (TK-32).
        case noEventYet
        /// Production: the first install came before the app was configured, so there is never a period (TK-33).
        case installedBefore
        /// The one period of `ACQUISITION` is over for good (TK-37).
        case exhausted(at: Timestamp)
        /// Production: `SERVICES` begins again with an update or redownload (TK-38).
        case expired(at: Timestamp)
        /// The clock stands before the beginning of the only period.
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
