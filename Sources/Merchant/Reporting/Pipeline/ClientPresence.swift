/// Whether the client that a task works for is still there.
///
/// An object, because the optimiser of Swift 6.3 passes no type for a closure as a task-local value, and the program
/// ends with the first request.
package final class ClientPresence: Sendable {
    /// The client of the running task; nil for a task without one.
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
        guard let client = current else { return try await body() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                while !client.hasLeft() { try await Task.sleep(for: interval) }
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
