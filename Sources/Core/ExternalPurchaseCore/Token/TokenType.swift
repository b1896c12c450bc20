/// The type of an external purchase token.
///
/// Unknown types are preserved (TK-6).
public struct TokenType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The type as written, case-sensitive.
    public let rawValue: String

    /// Creates a type from any text.
    ///
    /// - Parameter rawValue: the type as written.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The type as written.
    public var description: String { rawValue }

    /// A customer's first period with custom links.
    public static let acquisition = Self(rawValue: "ACQUISITION")
    /// A customer's later periods with custom links.
    public static let services = Self(rawValue: "SERVICES")
    /// A purchase inside the app, in Japan and Brazil.
    public static let inApp = Self(rawValue: "IN_APP")
    /// A purchase on a website, in Japan and Brazil.
    public static let linkOut = Self(rawValue: "LINK_OUT")
    /// A purchase that an app outside the App Store offers; from MarketplaceKit's `TransactionReporting.token(for:)`.
    ///
    /// No StoreKit call yields one; the emulator issues them on request.
    public static let coreTechnology = Self(rawValue: "CORE_TECHNOLOGY")

    /// The five known types.
    public static let all: [TokenType] = [.acquisition, .services, .inApp, .linkOut, .coreTechnology]
}

/// The origin of a token, which its fields determine (TK-4).
public enum TokenFamily: String, Hashable, Sendable, CaseIterable {
    /// Neither type nor expiration; from `presentNoticeSheet()`, `open()` and `open(url:)`.
    case plain
    /// `ACQUISITION` or `SERVICES`; from `token(for:)` in the EU and for music streaming in the EEA.
    case customLink = "custom-link"
    /// `IN_APP` or `LINK_OUT`; from `token(for:)` in Japan and Brazil.
    case transaction
    /// `CORE_TECHNOLOGY`; from MarketplaceKit, in apps outside the App Store.
    case coreTechnology = "core-technology"
    /// A combination of fields that this release does not know.
    case other

    /// The spelling in the command line and in server responses.
    public var interfaceName: String {
        switch self {
        case .plain: "plain"
        case .customLink: "customLink"
        case .transaction: "perTransaction"
        case .coreTechnology, .other: "unknown"
        }
    }
}
