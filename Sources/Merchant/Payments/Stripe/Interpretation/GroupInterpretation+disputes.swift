import ExternalPurchaseCore
import Ledger

extension GroupInterpretation {
    /// Reads the disputes: a chargeback once the money was taken, and its reversal once it is back.
    mutating func readDisputes() {
        for (id, events) in objects(.dispute) {
            do throws(NoSale) {
                try readDispute(id, events)
            } catch {
                set(error.outcome, for: events)
            }
        }
    }

    /// True if a refund or credit note of the group failed or was voided, and the ledger has nothing of it any more.
    private var hasFailedRepayment: Bool {
        let failed = withdrawn(.refundFailed, .creditNoteVoided)
        return !failed.isEmpty && failed.allSatisfy { standing[$0] == nil }
    }

    private mutating func readDispute(_ id: StripeObjectId, _ events: [StripeEvent]) throws(NoSale) {
        guard let dispute = try StripeDispute(id: id, events: events) else { return }
        for event in events where !event.takesMoney && !event.returnsMoney {
            let reason =
                event.type == "charge.dispute.created"
                ? PaymentReason(.inquiry, "an inquiry moves no money")
                : PaymentReason(.disputeLost, "the dispute ended without returning money")
            set(.notUsed(reason), for: [event])
        }
        guard !dispute.withdrawals.isEmpty else {
            let reason = PaymentReason(.chargeback, "the event of the chargeback has not arrived")
            return set(.waiting(reason, isAlert: false), for: dispute.reinstatements)
        }
        var chargebacks: [Sale] = []
        do throws(NoSale) {
            let object = dispute.withdrawals.first.flatMap { StripeObject($0.object) }
            let purchases = try purchases(charge: object?.id("charge"), intent: object?.id("payment_intent"))
            let billed = purchases.first { $0.purchases.contains(where: \.isCharged) }?.purchases.first?.currency
            if dispute.returned > 0, let billed, billed != dispute.currency.code {
                throw .held(
                    .currency,
                    "a part of \(id) came back in \(dispute.currency.code), and the sale is in \(billed)"
                )
            }
            let told = try standingSaleIds(of: id.rawValue).map { saleId throws(NoSale) in
                standing[saleId]?.refund.flatMap { dispute.currency.amount($0.statedAmount ?? $0.inclusive) } ?? 0
            }.sum(of: id.rawValue)
            func drafts(isRestated: Bool) throws(NoSale) -> [Sale] {
                try givingBack(
                    id.rawValue,
                    amount: dispute.amount - dispute.returned,
                    dispute.currency,
                    of: purchases,
                    at: dispute.created,
                    isChargeback: true,
                    isRestated: isRestated
                )
            }
            let taken =
                (try? drafts(isRestated: true)).map { drafts in
                    drafts.reduce(0) { sum, draft in
                        sum &+ (draft.refund.flatMap { dispute.currency.amount($0.statedAmount ?? $0.inclusive) } ?? 0)
                    }
                } ?? told
            // What had been given back before left less to take; once that has failed, the dispute took all.
            let isMore = told > 0 && taken > told && hasFailedRepayment
            let isLess = dispute.returned > 0 && told > taken
            let restatement: PaymentSale.Restatement? = isLess ? .disputeReturned : isMore ? .refundFailed : nil
            for draft in try drafts(isRestated: restatement != nil) {
                chargebacks.append(try emit(draft, restating: restatement))
            }
        } catch {
            return set(error.outcome, for: dispute.withdrawals + dispute.reinstatements)
        }
        set(.used(chargebacks.map(\.saleId)), for: dispute.withdrawals)
        if dispute.returned > 0 { return set(.used(chargebacks.map(\.saleId)), for: dispute.reinstatements) }
        guard let moment = dispute.reinstatements.first?.created else { return }
        var reversals: [Sale] = []
        for (place, chargeback) in chargebacks.enumerated() {
            let name = "\(id.rawValue)/reversal"
            let draft = Sale(
                saleId: SaleId(chargebacks.count == 1 ? name : "\(name)/\(place + 1)"),
                bundleId: chargeback.bundleId,
                occurredAt: max(moment, chargeback.occurredAt),
                kind: .chargebackReversal(of: chargeback.saleId)
            )
            reversals.append(try emit(draft))
        }
        set(.used(reversals.map(\.saleId)), for: dispute.reinstatements)
    }
}
