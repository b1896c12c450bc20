import ExternalPurchaseCore
import Foundation
import Hummingbird
import HummingbirdTesting
import Ledger
import Payments
import Testing

@testable import Reporting
@testable import ReportingServer

@Suite("Payments that a shop tells anew, each time as they stand")
struct CustomPaymentCourseTests {
    private typealias Custom = CustomDelivery

    /// States of one payment; nil lets Apple answer first.
    struct Course: Sendable, CustomTestStringConvertible {
        /// Prices of lines; of refunds the id and the amount, `3.00 of 1` for those of a line; of disputes what they took and returned.
        struct State: Sendable {
            let lines: [(id: String, amount: String)]
            let refunds: [(String, String)]
            let disputes: [(String, String, String)]
            let currency: String

            init(
                _ prices: [String],
                _ refunds: [(String, String)] = [],
                _ disputes: [(String, String, String)] = [],
                in currency: String = "EUR"
            ) {
                // A line that is left out has no price.
                lines = prices.enumerated().map { ("\($0)", $1) }.filter { !$0.1.isEmpty }
                (self.refunds, self.disputes, self.currency) = (refunds, disputes, currency)
            }
        }

        let name: String
        /// What Apple has in the end, in thousandths of the last state's currency.
        let expected: Int64
        let states: [State?]
        var testDescription: String { name }

        init(_ name: String, _ expected: Int64, _ states: State?...) {
            (self.name, self.expected, self.states) = (name, expected, states)
        }
    }

