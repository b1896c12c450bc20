import ExternalPurchaseCore
public import ExternalPurchaseKit
public import StoreKitSimulator

/// A transport that tells a session which tokens the server has stored.
///
/// `StoreKitSession.finish()` reports tokens that never reached the server. With this transport it knows of those that did:
///
/// ```swift
/// let outbox = TokenOutbox(folder: folder, transport: SessionTokenTransport(transport, session: session))
/// ```
public final class SessionTokenTransport: TokenTransport {
    private let base: any TokenTransport
    private let session: StoreKitSession
    private let delivered = Lock<Set<String>>([])

    /// Creates a transport that wraps another one.
    ///
    /// - Parameters:
    ///   - base: sends the tokens.
    ///   - session: learns of the tokens that were stored.
    public init(_ base: any TokenTransport, session: StoreKitSession) {
        self.base = base
        self.session = session
    }

    /// Sends a token by the wrapped transport, and tells the session once that it was stored.
    ///
    /// The outbox sends a token again for another customer and after days (EK-24, EK-25), which is no mistake of the app.
    ///
    /// - Parameter token: the token.
    public func send(_ token: PurchaseToken) async -> TokenDelivery {
        let delivery = await base.send(token)
        if delivery == .stored, delivered.withLock({ $0.insert(token.text).inserted }) {
            session.tell(.tokenDelivered(token.text))
        }
        return delivery
    }
}
