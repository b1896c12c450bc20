import AppStoreEmulator
import ExternalPurchaseCore
import NIOHTTP1
import Testing

@Suite("Reports that may follow accepted ones")
struct ReportHistoryTests {
    private static let statuses = ["LINE_ITEM", "NO_LINE_ITEM", "UNRECOGNIZED_TOKEN", "DUPLICATE_TOKEN"]

    private func codes(_ answer: EmulatorUnderTest.Answer) -> [Int64] {
        answer["errors"]?.arrayValue?.compactMap { $0.objectValue?["errorCode"]?.int64Value } ?? []
    }

    private func fields(_ answer: EmulatorUnderTest.Answer) -> [String] {
        answer["errors"]?.arrayValue?.compactMap { $0.objectValue?["fieldName"]?.stringValue } ?? []
    }

    @Test("LINE_ITEM may follow every status, and the other three may not follow it: code 8 (SA-30, E8)")
    func statuses() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            var number = 0
            func put(_ status: String, on token: String) async throws -> EmulatorUnderTest.Answer {
                number += 1
                return try await emulator.put(
                    status == "LINE_ITEM"
                        ? Body.buy(number, token: token)
                        : Body.noLineItem(number, token: token).replacing("NO_LINE_ITEM", with: status)
                )
            }
            for (row, first) in Self.statuses.enumerated() {
                for (column, second) in Self.statuses.enumerated() {
                    // DUPLICATE_TOKEN is only allowed for tokens with periods (E37).
                    let token = "4d3f0000-0000-4000-8000-0000000000\(row)\(column)"
                    let minted = try await emulator.control(
                        .POST,
                        "/tokens",
                        #"{"bundleId":"com.example.shop","externalPurchaseId":"\#(token)","tokenType":"SERVICES","#
                            + #""creationDate":1790812800000,"expirationDate":1822348800000}"#
                    )
                    #expect(minted.status == 201, "\(minted.body)")
                    #expect(try await put(first, on: token).status == 200, "\(first)")
                    let answer = try await put(second, on: token)
                    let isRegression = first == "LINE_ITEM" && second != "LINE_ITEM"
                    #expect(answer.status == (isRegression ? 400 : 200), "\(second) after \(first): \(answer.body)")
                    #expect(codes(answer) == (isRegression ? [8] : []), "\(second) after \(first)")
                }
            }
        }
    }

    private func report(_ number: Int, _ items: String...) -> String {
        #"{"requestIdentifier":"\#(Body.request(number))","externalPurchaseId":"\#(Body.token)","status":"LINE_ITEM","#
            + #""lineItems":[\#(items.joined(separator: ","))]}"#
    }

    private func money(_ exclusive: Int, _ tax: Int, net: Int) -> String {
        #""amountTaxExclusive":\#(exclusive),"taxAmount":\#(tax),"amountTaxInclusive":\#(exclusive + tax),"#
            + #""netAmountTaxExclusive":\#(net),"pricingCurrency":"EUR","reportingCurrency":"EUR","taxCountry":"ESP""#
    }

    private func buy(_ id: String, _ money: String, more: String = "") -> String {
        #"{"lineItemId":"\#(id)","creationDate":1794906000000,"eventType":"BUY","productType":"ONE_TIME_BUY","#
            + #""productIdentifier":"sticker.book","quantity":1,\#(more)\#(money)}"#
    }

    private func refund(_ id: String, of buy: String, _ money: String) -> String {
        #"{"lineItemId":"\#(id)","creationDate":1794992400000,"eventType":"REFUND","#
            + #""referenceLineItemId":"\#(buy)",\#(money)}"#
    }

    @Test("A lineItemId is used again as a restatement only, and the newest accepted version counts (SA-63, E1)")
    func newestVersion() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            #expect(try await emulator.put(report(1, buy("s", money(8_256, 1_734, net: 8_256)))).status == 200)
            let newer = money(4_000, 840, net: 4_000)
            let again = try await emulator.put(report(2, buy("s", newer)))
            #expect(codes(again) == [1] && fields(again) == ["lineItemId"], "\(again.body)")
            let restated = try await emulator.put(report(2, buy("s", newer, more: #""restatement":true,"#)))
            #expect(restated.status == 200, "\(restated.body)")
            // The net amount for the older version, and for the newer one.
            let older = try await emulator.put(report(3, refund("r", of: "s", money(1_000, 210, net: 7_256))))
            #expect(codes(older) == [12], "\(older.body)")
            let right = try await emulator.put(report(3, refund("r", of: "s", money(1_000, 210, net: 3_000))))
            #expect(right.status == 200, "\(right.body)")
        }
    }

    @Test("Refunds have no minus sign, and refund at most the buy, in parts or at once (SA-43, E15)")
    func refunds() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            let sold = money(8_256, 1_734, net: 8_256)
            #expect(try await emulator.put(report(1, buy("s", sold), buy("t", sold))).status == 200)
            let negative = try await emulator.put(report(2, refund("r", of: "s", money(-2_479, -521, net: 5_777))))
            #expect(codes(negative) == [15, 15, 15], "\(negative.body)")
            #expect(Set(fields(negative)) == ["amountTaxExclusive", "taxAmount", "amountTaxInclusive"])
            let part = try await emulator.put(report(2, refund("r", of: "s", money(2_479, 521, net: 5_777))))
            #expect(part.status == 200, "\(part.body)")
            let rest = try await emulator.put(report(3, refund("r2", of: "s", money(5_777, 1_213, net: 0))))
            #expect(rest.status == 200, "\(rest.body)")
            for net in [0, -1_000] {
                let more = try await emulator.put(report(4, refund("r3", of: "s", money(1_000, 210, net: net))))
                #expect(more.status == 400, "\(more.body)")
            }
            let whole = try await emulator.put(report(4, refund("r3", of: "t", money(8_256, 1_734, net: 0))))
            #expect(whole.status == 200, "\(whole.body)")
        }
    }

    @Test("The three responses: a success, two errors of one item, and a report that was never accepted (EX-18)")
    func answers() async throws {
        try await EmulatorUnderTest.run { emulator async throws in
            try await emulator.addToken(Body.token)
            let accepted = try await emulator.put(report(1, buy("sale-1", money(8_256, 1_734, net: 8_256))))
            #expect(accepted.status == 200)
            #expect(accepted.body == #"{"requestIdentifier":"00000000-0000-4000-8000-000000000001"}"#)
            let wrong = money(8_256, 1_734, net: 8_255).replacing(#","taxCountry":"ESP""#, with: "")
            let refused = try await emulator.put(report(2, buy("sale-9", wrong)))
            #expect(refused.status == 400)
            #expect(
                refused.body
                    == #"{"errors":[{"errorCode":4,"errorMessage":"A required field is missing.","fieldName":"taxCountry","#
                    + #""lineItemId":"sale-9"},{"errorCode":12,"errorMessage":"The net amount value does not match the "#
                    + #"expected value.","fieldName":"netAmountTaxExclusive","lineItemId":"sale-9"}]}"#
            )
            let unknown = try await emulator.get(Body.request(2))
            #expect(unknown.status == 400)
            #expect(unknown.body == Body.unknownReport)
        }
    }
}
