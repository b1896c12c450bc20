import Eligibility
public import Foundation

/// Offers outside the app that the app opens itself, after a notice by StoreKit.
public enum ExternalPurchaseCustomLink: Sendable {
    /// Whether custom links can be used in the storefront (SK-22).
    ///
    /// Read it again whenever the storefront changes (SK-90).
    public static var isEligible: Bool {
        get async { StoreKitSession.current.read(.isEligible).isEligible }
    }

    /// A token under which the developer's server reports sales.
    public struct Token: Hashable, Sendable {
        /// The encoded token for the server (TK-1).
        public let value: String
    }

    /// The customer's answer.
    @nonexhaustive
    public enum NoticeResult: Hashable, Sendable {
        /// The customer declined.
        ///
        /// Offer nothing and open nothing.
        case cancelled
        /// The customer continued.
        ///
        /// The app opens its destination now.
        case continued
    }

    /// Where the customer buys.
    ///
    /// `ExternalPurchaseType` replaces it from OS 27.2.
    @nonexhaustive
    public enum NoticeType: Int, Hashable, Sendable {
        /// Inside the app.
        case withinApp
        /// In the browser.
        case browser
    }

    /// Returns the active token of a type; nil when none is active.
    ///
    /// It can be called at launch (SK-58).
    ///
    /// From OS 27.2 the overload for `TokenType` replaces it.
    ///
    /// - Parameter tokenType: `ACQUISITION`, `SERVICES`, `IN_APP` or `LINK_OUT`, depending on the storefront's
    ///   programme.
    /// - Throws: `StoreKitError` of the first condition that fails (SK-20).
    public static func token(for tokenType: String) async throws -> Token? {
        try await StoreKitSession.current.token(tokenType, for: .tokenOfString).map { Token(value: $0.text) }
    }

    /// Shows the disclosure and waits for the customer.
    ///
    /// It opens nothing (SK-63).
    ///
    /// From OS 27.2 `showNotice(for:)` replaces it.
    ///
    /// - Parameter type: where the customer buys.
    /// - Throws: `StoreKitError` of the first condition that fails (SK-20).
    public static func showNotice(type: NoticeType) async throws -> NoticeResult {
        try await StoreKitSession.current.showNotice(.showNoticeOfType(type))
    }

    /// The type of a token.
    ///
    /// Any text is accepted.
    public struct TokenType: RawRepresentable, Hashable, Sendable {
        /// The type as written, case-sensitive.
        public let rawValue: String

        /// Creates a type from any text, for example `ACQUISITION` (SK-5).
        ///
        /// - Parameter rawValue: the type as written.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A purchase inside the app.
        public static let withinApp = TokenType(rawValue: "IN_APP")
        /// A purchase on a website.
        public static let outOfApp = TokenType(rawValue: "LINK_OUT")
    }

    /// Where the customer buys.
    @nonexhaustive
    public enum ExternalPurchaseType: Hashable, Sendable {
        /// Outside the app.
        ///
        /// The destination may be nil only in the EU (SK-64).
        case outOfApp(destinationURL: URL?)
        /// Inside the app.
        case withinApp
    }

    /// Returns the active token of a type; nil when none is active.
    ///
    /// It can be called at launch (SK-58).
    ///
    /// - Parameter tokenType: one of the types of the storefront's programme.
    /// - Throws: `StoreKitError` of the first condition that fails (SK-20).
    public static func token(for tokenType: TokenType) async throws -> Token? {
        try await StoreKitSession.current.token(tokenType.rawValue, for: .tokenOfType).map { Token(value: $0.text) }
    }

    /// Shows the disclosure and waits for the customer.
    ///
    /// It opens nothing (SK-63).
    ///
    /// - Parameter externalPurchaseType: where the customer buys.
    /// - Throws: `StoreKitError` of the first condition that fails (SK-20), with `destinationURLMissing` for a missing
    ///   destination outside the EU (SK-64).
    public static func showNotice(for externalPurchaseType: ExternalPurchaseType) async throws -> NoticeResult {
        try await StoreKitSession.current.showNotice(.showNotice(externalPurchaseType))
    }
}