    private static let courses: [Course] = [
        Course("a refund", 6_990, .init(["9.99"]), nil, .init(["9.99"], [("r", "3.00")])),
        Course(
            "a refund that is taken away",
            9_990,
            .init(["9.99"]),
            .init(["9.99"], [("r", "3.00")]),
            nil,
            .init(["9.99"])
        ),
        Course(
            "a refund that becomes less, beside a new one",
            6_990,
            .init(["9.99"], [("r", "9.00")]),
            nil,
            .init(["9.99"], [("r", "1.00"), ("s", "2.00")])
        ),
        Course(
            "a refund in place of another one",
            990,
            .init(["9.99"], [("r", "5.00")]),
            nil,
            .init(["9.99"], [("s", "9.00")])
        ),
        Course(
            "a refund that is taken away and there again",
            6_990,
            .init(["9.99"], [("r", "3.00")]),
            nil,
            .init(["9.99"]),
            nil,
            .init(["9.99"], [("r", "3.00")])
        ),
        Course(
            "a refund that comes and goes before Apple has any, with another amount in the end",
            5_990,
            .init(["9.99"], [("r", "3.00")]),
            .init(["9.99"]),
            .init(["9.99"], [("r", "3.00")]),
            .init(["9.99"]),
            .init(["9.99"], [("r", "4.00")])
        ),
        Course(
            "a refund of a line that comes and goes beside one of everything that is left",
            0,
            .init(["9.00", "5.00"], [("w", "14.00")]),
            nil,
            .init(["9.00", "5.00"], [("r", "9.00 of 0"), ("w", "5.00")]),
            nil,
            .init(["9.00", "5.00"], [("w", "14.00")])
        ),
        Course(
            "a part of everything beside a refund of a line that goes",
            8_000,
            .init(["9.00", "5.00"], [("r", "5.00 of 1"), ("w", "6.00")]),
            nil,
            .init(["9.00", "5.00"], [("w", "6.00")])
        ),
        Course("another price", 7_990, .init(["9.99"]), nil, .init(["7.99"])),
        Course(
            "other prices of several lines",
            9_000,
            .init(["9.99", "5.00", "2.00"]),
            nil,
            .init(["4.00", "3.00", "2.00"])
        ),
        Course(
            "other prices of several lines beside their refund",
            6_000,
            .init(["9.99", "5.00", "2.00"], [("r", "6.00")]),
            nil,
            .init(["4.00", "3.00", "1.00"], [("r", "2.00")])
        ),
        Course(
            "another price below what was given back of the first",
            2_000,
            .init(["9.99"], [("r", "8.00")]),
            nil,
            .init(["5.00"], [("r", "3.00")])
        ),
        Course(
            "a line more, of which the refund takes its part",
            11_990,
            .init(["9.99"], [("r", "3.00")]),
            nil,
            .init(["9.99", "5.00"], [("r", "3.00")])
        ),
        Course("a line less", 9_990, .init(["9.99", "5.00"]), nil, .init(["9.99"])),
        Course(
            "a line that goes with what was given back of it, and comes again",
            12_990,
            .init(["9.99", "5.00"], [("r", "2.00 of 1")]),
            nil,
            .init(["9.99"]),
            nil,
            .init(["9.99", "5.00"], [("r", "2.00 of 1")])
        ),
        Course(
            "another currency",
            12_000,
            .init(["9.99"]),
            nil,
            .init(["12.00"], in: "USD")
        ),
        Course(
            "another currency beside a refund",
            8_000,
            .init(["9.99"], [("r", "3.00")]),
            nil,
            .init(["12.00"], [("r", "4.00")], in: "USD")
        ),
        Course(
            "another currency beside a refund, before Apple has any",
            8_000,
            .init(["9.99"], [("r", "3.00")]),
            .init(["12.00"], [("r", "4.00")], in: "USD")
        ),
        Course(
            "another currency of several lines beside a dispute, and back",
            10_990,
            .init(["9.99", "5.00"], [], [("d", "6.00", "0.00")]),
            nil,
            .init(["12.00", "6.00"], [], [("d", "7.00", "1.00")], in: "USD"),
            nil,
            .init(["9.99", "5.00"], [], [("d", "6.00", "2.00")])
        ),
        Course(
            "a part of a dispute that comes back",
            4_000,
            .init(["9.99"], [], [("d", "9.99", "0.00")]),
            nil,
            .init(["9.99"], [], [("d", "9.99", "4.00")])
        ),
        Course(
            "a dispute that is won",
            9_990,
            .init(["9.99"], [], [("d", "9.99", "0.00")]),
            nil,
            .init(["9.99"], [], [("d", "9.99", "9.99")])
        ),
        Course(
            "a line that goes after its dispute was won, and comes again",
            14_990,
            .init(["9.99", "5.00"], [], [("d", "14.99", "0.00")]),
            nil,
            .init(["9.99", "5.00"], [], [("d", "14.99", "14.99")]),
            nil,
            .init(["9.99"]),
            nil,
            .init(["9.99", "5.00"])
        ),
        Course(
            "a line that goes after its dispute was won, before Apple has any",
            9_990,
            .init(["9.99", "5.00"], [], [("d", "14.99", "0.00")]),
            .init(["9.99", "5.00"], [], [("d", "14.99", "14.99")]),
            .init(["9.99"])
        ),
        Course(
            "another currency after a dispute was won",
            12_000,
            .init(["9.99"], [], [("d", "9.99", "0.00")]),
            nil,
            .init(["9.99"], [], [("d", "9.99", "9.99")]),
            nil,
            .init(["12.00"], [], [("d", "12.00", "12.00")], in: "USD")
        ),
        Course(
            "a dispute that is won and taken after all",
            4_000,
            .init(["9.99"], [], [("d", "9.99", "0.00")]),
            nil,
            .init(["9.99"], [], [("d", "9.99", "9.99")]),
            nil,
            .init(["9.99"], [], [("d", "9.99", "4.00")])
        ),
        Course(
            "a dispute of two lines that is won, taken after all, and won again, before Apple has any",
            14_990,
            .init(["9.99", "5.00"], [], [("d", "9.99", "0.00")]),
            .init(["9.99", "5.00"], [], [("d", "9.99", "9.99")]),
            .init(["9.99", "5.00"], [], [("d", "9.99", "4.00")]),
            .init(["9.99", "5.00"], [], [("d", "9.99", "9.99")])
        ),
        Course(
            "a dispute that is won, taken after all, and won again",
            9_990,
            .init(["9.99"], [], [("d", "9.99", "0.00")]),
            nil,
            .init(["9.99"], [], [("d", "9.99", "9.99")]),
            nil,
            .init(["9.99"], [], [("d", "9.99", "0.00")]),
            nil,
            .init(["9.99"], [], [("d", "9.99", "9.99")])
        ),
    ]

