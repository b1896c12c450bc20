package import Ledger

/// How servers that share a ledger divide the work.
package struct LeaseSettings: Sendable {
    /// How long a lease lasts without renewal; a dead server's work is taken over after it (SA-76).
    package var duration = Duration.seconds(60)
    /// The time between two renewals.
    package var renewal = Duration.seconds(10)
    /// The time that a lease must still last before a request to Apple is sent: the client's limit of 30 seconds, and
    /// 5 seconds for what delays the request (SA-77).
    package var request = Duration.seconds(35)
    /// The name of this run of the server in leases; nil makes one.
    package var server: ServerId?

    package init() {}
}
