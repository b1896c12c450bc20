import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@Suite("What reaches Apple of a merchant's events, from request to emulator")
struct ReportedEventsTests {
    /// A report that was accepted, as it was sent.
    private struct Sent {
        let id: String
        let token: String
        let status: String
        let items: [[String: Any]]
    }

    private static func accepted(_ sides: EmulatedMerchant) async throws -> [Sent] {
        try await sides.acceptedPuts().map { text in
            let report = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            return Sent(
                id: report["requestIdentifier"] as? String ?? "",
                token: report["externalPurchaseId"] as? String ?? "",
                status: report["status"] as? String ?? "",
                items: report["lineItems"] as? [[String: Any]] ?? []
            )
        }
    }

    /// Each line item by its id, in the newest version.
    private static func items(_ sides: EmulatedMerchant) async throws -> [String: [String: Any]] {
        let all = try await accepted(sides).flatMap(\.items).map { ($0["lineItemId"] as? String ?? "", $0) }
        return Dictionary(all) { $1 }
    }

    private static func sale(_ id: String, _ type: String, at moment: String, _ more: String) -> String {
        """
        {"saleId":"\(id)","bundleId":"\(EmulatedMerchant.bundleId)","type":"\(type)","occurredAt":"\(moment)",\(more)}
        """
    }

    private static func amount(_ inclusive: String) -> String {
        #""amount":{"currency":"EUR","inclusive":"\#(inclusive)","taxRate":"21","taxCountry":"NLD"}"#
    }

    private func take(_ sale: String, at sides: EmulatedMerchant) async throws {
        let answer = try await sides.post("/v1/sales", sale)
        #expect(answer.status == .created, "\(answer.json)")
        await sides.runUntilIdle()
    }

    /// A purchase, a subscription with free trial, renewal and change of plan, money given back, and a correction.
    private func everyEvent(_ sides: EmulatedMerchant, checkout: String) async throws {
        let tied = #""checkoutId":"\#(checkout)","#
        func charge(_ id: String, _ product: String, _ start: String, _ end: String, _ price: String) -> String {
            Self.sale(
                id,
                "subscription",
                at: start,
                #"\#(tied)"subscriptionId":"sub","productId":"\#(product)","period":{"start":"\#(start)","end":"\#(end)"},"#
                    + Self.amount(price)
            )
        }
        let buy = #"\#(tied)"productId":"gems","quantity":1,"# + Self.amount("9.99")
        try await take(Self.sale("buy", "purchase", at: "2026-11-20T10:00:00Z", buy), at: sides)
        let trialStart = "2026-10-01T12:00:00Z"
        let paidStart = "2026-10-15T12:00:00Z"
        let changed = "2026-11-14T12:00:00Z"
        try await take(charge("trial", "plus", trialStart, paidStart, "0.00"), at: sides)
        try await take(charge("paid", "plus", paidStart, changed, "4.99"), at: sides)
        try await take(charge("other", "pro", changed, "2026-12-14T12:00:00Z", "7.99"), at: sides)
        let part = #""refundOf":"buy","amount":{"inclusive":"3.00"}"#
        try await take(Self.sale("back", "refund", at: "2026-11-20T11:00:00Z", part), at: sides)
        let whole = #""refundOf":"paid","amount":{"inclusive":"4.99"}"#
        try await take(Self.sale("dispute", "chargeback", at: "2026-11-20T11:30:00Z", whole), at: sides)
        let planned = try await sides.post(
            "/v1/corrections",
            #"{"bundleId":"\#(EmulatedMerchant.bundleId)","saleId":"other","action":"restate","#
                + #""fields":{"inclusive":"8.99"},"requestedBy":"maria","reason":"wrong price"}"#
        )
        let correction = try #require(planned.json["correctionId"] as? String, "\(planned.json)")
        let confirmed = try await sides.post(
            "/v1/corrections",
            #"{"correctionId":"\#(correction)","confirm":true,"confirmedBy":"otto"}"#
        )
        #expect(confirmed.status == .created, "\(confirmed.json)")
        await sides.runUntilIdle()
    }

