import ExternalPurchaseCore
import Ledger
import LedgerTesting
import Testing

extension LedgerConformanceCase {
    static let faults: [LedgerConformanceCase] = [
        LedgerConformanceCase(
            "A write that fails before or after any of its statements or at the commit leaves the ledger as it was",
            over: { base in
                let script = LedgerFaultScript()
                let store = FaultyLedgerStore(base, script)
                var injected = 0
                for step in LedgerStory.steps {
                    let before = try await base.contents()
                    for number in 0... {
                        let faults = store.faults
                        script.failWrite(at: number % 2 == 0 ? .statement(number / 2) : .afterStatement(number / 2))
                        // The attempt that meets no fault any more would commit.
                        let error = await ledgerError { try await store.write(failingAtTheEnd(step.run)) }
                        #expect(error != nil)
                        #expect(try await base.contents() == before)
                        if store.faults == faults { break }
                        injected += 1
                    }
                    script.failWrite(at: .commit)
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
                let script = LedgerFaultScript()
                let store = FaultyLedgerStore(base, script)
                let before = try await base.contents()
                var injected = 0
                for number in 0... {
                    let faults = store.faults
                    script.failWrite(at: .statement(5 * number))
                    let error = await ledgerError { try await store.write(failingAtTheEnd(whole)) }
                    #expect(error != nil)
                    #expect(try await base.contents() == before)
                    if store.faults == faults { break }
                    injected += 1
                }
                #expect(injected > 10)
                script.failWrite(at: .answer)
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
