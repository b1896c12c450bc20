import ExternalPurchaseCore
import Foundation
import Ledger
import Testing

@testable import Reporting

@Suite("Month exports from the ledger")
struct LedgerExportTests {
    /// A refunded buy that was reported, one without a token, one without tax, and one in the sandbox.
    private func november(programmes: [String] = ["eu-custom-link"]) async throws -> Merchant {
        let merchant = Merchant(programmes: programmes)
        let token = Merchant.token("a", type: .services, expires: Merchant.noon + .days(1))
        try await merchant.take(token, customer: "anna")
        try await merchant.sell(Merchant.purchase("one", on: token))
        try await merchant.sell(Merchant.refund("back", of: "one", "1.21"))
        await merchant.system.sender.runUntilIdle()
        try await merchant.sell(Merchant.purchase("alone", on: nil))
        try await merchant.sell(
            #"{"saleId":"untaxed","bundleId":"com.example.shop","type":"purchase","occurredAt":"2026-11-20T11:00:00Z","#
                + #""externalPurchaseId":"\#(token.externalPurchaseId)","productId":"gems","quantity":1,"#
                + #""amount":{"currency":"EUR","inclusive":"9.99"}}"#
        )
        let sandbox = Merchant.token("c", environment: .sandbox)
        try await merchant.take(sandbox)
        try await merchant.sell(Merchant.purchase("played", on: sandbox))
        return merchant
    }

