import Dispatch
import Synchronization

// A program with a race: one of the two accesses is outside the body of `withLock`. ThreadSanitizer has to report it.
final class Counter: @unchecked Sendable {
    let lock = Mutex(0)
    var value = 0
}

let counter = Counter()
DispatchQueue.concurrentPerform(iterations: 8) { number in
    for _ in 0..<200_000 {
        if number == 0 {
            counter.value += 1
        } else {
            counter.lock.withLock { _ in counter.value += 1 }
        }
    }
}
print(counter.value)
