import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Reporting
import Testing

@testable import ReportingServer

@Suite("No page offers a button that is refused as things stand")
struct DashboardButtonTests {
    /// What a person fills in; a form takes what it has fields for.
    private static let values = [
        "by": "kim", "note": "settled", "reason": "settled", "inclusive": "5.00", "on": "2026-11-20",
        "reference": "R-1", "invoiceId": "INV-1", "issuedOn": "2026-12-05", "currency": "EUR", "amount": "1.00",
        "occurredAt": "",
    ]

    /// A state of the ledger, the pages that show it, and buttons that they have to offer.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let pages: [String]
        /// Texts of buttons that at least one page offers, so that a page without any form proves nothing.
        var offered: [String] = []
        /// Texts of buttons that no page may offer.
        var missing: [String] = []
        var values: [String: String] = [:]
        var emulator: [String] = []
        var isPreflightOn = true
        let seed: @Sendable (EmulatedMerchant) async throws -> Void
        var testDescription: String { name }
    }

    private static func sale(
        _ id: String,
        as type: String = "purchase",
        checkout: String? = nil,
        at moment: String = "2026-11-20T11:59:00Z",
        _ more: String
    ) -> String {
        let tie = checkout.map { #""checkoutId":"\#($0)","# } ?? ""
        return """
            {"saleId":"\(id)","bundleId":"\(EmulatedMerchant.bundleId)","type":"\(type)","occurredAt":"\(moment)",
            \(tie)\(more)}
            """
    }

    private static let product = #""productId":"gems.100","quantity":1,"#
    private static let money =
        #""amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}"#

    private static func post(_ sides: EmulatedMerchant, _ sale: String) async throws {
        let answer = try await sides.post("/v1/sales", sale)
        #expect(answer.status.code < 300, "\(answer.json)")
        await sides.runUntilIdle()
    }

    private static let order = """
        "lines":[{"productId":"gems.100","quantity":1,"amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21",\
        "taxCountry":"NLD"}},{"productId":"gems.500","quantity":1,"amount":{"currency":"EUR","inclusive":"19.99",\
        "taxRate":"21","taxCountry":"NLD"}}]
        """

    static let cases: [Case] = [
        Case(
            name: "a sale held for what it lacks",
            pages: ["/", "/review", "/review/1", "/sales/s"],
            offered: ["Close the item", "Void the sale"],
            missing: ["Release the sale", "Send again"]
        ) { sides in
            let checkout = try await sides.receiveToken()
            let money = #""amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21"}"#
            try await post(sides, sale("s", checkout: checkout, product + money))
        },
        Case(
            name: "a sale of a report that was refused because of it",
            pages: ["/review", "/review/1", "/sales/s"],
            offered: ["Send again", "Close the item", "Void the sale"],
            emulator: ["rules.plainTokenRange=on"],
            isPreflightOn: false
        ) { sides in
            let checkout = try await sides.receiveToken()
            try await post(sides, sale("s", checkout: checkout, at: "2026-11-10T11:00:00Z", product + money))
        },
        Case(
            name: "a report that Apple refused as a whole, then the sale that waits",
            pages: ["/review", "/review/1", "/sales/s"],
            offered: ["Send again", "Close the item"],
            isPreflightOn: false
        ) { sides in
            let checkout = try await sides.receiveToken()
            _ = try await sides.emulator("POST", "/reset", "{}")
            try await post(sides, sale("s", checkout: checkout, product + money))
            #expect(try await sides.list("/v1/review?kind=report-refused", "review").count == 1)
        },
        Case(
            name: "Apple refuses the key",
            pages: ["/review", "/review/1", "/sales/s"],
            offered: ["Send again", "Close the item"]
        ) { sides in
            try await sides.fault("PUT", #"{"status":401}"#, times: 2)
            try await post(sides, sale("s", checkout: try await sides.receiveToken(), product + money))
        },
        Case(
            name: "a reported purchase",
            pages: ["/sales/s"],
            offered: ["Show the difference"],
            missing: ["Void the sale"],
            values: ["taxRate": "21", "occurredAt": "2026-11-20T11:58:00Z"]
        ) { sides in
            try await post(sides, sale("s", checkout: try await sides.receiveToken(), product + money))
        },
        Case(
            name: "a reported purchase with a refund",
            pages: ["/sales/s"],
            offered: ["Show the difference"],
            values: ["taxRate": "21", "inclusive": "9.00", "occurredAt": "2026-11-20T11:57:00Z"]
        ) { sides in
            try await post(sides, sale("s", checkout: try await sides.receiveToken(), product + money))
            try await post(sides, sale("r", as: "refund", #""refundOf":"s","amount":{"inclusive":"2.00"}"#))
        },
        Case(
            name: "a reported refund",
            pages: ["/sales/r"],
            offered: ["Show the difference"],
            values: ["inclusive": "3.00", "tax": "0.52", "occurredAt": "2026-11-20T11:59:30Z"]
        ) { sides in
            try await post(sides, sale("s", checkout: try await sides.receiveToken(), product + money))
            try await post(sides, sale("r", as: "refund", #""refundOf":"s","amount":{"inclusive":"2.00"}"#))
        },
        Case(
            name: "a chargeback that was won back",
            pages: ["/sales/c", "/sales/w"],
            missing: ["Show the difference"]
        ) { sides in
            try await post(sides, sale("s", checkout: try await sides.receiveToken(), product + money))
            try await post(sides, sale("c", as: "chargeback", #""refundOf":"s","amount":{"inclusive":"9.99"}"#))
            try await post(sides, sale("w", as: "chargebackReversal", #""reversalOf":"c""#))
        },
        Case(
            name: "a reported order, and its lines",
            pages: ["/sales/o", "/sales/o%2F1"],
            offered: ["Show the difference"],
            values: ["taxRate": "21", "occurredAt": "2026-11-20T11:58:00Z"]
        ) { sides in
            try await post(sides, sale("o", checkout: try await sides.receiveToken(), order))
        },
        Case(
            name: "an order that waits, and its lines",
            pages: ["/sales/o", "/sales/o%2F1"],
            offered: ["Void the sale"]
        ) { sides in
            try await post(sides, sale("o", order))
        },
        Case(
            name: "a purchase that waits and is taken back",
            pages: ["/sales/s", "/sales/r"],
            offered: ["Void the sale"]
        ) { sides in
            let money = #""amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21"}"#
            try await post(sides, sale("s", checkout: try await sides.receiveToken(), product + money))
            try await post(sides, sale("r", as: "refund", #""refundOf":"s","amount":{"inclusive":"2.00"}"#))
        },
        Case(
            name: "a sale on its way without an answer",
            pages: ["/sales/s"],
            offered: ["Void the sale"]
        ) { sides in
            try await sides.fault("PUT", #"{"status":503}"#, times: 9)
            try await post(sides, sale("s", checkout: try await sides.receiveToken(), product + money))
        },
        Case(name: "a void sale", pages: ["/sales/s"], missing: ["Void the sale"]) { sides in
            try await post(sides, sale("s", product + money))
            _ = try await sides.post("/v1/sales/s/void", #"{"by":"kim","reason":"x"}"#)
        },
        Case(
            name: "a planned correction",
            pages: ["/corrections"],
            offered: ["Confirm and send"],
            seed: { try await plan($0, "8.99") }
        ),
        Case(
            name: "a planned correction that another one overtook",
            pages: ["/corrections"],
            offered: ["Show the new difference"]
        ) { sides in
            try await plan(sides, "8.99")
            try await plan(sides, "7.99", confirms: true)
        },
        Case(
            name: "a planned correction while another one is on its way",
            pages: ["/corrections"],
            missing: ["Confirm and send"]
        ) { sides in
            try await plan(sides, "8.99")
            try await sides.fault("PUT", #"{"status":503}"#, times: 20)
            try await plan(sides, "7.99", confirms: true)
        },
        Case(
            name: "a retraction that Apple accepted",
            pages: ["/corrections", "/sales/s"],
            offered: ["Show the difference"],
            missing: ["Confirm and send"]
        ) { sides in
            try await plan(sides, nil, confirms: true)
        },
        Case(
            name: "figures of a subscription that differ",
            pages: ["/review", "/review/1", "/corrections", "/sales/r2"],
            offered: ["Confirm the correction", "Keep what was reported", "Confirm and send", "Show the difference"],
            values: ["taxRate": "21", "inclusive": "11.00", "occurredAt": "2026-10-22T11:58:00Z"]
        ) { try await differ($0) },
        Case(
            name: "figures of a subscription that differ by now otherwise than the correction says",
            pages: ["/review", "/review/1", "/corrections"],
            offered: ["Keep what was reported", "Show the new difference"],
            missing: ["Confirm the correction", "Confirm and send"]
        ) { sides in
            try await differ(sides)
            let id = try #require(
                try await sides.list("/v1/review", "review").first?["correctionId"] as? String
            )
            // A price of another charge changes what the correction would send.
            let fields = #""fields":{"inclusive":"11.00","taxRate":"21"},"#
            let body =
                #"{"bundleId":"\#(EmulatedMerchant.bundleId)","saleId":"r2","action":"restate",\#(fields)"#
                + #""requestedBy":"kim","reason":"x"}"#
            let planned = try await sides.post("/v1/corrections", body)
            let other = try #require(planned.json["correctionId"] as? String, "\(planned.json)")
            #expect(other != id)
            let confirmed = try await sides.post(
                "/v1/corrections",
                #"{"correctionId":"\#(other)","confirm":true,"confirmedBy":"kim"}"#
            )
            #expect(confirmed.status.code < 300, "\(confirmed.json)")
            await sides.runUntilIdle()
        },
        Case(
            name: "a month, and an invoice",
            pages: ["/exports/2026-11", "/exports/2026-11?environment=sandbox", "/invoices?month=2026-11"],
            offered: ["Enter"]
        ) { sides in
            try await post(sides, sale("s", checkout: try await sides.receiveToken(), product + money))
        },
    ]

    /// Reports a purchase and plans its correction; without an amount, its retraction.
    private static func plan(_ sides: EmulatedMerchant, _ inclusive: String?, confirms: Bool = false) async throws {
        if try await sides.list("/v1/sales", "sales").isEmpty {
            try await post(sides, sale("s", checkout: try await sides.receiveToken(), product + money))
        }
        let fields = inclusive.map { #""fields":{"inclusive":"\#($0)","taxRate":"21"},"# } ?? ""
        let action = inclusive == nil ? "retract" : "restate"
        let answer = try await sides.post(
            "/v1/corrections",
            #"{"bundleId":"\#(EmulatedMerchant.bundleId)","saleId":"s","action":"\#(action)",\#(fields)"#
                + #""requestedBy":"kim","reason":"x"}"#
        )
        let id = try #require(answer.json["correctionId"] as? String, "\(answer.json)")
        guard confirms else { return }
        let confirmed = try await sides.post(
            "/v1/corrections",
            #"{"correctionId":"\#(id)","confirm":true,"confirmedBy":"kim"}"#
        )
        #expect(confirmed.status.code < 300, "\(confirmed.json)")
        await sides.runUntilIdle()
    }

    /// A renewal that arrives after the next one.
    private static func differ(_ sides: EmulatedMerchant) async throws {
        let checkout = try await sides.receiveToken()
        for (id, from, to) in [("s", 0, 30), ("r2", 61, 91), ("r1", 30, 61)] {
            let arrival = LateEventTests.Arrival.charge(id, from, to)
            try await post(sides, arrival.body(checkout: checkout))
        }
    }

    private static func run(_ row: Case, _ test: @escaping @Sendable (EmulatedMerchant) async throws -> Void)
        async throws
    {
        var settings = ReportingSettings()
        settings.isPreflightOn = row.isPreflightOn
        try await EmulatedMerchant.run(emulator: row.emulator, settings: settings) { sides in
            try await row.seed(sides)
            try await test(sides)
        }
    }

    /// The pages of a case; the list of corrections stands for their pages.
    private static func pages(_ row: Case, _ sides: EmulatedMerchant) async throws -> [String] {
        var pages = row.pages
        if pages.contains("/corrections") {
            pages += try await sides.list("/v1/corrections", "corrections")
                .compactMap { $0["correctionId"] as? String }.map { "/corrections/\($0)" }
        }
        return pages
    }

    /// A button of the page with a number in the order of ``pages(_:_:)``: the paths of corrections differ in each run.
    private struct Found: Hashable, Sendable {
        let page: Int
        let form: Int
        let button: String
        let choice: String
    }

    @Test("Every button that a page offers does what it says", arguments: cases)
    func everyButton(_ row: Case) async throws {
        let found = Collected<Found>()
        try await Self.run(row) { sides in
            for (page, path) in try await Self.pages(row, sides).enumerated() {
                let html = String(buffer: try await sides.get(path).body)
                for (place, form) in DashboardForm.all(in: html).enumerated() {
                    for press in form.presses {
                        found.append(Found(page: page, form: place, button: press.button, choice: press.choice))
                    }
                }
            }
        }
        let labels = Set(found.all.map { String($0.button.prefix { $0 != "=" }) })
        for label in row.offered { #expect(labels.contains(label), "no page offers \(label): \(labels.sorted())") }
        for label in row.missing { #expect(!labels.contains(label), "a page offers \(label)") }
        for button in found.all {
            try await Self.run(row) { sides in
                let path = try await Self.pages(row, sides)[button.page]
                let forms = DashboardForm.all(in: String(buffer: try await sides.get(path).body))
                let form = try #require(forms.indices.contains(button.form) ? forms[button.form] : nil)
                let press = DashboardForm.Press(action: form.action, button: button.button, choice: button.choice)
                let values = Self.values.merging(row.values) { $1 }
                let fields = form.fields(press, Self.values(values, for: button.choice))
                let answer = try await DashboardPageTests.submit(sides.client, form.action, fields)
                let text = String(buffer: answer.body)
                let refusal = text.firstMatch(of: #/<h1[^§]*?<p class="soft">[^<]*/#).map { String($0.output) } ?? ""
                #expect(
                    answer.status == .seeOther || answer.status == .ok,
                    "\(path) \(button): \(answer.status.code) \(refusal)"
                )
                guard button.choice.isEmpty == false, let location = answer.headers[.location] else { return }
                // A correction that is offered leads to a plan that Apple would take.
                let plan = String(buffer: try await sides.get(location).body)
                #expect(plan.contains("Apple would accept it"), "\(path) \(button)")
            }
        }
    }

    /// The values for a kind of correction, each of which takes its own.
    private static func values(_ values: [String: String], for choice: String) -> [String: String] {
        switch choice {
        case "": values
        case "restate": values.merging(["occurredAt": "", "currency": "", "amount": ""]) { $1 }
        case "move": values.merging(["inclusive": "", "taxRate": "", "tax": ""]) { $1 }
        default: values.merging(["inclusive": "", "taxRate": "", "tax": "", "occurredAt": ""]) { $1 }
        }
    }

    // MARK: Every cause of a hold, and every kind

    /// A ledger with a sale that is held for a cause, and its review item.
    private static func held(_ cause: HoldCause, _ fixture: borrowing ServerFixture) async throws {
        let body = Self.sale(
            "s",
            product + #""customerId":"anna","amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21"}"#
        )
        let json = try JSONReader().read(Array(body.utf8))
        _ = try await fixture.merchant.sales.receive(
            SaleCommand(body: json, apps: fixture.merchant.apps, caller: .anybody)
        )
        try await fixture.store.write { ledger throws(LedgerError) in
            guard var sale = try ledger.sale("s", of: ServerFixture.bundleId) else { return }
            sale.attribution.holdCauses = [cause]
            try ledger.update(sale.attribution, of: "s", app: ServerFixture.bundleId)
            for item in try ledger.reviewItems(about: .sale("s"), app: ServerFixture.bundleId)
            where item.resolution == nil {
                try ledger.resolve(
                    item.sequence,
                    ReviewResolution(resolvedAt: item.openedAt, by: "test", note: "held otherwise")
                )
            }
            _ = try ledger.open(
                ReviewItem(
                    bundleId: ServerFixture.bundleId,
                    kind: .saleHeld,
                    subject: .sale("s"),
                    detail: "held for \(cause.rawValue): RR-66, see POST /v1/sales and `ledger plan`",
                    openedAt: Timestamp(milliseconds: 1_795_176_000_000)
                )
            )
        }
    }

    @Test("A hold of every cause offers only what is carried out", arguments: HoldCause.allCases)
    func everyCause(_ cause: HoldCause) async throws {
        var presses: [(page: String, form: Int, button: String)] = []
        for round in 0... {
            let fixture = try ServerFixture()
            try await Self.held(cause, fixture)
            let open = try await fixture.merchant.lists.review(LedgerPage(limit: 10, isNewestFirst: true))
            let item = try #require(open.first)
            let pages = ["/review", "/review/\(item.sequence)"]
            let application = fixture.application
            if round == 0 {
                let found = Collected<(page: String, form: Int, button: String)>()
                try await application.test(.router) { client in
                    for page in pages {
                        let html = String(buffer: try await client.execute(uri: page, method: .get).body)
                        for (place, form) in DashboardForm.all(in: html).enumerated() {
                            for press in form.presses { found.append((page, place, press.button)) }
                        }
                    }
                }
                presses = found.all
                #expect(presses.contains { $0.button.hasSuffix("=resolve") })
                continue
            }
            guard presses.indices.contains(round - 1) else { break }
            let press = presses[round - 1]
            try await application.test(.router) { client in
                let html = String(buffer: try await client.execute(uri: press.page, method: .get).body)
                let form = DashboardForm.all(in: html)[press.form]
                let fields = form.fields(.init(action: form.action, button: press.button, choice: ""), Self.values)
                let answer = try await DashboardPageTests.submit(client, form.action, fields)
                #expect(
                    [.ok, .seeOther].contains(answer.status),
                    "\(cause) \(press.page) \(press.button): \(answer.status.code)"
                )
            }
        }
    }

    @Test("An item of every kind about every subject offers only what is carried out", arguments: ReviewKind.known)
    func everyKind(_ kind: ReviewKind) async throws {
        let subjects: [ReviewSubject] = [
            .app, .token("SANDBOX_none"), .sale("none"),
            .report(try #require(RequestIdentifier("00000000-0000-4000-8000-000000000000"))),
            .notification(NotificationUUID("none")),
        ]
        for subject in subjects {
            for action in ReviewDecision.Action.allCases {
                let fixture = try ServerFixture()
                try await fixture.store.write { ledger throws(LedgerError) in
                    _ = try ledger.open(
                        ReviewItem(
                            bundleId: ServerFixture.bundleId,
                            kind: kind,
                            subject: subject,
                            detail: "a test",
                            openedAt: Timestamp(milliseconds: 1_795_176_000_000)
                        )
                    )
                }
                try await fixture.application.test(.router) { client in
                    let html = String(buffer: try await client.execute(uri: "/review/1", method: .get).body)
                    let forms = DashboardForm.all(in: html)
                    let isOffered = forms.flatMap(\.buttons).contains { $0.value == action.rawValue }
                    #expect(action != .resolve || isOffered)
                    let answer = try await client.execute(
                        uri: "/v1/review/1",
                        method: .post,
                        headers: [.contentType: "application/json"],
                        body: ByteBuffer(string: #"{"action":"\#(action.rawValue)","by":"kim","note":"n"}"#)
                    )
                    // The interface decides the same, and is the oracle of the page.
                    #expect(!isOffered || answer.status == .ok, "\(subject): \(answer.json)")
                    if kind != .saleHeld { #expect(isOffered == (answer.status == .ok), "\(subject): \(answer.json)") }
                }
            }
        }
    }
}

/// Values that closures collect.
final class Collected<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Value] = []

    var all: [Value] { lock.withLock { values } }

    func append(_ value: Value) { lock.withLock { values.append(value) } }
}
