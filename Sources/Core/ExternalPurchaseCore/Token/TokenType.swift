/// The type of an external purchase token; unknown types are kept (TK-6).
public struct TokenType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The type as written, case-sensitive.
    public let rawValue: String

    /// Takes any text.
    ///
    /// - Parameter rawValue: the type as written.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The type as written.
    public var description: String { rawValue }

    /// A customer's first period of custom links.
    public static let acquisition = Self(rawValue: "ACQUISITION")
    /// A customer's later periods of custom links.
    public static let services = Self(rawValue: "SERVICES")
    /// A purchase inside the app, Japan and Brazil.
    public static let inApp = Self(rawValue: "IN_APP")
    /// A purchase on a website, Japan and Brazil.
    public static let linkOut = Self(rawValue: "LINK_OUT")
    /// Apps outside the App Store; decoded, never minted here.
    public static let coreTechnology = Self(rawValue: "CORE_TECHNOLOGY")

    /// The five known types.
    public static let all: [TokenType] = [.acquisition, .services, .inApp, .linkOut, .coreTechnology]
}

/// What a token's fields say about where it comes from (TK-4).
public enum TokenFamily: String, Hashable, Sendable, CaseIterable {
    /// Neither type nor expiration: `presentNoticeSheet()`, `open()`, `open(url:)`.
    case plain
    /// `ACQUISITION` or `SERVICES`: `token(for:)` in the EU and for EEA streaming.
    case customLink = "custom-link"
    /// `IN_APP` or `LINK_OUT`: `token(for:)` in Japan and Brazil.
    case transaction
    /// Apps outside the App Store.
    case coreTechnology = "core-technology"
    /// A format to come.
    case other

    /// The spelling of the command line and of the server.
    public var interfaceName: String {
        switch self {
        case .plain: "plain"
        case .customLink: "customLink"
        case .transaction: "perTransaction"
        case .coreTechnology, .other: "unknown"
        }
    }
}
