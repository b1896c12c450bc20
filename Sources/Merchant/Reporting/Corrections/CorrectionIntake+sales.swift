import ExternalPurchaseCore
import Ledger
import ReportPlanning

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Corrections that follow from a change of an accepted sale.
extension CorrectionIntake {
    enum Proposal: Sendable {
        /// Stored, and ready to be confirmed where it is allowed.
        case dryRun(CorrectionDryRun)
        /// No correction says it; in words.
        case impossible(String)
    }

    /// Plans the correction that makes an accepted sale what it is said to be; the same one asked for again is planned
    /// anew under its id.
    ///
    /// - Parameter content: the sale as it is right; nil retracts it.
    func propose(
        _ content: Sale?,
        for known: StoredSale,
        by author: SaleAuthor,
        now: Timestamp,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> Proposal {
        var buy: Purchase?
        if let refund = (content ?? known.sale).refund {
            buy = try ledger.sale(refund.refundOf, of: known.sale.bundleId)?.sale.purchase
        }
        let token = try known.whereItIs(in: ledger).attribution.externalPurchaseId
        let wish: CorrectionCommand
        do throws(CorrectionCommand.Inexpressible) {
            let body = try CorrectionCommand.body(from: known.sale, to: content, on: token, buy: buy, by: author)
            do throws(RequestError) {
                wish = try CorrectionCommand.read(body, apps: apps)
            } catch {
                return .impossible(error.description)
            }
        } catch {
            return .impossible(error.reason)
        }
        let planned: CorrectionPreparation.Prepared
        switch try preparation.plan(wish, now: now, in: ledger) {
        case .success(let value): planned = value
        case .failure(let refusal): return .impossible(refusal.description)
        }
        if var same = try ledger.unconfirmedCorrection(asking: wish) {
            if same.dryRun?.encoded() != planned.record.encoded() {
                same.dryRun = planned.record
                try ledger.update(same)
            }
            return .dryRun(planned.shown(of: same.correctionId))
        }
        let id = CorrectionId(dependencies.uuid().uuidString.lowercased())
        try preparation.keep(planned, of: wish, as: id, in: ledger, now: now)
        return .dryRun(planned.shown(of: id))
    }
}

extension CorrectionCommand {
    /// A change that no correction can make.
    struct Inexpressible: Error {
        let reason: String
    }

    /// The body of the `POST /v1/corrections` that makes one sale another (RR-80, RR-81).
    ///
    /// Who the customer is, and over which checkout, is not reported and needs none.
    ///
    /// - Parameters:
    ///   - new: the sale as it is right; nil retracts it.
    ///   - token: the token that the sale was reported on.
    ///   - buy: the purchase of a refund.
    static func body(
        from old: Sale,
        to new: Sale?,
        on token: ExternalPurchaseId?,
        buy: Purchase?,
        by author: SaleAuthor
    ) throws(Inexpressible) -> JSONValue {
        var members: [JSONObject.Member] = [
            .init("bundleId", .string(old.bundleId.rawValue)), .init("saleId", .string(old.saleId.rawValue)),
        ]
        if let new {
            let (fields, isMove) = try fields(from: old, to: new, on: token, buy: buy)
            members.append(.init("action", .string(isMove ? Action.move.rawValue : Action.restate.rawValue)))
            members.append(.init("fields", .object(JSONObject(fields))))
        } else {
            members.append(.init("action", .string(Action.retract.rawValue)))
        }
        let reason = author.reason ?? "the sale was \(new == nil ? "voided" : "amended")"
        members.append(.init("requestedBy", .string(author.by)))
        members.append(.init("reason", .string(reason)))
        return .object(JSONObject(members))
    }