    @Test("Purchases, starts, renewals, changes, refunds, chargebacks, corrections and idle tokens (OB-22, SA-43)")
    func everything() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            _ = try await sides.receiveToken()
            try await everyEvent(sides, checkout: checkout)
            let kinds = try await Self.items(sides).mapValues { item in
                [item["eventType"], item["productType"], item["subscriptionEvent"]]
                    .compactMap { $0 as? String }.joined(separator: " ")
            }
            #expect(
                kinds == [
                    "buy": "BUY ONE_TIME_BUY", "trial": "BUY SUBSCRIPTION SUBSCRIPTION_START",
                    "paid": "BUY SUBSCRIPTION RENEWAL", "other": "BUY SUBSCRIPTION SUBSCRIPTION_CHANGE",
                    "back": "REFUND", "dispute": "REFUND",
                ]
            )
            let items = try await Self.items(sides)
            #expect(items["trial"]?["amountTaxInclusive"] as? Int == 0)
            #expect(items["other"]?["restatement"] as? Bool == true)
            #expect(items["other"]?["amountTaxInclusive"] as? Int == 8_990)
            // A refund and a chargeback are reported alike, without a minus sign.
            #expect(items["back"]?["amountTaxInclusive"] as? Int == 3_000)
            #expect(items["dispute"]?["amountTaxInclusive"] as? Int == 4_990)
            #expect(items["dispute"]?["netAmountTaxExclusive"] as? Int == 0)
            // The token that led to nothing is reported before it is due.
            #expect(try await Set(Self.accepted(sides).map(\.status)) == ["LINE_ITEM"])
            sides.advance(by: .days(10))
            await sides.runUntilIdle()
            let last = try #require(try await Self.accepted(sides).last)
            #expect(last.status == "NO_LINE_ITEM")
            #expect(last.items.isEmpty)
        }
    }

    @Test("A report is about one token; what was accepted is not sent again, later events are a new report (SA-5)")
    func reportsOfToken() async throws {
        try await EmulatedMerchant.run { sides in
            let first = try await sides.receiveToken()
            let second = try await sides.receiveToken()
            try await sides.sell("one", checkout: first)
            try await sides.sell("two", checkout: second)
            await sides.runUntilIdle()
            try await everyEvent(sides, checkout: first)
            let reports = try await Self.accepted(sides)
            #expect(Set(reports.map(\.id)).count == reports.count)
            var token: [String: String] = [:]
            var restated: [String] = []
            for report in reports {
                for item in report.items {
                    let id = try #require(item["lineItemId"] as? String)
                    if item["restatement"] as? Bool == true {
                        #expect(token[id] == report.token)
                        restated.append(id)
                    } else {
                        #expect(token[id] == nil, "\(id) is sent again")
                        token[id] = report.token
                    }
                }
            }
            #expect(token.keys.sorted() == ["back", "buy", "dispute", "one", "other", "paid", "trial", "two"])
            #expect(restated == ["other"])
            #expect(Set(token.values).count == 2)
            #expect(token.filter { $0.value == token["two"] }.count == 1)
            #expect(reports.filter { $0.token == token["one"] }.count > 1)
        }
    }

    @Test("One unit of any currency is 1,000 milli-units, with minor units or without (SA-42)")
    func milliUnits() async throws {
        try await EmulatedMerchant.run { sides in
            let checkout = try await sides.receiveToken()
            let prices = [
                ("euro", #"{"currency":"EUR","inclusive":"2.99","taxRate":"21","taxCountry":"ESP"}"#, 2_990),
                ("yen", #"{"currency":"JPY","inclusive":"1364","taxRate":"10","taxCountry":"JPN"}"#, 1_364_000),
                ("cents", #"{"currency":"EUR","inclusiveMinor":299,"taxRate":"21","taxCountry":"ESP"}"#, 2_990),
                ("sen", #"{"currency":"JPY","inclusiveMinor":1364,"taxRate":"10","taxCountry":"JPN"}"#, 1_364_000),
            ]
            for (id, amount, _) in prices {
                let more = #""checkoutId":"\#(checkout)","productId":"gems","quantity":1,"amount":\#(amount)"#
                try await take(Self.sale(id, "purchase", at: "2026-11-20T10:00:00Z", more), at: sides)
            }
            let items = try await Self.items(sides)
            for (id, _, inclusive) in prices {
                #expect(items[id]?["amountTaxInclusive"] as? Int == inclusive, "\(id)")
            }
        }
    }

    @Test("A sale without a token is kept for one that arrives later (SK-84, RR-66)")
    func laterToken() async throws {
        try await EmulatedMerchant.run { sides in
            let more = #""checkoutId":"basket","productId":"gems","quantity":1,"# + Self.amount("9.99")
            try await take(Self.sale("early", "purchase", at: "2026-11-20T10:00:00Z", more), at: sides)
            let kept = try await sides.list("/v1/sales", "sales").first
            #expect(kept?["state"] as? String == "held")
            #expect(kept?["flags"] as? [String] == ["no-token"])
            #expect(try await sides.puts().isEmpty)
            try await sides.receiveToken(checkout: "basket")
            await sides.runUntilIdle()
            #expect(try await Self.items(sides)["early"]?["amountTaxInclusive"] as? Int == 9_990)
        }
    }

    @Test("A sale for which no token arrives is handed in by hand and is in no report (SK-84, OB-62)")
    func byHand() async throws {
        try await EmulatedMerchant.run(programmes: ["eu-custom-link"]) { sides in
            let more = #""checkoutId":"basket","productId":"gems","quantity":1,"# + Self.amount("9.99")
            try await take(Self.sale("alone", "purchase", at: "2026-11-20T10:00:00Z", more), at: sides)
            let submission = try await sides.post(
                "/v1/exports/2026-11/submitted",
                #"{"programme":"eu-2026-10","on":"2026-11-20","by":"kim","reference":"case 17"}"#
            )
            #expect(submission.status == .created, "\(submission.json)")
            try await sides.receiveToken(checkout: "basket")
            await sides.runUntilIdle()
            #expect(try await sides.puts().isEmpty)
        }
    }

    @Test(
        "A chargeback that was handed in by hand and is won back is a matter for a person (OB-62)",
        arguments: [true, false]
    )
    func reversalByHand(_ isSubmitted: Bool) async throws {
        try await EmulatedMerchant.run(programmes: ["eu-custom-link"]) { sides in
            let more = #""productId":"gems","quantity":1,"# + Self.amount("9.99")
            try await take(Self.sale("alone", "purchase", at: "2026-11-20T10:00:00Z", more), at: sides)
            let lost = #""refundOf":"alone","amount":{"inclusive":"9.99"}"#
            try await take(Self.sale("lost", "chargeback", at: "2026-11-20T10:10:00Z", lost), at: sides)
            if isSubmitted {
                let body = #"{"programme":"eu-2026-10","on":"2026-11-20","by":"kim","reference":"case 17"}"#
                #expect(try await sides.post("/v1/exports/2026-11/submitted", body).status == .created)
            }
            let won = Self.sale("won", "chargebackReversal", at: "2026-11-20T10:20:00Z", #""reversalOf":"lost""#)
            try await take(won, at: sides)
            #expect(try await sides.post("/v1/sales", won).status == .ok)
            let items = try await sides.list("/v1/review", "review").filter { $0["kind"] as? String == "contradiction" }
            #expect(items.count == (isSubmitted ? 1 : 0), "\(items)")
            guard let item = items.first else { return }
            #expect(
                (item["detail"] as? String)?.hasPrefix("chargeback lost was handed over by hand") == true,
                "\(item)"
            )
            let number = try #require(item["sequence"] as? Int)
            let closed = try await sides.post(
                "/v1/review/\(number)",
                #"{"action":"resolve","by":"kim","note":"Apple took it back"}"#
            )
            #expect(closed.status == .ok, "\(closed.json)")
        }
    }
}

extension EmulatedMerchant {
    /// Mints a token at Apple's side and takes it in for a checkout of the caller's.
    fileprivate func receiveToken(checkout: String) async throws {
        let minted = try await emulator("POST", "/tokens", #"{"bundleId":"\#(Self.bundleId)"}"#)
        let token = try #require(minted.objectValue?["token"]?.stringValue)
        let taken = try await post("/v1/tokens", #"{"token":"\#(token)","checkoutId":"\#(checkout)"}"#)
        #expect(taken.status == .created, "\(taken.json)")
    }
}
