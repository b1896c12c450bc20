import Ledger

/// The right of this server to do some work, for as long as the work takes.
struct LeasePermit: Sendable {
    /// What each write proves; nil for a server that has the ledger alone.
    var claim: LeaseClaim?
    /// Whether the right still exists by this server's own clock.
    var isHeld: @Sendable () -> Bool = { true }
    /// Whether the right outlasts a request to Apple that is sent now (SA-77).
    var outlastsRequest: @Sendable () -> Bool = { true }
    /// How long this server has had the right; nil for a server that has the ledger alone.
    var age: @Sendable () -> Duration? = { nil }

    /// The right of a server that has the ledger alone.
    static let alone = LeasePermit()

    /// - Throws: ``LedgerError/leaseLost(_:)`` if a request to Apple must not be sent.
    func checkRequest() throws(LedgerError) {
        guard outlastsRequest() else { throw .leaseLost(claim?.name.rawValue ?? "") }
    }
}
