/// What becomes of a sheet method that no marked customer action led to (SK-50).
public enum UserInteractionPolicy: String, Hashable, Sendable, CaseIterable {
    /// Records `no-user-interaction`.
    case record
    /// Fails condition C11.
    case require
    /// Looks away.
    case off
}

extension StoreKitSession {
    @TaskLocal static var isUserInteraction = false

    /// Marks what an operation calls as the direct result of a customer's action, since a session sees no taps (SK-50).
    ///
    /// - Parameters:
    ///   - isolation: the actor that the operation stays on.
    ///   - operation: what the button does.
    public static func withUserInteraction<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        try await $isUserInteraction.withValue(true, operation: operation, isolation: isolation)
    }
}