    private func cells(_ csv: String) -> [String: [String: String]] {
        let lines = csv.split(separator: "\r\n").map { line in
            line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        var rows: [String: [String: String]] = [:]
        for line in lines.dropFirst() {
            rows[line[0]] = Dictionary(zip(lines[0], line)) { first, _ in first }
        }
        return rows
    }

    @Test("Every sale of the month is a line with the figures of its line item and where it stands (OB-61, OB-63)")
    func lines() async throws {
        let merchant = try await november()
        let rows = cells(try await merchant.system.exports.text(.csv, MonthChoice("2026-11")))
        #expect(rows.keys.sorted() == ["alone", "back", "one", "untaxed"])
        #expect(rows["one"]?["state"] == "reported")
        #expect(rows["one"]?["event"] == "ONE_TIME_BUY")
        // EUR 9.99 with 21 % tax is 8.256 without it; 1.00 of that was given back.
        #expect(rows["one"]?["amountTaxExclusive"] == "8.256")
        #expect(rows["one"]?["netAmountTaxExclusive"] == "7.256")
        #expect(rows["back"]?["state"] == "reported")
        #expect(rows["back"]?["event"] == "REFUND")
        #expect(rows["back"]?["reference"] == "one")
        #expect(rows["back"]?["amountTaxExclusive"] == "1.00")
        #expect(rows["alone"]?["state"] == "no-token")
        #expect(rows["alone"]?["channel"] == "manual")
        #expect(rows["alone"]?["amountTaxExclusive"] == "8.256")
        #expect(rows["untaxed"]?["state"] == "held")
        #expect(rows["untaxed"]?["amountTaxExclusive"] == "")
    }

    @Test("A sale that is held for its rate or its tax keeps currency and amounts as they were given (OB-61, RR-45)")
    func givenMoney() async throws {
        let merchant = try await november()
        let kronur = Merchant.purchase("kronur", on: nil)
            .replacing(#""EUR","inclusive":"9.99","taxRate":"21""#, with: #""ISK","inclusive":"1490","tax":"288""#)
        try await merchant.sell(kronur)
        try await merchant.sell(Merchant.refund("krona", of: "kronur", "745"))
        let export = try await merchant.system.exports.make(MonthChoice("2026-11"))
        let rows = cells(try await merchant.system.exports.text(.csv, MonthChoice("2026-11")))
        let columns = [
            "state", "pricingCurrency", "reportingCurrency", "exchangeRate", "amountTaxInclusive", "taxAmount",
            "amountTaxExclusive", "netAmountTaxExclusive",
        ]
        func row(_ id: String) -> [String?] { columns.map { rows[id]?[$0] } }
        #expect(row("kronur") == ["held", "ISK", "", "", "1490", "288", "1202", ""])
        #expect(row("krona") == ["held", "ISK", "", "", "745", "144", "601", ""])
        #expect(row("untaxed") == ["held", "EUR", "", "", "9.99", "", "", ""])
        let json = try await merchant.system.exports.text(.json, MonthChoice("2026-11"))
        #expect(json.contains(#""1490""#))
        // What is not known is added up nowhere.
        let currencies = export.exports.flatMap(\.reconciliation.sales.money).map(\.currency)
        #expect(Set(currencies) == ["EUR"])
    }

    @Test(
        "A refund that is held keeps currency and amount as given, and changes no other figure (OB-61, OB-80)",
        arguments: [
            (#""inclusive":"3.00","currency":"USD""#, ["USD", "3.00"]),
            (#""inclusive":"10.00""#, ["EUR", "10.00"]),
            (#""inclusive":"3.001""#, ["EUR", "3.001"]), (#""inclusive":"3.00","tax":"2.90""#, ["EUR", "3.00"]),
        ]
    )
    func heldRefund(_ amount: String, _ given: [String]) async throws {
        let merchant = Merchant(programmes: ["eu-custom-link"])
        let token = Merchant.token("a", type: .services, expires: Merchant.noon + .days(1))
        try await merchant.take(token)
        let early = Merchant.refund("wrong", of: "one", "3.00").replacing(#""inclusive":"3.00""#, with: amount)
        #expect(try await merchant.sell(early).flags == [.buyUnknown])
        try await merchant.sell(Merchant.purchase("one", on: token))
        try await merchant.sell(Merchant.refund("first", of: "one", "3.00"))
        try await merchant.sell(Merchant.refund("second", of: "one", "2.00"))
        await merchant.system.sender.runUntilIdle()
        let export = try await merchant.system.exports.make(MonthChoice("2026-11"))
        let rows = cells(try await merchant.system.exports.text(.csv, MonthChoice("2026-11")))
        let columns = ["state", "pricingCurrency", "amountTaxInclusive", "reportingCurrency", "netAmountTaxExclusive"]
        #expect(columns.map { rows["wrong"]?[$0] } == ["held"] + given + ["", ""])
        #expect(rows["wrong"]?["reference"] == "one")
        // EUR 9.99, 3.00 and 2.00 with 21 % tax.
        for (id, exclusive) in [("one", "8.256"), ("first", "2.479"), ("second", "1.653")] {
            let received = try #require(merchant.apple.item(LineItemId(id)))
            #expect(received.amountTaxExclusive.map { MilliUnits($0).unitsText } == exclusive)
            #expect(rows[id]?["amountTaxExclusive"] == exclusive)
            #expect(rows[id]?["netAmountTaxExclusive"] == "4.124", "\(id)")
        }
        #expect(export.exports.flatMap(\.reconciliation.differences) == [])
        #expect(export.exports.flatMap(\.reconciliation.sales.money).map { "\($0.refunded)" } == ["4.132"])
    }

    @Test("A refund that waits with its buy for a token takes part in the figures of both (OB-61, OB-63)")
    func refundWithoutToken() async throws {
        let merchant = try await november()
        try await merchant.sell(Merchant.refund("cash", of: "alone", "3.00"))
        let rows = cells(try await merchant.system.exports.text(.csv, MonthChoice("2026-11")))
        #expect(rows["cash"]?["state"] == "no-token")
        #expect(rows["cash"]?["amountTaxExclusive"] == "2.479")
        #expect(rows["alone"]?["netAmountTaxExclusive"] == "5.777")
    }

    @Test("Sold, reported and given back are added up, and nothing differs where Apple has it all (OB-80)")
    func reconciliation() async throws {
        let merchant = try await november()
        let export = try #require(try await merchant.system.exports.make(MonthChoice("2026-11")).exports.first)
        let money = try #require(export.reconciliation.sales.money.first)
        #expect(money.currency == "EUR")
        #expect("\(money.bought)" == "16.512")
        #expect("\(money.refunded)" == "1")
        #expect("\(money.reportedNet)" == "7.256")
        #expect(export.reconciliation.reports >= 1)
        #expect(export.reconciliation.tokens.made == 1)
        #expect(export.reconciliation.differences == [])
        let sandbox = try await merchant.system.exports.make(MonthChoice("2026-11"), environment: .sandbox)
        #expect(sandbox.exports.map(\.rowCount) == [1])
        let before = try await merchant.system.exports.make(MonthChoice("2026-10", programme: "eu-2026-10"))
        #expect(before.exports.map(\.rowCount) == [0])
    }

    @Test("A sale that a person handed in is reported by hand, with date and reference (OB-62)")
    func submission() async throws {
        let merchant = try await november()
        let manualSubmission = ManualSubmission(at: Merchant.noon, by: "kim", reference: "case 7")
        try await merchant.store.write { ledger throws(LedgerError) in
            let export = ManualExport(
                exportId: "e-1",
                bundleId: Merchant.shop,
                programme: "eu-2026-10",
                month: "2026-11",
                madeAt: Merchant.noon
            )
            _ = try ledger.insert(export, holding: ["alone"])
            try ledger.recordSubmission("e-1", of: Merchant.shop, manualSubmission)
        }
        let rows = cells(try await merchant.system.exports.text(.csv, MonthChoice("2026-11")))
        #expect(rows["alone"]?["state"] == "reported-by-hand")
        #expect(rows["alone"]?["handInReference"] == "case 7")
        #expect(rows["one"]?["handInReference"] == "")
    }

    @Test("A programme left open takes all, each sale under one of them; other open choices are refused (OB-61)")
    func openChoice() async throws {
        let merchant = try await november(programmes: [])
        let all = try await merchant.system.exports.make(MonthChoice("2026-11"))
        let csv = try await merchant.system.exports.text(.csv, MonthChoice("2026-11"))
        #expect(cells(csv).keys.sorted() == ["alone", "back", "one", "untaxed"])
        #expect(csv.split(separator: "\r\n").count == 5)
        let json = try JSONReader().read(try await merchant.system.exports.text(.json, MonthChoice("2026-11")))
        let listed = json.objectValue?["exports"]?.arrayValue ?? [json]
        #expect(listed.count == all.exports.count)
        #expect(!all.exports.contains { $0.programme.id == "eu-2025-06" })
        for programme in Set(all.exports.map(\.programme.id)) {
            let one = try await merchant.system.exports.make(MonthChoice("2026-11", programme: programme))
            #expect(one.exports == all.exports.filter { $0.programme.id == programme })
        }
        await #expect(throws: RequestError.self) { try await merchant.system.exports.make(MonthChoice("2026-13")) }
        await #expect {
            try await merchant.system.exports.make(MonthChoice("2026-11", of: "com.example.other"))
        } throws: { error in
            guard case RequestError.invalid(let faults) = error else { return false }
            return faults.first?.path == "/bundleId" && faults.first?.message.contains("com.example.shop") == true
        }
    }

    @Test("A sale outside the App Store is out of the app only on a token that came through a link (OB-46, OB-72)")
    func tapsOutsideTheAppStore() async throws {
        for (unit, late) in [(DayCount.Unit.calendarDays, "0.41"), (.hours, "0.00")] {
            var settings = ReportingSettings()
            settings.commissionWindow = unit
            let merchant = Merchant(settings: settings, programmes: ["outside-app-store"])
            let (tapped, own) = (Merchant.token("a", type: .coreTechnology), Merchant.token("b", type: .coreTechnology))
            merchant.apple.know(tapped)
            let query = "externalPurchaseToken=\(tapped.encoded())&bundleId=com.example.shop"
            _ = await merchant.system.visits.receive(query: query, link: "nl")
            _ = try await merchant.take(own, customer: "anna")
            merchant.clock.advance(seconds: 9 * 86_400)
            for (id, token, moment) in [
                ("soon", tapped, "2026-11-20T12:00:30Z"), ("late", tapped, "2026-11-27T13:00:00Z"),
                ("over", tapped, "2026-11-28T00:00:00Z"), ("app", own, "2026-11-28T00:00:00Z"),
            ] {
                try await merchant.sell(
                    Merchant.purchase(id, on: token, more: #""customerId":"anna","#)
                        .replacing("2026-11-20T11:00:00Z", with: moment)
                )
            }
            let rows = cells(try await merchant.system.exports.text(.csv, MonthChoice("2026-11")))
            let estimates = rows.mapValues { $0["estimate"] ?? "" }
            #expect(estimates == ["soon": "0.41", "late": late, "over": "0.00", "app": "0.41"], "\(unit): \(rows)")
        }
    }

    @Test("A visit leaves a tap with its token, which opens the window of an estimate (OB-31, OB-32)")
    func taps() async throws {
        let merchant = Merchant(programmes: ["eu-custom-link"])
        let token = Merchant.token("a")
        merchant.apple.know(token)
        let query = "externalPurchaseToken=\(token.encoded())&bundleId=com.example.shop"
        _ = await merchant.system.visits.receive(query: query, link: "nl")
        merchant.clock.advance(seconds: 60)
        _ = await merchant.system.visits.receive(query: query, link: "nl")
        let taps = try await merchant.store.read { ledger throws(LedgerError) in try ledger.taps(LedgerPage()) }
        #expect(taps.map(\.link) == ["nl", "nl"])
        #expect(taps.map(\.tappedAt) == [Merchant.noon, Merchant.noon + .minutes(1)])
        #expect(taps.allSatisfy { $0.externalPurchaseId == token.externalPurchaseId && $0.checkoutId != nil })
        for (id, moment) in [("before", "2026-11-20T11:00:00Z"), ("after", "2026-11-20T12:00:30Z")] {
            try await merchant.sell(Merchant.purchase(id, on: token).replacing("2026-11-20T11:00:00Z", with: moment))
        }
        let rows = cells(try await merchant.system.exports.text(.csv, MonthChoice("2026-11")))
        // 15 % of 8.256, the programme's rate for sales within seven days of a tap.
        #expect(rows["after"]?["estimate"] == "1.24", "\(rows["after"] ?? [:])")
        // A tap says nothing of the way to a purchase before it (OB-71).
        #expect(rows["before"]?["estimate"] == "", "\(rows["before"] ?? [:])")
    }
}
