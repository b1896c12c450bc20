package import ExternalPurchaseCore
package import Ledger
import Payments

/// A payment of a provider with what its objects say, what the ledger intends and what Apple accepted.
package struct ReconciledPayment: Hashable, Sendable {
    /// What explains that the figures differ.
    package enum Cause: String, Hashable, Sendable {
        /// A correction of what Apple accepted waits for a person, or for Apple.
        case correction
        /// A sale is on its way to Apple.
        case plan
        /// An event or a sale is held or waits.
        case hold
    }

    package let provider: PaymentProvider
    /// The invoice, payment intent or charge.
    package let id: String
    /// The code of the currency in which the customer was charged, ISO 4217.
    package let currency: String
    /// What must be reported of the payment, less what was given back, tax included, in units of the currency.
    package let statement: Decimal
    /// The same by the ledger's sales, refunds and chargebacks.
    package let ledger: Decimal
    /// The same by the line items that Apple accepted.
    package let apple: Decimal
    package let open: Cause?
    /// True for a payment whose events cannot all be read: ``statement`` is what was paid, whatever was given back.
    let isUnknown: Bool

    package var differs: Bool { isUnknown || statement != ledger || ledger != apple }

    package var json: JSONValue {
        func text(_ amount: Decimal) -> JSONValue { .string(Currency.text(of: amount, in: currency)) }
        return [
            "provider": .string(provider.rawValue), "id": .string(id),
            "currency": .string(currency), "statement": text(statement),
            "ledger": text(ledger), "apple": text(apple),
            "open": open.map { .string($0.rawValue) } ?? .null,
        ]
    }
}

