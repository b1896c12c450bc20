import Ledger

/// Figures whose computation takes longer the more the ledger has: they are reused, and older ones are returned while new ones
/// are computed.
actor ReusedFigures<Value: Sendable> {
    struct Computed: Sendable {
        let value: Value
        let at: ContinuousClock.Instant
        let took: Duration
    }

    private let compute: @Sendable () async throws(LedgerError) -> Value
    private let lifetime: @Sendable (Value, Duration) -> Duration
    private var last: Computed?
    private var running: Task<Result<Computed, LedgerError>, Never>?

    /// - Parameters:
    ///   - lifetime: how long figures are reused, by themselves and the time that they took to compute.
    ///   - compute: computes new figures.
    init(
        lifetime: @escaping @Sendable (Value, _ took: Duration) -> Duration,
        _ compute: @escaping @Sendable () async throws(LedgerError) -> Value
    ) {
        self.lifetime = lifetime
        self.compute = compute
    }

    /// Returns the figures.
    ///
    /// - Parameters:
    ///   - patience: how long new figures are waited for where there are older ones; nil waits for the new ones.
    ///   - isUsable: whether older figures may be returned.
    func computed(
        patience: Duration? = nil,
        isUsable: (Value) -> Bool = { _ in true }
    ) async throws(LedgerError) -> Computed {
        let old = last.flatMap { isUsable($0.value) ? $0 : nil }
        if let old, old.at.duration(to: .now) <= lifetime(old.value, old.took) { return old }
        let task = running ?? begin()
        guard let old, let patience else { return try await task.value.get() }
        let begin = ContinuousClock.now
        while running != nil, begin.duration(to: .now) < patience {
            do {
                try await Task.sleep(for: .milliseconds(5))
            } catch {
                break
            }
        }
        return running == nil ? try await task.value.get() : old
    }

    private func begin() -> Task<Result<Computed, LedgerError>, Never> {
        let compute = compute
        // Others wait for the figures too, so they are computed although the first client has gone.
        let task = Task { [weak self] in
            let begin = ContinuousClock.now
            let result = await ClientPresence.$current.withValue(nil) {
                await Result { () async throws(LedgerError) in
                    let value = try await compute()
                    return Computed(value: value, at: .now, took: begin.duration(to: .now))
                }
            }
            await self?.end(result)
            return result
        }
        running = task
        return task
    }

    private func end(_ result: Result<Computed, LedgerError>) {
        running = nil
        if case .success(let computed) = result { last = computed }
    }
}

extension Result where Failure == LedgerError {
    fileprivate init(_ body: () async throws(LedgerError) -> Success) async {
        do throws(LedgerError) { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
