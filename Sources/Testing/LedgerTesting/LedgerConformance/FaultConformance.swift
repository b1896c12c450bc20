import ExternalPurchaseCore
import Ledger
import Testing

extension LedgerConformanceCase {
    static let faults: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A write that fails at any of its steps or at the commit leaves the ledger as it was",
            over: { base in
                let store = FaultyLedgerStore(base)
                var injected = 0
                for step in LedgerStory.steps {
                    let before = try await base.contents()
                    for fault in (0...).lazy.map(FaultyLedgerStore.Fault.step) {
                        store.failNextWrite(at: fault)
                        // The attempt that meets no fault any more would commit: the last step of a change is its entry.
                        let error = await ledgerError { try await store.write(failingAtTheEnd(step.run)) }
                        #expect(error != nil)
                        #expect(try await base.contents() == before)
                        if !store.hasFailed { break }
                        injected += 1
                    }
                    store.failNextWrite(at: .commit)
                    await #expect(throws: LedgerError.self) { try await store.write(step.run) }
                    #expect(try await base.contents() == before)
                    try await store.write(step.run)
                    #expect(try await base.contents() != before)
                }
                #expect(injected > 3 * LedgerStory.steps.count)
                try await base.step { ledger throws in #expect(try ledger.verifyAudit().broken == nil) }
            }
        ),
        LedgerConformanceCase(
            "A whole story in one transaction commits wholly or not at all",
            over: { base in
                let store = FaultyLedgerStore(base)
                let before = try await base.contents()
                var injected = 0
                for fault in (0...).lazy.map({ FaultyLedgerStore.Fault.step(7 * $0) }) {
                    store.failNextWrite(at: fault)
                    let error = await ledgerError { try await store.write(failingAtTheEnd(whole)) }
                    #expect(error != nil)
                    #expect(try await base.contents() == before)
                    if !store.hasFailed { break }
                    injected += 1
                }
                #expect(injected > 10)
                store.failNextWrite(at: .answer)
                await #expect(throws: LedgerError.self) { try await store.write(whole) }
                let after = try await base.contents()
                #expect(after.sales.count == 2)
                #expect(after.audit.count == LedgerStory.steps.flatMap(\.entries).count)
            }
        ),
    ]

    private static let whole: LedgerStory.Step = { ledger throws(LedgerError) in
        for step in LedgerStory.steps { try step.run(ledger) }
    }

    private static func failingAtTheEnd(_ run: @escaping LedgerStory.Step) -> LedgerStory.Step {
        { ledger throws(LedgerError) in
            try run(ledger)
            throw .failed("no step was left to fail")
        }
    }
}