/// Compares each payment's statement with the ledger and with what Apple accepted.
///
///     let reconciliation = PaymentReconciliation(sources: sources, tokenWait: .hours(24), now: now)
///     let differing = try await reader.read { try reconciliation.differences(of: nil, in: $0) }
package struct PaymentReconciliation: Sendable {
    private let reader: PaymentGroupReader

    /// - Parameter tokenWait: the time for which a payment waits for the token of its checkout.
    package init(sources: PaymentSources, tokenWait: Duration, now: Timestamp) {
        reader = PaymentGroupReader(sources: sources, tokenWait: tokenWait, now: now)
    }

    /// The payments whose figures differ, in the order in which their first events arrived.
    ///
    /// - Parameters:
    ///   - bundleId: one app; nil for all.
    ///   - ledger: one consistent state of the ledger.
    ///   - progress: called with the number of the last event that was compared, and that of the newest one.
    package func differences(
        of bundleId: BundleId?,
        in ledger: LedgerQueries,
        progress: (Int, Int?) -> Void = { _, _ in }
    ) throws(LedgerError) -> [ReconciledPayment] {
        let newest = try ledger.paymentEvents(matching: ListFilter(), LedgerPage(limit: 1, isNewestFirst: true)).first
        var found: [ReconciledPayment] = []
        // The later events of payments that were read with an earlier one.
        var read: Set<PaymentWorker.Key> = []
        var page = LedgerPage(limit: 500)
        while true {
            let events = try ledger.paymentEvents(matching: ListFilter(), page)
            for event in events where read.remove(PaymentWorker.Key(event)) == nil && event.result.state != .dismissed {
                guard let group = try reader.group(of: event, in: ledger) else { continue }
                read.formUnion(group.events.lazy.filter { $0.sequence > event.sequence }.map { PaymentWorker.Key($0) })
                if let bundleId, !group.events.contains(where: { $0.apps.contains(bundleId) }) { continue }
                found += try payments(of: group, bundleId, in: ledger).filter(\.differs)
            }
            guard let last = events.last else { return found }
            page.after = last.sequence
            progress(Int(last.sequence), newest.map { Int($0.sequence) })
        }
    }

    private func payments(
        of group: PaymentGroup,
        _ bundleId: BundleId?,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [ReconciledPayment] {
        let isOpen = group.events.contains { [.held, .waiting, .received].contains($0.result.state) }
        var payments: [ReconciledPayment] = []
        for statement in group.reading.statements {
            var books = Books(currency: statement.currency)
            for id in statement.saleIds {
                guard let sale = try reader.sale(id, of: group, in: ledger) else { continue }
                if let bundleId, sale.sale.bundleId != bundleId { continue }
                try books.add(sale, in: ledger)
            }
            if books.isEmpty, bundleId != nil { continue }
            payments.append(
                ReconciledPayment(
                    provider: group.provider,
                    id: statement.id,
                    currency: statement.currency,
                    statement: statement.reportable,
                    ledger: books.intended,
                    apple: books.accepted,
                    open: books.open ?? (isOpen ? .hold : nil),
                    isUnknown: false
                )
            )
        }
        // What cannot be read, or waits, has no statement yet, nor has a sale in another currency: what the customer paid stands for it.
        let stated = Set(group.reading.statements.map(\.id))
        for event in group.events {
            guard event.result.reference != .unreferenced, let payment = event.result.payment,
                !stated.contains(payment.id)
            else { continue }
            if let bundleId, let app = event.bundleId, app != bundleId { continue }
            var books = Books(currency: payment.currency)
            var currencies: Set<String> = []
            for id in event.result.sales {
                guard let sale = try reader.sale(id, of: group, in: ledger) else { continue }
                currencies.formUnion((sale.sale.lines ?? [sale.sale.purchase].compactMap(\.self)).map(\.currency))
                try books.add(sale, in: ledger)
            }
            // Sales in another currency than the one that was paid are a difference, whatever their figures are.
            guard isOpen || !currencies.subtracting([payment.currency]).isEmpty else { continue }
            payments.append(
                ReconciledPayment(
                    provider: group.provider,
                    id: payment.id,
                    currency: payment.currency,
                    statement: Decimal(payment.amount.value) / 1_000,
                    ledger: books.intended,
                    apple: books.accepted,
                    open: books.open ?? (isOpen ? .hold : nil),
                    isUnknown: true
                )
            )
        }
        return payments
    }
}

/// The sums of a payment's sales.
private struct Books {
    let currency: String
    var intended: Decimal = 0
    var accepted: Decimal = 0
    var open: ReconciledPayment.Cause?
    var isEmpty = true

    init(currency: String) { self.currency = currency }

    /// Adds a sale with its refunds and chargebacks; an order by its lines.
    mutating func add(_ sale: StoredSale, in ledger: LedgerQueries) throws(LedgerError) {
        let app = sale.sale.bundleId
        if case .order = sale.sale.kind {
            for line in try ledger.sales(.lines(sale.sale.saleId, of: app), LedgerPage(limit: 1_000)) {
                try add(line, in: ledger)
            }
            return
        }
        isEmpty = false
        let refunds = try ledger.refunds(of: sale.sale.saleId, app: app).filter { $0.standing != .recorded }
        var reversals: [StoredSale] = []
        for refund in refunds {
            reversals += try ledger.refunds(of: refund.sale.saleId, app: app).filter { $0.standing != .recorded }
        }
        let items = try items(of: [sale] + refunds, in: ledger)
        try count(sale, sale.sale.purchase?.inclusive ?? 0, sign: 1, items, in: ledger)
        let reversed = Set(reversals.filter { !$0.isVoid && $0.standing != .retracted }.compactMap(\.sale.takenBack))
        for refund in refunds {
            let amount = refund.sale.refund?.inclusive ?? 0
            try count(refund, reversed.contains(refund.sale.saleId) ? 0 : amount, sign: -1, items, in: ledger)
        }
        for reversal in reversals { try count(reversal, 0, sign: 1, items, in: ledger) }
    }

    private func items(
        of sales: [StoredSale],
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [LineItemId: ReceivedLineItem] {
        var items: [LineItemId: ReceivedLineItem] = [:]
        for environment in Set(sales.compactMap { $0.attribution.externalPurchaseId?.environment }) {
            for app in Set(sales.map(\.sale.bundleId)) {
                let scope = ReportingScope(bundleId: app, environment: environment)
                let found = try ledger.newestAccepted(Set(sales.map(\.lineItemId)), in: scope)
                items.merge(found.mapValues(\.item)) { first, _ in first }
            }
        }
        return items
    }

    private mutating func count(
        _ sale: StoredSale,
        _ amount: Decimal,
        sign: Decimal,
        _ items: [LineItemId: ReceivedLineItem],
        in ledger: LedgerQueries
    ) throws(LedgerError) {
        let counts = !sale.isVoid && sale.standing != .retracted
        if counts { intended += sign * amount }
        if let item = items[sale.lineItemId], item.erroneouslySubmitted != true {
            // An amount that was converted is compared by its report, which has the sale's newest version.
            let isConverted = item.reportingCurrency != nil && item.reportingCurrency != currency
            accepted += sign * (isConverted ? amount : Decimal(item.amountTaxInclusive ?? 0) / 1_000)
        } else if sale.standing == .handedOver {
            accepted += sign * amount
        }
        switch sale.standing {
        case .planned, .inReport: open = open ?? .plan
        case .held: open = .hold
        case .reported, .handedOver, .recorded, .retracted, .void: break
        }
        let about = try ledger.reviewItems(about: .sale(sale.sale.saleId), app: sale.sale.bundleId)
        if let item = about.first(where: { $0.resolution == nil }) {
            open = item.kind == .saleChanged ? .correction : .hold
        }
    }
}
