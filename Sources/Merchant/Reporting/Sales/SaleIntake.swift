import ExternalPurchaseCore
import Ledger
import ReportValidation

/// Stores sales in the ledger, each `saleId` once, and attributes each one to its token if it is known.
package struct SaleIntake: Sendable {
    let store: any LedgerStore
    let apps: [BundleId: RegisteredApp]
    let settings: ReportingSettings
    let dependencies: ReportingDependencies
    let signals: SenderSignals

    /// What became of a sale within a transaction.
    enum Outcome: Sendable {
        case accepted(SaleReceipt)
        case refused(RequestError)

        init(_ outcome: SaleChanges.Outcome, in ledger: LedgerQueries) throws(LedgerError) {
            switch outcome {
            case .done(let sale, let isChanged):
                self = .accepted(try sale.receipt(isNew: false, isChanged: isChanged, in: ledger))
            case .waiting(let sale):
                self = .accepted(try sale.receipt(isNew: false, isWaiting: true, isChanged: true, in: ledger))
            case .refused(let refusal):
                self = .refused(refusal)
            }
        }
    }

    private var changes: SaleChanges {
        SaleChanges(
            store: store,
            apps: apps,
            settings: settings,
            dependencies: dependencies,
            payments: signals.payments
        )
    }

    /// Stores a sale, or changes a known one.
    ///
    /// - Throws: ``RequestError``.
    package func receive(_ command: SaleCommand) async throws(RequestError) -> SaleReceipt {
        var now = dependencies.now()
        if command.sale.occurredAt > now + settings.rules.clockSkew {
            await dependencies.refresh()
            now = dependencies.now()
        }
        let outcome = try await commit(command, now: now)
        return try receipt(of: outcome)
    }

    /// Voids a sale.
    ///
    /// - Throws: ``RequestError/unknown(_:)`` for an unknown sale, ``RequestError/needsCorrection(_:_:)`` for an
    ///   accepted one.
    package func void(_ command: VoidCommand) async throws(RequestError) -> SaleReceipt {
        let saleId = command.saleId
        if let bundleId = command.bundleId, apps[bundleId] == nil {
            let known = apps.keys.sorted().map(\.rawValue).joined(separator: ", ")
            throw .invalid([FieldError("/bundleId", "is none of the apps registered here: \(known)")])
        }
        let bundleIds = command.bundleId.map { [$0] } ?? apps.keys.sorted()
        let (now, changes) = (dependencies.now(), changes)
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
                    return .refused(.missingApp(of: "sale", among: found.map(\.sale.bundleId)))
                }
                if let whole = known.partOf {
                    let message = "\(saleId) is a line item of sale \(whole); void that, or amend it without the line"
                    return .refused(.impossible(message))
                }
                let outcome = try Outcome(changes.void(known, by: command.author, now: now, in: ledger), in: ledger)
                // The events of the payment that it was give a sale again.
                if case .accepted = outcome, let payment = known.sale.payment {
                    try ledger.reopenPaymentEvents(of: payment)
                }
                return outcome
            }
        } catch {
            throw .notStored(error)
        }
        return try receipt(of: outcome)
    }

    private func receipt(of outcome: Outcome) throws(RequestError) -> SaleReceipt {
        switch outcome {
        case .accepted(let receipt):
            signals.saleStored(receipt)
            return receipt
        case .refused(let refusal):
            throw refusal
        }
    }

    private func commit(_ command: SaleCommand, now: Timestamp) async throws(RequestError) -> Outcome {
        do {
            return try await store.write(expecting: command.expectedRows) { [self] ledger throws(LedgerError) in
                try take(command, now: now, in: ledger)
            }
        } catch {
            throw .notStored(error)
        }
    }

    /// Stores what a caller sent, or changes a known sale, as a part of a transaction.
    func take(
        _ command: SaleCommand,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Outcome {
        if let sum = try sum(with: command.sale, in: ledger) {
            let message = "Stripe's events tell the refunds of this payment, as \(sum): nothing has to be sent"
            return .refused(.conflict(message))
        }
        return try record(command, now: now, in: ledger)
    }

    /// The sale with which events told the refunds of a payment in a sum: a caller's refund is a part of it, or of the next one.
    private func sum(with refund: Sale, in ledger: LedgerQueries) throws(LedgerError) -> SaleId? {
        guard let buy = refund.refund?.refundOf, PaymentObjectName(refund.saleId.rawValue).isStripeRefund,
            try ledger.sale(refund.saleId, of: refund.bundleId) == nil
        else { return nil }
        // A sum is a refund of the whole order, of which a caller may name a line.
        let buys = try ledger.sale(buy, of: refund.bundleId)?.partOf.map { [buy, $0] } ?? [buy]
        return try ledger.refunds(ofEach: buys, app: refund.bundleId)
            .first { $0.countsForPayment && $0.sale.saleId.isSumOfRefunds }?.sale.saleId
    }

    /// Stores a sale, or changes a known one, as a part of a transaction.
    ///
    /// A refused sale changes nothing. The events of a payment that the sale names are applied again.
    func record(
        _ command: SaleCommand,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Outcome {
        if let refusal = try Self.refusal(ofReturned: command, in: ledger) { return .refused(refusal) }
        if let refusal = try Self.refusal(ofRefunded: command, in: ledger) { return .refused(refusal) }
        guard let payment = command.sale.payment else { return try store(command, now: now, in: ledger) }
        if let given = try otherSale(of: payment, besides: command.sale, in: ledger) {
            return .refused(.conflict("payment \(payment.id) is sale \(given) already"))
        }
        let outcome = try store(command, now: now, in: ledger)
        if case .accepted = outcome { try ledger.reopenPaymentEvents(of: payment) }
        return outcome
    }

    /// Another sale of a payment: one that names it, or that its events gave.
    private func otherSale(
        of payment: PaymentLink,
        besides sale: Sale,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> SaleId? {
        // Its intent, charges, session and invoice are one payment, and a subscription has many.
        var ids: Set<PaymentObjectName> = [PaymentObjectName(payment.id)]
        var given: Set<SaleId> = []
        for _ in 0..<2 {
            let asked = ids
            for event in try ledger.paymentEvents(about: ids, of: payment.provider) {
                ids.formUnion(event.paymentObjects.filter { !$0.isOfSubscription })
                given.formUnion(event.result.sales)
            }
            if ids == asked { break }
        }
        let named = ids.sorted()
        let queries: [SaleQuery] = named.map { .payment($0, of: sale.bundleId) }
        for (id, sales) in zip(named, try ledger.sales(queries, LedgerPage(limit: 100))) {
            given.formUnion(
                sales.filter { $0.sale.payment == PaymentLink(provider: payment.provider, id: id.rawValue) }.map(
                    \.sale.saleId
                )
            )
        }
        for id in given.sorted() where id != sale.saleId {
            guard let other = try ledger.sale(id, of: sale.bundleId), other.countsForPayment,
                other.sale.purchase != nil || other.sale.lines != nil
            else { continue }
            return id
        }
        return nil
    }

    private func store(
        _ command: SaleCommand,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Outcome {
        let (given, author) = (command.sale, command.author)
        // Apple refuses sales with a later time (E6), and the refused report would delay all later sales of its token.
        let latest = now + settings.rules.clockSkew
        let planner = MerchantPlanner(settings: settings, uuid: dependencies.uuid)
        let buy = try ledger.refundedPurchase(of: given)
        var sale: Sale
        do throws(RequestError) {
            sale = try given.withUnits(command.minorUnits, of: buy)
        } catch {
            return .refused(error)
        }
        if let known = try ledger.sale(sale.saleId, of: sale.bundleId) {
            // Another system may have reported each line of an imported order as a sale of its own.
            if let whole = known.partOf, author != nil || !known.isImported {
                return .refused(.conflict("\(sale.saleId) is the id of a line item of sale \(whole)"))
            }
            let sale = try sale.forgetting(known.sale.customerId, in: ledger)
            if author == nil, known.isImported, try SalePlace(of: known, in: ledger) == .accepted {
                return try adopt(sale, of: known, now: now, planner: planner, in: ledger)
            }
            let outcome = try changes.submit(
                sale,
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
            return .refused(.invalid([FieldError("/occurredAt", message)]))
        }
        if sale.occurredAt < Timestamp(milliseconds: 0) {
            return .refused(.invalid([FieldError("/occurredAt", "lies before 1970")]))
        }
        let foreign = settings.foreignCurrency
        if let refusal = try Self.refusal(of: sale, foreign: foreign, in: ledger) { return .refused(refusal) }
        sale = sale.statingRateTargets(foreign: foreign).fillingRates(from: dependencies.rates, foreign: foreign)
        if let other = try ledger.otherSale(withLineItemOf: sale) { return .refused(.conflict(other)) }
        let arrived = StoredSale(
            sale: sale,
            lineItemId: LineItemId(sale.saleId.rawValue),
            receivedAt: now,
            attribution: Attribution(state: .held, externalPurchaseId: nil, holdCauses: [.noToken])
        )
        let stored = try ledger.insert(arrived)
        let checkout = try Self.checkout(of: sale, in: ledger)
        var keys = [.sale(sale.saleId)] + sale.keys
        if sale.externalPurchaseId != nil, let checkout, checkout.tokenClaim != .authenticated {
            // The token that the sale names replaces the claims of public arrivals (TK-78).
            keys += try ledger.salesKeys(ofCheckout: checkout.checkoutId, app: sale.bundleId)
        }
        try planner.replan(touching: keys, of: sale.bundleId, extent: .touched, in: ledger, now: now)
        try Self.reviewReversal(of: sale, now: now, in: ledger)
        let planned = try ledger.sale(sale.saleId, of: sale.bundleId) ?? stored
        let known = try Self.checkout(of: sale, in: ledger)
        let ties =
            checkout?.customerId == nil && known?.customerId != nil
            || checkout.map { $0.tokenClaim != known?.tokenClaim } ?? false
        return .accepted(try planned.receipt(isNew: true, tiesCheckout: ties, in: ledger))
    }

    /// Opens a review item for a reversal whose chargeback was handed over by hand: no report takes that back.
    private static func reviewReversal(of sale: Sale, now: Timestamp, in ledger: LedgerTransaction) throws(LedgerError)
    {
        guard let id = sale.reversedChargeback, let chargeback = try ledger.sale(id, of: sale.bundleId),
            let export = chargeback.exportId
        else { return }
        _ = try ledger.open(
            ReviewItem(
                bundleId: sale.bundleId,
                kind: .contradiction,
                subject: .sale(sale.saleId),
                detail:
                    "chargeback \(id) was handed over by hand, with submission \(export), and \(sale.saleId) says that "
                    + "the dispute was won: ask Apple to take it back, then close this item",
                openedAt: now
            )
        )
    }

    /// Merges a sale with the imported one of its identifier.
    private func adopt(
        _ sale: Sale,
        of known: StoredSale,
        now: Timestamp,
        planner: MerchantPlanner,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Outcome {
        if known.sale == sale { return .accepted(try known.receipt(isNew: false, in: ledger)) }
        // Into which currency its rate leads is compared with what Apple accepted, whatever the setting wants now.
        let refusal = try Self.refusal(of: sale.withoutRateTargets, foreign: settings.foreignCurrency, in: ledger)
        if let refusal { return .refused(refusal) }
        switch try ImportedSale.adopt(sale, of: known, now: now, planner: planner, in: ledger) {
        case .success(let adopted):
            return .accepted(try adopted.sale.receipt(isNew: false, isChanged: adopted.isChanged, in: ledger))
        case .failure(let refusal): return .refused(refusal)
        }
    }

    /// Voids a sale as a part of a transaction.
    func void(
        _ sale: StoredSale,
        by author: SaleAuthor,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Outcome {
        try Outcome(changes.void(sale, by: author, now: now, in: ledger), in: ledger)
    }

    private static func checkout(of sale: Sale, in ledger: LedgerQueries) throws(LedgerError) -> Checkout? {
        guard let id = sale.checkoutId else { return nil }
        return try ledger.checkout(id, of: sale.bundleId)
    }
}

extension StoredSale {
    /// Whether the sale is what a payment was, if it names one or its events gave it.
    var countsForPayment: Bool { !isVoid && standing != .retracted && partOf == nil }
}

extension SaleId {
    /// True for the difference that a `charge.refunded` of Stripe told, `ch_…/300`.
    fileprivate var isSumOfRefunds: Bool {
        let parts = rawValue.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 1, parts[0].hasPrefix("ch_") || parts[0].hasPrefix("py_") else { return false }
        return !parts[1].isEmpty && parts[1].utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
