import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import NIOCore
import Reporting
import TestSupport
import Testing

@Suite("A publishable key claims checkouts and customers in advance (TK-78)")
struct CheckoutClaimTests {
    /// What happens around one basket.
    enum Event: String, Sendable, CaseIterable {
        /// A token that Apple does not know, with a publishable key.
        case forged
        /// A forged token that is older, begins at the same moment, or is of the other type of custom links.
        case forgedOlder, forgedSame, forgedAcquisition
        /// A token that Apple does not know for the basket, with a publishable key.
        case forgedBasket
        /// A token that Apple gave to somebody else, with a publishable key.
        case foreign
        /// The customer's token, with a publishable key.
        case real
        /// The customer's token, with the key of the back end.
        case authenticated
        /// The customer's visit of the landing address.
        case visit
        case sale
        /// Ten days, in which Apple is asked about every token.
        case days
    }

    /// One basket at the server, with keys for its public and its own callers.
    private struct Basket {
        let sides: EmulatedMerchant
        let admin: String
        let publishable: String
        let real: String
        let foreign: String
        /// A body of the token's arrival beside the token.
        let claim: [String: String]
        var link: [String: String]
        var forgedOfBasket = ""

        init(_ sides: EmulatedMerchant, customer: String? = nil) async throws {
            self.sides = sides
            admin = try await Self.key(.admin, sides)
            publishable = try await Self.key(.publishable, sides)
            real = try await Self.mint(sides, customer == nil ? "" : Self.services(hoursAgo: 24))
            foreign = try await Self.mint(sides, customer == nil ? "" : Self.services(hoursAgo: 12))
            claim = customer.map { ["customerId": $0] } ?? ["checkoutId": "basket-1"]
            link = claim
        }

        private static func key(_ scope: KeyScope, _ sides: EmulatedMerchant) async throws -> String {
            var generator = SplitMix64(seed: .random(in: .min ... .max))
            let command = try KeyCommand(scope: scope, app: nil, name: nil, expires: nil, now: sides.now)
            let key = command.newKey(by: "kim", at: sides.now, using: &generator)
            return try await sides.merchant.access.insert(key).key.text
        }

        private static func services(hoursAgo hours: Int64) -> String {
            let created = EmulatedMerchant.start - .hours(hours)
            let ends = created + .days(365)
            let dates = #""creationDate":\#(created.milliseconds),"expirationDate":\#(ends.milliseconds)"#
            return #","tokenType":"SERVICES",\#(dates)"#
        }

        private static func mint(_ sides: EmulatedMerchant, _ more: String) async throws -> String {
            let body = #"{"bundleId":"\#(EmulatedMerchant.bundleId)"\#(more)}"#
            let minted = try await sides.emulator("POST", "/tokens", body)
            return try #require(minted.objectValue?["token"]?.stringValue)
        }

        static func id(_ token: String) throws -> String {
            try ExternalPurchaseToken.decode(token).token.externalPurchaseId.rawValue
        }

        /// The real token's fields with an id that Apple never gave.
        func forged(_ event: Event) throws -> String {
            let token = try ExternalPurchaseToken.decode(real).token
            let (later, number): (Duration, String) =
                switch event {
                case .forgedOlder: (.days(-30), "1")
                case .forgedSame: (.zero, "2")
                case .forgedAcquisition: (.milliseconds(1), "3")
                default: (.milliseconds(1), "0")
                }
            return ExternalPurchaseToken(
                appAppleId: token.appAppleId,
                bundleId: token.bundleId,
                tokenCreationDate: token.tokenCreationDate + later,
                externalPurchaseId: ExternalPurchaseId("SANDBOX_00000000-0000-4000-8000-00000000f00\(number)"),
                tokenType: event == .forgedAcquisition ? .acquisition : token.tokenType,
                tokenExpirationDate: token.tokenExpirationDate
            ).encoded()
        }

        @discardableResult
        func send(
            _ method: HTTPRequest.Method,
            _ path: String,
            _ body: [String: Any]? = nil,
            key: String
        ) async throws -> TestResponse {
            var headers: HTTPFields = [.authorization: "Bearer \(key)"]
            if body != nil { headers[.contentType] = "application/json" }
            let bytes = try body.map { try JSONSerialization.data(withJSONObject: $0) }
            return try await sides.client.execute(
                uri: path,
                method: method,
                headers: headers,
                body: bytes.map { ByteBuffer(bytes: $0) }
            )
        }

        func post(token: String, key: String) async throws {
            let body = claim.merging(["token": token]) { $1 }
            let answer = try await send(.post, "/v1/tokens", body, key: key)
            #expect(answer.status.code / 100 == 2, "\(answer.json)")
        }

