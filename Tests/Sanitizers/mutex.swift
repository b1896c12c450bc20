import Dispatch
import Synchronization

// A correct program: every access of the number is in the body of `withLock`. ThreadSanitizer of Swift 6.3 on Linux reports
// races in it nevertheless, because it does not see where the runtime's Mutex waits and wakes; synchronization.c tells it.
final class Counter: Sendable {
    let value = Mutex(0)
}

let counter = Counter()
DispatchQueue.concurrentPerform(iterations: 8) { _ in
    for _ in 0..<200_000 { counter.value.withLock { $0 += 1 } }
}
print(counter.value.withLock { $0 })
