import Ledger

/// How servers that share a ledger divide the work.
struct LeaseSettings: Sendable {
    /// How long a lease lasts without renewal; a dead server's work is taken over after it (SA-76).
    var duration = Duration.seconds(60)
    /// The time between two renewals.
    var renewal = Duration.seconds(10)
    /// The time that a lease must still last before a request to Apple is sent: the client's limit of 30 seconds, and
    /// 5 seconds for what delays the request (SA-77).
    var request = Duration.seconds(35)
    /// The name of this run of the server in leases; nil makes one.
    var server: ServerId?

    init() {}
}
