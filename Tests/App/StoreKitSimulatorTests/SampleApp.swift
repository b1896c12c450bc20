import AppConfiguration
import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Synchronization

/// The files of an app as XML, small enough to read in a test.
enum SampleApp {
    static let linkEntitlement = "com.apple.developer.storekit.external-purchase-link"

    static func configuration(
        single: [String: String] = [:],
        multi: [String: [String]] = [:],
        entitled: Bool = true,
        bundleId: String? = "com.acme.app"
    ) throws -> AppConfiguration {
        var info = "<key>MinimumOSVersion</key><string>17.5</string>"
        if let bundleId { info += "<key>CFBundleIdentifier</key><string>\(bundleId)</string>" }
        if !single.isEmpty {
            let entries = single.sorted { $0.key < $1.key }.map { "<key>\($0)</key><string>\($1)</string>" }
            info += "<key>SKExternalPurchaseLink</key><dict>\(entries.joined())</dict>"
        }
        if !multi.isEmpty {
            let entries = multi.sorted { $0.key < $1.key }.map { code, urls in
                "<key>\(code)</key><array>\(urls.map { "<string>\($0)</string>" }.joined())</array>"
            }
            info += "<key>SKExternalPurchaseMultiLink</key><dict>\(entries.joined())</dict>"
        }
        let entitlements = entitled ? "<key>\(linkEntitlement)</key><true/>" : ""
        return try AppConfiguration.parse(
            infoPlist: Array("<plist version=\"1.0\"><dict>\(info)</dict></plist>".utf8),
            entitlements: Array("<plist version=\"1.0\"><dict>\(entitlements)</dict></plist>".utf8)
        )
    }

    static let shop = "https://shop.acme.example/nl"
    static let offer = URL(string: "https://shop.acme.example/offer") ?? URL(filePath: "/")

    /// Both link keys for the Netherlands and Germany.
    static func both() throws -> AppConfiguration {
        let links = ["nl": shop, "de": "https://shop.acme.example/de"]
        return try configuration(single: links, multi: links.mapValues { [$0] })
    }
}

/// A browser that records the opened URLs.
actor Browser {
    private(set) var opened: [URL] = []

    func open(_ url: URL) { opened.append(url) }
}

/// An issuer that counts its calls.
actor CountingIssuer: TokenIssuer {
    private(set) var issued: [IssuedToken] = []

    func issue(_ request: TokenRequest) async throws -> IssuedToken {
        let token = try await InProcessTokenIssuer().issue(request)
        issued.append(token)
        return token
    }
}

/// Suspends tasks until it is opened.
actor Gate {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        if isOpen { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}

struct SampleFault: Error {}

extension StoreKitSession {
    /// A session in the Netherlands with both link keys and a customer who continues.
    static func dutch(
        _ presenter: any SheetPresenter = ScriptedPresenter(.continue),
        _ configure: (inout SessionInputs) -> Void = { _ in }
    ) throws -> (session: StoreKitSession, browser: Browser) {
        let browser = Browser()
        let configuration = try SampleApp.both()
        let session = StoreKitSession { inputs in
            inputs.configuration = configuration
            inputs.storefront = "NLD"
            inputs.presenter = presenter
            inputs.urlOpener = { await browser.open($0) }
            // Marked taps have their own tests.
            inputs.userInteraction = .off
            configure(&inputs)
        }
        return (session, browser)
    }

    var diagnosticIds: [String] { diagnostics.map(\.id) }
}

extension StoreKitError {
    var failure: ExternalPurchaseFailure? {
        guard case .systemError(let error) = self else { return nil }
        return error as? ExternalPurchaseFailure
    }
}

/// The `StoreKitError` that an operation throws; nil when it succeeds (SK-51: no other error is thrown).
func storeKitError(_ operation: () async throws -> Void) async throws -> StoreKitError? {
    do {
        try await operation()
        return nil
    } catch let error as StoreKitError {
        return error
    }
}

/// The configurations of the truth table as an app's files, each with the entitlement that it requires.
enum SampleFiles: String, CaseIterable {
    case P, L, M, C, S, A

    private var info: String {
        func list(_ key: String, _ codes: [String]) -> String {
            "<key>\(key)</key><array>\(codes.map { "<string>\($0)</string>" }.joined())</array>"
        }
        return switch self {
        case .P: list("SKExternalPurchase", ["de", "kr"])
        case .L:
            "<key>SKExternalPurchaseLink</key><dict><key>de</key><string>https://shop.acme.example/de</string></dict>"
        case .M:
            """
            <key>SKExternalPurchaseMultiLink</key>
            <dict><key>de</key><array><string>https://shop.acme.example/de</string></array></dict>
            """
        case .C: list("SKExternalPurchaseCustomLinkRegions", ["de"])
        case .S: list("SKExternalPurchaseLinkStreamingRegions", ["de", "is"])
        case .A: ""
        }
    }

    private var entitlement: (key: String, value: String) {
        let prefix = "com.apple.developer.storekit."
        return switch self {
        case .P: (prefix + "external-purchase", "<true/>")
        case .L, .M, .C: (prefix + "external-purchase-link", "<true/>")
        case .S: (prefix + "external-purchase-link-streaming", "<true/>")
        case .A:
            (
                prefix + "custom-purchase-link.allowed-regions",
                "<array><string>br</string><string>de</string><string>jp</string></array>"
            )
        }
    }

    static func configuration(
        _ samples: [SampleFiles],
        entitled: Bool = true,
        bundleId: String? = "com.acme.app"
    ) throws -> AppConfiguration {
        var info = samples.map(\.info).joined()
        if let bundleId { info += "<key>CFBundleIdentifier</key><string>\(bundleId)</string>" }
        var entitlements: [String: String] = [:]
        for sample in samples where entitled { entitlements[sample.entitlement.key] = sample.entitlement.value }
        let text = entitlements.sorted { $0.key < $1.key }.map { "<key>\($0)</key>\($1)" }.joined()
        return try AppConfiguration.parse(
            infoPlist: Array("<plist version=\"1.0\"><dict>\(info)</dict></plist>".utf8),
            entitlements: Array("<plist version=\"1.0\"><dict>\(text)</dict></plist>".utf8)
        )
    }
}

/// A clock that tests advance.
final class TurnableClock: Sendable {
    private let now = Mutex(Timestamp(milliseconds: 1_790_000_000_000))

    var time: Timestamp { now.withLock(\.self) }

    func turn(hours: Int64) {
        now.withLock { $0 = $0 + .hours(hours) }
    }
}

extension StoreKitSession {
    /// A session with one sample configuration and a customer who continues.
    ///
    /// Taps are ignored.
    static func sample(
        _ samples: [SampleFiles],
        in storefront: String?,
        os version: OSVersion = OSVersion(26, 5),
        _ presenter: any SheetPresenter = ScriptedPresenter(.continue),
        _ configure: (inout SessionInputs) -> Void = { _ in }
    ) throws -> StoreKitSession {
        let configuration = try SampleFiles.configuration(samples)
        return StoreKitSession { inputs in
            inputs.configuration = configuration
            inputs.storefront = storefront
            inputs.device.osVersion = version
            inputs.presenter = presenter
            inputs.userInteraction = .off
            configure(&inputs)
        }
    }
}
