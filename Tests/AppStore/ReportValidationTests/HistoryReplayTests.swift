import ExternalPurchaseCore
import Testing

@testable import ReportValidation

private typealias X = Sample

/// A history as a plain list, which is searched completely for every query.
private struct PlainHistory {
    var reports: [ReceivedReport] = []

    /// The newest accepted version of every item, found by reading all reports in their order (RR-7).
    var newest: [LineItemId: AcceptedLineItem] {
        var newest: [LineItemId: AcceptedLineItem] = [:]
        for report in reports where report.status == .lineItem {
            for item in report.lineItems ?? [] {
                guard let id = item.lineItemId, let token = report.externalPurchaseId else { continue }
                newest[id] = AcceptedLineItem(item: item, externalPurchaseId: token)
            }
        }
        return newest
    }

    /// The complete data for the validation of a report, whether needed or not.
    func slice(for report: ReceivedReport) -> HistorySlice {
        var slice = HistorySlice()
        slice.token = report.externalPurchaseId.flatMap { X.tokens[$0] }
        slice.isRequestIdentifierUsed = reports.contains { $0.requestIdentifier == report.requestIdentifier }
        slice.hasLineItemReport = reports.contains {
            $0.externalPurchaseId == report.externalPurchaseId && $0.status == .lineItem
        }
        slice.newest = newest
        return slice
    }

    /// What remains of every live buy after its live refunds (RR-20).
    var nets: [LineItemId: Int64] {
        let newest = newest
        func isLive(_ item: ReceivedLineItem) -> Bool { item.erroneouslySubmitted != true }
        var nets: [LineItemId: Int64] = [:]
        for (id, buy) in newest where buy.item.eventType == .buy {
            let refunds = newest.values.map(\.item).filter {
                $0.eventType == .refund && $0.referenceLineItemId == id && isLive($0)
            }
            let whole = isLive(buy.item) ? buy.item.amountTaxExclusive ?? 0 : 0
            nets[id] = isLive(buy.item) ? refunds.reduce(whole) { $0 - ($1.amountTaxExclusive ?? 0) } : 0
        }
        return nets
    }
}

/// A merchant whose reports are mostly valid: new buys and refunds, corrections, retractions, and occasional errors.
private struct Merchant {
    var generator: SplitMix64
    private var count = 0

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    /// The next report, based on the accepted ones.
    mutating func report(after history: PlainHistory) -> ReceivedReport {
        count += 1
        let newest = history.newest
        let known = newest.values.map(\.item).sorted {
            ($0.lineItemId?.rawValue ?? "") < ($1.lineItemId?.rawValue ?? "")
        }
        let buys = known.filter { $0.eventType == .buy }
        var item: ReceivedLineItem
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4 where !buys.isEmpty:
            item = X.R.with {
                $0.lineItemId = LineItemId("refund-\(count)")
                $0.referenceLineItemId = buys.randomElement(using: &generator)?.lineItemId
            }
            let amount = Int64.random(in: 0...4, using: &generator) * 500
            item.money(excl: amount, tax: 0)
        case 4..<6 where !known.isEmpty:
            item = (known.randomElement(using: &generator) ?? X.O).restated
            item.erroneouslySubmitted = nil
            item.money(excl: max(0, (item.amountTaxExclusive ?? 0) - 100), tax: 0)
        case 6..<8 where !known.isEmpty:
            item = (known.randomElement(using: &generator) ?? X.O).retracted
        default:
            item = X.O.with { $0.lineItemId = LineItemId("buy-\(count)") }
        }
        if chance(10) { item.taxCountry = "DEU" }
        if chance(5) { item.lineItemId = known.randomElement(using: &generator)?.lineItemId ?? item.lineItemId }
        let number = chance(3) ? 1 : count
        var report = ReceivedReport.items(item).with { $0.requestIdentifier = Endpoint.identifier(number) }
        // The net amount that results: the list with this report is evaluated again.
        var imagined = history
        imagined.reports.append(report)
        let buy = item.eventType == .buy ? item.lineItemId : item.referenceLineItemId
        let net = buy.flatMap { imagined.nets[$0] } ?? 0
        item.netAmountTaxExclusive = chance(10) ? net + 1 : max(0, net)
        report.lineItems = [item]
        return report
    }
}

@Suite("Incremental acceptance and a replay of the complete history")
struct HistoryReplayTests {
    @Test(
        "Each report has the same result as with a search of the complete history, and the same net amounts",
        arguments: 1...40 as ClosedRange<UInt64>
    )
    func sameVerdicts(seed: UInt64) {
        var merchant = Merchant(seed: seed)
        var incremental = AcceptedHistory()
        var plain = PlainHistory()
        var codes: Set<ReportErrorCode> = []
        let judge = ReportValidator()
        for _ in 0..<60 {
            let report = merchant.report(after: plain)
            let token = report.externalPurchaseId.flatMap { X.tokens[$0] }
            let slice = incremental.slice(for: HistoryNeeds(of: report), token: token)
            let errors = judge.validate(report, history: slice, now: X.now)
            #expect(errors == judge.validate(report, history: plain.slice(for: report), now: X.now))
            codes.formUnion(errors.map(\.errorCode))
            guard errors.isEmpty else { continue }
            incremental.accept(report)
            plain.reports.append(report)
            let nets = plain.nets
            #expect(incremental.newest == plain.newest)
            // The accepted net amounts equal the remaining amounts by a calculation that is independent of the
            // validator.
            for item in report.lineItems ?? [] {
                guard let id = item.eventType == .buy ? item.lineItemId : item.referenceLineItemId else { continue }
                #expect(item.netAmountTaxExclusive == nets[id])
            }
            #expect(nets.values.allSatisfy { $0 >= 0 })
        }
        #expect(plain.reports.count > 10, "too little was accepted to tell anything")
        #expect(codes.count > 2, "too little was refused to tell anything")
        // A replay accepts the reports one after another and results in the same state.
        var again = AcceptedHistory()
        for report in plain.reports {
            let token = report.externalPurchaseId.flatMap { X.tokens[$0] }
            let slice = again.slice(for: HistoryNeeds(of: report), token: token)
            #expect(judge.validate(report, history: slice, now: X.now).isEmpty)
            again.accept(report)
        }
        #expect(again == incremental)
    }
}
