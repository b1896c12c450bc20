package import ExternalPurchaseCore
package import Ledger

/// The accounts of Paddle Billing whose events the server receives.
///
/// The newest state of a transaction and of each of its adjustments counts, by `occurred_at`. Paddle is the seller of record:
/// it computes and pays the tax, and the price that the customer paid is reported with that tax.
package struct PaddleSource: PaymentSource {
    private let entries: [WebhookEntry]

    package init(entries: [WebhookEntry]) { self.entries = entries }

    package var provider: PaymentProvider { .paddle }
    package var interpretation: Int64 { 1 }
    package var accounts: [PaymentAccount] { entries.map(\.account) }

    package func receive(_ delivery: PaymentDelivery) throws(PaymentRefusal) -> PaymentEvent {
        let secrets = entries.flatMap { entry in entry.secrets.map { (secret: $0, entry: entry) } }
        let match = try PaddleSignature.verify(delivery, secrets: secrets.map(\.secret))
        let json: JSONValue
        var reader = JSONReader()
        // A customer's name must not keep a payment from being reported.
        reader.interruptsRuns = true
        do { json = try reader.read(delivery.body) } catch { throw .unreadable("the body \(error.message())") }
        let event = try PaddleEvent(json)
        let custom = event.entity.object("custom_data")
        let apps = Set(secrets.filter { $0.secret == secrets[match].secret }.map(\.entry.account.bundleId)).sorted()
        return PaymentEvent(
            id: event.id,
            type: event.type,
            isLive: secrets[match].entry.isLive,
            createdAt: event.occurredAt,
            content: event.reduced,
            customerId: custom?.members["external_purchase_customer"]?.stringValue.map { CustomerId($0) },
            bundleId: custom?.code("external_purchase_bundle").map { BundleId($0) },
            apps: apps,
            objects: Set(event.objectIds.map { PaymentObjectName($0) }).union(event.references.map(\.name)),
            provided: event.provided
        )
    }

    /// The given apps and those that share a secret with them.
    package func appsOfEndpoint(_ apps: [BundleId]) -> Set<BundleId> {
        let secrets = Set(entries.filter { apps.contains($0.account.bundleId) }.flatMap(\.secrets))
        return Set(apps).union(entries.filter { !secrets.isDisjoint(with: $0.secrets) }.map(\.account.bundleId))
    }

    /// Each endpoint knows its own addresses.
    package func storedName(of request: PaymentRequest, for apps: [BundleId]) -> String {
        "\(request.path) \(appsOfEndpoint(apps).sorted().map(\.rawValue).joined(separator: ","))"
    }

    package func interpret(
        _ events: [StoredPaymentEvent],
        _ known: KnownPayments,
        answers: (PaymentRequest) throws(LedgerError) -> [JSONValue]?
    ) throws(LedgerError) -> PaymentReading {
        var read: [PaddleEvent] = []
        for stored in events {
            do throws(PaymentRefusal) {
                read.append(try PaddleEvent(stored.content))
            } catch {
                throw .corrupt("the payment event \(stored.eventId) cannot be read: \(error)")
            }
        }
        // Money moved in production: an event of the sandbox does not stop it.
        let isLive = events.contains(where: \.isLive)
        let foreign = Set(events.filter { $0.isLive != isLive }.map(\.eventId.rawValue))
        let used = read.filter { !foreign.contains($0.id) }
            .sorted { ($0.occurredAt, $0.id) < ($1.occurredAt, $1.id) }
        let apps = Set(events.flatMap(\.apps))
        var interpretation = PaddleInterpretation(
            accounts: entries.filter { $0.isLive == isLive && apps.contains($0.account.bundleId) }.map(\.account)
                .merged(),
            events: used,
            isLive: isLive,
            known: known
        )
        if let address = interpretation.address {
            let request = PaymentRequest(path: "addresses/\(address)", isList: false, objectId: nil)
            interpretation.country = try answers(request)?.first?.stringValue
        }
        var reading = interpretation.read()
        let reason = PaymentReason(.environment, "events of live mode name the same objects as this one of the sandbox")
        for id in foreign { reading.outcomes[id] = .held(reason) }
        return reading
    }
}

extension PaddleEvent {
    /// The country of an address, which transactions name by its id.
    var provided: PaymentEvent.Provided? {
        guard kind == .address, let id = entity.code("id"), let code = entity.code("country_code"),
            let country = Country.alpha2(code)
        else { return nil }
        let request = PaymentRequest(path: "addresses/\(id)", isList: false, objectId: nil)
        return PaymentEvent.Provided(request: request, answer: .string(country.alpha3))
    }
}

