#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The id that Apple gives an external purchase token and that reports name.
public struct ExternalPurchaseId: Identifier {
    /// The text as received.
    public let rawValue: String

    /// Takes any text.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// An id of a freshly made token: a lower-case UUID, in the sandbox behind `SANDBOX_` (TK-26).
    ///
    /// - Parameters:
    ///   - uuid: the random part.
    ///   - environment: decides about the prefix.
    public init(uuid: UUID, environment: AppStoreEnvironment) {
        rawValue = (environment == .sandbox ? "SANDBOX_" : "") + uuid.uuidString.lowercased()
    }

    /// The environment that the first seven characters tell (TK-3).
    public var environment: AppStoreEnvironment {
        rawValue.utf8.starts(with: "SANDBOX".utf8) ? .sandbox : .production
    }
}

/// One of Apple's two worlds, whose tokens and reports never meet (SA-90).
public enum AppStoreEnvironment: String, Hashable, Sendable, CaseIterable, Codable {
    /// Test purchases without money.
    case sandbox
    /// Real purchases.
    case production
}
