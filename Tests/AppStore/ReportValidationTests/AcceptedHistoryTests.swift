import ExternalPurchaseCore
import Testing

@testable import ReportValidation

private typealias X = Sample

/// Random reports with few ids, so that references, copies, restatements and errors of every kind combine.
private struct RandomReports {
    var generator: SplitMix64
    private let ids: [LineItemId] = ["a", "b", "c", "d", "e", "f"]
    private var count = 0

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    private mutating func id() -> LineItemId { ids.randomElement(using: &generator) ?? "a" }

    mutating func item(_ id: LineItemId) -> ReceivedLineItem {
        var item = [X.O, X.S, X.W, X.R, X.R, X.F].randomElement(using: &generator) ?? X.O
        item.lineItemId = chance(3) ? nil : id
        item.creationDate = X.D + Int64.random(in: -1...2, using: &generator) * X.d
        if item.referenceLineItemId != nil { item.referenceLineItemId = self.id() }
        let amount = Int64.random(in: 1...3, using: &generator) * 100
        item.money(excl: amount, tax: 0, net: Int64.random(in: 0...3, using: &generator) * 100)
        if item.eventType == .buy, chance(60) { item.netAmountTaxExclusive = item.amountTaxExclusive }
        if chance(50) { item.restatement = true }
        if chance(20) { item.erroneouslySubmitted = true }
        if chance(5) { item.taxCountry = "AT" }
        if chance(5) { item.eventType = nil }
        if chance(5) { item.amountTaxExclusive = nil }
        return item
    }

    /// A report of up to four items, with different ids unless copies are requested.
    mutating func report(copies: Bool) -> ReceivedReport {
        count += 1
        let shuffled = ids.shuffled(using: &generator)
        let size = Int.random(in: 1...4, using: &generator)
        let items = (0..<size).map { item(copies ? id() : shuffled[$0]) }
        let token = chance(70) ? X.plain : X.services
        return .list(items, on: token).with { $0.requestIdentifier = Endpoint.identifier(chance(5) ? 1 : count) }
    }

    mutating func shuffled(_ report: ReceivedReport) -> ReceivedReport {
        report.with { $0.lineItems?.shuffle(using: &generator) }
    }
}

@Suite("Accepted history")
struct AcceptedHistoryTests {
    @Test("A slice gives the same result as the complete history (RR-7)", arguments: 1...60 as ClosedRange<UInt64>)
    func slicesSuffice(seed: UInt64) {
        var random = RandomReports(seed: seed)
        var history = AcceptedHistory()
        var codes: Set<ReportErrorCode> = []
        for _ in 0..<40 {
            let report = random.report(copies: true)
            let token = report.externalPurchaseId.flatMap { X.tokens[$0] }
            let slice = history.slice(for: HistoryNeeds(of: report), token: token)
            var whole = slice
            whole.newest = history.newest
            let judge = ReportValidator()
            let errors = judge.validate(report, history: slice, now: X.now)
            #expect(errors == judge.validate(report, history: whole, now: X.now))
            codes.formUnion(errors.map(\.errorCode))
            // Some invalid reports are accepted as well, because a history may contain reports that the current rules
            // refuse.
            if errors.isEmpty || Bool.random(using: &random.generator) { history.accept(report) }
        }
        #expect(codes.count > 5, "the reports are too tame to tell anything")
    }

    @Test(
        "The order of items changes the order of errors and nothing else (RR-5)",
        arguments: 1...60 as ClosedRange<UInt64>
    )
    func orderDoesNotMatter(seed: UInt64) {
        var random = RandomReports(seed: seed)
        var history = AcceptedHistory()
        func errors(_ report: ReceivedReport) -> [ReportError] {
            let token = report.externalPurchaseId.flatMap { X.tokens[$0] }
            let slice = history.slice(for: HistoryNeeds(of: report), token: token)
            return ReportValidator().validate(report, history: slice, now: X.now)
        }
        for _ in 0..<30 {
            let report = random.report(copies: false)
            let expected = errors(report)
            let shuffled = random.shuffled(report)
            #expect(brief(errors(shuffled)).sorted() == brief(expected).sorted())
            if expected.isEmpty || Bool.random(using: &random.generator) { history.accept(report) }
        }
    }

