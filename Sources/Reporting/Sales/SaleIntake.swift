import ExternalPurchaseCore
import Ledger
import ReportPlanning
import ReportRules

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Takes sales into the ledger: each once by its `saleId`, with the token it belongs to as far as that is known.
struct SaleIntake: Sendable {
    let store: any LedgerStore
    let apps: [BundleId: RegisteredApp]
    let settings: ReportingSettings
    let surroundings: Surroundings

    private enum Outcome: Sendable {
        case taken(SaleReceipt)
        case refused(RequestRefusal)

        init(_ outcome: SaleChanges.Outcome, in ledger: any LedgerReading) throws(LedgerError) {
            switch outcome {
            case .done(let sale, let isChanged):
                self = .taken(
                    SaleReceipt(sale: try sale.whereItIs(in: ledger), isNew: false, isChanged: isChanged)
                )
            case .waiting(let sale):
                self = .taken(
                    SaleReceipt(
                        sale: try sale.whereItIs(in: ledger),
                        isNew: false,
                        isWaiting: true,
                        isChanged: true
                    )
                )
            case .refused(let refusal):
                self = .refused(refusal)
            }
        }
    }

    private var changes: SaleChanges {
        SaleChanges(store: store, apps: apps, settings: settings, surroundings: surroundings)
    }

    func take(_ body: JSONValue) async throws(RequestRefusal) -> SaleReceipt {
        let order = try SaleOrder(body)
        let (sale, refundCurrency) = try Sale.read(order.sale, apps: apps)
        var now = surroundings.now()
        if sale.occurredAt > now.advanced(byMilliseconds: settings.rules.clockSkew) {
            await surroundings.refresh()
            now = surroundings.now()
        }
        return try await take(sale, refundCurrency: refundCurrency, by: order.author, now: now)
    }

    /// Takes the body of `POST /v1/sales/{saleId}/void`.
    func void(_ saleId: SaleId, _ body: JSONValue) async throws(RequestRefusal) -> SaleReceipt {
        let order = try VoidOrder(body)
        if let bundleId = order.bundleId, apps[bundleId] == nil {
            let known = apps.keys.sorted().map(\.rawValue).joined(separator: ", ")
            throw .invalid([FieldFault("/bundleId", "is none of the apps registered here: \(known)")])
        }
        let (now, changes, bundleIds) = (surroundings.now(), changes, order.bundleId.map { [$0] } ?? apps.keys.sorted())
        let outcome: Outcome
        do {
            outcome = try await store.write { ledger throws(LedgerError) in
                var found: [StoredSale] = []
                for bundleId in bundleIds {
                    if let sale = try ledger.sale(saleId, of: bundleId) { found.append(sale) }
                }
                guard let known = found.first else {
                    return .refused(.unknown("there is no sale \(saleId.rawValue.quoted)"))
                }
                if found.count > 1 {
                    let names = found.map(\.sale.bundleId.rawValue).joined(separator: ", ")
                    return .refused(
                        .invalid([FieldFault("/bundleId", "is missing: several apps have the sale: \(names)")])
                    )
                }
                return try Outcome(changes.void(known, by: order.author, now: now, in: ledger), in: ledger)
            }
        } catch {
            throw .notStored(error)
        }
        switch outcome {
        case .taken(let receipt): return receipt
        case .refused(let refusal): throw refusal
        }
    }

    private func take(
        _ sale: Sale,
        refundCurrency: String?,
        by author: SaleAuthor?,
        now: Timestamp
    ) async throws(RequestRefusal) -> SaleReceipt {
        // Apple refuses a later one (E6), and the report would keep all later sales of its token waiting.
        let latest = now.advanced(byMilliseconds: settings.rules.clockSkew)
        let planner = MerchantPlanner(settings: settings, uuid: surroundings.uuid)
        let changes = changes
        let outcome: Outcome
        do {
            outcome = try await store.write { ledger throws(LedgerError) in
                if let known = try ledger.sale(sale.saleId, of: sale.bundleId) {
                    let sale = try sale.forgetting(known.sale.customerId, in: ledger)
                    if author == nil, known.isImported, known.standing == .reported, known.sale != sale {
                        switch try ImportedSale.take(sale, of: known, now: now, planner: planner, in: ledger) {
                        case .success(let stored):
                            return .taken(SaleReceipt(sale: try stored.whereItIs(in: ledger), isNew: false))
                        case .failure(let refusal): return .refused(refusal)
                        }
                    }
                    let outcome = try changes.take(
                        sale,
                        refundCurrency: refundCurrency,
                        by: author,
                        known: known,
                        now: now,
                        in: ledger
                    )
                    return try Outcome(outcome, in: ledger)
                }
                if author != nil {
                    return .refused(.unknown("there is no sale \(sale.saleId.rawValue.quoted) to amend"))
                }
                if sale.occurredAt > latest {
                    let message = "lies in the future; the server's clock says \(now)"
                    return .refused(.invalid([FieldFault("/occurredAt", message)]))
                }
                if let refusal = try Self.refusal(of: sale, refundCurrency: refundCurrency, in: ledger) {
                    return .refused(refusal)
                }
                let arrived = StoredSale(
                    sale: sale,
                    lineItemId: try Self.freeLineItem(for: sale, in: ledger),
                    receivedAt: now,
                    attribution: Attribution(state: .held, externalPurchaseId: nil, flags: [.noToken])
                )
                let stored = try ledger.insert(arrived)
                let customer = try Self.customer(ofCheckoutOf: sale, in: ledger)
                let keys = [.sale(sale.saleId)] + sale.keys
                try planner.replan(touching: keys, of: sale.bundleId, extent: .touched, in: ledger, now: now)
                let planned = try ledger.sale(sale.saleId, of: sale.bundleId) ?? stored
                let known = try Self.customer(ofCheckoutOf: sale, in: ledger)
                let ties = customer == nil && known != nil
                return .taken(SaleReceipt(sale: planned, isNew: true, tiesCheckout: ties))
            }
        } catch {
            throw .notStored(error)
        }
        switch outcome {
        case .taken(let receipt): return receipt
        case .refused(let refusal): throw refusal
        }
    }

