import AppConfiguration
import AppStoreServerClient
import AsyncHTTPClient
import CommandSupport
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import ExternalPurchaseKit
import ExternalPurchaseKitTesting
import Foundation
import GemShop
import NIOHTTP1
import StoreKitSimulator
import Synchronization

/// The steps of one purchase; each step is a real request, and the first failure ends the demo.
struct DemoScenario {
    let demo: Demo
    let addresses: Demo.Addresses
    let browser: DemoBrowser
    let credentials: Credentials
    /// The secret with which the demo signs Stripe's events.
    let signingSecret: String
    var output: DemoOutput

    /// An error for a step that was not accepted.
    struct StepFailure: Error {
        let step: String
        let reason: String
    }

    init(
        demo: Demo,
        addresses: Demo.Addresses,
        browser: DemoBrowser,
        credentials: Credentials,
        signingSecret: String
    ) {
        self.signingSecret = signingSecret
        self.demo = demo
        self.addresses = addresses
        self.browser = browser
        self.credentials = credentials
        output = DemoOutput(style: demo.style, print: demo.print)
    }

    /// Runs every step.
    ///
    /// - Returns: true when all steps were accepted.
    mutating func play(http: HTTPClient) async -> Bool {
        output.title("One purchase outside the App Store, from an Info.plist to an accepted report")
        do {
            let session = try readConfiguration()
            let opened = try await buyInApp(session)
            let checkout = try await arrive(opened)
            let buy = try await buy(checkout)
            let refund = try await refund(checkout)
            try await retrieve(buy, refund, http: http)
            output.title("A correction of what Apple accepted")
            try await correct(order(checkout))
            output.title("A token without a sale, and a notification")
            try await remind()
            output.title("A subscription, told by Stripe's events")
            try await subscribe(session)
            output.note("")
            output.note(demo.style.bold("Every step was accepted, in \(output.elapsed)."))
            return true
        } catch let failure as StepFailure {
            output.failed(failure.step, reason: failure.reason)
        } catch {
            output.failed("the next step", reason: "\(error)")
        }
        output.note("")
        output.note(demo.style.bold("The story ended at the step marked failed."))
        return false
    }

    // MARK: The app

    private mutating func readConfiguration() throws -> StoreKitSession {
        let step = "GemShop's configuration is read"
        let configuration: AppConfiguration
        do {
            configuration = try AppConfiguration.parse(
                infoPlist: Array(demo.infoPlist.utf8),
                infoPlistPath: "GemShop/Info.plist",
                entitlements: Array(demo.entitlements.utf8),
                entitlementsPath: "GemShop/GemShop.entitlements"
            )
        } catch {
            throw StepFailure(step: step, reason: "\(error)")
        }
        let emulator = addresses.emulator
        let browser = browser
        let session = StoreKitSession { inputs in
            inputs.configuration = configuration
            inputs.storefront = demo.storefront.alpha3
            inputs.appAppleId = Demo.appAppleId
            inputs.environment = .sandbox
            inputs.tokenIssuer = RegisteringTokenIssuer { issued in
                let body: JSONObject = ["token": .string(issued.text)]
                let answer = try await browser.json(.POST, "\(emulator)/emulator/v1/tokens", .object(body))
                guard (200..<300).contains(answer.status) else {
                    throw StepFailure(step: "The token is registered", reason: answer.text)
                }
            }
        }
        let links = session.explain(.eligibleURLs).links
        let place = links.first.map { link in
            let line = link.evidence.position.map { ":\($0.line)" } ?? ""
            return "\(link.evidence.file)\(line)"
        }
        output.accepted(
            step,
            at: place ?? "GemShop/Info.plist",
            rule: "keys and entitlements (CF-1, CF-40)",
            details: session.diagnostics.map { "\($0.id): \($0.message)" }
        )
        return session
    }

