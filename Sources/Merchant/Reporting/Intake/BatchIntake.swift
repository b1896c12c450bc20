import ExternalPurchaseCore
import Ledger
import ReportValidation

/// Stores tokens and sales in one commit, in their order.
///
/// Each item has the result that it would have by itself; a refused item does not affect the others.
package struct BatchIntake: Sendable {
    let store: any LedgerStore
    let recorder: TokenRecorder
    let sales: SaleIntake
    let dependencies: ReportingDependencies
    let signals: SenderSignals

    /// The largest number of items of a batch.
    package static let maximumCount = 1_000

    /// The number of items whose tokens and checkouts are read together; a transaction keeps that many rows.
    private static let readTogether = 200

    /// An item of a batch.
    package enum Item: Sendable {
        case token(TokenArrival)
        case sale(SaleCommand)
    }

    /// The result of an item.
    package enum Result: Sendable {
        case token(TokenReceipt)
        case sale(SaleReceipt)
        case refused(RequestError)
    }

    private enum Prepared: Sendable {
        case token(TokenRecorder.Prepared)
        case sale(SaleCommand)
        case refused(RequestError)

        /// The rows that are read to store it; those of a sale depend on what it names.
        var expectedRows: ExpectedRows? {
            if case .token(let token) = self { token.expectedRows } else { nil }
        }
    }

    /// Stores the items of a batch.
    ///
    /// - Throws: ``RequestError/notStored(_:)`` if nothing is stored.
    package func receive(_ items: [Item]) async throws(RequestError) -> [Result] {
        var prepared: [Prepared] = []
        var now = dependencies.now()
        for item in items {
            switch item {
            case .token(let arrival):
                let token = await recorder.prepare(arrival)
                if case .quarantine(let aside) = token, !recorder.isTaken(aside, from: arrival) {
                    prepared.append(.refused(Self.refusal(of: aside.detail)))
                } else {
                    prepared.append(.token(token))
                }
            case .sale(let command):
                if command.sale.occurredAt > now + recorder.planner.settings.rules.clockSkew {
                    await dependencies.refresh()
                    now = dependencies.now()
                }
                prepared.append(.sale(command))
            }
        }
        let results: [Result]
        do {
            results = try await store.write { [prepared, now] ledger throws(LedgerError) in
                var results: [Result] = []
                for start in stride(from: 0, to: prepared.count, by: Self.readTogether) {
                    let page = prepared[start...].prefix(Self.readTogether)
                    try ledger.readAhead(page.compactMap(\.expectedRows))
                    for item in page { results.append(try record(item, now: now, in: ledger)) }
                }
                return results
            }
        } catch {
            throw .notStored(error)
        }
        for result in results {
            switch result {
            case .token: signals.tokenStored()
            case .sale(let receipt): signals.saleStored(receipt)
            case .refused: break
            }
        }
        return results
    }

    private func record(
        _ item: Prepared,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Result {
        switch item {
        case .token(let prepared):
            switch try recorder.record(prepared, in: ledger) {
            case .stored(let receipt): .token(receipt)
            case .quarantined(let aside): .refused(Self.refusal(of: aside.detail))
            }
        case .sale(let command):
            switch try sales.record(command, now: now, in: ledger) {
            case .accepted(let receipt): .sale(receipt)
            case .refused(let refusal): .refused(refusal)
            }
        case .refused(let refusal): .refused(refusal)
        }
    }

    private static func refusal(of detail: String) -> RequestError { .invalid([FieldError("/token", detail)]) }
}
