/// How a sheet method is treated that is called outside a marked customer action (SK-50).
public enum UserInteractionPolicy: String, Hashable, Sendable, CaseIterable {
    /// The session records `no-user-interaction`.
    case record
    /// The call fails condition C11.
    case require
    /// The session ignores it.
    case off
}

extension StoreKitSession {
    @TaskLocal static var isUserInteraction = false

    /// Marks the calls of an operation as the direct result of a customer's action, because a session cannot observe
    /// taps (SK-50).
    ///
    /// - Parameters:
    ///   - isolation: the actor that the operation stays on.
    ///   - operation: the action of the button.
    public static func withUserInteraction<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        try await $isUserInteraction.withValue(true, operation: operation, isolation: isolation)
    }
}
