package import ExternalPurchaseCore
package import Ledger
import Synchronization

/// The exchange rates that the server knows, from a source that changes while it runs.
package final class ExchangeRates: Sendable {
    private struct State {
        var table: RateTable
        var problem: String?
    }

    private let state: Mutex<State>

    package init(_ table: RateTable = RateTable()) {
        state = Mutex(State(table: table))
    }

    /// Replaces the rates; what sales have already stays.
    package func replace(by table: RateTable) {
        state.withLock { $0 = State(table: table) }
    }

    /// Keeps the rates as they are, because their source cannot be read.
    package func keep(because problem: String) {
        state.withLock { $0.problem = problem }
    }

    /// Why the source cannot be read; nil while it can.
    package var problem: String? { state.withLock { $0.problem } }

    package func rate(from: String, to: String, at moment: Timestamp) -> QuotedRate? {
        state.withLock { $0.table.rate(from: from, to: to, at: moment) }
    }
}