    @Test("A slice contains the needed items and those that reference them, and no others")
    func sliceIsSmall() {
        var history = AcceptedHistory()
        for number in 0..<100 {
            history.accept(.items(X.O.with { $0.lineItemId = LineItemId("buy-\(number)") }))
            history.accept(
                .items(
                    X.R.with {
                        $0.lineItemId = LineItemId("refund-\(number)")
                        $0.referenceLineItemId = LineItemId("buy-\(number)")
                    }
                )
            )
        }
        let report = ReceivedReport.items(
            X.R.with {
                $0.lineItemId = "new"
                $0.referenceLineItemId = "buy-7"
            }
        )
        let slice = history.slice(for: HistoryNeeds(of: report), token: nil)
        #expect(Set(slice.newest.keys) == ["buy-7", "refund-7"])
        #expect(slice.hasLineItemReport)
        #expect(slice.token == nil)
    }

    @Test("A restated reference leaves the old target")
    func restatedReference() {
        var history = AcceptedHistory()
        history.accept(.items(X.O, X.O.with { $0.lineItemId = "o2" }, X.R))
        history.accept(.items(X.R.restated.with { $0.referenceLineItemId = "o2" }))
        func referrers(_ id: LineItemId) -> Set<LineItemId> {
            let report = ReceivedReport.items(X.O.restated.with { $0.lineItemId = id })
            return Set(history.slice(for: HistoryNeeds(of: report), token: nil).newest.keys)
        }
        #expect(referrers("o") == ["o"])
        #expect(referrers("o2") == ["o2", "r"])
    }

    @Test("A report is found as it was accepted, in any case of its identifier (SA-23)")
    func reports() throws {
        var history = AcceptedHistory()
        let identifier = try #require(RequestIdentifier("ABCDEF00-0000-4000-8000-000000000001"))
        let report = ReceivedReport.items(X.O).with { $0.requestIdentifier = identifier }
        history.accept(report)
        history.accept(.items(X.O.restated.net(1)).with { $0.requestIdentifier = Endpoint.identifier(2) })
        let lower = try #require(RequestIdentifier(identifier.text.lowercased()))
        #expect(history.report(lower) == report)
        #expect(history.report(lower)?.requestIdentifier?.text == identifier.text)
        #expect(history.report(Endpoint.identifier(3)) == nil)
        #expect(history.reports.count == 2)
    }

    @Test("Codes that need no history come out the same without one")
    func rulesNeedingHistory() {
        var random = RandomReports(seed: 7)
        let open = Set(ReportValidator.rulesNeedingHistory.map(ReportErrorCode.init(rawValue:)))
        #expect(!open.contains(.omittedField))
        // By Apple's descriptions, these codes concern other items, the token or earlier reports.
        #expect(
            ReportValidator.rulesNeedingHistory == [
                1, 2, 3, 8, 12, 14, 21, 22, 23, 24, 25, 28, 29, 30, 31, 32, 33, 36, 37, 38, 39, 40,
            ]
        )
        var history = AcceptedHistory()
        for _ in 0..<200 {
            let report = random.report(copies: false)
            let slice = history.slice(for: HistoryNeeds(of: report), token: X.tokens[X.plain])
            func shape(_ slice: HistorySlice) -> [ReportError] {
                ReportValidator().validate(report, history: slice, now: X.now)
                    .filter { !open.contains($0.errorCode) && $0.errorCode != .selfReference }
            }
            #expect(shape(slice) == shape(HistorySlice()))
            history.accept(report)
        }
    }
}
