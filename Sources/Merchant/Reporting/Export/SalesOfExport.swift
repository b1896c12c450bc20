import ExternalPurchaseCore
import Ledger

/// Converts sales to rows of the month export, with the merchant's own figures instead of the accepted ones.
struct SalesOfExport {
    /// The sales that are lines of an export, by id.
    private(set) var live: [SaleId: StoredSale] = [:]

    private let planned: MerchantPlanner.Planned
    private let environment: AppStoreEnvironment
    private var items: [LineItemId: LineItem] = [:]
    /// The newest accepted versions of refunds, by the line item of their buy.
    private var acceptedRefunds: [LineItemId: [AcceptedVersion]] = [:]
    /// The line items of buys with a refund that is not accepted yet.
    private var openRefunds: Set<LineItemId> = []

    /// The taps and tokens that open the commission windows of a sale (OB-31, OB-32).
    struct Visits {
        let events: CustomerEvents
        let hasTaps: Bool
        /// The tokens that came through a link.
        let tappedTokens: Set<ExternalPurchaseId>
        /// The number of moments, and 64 for the rest.
        let weight: Int

        init(tokens: [StoredToken], taps: [LinkTap]) {
            func dates(_ type: TokenType) -> [Timestamp] {
                tokens.filter { $0.token.tokenType == type }.map(\.token.tokenCreationDate)
            }
            hasTaps = !taps.isEmpty
            // Only those that decide on a flow by themselves.
            tappedTokens = Set(taps.compactMap(\.externalPurchaseId)).intersection(
                tokens.filter { $0.token.tokenType == .coreTechnology }.map(\.token.externalPurchaseId)
            )
            weight = 64 + tokens.count + taps.count + 8 * tappedTokens.count
            events = CustomerEvents(
                taps: taps.map(\.tappedAt),
                acquisitionTokens: dates(.acquisition),
                servicesTokens: dates(.services)
            )
        }
    }

    /// - Parameter planned: sales with what decides on their line items; see `ConnectedRecords.Extent.content`.
    init(
        planned: MerchantPlanner.Planned,
        environment: AppStoreEnvironment,
        foreignCurrency: ForeignCurrency
    ) {
        self.planned = planned
        self.environment = environment
        let stored = planned.part.sales
        let accepted = planned.part.accepted[environment] ?? [:]
        // Chargebacks that the merchant won back and retracted sales move no money. A reversal that is held retracts
        // nothing, and a correction may have undone the retraction of an earlier one: these chargebacks stand.
        let undone = Set(
            stored.values.compactMap { reversal -> SaleId? in
                guard let chargeback = reversal.sale.reversedChargeback, !reversal.isRetracted,
                    reversal.standing != .held
                else { return nil }
                let item = stored[chargeback].flatMap { accepted[$0.lineItemId]?.item }
                let stands = item.map { $0.erroneouslySubmitted != true } ?? false
                return reversal.standing == .reported && stands ? nil : chargeback
            }
        )
        let live = stored.values
            .filter { sale in
                !sale.isRetracted && planned.part.lines[sale.sale.saleId] == nil
                    && planned.plan.sales[sale.sale.saleId]?.outcome != .noLineItem
                    && !undone.contains(sale.sale.saleId) && sale.isMoney
                    && sale.environment == environment
            }
            // The order of a report: the refund that uses up its buy is the last one by moment, not by arrival.
            .sorted { ($0.sale.occurredAt, $0.sequence) < ($1.sale.occurredAt, $1.sequence) }
        self.live = Dictionary(live.map { ($0.sale.saleId, $0) }) { first, _ in first }
        let counted = live.filter { !isHeldRefund($0) }
        // An accepted refund has the figures that Apple accepted, which decide how the refunds of its buy were rounded.
        // Other accepted items are left out on purpose, so that differing figures become visible in the export.
        let reported = Self.reportedRefunds(counted, among: stored, accepted, foreignCurrency)
        let lineItems = LineItemPlanner(foreignCurrency: foreignCurrency).items(
            of: counted.filter { reported[$0.lineItemId] == nil }.map(\.sale.saleId),
            among: counted.map { SaleRecord($0) },
            accepted: reported,
            moments: planned.plan.sales.compactMapValues(\.moment)
        )
        items = Dictionary(lineItems.items.map { ($0.lineItemId, $0) }) { first, _ in first }
        for version in reported.values {
            guard var item = LineItem(accepted: version.item), let buy = item.reference.flatMap({ items[$0] }) else {
                continue
            }
            item.amounts.netTaxExclusive = buy.amounts.netTaxExclusive
            items[item.lineItemId] = item
        }
        for version in accepted.values where version.item.eventType == .refund {
            if let buy = version.item.referenceLineItemId { acceptedRefunds[buy, default: []].append(version) }
        }
        for sale in live where accepted[sale.lineItemId] == nil && items[sale.lineItemId] != nil {
            guard let buy = sale.sale.refund.flatMap({ stored[$0.refundOf] }) else { continue }
            openRefunds.insert(buy.lineItemId)
        }
    }

