import ExternalPurchaseCore
import Ledger

/// Stores the sales of imported line items, and names the subscriptions of their charges.
extension LedgerImport.Taking {
    enum TakenItem {
        /// The imported report holds the sale.
        case held(SaleId)
        /// An earlier report holds the sale.
        case known
        case problem(String)
    }

    /// Finds or creates the sale of an accepted line item.
    ///
    /// A sale whose line item Apple had accepted before follows the newer version, whoever reported the one before.
    ///
    /// - Parameter others: the line items of the same report.
    mutating func takeItem(
        _ item: ReceivedLineItem,
        among others: Set<LineItemId>,
        of token: StoredToken
    ) throws(LedgerError) -> TakenItem {
        let (bundleId, tokenId) = (token.token.bundleId, token.token.externalPurchaseId)
        guard let id = item.lineItemId else { return .known }
        let ownerId = try ledger.sale(ofLineItem: id, of: bundleId)
        let buy = item.eventType == .refund ? try purchase(refundedBy: item, bundleId)?.sale : nil
        let imported = ImportedSale.sale(
            of: item,
            on: tokenId,
            of: bundleId,
            subscription: try subscription(of: item, bundleId),
            buy: buy
        )
        guard let imported else { return .problem("line item \(id) lacks what a sale needs") }
        guard let owner = ownerId, let stored = try ledger.sale(owner, of: bundleId) else {
            if try ledger.sale(imported.saleId, of: bundleId) != nil {
                return .problem("sale \(id) has another line item here")
            }
            if let original = try original(of: imported, in: token.scope) {
                try follow(item, imported, by: original, among: others, in: token.scope)
                touch(original.sale)
                return .known
            }
            let line: Line?
            switch try self.line(of: item, as: imported, on: tokenId) {
            case .success(let found): line = found
            case .failure(let problem): return .problem(problem.description)
            }
            _ = try ledger.insert(
                StoredSale(
                    sale: line?.sale ?? imported,
                    lineItemId: id,
                    receivedAt: now,
                    attribution: Attribution(state: .planned, externalPurchaseId: tokenId, origin: .imported),
                    partOf: line?.whole
                )
            )
            summary.newSales += 1
            touch(imported)
            return .held(imported.saleId)
        }
        switch stored.standing {
        case .planned, .held, .recorded:
            var differences = SaleDifferences(of: stored.sale, from: imported, buy: buy?.purchase)
            if let mine = stored.sale.refund, mine.isDerived, let its = imported.refund,
                let most = mine.refundedTotal ?? mine.stated,
                its.inclusive > most + (buy?.purchase?.conversionSlack ?? 0)
            {
                differences.add("amount.inclusive at most", most, its.inclusive, in: buy?.purchase?.currency ?? "")
            }
            if let differences = differences.words {
                return .problem("sale \(owner) is stored with other figures: \(differences)")
            }
            let review = MerchantPlanner(settings: work.settings, uuid: work.dependencies.uuid).review
            let attribution = Attribution(state: .planned, externalPurchaseId: tokenId)
            try complete(stored, by: imported)
            guard let newest = try ledger.sale(owner, of: bundleId) else { return .known }
            try review.update(attribution, of: newest, why: "Apple accepted it", now: now, in: ledger)
            if item.subscriptionEvent != nil, let charge = newest.sale.subscriptionCharge {
                storedNames.append((id, charge.subscriptionId))
            }
            if newest.sale.refund?.isDerived == true {
                told.insert(AppSale(saleId: newest.partOf ?? owner, bundleId: bundleId))
            }
            summary.sales += 1
            touch(newest.sale)
            return .held(owner)
        case .inReport: return .problem("sale \(id) is in a report that waits here and is not accepted")
        case .handedOver: return .problem("sale \(id) is in a manual export")
        case .void: return .problem("sale \(id) was voided here, and Apple accepted it")
        case .reported, .retracted:
            let replaces = try replaces(item, stored, in: token.scope)
            if stored.lineItemId == id || replaces {
                try follow(item, imported, by: stored, among: others, in: token.scope)
                touch(stored.sale)
            }
            return .known
        }
    }

    /// Fills in values that a stored sale lacks and that the accepted item contains (RR-45, RR-47).
    ///
    /// A refund whose amount is derived gets the accepted one.
    fileprivate func complete(_ stored: StoredSale, by imported: Sale) throws(LedgerError) {
        if let refund = stored.sale.refund, refund.isDerived, let accepted = imported.refund,
            accepted.inclusive != refund.inclusive
        {
            return try add(stored.sale.with(.refund(refund.amounting(to: accepted.inclusive))), to: stored, .restated)
        }
        guard let purchase = stored.sale.purchase, let accepted = imported.purchase,
            purchase.tax == nil || purchase.taxCountry == nil || purchase.needsRate && purchase.exchangeRate == nil
        else { return }
        let completed = Purchase(
            productId: purchase.productId,
            quantity: purchase.quantity,
            currency: purchase.currency,
            inclusive: purchase.inclusive,
            tax: purchase.tax ?? accepted.tax,
            taxCountry: purchase.taxCountry ?? accepted.taxCountry,
            exchangeRate: purchase.exchangeRate ?? accepted.exchangeRate?.besideBilledAmount
        )
        try add(stored.sale.with(completed), to: stored, .restated)
    }

    /// Whether an item is the one in place of the sale's retracted one, with an id that a correction chose before (RR-81).
    ///
    /// What Apple says of an item that another one has replaced is not about the sale any more.
    private func replaces(
        _ item: ReceivedLineItem,
        _ stored: StoredSale,
        in scope: ReportingScope
    ) throws(LedgerError) -> Bool {
        guard stored.isRetracted, item.erroneouslySubmitted != true, let id = item.lineItemId else { return false }
        return try ledger.newestAccepted([id], in: scope)[id] == nil
    }

