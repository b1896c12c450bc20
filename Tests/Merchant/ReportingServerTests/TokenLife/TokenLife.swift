import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Reporting
import ReportingServer
import Testing

/// The life of one customer: what app, website and back end do, and what Apple is sent because of it.
///
/// Devices, tokens and notifications are the emulator's; the back end's requests go to the merchant's server by HTTP.
actor TokenLife {
    /// A token and the name by which the page speaks of it.
    struct Token {
        let name: String
        let text: String
        let id: String
        let type: String?
        let creation: Timestamp
        let expiration: Timestamp?
    }

    /// A report that was sent.
    struct Sent {
        let moment: Timestamp
        let status: Int64
        let body: JSONValue

        var token: String { body.objectValue?["externalPurchaseId"]?.stringValue ?? "" }
        var items: [JSONObject] {
            body.objectValue?["lineItems"]?.arrayValue?.compactMap(\.objectValue) ?? []
        }
        /// The status of a report without line items, else what its line items are.
        var kinds: [String] {
            guard !items.isEmpty else { return [body.objectValue?["status"]?.stringValue ?? ""] }
            return items.map { item in
                let names = ["subscriptionEvent", "productType", "eventType"]
                return names.lazy.compactMap { item[$0]?.stringValue }.first ?? ""
            }
        }
    }

    /// One step of the life and everything that was sent because of it.
    struct Step {
        let name: String
        let title: String
        let moment: Timestamp
        let sent: [Sent]
    }

    let name: String
    private let environment: AppStoreEnvironment
    private let sides: EmulatedMerchant
    private var device: Int64 = 0
    private var emulatorNow = EmulatedMerchant.start
    private var sent: [Sent] = []
    private var seen = 0
    private(set) var tokens: [Token] = []
    private(set) var steps: [Step] = []

    /// Runs a life over both sides.
    ///
    /// - Parameters:
    ///   - name: the one by which the page's blocks begin.
    ///   - programmes: what the app takes part in.
    ///   - environment: the one of its tokens.
    static func run(
        _ name: String,
        programmes: [String],
        environment: AppStoreEnvironment = .production,
        _ live: @Sendable (TokenLife) async throws -> Void
    ) async throws -> (tokens: [Token], steps: [Step]) {
        nonisolated(unsafe) var result: (tokens: [Token], steps: [Step]) = ([], [])
        try await EmulatedMerchant.run(
            // Those of two tokens would arrive in any order.
            emulator: ["notify.createdFor=none"],
            programmes: programmes,
            environments: [environment],
            links: ["nl": LandingLink(url: "https://shop.example.com/nl", allowsPaths: false)],
            isLive: true
        ) { sides in
            let life = TokenLife(name, environment, sides)
            try await life.open()
            try await live(life)
            result = (await life.tokens, await life.steps)
        }
        return result
    }

    private init(_ name: String, _ environment: AppStoreEnvironment, _ sides: EmulatedMerchant) {
        self.name = name
        self.environment = environment
        self.sides = sides
    }

    private func open() async throws {
        _ = try await sides.emulator("POST", "/accounts", nil)
        let added = try await sides.emulator("POST", "/devices", #"{"account":1}"#)
        device = try #require(added.objectValue?["id"]?.int64Value)
    }

    // MARK: Steps

    /// Lets time pass until a moment, does something then, and notes what was sent.
    ///
    /// - Parameters:
    ///   - name: the step's name in the page's blocks.
    ///   - title: what happens, as the page's table says it.
    ///   - moment: when it happens, in RFC 3339.
    ///   - expected: kinds and token of each report, such as `REFUND S1`.
    func step(
        _ name: String,
        _ title: String,
        at moment: String,
        sends expected: [String],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ action: @Sendable (TokenLife) async throws -> Void = { _ in }
    ) async throws {
        let moment = try #require(Timestamp(rfc3339: moment), sourceLocation: sourceLocation)
        sent = []
        try await pass(until: moment)
        try await action(self)
        await sides.runUntilIdle()
        try await collect()
        let kinds = sent.map { report in
            let token = tokens.first { $0.id == report.token }?.name ?? report.token
            return "\(report.kinds.joined(separator: ", ")) \(token)\(report.status == 200 ? "" : " \(report.status)")"
        }
        #expect(kinds == expected, "\(self.name) \(name)", sourceLocation: sourceLocation)
        steps.append(Step(name: name, title: title, moment: sent.first?.moment ?? moment, sent: sent))
    }

    /// Lets both clocks run from one event to the next: what the merchant's sender waits for, and Apple's notifications.
    private func pass(until target: Timestamp) async throws {
        while sides.now < target {
            let wish = await sides.runUntilIdle()
            try await collect()
            let event = await sides.nextNotification()
            let next = min(target, max(min(wish ?? target, event ?? target), sides.now + .milliseconds(1)))
            sides.advance(by: sides.now.duration(to: next))
            let seconds = emulatorNow.duration(to: next).components.seconds
            if seconds > 0 {
                _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":\#(seconds)}"#)
                emulatorNow = emulatorNow + .seconds(seconds)
            }
        }
        await sides.runUntilIdle()
        try await collect()
    }

    private func collect() async throws {
        let puts = try await sides.requests().filter { $0.method == "PUT" }
        for put in puts.dropFirst(seen) {
            sent.append(Sent(moment: sides.now, status: put.status, body: try JSONReader().read(put.body)))
        }
        seen = puts.count
    }

    // MARK: The device

    /// The customer installs or updates the app, for which Apple creates custom link tokens.
    func event(_ event: String) async throws {
        let body = #"{"event":"\#(event)","environment":"\#(environment.rawValue)"}"#
        _ = try await sides.emulator("POST", "/devices/\(device)/events", body)
    }

    /// Whether Apple answers with the same token or with a refreshed one.
    func refreshes(_ isRefreshing: Bool) async throws {
        try await sides.change("refreshPolicy", to: isRefreshing ? "refreshed" : "identical")
    }

    /// The app calls `token(for:)`, or shows the sheet of a plain token.
    ///
    /// - Returns: nil when there is no token of that type.
    func token(_ type: String?, named name: String) async throws -> Token? {
        let type = type.map { "\"\($0)\"" } ?? "null"
        let body = #"{"tokenType":\#(type),"environment":"\#(environment.rawValue)"}"#
        let answer = try await sides.emulator("POST", "/devices/\(device)/calls", body)
        guard let object = answer.objectValue?["token"]?.objectValue else { return nil }
        let text = try #require(object["token"]?.stringValue)
        let decoded = try #require(object["decoded"]?.objectValue)
        let token = Token(
            name: name,
            text: text,
            id: try #require(decoded["externalPurchaseId"]?.stringValue),
            type: decoded["tokenType"]?.stringValue,
            creation: Timestamp(milliseconds: try #require(decoded["tokenCreationDate"]?.int64Value)),
            expiration: decoded["tokenExpirationDate"]?.int64Value.map(Timestamp.init(milliseconds:))
        )
        if let known = tokens.first(where: { $0.id == token.id }) { return known }
        tokens.append(token)
        return token
    }

    // MARK: The back end

    /// The app calls `token(for:)` and its back end hands the token in.
    ///
    /// - Returns: the token's name, which is an earlier one's for the same token; nil without a token.
    func handIn(
        _ type: String,
        named name: String,
        customer: String,
        storefront: String = "NLD"
    ) async throws -> String? {
        guard let token = try await token(type, named: name) else { return nil }
        let body = #"{"token":"\#(token.text)","customerId":"\#(customer)","storefront":"\#(storefront)"}"#
        let status = try await sides.post("/v1/tokens", body).status
        #expect(status == .created || status == .ok)
        return token.name
    }

    /// The customer continues to the website with a new plain token.
    ///
    /// - Returns: the checkout that the shop remembers.
    func visit(_ name: String) async throws -> String {
        let token = try #require(try await token(nil, named: name))
        let query = "externalPurchaseToken=\(token.text)&bundleId=\(EmulatedMerchant.bundleId)"
        let answer = try await sides.get("/out/nl?\(query)")
        #expect(answer.status == .seeOther)
        let location = try #require(answer.headers[.location])
        return String(try #require(location.firstMatch(of: #/checkout=([0-9a-f-]{36})/#)?.1))
    }

    func id(of name: String) -> String { tokens.first { $0.name == name }?.id ?? "" }

    /// The back end states a sale at the moment at which it happens.
    ///
    /// - Parameters:
    ///   - id: its `saleId`.
    ///   - type: its `type`.
    ///   - members: the other members, as JSON without braces.
    /// - Returns: the state that the server answers.
    @discardableResult
    func sale(_ id: String, _ type: String, _ members: String) async throws -> String {
        let body = """
            {"saleId":"\(id)","bundleId":"\(EmulatedMerchant.bundleId)","type":"\(type)",
            "occurredAt":"\(sides.now.description)",\(members)}
            """
        let answer = try await sides.post("/v1/sales", body)
        #expect(answer.status == .created, "\(id): \(String(buffer: answer.body))")
        return answer.json["state"] as? String ?? ""
    }

    /// The flags of a sale as it is now.
    func flags(of sale: String) async throws -> [String] {
        try await sides.get("/v1/sales/\(sale)").json["flags"] as? [String] ?? []
    }
}
