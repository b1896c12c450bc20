/// What other processes may do while one has a ledger in PostgreSQL open.
package enum PostgresAccess: Hashable, Sendable {
    /// Other servers may have it open too; they divide the work by leases (SA-76).
    case server
    /// No server may have it open, because the process changes what servers assume to change alone.
    case exclusive
    /// Anything: the process makes one small change.
    case edit
}
