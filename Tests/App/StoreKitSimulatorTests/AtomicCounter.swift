import Synchronization

final class AtomicCounter: Sendable {
    private let value = Atomic<UInt8>(0)

    func next() -> UInt8 { value.wrappingAdd(1, ordering: .relaxed).newValue }
}