    private static func customer(
        ofCheckoutOf sale: Sale,
        in ledger: any LedgerReading
    ) throws(LedgerError) -> CustomerId? {
        guard let id = sale.checkoutId else { return nil }
        return try ledger.checkout(id, of: sale.bundleId)?.customerId
    }

    /// The id of the sale's line item: the sale's own, unless another sale was moved to an item of that name.
    private static func freeLineItem(
        for sale: Sale,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> LineItemId {
        let own = LineItemId(sale.saleId.rawValue)
        guard let owner = try ledger.sale(ofLineItem: own, of: sale.bundleId), owner != sale.saleId else { return own }
        var number = 2
        while true {
            let id = LineItemId("\(own.rawValue).\(number)")
            if try ledger.sale(ofLineItem: id, of: sale.bundleId) == nil,
                try ledger.sale(SaleId(id.rawValue), of: sale.bundleId) == nil
            {
                return id
            }
            number += 1
        }
    }

    /// What is wrong with a refund when its buy is looked at, or with money that no line can hold.
    static func refusal(
        of sale: Sale,
        refundCurrency: String?,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> RequestRefusal? {
        switch sale.kind {
        case .purchase(let purchase): return refusal(of: purchase)
        case .subscription(let charge): return refusal(of: charge.purchase)
        case .cancellation, .lapse: return nil
        case .chargebackReversal(let chargeback): return try refusal(ofReversalOf: chargeback, sale, in: ledger)
        case .refund(let refund):
            return try refusal(of: refund, sale, refundCurrency: refundCurrency, in: ledger)
        }
    }

    private static func refusal(of purchase: Purchase) -> RequestRefusal? {
        // A held sale is converted when what it lacks is known.
        guard purchase.tax != nil else { return nil }
        let isConvertible = LineMoney(purchase) != nil || purchase.needsRate && purchase.exchangeRate == nil
        return isConvertible ? nil : .invalid([FieldFault("/amount/inclusive", "is too large to report")])
    }

    private static func refusal(
        ofReversalOf chargeback: SaleId,
        _ sale: Sale,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> RequestRefusal? {
        guard let reversed = try ledger.sale(chargeback, of: sale.bundleId) else {
            return .invalid([
                FieldFault(
                    "/reversalOf",
                    "is not a sale known here: \(chargeback.rawValue.quoted); send the chargeback first, then this again"
                )
            ])
        }
        guard reversed.sale.refund?.isChargeback == true else {
            return .invalid([FieldFault("/reversalOf", "is no chargeback; a refund that was wrong is corrected")])
        }
        if sale.occurredAt < reversed.sale.occurredAt {
            let message = "is before the chargeback, at \(reversed.sale.occurredAt)"
            return .invalid([FieldFault("/occurredAt", message)])
        }
        return nil
    }

    private static func refusal(
        of refund: Refund,
        _ sale: Sale,
        refundCurrency: String?,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> RequestRefusal? {
        guard let buy = try ledger.sale(refund.refundOf, of: sale.bundleId) else {
            return .invalid([
                FieldFault(
                    "/refundOf",
                    "is not a sale known here: \(refund.refundOf.rawValue.quoted); send the purchase first, then this again"
                )
            ])
        }
        guard let purchase = buy.sale.purchase else {
            return .invalid([FieldFault("/refundOf", "is a refund itself; name the purchase")])
        }
        // Of a voided one it is kept, held and flagged.
        if buy.isRetracted, !buy.isVoid {
            return .invalid([FieldFault("/refundOf", "was retracted: it never happened, as a correction says")])
        }
        var faults: [FieldFault] = []
        if let refundCurrency, refundCurrency != purchase.currency {
            faults.append(FieldFault("/amount/currency", "is not \(purchase.currency), the currency of the purchase"))
        }
        if sale.occurredAt < buy.sale.occurredAt {
            faults.append(FieldFault("/occurredAt", "is before the purchase, at \(buy.sale.occurredAt)"))
        }
        let digits = Currency.code(purchase.currency)?.exponent ?? 0
        for (path, value) in [("/amount/inclusive", refund.inclusive), ("/amount/tax", refund.tax ?? 0)]
        where value.exponent < -digits {
            faults.append(
                FieldFault(path, "has more than \(digits) digits after the point, which \(purchase.currency) lacks")
            )
        }
        let keys: [PlanningKey] = [.sale(refund.refundOf)]
        let part = try LedgerUniverse.part(touching: keys, of: sale.bundleId, extent: .touched, in: ledger)
        // What was won back is there to be refunded again.
        let wonBack = Set(part.sales.values.compactMap(\.sale.reversedChargeback))
        let earlier = try ledger.refunds(of: refund.refundOf, app: sale.bundleId)
            .filter { !$0.isRetracted && $0.sale.saleId != sale.saleId && !wonBack.contains($0.sale.saleId) }
            .compactMap(\.sale.refund)
        let left = purchase.inclusive - earlier.reduce(0) { $0 + $1.inclusive }
        if refund.inclusive > left {
            faults.append(
                FieldFault("/amount/inclusive", "is more than the \(left) \(purchase.currency) left of the purchase")
            )
        } else if let deviation = RefundTax.deviation(of: refund, from: purchase, after: earlier) {
            faults.append(FieldFault("/amount/tax", deviation.description))
        }
        return faults.isEmpty ? nil : .invalid(faults)
    }
}
