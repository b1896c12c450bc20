public import ExternalPurchaseCore

/// What a token is to say; time and randomness included, so that an issuer needs none of its own.
public struct TokenRequest: Hashable, Sendable {
    /// The fields that the lifecycle rules gave it (spec/03 section 4).
    public var token: ExternalPurchaseToken
    /// Setting `mintedTokenPadding` (TK-25).
    public var padding: Bool

    /// A request of fields.
    ///
    /// - Parameters:
    ///   - token: the fields.
    ///   - padding: setting `mintedTokenPadding`.
    public init(token: ExternalPurchaseToken, padding: Bool = false) {
        self.token = token
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
///
/// A session asks once per token: what a period returns again is not issued again.
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

    /// Encodes the token.
    ///
    /// - Parameter request: what the token is to say.
    public func issue(_ request: TokenRequest) async throws -> IssuedToken {
        IssuedToken(token: request.token, text: request.token.encoded(padding: request.padding))
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
