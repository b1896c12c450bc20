/// The id that Apple gives to an external purchase token.
///
/// Reports name the token by it.
public struct ExternalPurchaseId: Identifier {
    /// The text as received.
    public let rawValue: String

    /// Creates an identifier from any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates the id of a new token: a lower-case UUID, with the prefix `SANDBOX_` in the sandbox (TK-26).
    ///
    /// - Parameters:
    ///   - uuid: the random part.
    ///   - environment: determines the prefix.
    public init(uuid: UUID, environment: AppStoreEnvironment) {
        rawValue = (environment == .sandbox ? "SANDBOX_" : "") + uuid.uuidString.lowercased()
    }

    /// The environment, which the first seven characters determine (TK-3).
    public var environment: AppStoreEnvironment {
        rawValue.utf8.starts(with: "SANDBOX".utf8) ? .sandbox : .production
    }
}

/// One of Apple's two environments.
///
/// Tokens and reports of one are unknown in the other (SA-90).
public enum AppStoreEnvironment: String, Hashable, Sendable, CaseIterable, Codable {
    /// Test purchases without money.
    case sandbox
    /// Real purchases.
    case production
}