/// The reading of the events of one transaction, or of one subscription.
struct PaddleInterpretation {
    let accounts: [PaymentAccount]
    /// Sorted, the newest last.
    let events: [PaddleEvent]
    let isLive: Bool
    let known: KnownPayments
    /// The country of the transaction's address.
    var country: String?

    /// The transaction's newest state.
    private var transaction: PaddleEvent? { events.last { $0.kind == .transaction } }

    /// The address whose country is needed.
    var address: String? { transaction?.entity.code("address_id") }

    func read() -> PaymentReading {
        var reading = PaymentReading()
        for event in events where event.kind == nil || event.kind == .address {
            let what =
                event.kind == nil ? "no \(event.type) gives a sale" : "an address says the country of transactions"
            reading.outcomes[event.id] = .notUsed(PaymentReason(.type, what))
        }
        let subscriptions = events.filter { $0.kind == .subscription }
        if !subscriptions.isEmpty { readSubscription(subscriptions, into: &reading) }
        let payments = events.filter { $0.kind == .transaction || $0.kind == .adjustment }
        if !payments.isEmpty { readPayment(payments, into: &reading) }
        return reading
    }

    // MARK: Transactions

    private func readPayment(_ events: [PaddleEvent], into reading: inout PaymentReading) {
        func set(_ outcome: PaymentOutcome, _ events: [PaddleEvent]) {
            for event in events { reading.outcomes[event.id] = outcome }
        }
        guard let transaction else {
            return set(
                .waiting(PaymentReason(.purchase, "the event of the transaction has not arrived"), isAlert: false),
                events
            )
        }
        var newest: [String: PaddleEvent] = [:]
        for event in events where event.kind == .adjustment { newest[event.entity.name] = event }
        let adjustments = newest.values.sorted { $0.entity.name < $1.entity.name }
        let current = [transaction] + adjustments
        let older = events.filter { !current.contains($0) }
        set(.notUsed(PaymentReason(.known, "another event has a newer state of it")), older)
        switch transaction.entity.code("status") {
        case "completed": break
        case "paid", "billed", "ready", "draft", "past_due":
            let status = transaction.entity.code("status") ?? ""
            let reason = PaymentReason(.unpaid, "the transaction is \(status); transaction.completed tells the rest")
            return set(.waiting(reason, isAlert: false), current)
        case let status:
            return set(
                .notUsed(PaymentReason(.nothingPaid, "the transaction is \(status ?? "without a status")")),
                current
            )
        }
        do throws(NoSale) {
            let account = try self.account(transaction.entity)
            let (repayments, outcomes) = try self.repayments(adjustments, in: transaction.entity.currency())
            let payment = try self.payment(transaction, account, repayments)
            let others = older.map(\.id) + outcomes.keys
            var own = payment.reading(known, beside: others)
            if own.payments[transaction.id]?.reference == .referenced {
                for (event, outcome) in outcomes { own.outcomes[event] = outcome }
            }
            reading.sales += own.sales
            reading.withdrawals += own.withdrawals
            reading.statements += own.statements
            reading.outcomes.merge(own.outcomes) { $1 }
            reading.payments.merge(own.payments) { $1 }
            reading.notes.merge(own.notes) { $1 }
        } catch  where isForeign(transaction) {
            // What cannot be read and is nobody's of an app is no matter for a person.
            for event in current { reading.payments[event.id] = PaymentState(reference: .unreferenced, payment: nil) }
            set(.notUsed(unreferenced("payment")), current)
        } catch {
            set(error.outcome, current)
        }
    }

    /// Whether nothing says that an object belongs to an external purchase, whichever app sold.
    private func isForeign(_ event: PaddleEvent) -> Bool {
        let data = event.entity.object("custom_data")
        let isNamed = PaddleObject.ownNames.contains { data?.members[$0]?.stringValue != nil }
        let isKnown = event.references.contains(where: known.references.known.contains) || known.isOfKnownCustomer
        let isTold = !known.references.told.isEmpty || !known.posted.isEmpty
        return !(isNamed || isKnown || isTold || accounts.contains { $0.take == .all })
    }

    private func unreferenced(_ what: String) -> PaymentReason {
        PaymentReason(.unreferenced, "nothing says that the \(what) belongs to an external purchase")
    }

