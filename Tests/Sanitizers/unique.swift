import Dispatch

// A correct program: a thread writes into storage only while its reference is the only one, as every copy on write does.
// ThreadSanitizer of Swift 6.3 on Linux reports a race with the former reader, because it does not see that the runtime
// orders the release of a reference before the test for uniqueness.
final class Storage {
    var value: Int
    init(_ value: Int) { self.value = value }
}

struct Number: @unchecked Sendable {
    private var storage = Storage(0)

    var value: Int { storage.value }

    mutating func increment() {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
        storage.value += 1
    }
}

func read(_ number: Number) { DispatchQueue.global().async { precondition(number.value >= 0) } }

var number = Number()
for round in 0..<20_000 {
    if round % 10 == 0 { read(number) }
    number.increment()
}
print(number.value)
