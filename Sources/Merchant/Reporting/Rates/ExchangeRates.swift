package import ExternalPurchaseCore
package import Ledger
import Synchronization

/// The exchange rates that the server knows, from a source that changes while it runs.
package final class ExchangeRates: Sendable {
    private struct State {
        var table: RateTable
        var isStale = false
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
    package func keep() {
        state.withLock { $0.isStale = true }
    }

    /// Whether the source changed to something that cannot be read.
    package var isStale: Bool { state.withLock { $0.isStale } }

    package func rate(from: String, to: String, at moment: Timestamp) -> QuotedRate? {
        state.withLock { $0.table.rate(from: from, to: to, at: moment) }
    }
}
