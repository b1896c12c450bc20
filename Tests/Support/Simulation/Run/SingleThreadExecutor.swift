import Dispatch
import Foundation
import Synchronization

/// An executor that runs one job at a time in order of arrival, so that a scenario is deterministic.
final class SingleThreadExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrived.signal()
    }

    /// Runs an operation and its child tasks on a thread of its own, until it returns.
    ///
    /// The thread does not belong to the shared pool, because the operation also waits for tasks without this executor.
    /// A pool whose threads all wait would not run them.
    func run<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.drain(operation)) }
        }
    }

    private func drain<Value: Sendable>(_ operation: @escaping @Sendable () async -> Value) -> Value {
        let outcome = Outcome<Value>()
        Task(executorPreference: self) {
            let value = await operation()
            outcome.value.withLock { $0 = value }
        }
        while true {
            arrived.wait()
            let next = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            next?.runSynchronously(on: asUnownedTaskExecutor())
            if let value = outcome.value.withLock({ $0 }) { return value }
        }
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }
}