    private func account(_ entity: PaddleObject) throws(NoSale) -> PaymentAccount {
        guard let named = entity.object("custom_data")?.code("external_purchase_bundle") else {
            if accounts.count == 1, let only = accounts.first { return only }
            let detail =
                "several apps share the account; the custom_data external_purchase_bundle must name one of them"
            throw .held(.bundle, accounts.isEmpty ? "the configuration has no entry of the app" : detail)
        }
        guard let account = accounts.first(where: { $0.bundleId.rawValue == named }) else {
            throw .held(.bundle, "the custom_data external_purchase_bundle names no app here: \(named.quoted)")
        }
        return account
    }

    private func payment(
        _ event: PaddleEvent,
        _ account: PaymentAccount,
        _ repayments: [StatedPayment.Repayment]
    ) throws(NoSale) -> StatedPayment {
        let entity = event.entity
        let currency = try entity.currency()
        let lines = try self.lines(of: entity, account, in: currency)
        let total = try entity.object("details")?.object("totals")?.amount("total")
        let sum = lines.reduce(0) { $0 &+ $1.amount }
        guard let total, total == sum else {
            throw .held(
                .total,
                "the line items of \(entity.name) add up to \(sum), its total is \(total.map { "\($0)" } ?? "missing")"
            )
        }
        let metadata = try PaddleMetadata(entity.object("custom_data"), isLive: isLive)
        let (billed, created) = (try entity.time("billed_at"), try entity.time("created_at"))
        return StatedPayment(
            id: entity.name,
            account: account,
            isLive: isLive,
            // A later state tells when something was recorded.
            occurredAt: billed ?? created ?? event.occurredAt,
            currency: currency,
            checkoutId: metadata.checkoutId,
            customerId: metadata.customerId,
            externalPurchaseId: metadata.externalPurchaseId,
            isNamed: metadata.isNamed,
            references: Set(event.references),
            lines: lines,
            repayments: repayments,
            eventId: event.id,
            hasGlobalIds: true
        )
    }

    private func lines(
        of entity: PaddleObject,
        _ account: PaymentAccount,
        in currency: Currency
    ) throws(NoSale) -> [StatedPayment.Line] {
        let elements = entity.object("details")?.objects("line_items") ?? []
        guard (1...1_000).contains(elements.count) else { throw .held(.lines, "\(entity.name) has no line items") }
        guard Set(elements.map(\.name)).count == elements.count else {
            throw .held(.lines, "two line items of \(entity.name) have one id")
        }
        let recurring = Set(
            entity.objects("items").compactMap { $0.object("price") }.filter { $0.object("billing_cycle") != nil }
                .compactMap { $0.code("id") }
        )
        var period: SubscriptionPeriod?
        if let bounds = entity.object("billing_period") {
            let (start, end) = (try bounds.time("starts_at"), try bounds.time("ends_at"))
            if let start, let end, start <= end { period = SubscriptionPeriod(start: start, end: end) }
        }
        var isFirst = true
        var lines: [StatedPayment.Line] = []
        for element in elements {
            guard let totals = element.object("totals") else { throw .held(.member, "\(element.name) has no totals") }
            let amount = try totals.amount("total")
            let kind: Sale.Kind?
            if let purchase = try purchase(element, amount, tax: try totals.amount("tax"), account, in: currency) {
                if let subscription = entity.code("subscription_id"),
                    element.code("price_id").map(recurring.contains) ?? false
                {
                    guard let period else {
                        throw .held(.member, "\(entity.name) of a subscription has no billing_period")
                    }
                    let isChange = entity.code("origin") == "subscription_update"
                    let charge = SubscriptionCharge(
                        subscriptionId: SubscriptionId(subscription),
                        period: period,
                        // The history decides about the plan's own line (RR-32); further items are payments beside it.
                        event: isFirst ? (isChange ? .change : nil) : .payment,
                        purchase: purchase
                    )
                    isFirst = false
                    kind = .subscription(charge)
                } else {
                    kind = amount == 0 ? nil : .purchase(purchase)
                }
            } else {
                kind = nil
            }
            lines.append(StatedPayment.Line(id: element.name, amount: amount, kind: kind))
        }
        return lines
    }

