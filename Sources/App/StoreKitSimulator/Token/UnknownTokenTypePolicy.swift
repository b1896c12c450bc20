/// What `token(for:)` does with a type that the storefront's programmes do not have (SK-60, D2).
public enum UnknownTokenTypePolicy: String, Hashable, Sendable, CaseIterable {
    /// Returns nil.
    case `nil`
    /// Throws `unsupported`.
    case `throw`
}
