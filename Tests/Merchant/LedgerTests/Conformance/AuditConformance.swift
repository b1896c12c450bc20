import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    static let audit: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "Every kind of change leaves its entries in the audit log, chained to one another (OB-93)",
            over: { store in
                for step in LedgerStory.steps {
                    let entries = try await store.step { ledger throws in
                        let before = try ledger.lastAuditEntry()?.sequence ?? 0
                        try step.run(ledger)
                        return try ledger.auditEntries(LedgerPage(after: before))
                    }
                    #expect(entries.map(\.kind) == step.entries)
                }
                let (entries, verdict) = try await store.step { ledger throws in
                    (try ledger.auditEntries(LedgerPage(limit: 1_000)), try ledger.verifyAudit())
                }
                #expect(entries.map(\.sequence) == Array(1...Int64(entries.count)))
                #expect(entries.allSatisfy { $0.time == LedgerRows.now })
                #expect(entries.count == LedgerStory.steps.flatMap(\.entries).count)
                #expect(verdict.intact == Int64(entries.count))
                #expect(verdict.broken == nil)
                #expect(verdict.head == entries.last.map { AuditHead(sequence: $0.sequence, hash: $0.hash) })
                for entry in entries {
                    // The caller's id stands nowhere, its pseudonym where the customer matters.
                    #expect(!entry.content.contains("customerId"))
                    #expect(!entry.content.contains("\"customer\":\"customer\""))
                }
                #expect(entries.contains { $0.kind == "sale-stored" && $0.content.contains("\"pseudonym-1\"") })
            }
        ),
        LedgerConformanceCase(
            "The same story leaves the same ledger and the same chain",
            { open in
                var heads: [AuditHead?] = []
                for _ in 0..<2 {
                    let store = try await open(.fixed)
                    for step in LedgerStory.steps { try await store.write(step.run) }
                    heads.append(try await store.step { ledger throws in try ledger.verifyAudit().head })
                }
                #expect(heads[0] != nil)
                #expect(heads[0] == heads[1])
            }
        ),
        LedgerConformanceCase(
            "Each entry has the id of the request whose write caused it, also in groups; without a request it has none",
            over: { store in
                await withTaskGroup(of: Void.self) { group in
                    for number in 1...60 {
                        group.addTask {
                            let id = number.isMultiple(of: 4) ? nil : "request-\(number)"
                            await LedgerRequest.$id.withValue(id) {
                                let token = ExternalPurchaseId("token-\(number)")
                                let rows = ExpectedRows(bundleId: LedgerRows.shop, tokens: [token], checkouts: [])
                                try? await store.write(expecting: rows) { ledger throws(LedgerError) in
                                    _ = try ledger.insert(LedgerRows.token(token))
                                    // The group runs again, each of its closures alone.
                                    if number == 7 { throw LedgerError.conflict("refused") }
                                    try ledger.record(tap(number, in: ledger))
                                }
                            }
                        }
                    }
                }
                try await store.step { ledger throws in
                    let taps = try ledger.auditEntries(matching: ListFilter([.kind: "link-tapped"]), LedgerPage())
                    #expect(taps.count == 59)
                    for entry in taps {
                        let content = try #require(try JSONReader().read(entry.content).objectValue)
                        let number = try #require(content["tappedAt"]?.int64Value) - LedgerRows.now.milliseconds
                        let id = number.isMultiple(of: 4) ? nil : "request-\(number)"
                        #expect(content["requestId"]?.stringValue == id)
                        #expect(content["requestId"] != .null)
                    }
                    #expect(try ledger.verifyAudit().broken == nil)
                }
            }
        ),
        LedgerConformanceCase(
            "A head that was noted down tells a log that was cut or rewritten",
            over: { store in
                try await store.step { ledger throws in
                    for number in 1...3 { try ledger.record(tap(number, in: ledger)) }
                    let head = try #require(try ledger.verifyAudit().head)
                    #expect(try ledger.verifyAudit(expecting: head).broken == nil)
                    let longer = AuditHead(sequence: head.sequence + 1, hash: head.hash)
                    #expect(try ledger.verifyAudit(expecting: longer).broken?.sequence == head.sequence + 1)
                    let other = AuditHead(sequence: 2, hash: head.hash)
                    #expect(try ledger.verifyAudit(expecting: other).broken?.sequence == 2)
                }
            }
        ),
        LedgerConformanceCase(
            "Rows are streamed without being loaded at once, and none is left out at the ends of pages",
            over: { store in
                try await store.step { ledger throws in
                    for number in 1...1_001 { try ledger.record(tap(number, in: ledger)) }
                    var sequences: [Int64] = []
                    try ledger.eachTap { sequences.append($0.sequence) }
                    #expect(sequences == Array(1...1_001))
                    #expect(try ledger.verifyAudit().intact == 1_001)
                }
            }
        ),
    ]

    private static func tap(_ number: Int, in ledger: LedgerTransaction) -> LinkTap {
        LinkTap(
            bundleId: LedgerRows.shop,
            link: "nl",
            tappedAt: LedgerRows.now.advanced(by: .milliseconds(Int64(number))),
            externalPurchaseId: nil,
            checkoutId: "k"
        )
    }
}