        func perform(_ event: Event) async throws {
            switch event {
            case .forged, .forgedOlder, .forgedSame, .forgedAcquisition:
                try await post(token: forged(event), key: publishable)
            case .forgedBasket:
                let body = ["token": forgedOfBasket, "checkoutId": "basket-1"]
                try await send(.post, "/v1/tokens", body, key: publishable)
            case .foreign: try await post(token: foreign, key: publishable)
            case .real: try await post(token: real, key: publishable)
            case .authenticated: try await post(token: real, key: admin)
            case .visit:
                let text = real.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? real
                let query = "externalPurchaseToken=\(text)&bundleId=\(EmulatedMerchant.bundleId)"
                _ = await sides.merchant.visits.receive(query: query, link: "nl")
            case .sale:
                let sale: [String: Any] = [
                    "saleId": "s-1", "bundleId": EmulatedMerchant.bundleId, "type": "purchase",
                    "occurredAt": "2026-11-20T12:00:00Z", "productId": "gems.100", "quantity": 1,
                    "amount": ["currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"],
                ]
                let answer = try await send(.post, "/v1/sales", sale.merging(link) { $1 }, key: admin)
                #expect(answer.status == .created, "\(answer.json)")
            case .days: sides.advance(by: .days(10))
            }
            await sides.runUntilIdle()
        }

        var openItems: [[String: Any]] {
            get async throws {
                try await send(.get, "/v1/review?state=open", key: admin).json["review"] as? [[String: Any]] ?? []
            }
        }

        /// The token on which Apple has the sale; nil while it has none.
        var place: String? {
            get async throws {
                let sale = try await send(.get, "/v1/sales/s-1", key: admin).json
                return sale["standing"] as? String == "reported" ? sale["externalPurchaseId"] as? String : nil
            }
        }
    }

    static func orders(of events: [Event]) -> [[Event]] {
        guard events.count > 1 else { return [events] }
        return events.indices.flatMap { place in
            var rest = events
            let first = rest.remove(at: place)
            return orders(of: rest).map { [first] + $0 }
        }
    }

    static let sets: [[Event]] = [
        [.forged, .sale, .authenticated], [.forged, .real, .sale, .days], [.forged, .real, .sale, .authenticated],
        [.forged, .sale, .visit, .authenticated], [.foreign, .sale, .authenticated],
        [.foreign, .real, .sale, .authenticated], [.forged, .foreign, .sale, .authenticated],
    ]

    @Test("Every order of arrival ends with the sale on the customer's token", arguments: sets)
    func orders(_ events: [Event]) async throws {
        for order in sample(Self.orders(of: events), 8) {
            let words = "\(order.map(\.rawValue))"
            try await EmulatedMerchant.run { sides in
                let basket = try await Basket(sides)
                for event in order { try await basket.perform(event) }
                // What Apple has accepted is moved by a person only.
                for item in try await basket.openItems where item["kind"] as? String == "contradiction" {
                    let number = try #require(item["sequence"] as? Int)
                    #expect(item["correctionId"] is String, "\(words)")
                    let answer = try await basket.send(
                        .post,
                        "/v1/review/\(number)",
                        ["action": "retry", "note": "the basket's token"],
                        key: basket.admin
                    )
                    #expect(answer.status == .ok, "\(words) \(answer.json)")
                }
                await sides.runUntilIdle()
                for _ in 0..<3 where try await basket.place == nil { try await basket.perform(.days) }
                #expect(try await basket.place == Basket.id(basket.real), "\(words)")
                let open = try await basket.openItems
                #expect(open.isEmpty, "\(words) \(open)")
                // Apple holds the sale's money once, whatever it was told in between.
                let ids = try await sides.acceptances()
                #expect(ids.values.reduce(0, +) == (ids.count == 1 ? 1 : 3), "\(words) \(ids)")
            }
        }
    }

