/// Whether the client that a task works for is still there.
///
/// The closure is inside a value: the optimised program of Swift 6.3 has no metadata for a task local that is a closure, and ends
/// with SIGSEGV where one is set.
package struct ClientPresence: Sendable {
    /// The client of this task; nil for a task without one.
    @TaskLocal package static var current: ClientPresence?

    /// Returns true once the client has gone.
    package let hasLeft: @Sendable () -> Bool

    package init(hasLeft: @escaping @Sendable () -> Bool) {
        self.hasLeft = hasLeft
    }

    /// The time between two looks at the client; no answer is worth more of a core than this after its client has gone.
    private static let interval = Duration.milliseconds(100)

    /// Runs a closure in a child task, which is cancelled when the client has gone.
    ///
    /// - Throws: what the closure throws.
    static func cancelWhenClientLeaves<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let hasLeft = current?.hasLeft else { return try await body() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                while !hasLeft() { try await Task.sleep(for: interval) }
                return nil
            }
            while let value = try await group.next() {
                if let value { return value }
                group.cancelAll()
            }
            throw CancellationError()
        }
    }
}
