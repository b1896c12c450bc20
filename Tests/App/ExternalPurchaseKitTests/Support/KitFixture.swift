import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import ExternalPurchaseKitTesting
import Foundation
import StoreKitSimulator
import Synchronization

@testable import ExternalPurchaseKit

/// An app with the kit over the simulated StoreKit, its disk and its server.
///
/// `relaunch` makes a new process over the same disk, device and server.
@MainActor
final class KitFixture {
    let session: StoreKitSession
    let files: MemoryFileSystem
    let server: ShopServer
    let issuer: WitnessedIssuer
    let clock = ManualClock()
    let events = Recorder<KitEvent>()
    let opened = Recorder<URL>()
    let disclosures = Recorder<ExternalPurchaseDestination>()
    var settings = TokenOutbox.Settings()
    var gates: [PurchaseGate] = []
    var policy: PolicyClient?
    var hasDisclosure = true
    var disclosureAnswer = true
    var namesToken = false
    private(set) var outbox: TokenOutbox
    private(set) var model: ExternalPurchaseModel

    init(
        _ samples: [SampleFiles],
        in storefront: String?,
        os version: OSVersion = OSVersion(26, 5),
        _ presenter: any SheetPresenter = ScriptedPresenter(.continue),
        entitled: Bool = true,
        _ configure: (inout StoreKitSession.SessionInputs) -> Void = { _ in }
    ) throws {
        let issuer = WitnessedIssuer()
        let configuration = try SampleFiles.configuration(samples, entitled: entitled)
        session = StoreKitSession { inputs in
            inputs.configuration = configuration
            inputs.storefront = storefront
            inputs.device.osVersion = version
            inputs.presenter = presenter
            inputs.tokenIssuer = issuer
            configure(&inputs)
        }
        self.issuer = issuer
        files = MemoryFileSystem()
        server = ShopServer()
        outbox = TokenOutbox(files: files, transport: server)
        model = ExternalPurchaseModel(store: SimulatedExternalPurchaseStore(session: session), outbox: outbox)
        relaunch()
    }

    /// Starts the app anew.
    func relaunch(_ life: ProcessLife = ProcessLife()) {
        files.start(life)
        server.start(life)
        issuer.start(life)
        let log: KitEventHandler = { [events] in events.record($0) }
        outbox = TokenOutbox(
            files: files,
            transport: SessionTokenTransport(server, session: session),
            settings: settings,
            clock: clock.clock,
            log: log
        )
        var configuration = ExternalPurchaseModel.Configuration()
        configuration.gates = gates
        configuration.policy = policy
        if hasDisclosure {
            configuration.disclosure = { [disclosures, disclosureAnswer] destination in
                disclosures.record(destination)
                return disclosureAnswer
            }
        }
        if namesToken { configuration.destinationURL = { url, tokens in tokens.appendingId(to: url) } }
        configuration.openURL = { [session, opened] url in
            guard life.tick() else { return false }
            session.tell(.urlOpened(url))
            opened.record(url)
            return true
        }
        model = ExternalPurchaseModel(
            store: SimulatedExternalPurchaseStore(session: session),
            outbox: outbox,
            configuration: configuration,
            log: log
        )
    }

    /// A tap of the customer.
    func tap<Result>(_ action: () async -> Result) async -> Result {
        await StoreKitSession.withUserInteraction { await action() }
    }

    /// Sends until nothing waits or nothing helps.
    func drain() async {
        for _ in 0..<20 {
            guard let wait = await outbox.deliverDue() else { return }
            clock.advance(wait)
        }
    }

    // Only tests force.
    // swift-format-ignore: NeverForceUnwrap
    static let shop = URL(string: "https://shop.acme.example/offer")!
}

/// What happened, in its order.
final class Recorder<Element: Sendable>: Sendable {
    private let recorded = Mutex<[Element]>([])

    var all: [Element] { recorded.withLock(\.self) }

    func record(_ element: Element) { recorded.withLock { $0.append(element) } }
}
