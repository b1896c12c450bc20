public import ExternalPurchaseCore

/// The content of a token to issue.
///
/// It includes time and randomness, so an issuer needs neither.
public struct TokenRequest: Hashable, Sendable {
    /// The fields, which the lifecycle rules determine (spec/03 section 4).
    public var token: ExternalPurchaseToken
    /// The setting `mintedTokenPadding` (TK-25).
    public var padding: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - token: the fields.
    ///   - padding: the setting `mintedTokenPadding`.
    public init(token: ExternalPurchaseToken, padding: Bool = false) {
        self.token = token
        self.padding = padding
    }
}

/// An issued token, as the app or the website receives it.
public struct IssuedToken: Hashable, Sendable {
    /// The fields.
    public let token: ExternalPurchaseToken
    /// The encoded token (TK-25).
    public let text: String

    /// Creates an issued token.
    ///
    /// - Parameters:
    ///   - token: the fields.
    ///   - text: the encoded token.
    public init(token: ExternalPurchaseToken, text: String) {
        self.token = token
        self.text = text
    }
}

/// Issues tokens.
///
/// A session calls the issuer once per token. A token that a period returns again is not issued again.
public protocol TokenIssuer: Sendable {
    /// Issues a token.
    ///
    /// - Parameter request: the content of the token.
    /// - Throws: any error that prevents the token from being issued. The flow then fails and nothing is opened
    ///   (SK-54).
    func issue(_ request: TokenRequest) async throws -> IssuedToken
}

/// Issues tokens in process (TK-25, TK-26, TK-30).
public struct InProcessTokenIssuer: TokenIssuer {
    /// Creates an issuer.
    public init() {}

    /// Encodes the token.
    ///
    /// - Parameter request: the content of the token.
    public func issue(_ request: TokenRequest) async throws -> IssuedToken {
        IssuedToken(token: request.token, text: request.token.encoded(padding: request.padding))
    }
}

/// Registers each token, for example at an emulator, before the app receives it.
///
/// The emulator knows only tokens that it made or was told of, and refuses a report of any other with code 3 for
/// `externalPurchaseId`. The closure tells it with `POST /emulator/v1/tokens` and the body `{"token": issued.text}`.
public struct RegisteringTokenIssuer: TokenIssuer {
    private let base: any TokenIssuer
    private let register: @Sendable (IssuedToken) async throws -> Void

    /// Creates an issuer that wraps another one.
    ///
    /// - Parameters:
    ///   - base: issues the tokens.
    ///   - register: registers a token. When it throws, the token is not returned.
    public init(
        _ base: any TokenIssuer = InProcessTokenIssuer(),
        register: @escaping @Sendable (IssuedToken) async throws -> Void
    ) {
        self.base = base
        self.register = register
    }

    /// Issues and registers a token.
    ///
    /// - Parameter request: the content of the token.
    /// - Throws: the error of the wrapped issuer or of the registration.
    public func issue(_ request: TokenRequest) async throws -> IssuedToken {
        let issued = try await base.issue(request)
        try await register(issued)
        return issued
    }
}
