/// One step of the schema: literal SQL that never changes after its release.
struct Migration: Hashable, Sendable {
    let id: String
    let sql: String

    /// All migrations in the order in which they are applied.
    static let all: [Migration] = [
        .tokensSalesReports, .wholeLedger, .openRows, .records, .alerts, .saleChanges, .orders, .pendingSales,
        .quarantineAge, .reviewCorrections, .lists, .deadlines, .flagStates, .keysAndUsers, .paymentEvents,
        .leases, .invoiceParts, .checkoutClaims, .customerHistory, .namedTokens,
    ]
}