    @Test(
        "RR-106: the same tax in another form, or a coin that Apple does not see, is no change, and the refund beside it is told",
        arguments: [
            ("EUR", "12.10", "2.10", "3.00", 9_100), ("ISK", "67420", "13049", "3000", 444_498),
        ] as [(String, String, String, String, Int64)],
        [ReportingSettings.CorrectionMode.automatic, .review]
    )
    func sameTax(
        _ money: (currency: String, paid: String, tax: String, back: String, expected: Int64),
        _ mode: ReportingSettings.CorrectionMode
    ) async throws {
        var settings = ReportingSettings()
        settings.paymentCorrections = mode
        try await EmulatedMerchant.run(settings: settings, payments: [Custom.source()]) { sides in
            let checkout = try await sides.receiveToken()
            sides.advance(by: .seconds(20_000))
            _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":20000}"#)
            let line = #"{"id":"a","productId":"gems","quantity":1,"inclusive":"\#(money.paid)","taxCountry":"NLD","#
            let refund = #"{"id":"r","occurredAt":"2026-11-20T14:00:00Z","inclusive":"\#(money.back)"}"#
            // 24 % of 67420 are 13049.03, which at its rate are the same thousandths.
            let rate = money.currency == "EUR" ? "21" : "24"
            let states = [(#""taxRate":"\#(rate)"}"#, ""), (#""tax":"\#(money.tax)"}"#, refund)]
            for (version, (tax, refunds)) in states.enumerated() {
                let body = Custom.body(version: version, checkout: checkout, lines: line + tax, refunds: refunds)
                    .replacing("EUR", with: money.currency)
                let answer = try await Custom.post(body, to: sides.client)
                #expect(answer.status == .ok, "\(answer.json)")
                if version == 0, money.currency != "EUR" {
                    var sale = try #require(try await sides.get("/v1/sales/o1%2Fa").json["sale"] as? [String: Any])
                    var amount = try #require(sale["amount"] as? [String: Any])
                    amount["exchangeRate"] = ["rate": "0.0069", "source": "test", "asOf": "2026-11-20T12:00:00Z"]
                    sale["amount"] = amount
                    let rated = try JSONSerialization.data(withJSONObject: sale.filter { !($0.value is NSNull) })
                    let stored = try await sides.post("/v1/sales", String(decoding: rated, as: UTF8.self))
                    #expect(stored.status == .ok, "\(stored.json)")
                }
                await sides.runUntilIdle()
            }
            try await PaymentMonth.settle(sides, confirms: false)
            #expect(try await StripeCorrectionTests.accepted(sides) == [money.currency: money.expected])
        }
    }

    @Test(
        "RR-106: a newer state restates what was told, and Apple ends with what the customer paid",
        arguments: courses,
        [ReportingSettings.CorrectionMode.automatic, .review]
    )
    func course(_ course: Course, _ mode: ReportingSettings.CorrectionMode) async throws {
        var settings = ReportingSettings()
        settings.paymentCorrections = mode
        try await EmulatedMerchant.run(settings: settings, payments: [Custom.source()]) { sides in
            let checkout = try await sides.receiveToken()
            sides.advance(by: .seconds(20_000))
            _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":20000}"#)
            for (number, state) in course.states.enumerated() {
                guard let state else {
                    await sides.runUntilIdle()
                    continue
                }
                let body = Custom.body(
                    version: number,
                    checkout: checkout,
                    lines: state.lines.map {
                        #"{"id":"\#($0.id)","productId":"gems.\#($0.id)","quantity":1,"inclusive":"\#($0.amount)"}"#
                    }.joined(separator: ","),
                    refunds: state.refunds.map { id, amount in
                        let parts = amount.split(separator: " of ")
                        let line = parts.count == 2 ? #","line":"\#(parts[1])""# : ""
                        return
                            #"{"id":"\#(id)","occurredAt":"2026-11-20T14:00:00Z","inclusive":"\#(parts[0])"\#(line)}"#
                    }.joined(separator: ","),
                    disputes: state.disputes.map {
                        #"{"id":"\#($0)","occurredAt":"2026-11-20T15:00:00Z","taken":"\#($1)","returned":"\#($2)"}"#
                    }.joined(separator: ",")
                ).replacing("EUR", with: state.currency)
                let answer = try await Custom.post(body, to: sides.client)
                #expect(answer.status == .ok, "\(answer.json)")
            }
            try await PaymentMonth.settle(sides, confirms: mode == .review)
            let currency = course.states.last??.currency ?? ""
            let expected = course.expected == 0 ? [:] : [currency: course.expected]
            let accepted = try await StripeCorrectionTests.accepted(sides).filter { $0.value != 0 }
            #expect(accepted == expected)
            let work = PaymentReconciliation(
                sources: PaymentSources([Custom.source()]),
                tokenWait: .hours(24),
                now: sides.merchant.now
            )
            let differences = try await sides.merchant.store.read { ledger throws(LedgerError) in
                try work.differences(of: nil, in: ledger)
            }
            #expect(differences.isEmpty, "\(differences.map(\.json))")
            let items = try await sides.list("/v1/review?state=open", "review")
            #expect(items.isEmpty, "\(items.map { $0["detail"] ?? "" })")
        }
    }

    @Test("The events that tell a sale are found also while they are to be applied anyway, for another reason")
    func reopening() async throws {
        let server = try ServerFixture(payments: [Custom.source(take: .all)])
        try await server.application.test(.router) { client in
            #expect(try await Custom.post(Custom.body(checkout: nil), to: client).status == .ok)
            for _ in 0..<2 {
                let isFound = try await server.merchant.store.write { ledger throws(LedgerError) in
                    try ledger.reopenPaymentEvents(of: "o1/a")
                }
                #expect(isFound)
            }
        }
    }

    @Test(
        "RR-106: figures that the planner restated do not keep a subscription from another price",
        arguments: [ReportingSettings.CorrectionMode.automatic, .review]
    )
    func restatedFigures(_ mode: ReportingSettings.CorrectionMode) async throws {
        var settings = ReportingSettings()
        (settings.paymentCorrections, settings.subscriptionFigures) = (mode, .automatic)
        try await EmulatedMerchant.run(settings: settings, payments: [Custom.source()]) { sides in
            let checkout = try await sides.receiveToken()
            sides.advance(by: .days(40))
            _ = try await sides.emulator("POST", "/clock/advance", #"{"seconds":3456000}"#)
            // The second period comes first; when the first is known, the planner makes a renewal of it.
            let months = [("2026-12-20", "2027-01-19"), ("2026-11-20", "2026-12-20")]
            func post(_ index: Int, version: Int, _ amount: String) async throws {
                let (start, end) = months[index]
                let body = Custom.body(
                    "month-\(index)",
                    version: version,
                    at: "\(start)T13:00:00Z",
                    checkout: checkout,
                    lines: #"{"id":"a","productId":"club","quantity":1,"inclusive":"\#(amount)","subscriptionId":"s","#
                        + #""period":{"start":"\#(start)T13:00:00Z","end":"\#(end)T13:00:00Z"}}"#
                )
                #expect(try await Custom.post(body, to: sides.client).status == .ok)
                await sides.runUntilIdle()
            }
            try await post(0, version: 1, "9.99")
            try await post(1, version: 1, "9.99")
            let corrections = try await sides.list("/v1/corrections", "corrections")
            #expect(corrections.map { $0["requestedBy"] as? String } == ["planner"], "\(corrections)")
            try await post(0, version: 2, "7.99")
            try await PaymentMonth.settle(sides, confirms: mode == .review)
            #expect(try await StripeCorrectionTests.accepted(sides) == ["EUR": 17_980])
        }
    }

    @Test(
        "RR-106: a month of shuffled, repeated and late states ends with what the customers paid at Apple",
        arguments: PaymentMonth.seeds
    )
    func month(_ seed: UInt64) async throws {
        var settings = ReportingSettings()
        settings.paymentCorrections = .automatic
        try await EmulatedMerchant.run(settings: settings, payments: [Custom.source()]) { sides in
            try await PaymentMonth.play(seed, sides) { payment, checkout in
                payment.states.map { state in
                    let body = Custom.body(
                        payment.id,
                        version: state.version,
                        at: state.paidAt.description,
                        checkout: checkout,
                        lines: #"{"id":"1","productId":"gems","quantity":1,"inclusive":"\#(state.text(state.paid))"}"#,
                        refunds: state.refunds.map {
                            #"{"id":"\#($0.id)","occurredAt":"\#($0.at)","inclusive":"\#(state.text($0.amount))"}"#
                        }.joined(separator: ",")
                    )
                    return (state.at, { _ = try await Custom.post(body, to: sides.client) })
                }
            }
        }
    }
}
