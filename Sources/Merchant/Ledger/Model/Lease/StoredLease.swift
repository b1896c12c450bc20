package import ExternalPurchaseCore

/// One run of a server, as the ledger names it in leases.
package struct ServerId: Identifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// Work that one server of a ledger does at a time, or the presence of a server.
package enum LeaseName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The work that is done once for the whole ledger: held sales, changes of sales, review items, notifications,
    /// deadlines, alerts and histories. Its holder is the elected server.
    case maintenance
    /// The reports of one app and environment.
    case reports(ReportingScope)
    /// The presence of a server, which only that server holds.
    case server(ServerId)

    /// The text that the ledger stores.
    package var rawValue: String {
        switch self {
        case .maintenance: "maintenance"
        case .reports(let scope): "reports/\(scope.environment.rawValue)/\(scope.bundleId.rawValue)"
        case .server(let server): "server/\(server.rawValue)"
        }
    }

    /// Reads the text that the ledger stores; nil for a name of a later version.
    package init?(rawValue: String) {
        let parts = rawValue.split(separator: "/", maxSplits: 1)
        switch parts.first {
        case "maintenance" where parts.count == 1: self = .maintenance
        case "server" where parts.count == 2: self = .server(ServerId(String(parts[1])))
        case "reports" where parts.count == 2:
            let scope = parts[1].split(separator: "/", maxSplits: 1)
            guard scope.count == 2, let environment = AppStoreEnvironment(rawValue: String(scope[0])) else {
                return nil
            }
            self = .reports(ReportingScope(bundleId: BundleId(String(scope[1])), environment: environment))
        default: return nil
        }
    }

    package var description: String { rawValue }

    package static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}

/// A lease as the ledger stores it: the right of one server to do some work until a time.
package struct StoredLease: Hashable, Sendable {
    package let name: LeaseName
    /// The server that holds it; nil after it was released.
    package var holder: ServerId?
    /// A number that rises with each change of holder (SA-76).
    package var epoch: Int64 = 0
    /// The end by the ledger's clock, or the time of the release.
    package var expiresAt: Timestamp
    /// What the holder tells the other servers.
    package var detail: JSONValue?

    /// Whether a server holds the lease at a time of the ledger's clock.
    package func isHeld(at now: Timestamp) -> Bool { holder != nil && now < expiresAt }

    /// What the holder proves with each write; nil after the lease was released.
    package var claim: LeaseClaim? {
        holder.map { LeaseClaim(name: name, holder: $0, epoch: epoch) }
    }
}

/// What a server proves with each write that it makes under a lease.
package struct LeaseClaim: Hashable, Sendable {
    package let name: LeaseName
    package let holder: ServerId
    package let epoch: Int64

    package init(name: LeaseName, holder: ServerId, epoch: Int64) {
        self.name = name
        self.holder = holder
        self.epoch = epoch
    }
}
