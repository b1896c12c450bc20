import ExternalPurchaseCore
import Ledger

/// The reading of events that are connected by their objects.
struct GroupInterpretation {
    let accounts: [PaymentAccount]
    let canFetch: Bool
    let fetched: StripeFetched
    let standing: [SaleId: Sale]
    /// The refunds of which events had at least one line retracted.
    let retracted: Set<SaleId>
    /// The sales that a caller sent for a payment, by the id that they name.
    let posted: [StripeObjectId: [Sale]]
    /// The refunds that callers sent under Stripe's ids.
    let postedRefunds: [Sale]
    let isLive: Bool
    /// Sorted, without those of refunds that only released an authorisation.
    let events: [StripeEvent]
    let links: StripeLinks
    let releases: StripeReleases

    private var sales: [SaleId: Sale] = [:]
    private var restatements: [SaleId: PaymentSale.Restatement] = [:]
    private var withdrawals: [SaleId: PaymentWithdrawal] = [:]
    private var outcomes: [String: PaymentOutcome] = [:]
    private var notes: [String: String] = [:]
    private var requests: Set<PaymentRequest> = []
    /// The sale of each payment intent, from its Checkout session or from its own metadata, and of each charge without one.
    var paymentSales: [StripeObjectId: Sale] = [:]
    /// The sales of each paid invoice.
    var invoiceSales: [StripeObjectId: [Sale]] = [:]
    /// The plan of each subscription as it was before each of its invoices.
    var plans: [StripeObjectId: [StripeObjectId: StripePlan]] = [:]
    /// What was paid beside a sale, by the sale or the first one of an invoice, in Stripe's units: shipping, and products
    /// that the configuration leaves out.
    var unreported: [SaleId: Int64] = [:]
    /// What refunds, notes and disputes give back, by the name of their sale, in Stripe's units: shipping included.
    var wholeAmounts: [String: Int64] = [:]

    init(
        accounts: [PaymentAccount],
        canFetch: Bool,
        fetched: StripeFetched,
        standing: [SaleId: Sale],
        retracted: Set<SaleId>,
        posted: [StripeObjectId: [Sale]],
        postedRefunds: [Sale],
        isLive: Bool,
        events: [StripeEvent]
    ) {
        self.accounts = accounts
        self.canFetch = canFetch
        self.fetched = fetched
        self.standing = standing
        self.retracted = retracted
        self.posted = posted
        self.postedRefunds = postedRefunds
        self.isLive = isLive
        links = StripeLinks(events, fetched: fetched)
        releases = StripeReleases(events, links)
        var (paid, released): ([StripeEvent], [StripeEvent]) = ([], [])
        for event in events {
            let isRelease = event.kind == .refund && event.objectId.map(releases.isRelease) ?? false
            if isRelease { released.append(event) } else { paid.append(event) }
        }
        self.events = paid
        let reason = PaymentReason(.released, "the refund released what was authorised and not captured")
        set(.notUsed(reason), for: released)
    }

    /// True if a caller sent the sale of a payment of the group.
    var isPosted: Bool { !posted.isEmpty && events.contains { $0.objectIds.contains { posted[$0] != nil } } }

    /// Reads the purchases first, then what refers to them.
    mutating func read() -> PaymentReading {
        noteWholeAmounts()
        readPaymentSessions()
        readInvoices()
        readCreditInvoices()
        readSubscriptionSessions()
        readIntents()
        readCharges()
        readInvoicePayments()
        readFailedInvoices()
        readSubscriptions()
        readRefunds()
        readCreditNotes()
        readDisputes()
        let statements = compareStatements()
        var reading = PaymentReading()
        var tellers: [SaleId: [String]] = [:]
        for (event, outcome) in outcomes {
            guard case .used(let saleIds) = outcome else { continue }
            for saleId in saleIds { tellers[saleId, default: []].append(event) }
        }
        reading.sales = sales.values.map {
            PaymentSale(
                sale: $0,
                isLive: isLive,
                restatement: restatements[$0.saleId],
                eventIds: tellers[$0.saleId]?.sorted() ?? []
            )
        }
        reading.withdrawals = Array(withdrawals.values)
        reading.outcomes = outcomes
        reading.notes = notes
        reading.statements = statements
        reading.requests = Array(requests)
        return reading
    }
}

