/// What a user of the dashboard may do; each role also has the rights of those before it.
package enum UserRole: String, Hashable, Sendable, CaseIterable, Comparable {
    /// Reads every page that is not about keys, users and settings.
    case viewer
    /// Exports, invoices and months, review items about sales and payments, and the request for a correction.
    case finance
    /// Every review item, corrections, the withdrawal of sales, and payment events.
    case `operator`
    /// Keys, users and settings.
    case admin

    package static func < (one: UserRole, other: UserRole) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .finance: 1
        case .operator: 2
        case .admin: 3
        }
    }
}