    /// Nil for a product that the configuration leaves out.
    private func purchase(
        _ line: PaddleObject,
        _ amount: Int64,
        tax: Int64,
        _ account: PaymentAccount,
        in currency: Currency
    ) throws(NoSale) -> Purchase? {
        let ids = [line.code("price_id"), line.object("product")?.code("id")].compactMap(\.self)
        guard let product = ids.lazy.compactMap({ account.products[$0] }).first ?? ids.last else {
            throw .held(.product, "\(line.name) names no price or product")
        }
        if product == PaymentAccount.excluded { return nil }
        guard let quantity = line.members["quantity"]?.int64Value, (1...Purchase.largestQuantity).contains(quantity)
        else {
            throw .held(.quantity, "the quantity of \(line.name) is not a whole number above 0")
        }
        guard tax <= amount else { throw .held(.amount, "the tax of \(line.name) is more than its amount") }
        let country = account.taxCountry ?? country
        if country == nil, let address {
            throw .waiting(
                .address,
                "no event address.created or address.updated of \(address) has its country, nor has taxCountry"
            )
        }
        func units(_ amount: Int64) -> Decimal {
            Decimal(amount) * Decimal(sign: .plus, exponent: -currency.exponent, significand: 1)
        }
        return Purchase(
            productId: product,
            quantity: quantity,
            currency: currency.code,
            inclusive: units(amount),
            tax: .amount(units(tax)),
            taxCountry: country
        )
    }

    // MARK: Adjustments

    /// What adjustments give back, the events that tell it, and the outcomes of those that give nothing back.
    private func repayments(
        _ events: [PaddleEvent],
        in currency: Currency
    ) throws(NoSale) -> ([StatedPayment.Repayment], [String: PaymentOutcome]) {
        var repayments: [StatedPayment.Repayment] = []
        var outcomes: [String: PaymentOutcome] = [:]
        let wonBack = try wonBack(among: events, in: currency)
        for event in events {
            let entity = event.entity
            let (action, status) = (entity.code("action") ?? "", entity.code("status") ?? "")
            switch (action, status) {
            case ("refund", "pending_approval"), ("credit", "pending_approval"):
                let reason = PaymentReason(.refundPending, "the adjustment has not given the money back yet")
                outcomes[event.id] = .waiting(reason, isAlert: false)
            case ("refund", "approved"), ("credit", "approved"), ("chargeback", "approved"), ("chargeback", "reversed"):
                var repayment = try self.repayment(event, in: currency)
                if action == "chargeback", status == "reversed" || wonBack.contains(event.id) {
                    (repayment.isReturned, repayment.amount, repayment.lines) = (true, 0, [:])
                }
                repayments.append(repayment)
            case ("refund", _), ("credit", _), ("chargeback", _):
                outcomes[event.id] = .notUsed(PaymentReason(.refundFailed, "the adjustment is \(status)"))
            case ("chargeback_reverse", _), ("credit_reverse", _):
                outcomes[event.id] = .notUsed(PaymentReason(.known, "the adjustment that it reverses tells it"))
            case ("chargeback_warning", _), ("chargeback_warning_reverse", _):
                outcomes[event.id] = .notUsed(PaymentReason(.inquiry, "a warning moves no money"))
            default:
                outcomes[event.id] = .held(
                    PaymentReason(.member, "the adjustment's action is not known: \(action.quoted)")
                )
            }
        }
        return (repayments, outcomes)
    }

    /// The events of the chargebacks of which other adjustments say that they were won back.
    ///
    /// Such an adjustment does not name the chargeback: it is the one of the same amount that says so itself at about that time,
    /// else the newest before it that does not, because a payment is charged back again only after it was won.
    private func wonBack(among events: [PaddleEvent], in currency: Currency) throws(NoSale) -> Set<String> {
        var open: [(event: PaddleEvent, repayment: StatedPayment.Repayment, saysSo: Bool)] = []
        var reversals: [(at: Timestamp, amount: Int64)] = []
        for event in events {
            let status = event.entity.code("status")
            guard status == "approved" || status == "reversed" else { continue }
            switch event.entity.code("action") {
            case "chargeback":
                open.append((event, try repayment(event, in: currency), status == "reversed"))
            case "chargeback_reverse":
                let amount = try event.entity.object("totals")?.amount("total") ?? 0
                reversals.append((try event.entity.time("created_at") ?? event.occurredAt, amount))
            default: continue
            }
        }
        open.sort { ($0.repayment.occurredAt, $0.event.id) < ($1.repayment.occurredAt, $1.event.id) }
        var found: Set<String> = []
        for reversal in reversals.sorted(by: { $0.at < $1.at }) {
            let candidates = open.indices.filter { index in
                open[index].repayment.amount == reversal.amount && !found.contains(open[index].event.id)
                    && open[index].repayment.occurredAt <= reversal.at
            }
            let same = candidates.first { index in
                open[index].saysSo
                    && abs(open[index].event.occurredAt.milliseconds - reversal.at.milliseconds) <= 3_600_000
            }
            guard let index = same ?? candidates.last(where: { !open[$0].saysSo }) ?? candidates.last else { continue }
            found.insert(open[index].event.id)
        }
        return found
    }

