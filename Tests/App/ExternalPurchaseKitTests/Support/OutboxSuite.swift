import ExternalPurchaseCore

@testable import ExternalPurchaseKit

/// What the tests of the outbox share: a disk, a server, a device's clocks, and processes over them.
protocol OutboxSuite {
    var files: MemoryFileSystem { get }
    var server: ShopServer { get }
    var clock: ManualClock { get }
    var events: Recorder<KitEvent> { get }
}

extension OutboxSuite {
    /// The outbox of a new process.
    func outbox(_ settings: TokenOutbox.Settings = .init()) -> TokenOutbox {
        TokenOutbox(files: files, transport: server, settings: settings, clock: clock.clock) { [events] in
            events.record($0)
        }
    }

    func token(_ number: Int, customer: String? = nil, size: Int = 20) -> PurchaseToken {
        let text = "token-\(number)-" + String(repeating: "x", count: size)
        return PurchaseToken(text: text, type: .services, storefront: "DEU", customerId: customer)
    }
}
