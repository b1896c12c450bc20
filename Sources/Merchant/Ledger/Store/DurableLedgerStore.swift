package import ExternalPurchaseCore

/// A store of a ledger that outlives the process, in a file or at a database server.
package protocol DurableLedgerStore: LedgerStore {
    /// Removes completed and reported rows older than a cut-off time.
    ///
    /// The deletion and its audit entry are one transaction (OB-91).
    ///
    /// - Parameters:
    ///   - cut: the cut-off time; the caller checks the minimum age of records.
    ///   - person: the person who requested the purge.
    /// - Returns: the removed rows; nothing is written when there is nothing to remove.
    func purge(before cut: Timestamp, by person: String) async throws(LedgerError) -> PurgePlan

    /// Ends the use of the ledger after the running writes; the store must not be used afterwards.
    ///
    /// - Throws: ``LedgerError/busy`` for a file that is complete only with the files beside it.
    func close() throws(LedgerError)
}

/// Reads an existing ledger, also while a server writes to it; it is neither created nor migrated.
package protocol LedgerReader: Sendable {
    /// Runs a closure on one consistent state.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerQueries) throws(LedgerError) -> Value
    ) async throws(LedgerError) -> Value

    /// The errors that the engine finds in its file; empty for an intact file, and for a ledger at a database server,
    /// which checks its own files.
    func fileFaults() async throws(LedgerError) -> [String]

    /// Computes what a purge of everything completed before a moment would remove (OB-91); nothing is changed.
    func purgePlan(before cut: Timestamp) async throws(LedgerError) -> PurgePlan
}
