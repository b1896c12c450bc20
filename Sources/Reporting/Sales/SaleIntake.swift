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
    }

    func take(_ body: JSONValue) async throws(RequestRefusal) -> SaleReceipt {
        let (sale, minorUnits) = try Sale.read(body, apps: apps)
        var now = surroundings.now()
        if sale.occurredAt > now.advanced(byMilliseconds: settings.rules.clockSkew) {
            await surroundings.refresh()
            now = surroundings.now()
        }
        return try await take(sale, minorUnits: minorUnits, now: now)
    }

    private func take(
        _ given: Sale,
        minorUnits: RefundMinorUnits?,
        now: Timestamp
    ) async throws(RequestRefusal) -> SaleReceipt {
        // Apple refuses a later one (E6), and the report would keep all later sales of its token waiting.
        let latest = now.advanced(byMilliseconds: settings.rules.clockSkew)
        let planner = MerchantPlanner(settings: settings)
        let outcome: Outcome
        do {
            outcome = try await store.write { ledger throws(LedgerError) in
                let buy = try ledger.refundedPurchase(of: given)
                let sale: Sale
                do throws(RequestRefusal) {
                    sale = try given.withUnits(minorUnits, of: buy)
                } catch {
                    return .refused(error)
                }
                if let known = try ledger.sale(sale.saleId, of: sale.bundleId) {
                    if let whole = known.partOf {
                        return .refused(.conflict("\(sale.saleId) is the id of a line item of sale \(whole)"))
                    }
                    let first = try ledger.versions(of: sale.saleId, app: sale.bundleId).first?.sale ?? known.sale
                    let sale = try sale.forgetting(known.sale.customerId, in: ledger)
                    for stored in [first, known.sale] where try stored.isSame(as: sale, in: ledger) {
                        return .taken(try known.receipt(isNew: false, in: ledger))
                    }
                    if try known.isHeld(in: ledger), known.sale.isCompleted(by: sale) {
                        let completed = try Self.complete(known, by: sale, at: now, planner: planner, in: ledger)
                        return .taken(try completed.receipt(isNew: false, in: ledger))
                    }
                    return .refused(
                        .conflict("\(sale.saleId) is known with other content; a change of it is a correction")
                    )
                }
                if sale.occurredAt > latest {
                    let message = "lies in the future; the server's clock says \(now)"
                    return .refused(.invalid([FieldFault("/occurredAt", message)]))
                }
                if let refusal = try Self.refusal(of: sale, in: ledger) { return .refused(refusal) }
                if let taken = try ledger.otherSale(withLineItemOf: sale) { return .refused(.conflict(taken)) }
                let arrived = StoredSale(
                    sale: sale,
                    lineItemId: LineItemId(sale.saleId.rawValue),
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
                return .taken(try planned.receipt(isNew: true, tiesCheckout: ties, in: ledger))
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

    /// Adds what a held sale lacked (RR-45, RR-47).
    private static func complete(
        _ known: StoredSale,
        by sale: Sale,
        at now: Timestamp,
        planner: MerchantPlanner,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> StoredSale {
        try ledger.insert(
            SaleVersion(
                version: known.version + 1,
                sale: sale,
                lineItemId: known.lineItemId,
                change: .restated,
                saidAt: now
            )
        )
        try ledger.restateLines(of: sale, at: now)
        try planner.replan(
            touching: [.sale(sale.saleId)],
            of: sale.bundleId,
            extent: .touched,
            in: ledger,
            now: now
        )
        return try ledger.sale(sale.saleId, of: sale.bundleId) ?? known
    }
}
