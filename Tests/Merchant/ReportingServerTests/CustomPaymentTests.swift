import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Payments
import Testing

@testable import Reporting
@testable import ReportingServer

/// Requests to `POST /v1/webhooks/custom`.
enum CustomDelivery {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    static func source(
        secrets: [String] = [secret],
        take: PaymentAccount.Take = .referenced,
        products: [String: String] = [:]
    ) -> CustomSource {
        let account = PaymentAccount(
            bundleId: ServerFixture.bundleId,
            products: products,
            taxCountry: "NLD",
            taxRates: ["NLD": 21],
            take: take
        )
        return CustomSource(entries: [WebhookEntry(account: account, secrets: secrets)])
    }

    /// A payment of one or several lines, in the emulator's environment.
    static func body(
        _ id: String = "o1",
        version: Int = 1,
        at moment: String = "2026-11-20T13:00:00Z",
        checkout: String?,
        lines: String = #"{"id":"a","productId":"gems.100","quantity":1,"inclusive":"9.99","tax":"1.73"}"#,
        refunds: String = "",
        disputes: String = "",
        more: String = ""
    ) -> String {
        let named = checkout.map { #""checkoutId":"\#($0)","# } ?? ""
        return #"{"bundleId":"com.example.shop","id":"\#(id)","version":\#(version),"occurredAt":"\#(moment)","#
            + #""currency":"EUR","environment":"sandbox",\#(named)\#(more)"lines":[\#(lines)],"#
            + #""refunds":[\#(refunds)],"disputes":[\#(disputes)]}"#
    }

    static func headers(
        _ body: String,
        secret: String = secret,
        id: String = "msg_1",
        at time: Timestamp = Timestamp(Date())
    ) -> HTTPFields {
        let seconds = time.milliseconds / 1_000
        let value = StandardWebhookSignature.value(of: Array(body.utf8), id: id, seconds: seconds, secret: secret)
        return fields(["webhook-id": id, "webhook-timestamp": "\(seconds)", "webhook-signature": value])
    }

    static func fields(_ values: [String: String]) -> HTTPFields {
        var headers: HTTPFields = [.contentType: "application/json"]
        for (name, value) in values {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return headers
    }

    /// The sales that count, each with its amount.
    static func sales(_ client: any TestClientProtocol) async throws -> String {
        let list = try await client.execute(uri: "/v1/sales", method: .get).json["sales"] as? [[String: Any]] ?? []
        let sales = list.compactMap { sale -> String? in
            guard sale["standing"] as? String != "void", let own = sale["sale"] as? [String: Any] else { return nil }
            let amount = (own["amount"] as? [String: Any])?["inclusive"] as? String ?? ""
            return "\(own["saleId"] ?? "") \(Decimal(string: amount) ?? -1)"
        }
        return sales.sorted().joined(separator: ", ")
    }

    @discardableResult
    static func post(
        _ body: String,
        _ headers: HTTPFields? = nil,
        to client: any TestClientProtocol
    ) async throws -> TestResponse {
        try await client.execute(
            uri: "/v1/webhooks/custom",
            method: .post,
            headers: headers ?? Self.headers(body),
            body: ByteBuffer(string: body)
        )
    }
}

@Suite("Payments that a shop tells in this server's own format")
struct CustomPaymentTests {
    private typealias Custom = CustomDelivery

    // MARK: Arrival

    @Test(
        "RR-101: a request without a genuine signature of the endpoint's secrets gets one clear answer and stores nothing"
    )
    func signatures() async throws {
        let (raw, body) = ("a raw secret of the shop", Custom.body(checkout: nil))
        let now = Timestamp(Date())
        let good = Custom.headers(body)
        func value(_ name: String) -> String { HTTPField.Name(name).flatMap { good[$0] } ?? "" }
        let (time, signature) = (value("webhook-timestamp"), value("webhook-signature"))
        let wrong = "v1," + Data(repeating: 7, count: 32).base64EncodedString()
        @Sendable func signed(_ signature: String?, id: String? = "msg_1", time stated: String? = time) -> HTTPFields {
            let values = ["webhook-id": id, "webhook-timestamp": stated, "webhook-signature": signature]
            return Custom.fields(values.compactMapValues(\.self))
        }
        let stripe = StripeSignature.value(of: Array(body.utf8), at: now, secret: Custom.secret)
        let cases: [(HTTPFields, String, status: Int, says: String)] = [
            (Custom.headers(body, secret: "whsec_AAAA"), body, 400, "none of a secret"),
            (Custom.headers(body, secret: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), body, 400, "none of a secret"),
            (Custom.headers(body, at: now - .seconds(400)), body, 400, "older than 300 seconds"),
            (Custom.headers(body, at: now + .seconds(400)), body, 400, "in the future"),
            (good, String(body.dropLast()), 400, "none of a secret"),
            (signed(signature, id: "msg_2"), body, 400, "none of a secret"),
            (signed(signature, id: nil), body, 400, "webhook-id is missing"),
            (signed(signature, time: nil), body, 400, "webhook-timestamp is missing"),
            (signed(signature, time: "soon"), body, 400, "UNIX seconds"),
            (signed(nil), body, 400, "webhook-signature is missing"),
            (signed("v1a,abc v2,def"), body, 400, "no signature v1"),
            (signed(Array(repeating: wrong, count: 21).joined(separator: " ")), body, 400, "more than 20"),
            (Custom.fields(["Stripe-Signature": stripe]), body, 400, "webhook-id is missing"),
            (Custom.headers("[]"), "[]", 400, "not a JSON object"),
            (Custom.headers("{"), "{", 400, "the body"),
        ]
        let server = try ServerFixture(payments: [Custom.source(secrets: [Custom.secret, raw], take: .all)])
        try await server.application.test(.router) { client in
            for (headers, body, status, says) in cases {
                let answer = try await Custom.post(body, headers, to: client)
                let text = String(buffer: answer.body)
                #expect(answer.status.code == status && text.contains(says), "\(says): \(answer.status) \(text)")
            }
            let events = try await client.execute(uri: "/v1/events", method: .get)
            #expect((events.json["events"] as? [Any])?.isEmpty == true)

            // The standard's rotation: one of several signatures, of whichever secret.
            let both = signed("v1a,abc \(wrong) \(signature)")
            #expect(try await Custom.post(body, both, to: client).status == .ok)
            let second = Custom.body("o2", checkout: nil)
            let rotated = Custom.headers(second, secret: raw)
            #expect(try await Custom.post(second, rotated, to: client).status == .ok)
            let known = try await Custom.post(second, rotated, to: client)
            #expect(known.status == .ok && known.json["isNew"] as? Bool == false)

            for path in ["paddle", "stripe"] {
                let other = try await client.execute(uri: "/v1/webhooks/\(path)", method: .post, headers: good)
                #expect(other.status == .notFound)
            }
        }
    }

    @Test(
        "RR-102: a body with a member that is unknown, repeated, null, mistyped or beyond its bounds is refused at its place",
        arguments: [
            (#""id":"o1""#, #""id":"o1","idd":1"#, "/idd"), (#""id":"o1""#, #""id":"o1","id":"o2""#, "/id"),
            (#""id":"o1""#, #""id":null"#, "/id"), (#""id":"o1""#, #""id":7"#, "/id"), (#""id":"o1","#, "", "/id"),
            (#""id":"o1""#, #""id":"\#(String(repeating: "o", count: 65))""#, "/id"),
            (#""id":"o1""#, #""id":"o\u0007""#, "/id"), (#""id":"o1""#, #""id":"customer:1""#, "/id"),
            (#""version":1"#, #""version":1.5"#, "/version"), (#""version":1"#, #""version":-1"#, "/version"),
            (#""version":1"#, #""version":"1""#, "/version"),
            ("2026-11-20T13:00:00Z", "yesterday", "/occurredAt"), ("EUR", "EURO", "/currency"),
            ("com.example.shop", "com.example.other", "/bundleId"), ("sandbox", "test", "/environment"),
            (#""currency""#, #""checkoutId":"","currency""#, "/checkoutId"),
            (#""currency""#, #""customerId":"\#(String(repeating: "c", count: 129))","currency""#, "/customerId"),
            (#""9.99""#, "9.99", "/lines/0/inclusive"), (#""9.99""#, #""9.999""#, "/lines/0/inclusive"),
            (#""9.99""#, #""-1""#, "/lines/0/inclusive"), (#""9.99""#, #""1000000000000""#, "/lines/0/inclusive"),
            (#""tax":"1.73""#, #""tax":"10.00""#, "/lines/0/tax"),
            (#""tax":"1.73""#, #""tax":"1.73","taxRate":"21""#, "/lines/0/taxRate"),
            (#""tax":"1.73""#, #""taxCountry":"HOLLAND""#, "/lines/0/taxCountry"),
            (#""tax":"1.73""#, #""subscriptionId":"s1""#, "/lines/0/period"),
            (
                #""tax":"1.73""#,
                #""subscriptionId":"s","period":{"start":"2026-11-21T00:00:00Z","end":"2026-11-20T00:00:00Z"}"#,
                "/lines/0/period/end"
            ), (#""quantity":1"#, #""quantity":0"#, "/lines/0/quantity"),
            (#""lines":[{"#, #""lines":[7,{"#, "/lines"),
            (#""refunds":[]"#, #""refunds":{}"#, "/refunds"),
            (#""refunds":[]"#, refunds("r", "9.00", "r", "0.50"), "/refunds/1/id"),
            (#""refunds":[]"#, refunds("a", "9.00"), "/refunds/0/id"),
            (#""refunds":[]"#, refunds("r", "9.00", "s", "1.00"), "/refunds"),
            (#""refunds":[]"#, refunds("r", "0"), "/refunds/0/inclusive"),
            (
                #""refunds":[]"#,
                #""refunds":[{"id":"r","occurredAt":"2026-11-20T14:00:00Z","inclusive":"1","line":"z"}]"#,
                "/refunds/0/line"
            ),
            (
                #""refunds":[]"#, #""refunds":[{"id":"r","occurredAt":"2026-11-20T12:00:00Z","inclusive":"1"}]"#,
                "/refunds/0/occurredAt"
            ),
            (
                #""disputes":[]"#,
                #""disputes":[{"id":"d","occurredAt":"2026-11-20T14:00:00Z","taken":"1.00","returned":"2.00"}]"#,
                "/disputes/0/returned"
            ),
        ] as [(String, String, String)]
    )
    func strictness(_ old: String, _ new: String, _ place: String) async throws {
        let body = Custom.body(checkout: nil).replacing(old, with: new, maxReplacements: 1)
        #expect(body != Custom.body(checkout: nil))
        let server = try ServerFixture(payments: [Custom.source(take: .all)])
        try await server.application.test(.router) { client in
            let answer = try await Custom.post(body, to: client)
            let paths = (answer.json["errors"] as? [[String: Any]])?.compactMap { $0["path"] as? String } ?? []
            #expect(answer.status == .unprocessableContent && paths.contains(place), "\(String(buffer: answer.body))")
            let events = try await client.execute(uri: "/v1/events", method: .get)
            #expect((events.json["events"] as? [Any])?.isEmpty == true)
        }
    }

    private static func refunds(_ values: String...) -> String {
        let parts = stride(from: 0, to: values.count, by: 2).map {
            #"{"id":"\#(values[$0])","occurredAt":"2026-11-20T14:00:00Z","inclusive":"\#(values[$0 + 1])"}"#
        }
        return #""refunds":[\#(parts.joined(separator: ","))]"#
    }

    // MARK: Versions

    @Test(
        "RR-103: the highest version counts, whatever the order; a version has one content, and nothing but what it says"
    )
    func versions() async throws {
        let refund = #"{"id":"r","occurredAt":"2026-11-20T14:00:00Z","inclusive":"3.00"}"#
        let two =
            #"{"id":"b","productId":"gems.500","quantity":2,"inclusive":"5.00","taxRate":"21"},"#
            + #"{"id":"a","productId":"gems.100","quantity":1,"inclusive":"9.99","tax":"1.73"}"#
        let states = [
            Custom.body(checkout: nil), Custom.body(version: 2, checkout: nil, refunds: refund),
            Custom.body(version: 3, checkout: nil, lines: two, refunds: refund),
        ]
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 2, 0, 1, 1], [0, 2]] {
            let server = try ServerFixture(payments: [Custom.source(take: .all)])
            try await server.application.test(.router) { client in
                for index in order { #expect(try await Custom.post(states[index], to: client).status == .ok) }
                let told = try await Custom.sales(client)
                #expect(told == "o1/a 9.99, o1/b 5, o1/r/a 2, o1/r/b 1")
                // Another order of the lines says the same; another amount does not.
                let same = Custom.body(
                    version: 3,
                    checkout: nil,
                    lines: two.split(separator: "},").reversed().map { $0.hasSuffix("}") ? $0 : $0 + "}" }.joined(
                        separator: ","
                    ),
                    refunds: refund
                )
                let repeated = try await Custom.post(same, to: client)
                #expect(repeated.status == .ok && repeated.json["isNew"] as? Bool == false, "\(repeated.json)")
                let changed = try await Custom.post(same.replacing("9.99", with: "9.98"), to: client)
                #expect(changed.status == .conflict, "\(changed.json)")
            }
        }
    }

    @Test(
        "OB-92: after the erasure of its customer a repeated state is known, and what is stored names the pseudonym, also of one that waits",
        arguments: [PaymentAccount.Take.all, .referenced]
    )
    func erasure(take: PaymentAccount.Take) async throws {
        let body = Custom.body(checkout: nil, more: #""customerId":"anna@example.com","#)
        let server = try ServerFixture(payments: [Custom.source(take: take)])
        try await server.application.test(.router) { client in
            #expect(try await Custom.post(body, to: client).status == .ok)
            let feed = try await client.execute(uri: "/v1/changes", method: .get)
            #expect(feed.status == .ok && !String(buffer: feed.body).contains("anna"))
            _ = try await server.merchant.store.write { ledger throws(LedgerError) in
                try ledger.eraseCustomer("anna@example.com", of: ServerFixture.bundleId)
            }
            let repeated = try await Custom.post(body, to: client)
            #expect(repeated.status == .ok && repeated.json["isNew"] as? Bool == false, "\(repeated.json)")
            let stored = try await client.execute(uri: "/v1/events/com.example.shop%2Fo1%2F1", method: .get)
            #expect(stored.status == .ok && !String(buffer: stored.body).contains("anna"))
        }
    }

    // MARK: Which payments are taken

    @Test(
        "RR-104: with take: referenced a payment waits for the token of its checkout, and one that names nothing is not used"
    )
    func references() async throws {
        let token = ServerFixture.token()
        let server = try ServerFixture(payments: [Custom.source()])
        try await server.application.test(.router) { client in
            func state(_ id: String) async throws -> String? {
                try await client.execute(uri: "/v1/events/com.example.shop%2F\(id)%2F1", method: .get).json["state"]
                    as? String
            }
            try await Custom.post(Custom.body("none", checkout: nil), to: client)
            try await Custom.post(Custom.body("named", checkout: "shop-7"), to: client)
            #expect(try await state("none") == "not-used")
            #expect(try await state("named") == "waiting")
            let arrival = #"{"token":"\#(token)","checkoutId":"shop-7"}"#
            let taken = try await client.execute(
                uri: "/v1/tokens",
                method: .post,
                headers: [.contentType: "application/json"],
                body: ByteBuffer(string: arrival)
            )
            #expect(taken.status.code < 300, "\(taken.json)")
            try await server.merchant.paymentWorker?.work()
            #expect(try await state("named") == "applied")
            #expect(try await state("none") == "not-used")
            let dismissed = try await client.execute(
                uri: "/v1/events/com.example.shop%2Fnamed%2F1/dismiss",
                method: .post,
                headers: [.contentType: "application/json"],
                body: ByteBuffer(string: #"{"reason":"a test","by":"otto"}"#)
            )
            #expect(dismissed.status == .conflict)
        }
    }

    @Test("RR-105: who has the secret of one app's entry says nothing of another app's payments of the same id")
    func twoAccounts() async throws {
        let other: BundleId = "com.example.arcade"
        let entries = [
            WebhookEntry(
                account: PaymentAccount(bundleId: ServerFixture.bundleId, take: .all),
                secrets: ["secret of the shop"]
            ),
            WebhookEntry(account: PaymentAccount(bundleId: other, take: .all), secrets: ["secret of the arcade"]),
        ]
        let server = try ServerFixture(others: [other], payments: [CustomSource(entries: entries)])
        try await server.application.test(.router) { client in
            let (mine, its) = (Custom.body(checkout: nil), Custom.body(checkout: nil).replacing("shop", with: "arcade"))
            let foreign = try await Custom.post(its, Custom.headers(its, secret: "secret of the shop"), to: client)
            #expect(foreign.status == .unprocessableContent)
            for (body, secret) in [(mine, "secret of the shop"), (its, "secret of the arcade")] {
                let answer = try await Custom.post(body, Custom.headers(body, secret: secret), to: client)
                #expect(answer.json["state"] as? String == "applied", "\(answer.json)")
            }
            let newer = Custom.body(
                version: 2,
                checkout: nil,
                refunds: #"{"id":"r","occurredAt":"2026-11-20T14:00:00Z","inclusive":"9.99"}"#
            )
            try await Custom.post(newer, Custom.headers(newer, secret: "secret of the shop"), to: client)
            let refunds = try await server.merchant.store.read { ledger throws(LedgerError) in
                try ledger.refunds(of: "o1/a", app: other).count
            }
            #expect(refunds == 0)
        }
    }

    @Test("RR-105: ids with the marks of a sale's id give every line and refund a sale of its own")
    func marksInIds() async throws {
        // Each pair would have one id if the parts were only joined.
        let payments: [(id: String, line: String, refund: String)] = [
            ("a", "b/c", "d"), ("a/b", "c", "d"), ("a", "c", "b"), ("a/b/c", "d", "e"), ("a%2Fb", "c", "d"),
            ("a~2", "c", "d"),
            ("p", "l~2", "r"), ("p/r", "l", "l~2"),
        ]
        let server = try ServerFixture(payments: [Custom.source(take: .all)])
        try await server.application.test(.router) { client in
            for (number, payment) in payments.enumerated() {
                let body = Custom.body(
                    payment.id,
                    version: number,
                    checkout: nil,
                    lines:
                        #"{"id":"\#(payment.line)","productId":"gems","quantity":1,"inclusive":"\#(number + 2).00"}"#,
                    refunds: #"{"id":"\#(payment.refund)","occurredAt":"2026-11-20T14:00:00Z","inclusive":"1.00"}"#
                )
                let answer = try await Custom.post(body, to: client)
                #expect(answer.json["state"] as? String == "applied", "\(answer.json)")
            }
            let told = try await Custom.sales(client).split(separator: ", ").map { $0.split(separator: " ") }
            // The two payments "a" are states of one.
            #expect(told.count == 14 && Set(told.map { $0[0] }).count == 14, "\(told)")
            let sum = told.compactMap { Int($0[1]) }.reduce(0, +)
            #expect(sum == 49, "\(told)")
        }
    }

    @Test("RR-103: another environment counts while nothing is told; what was told in one is a matter for a person")
    func environments() async throws {
        let refund = #"{"id":"r","occurredAt":"2026-11-20T14:00:00Z","inclusive":"1.00"}"#
        let (sandbox, again) = (Custom.body(checkout: nil), Custom.body(version: 3, checkout: nil, refunds: refund))
        let production = Custom.body(version: 2, checkout: nil).replacing("sandbox", with: "production")
        let waits = Custom.body(checkout: "unknown")
        let states: [([String], [String])] = [
            ([sandbox], ["applied"]), ([production], ["applied"]), ([waits, production], ["not-used", "applied"]),
            ([sandbox, production], ["not-used", "held"]),
            ([sandbox, production, again], ["not-used", "not-used", "applied"]),
        ]
        for (bodies, expected) in states {
            let isWaiting = bodies.contains(waits)
            let server = try ServerFixture(payments: [Custom.source(take: isWaiting ? .referenced : .all)])
            try await server.application.test(.router) { client in
                for body in bodies {
                    let named =
                        isWaiting
                        ? #""externalPurchaseId":"00000000-0000-4000-8000-00000000000d","currency""# : #""currency""#
                    let sent = body == production ? body.replacing(#""currency""#, with: named) : body
                    #expect(try await Custom.post(sent, to: client).status == .ok)
                }
                let events =
                    try await client.execute(uri: "/v1/events", method: .get).json["events"] as? [[String: Any]]
                #expect((events ?? []).compactMap { $0["state"] as? String } == expected, "\(events ?? [])")
                let items = try await client.execute(uri: "/v1/review?state=open", method: .get).json["review"]
                let details = (items as? [[String: Any]] ?? []).filter { $0["kind"] as? String == "payment-event" }
                    .compactMap { $0["detail"] as? String }
                #expect(details.isEmpty == !expected.contains("held"))
                #expect(
                    details.allSatisfy {
                        $0.contains("is of production now") && $0.contains("o1/a was told of sandbox")
                    }
                )
            }
        }
    }

    @Test("A moment ahead of the server's clock waits, and is told when it has come, without anybody's doing")
    func ahead() async throws {
        var settings = ReportingSettings()
        settings.paymentCorrections = .automatic
        for isRefund in [false, true] {
            try await EmulatedMerchant.run(settings: settings, payments: [Custom.source()]) { sides in
                let checkout = try await sides.receiveToken()
                let (now, later) = (sides.now + .seconds(60), sides.now + .hours(2))
                _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":60}"#)
                sides.advance(by: .seconds(60))
                let refund = #"{"id":"r","occurredAt":"\#(later)","inclusive":"3.00"}"#
                let body = Custom.body(
                    at: (isRefund ? now : later).description,
                    checkout: checkout,
                    refunds: refund
                )
                let answer = try await Custom.post(body, to: sides.client)
                #expect(answer.json["state"] as? String == "waiting", "\(answer.json)")
                _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":7200}"#)
                sides.advance(by: .hours(2))
                try await PaymentMonth.settle(sides, confirms: false)
                #expect(try await StripeCorrectionTests.accepted(sides) == ["EUR": 6_990])
            }
        }
    }
}
