import ExternalPurchaseCore
import Ledger
import LedgerTesting
import Testing

/// Decision 0090: what a closure writes into the audit log and the deadlines is written together.
@Suite("The statements of many changes in one transaction")
struct CollectedRowsTests {
    enum Change: CaseIterable, Sendable {
        case token
        case sale

        /// The statements that each change needs for itself: its row, and the search for the token of a new sale.
        var own: Int {
            switch self {
            case .token: 1
            case .sale: 2
            }
        }
    }

    @Test(
        "1, 10 and 100 changes differ by the statements of their own rows only",
        arguments: StoreUnderTest.present.filter { $0 != .sqlite },
        Change.allCases
    )
    func statements(_ kind: StoreUnderTest, _ change: Change) async throws {
        var statements: [Int: Int] = [:]
        for count in [1, 10, 100] {
            let store = FaultyLedgerStore(try await kind.open(), LedgerFaultScript())
            let ids = (0..<count).map { ExternalPurchaseId("SANDBOX_00000000-0000-4000-8000-\(100_000_000_000 + $0)") }
            let rules = try await store.write { ledger throws(LedgerError) in
                if change == .sale { for id in ids { _ = try ledger.insert(LedgerRows.token(id)) } }
                let rules = try ledger.adoptDeadlineRules("1", at: LedgerRows.now).id
                try Self.compute(rules, in: ledger)
                return rules
            }
            let before = store.statements
            try await store.write { ledger throws(LedgerError) in
                switch change {
                case .token:
                    try ledger.readAhead([
                        ExpectedRows(bundleId: LedgerRows.shop, tokens: Set(ids), checkouts: [])
                    ])
                    for id in ids { _ = try ledger.merge(LedgerRows.token(id)) }
                case .sale:
                    for id in ids { _ = try ledger.insert(LedgerRows.sale(SaleId(id.rawValue), on: id)) }
                }
                try Self.compute(rules, in: ledger)
            }
            statements[count] = store.statements - before
            try await store.step { ledger throws in
                #expect(try ledger.verifyAudit().broken == nil)
                let kinds = try ledger.auditEntries(LedgerPage(limit: 1_000)).map(\.kind)
                #expect(kinds.count { $0 == (change == .token ? "token-stored" : "sale-stored") } == count)
                var listed = 0
                try ledger.eachOutdatedDeadline(notBy: nil) { _, _ throws(LedgerError) in listed += 1 }
                #expect(try ledger.changedDeadlines(limit: 1).isEmpty)
                #expect(listed == (change == .token ? count : 2 * count))
            }
        }
        let (one, ten, hundred) = (statements[1] ?? 0, statements[10] ?? 0, statements[100] ?? 0)
        #expect(ten - one == 9 * change.own)
        #expect(hundred - ten == 90 * change.own)
    }

    private static func compute(_ rules: Int64, in ledger: LedgerTransaction) throws(LedgerError) {
        var deadlines: [StoredDeadline.Subject: StoredDeadline?] = [:]
        for (subject, row) in try ledger.changedDeadlines(limit: 1_000) {
            deadlines[subject] = .some(row.map(LedgerRows.deadline))
        }
        try ledger.setDeadlines(deadlines, by: rules)
    }
}
