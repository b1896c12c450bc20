import ExternalPurchaseCore
import StoreKitSimulator
import Testing

/// The cases with a session that run now, to which a call outside any session may belong.
enum RunningCases {
    private struct State: Sendable {
        var cases: [Int: (name: String, expectsCalls: Bool)] = [:]
        var next = 0
        /// The cases that an issue has named.
        var named: Set<Int> = []
    }

    private static let state = Lock(State())

    /// Counts a case while an operation runs.
    ///
    /// - Parameters:
    ///   - name: the name of the test.
    ///   - expectsCalls: whether the test expects calls outside its session.
    ///   - operation: the case.
    static func withCase(_ name: String, expectsCalls: Bool, _ operation: () async throws -> Void) async rethrows {
        CallsOutsideSessions.observe { report() }
        let number = state.withLock { state in
            state.next += 1
            state.cases[state.next] = (name, expectsCalls)
            return state.next
        }
        defer {
            state.withLock { state in
                state.cases[number] = nil
                state.named.remove(number)
            }
        }
        try await operation()
    }

    /// Records an issue that names the running cases, once for each of them.
    ///
    /// The call's task has no test, so the issue belongs to the run.
    private static func report() {
        let names: [String] = state.withLock { state in
            let running = state.cases.filter { !state.named.contains($0.key) }
            guard !running.isEmpty, !state.cases.values.contains(where: \.expectsCalls) else { return [] }
            state.named.formUnion(running.keys)
            return running.sorted { $0.key < $1.key }.map(\.value.name)
        }
        guard !names.isEmpty else { return }
        Issue.record(
            """
            session-not-set-up: StoreKit was used outside any session while this ran: \(names.joined(separator: ", ")).
            Detached tasks and callbacks of Dispatch inherit no session: start the work with Task, or bind the session \
            there with StoreKitSession.withValue.
            """
        )
    }
}