    @Test("Ten baskets claimed in advance: no sale goes on a forged token while its customer's token is known")
    func tenBaskets() async throws {
        try await EmulatedMerchant.run { sides in
            let basket = try await Basket(sides)
            for number in 1...10 {
                let token = ExternalPurchaseToken(
                    appAppleId: 1_234_567_890,
                    bundleId: BundleId(EmulatedMerchant.bundleId),
                    tokenCreationDate: EmulatedMerchant.start - .days(1),
                    externalPurchaseId: ExternalPurchaseId("SANDBOX_forged-\(number)")
                )
                let body = ["token": token.encoded(), "checkoutId": "basket-\(number)"]
                try await basket.send(.post, "/v1/tokens", body, key: basket.publishable)
            }
            for number in 1...10 {
                let wanted = #"{"bundleId":"\#(EmulatedMerchant.bundleId)"}"#
                let minted = try await sides.emulator("POST", "/tokens", wanted)
                let token = try #require(minted.objectValue?["token"]?.stringValue)
                // Every second token comes from the app, the others from the back end.
                let isPublic = number.isMultiple(of: 2)
                let body = ["token": token, "checkoutId": "basket-\(number)"]
                let key = isPublic ? basket.publishable : basket.admin
                try await basket.send(.post, "/v1/tokens", body, key: key)
                let sale: [String: Any] = [
                    "saleId": "s-\(number)", "bundleId": EmulatedMerchant.bundleId, "type": "purchase",
                    "occurredAt": "2026-11-20T12:00:00Z", "productId": "gems.100", "quantity": 1,
                    "checkoutId": "basket-\(number)",
                    "amount": ["currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"],
                ]
                let answer = try await basket.send(.post, "/v1/sales", sale, key: basket.admin)
                #expect(answer.json["state"] as? String == (isPublic ? "held" : "planned"))
                if isPublic { #expect(answer.json["flags"] as? [String] == ["checkout-contradiction"]) }
            }
            await sides.runUntilIdle()
            #expect(try await sides.journal().allSatisfy { $0 == "PUT 200" })
            #expect(try await sides.acceptances().count == 5)
            let held = try await basket.send(.get, "/v1/sales?flag=checkout-contradiction", key: basket.admin)
            #expect((held.json["sales"] as? [Any])?.count == 5)
            // Apple's answers about the tokens decide the others.
            sides.advance(by: .days(10))
            await sides.runUntilIdle()
            #expect(try await sides.acceptances().count == 10)
            #expect(try await basket.openItems.isEmpty)
        }
    }

    @Test("A token of somebody's own that names many baskets takes no sale of a customer with a token of their own")
    func manyBaskets() async throws {
        try await EmulatedMerchant.run { sides in
            let basket = try await Basket(sides, customer: "c-1")
            try await basket.perform(.authenticated)
            let wanted = #"{"bundleId":"\#(EmulatedMerchant.bundleId)"}"#
            let minted = try await sides.emulator("POST", "/tokens", wanted)
            let own = try #require(minted.objectValue?["token"]?.stringValue)
            func sell(_ id: String, _ more: [String: Any]) async throws -> TestResponse {
                let sale: [String: Any] = [
                    "saleId": id, "bundleId": EmulatedMerchant.bundleId, "type": "purchase",
                    "occurredAt": "2026-11-20T12:00:00Z", "productId": "gems.100", "quantity": 1,
                    "amount": ["currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"],
                ]
                return try await basket.send(.post, "/v1/sales", sale.merging(more) { $1 }, key: basket.admin)
            }
            // Apple confirms it by a purchase of its owner.
            try await basket.send(.post, "/v1/tokens", ["token": own, "checkoutId": "own"], key: basket.publishable)
            #expect(try await sell("own", ["checkoutId": "own"]).status == .created)
            await sides.runUntilIdle()
            for number in 1...3 {
                let body = ["token": own, "checkoutId": "b-\(number)"]
                try await basket.send(.post, "/v1/tokens", body, key: basket.publishable)
            }
            for number in 1...3 {
                let answer = try await sell("s-\(number)", ["checkoutId": "b-\(number)", "customerId": "c-1"])
                #expect(answer.json["flags"] as? [String] == ["checkout-contradiction"], "\(answer.json)")
            }
            await sides.runUntilIdle()
            #expect(try await sides.acceptances().count == 1)
            // The back end names the customer's token for the basket.
            let body = ["token": basket.real, "checkoutId": "b-1", "customerId": "c-1"]
            try await basket.send(.post, "/v1/tokens", body, key: basket.admin)
            await sides.runUntilIdle()
            let sale = try await basket.send(.get, "/v1/sales/s-1", key: basket.admin)
            #expect(sale.json["externalPurchaseId"] as? String == (try Basket.id(basket.real)), "\(sale.json)")
        }
    }

    /// A forged token's type, lifetime and storefront, which are the attacker's choice.
    static let forgeries: [(type: String?, years: Int64?, storefront: String?)] = {
        var all: [(String?, Int64?, String?)] = []
        for type in [nil, "SERVICES", "CORE_TECHNOLOGY", "ACQUISITION", "LINK_OUT", "FOO"] {
            for years in [nil, 1, 100] as [Int64?] {
                for storefront in [nil, "USA", "JPN", "NLD"] { all.append((type, years, storefront)) }
            }
        }
        return all
    }()

    @Test("No type, lifetime or storefront of a forged token lets a sale wait for longer than review.tokenWait")
    func forgedDates() async throws {
        try await EmulatedMerchant.run { sides in
            let basket = try await Basket(sides, customer: "c-1")
            try await basket.perform(.authenticated)
            for (number, forgery) in Self.forgeries.enumerated() {
                let token = ExternalPurchaseToken(
                    appAppleId: 1_234_567_890,
                    bundleId: BundleId(EmulatedMerchant.bundleId),
                    tokenCreationDate: EmulatedMerchant.start - .minutes(1),
                    externalPurchaseId: ExternalPurchaseId("SANDBOX_forged-\(number)"),
                    tokenType: forgery.type.map { TokenType(rawValue: $0) },
                    tokenExpirationDate: forgery.years.map { EmulatedMerchant.start + .days(365 * $0) }
                )
                var body = ["token": token.encoded(), "checkoutId": "b-\(number)"]
                body["storefront"] = forgery.storefront
                try await basket.send(.post, "/v1/tokens", body, key: basket.publishable)
                let sale: [String: Any] = [
                    "saleId": "s-\(number)", "bundleId": EmulatedMerchant.bundleId, "type": "purchase",
                    "occurredAt": "2026-11-20T12:00:00Z", "productId": "gems.100", "quantity": 1,
                    "checkoutId": "b-\(number)", "customerId": "c-1",
                    "amount": ["currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"],
                ]
                let answer = try await basket.send(.post, "/v1/sales", sale, key: basket.admin)
                #expect(answer.status == .created, "\(answer.json)")
            }
            await sides.runUntilIdle()
            sides.advance(by: .days(1))
            for _ in 0..<3 { await sides.runUntilIdle() }
            let real = try Basket.id(basket.real)
            for (number, forgery) in Self.forgeries.enumerated() {
                let sale = try await basket.send(.get, "/v1/sales/s-\(number)", key: basket.admin).json
                #expect(sale["externalPurchaseId"] as? String == real, "\(forgery): \(sale)")
                #expect(sale["standing"] as? String == "reported", "\(forgery): \(sale["flags"] ?? "")")
            }
            let open = try await basket.openItems
            #expect(open.isEmpty, "\(open)")
        }
    }

    @Test("A customer claimed in advance keeps the sale on the token that the back end sent, in every order")
    func customers() async throws {
        let sets: [[Event]] = [
            [.forged, .sale, .authenticated], [.foreign, .sale, .authenticated],
            [.foreign, .real, .sale, .authenticated],
        ]
        for order in sets.flatMap({ Self.orders(of: $0) }) {
            let words = "\(order.map(\.rawValue))"
            try await EmulatedMerchant.run { sides in
                let basket = try await Basket(sides, customer: "c-1")
                for event in order { try await basket.perform(event) }
                for item in try await basket.openItems where item["kind"] as? String == "contradiction" {
                    let number = try #require(item["sequence"] as? Int)
                    let body = ["action": "retry", "note": "the customer's token"]
                    let answer = try await basket.send(.post, "/v1/review/\(number)", body, key: basket.admin)
                    #expect(answer.status == .ok, "\(words) \(answer.json)")
                }
                await sides.runUntilIdle()
                #expect(try await basket.place == Basket.id(basket.real), "\(words)")
                let open = try await basket.openItems
                #expect(open.isEmpty, "\(words) \(open)")
            }
        }
    }

    static let customerSets: [[Event]] = [
        [.forged, .real, .sale, .days], [.forgedOlder, .real, .sale, .days], [.forgedSame, .real, .sale],
        [.forgedAcquisition, .real, .sale, .days], [.forged, .forgedOlder, .real, .sale],
        [.forgedOlder, .sale, .authenticated], [.forged, .forgedSame, .sale, .authenticated], [.real, .sale],
    ]

    @Test(
        "Forged tokens of a customer take no sale for good where the real one comes by public arrivals only",
        arguments: customerSets
    )
    func publicCustomers(_ events: [Event]) async throws {
        for order in sample(Self.orders(of: events), 8) {
            let words = "\(order.map(\.rawValue))"
            try await EmulatedMerchant.run { sides in
                let basket = try await Basket(sides, customer: "c-1")
                for event in order { try await basket.perform(event) }
                for _ in 0..<5 where try await basket.place == nil { try await basket.perform(.days) }
                #expect(try await basket.place == Basket.id(basket.real), "\(words)")
                #expect(try await basket.openItems.isEmpty, "\(words)")
                let ids = try await sides.acceptances()
                #expect(ids.values.reduce(0, +) == 1 && ids.count == 1, "\(words) \(ids)")
            }
        }
    }

    @Test(
        "A forged token of the basket does not take the sale of a customer whose token the back end sends",
        arguments: [nil, "LINK_OUT", "FOO", "SERVICES"] as [String?],
        [0, 50] as [Int64]
    )
    func forgedBasket(_ type: String?, _ daysLater: Int64) async throws {
        for order in Self.orders(of: [.forgedBasket, .sale, .authenticated]) {
            let words = "\(order.map(\.rawValue))"
            try await EmulatedMerchant.run { sides in
                var basket = try await Basket(sides, customer: "c-1")
                basket.link["checkoutId"] = "basket-1"
                let created = EmulatedMerchant.start - .days(1) + .days(daysLater)
                basket.forgedOfBasket = ExternalPurchaseToken(
                    appAppleId: 1_234_567_890,
                    bundleId: BundleId(EmulatedMerchant.bundleId),
                    tokenCreationDate: created,
                    externalPurchaseId: "SANDBOX_forged",
                    tokenType: type.map { TokenType(rawValue: $0) },
                    tokenExpirationDate: type == "SERVICES" ? created + .days(365) : nil
                ).encoded()
                for event in order { try await basket.perform(event) }
                for _ in 0..<3 where try await basket.place == nil { try await basket.perform(.days) }
                #expect(try await basket.place == Basket.id(basket.real), "\(words)")
                #expect(try await basket.openItems.isEmpty, "\(words)")
                let ids = try await sides.acceptances()
                #expect(ids.values.reduce(0, +) == 1 && ids.count == 1, "\(words) \(ids)")
            }
        }
    }

    @Test("A person's word that a token is nobody's holds against publishable keys, not against the back end")
    func nobodys() async throws {
        try await EmulatedMerchant.run { sides in
            let basket = try await Basket(sides, customer: "c-1")
            let path = "/v1/tokens/\(try Basket.id(basket.real))"
            func customer() async throws -> String? {
                try await basket.send(.get, path, key: basket.admin).json["customerId"] as? String
            }
            try await basket.perform(.real)
            #expect(try await customer() == "c-1")
            for named in ["c-1", "c-2"] {
                let body: [String: Any] = ["customerId": NSNull(), "by": "kim", "reason": "a test"]
                let answer = try await basket.send(.post, "\(path)/customer", body, key: basket.admin)
                #expect(answer.status == .ok, "\(answer.json)")
                let arrival = ["token": basket.real, "customerId": named]
                try await basket.send(.post, "/v1/tokens", arrival, key: basket.publishable)
                #expect(try await customer() == nil)
            }
            try await basket.perform(.authenticated)
            #expect(try await customer() == "c-1")
        }
    }

    @Test("An amended sale that names its token does not wait, and a person may keep what Apple has")
    func decisions() async throws {
        try await EmulatedMerchant.run { sides in
            let basket = try await Basket(sides)
            for event in [Event.forged, .real, .sale] { try await basket.perform(event) }
            #expect(try await basket.place == nil)
            let sale: [String: Any] = [
                "saleId": "s-1", "bundleId": EmulatedMerchant.bundleId, "type": "purchase",
                "occurredAt": "2026-11-20T12:00:00Z", "productId": "gems.100", "quantity": 1,
                "checkoutId": "basket-1", "externalPurchaseId": try Basket.id(basket.real),
                "amount": ["currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"],
            ]
            try await basket.send(.post, "/v1/sales", sale, key: basket.admin)
            await sides.runUntilIdle()
            #expect(try await basket.place == Basket.id(basket.real))
            #expect(try await basket.openItems.isEmpty)
        }
        try await EmulatedMerchant.run { sides in
            let basket = try await Basket(sides)
            for event in [Event.foreign, .sale, .authenticated] { try await basket.perform(event) }
            let number = try #require(try await basket.openItems.first?["sequence"] as? Int)
            let body = ["action": "resolve", "note": "it was theirs"]
            let answer = try await basket.send(.post, "/v1/review/\(number)", body, key: basket.admin)
            #expect(answer.status == .ok, "\(answer.json)")
            try await basket.perform(.authenticated)
            try await basket.perform(.days)
            #expect(try await basket.place == Basket.id(basket.foreign))
            #expect(try await basket.openItems.isEmpty)
        }
    }
}
