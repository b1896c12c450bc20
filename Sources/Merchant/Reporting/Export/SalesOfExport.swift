import ExternalPurchaseCore
import Ledger
import ReportPlanning

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Converts sales to rows of the month export, with the merchant's own figures instead of the accepted ones.
struct SalesOfExport {
    private(set) var rows: [ExportSale] = []
    /// The tax countries of the sales on each token, as alpha-3 codes.
    private(set) var taxCountries: [ExternalPurchaseId: Set<String>] = [:]

    private let planned: MerchantPlanner.Planned
    private let taps: TapsByToken

    init(
        planned: MerchantPlanner.Planned,
        environment: AppStoreEnvironment,
        foreignCurrency: ForeignCurrency,
        taps: TapsByToken
    ) {
        self.planned = planned
        self.taps = taps
        let stored = planned.part.sales
        // Chargebacks that the merchant won back and retracted sales move no money.
        let undone = Set(stored.values.filter { !$0.isRetracted }.compactMap(\.sale.reversedChargeback))
        let live = stored.values
            .filter { sale in
                !sale.isRetracted && planned.part.lines[sale.sale.saleId] == nil
                    && planned.plan.sales[sale.sale.saleId]?.outcome != .noLineItem
                    && !undone.contains(sale.sale.saleId) && sale.isMoney
                    && Self.environment(of: sale) == environment
            }
            .sorted { $0.sequence < $1.sequence }
        let counted = live.filter { !isHeldRefund($0) }
        // Accepted items are left out on purpose, so that differing reported figures become visible in the export.
        let lineItems = LineItemPlanner(foreignCurrency: foreignCurrency).items(
            of: counted.map(\.sale.saleId),
            among: counted.map { SaleRecord($0) },
            accepted: [:],
            moments: planned.plan.sales.compactMapValues(\.moment)
        )
        let items = Dictionary(lineItems.items.map { ($0.lineItemId, $0) }) { first, _ in first }
        for sale in live {
            let row = row(sale, items[sale.lineItemId])
            if let token = row.token, let country = row.taxCountry { taxCountries[token, default: []].insert(country) }
            rows.append(row)
        }
    }

    /// A sale without a token counts as production unless it names a sandbox token.
    private static func environment(of sale: StoredSale) -> AppStoreEnvironment {
        (sale.attribution.externalPurchaseId ?? sale.sale.externalPurchaseId)?.environment
            ?? sale.sale.environment ?? .production
    }

    private func row(_ stored: StoredSale, _ item: LineItem?) -> ExportSale {
        let sale = stored.sale
        let plan = planned.plan.sales[sale.saleId]
        // The accepted item decides on the token, because a correction may have moved it.
        let accepted = planned.part.accepted[Self.environment(of: stored)]?[stored.lineItemId]
        let id = accepted?.externalPurchaseId ?? stored.attribution.externalPurchaseId ?? plan?.externalPurchaseId
        let token = id.flatMap { planned.part.tokens[$0] }
        let customer = sale.customerId ?? token?.customerId
        let buy = sale.refund.flatMap { planned.part.sales[$0.refundOf] }
        let received = item?.asReceived
        let tapped = taps.taps(of: customer, on: token?.token.externalPurchaseId)
        return ExportSale(
            saleId: sale.saleId.rawValue,
            lineItemId: stored.lineItemId,
            createdAt: sale.occurredAt,
            event: event(of: sale),
            product: sale.purchase?.productId,
            quantity: sale.purchase?.quantity,
            amounts: item?.amounts,
            taxCountry: (sale.purchase ?? buy?.sale.purchase)?.taxCountry,
            token: token?.token.externalPurchaseId,
            tokenKind: token.map { .type($0.token.tokenType) } ?? .none,
            storefront: token?.storefront,
            reference: received?.referenceLineItemId ?? buy?.lineItemId,
            heldFor: reason(stored, depth: 0),
            given: given(sale, of: buy?.sale.purchase),
            estimate: ExportSale.EstimateDetails(
                kind: kind(of: sale),
                flow: ReportingProgramme.Flow(
                    tokenType: token?.token.tokenType,
                    isCheckoutInApp: tapped.isEmpty ? nil : false
                ),
                daysOfPaidService: received?.subscriptionDaysOfPaidService.map { Int($0) },
                events: events(of: customer, token: token, taps: tapped)
            )
        )
    }

