import AppConfiguration
import ExternalPurchaseCore
import ExternalPurchaseKit
import ExternalPurchaseKitBridge
import ExternalPurchaseKitTesting
import Foundation
import StoreKitSimulator
import Synchronization

/// A host behind a bridge: an app over the simulated StoreKit, with its disk and its server.
///
/// Ids and times are the same in each run, so that answers are compared as a whole.
@MainActor
final class BridgeFixture {
    let session: StoreKitSession
    let server = ShopServer()
    let clock = StandingClock()
    let folder: URL
    let bridge: ExternalPurchaseBridge
    let foreground: AsyncStream<Void>.Continuation
    let events: AsyncStream<Data>

    init(
        in storefront: String,
        _ presenter: any SheetPresenter = ScriptedPresenter(.continue),
        folder: URL = FileManager.default.temporaryDirectory.appending(path: "bridge-\(UUID().uuidString)")
    ) throws {
        self.folder = folder
        let configuration = try Self.configuration()
        session = StoreKitSession { inputs in
            inputs.configuration = configuration
            inputs.storefront = storefront
            inputs.presenter = presenter
            inputs.urlOpener = { _ in }
            let numbers = Counter()
            inputs.uuid = { numbers.nextUUID() }
            inputs.clock = { Timestamp(Date(timeIntervalSince1970: 1_790_000_000)) }
        }
        let (returns, foreground) = AsyncStream.makeStream(of: Void.self)
        self.foreground = foreground
        let server = server
        bridge = ExternalPurchaseBridge(
            store: SimulatedExternalPurchaseStore(session: session),
            folder: folder,
            clock: clock.clock,
            foreground: { returns }
        ) { address in
            guard address.url.scheme == "https" else { throw NotSecure() }
            return server
        }
        events = bridge.events
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Why this app's transport refuses a server.
    struct NotSecure: Error, CustomStringConvertible {
        let description = "The server is no https address."
    }

    /// Sends a request as it stands, as the direct result of a tap.
    func call(_ request: String) async -> JSONValue {
        let answer = await StoreKitSession.withUserInteraction { await bridge.call(Data(request.utf8)) }
        return (try? JSONReader().read(Array(answer))) ?? .null
    }

    /// Sends a request and returns the result.
    @discardableResult
    func result(_ method: String, _ parameters: String = "{}") async -> JSONValue {
        let answer = await call(#"{"version":1,"id":"0","method":"\#(method)","parameters":\#(parameters)}"#)
        return answer.objectValue?["result"] ?? answer
    }

    /// Configures with tokens that go to the server.
    func configure(_ more: String = "") async {
        await result("configure", #"{"delivery":\#(Self.delivery)\#(more)}"#)
    }

    nonisolated static let delivery =
        #"{"kind":"server","url":"https://reports.example.com","publishableKey":"epk_publishable_1"}"#

    /// The next event with this name and, for questions, of this kind.
    func next(_ name: String, kind: String? = nil) async -> JSONObject? {
        for await event in events {
            guard let object = try? JSONReader().read(Array(event)).objectValue,
                object["event"]?.stringValue == name, let data = object["data"]?.objectValue
            else { continue }
            if kind == nil || data["kind"]?.stringValue == kind { return object }
        }
        return nil
    }

    private static func configuration() throws -> AppConfiguration {
        let info = """
            <key>CFBundleIdentifier</key><string>com.example.gemshop</string>
            <key>SKExternalPurchase</key><array><string>kr</string></array>
            <key>SKExternalPurchaseCustomLinkRegions</key><array><string>de</string></array>
            <key>SKExternalPurchaseMultiLink</key>
            <dict><key>nl</key><array><string>https://shop.example.com/nl</string></array></dict>
            """
        let prefix = "com.apple.developer.storekit."
        let entitlements = """
            <key>\(prefix)external-purchase</key><true/>
            <key>\(prefix)external-purchase-link</key><true/>
            <key>\(prefix)custom-purchase-link.allowed-regions</key>
            <array><string>de</string><string>jp</string></array>
            """
        return try AppConfiguration.parse(
            infoPlist: Array("<plist version=\"1.0\"><dict>\(info)</dict></plist>".utf8),
            entitlements: Array("<plist version=\"1.0\"><dict>\(entitlements)</dict></plist>".utf8)
        )
    }
}

/// The developer's server.
final class ShopServer: TokenTransport {
    private struct State {
        var arrivals: [PurchaseToken] = []
        var answer = TokenDelivery.stored
    }

    private let state = Mutex(State())

    var arrivals: [PurchaseToken] { state.withLock { $0.arrivals } }

    func answer(_ answer: TokenDelivery) { state.withLock { $0.answer = answer } }

    func send(_ token: PurchaseToken) async -> TokenDelivery {
        state.withLock { state in
            if state.answer == .stored { state.arrivals.append(token) }
            return state.answer
        }
    }
}

/// A device whose clocks stand still until a test advances them.
final class StandingClock: Sendable {
    private let passed = Mutex(Duration.zero)

    func advance(_ duration: Duration) { passed.withLock { $0 += duration } }

    var clock: KitClock {
        KitClock(
            now: {
                Date(timeIntervalSince1970: 1_790_000_000)
                    + TimeInterval(self.passed.withLock(\.self).components.seconds)
            },
            uptime: { self.passed.withLock(\.self) },
            sleep: { _ in try await Task.sleep(for: .seconds(3_600)) },
            random: { 0 }
        )
    }
}

/// Numbers for the ids of tokens.
private final class Counter: Sendable {
    private let last = Mutex<UInt8>(0)

    func nextUUID() -> UUID {
        let number = last.withLock { last in
            last &+= 1
            return last
        }
        return UUID(uuid: (0x0b, 0x1e, 0x5a, 0x70, 0x3c, 0x1d, 0x4f, 0x2a, 0x9d, 0x6e, 0, 0, 0, 0, 0, number))
    }
}
