import ExternalPurchaseCore
import ExternalPurchaseKit

/// The transport of the outbox, which `configure` replaces.
final class DeliveryRoute: TokenTransport {
    private let transport = Lock<(any TokenTransport)?>(nil)

    func set(_ transport: any TokenTransport) {
        self.transport.withLock { $0 = transport }
    }

    func send(_ token: PurchaseToken) async -> TokenDelivery {
        guard let transport = transport.withLock(\.self) else {
            return .retry(reason: "no delivery is configured", after: nil)
        }
        return await transport.send(token)
    }
}
