import ExternalPurchaseCore
import Ledger
import Synchronization

extension LedgerStore {
    /// A transaction that may throw anything, as expectations in its closure need it.
    func step<Value: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
    ) async throws -> Value {
        try await write { ledger throws(LedgerError) in
            do {
                return try body(ledger)
            } catch let error as LedgerError {
                throw error
            } catch {
                throw .failed("\(error)")
            }
        }
    }

    /// The error of a transaction, nil when it commits.
    func refusal(
        _ body: @escaping @Sendable (LedgerTransaction) throws -> Void
    ) async -> LedgerError? {
        await ledgerError { try await step(body) }
    }
}

/// The error of the ledger that an operation throws, nil when it succeeds.
func ledgerError(_ body: () async throws -> Void) async -> LedgerError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? LedgerError ?? .failed("\(error)")
    }
}

extension LedgerError {
    var isConflict: Bool { if case .conflict = self { true } else { false } }
}

extension LedgerDependencies {
    /// The clock stands at ``LedgerRows/now``, and pseudonyms count.
    static var fixed: LedgerDependencies { fixed(at: LedgerRows.now) }

    /// The clock stands still, and pseudonyms count.
    static func fixed(at moment: Timestamp) -> LedgerDependencies {
        let counter = Counter()
        return LedgerDependencies(now: { moment }, pseudonym: { "pseudonym-\(counter.next())" })
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