    private mutating func buyInApp(_ session: StoreKitSession) async throws -> URL {
        let sheets = Mutex<[SheetRequest]>([])
        session.presenter = ScriptedPresenter(
            .decide { request in
                sheets.withLock { $0.append(request) }
                return .continue
            }
        )

        let evaluation = session.explain(.eligibleURLs)
        let ask = "StoreKit is asked for eligibleURLs in storefront \(demo.storefront)"
        guard evaluation.isEligible else { throw StepFailure(step: ask, reason: evaluation.description) }
        output.accepted(
            ask,
            at: evaluation.links.map(\.url).joined(separator: ", "),
            rule: "conditions C1 to C9 hold (SK-22), programme \(evaluation.programme?.id ?? "none")"
        )

        let tap = "The person taps Buy: open(url:) returns at once"
        let (link, opened) = try await tapBuy(session, step: tap)
        output.accepted(tap, at: link.absoluteString, rule: "returning says nothing about the choice (SK-56)")

        let sheet = "The sheet is shown and answered with Continue"
        switch session.outcomes.last {
        case .continued: break
        case .cancelled: throw StepFailure(step: sheet, reason: "the person cancelled")
        case .failed(let error):
            throw StepFailure(step: sheet, reason: error.failureReason ?? error.localizedDescription)
        case nil: throw StepFailure(step: sheet, reason: "no sheet was shown")
        }
        output.accepted(
            sheet,
            at: "simulated sheet",
            rule: "the purchase is made with the developer (SK-68)",
            details: sheets.withLock { $0.map(\.text) }
        )

        let open = "The browser opens the link with token and bundleId"
        guard let url = opened else { throw StepFailure(step: open, reason: "no URL was opened") }
        let query = url.absoluteString.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        guard let text = WebsiteURL.arrival(query: query).token else {
            throw StepFailure(step: open, reason: "the URL carries no token: \(url)")
        }
        let token = try ExternalPurchaseToken.decode(text, mode: .strict).token
        output.accepted(
            open,
            at: "\(link) ?externalPurchaseToken=…&bundleId=\(token.bundleId)",
            rule: "appended, nothing else changed (TK-60)",
            details: ["token \(token.externalPurchaseId), known to Apple's side at \(addresses.emulator)"]
        )
        return url
    }

    /// Taps the buy button of GemShop and answers the sheet.
    ///
    /// - Returns: the offered link, and the URL that the browser was given; nil if none was opened.
    func tapBuy(_ session: StoreKitSession, step: String) async throws -> (link: URL, opened: URL?) {
        let opened = Mutex<URL?>(nil)
        session.urlOpener = { url in opened.withLock { $0 = url } }
        // GemShop's links bring their tokens to the website, so that its outbox stays empty and touches no file.
        let outbox = TokenOutbox(
            folder: FileManager.default.temporaryDirectory.appending(path: "gemshop-outbox"),
            transport: ClosureTokenTransport { _ in .retry(reason: "the demo has no server for them", after: nil) }
        )
        let shop = await Shop(store: SimulatedExternalPurchaseStore(session: session), outbox: outbox)
        let offer = await shop.offer()
        let result = await StoreKitSession.withUserInteraction { await shop.buy() }
        await session.settle()
        guard case .website(let link) = offer, case .askingCustomer = result else {
            throw StepFailure(step: step, reason: "GemShop offered \(offer) and ended with \(result)")
        }
        return (link, opened.withLock { $0 })
    }

    // MARK: The website and the merchant's server

    struct Checkout {
        let id: String
        let externalPurchaseId: String
    }

