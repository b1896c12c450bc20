public import ExternalPurchaseCore
public import Foundation

/// What a token is to say; time and randomness included, so that an issuer needs none of its own.
public struct TokenRequest: Hashable, Sendable {
    /// App Store id of the app.
    public var appAppleId: Int64
    /// Bundle id of Info.plist.
    public var bundleId: BundleId
    /// Decides about the prefix of the id (TK-26).
    public var environment: AppStoreEnvironment
    /// The type asked for, nil for a plain token.
    public var tokenType: TokenType?
    /// The session's clock.
    public var now: Timestamp
    /// The random part of the id.
    public var uuid: UUID
    /// Setting `mintedTokenPadding` (TK-25).
    public var padding: Bool

    /// A request of fields.
    ///
    /// - Parameters:
    ///   - appAppleId: App Store id of the app.
    ///   - bundleId: bundle id of Info.plist.
    ///   - environment: decides about the prefix of the id.
    ///   - tokenType: the type asked for, nil for a plain token.
    ///   - now: the session's clock.
    ///   - uuid: the random part of the id.
    ///   - padding: setting `mintedTokenPadding`.
    public init(
        appAppleId: Int64,
        bundleId: BundleId,
        environment: AppStoreEnvironment,
        tokenType: TokenType? = nil,
        now: Timestamp,
        uuid: UUID,
        padding: Bool = false
    ) {
        self.appAppleId = appAppleId
        self.bundleId = bundleId
        self.environment = environment
        self.tokenType = tokenType
        self.now = now
        self.uuid = uuid
        self.padding = padding
    }
}

/// A token as it is handed to the app or to the website.
public struct IssuedToken: Hashable, Sendable {
    /// The fields.
    public let token: ExternalPurchaseToken
    /// The text that travels (TK-25).
    public let text: String

    /// A token with its text.
    ///
    /// - Parameters:
    ///   - token: the fields.
    ///   - text: the text that travels.
    public init(token: ExternalPurchaseToken, text: String) {
        self.token = token
        self.text = text
    }
}

/// Where tokens come from.
public protocol TokenIssuer: Sendable {
    /// Makes a token.
    ///
    /// - Parameter request: what the token is to say.
    /// - Throws: whatever keeps it from being made; the flow then fails and nothing opens (SK-54).
    func issue(_ request: TokenRequest) async throws -> IssuedToken
}

/// Makes tokens in process (TK-25, TK-26, TK-30).
public struct InProcessTokenIssuer: TokenIssuer {
    /// An issuer.
    public init() {}

    /// Makes a plain token.
    ///
    /// - Parameter request: what the token is to say.
    public func issue(_ request: TokenRequest) async throws -> IssuedToken {
        let token = ExternalPurchaseToken(
            appAppleId: request.appAppleId,
            bundleId: request.bundleId,
            tokenCreationDate: request.now,
            externalPurchaseId: ExternalPurchaseId(uuid: request.uuid, environment: request.environment),
            tokenType: request.tokenType
        )
        return IssuedToken(token: token, text: token.encoded(padding: request.padding))
    }
}

/// Makes each token known elsewhere before it is handed out, so that Apple's side knows it.
public struct RegisteringTokenIssuer: TokenIssuer {
    private let base: any TokenIssuer
    private let register: @Sendable (IssuedToken) async throws -> Void

    /// An issuer in front of another.
    ///
    /// - Parameters:
    ///   - base: makes the tokens.
    ///   - register: makes one known; when it throws, the token is not handed out.
    public init(
        _ base: any TokenIssuer = InProcessTokenIssuer(),
        register: @escaping @Sendable (IssuedToken) async throws -> Void
    ) {
        self.base = base
        self.register = register
    }

    /// Makes a token and makes it known.
    ///
    /// - Parameter request: what the token is to say.
    /// - Throws: what the other issuer or the registration throws.
    public func issue(_ request: TokenRequest) async throws -> IssuedToken {
        let issued = try await base.issue(request)
        try await register(issued)
        return issued
    }
}
