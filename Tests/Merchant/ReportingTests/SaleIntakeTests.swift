import ExternalPurchaseCore
import Ledger
import Testing

@testable import Reporting

@Suite("Sales that arrive")
struct SaleIntakeTests {
    @Test("A sale on a plain token is planned; the same again is known, other content is a conflict")
    func idempotence() async throws {
        let merchant = Merchant()
        let token = Merchant.token()
        try await merchant.take(token)
        let first = try await merchant.sell(Merchant.purchase("s", on: token))
        #expect(first.isNew)
        #expect(first.sale.lineItemId == "s")
        #expect(
            first.sale.attribution == Attribution(state: .planned, externalPurchaseId: token.externalPurchaseId)
        )
        let again = try await merchant.sell(
            Merchant.purchase("s", on: token).replacing("9.99", with: "9.990000".prefix(4))
        )
        #expect(!again.isNew)
        #expect(again.sale == first.sale)
        await #expect {
            try await merchant.sell(Merchant.purchase("s", on: token).replacing("9.99", with: "9.98"))
        } throws: { error in
            if case RequestError.conflict = error { true } else { false }
        }
        #expect(try await merchant.system.lists.sales(LedgerPage()).count == 1)
    }

    struct Wrong: Sendable {
        let change: String
        let into: String
        let path: String
    }

    @Test(
        "A wrong field is named by its path",
        arguments: [
            Wrong(change: #""saleId":"s""#, into: #""saleId":"""#, path: "/saleId"),
            Wrong(change: #""saleId":"s""#, into: #""saleId":7"#, path: "/saleId"),
            Wrong(change: #""saleId":"s""#, into: ##""saleId":"s\u0000""##, path: "/saleId"),
            Wrong(change: #""saleId":"s","#, into: "", path: "/saleId"),
            Wrong(change: "com.example.shop", into: "com.example.other", path: "/bundleId"),
            Wrong(change: "2026-11-20T11:00:00Z", into: "20.11.2026", path: "/occurredAt"),
            Wrong(change: "2026-11-20T11:00:00Z", into: "0000-01-01T00:00:00Z", path: "/occurredAt"),
            Wrong(change: "2026-11-20T11:00:00Z", into: "1969-12-31T23:59:59.999Z", path: "/occurredAt"),
            Wrong(change: "purchase", into: "gift", path: "/type"),
            Wrong(change: #""quantity":1"#, into: #""quantity":0"#, path: "/quantity"),
            Wrong(change: #""quantity":1"#, into: #""quantity":1.5"#, path: "/quantity"),
            Wrong(change: #""quantity":1"#, into: #""quantity":1,"quantity":2"#, path: "/quantity"),
            Wrong(change: #""quantity":1"#, into: #""quantity":1,"kwantity":2"#, path: "/kwantity"),
            Wrong(change: #""EUR""#, into: #""EURO""#, path: "/amount/currency"),
            Wrong(change: #""EUR""#, into: #""eur""#, path: "/amount/currency"),
            Wrong(change: #""9.99""#, into: "9.99", path: "/amount/inclusive"),
            Wrong(change: #""9.99""#, into: #""9,99""#, path: "/amount/inclusive"),
            Wrong(change: #""9.99""#, into: #""9.999""#, path: "/amount/inclusive"),
            Wrong(change: #""9.99""#, into: #""-9.99""#, path: "/amount/inclusive"),
            Wrong(change: #""9.99""#, into: #""1e3""#, path: "/amount/inclusive"),
            Wrong(change: #""9.99""#, into: #""1000000000000""#, path: "/amount/inclusive"),
            Wrong(change: #""taxRate":"21""#, into: #""tax":"10.00""#, path: "/amount/tax"),
            Wrong(change: #""taxRate":"21""#, into: #""tax":"1.735""#, path: "/amount/tax"),
            Wrong(change: #""taxRate":"21""#, into: #""tax":"1.73","taxRate":"21""#, path: "/amount/taxRate"),
            Wrong(change: "NLD", into: "nl", path: "/amount/taxCountry"),
            Wrong(change: "NLD", into: "XXX", path: "/amount/taxCountry"),
            Wrong(
                change: #""taxCountry""#,
                into: #""exchangeRate":{"rate":"1","source":"B","asOf":"2026-11-20T11:00:00Z"},"taxCountry""#,
                path: "/amount/exchangeRate"
            ),
        ]
    )
    func wrongFields(_ wrong: Wrong) async throws {
        let merchant = Merchant()
        let right = Merchant.purchase("s", on: nil)
        let body = right.replacing(wrong.change, with: wrong.into)
        #expect(body != right)
        let faults = await merchant.faults(of: body)
        #expect(faults.map(\.path) == [wrong.path], "\(faults)")
        #expect(try await merchant.system.lists.sales(LedgerPage()).isEmpty)
    }

    static let kronur = Merchant.purchase("s", on: Merchant.token())
        .replacing(#""EUR","inclusive":"9.99""#, with: #""ISK","inclusive":"1490""#)

    static func quoted(_ rate: String, asOf: String = "2026-11-20T11:00:00Z") -> String {
        kronur.replacing(
            #""taxCountry""#,
            with: #""exchangeRate":{"rate":\#(rate),"source":"Bloomberg","asOf":"\#(asOf)"},"taxCountry""#
        )
    }

    @Test(
        "A rate is exact decimal text, close to the sale (RR-41, RR-45)",
        arguments: [
            (quoted("0.0069"), ["/amount/exchangeRate/rate"]),
            (quoted(#""0""#), ["/amount/exchangeRate/rate"]),
            (quoted(#""0.0000000000001""#), ["/amount/exchangeRate/rate"]),
            (quoted(#""0.0069""#, asOf: "2026-11-22T11:00:00.001Z"), ["/amount/exchangeRate/asOf"]),
            (quoted(#""0.0069""#, asOf: "2026-11-22T11:00:00Z"), []),
        ]
    )
    func rates(_ body: String, _ paths: [String]) async throws {
        let merchant = Merchant()
        try await merchant.take(Merchant.token())
        #expect(await merchant.faults(of: body).map(\.path) == paths)
    }

    @Test("A sale of the future is refused: Apple would refuse it, and its report would hold up others (E6)")
    func future() async throws {
        let merchant = Merchant()
        try await merchant.take(Merchant.token())
        let edge = Merchant.purchase("edge", on: Merchant.token()).replacing("11:00:00Z", with: "12:05:00Z")
        try await merchant.sell(edge)
        let late = Merchant.purchase("late", on: Merchant.token()).replacing("11:00:00Z", with: "12:05:00.001Z")
        let refusal = await #expect(throws: RequestError.self) { try await merchant.sell(late) }
        guard case .invalid(let faults) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(faults.map(\.path) == ["/occurredAt"])
    }

    @Test("What is missing holds the sale and is named (RR-45, RR-47, RR-66)")
    func held() async throws {
        let merchant = Merchant()
        try await merchant.take(Merchant.token())
        let right = Merchant.purchase("s", on: Merchant.token())
        let cases: [(String, Set<SaleFlag>)] = [
            (right.replacing(#""taxRate":"21","#, with: ""), [.noTax]),
            (right.replacing(#","taxCountry":"NLD""#, with: ""), [.noTaxCountry]),
            (Self.kronur, [.noExchangeRate]),
            (Merchant.purchase("s", on: nil), [.noToken]),
            (Merchant.purchase("s", on: Merchant.token("f")), [.noToken]),
        ]
        for (index, (body, flags)) in cases.enumerated() {
            let receipt = try await merchant.sell(body.replacing(#""saleId":"s""#, with: #""saleId":"s\#(index)""#))
            #expect(receipt.sale.attribution.state == .held)
            #expect(receipt.sale.attribution.flags == flags)
        }
        await merchant.system.sender.runUntilIdle()
        #expect(merchant.apple.puts.isEmpty)
    }

    @Test(
        "A refund that no later event can make right is refused (RR-46)",
        arguments: [
            (Merchant.refund("r", of: "r0", "1.00"), "/refundOf"),
            (Merchant.refund("r", of: "s", "0.00"), "/amount/inclusive"),
            (Merchant.refund("r", of: "s", "1.001"), "/amount/inclusive"),
            (
                Merchant.refund("r", of: "s", "1.00").replacing(#""amount":{"#, with: #""amount":{"currency":"USD","#),
                "/amount/currency"
            ),
            (
                Merchant.refund("r", of: "s", "1.00").replacing(#""amount":{"#, with: #""amount":{"tax":"0.125","#),
                "/amount/tax"
            ),
        ] as [(String, String?)]
    )
    func refunds(_ body: String, _ path: String?) async throws {
        let merchant = Merchant()
        try await merchant.take(Merchant.token())
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        try await merchant.sell(Merchant.refund("r0", of: "s", "3.00"))
        #expect(await merchant.faults(of: body).map(\.path) == (path.map { [$0] } ?? []))
    }

    @Test("The token of the checkout takes the sale, and the named one before it (RR-63)")
    func checkouts() async throws {
        let merchant = Merchant()
        try await merchant.take(Merchant.token("a"), checkout: "c")
        try await merchant.take(Merchant.token("b"))
        let byCheckout = try await merchant.sell(Merchant.purchase("1", on: nil, more: #""checkoutId":"c","#))
        #expect(byCheckout.sale.attribution.externalPurchaseId == Merchant.token("a").externalPurchaseId)
        let named = try await merchant.sell(
            Merchant.purchase("2", on: Merchant.token("b"), more: #""checkoutId":"c","#)
        )
        #expect(named.sale.attribution.externalPurchaseId == Merchant.token("b").externalPurchaseId)
        #expect(named.sale.attribution.flags == [.checkoutContradiction])
    }

    @Test("A sale that came first is attributed when its token arrives (RR-66)")
    func lateToken() async throws {
        let merchant = Merchant()
        let sale = try await merchant.sell(Merchant.purchase("s", on: Merchant.token()))
        try await merchant.sell(Merchant.refund("r", of: "s", "1.00"))
        #expect(sale.sale.attribution.flags == [.noToken])
        await merchant.system.sender.runUntilIdle()
        try await merchant.take(Merchant.token())
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted])
        #expect(merchant.apple.item("s")?.netAmountTaxExclusive == 7_430)
        #expect(merchant.apple.item("r")?.netAmountTaxExclusive == 7_430)
    }

    @Test("A sale that names only a checkout is attributed when another sale says whose it is (RR-60, RR-66)")
    func lateCustomer() async throws {
        let merchant = Merchant()
        let end = Self.start + Self.year
        let services = Merchant.token("b", type: .services, made: Self.start, expires: end)
        try await merchant.take(services, customer: "anna")
        let first = try await merchant.sell(Merchant.purchase("s", on: nil, more: #""checkoutId":"k","#))
        #expect(first.sale.attribution.flags == [.noToken])
        await merchant.system.sender.runUntilIdle()
        try await merchant.sell(Merchant.purchase("t", on: nil, more: #""checkoutId":"k","customerId":"anna","#))
        await merchant.system.sender.runUntilIdle()
        for id in ["s", "t"] as [LineItemId] { #expect(merchant.apple.item(id)?.netAmountTaxExclusive == 8_256) }
    }

    static let year = Duration.days(365)
    static let start = Merchant.noon - .days(1)

    @Test("The customer's active SERVICES token takes the sale, whatever custom link token is named (RR-60, RR-61)")
    func customLinks() async throws {
        let merchant = Merchant()
        let end = Self.start + Self.year
        let acquisition = Merchant.token("a", type: .acquisition, made: Self.start, expires: end)
        let services = Merchant.token("b", type: .services, made: Self.start, expires: end)
        let refreshed = Merchant.token("c", type: .services, made: Self.start, expires: end)
        let expired = Merchant.token(
            "d",
            type: .services,
            made: Self.start - Self.year,
            expires: Self.start
        )
        for token in [acquisition, expired, services, refreshed] {
            try await merchant.take(token, customer: "someone")
            merchant.clock.advance(seconds: 1)
        }
        for (index, named) in [nil, acquisition, refreshed, expired].enumerated() {
            let more = named == nil ? #""customerId":"someone","# : ""
            let receipt = try await merchant.sell(Merchant.purchase("\(index)", on: named, more: more))
            #expect(receipt.sale.attribution.externalPurchaseId == services.externalPurchaseId)
            #expect(receipt.sale.attribution.flags.isEmpty)
        }
        await merchant.system.sender.runUntilIdle()
        // The token that expired without a sale is answered too.
        let reports = try await merchant.reports()
        #expect(reports.filter { $0.status == .lineItem }.map(\.state) == [.accepted])
        #expect(reports.filter { $0.status != .lineItem }.map(\.externalPurchaseId) == [expired.externalPurchaseId])
    }

    @Test("Without an active token the sale is held (RR-66)")
    func noneActive() async throws {
        let merchant = Merchant()
        let expired = Merchant.token(
            type: .services,
            made: Self.start - Self.year,
            expires: Self.start
        )
        try await merchant.take(expired, customer: "someone")
        let receipt = try await merchant.sell(Merchant.purchase("s", on: nil, more: #""customerId":"someone","#))
        #expect(
            receipt.sale.attribution == Attribution(state: .held, externalPurchaseId: nil, holdCauses: [.noActiveToken])
        )
        let stranger = try await merchant.sell(Merchant.purchase("t", on: nil, more: #""customerId":"nobody","#))
        #expect(stranger.sale.attribution.flags == [.noToken])
    }

    @Test("Only an ACQUISITION token active: it takes the sale (RR-60)")
    func acquisition() async throws {
        let merchant = Merchant()
        let end = Self.start + Self.year
        let token = Merchant.token(type: .acquisition, made: Self.start, expires: end)
        try await merchant.take(token, customer: "someone")
        let receipt = try await merchant.sell(Merchant.purchase("s", on: nil, more: #""customerId":"someone","#))
        #expect(receipt.sale.attribution.externalPurchaseId == token.externalPurchaseId)
    }
}

extension Merchant {
    func faults(of sale: String) async -> [FieldError] {
        do {
            try await sell(sale)
            return []
        } catch RequestError.invalid(let faults) {
            return faults
        } catch {
            return [FieldError("?", "\(error)")]
        }
    }
}
