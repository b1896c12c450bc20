import ExternalPurchaseCore
import Ledger
import ReportValidation

/// Stores tokens and sales in one commit, in their order.
///
/// One that takes longer than ``patience`` lets other writes go between and goes on in further commits.
/// Each item has the result that it would have by itself; a refused item does not affect the others.
package struct BatchIntake: Sendable {
    let store: any LedgerStore
    let recorder: TokenRecorder
    let sales: SaleIntake
    let dependencies: ReportingDependencies
    let signals: SenderSignals

    /// The time for which one commit of a batch may keep other writes waiting.
    var patience = Duration.milliseconds(250)

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

        /// The rows that are read to store it.
        var expectedRows: ExpectedRows? {
            switch self {
            case .token(let token): token.expectedRows
            case .sale(let command): command.expectedRows
            case .refused: nil
            }
        }
    }

    /// Stores the items of a batch.
    ///
    /// - Throws: ``RequestError/notStored(_:)``. Of a batch that took several commits a part may be stored then, which a
    ///   repetition finds.
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
        var results: [Result] = []
        while results.count < prepared.count {
            // Nobody waits for the rest, and a repetition stores it.
            if ClientPresence.current?.hasLeft() == true { throw .notStored(.stopped) }
            let stored: [Result]
            do {
                stored = try await store.write { [rest = prepared[results.count...], now] ledger throws(LedgerError) in
                    let start = ContinuousClock.now
                    var stored: [Result] = []
                    for (offset, item) in rest.enumerated() {
                        if offset.isMultiple(of: Self.readTogether) {
                            let next = rest.dropFirst(offset).prefix(Self.readTogether)
                            try ledger.readAhead(next.compactMap(\.expectedRows))
                        }
                        stored.append(try record(item, now: now, in: ledger))
                        if ContinuousClock.now - start > patience { break }
                    }
                    return stored
                }
            } catch {
                throw .notStored(error)
            }
            for result in stored {
                switch result {
                case .token: signals.tokenStored()
                case .sale(let receipt): signals.saleStored(receipt)
                case .refused: break
                }
            }
            results += stored
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
            switch try sales.take(command, now: now, in: ledger) {
            case .accepted(let receipt): .sale(receipt)
            case .refused(let refusal): .refused(refusal)
            }
        case .refused(let refusal): .refused(refusal)
        }
    }

    private static func refusal(of detail: String) -> RequestError { .invalid([FieldError("/token", detail)]) }
}