    private func repayment(_ event: PaddleEvent, in currency: Currency) throws(NoSale) -> StatedPayment.Repayment {
        let entity = event.entity
        guard try entity.currency() == currency else {
            throw .held(.currency, "\(entity.name) is in another currency than its transaction")
        }
        guard let total = try entity.object("totals")?.amount("total") else {
            throw .held(.member, "\(entity.name) has no totals")
        }
        var lines: [String: Int64] = [:]
        for item in entity.objects("items") {
            guard let line = item.code("item_id"), let totals = item.object("totals") else { continue }
            lines[line, default: 0] += try totals.amount("total")
        }
        // The items say of which lines; where they are not all of it, it is shared.
        if lines.values.reduce(0, &+) != total { lines = [:] }
        return StatedPayment.Repayment(
            id: entity.name,
            occurredAt: try entity.time("created_at") ?? event.occurredAt,
            amount: total,
            lines: lines,
            isChargeback: entity.code("action") == "chargeback",
            eventId: event.id
        )
    }

    // MARK: Subscriptions

    private func readSubscription(_ events: [PaddleEvent], into reading: inout PaymentReading) {
        for event in events {
            let (sale, reason): (SaleId, Sale.Kind)
            let id = SubscriptionId(event.entity.name)
            switch (event.type, event.entity.code("status")) {
            case ("subscription.canceled", "canceled"):
                (sale, reason) = (
                    SaleId("\(id)/cancellation"), .cancellation(SubscriptionCancellation(subscriptionId: id))
                )
            case ("subscription.past_due", "past_due"):
                let start = try? event.entity.object("current_billing_period")?.time("starts_at")
                let seconds = (start ?? event.occurredAt).milliseconds / 1_000
                (sale, reason) = (SaleId("\(id)/lapse/\(seconds)"), .lapse(id))
            default:
                reading.outcomes[event.id] = .notUsed(PaymentReason(.type, "no \(event.type) gives a sale"))
                continue
            }
            do throws(NoSale) {
                if isForeign(event) { throw NoSale(outcome: .notUsed(unreferenced("subscription"))) }
                let account = try self.account(event.entity)
                let metadata = try PaddleMetadata(event.entity.object("custom_data"), isLive: isLive)
                let isTaken =
                    account.take == .all || metadata.isNamed || known.references.told.contains(event.id)
                    || event.references.contains(where: known.references.known.contains)
                guard isTaken else {
                    throw NoSale(outcome: .notUsed(unreferenced("subscription")))
                }
                let told = known.standing.first { $0.saleId == sale }
                let moment = try event.entity.time("canceled_at") ?? event.occurredAt
                let own = told ?? Sale(saleId: sale, bundleId: account.bundleId, occurredAt: moment, kind: reason)
                reading.sales.append(PaymentSale(sale: own, isLive: isLive, restatement: nil, eventIds: [event.id]))
                reading.outcomes[event.id] = .used([sale])
            } catch {
                reading.outcomes[event.id] = error.outcome
            }
        }
    }
}

/// What the shop wrote into `custom_data`.
struct PaddleMetadata {
    var checkoutId: CheckoutId?
    var customerId: CustomerId?
    var externalPurchaseId: ExternalPurchaseId?
    var isNamed = false

    init(_ data: PaddleObject?, isLive: Bool) throws(NoSale) {
        guard let data else { return }
        func text(_ name: String, _ maximum: Int) throws(NoSale) -> String? {
            guard let text = data.members["external_purchase_\(name)"]?.stringValue, !text.isEmpty else { return nil }
            guard text.unicodeScalars.count <= maximum, !text.unicodeScalars.contains(where: \.isControlOrDirection)
            else {
                throw .held(
                    .metadata,
                    "the custom_data external_purchase_\(name) has more than \(maximum) characters, or control characters"
                )
            }
            return text
        }
        checkoutId = try text("checkout", 128).map { CheckoutId($0) }
        customerId = try text("customer", 128).map { CustomerId($0) }
        externalPurchaseId = try text("id", 256).map { ExternalPurchaseId($0) }
        isNamed = PaddleObject.ownNames.contains { data.members[$0]?.stringValue != nil }
        if let token = externalPurchaseId, (token.environment == .sandbox) == isLive {
            throw .held(
                .environment,
                "an event of \(isLive ? "live mode" : "the sandbox") names a token of the other environment"
            )
        }
    }
}
