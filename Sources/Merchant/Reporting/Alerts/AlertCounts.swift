import Synchronization

/// The number of alerts since the start of the process, by step.
final class AlertCounts: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    var byStep: [String: Int] { counts.withLock { $0 } }

    func add(_ steps: [String]) {
        counts.withLock { counts in
            for step in steps { counts[step, default: 0] += 1 }
        }
    }
}
