import ServiceLifecycle

/// Lets happen what falls due while nobody turns the clock: with the machine's clock, or one that runs at a rate.
struct EventQueueService: Service {
    let state: EmulatorState

    /// The longest time between two readings of the clock, which may be set while the emulator runs.
    private static let longestSleep: Int64 = 30_000

    func run() async throws {
        await state.begin()
        await cancelWhenGracefulShutdown {
            var alarm: Task<Void, Never>?
            for await _ in state.wakes.stream {
                if Task.isCancelled { break }
                await state.settleNow()
                alarm?.cancel()
                let rest = min(await state.nextWait ?? Self.longestSleep, Self.longestSleep)
                alarm = Task { [state] in
                    do {
                        try await Task.sleep(for: .milliseconds(rest))
                        state.wake()
                    } catch {
                        // Cancelled: an earlier wake took its place.
                    }
                }
            }
            alarm?.cancel()
        }
        // An open event stream keeps the server from stopping.
        state.events.finish()
    }
}