    /// The money as the sale states it, even if values for a report are missing (RR-45, RR-47).
    private func given(_ sale: Sale, of buy: Purchase?) -> ExportSale.GivenMoney? {
        guard let currency = sale.refund?.currency ?? (sale.purchase ?? buy)?.currency else { return nil }
        guard let inclusive = sale.purchase?.inclusive ?? sale.refund.flatMap(Self.given) else {
            return ExportSale.GivenMoney(currency: currency, inclusive: nil, tax: sale.refund?.tax)
        }
        var tax = sale.refund?.tax
        if tax == nil, let purchase = sale.purchase ?? buy, purchase.currency == currency {
            let digits = Currency.code(currency)?.exponent ?? 2
            tax = RefundTax.share(of: inclusive, from: purchase)?.rounded(toDigits: digits)
        }
        return ExportSale.GivenMoney(currency: currency, inclusive: inclusive, tax: tax)
    }

    /// The refund's own amount; nil if it follows from a total that no plan has computed yet.
    private static func given(_ refund: Refund) -> Decimal? {
        refund.refundedTotal != nil && refund.inclusive == 0 ? nil : refund.inclusive
    }

    /// True for a refund that cannot be reported before a person acts.
    ///
    /// Such a refund is not reported, so it changes neither the net of its buy nor the amounts of other refunds. A
    /// refund that waits together with its buy for a token counts: both go into the manual export (OB-61).
    private func isHeldRefund(_ stored: StoredSale) -> Bool {
        stored.sale.refund != nil && stored.standing == .held && reason(stored, depth: 0) != nil
    }

    private func event(of sale: Sale) -> String {
        if sale.refund != nil { return EventType.refund.rawValue }
        guard sale.subscriptionCharge != nil else { return ProductType.oneTimeBuy.rawValue }
        return (planned.plan.sales[sale.saleId]?.moment?.event ?? .start).rawValue
    }

    private func kind(of sale: Sale) -> EstimateSubject.Kind {
        if sale.refund != nil { return .refund }
        guard let moment = planned.plan.sales[sale.saleId]?.moment, moment.event == .renewal,
            let start = moment.start.flatMap({ planned.part.sales[$0] })
        else { return .buy }
        return .renewal(subscriptionStart: start.sale.occurredAt)
    }

    private func events(of customer: CustomerId?, token: StoredToken?, taps: [Timestamp]) -> CustomerEvents {
        let tokens: [StoredToken] =
            if let customer {
                planned.part.tokens.values.filter { $0.customerId == customer }
            } else {
                token.map { [$0] } ?? []
            }
        func dates(_ type: TokenType) -> [Timestamp] {
            tokens.filter { $0.token.tokenType == type }.map(\.token.tokenCreationDate)
        }
        return CustomerEvents(taps: taps, acquisitionTokens: dates(.acquisition), servicesTokens: dates(.services))
    }

    /// The reason why a person has to act; nil if the sale waits for time or a token, or for nothing (OB-63).
    private func reason(_ stored: StoredSale, depth: Int) -> String? {
        if stored.reportState == .needsAttention { return "its report was refused" }
        guard stored.standing == .held, depth < 3 else { return nil }
        var causes = stored.attribution.holdCauses.subtracting([.noToken, .noActiveToken, .inFuture, .waitsForStart])
        // A sale that waits for another sale needs a person only if the other sale does.
        if causes.remove(.buyHeld) != nil, let buy = stored.sale.refund.flatMap({ planned.part.sales[$0.refundOf] }),
            let reason = reason(buy, depth: depth + 1)
        {
            return reason
        }
        if causes.remove(.startHeld) != nil,
            let start = planned.plan.sales[stored.sale.saleId]?.moment?.start.flatMap({ planned.part.sales[$0] }),
            let reason = reason(start, depth: depth + 1)
        {
            return reason
        }
        var words = causes.map(\.rawValue)
        // The warning of a withdrawn currency is a reason too (RR-52).
        if stored.sale.purchase.flatMap({ Currency.code($0.currency) })?.current == false {
            words.append(SaleNote.withdrawnCurrency.rawValue)
        }
        return words.isEmpty ? nil : words.sorted().joined(separator: ", ")
    }
}

extension StoredSale {
    /// True if the sale charges or refunds money.
    fileprivate var isMoney: Bool { sale.purchase != nil || sale.refund != nil }
}