    /// The accepted refunds whose figures are those of the recorded refund, however the refunds of its buy were rounded.
    private static func reportedRefunds(
        _ counted: [StoredSale],
        among stored: [SaleId: StoredSale],
        _ accepted: [LineItemId: AcceptedVersion],
        _ foreignCurrency: ForeignCurrency
    ) -> [LineItemId: AcceptedVersion] {
        var refunds: [SaleId: [Refund]] = [:]
        for refund in stored.values.compactMap(\.sale.refund) { refunds[refund.refundOf, default: []].append(refund) }
        var reported: [LineItemId: AcceptedVersion] = [:]
        for sale in counted {
            guard let refund = sale.sale.refund, let version = accepted[sale.lineItemId],
                let buy = stored[refund.refundOf], let purchase = buy.sale.purchase,
                let money = RefundableMoney(of: purchase),
                let inclusive = version.item.amountTaxInclusive, let tax = version.item.taxAmount,
                version.item.erroneouslySubmitted != true, version.item.referenceLineItemId == buy.lineItemId,
                version.item.pricingCurrency == purchase.currency,
                version.item.reportingCurrency == purchase.reportingCurrency(foreign: foreignCurrency),
                money.gives(
                    refund,
                    LineMoney(taxInclusive: MilliUnits(inclusive), tax: MilliUnits(tax)),
                    among: refunds[refund.refundOf] ?? []
                )
            else { continue }
            reported[sale.lineItemId] = version
        }
        return reported
    }

    private func version(of stored: StoredSale) -> AcceptedVersion? {
        planned.part.accepted[environment]?[stored.lineItemId]
    }

    /// Returns the token of a sale; the accepted item decides on it, because a correction may have moved the item.
    func token(of stored: StoredSale) -> StoredToken? {
        let id =
            version(of: stored)?.externalPurchaseId ?? stored.attribution.externalPurchaseId
            ?? planned.plan.sales[stored.sale.saleId]?.externalPurchaseId
        return id.flatMap { planned.part.tokens[$0] }
    }

    /// Returns the customer of a sale: its own, that of its buy, or that of its token.
    func customer(of stored: StoredSale, on token: StoredToken?) -> CustomerId? {
        let buy = stored.sale.refund.flatMap { planned.part.sales[$0.refundOf] }
        return stored.sale.customerId ?? buy?.sale.customerId ?? token?.customerId
    }

    /// Returns what Apple has of a sale; nil if no accepted report contains it.
    func accepted(_ stored: StoredSale) -> MonthExportBuilder.AcceptedSale? {
        guard let version = version(of: stored), let item = AcceptedItem(version.item),
            let report = version.report(spelledAs: stored.requestIdentifier)
        else { return nil }
        let group = [version] + (acceptedRefunds[stored.lineItemId] ?? [])
        let newest = group.max { $0.sequence < $1.sequence } ?? version
        return MonthExportBuilder.AcceptedSale(
            item: item,
            in: report,
            on: version.externalPurchaseId,
            net: newest.item.netAmountTaxExclusive.map { MilliUnits($0) } ?? item.net,
            hasOpenRefund: openRefunds.contains(stored.lineItemId)
        )
    }

    /// Returns the row of the buy that a refund with a line item takes back; nil for other sales.
    ///
    /// It says in which export the buy stands. What estimates need is left out.
    func buyRow(of stored: StoredSale) -> ExportSale? {
        guard let refund = stored.sale.refund, let reference = items[stored.lineItemId]?.asReceived.referenceLineItemId
        else { return nil }
        let named = planned.part.sales[refund.refundOf].flatMap { $0.lineItemId == reference ? $0 : nil }
        guard let buy = named ?? live.values.first(where: { $0.lineItemId == reference }), live[buy.sale.saleId] != nil
        else { return nil }
        return row(of: buy, on: token(of: buy), visits: Visits(tokens: [], taps: []))
    }

    /// Returns the row of a sale.
    func row(of stored: StoredSale, on token: StoredToken?, visits: Visits) -> ExportSale {
        let sale = stored.sale
        let buy = sale.refund.flatMap { planned.part.sales[$0.refundOf] }
        let item = items[stored.lineItemId]
        let received = item?.asReceived
        // A refund is estimated by the terms of its buy.
        let paidDays = (buy.flatMap { items[$0.lineItemId]?.asReceived } ?? received)?.subscriptionDaysOfPaidService
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
            tokenCreatedAt: token?.token.tokenCreationDate,
            storefront: token?.storefront,
            system: (sale.system ?? buy?.sale.system)?.version,
            reference: received?.referenceLineItemId ?? buy?.lineItemId,
            heldFor: reason(stored, depth: 0),
            given: given(sale, of: buy?.sale.purchase),
            estimate: ExportSale.EstimateDetails(
                kind: kind(of: sale),
                flow: flow(on: token, visits),
                daysOfPaidService: paidDays.map { Int($0) },
                events: visits.events
            )
        )
    }

    /// How the customer reached the purchase, as far as taps and the type of the token tell.
    private func flow(on token: StoredToken?, _ visits: Visits) -> ReportingProgramme.Flow? {
        var isTapped = visits.hasTaps
        // The customer's other taps say nothing of a purchase that the app itself offered (OB-46).
        if let token, token.token.tokenType == .coreTechnology {
            isTapped = visits.tappedTokens.contains(token.token.externalPurchaseId)
        }
        return ReportingProgramme.Flow(tokenType: token?.token.tokenType, isCheckoutInApp: isTapped ? false : nil)
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
        if let refund = sale.refund {
            // A held refund may reference a sale that is no purchase, such as another refund.
            guard let buy = planned.part.sales[refund.refundOf]?.sale, buy.purchase != nil else {
                return .refund(of: .buy, at: sale.occurredAt)
            }
            return .refund(of: kind(of: buy), at: buy.occurredAt)
        }
        guard let moment = planned.plan.sales[sale.saleId]?.moment, moment.event == .renewal,
            let start = moment.start.flatMap({ planned.part.sales[$0] })
        else { return .buy }
        return .renewal(subscriptionStart: start.sale.occurredAt)
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