    private static func fields(
        from old: Sale,
        to new: Sale,
        on token: ExternalPurchaseId?,
        buy: Purchase?
    ) throws(Inexpressible) -> (fields: [JSONObject.Member], isMove: Bool) {
        var fields: [JSONObject.Member] = []
        var isMove = false
        if new.occurredAt != old.occurredAt {
            fields.append(.init("occurredAt", .string(new.occurredAt.description)))
            isMove = true
        }
        if let named = new.externalPurchaseId, named != old.externalPurchaseId, named != token {
            fields.append(.init("externalPurchaseId", .string(named.rawValue)))
            isMove = true
        }
        switch (old.kind, new.kind) {
        case (.purchase(let mine), .purchase(let its)):
            fields += try self.fields(from: mine, to: its)
        case (.subscription(let mine), .subscription(let its)):
            guard mine.subscriptionId == its.subscriptionId else {
                throw Inexpressible(reason: other("subscriptionId"))
            }
            fields += try self.fields(from: mine.purchase, to: its.purchase)
            if mine.period.start != its.period.start {
                fields.append(.init("periodStart", .string(its.period.start.description)))
            }
            if mine.period.end != its.period.end {
                fields.append(.init("periodEnd", .string(its.period.end.description)))
            }
            if mine.event != its.event {
                guard let event = its.event else {
                    throw Inexpressible(reason: "its event cannot be left open any more")
                }
                fields.append(.init("event", .string(event.rawValue)))
            }
        case (.refund(let mine), .refund(let its)):
            guard mine.refundOf == its.refundOf else { throw Inexpressible(reason: other("refundOf")) }
            // A chargeback is reported as a refund is (SA-43).
            guard mine.isChargeback == its.isChargeback else { throw Inexpressible(reason: other("type")) }
            guard mine.inclusive != its.inclusive || mine.tax != its.tax else { break }
            guard let buy, let tax = its.tax ?? RefundTax.share(of: its.inclusive, from: buy) else {
                throw Inexpressible(reason: "the tax of its purchase is not known")
            }
            let digits = Currency.code(buy.currency)?.exponent ?? 2
            fields.append(.init("inclusive", .string(its.inclusive.description)))
            fields.append(.init("tax", .string(tax.rounded(toDigits: digits).description)))
        default:
            throw Inexpressible(reason: other("type"))
        }
        if fields.isEmpty { throw Inexpressible(reason: "nothing that was reported differs") }
        return (fields, isMove)
    }

    private static func other(_ name: String) -> String {
        "its \(name) cannot be corrected; void it, and send what happened as a new sale"
    }

    private static func fields(
        from old: Purchase,
        to new: Purchase
    ) throws(Inexpressible) -> [JSONObject.Member] {
        var fields: [JSONObject.Member] = []
        if new.productId != old.productId { fields.append(.init("productId", .string(new.productId))) }
        if new.quantity != old.quantity { fields.append(.init("quantity", .integer(new.quantity))) }
        if new.taxCountry != old.taxCountry {
            guard let country = new.taxCountry else { throw Inexpressible(reason: "its taxCountry is missing") }
            fields.append(.init("taxCountry", .string(country)))
        }
        let isSameMoney =
            new.currency == old.currency && new.inclusive == old.inclusive && new.tax == old.tax
            && new.exchangeRate == old.exchangeRate
        if isSameMoney { return fields }
        if new.currency != old.currency { fields.append(.init("currency", .string(new.currency))) }
        fields.append(.init("inclusive", .string(new.inclusive.description)))
        switch new.tax {
        case .amount(let tax): fields.append(.init("tax", .string(tax.description)))
        case .rate(let rate): fields.append(.init("taxRate", .string(rate.description)))
        case nil:
            guard new.inclusive == 0 else { throw Inexpressible(reason: "its tax is missing") }
            fields.append(.init("tax", .string("0")))
        }
        if let quote = new.exchangeRate, new.exchangeRate != old.exchangeRate || new.currency != old.currency {
            fields.append(
                .init(
                    "exchangeRate",
                    .object(
                        JSONObject([
                            .init("rate", .string(quote.rate.text)), .init("source", .string(quote.source)),
                            .init("asOf", .string(quote.asOf.description)),
                        ])
                    )
                )
            )
        }
        return fields
    }
}

extension LedgerQueries {
    /// The correction that asks for exactly the same and waits for its confirmation.
    fileprivate func unconfirmedCorrection(asking wish: CorrectionCommand) throws(LedgerError) -> StoredCorrection? {
        let request = wish.request.encoded()
        var page = LedgerPage(limit: 500)
        while true {
            let rows = try openCorrections(page)
            let same = rows.first { row in
                row.bundleId == wish.bundleId && row.confirmation == nil && row.requestedBy == wish.requestedBy
                    && row.reason == wish.reason && row.request.encoded() == request
            }
            if let same { return same }
            guard rows.count == page.limit, let last = rows.last else { return nil }
            page.after = last.sequence
        }
    }
}