extension GroupInterpretation {
    /// The events of some kinds by the id of their object, sorted by it.
    func objects(_ kinds: StripeEventKind...) -> [(id: StripeObjectId, events: [StripeEvent])] {
        var byId: [StripeObjectId: [StripeEvent]] = [:]
        for event in events {
            guard let kind = event.kind, kinds.contains(kind), let id = event.objectId else { continue }
            byId[id, default: []].append(event)
        }
        return byId.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The sales that a caller sent for a payment.
    ///
    /// - Throws: a reason to hold where the payment has another sale, of its events or of a caller who named another id of it, before
    ///   events connected the ids: it would be told twice.
    func posted(
        charge: StripeObjectId?,
        intent: StripeObjectId?,
        invoice: StripeObjectId? = nil
    ) throws(NoSale) -> [Sale]? {
        let intent = intent ?? charge.flatMap { links.intentOfCharge[$0] }
        let charges = intent.map { intent in links.intentOfCharge.filter { $0.value == intent }.keys.sorted() } ?? []
        let invoices = invoice.map { [$0] } ?? links.invoices(charge: charge, intent: intent).sorted()
        let intents = invoice.map { links.intents(ofInvoice: $0) } ?? []
        let ids = [intent, charge].compactMap(\.self) + charges + invoices + intents
        let named = Set(ids.filter { posted[$0] != nil })
        if named.isEmpty { return nil }
        let given = standing.keys.filter { id in ids.contains { $0.rawValue == id.rawValue } }
        // Several invoices that one intent pays are several sales.
        guard given.isEmpty, named.count == 1 || named.isSubset(of: invoices) else {
            let sales = Set(given + named.flatMap { posted[$0] ?? [] }.map(\.saleId)).map(\.rawValue).sorted()
            let payment = Set(ids).map(\.rawValue).sorted().joined(separator: ", ")
            throw .held(
                .severalSales,
                "\(sales.joined(separator: ", ")) are sales of one payment (\(payment)): void all but one"
            )
        }
        return ids.lazy.compactMap { posted[$0] }.first
    }

    mutating func set(_ outcome: PaymentOutcome, for events: [StripeEvent]) {
        for event in events { outcomes[event.id] = outcome }
    }

    /// Adds to the outcome of events what a person should know of it.
    mutating func note(_ text: String, for events: [StripeEvent]) {
        for event in events { notes[event.id] = notes[event.id].map { "\($0); \(text)" } ?? text }
    }

    /// Notes the rate that the configuration lacks for a sale without a tax.
    mutating func noteMissingRate(of sales: [Sale], for events: [StripeEvent]) {
        guard let country = sales.flatMap(\.purchases).lazy.filter({ $0.tax == nil }).compactMap(\.taxCountry).first
        else {
            return
        }
        note("Stripe computed no tax; the configuration lacks taxRates: {\(country): \"…\"}", for: events)
    }

    /// What the given and the stored refunds of a sale give back beside those of one name, in units of the currency;
    /// chargebacks that were won back are not among them.
    func givenBack(of saleId: SaleId, beside name: String) -> Decimal {
        let known = counted()
        let reversed = Set(known.values.compactMap(\.reversedChargeback))
        return known.values.reduce(0) { sum, sale in
            guard let refund = sale.refund, refund.refundOf == saleId, !reversed.contains(sale.saleId),
                sale.saleId.rawValue != name, !sale.saleId.rawValue.hasPrefix("\(name)/")
            else { return sum }
            return sum + (refund.statedAmount ?? refund.inclusive)
        }
    }

    /// The given sales and those that the ledger holds, without the withdrawn ones.
    func counted() -> [SaleId: Sale] { standing.filter { withdrawals[$0.key] == nil }.merging(sales) { $1 } }

    func outcome(of event: StripeEvent) -> PaymentOutcome? { outcomes[event.id] }

    /// The sales that the reading withdraws for some reasons.
    func withdrawn(_ reasons: PaymentWithdrawal.Reason...) -> [SaleId] {
        withdrawals.values.filter { reasons.contains($0.reason) }.map(\.saleId)
    }

    /// Takes sales out of the reading, and holds the events that tell only them.
    mutating func remove(_ saleIds: Set<SaleId>, _ reason: PaymentReason) {
        for saleId in saleIds { sales[saleId] = nil }
        for (event, outcome) in outcomes {
            guard case .used(let told) = outcome, !saleIds.isDisjoint(with: told) else { continue }
            let left = told.filter { !saleIds.contains($0) }
            outcomes[event] = left.isEmpty ? .held(reason) : .used(left)
        }
    }

    /// Adds a sale; the ledger's own version of it counts, completed by what it lacks.
    ///
    /// - Parameters:
    ///   - sale: the sale.
    ///   - restatement: why its amounts replace those of the ledger's version; nil if they do not.
    /// - Returns: the sale as added.
    @discardableResult
    mutating func emit(_ sale: Sale, restating restatement: PaymentSale.Restatement? = nil) throws(NoSale) -> Sale {
        guard (1...100).contains(sale.saleId.rawValue.unicodeScalars.count) else {
            throw .held(.saleId, "the saleId would have more than 100 characters: \(sale.saleId.rawValue.quoted)")
        }
        if let restatement, let restated = standing[sale.saleId]?.withAmounts(of: sale) {
            sales[sale.saleId] = restated
            restatements[sale.saleId] = restatement
            return restated
        }
        let sale = standing[sale.saleId].map { sale.completing($0) } ?? sale
        sales[sale.saleId] = sale
        return sale
    }

    mutating func withdraw(_ saleId: SaleId, _ reason: PaymentWithdrawal.Reason, by events: [StripeEvent]) {
        sales[saleId] = nil
        let eventIds = Set(events.map(\.id)).union(withdrawals[saleId]?.eventIds ?? [])
        withdrawals[saleId] = PaymentWithdrawal(saleId: saleId, reason: reason, eventIds: eventIds.sorted())
    }

    /// The answer to a request; nil lets the reading name the request.
    mutating func answer(_ request: PaymentRequest) -> [StripeObject]? {
        guard fetched.answers[request] != nil else {
            requests.insert(request)
            return nil
        }
        return fetched.objects(request)
    }

    /// The app that sold, by the metadata where several share the account.
    func seller(_ metadata: StripeMetadata) throws(NoSale) -> PaymentAccount {
        if let token = metadata.externalPurchaseId, (token.environment == .sandbox) == isLive {
            let mode = isLive ? "live" : "test"
            throw .held(.environment, "an event of \(mode) mode names a token of the other environment")
        }
        guard let bundleId = metadata.bundleId else {
            if accounts.count == 1, let only = accounts.first { return only }
            throw .held(
                .bundle,
                "several apps share the account; the metadata external_purchase_bundle must name one of them"
            )
        }
        guard let account = accounts.first(where: { $0.bundleId == bundleId }) else {
            throw .held(.bundle, "the metadata external_purchase_bundle names no app here: \(bundleId.rawValue.quoted)")
        }
        return account
    }
}
