import ExternalPurchaseCore
import Ledger

extension PlanningWork {
    /// Decides the next report of every token: sales, a token-only report, or none (RR-62, RR-67).
    mutating func answerTokens() {
        var planned: [ExternalPurchaseId: [SaleRecord]] = [:]
        var held: [ExternalPurchaseId: [SaleId]] = [:]
        for record in sales {
            switch plan.sales[record.sale.saleId]?.outcome {
            case .planned(let token): planned[token, default: []].append(record)
            case .held(let token?): held[token, default: []].append(record.sale.saleId)
            case .held(nil), .reported, .noLineItem, nil: break
            }
        }
        let latest = now + settings.clockSkew
        for token in tokens.values {
            let (report, reason) = report(for: token, planned: planned[token.id] ?? [], held: held[token.id] ?? [])
            let created = token.token.tokenCreationDate
            plan.tokens[token.id] = TokenPlan(
                externalPurchaseId: token.id,
                report: report,
                reason: reason,
                customerId: links.customers[token.id],
                isCustomerClaimed: links.claims[token.id].map { $0 != .none } ?? false,
                isChosen: links.customers[token.id] != nil && periods.choices[token.id] == token.id,
                notBefore: created > latest ? created - settings.clockSkew : nil
            )
        }
    }

    private func report(
        for token: TokenRecord,
        planned: [SaleRecord],
        held: [SaleId]
    ) -> (TokenPlan.PlannedReport, TokenReason) {
        if token.state == .unknownToApple { return (.nothing, .unknownToApple) }
        if !planned.isEmpty {
            let ordered = planned.map { (SortKey($0, moments[$0.sale.saleId]), $0.sale.saleId) }
                .sorted { $0.0 < $1.0 }.map { $0.1 }
            let ready = ordered.filter { plan.sales[$0]?.waitsFor == nil }
            let waiting = ordered.filter { plan.sales[$0]?.waitsFor != nil }
            return (.lineItems(ready: ready, waiting: waiting), ready.isEmpty ? .salesWait : .sales)
        }
        let isOurs =
            token.source != .notification || links.named.contains(token.id) || links.customers[token.id] != nil
        let answered: Set<ReportStatus> = [.lineItem, .noLineItem, .duplicateToken]
        if !token.reported.isDisjoint(with: answered) || tokensWithReportedSales.contains(token.id)
            || !isOurs && token.reported.contains(.unrecognizedToken)
        {
            return (.nothing, .reported)
        }
        if !isOurs { return (.status(.unrecognizedToken), .knownFromAppleOnly) }
        if let chosen = periods.choices[token.id], chosen != token.id {
            return (.status(.duplicateToken), .duplicate(of: chosen))
        }
        if !held.isEmpty { return (.status(.noLineItem), .heldSales(held)) }
        return (.status(.noLineItem), periods.choices[token.id] == nil ? .noSale : .chosenWithoutSale)
    }

    /// The sort order of a report's items: by date, and for equal dates referenced items first.
    private struct SortKey: Comparable {
        let occurredAt: Timestamp
        let rank: Int
        let sequence: Int64
        let saleId: SaleId

        init(_ record: SaleRecord, _ moment: SubscriptionMoment?) {
            occurredAt = record.sale.occurredAt
            rank =
                switch record.sale.kind {
                case .purchase, .subscription: moment?.start == nil ? 0 : 1
                case .refund: 2
                case .order, .cancellation, .lapse, .chargebackReversal: 3
                }
            sequence = record.sequence
            saleId = record.sale.saleId
        }

        static func < (left: Self, right: Self) -> Bool {
            (left.occurredAt, left.rank, left.sequence, left.saleId)
                < (right.occurredAt, right.rank, right.sequence, right.saleId)
        }
    }
}
