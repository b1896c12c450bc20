import AppStoreEmulator
import ExternalPurchaseCore
import NIOHTTP1
import ReportValidation
import Synchronization
import Testing

/// The net amounts that the clients have seen, which only decrease.
private final class Left: Sendable {
    private let nets: Mutex<[String: Int64]>

    init(_ buys: [String]) {
        nets = Mutex(Dictionary(uniqueKeysWithValues: buys.map { ($0, 1_000) }))
    }

    func of(_ buy: String) -> Int64 { nets.withLock { $0[buy] ?? 0 } }

    func lower(_ buy: String, to net: Int64) { nets.withLock { $0[buy] = min($0[buy] ?? 0, net) } }
}

@Suite("64 clients at once on shared tokens")
struct SerialOrderTests {
    private static let tokens = (10..<14).map { "4d3f0000-0000-4000-8000-0000000000\($0)" }
    private static let buys = (0..<4).map { "buy-\($0)" }

    private static func item(_ id: String, refundOf buy: String? = nil, excl: Int64, net: Int64) -> String {
        #"{"lineItemId":"\#(id)","creationDate":1794906000000,"#
            + (buy.map { #""eventType":"REFUND","referenceLineItemId":"\#($0)","# }
                ?? #""eventType":"BUY","productType":"ONE_TIME_BUY","productIdentifier":"a","quantity":1,"#)
            + #""amountTaxExclusive":\#(excl),"taxAmount":0,"amountTaxInclusive":\#(excl),"#
            + #""netAmountTaxExclusive":\#(net),"pricingCurrency":"EUR","reportingCurrency":"EUR","taxCountry":"ESP"}"#
    }

    private static func report(_ number: Int, _ token: String, _ item: String) -> String {
        #"{"requestIdentifier":"\#(Body.request(number))","externalPurchaseId":"\#(token)","status":"LINE_ITEM","#
            + #""lineItems":[\#(item)]}"#
    }

    /// The accepted reports in the order of their acceptance.
    private func accepted(_ emulator: EmulatorUnderTest) async throws -> [ReceivedReport] {
        let snapshot = try #require(try await emulator.control(.GET, "/snapshot").json?.objectValue)
        return try (snapshot["changes"]?.arrayValue ?? []).compactMap { change in
            let report = change.objectValue?["report"]?.objectValue?["_0"]?.objectValue
            return try report?["body"]?.stringValue.map { try ReceivedReport.read(Array($0.utf8)) }
        }
    }

    @Test("A new validator accepts the accepted reports again one after another, and no update is lost (SA-65)")
    func serialOrder() async throws {
        try await EmulatorUnderTest.run(settings: ["auth.clock=virtual", "simultaneous.hold=2ms"]) { emulator in
            for token in Self.tokens { try await emulator.addToken(token) }
            for (number, buy) in Self.buys.enumerated() {
                let item = Self.item(buy, excl: 1_000, net: 1_000)
                #expect(try await emulator.put(Self.report(number, Self.tokens[number], item)).status == 200)
            }
            // What each client expects to remain of a buy, based on the responses it received.
            let left = Left(Self.buys)
            let outcomes = try await withThrowingTaskGroup(of: [Int: EmulatorUnderTest.Answer].self) { group in
                for client in 0..<64 {
                    group.addTask {
                        var outcomes: [Int: EmulatorUnderTest.Answer] = [:]
                        for round in 0..<6 {
                            let number = 100 + client * 10 + round
                            let buy = Self.buys[(client + round) % 4]
                            let net = left.of(buy) - 1
                            let item = Self.item("refund-\(number)", refundOf: buy, excl: 1, net: net)
                            let answer = try await emulator.put(
                                Self.report(number, Self.tokens[client % 4], item)
                            )
                            if answer.status == 200 { left.lower(buy, to: net) }
                            outcomes[number] = answer
                        }
                        return outcomes
                    }
                }
                return try await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
            }
            #expect(outcomes.count == 64 * 6)
            let codes = Set(
                outcomes.values.flatMap {
                    $0["errors"]?.arrayValue?.compactMap(ReportError.init(json:)).map(\.errorCode) ?? []
                }
            )
            // The report was simultaneous with another one, or its net amount was outdated.
            #expect(codes.isSubset(of: [.simultaneousSubmission, .incorrectNetAmount]), "\(codes)")
            try await check(emulator, answered200: outcomes.filter { $0.value.status == 200 }.map(\.key))
        }
    }

    private func check(_ emulator: EmulatorUnderTest, answered200: [Int]) async throws {
        #expect(answered200.count > 4)
        let accepted = try await accepted(emulator)
        let expected = Set((Array(Self.buys.indices) + answered200).map(Body.request))
        #expect(accepted.count == expected.count)
        #expect(Set(accepted.compactMap { $0.requestIdentifier?.text }) == expected)
        var history = AcceptedHistory()
        let created = Timestamp(milliseconds: 1_790_812_800_000)
        let token = KnownToken(creationDate: created, tokenType: nil, expirationDate: nil)
        for report in accepted {
            let slice = history.slice(for: HistoryNeeds(of: report), token: token)
            let errors = ReportValidator().validate(report, history: slice, now: EmulatorUnderTest.now)
            #expect(errors.isEmpty, "\(report.requestIdentifier?.text ?? ""): \(errors)")
            history.accept(report)
        }
        // The remaining amount by calculation, and the one that the emulator accepts: it accepts no other net amount.
        for (number, buy) in Self.buys.enumerated() {
            let refunds = accepted.flatMap { $0.lineItems ?? [] }.filter { $0.referenceLineItemId?.rawValue == buy }
            let net = 1_000 - Int64(refunds.count)
            for (wrong, status) in [(Int64(-1), 400), (1, 400), (0, 200)] {
                let item = Self.item("last-\(number)", refundOf: buy, excl: 1, net: net - 1 + wrong)
                let answer = try await emulator.put(Self.report(90 + number, Self.tokens[number], item))
                #expect(answer.status == status, "\(answer.body)")
            }
        }
    }
}