    /// Adds the version of a sale that follows from a newer accepted version of its line item, or from the line item that
    /// replaces its own (RR-80, RR-81).
    fileprivate func follow(
        _ item: ReceivedLineItem,
        _ newer: Sale,
        by stored: StoredSale,
        among others: Set<LineItemId>,
        in scope: ReportingScope
    ) throws(LedgerError) {
        let bundleId = stored.sale.bundleId
        let accepted = try ledger.newestAccepted([stored.lineItemId], in: scope)[stored.lineItemId]
        let buy = try stored.sale.refund.flatMap { refund throws(LedgerError) in
            try ledger.sale(refund.refundOf, of: bundleId)
        }
        let before = accepted.flatMap { version in
            ImportedSale.sale(
                of: version.item,
                on: version.externalPurchaseId,
                of: bundleId,
                subscription: newer.subscriptionCharge?.subscriptionId,
                buy: buy?.sale
            )
        }
        var roundings: Int64 = 0
        if let buy, others.contains(buy.lineItemId) {
            roundings = Int64(try ledger.refunds(of: buy.sale.saleId, app: bundleId).count)
        }
        let sale = stored.sale.following(newer, from: before, buy: buy?.sale.purchase, roundings: roundings)
        let isRetracted = item.erroneouslySubmitted == true
        let lineItemId = item.lineItemId ?? stored.lineItemId
        if sale == stored.sale, isRetracted == stored.isRetracted, lineItemId == stored.lineItemId { return }
        try add(
            sale,
            to: stored,
            as: lineItemId,
            isRetracted ? .retracted : stored.isRetracted ? .restored : .restated
        )
    }

    func add(
        _ sale: Sale,
        to stored: StoredSale,
        as lineItemId: LineItemId? = nil,
        _ change: SaleVersion.Change
    ) throws(LedgerError) {
        try ledger.insert(
            SaleVersion(
                version: stored.version + 1,
                sale: sale,
                lineItemId: lineItemId ?? stored.lineItemId,
                change: change,
                saidAt: now
            )
        )
    }

    // MARK: Subscriptions

    /// Reads the names that the file gives to subscriptions; any charge of a subscription can carry the name.
    mutating func readNames(_ subscriptions: [(LineItemId, SubscriptionId)], of reports: [ReceivedReport]) {
        let named = Dictionary(subscriptions) { first, _ in first }
        for report in reports {
            for item in report.lineItems ?? [] {
                guard let id = item.lineItemId, let name = named[id], let start = item.subscriptionStart else {
                    continue
                }
                names[start] = names[start] ?? name
            }
        }
    }

    /// The name of a charge's subscription: from the file, from a stored sale, or made from its start.
    fileprivate func subscription(
        of item: ReceivedLineItem,
        _ bundleId: BundleId
    ) throws(LedgerError) -> SubscriptionId? {
        guard let start = item.subscriptionStart else { return nil }
        if let name = names[start] { return name }
        for id in [start, item.lineItemId].compactMap(\.self) {
            guard let owner = try ledger.sale(ofLineItem: id, of: bundleId),
                let charge = try ledger.sale(owner, of: bundleId)?.sale.subscriptionCharge
            else { continue }
            return charge.subscriptionId
        }
        return ImportedSubscription(start: start).placeholder
    }

    /// Links the imported charges of one subscription to the name in the file.
    ///
    /// - Returns: an error message; nil if the charges are linked.
    mutating func link(_ id: LineItemId, to name: SubscriptionId) throws(LedgerError) -> String? {
        var isFound = false
        for bundleId in work.apps.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            for environment in AppStoreEnvironment.allCases {
                let scope = ReportingScope(bundleId: bundleId, environment: environment)
                guard let item = try ledger.newestAccepted([id], in: scope)[id]?.item,
                    let start = item.subscriptionStart
                else { continue }
                isFound = true
                let subscription = ImportedSubscription(start: start)
                let linked = try subscription.link(to: name, now: now, of: bundleId, in: ledger)
                if let other = linked.others.first, let charge = other.sale.subscriptionCharge {
                    return "its charge \(other.lineItemId) is one of subscription \(charge.subscriptionId), not of "
                        + "\(name)"
                }
                summary.linkedCharges += linked.count
                touched[bundleId, default: []].insert(.subscription(name))
            }
        }
        return isFound ? nil : "is no accepted line item of a subscription"
    }

    mutating func touch(_ sale: Sale) {
        touched[sale.bundleId, default: []].insert(.sale(sale.saleId))
        if let name = sale.subscriptionId { touched[sale.bundleId, default: []].insert(.subscription(name)) }
    }
}

extension Refund {
    /// True if the amount follows from a total or from the refund of an order.
    fileprivate var isDerived: Bool { refundedTotal != nil || isShare }
}

extension [ReceivedLineItem] {
    /// The items sorted so that each one comes after the items that it references and that it replaces, and the lines of an
    /// order in order.
    var inOrderOfReference: [ReceivedLineItem] {
        func rank(_ item: ReceivedLineItem) -> Int {
            if item.eventType == .refund { return 2 }
            return item.subscriptionEvent == nil || item.subscriptionEvent == .start ? 0 : 1
        }
        func place(_ item: EnumeratedSequence<Self>.Element) -> (Int, Int, Int, Int) {
            let isRetracted = item.element.erroneouslySubmitted == true
            return (rank(item.element), isRetracted ? 0 : 1, ImportedLines.number(of: item.element), item.offset)
        }
        return enumerated().sorted { place($0) < place($1) }.map(\.element)
    }
}