    private mutating func arrive(_ url: URL) async throws -> Checkout {
        let land = "The landing address records the token and sends the person on"
        let (path, location) = try await visit(url, step: land)
        let text = url.absoluteString
        let visible = "GET \(addresses.server)\(path) → 303 \(Self.shortened(location))"
        output.accepted(
            land,
            at: visible,
            rule: "stored before the answer, parameters gone from the address (TK-66)",
            details: ["\(url.host() ?? "the shop's host") stands for this server, as behind a proxy"]
        )

        let shop = "GemShop's website shows its checkout"
        let page = try await browser.get(location)
        guard page.status == 200, let checkout = location.split(separator: "checkout=").last else {
            throw StepFailure(step: shop, reason: "GET \(location) answered \(page.status)")
        }
        output.accepted(
            shop,
            at: "GET \(Self.shortened(location)) → 200",
            rule: "a token unlocks nothing by itself (TK-73)"
        )

        let ledger = "The token is in the ledger, unconfirmed"
        let query = text.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        let token = try ExternalPurchaseToken.decode(WebsiteURL.arrival(query: query).token ?? "").token
        let stored = try await browser.get("\(addresses.server)/v1/tokens/\(token.externalPurchaseId)")
        guard stored.status == 200, stored.json?["state"]?.stringValue == "unconfirmed" else {
            throw StepFailure(step: ledger, reason: "answered \(stored.status): \(stored.text)")
        }
        output.accepted(
            ledger,
            at: "GET \(addresses.server)/v1/tokens/\(Self.shortened(token.externalPurchaseId.rawValue))",
            rule: "only Apple can confirm it (TK-72)"
        )
        return Checkout(id: String(checkout), externalPurchaseId: token.externalPurchaseId.rawValue)
    }

    /// Opens the landing address, as a proxy in front of the merchant's server does: replaces the public https host by the
    /// server's address.
    ///
    /// - Returns: the path of the landing address, and where it leads to.
    func visit(_ url: URL, step: String) async throws -> (path: String, location: String) {
        let path = url.absoluteString.dropFirst("https://".count).drop { $0 != "/" }
        let landing = try await browser.get(addresses.server + path)
        guard landing.status == 303, let location = landing.location else {
            throw StepFailure(step: step, reason: "answered \(landing.status): \(landing.text)")
        }
        return (String(path.prefix { $0 != "?" }), location)
    }

    /// A text that ends with a UUID, without most of it.
    static func shortened(_ text: String) -> String {
        guard text.utf8.count > 36, UUID(uuidString: String(text.suffix(36))) != nil else { return text }
        return "\(text.dropLast(28))…"
    }

    private func order(_ checkout: Checkout) -> String { "order-\(checkout.id.prefix(8))" }

    private mutating func buy(_ checkout: Checkout) async throws -> String {
        let country = demo.storefront.region ?? "nl"
        let step = "The person pays €9.99, of it \(GemShopWebsite.taxRates[country] ?? "21") % VAT"
        let answer = try await browser.form(
            addresses.website + "/buy",
            [("order", order(checkout)), ("checkout", checkout.id), ("country", country)]
        )
        guard answer.status == 201, let sale = answer.json, sale["state"]?.stringValue == "planned",
            let lineItem = sale["lineItemId"]?.stringValue
        else { throw StepFailure(step: step, reason: "POST /v1/sales answered \(answer.status): \(answer.text)") }
        output.accepted(
            step,
            at: "POST \(addresses.website)/buy → POST \(addresses.server)/v1/sales → 201",
            rule: "the checkout's token takes the sale (RR-63)"
        )
        return try await acceptedReport(of: lineItem, "Apple's side accepts the report of the purchase")
    }

    private mutating func refund(_ checkout: Checkout) async throws -> String {
        let step = "€3.00 are given back"
        let answer = try await browser.form(
            addresses.website + "/refund",
            [("order", order(checkout)), ("amount", "3.00")]
        )
        guard answer.status == 201, let sale = answer.json, sale["state"]?.stringValue == "planned",
            let lineItem = sale["lineItemId"]?.stringValue
        else { throw StepFailure(step: step, reason: "POST /v1/sales answered \(answer.status): \(answer.text)") }
        output.accepted(
            step,
            at: "POST \(addresses.website)/refund → POST \(addresses.server)/v1/sales → 201",
            rule: "on the token of the buy, its share of the tax (RR-65, RR-46)"
        )
        return try await acceptedReport(of: lineItem, "Apple's side accepts the report of the refund")
    }

    /// Waits until the first report with a line item has a response.
    @discardableResult
    mutating func acceptedReport(of lineItem: String, _ step: String) async throws -> String {
        try await acceptedReport(of: lineItem, step) { _ in true }
    }

    /// Waits until the report with a line item that meets a condition has a response.
    ///
    /// - Returns: the request identifier.
    mutating func acceptedReport(
        of lineItem: String,
        _ step: String,
        where isMeant: (_ report: JSONObject) -> Bool
    ) async throws -> String {
        let url = addresses.server + "/v1/reports?limit=1000"
        var seen = "no report with \(lineItem) was written"
        for _ in 0..<3_000 {
            let answer = try await browser.get(url)
            for report in (answer.json?["reports"]?.arrayValue ?? []).compactMap(\.objectValue) where isMeant(report) {
                let items = (report["report"]?.objectValue?["lineItems"]?.arrayValue ?? []).compactMap(\.objectValue)
                guard let item = items.first(where: { $0["lineItemId"]?.stringValue == lineItem }),
                    let id = report["requestIdentifier"]?.stringValue
                else { continue }
                let state = report["state"]?.stringValue ?? "?"
                switch state {
                case "accepted":
                    output.accepted(
                        step,
                        at: "PUT \(addresses.emulator)/externalPurchase/v1/reports → 200",
                        rule: "all rules of the endpoint passed (RR-1, SA-60)",
                        details: Self.figures(item)
                    )
                    return id
                case "needsAttention", "withdrawn":
                    let errors = report["errors"]?.arrayValue ?? []
                    let lines = errors.map { String(decoding: $0.encoded(), as: UTF8.self) }
                    let answer = report["answer"].map { String(decoding: $0.encoded(), as: UTF8.self) } ?? ""
                    throw StepFailure(step: step, reason: (["refused: \(answer)"] + lines).joined(separator: "\n"))
                default:
                    seen = "report \(id) is \(state): \(report["answer"]?.encodedText ?? "")"
                }
                break
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw StepFailure(step: step, reason: "not accepted within a minute: \(seen)")
    }

    private mutating func retrieve(_ buy: String, _ refund: String, http: HTTPClient) async throws {
        let step = "Apple's side shows both reports on request"
        let client = try MerchantApp.client(
            bundleId: Demo.bundleId,
            privateKey: credentials.privateKey,
            keyId: credentials.keyId,
            issuerId: credentials.issuerId,
            baseURL: [.sandbox: addresses.emulator],
            http: http
        )
        var nets: [String] = []
        for id in [buy, refund] {
            guard let identifier = RequestIdentifier(id) else { continue }
            let answer = await client.retrieve(identifier, environment: .sandbox)
            guard case .found(let report) = answer.outcome else {
                throw StepFailure(step: step, reason: "GET of \(id) answered \(answer.outcome)")
            }
            let net = report.lineItems?.first?.netAmountTaxExclusive.map { MilliUnits($0).unitsText } ?? "?"
            nets.append("\(id): net EUR \(net)")
        }
        output.accepted(
            step,
            at: "GET \(addresses.emulator)/externalPurchase/v1/reports/{id} → 200",
            rule: "signed with the app's key (SA-10, SA-23)",
            details: nets
        )
    }

    // MARK: The notification

    /// Runs the notification steps: a customer buys nothing, and Apple requests the missing report.
    private mutating func remind() async throws {
        let look = "Another person comes, looks and buys nothing"
        let order: JSONObject = ["bundleId": .string(Demo.bundleId.rawValue)]
        let minted = try await browser.json(.POST, "\(addresses.emulator)/emulator/v1/tokens", .object(order))
        guard let text = minted.json?["token"]?.stringValue,
            let id = minted.json?["decoded"]?.objectValue?["externalPurchaseId"]?.stringValue
        else { throw StepFailure(step: look, reason: "answered \(minted.status): \(minted.text)") }
        let arrival: JSONObject = ["token": .string(text)]
        let taken = try await browser.json(.POST, "\(addresses.server)/v1/tokens", .object(arrival))
        guard taken.status == 201 else { throw StepFailure(step: look, reason: "\(taken.status): \(taken.text)") }
        output.accepted(
            look,
            at: "POST \(addresses.server)/v1/tokens → 201",
            rule: "every token is reported, with a sale or without (RR-67)",
            details: ["due in 10 days (RR-70); nobody waits that long here"]
        )

        let notify = "Apple's side sends the notification UNREPORTED, signed; the server proves it genuine"
        let notice: JSONObject = [
            "externalPurchaseId": .string(id), "subtype": "UNREPORTED",
        ]
        let sent = try await browser.json(.POST, "\(addresses.emulator)/emulator/v1/notifications", .object(notice))
        let known = try await browser.get("\(addresses.server)/v1/notifications")
        let notification = known.json?["notifications"]?.arrayValue?.compactMap(\.objectValue).last
        guard sent.status == 201, notification?["externalPurchaseId"]?.stringValue == id else {
            throw StepFailure(step: notify, reason: "\(sent.status): \(sent.text)\n\(known.text)")
        }
        output.accepted(
            notify,
            at: "POST \(addresses.server)/v1/notifications → 200",
            rule: "chain to the configured root, markers, signature (NT-20 to NT-36); stored before the answer (NT-60)"
        )

        let answer = "The server answers it: NO_LINE_ITEM, accepted"
        var status: String?
        for _ in 0..<3_000 {
            let list = try await browser.get(
                "\(addresses.emulator)/emulator/v1/tokens?bundleId=\(Demo.bundleId)"
            )
            let tokens = (try? JSONReader().read(list.text))?.arrayValue?.compactMap(\.objectValue) ?? []
            let token = tokens.first { $0["decoded"]?.objectValue?["externalPurchaseId"]?.stringValue == id }
            status = token?["reportStatus"]?.stringValue
            if status == "NO_LINE_ITEM" { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        guard status == "NO_LINE_ITEM" else {
            throw StepFailure(step: answer, reason: "not reported within a minute: \(status ?? "nothing was reported")")
        }
        output.accepted(
            answer,
            at: "PUT \(addresses.emulator)/externalPurchase/v1/reports → 200",
            rule: "the report that the token calls for is sent at once (NT-64)"
        )
    }

    private static func figures(_ item: JSONObject?) -> [String] {
        guard let item, let currency = item["reportingCurrency"]?.stringValue else { return [] }
        func units(_ key: String) -> String {
            item[key]?.int64Value.map { MilliUnits($0).unitsText } ?? "?"
        }
        var title = "\(item["eventType"]?.stringValue ?? "?") \(item["lineItemId"]?.stringValue ?? "?")"
        if let event = item["subscriptionEvent"]?.stringValue {
            title += ", \(event), \(item["subscriptionDaysOfPaidService"]?.int64Value ?? 0) paid days before it"
        }
        if item["restatement"]?.boolValue == true { title += ", restated" }
        return [
            title,
            "\(currency) \(units("amountTaxExclusive")) + tax \(units("taxAmount")) = "
                + "\(units("amountTaxInclusive")); net left \(units("netAmountTaxExclusive"))",
        ]
    }

    /// Prints addresses to explore while the demo keeps running.
    ///
    /// - Parameter signInLink: path and query of the link that signs in to the dashboard once.
    func printAddresses(signInLink: String) {
        let style = demo.style
        output.note("")
        output.note(style.bold("Still running; look around, end with Ctrl-C:"))
        output.note("  dashboard      this link signs you in, once and within 15 minutes:")
        output.note("\(addresses.server)\(signInLink)")
        output.note("  device page    \(addresses.emulator)/")
        output.note("  Apple's side   \(addresses.emulator)/emulator/v1/requests")
        output.note("                 \(addresses.emulator)/emulator/v1/tokens?bundleId=\(Demo.bundleId)")
        output.note("  your server    \(addresses.server)/v1/tokens")
        output.note("                 \(addresses.server)/v1/sales")
        output.note("                 \(addresses.server)/v1/reports")
        output.note("                 \(addresses.server)/v1/events")
        let page = "\(addresses.website)/\(demo.storefront.region ?? "nl")"
        output.note("  GemShop        \(page)")
        output.note("  both clocks    \(addresses.emulator)/emulator/v1/clock")
        output.note("                 turned by hand: POST /emulator/v1/clock/advance")
        if demo.opensBrowser { PersonsBrowser.open(page) }
    }
}

extension JSONValue {
    fileprivate var encodedText: String { String(decoding: encoded(), as: UTF8.self) }
}
