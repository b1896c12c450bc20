extension PostgresLedgerStore {
    /// Several servers may use the ledger at once.
    package var isShared: Bool { true }
}
