import ServiceLifecycle

/// Processes due events while the clock runs, either with the machine's clock or at a rate.
struct EventQueueService: Service {
    let state: EmulatorState

    /// The longest time between two readings of the clock, because the clock may be set while the emulator runs.
    private static let longestSleep = Duration.seconds(30)

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
                        try await Task.sleep(for: rest)
                        state.wake()
                    } catch {
                        // The task was cancelled because an earlier wake-up replaced it.
                    }
                }
            }
            alarm?.cancel()
        }
        // An open event stream would prevent the server from stopping.
        state.events.finish()
    }
}
