import ExternalPurchaseCore
import Ledger
import Obligations

/// The due list as it was at the last look: reading it takes the longer the more is open, so that figures and
/// escalations share one look.
actor DueSurvey {
    /// What one look saw.
    struct Look: Sendable {
        let list: DueList
        /// The clock of the merchant's side.
        let now: Timestamp
        let places: [DueList.Place: Int]
        let takenAt: ContinuousClock.Instant
        let took: Duration
    }

    private let store: any LedgerStore
    private let due: LedgerDue
    private let surroundings: Surroundings
    private var last: Look?
    private var running: Task<Result<Look, LedgerError>, Never>?

    init(store: any LedgerStore, due: LedgerDue, surroundings: Surroundings) {
        self.store = store
        self.due = due
        self.surroundings = surroundings
    }

    /// Looks now; whoever asks while a look runs gets what it sees.
    func look() async throws(LedgerError) -> Look {
        if let running { return try await running.value.get() }
        let (store, due, now) = (store, due, surroundings.now())
        let task = Task<Result<Look, LedgerError>, Never> {
            let begin = ContinuousClock.now
            do throws(LedgerError) {
                let list = try await store.read { ledger throws(LedgerError) in try due.list(in: ledger) }
                let places = list.places(at: now)
                let end = ContinuousClock.now
                return .success(Look(list: list, now: now, places: places, takenAt: end, took: end - begin))
            } catch {
                return .failure(error)
            }
        }
        running = task
        let result = await task.value
        running = nil
        if case .success(let look) = result { last = look }
        return try result.get()
    }

    /// The last look, or a new one when that is older than allowed and than twenty times what it took.
    func recent(within age: Duration) async throws(LedgerError) -> Look {
        if let last, last.takenAt.duration(to: .now) <= max(age, last.took * 20) { return last }
        return try await look()
    }

    /// How long ago the last look was; nil before the first.
    var age: Duration? { last?.takenAt.duration(to: .now) }
}
