import ExternalPurchaseCore
import Ledger

/// The reading of the events of one transaction, or of one subscription and its transactions.
struct PaddleInterpretation {
    let accounts: [PaymentAccount]
    /// Sorted, the newest last.
    let events: [PaddleEvent]
    let isLive: Bool
    let known: KnownPayments
    /// The countries of the transactions' addresses.
    var countries: [String: String] = [:]

    /// The addresses whose countries are needed.
    var addresses: Set<String> {
        Set(events.compactMap { $0.kind == .transaction ? $0.entity.code("address_id") : nil })
    }

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
        readPayments(payments, into: &reading)
        return reading
    }

    // MARK: Transactions

    /// A completed transaction, the events with older states of it, and the outcomes of adjustments that give nothing back.
    private typealias Draft = (
        event: PaddleEvent, payment: StatedPayment, older: [String], outcomes: [String: PaymentOutcome]
    )

    private func readPayments(_ events: [PaddleEvent], into reading: inout PaymentReading) {
        func set(_ outcome: PaymentOutcome, _ events: [String]) {
            for event in events { reading.outcomes[event] = reading.outcomes[event]?.joined(outcome) ?? outcome }
        }
        var drafts: [Draft] = []
        var isComplete = true
        for events in Dictionary(grouping: events, by: \.transactionId).values {
            guard let transaction = events.last(where: { $0.kind == .transaction }) else {
                let reason = PaymentReason(.purchase, "the event of the transaction has not arrived")
                set(.waiting(reason, isAlert: false), events.map(\.id))
                continue
            }
            var newest: [String: PaddleEvent] = [:]
            for event in events where event.kind == .adjustment { newest[event.entity.name] = event }
            let adjustments = newest.values.sorted { $0.entity.name < $1.entity.name }
            let current = ([transaction] + adjustments).map(\.id)
            let older = events.map(\.id).filter { !current.contains($0) }
            set(.notUsed(PaymentReason(.known, "another event has a newer state of it")), older)
            if let outcome = transaction.entity.outcomeWithoutSale {
                set(outcome, current)
                continue
            }
            do throws(NoSale) {
                let account = try self.account(transaction.entity)
                let (repayments, outcomes) = try self.repayments(adjustments, in: transaction.entity.currency())
                let payment = try self.payment(transaction, account, repayments)
                drafts.append((transaction, payment, older, outcomes))
            } catch  where isForeign(transaction) {
                // What cannot be read and is nobody's of an app is no matter for a person.
                for event in current {
                    reading.payments[event] = PaymentState(reference: .unreferenced, payment: nil)
                }
                set(.notUsed(unreferenced("payment")), current)
            } catch {
                set(error.outcome, current)
                isComplete = false
            }
        }
        drafts.sort { ($1.payment.occurredAt, $1.payment.id) < ($0.payment.occurredAt, $0.payment.id) }
        for credit in drafts.reversed() {
            do throws(NoSale) {
                try attribute(credit, to: &drafts, isComplete: isComplete)
                continue
            } catch  where isForeign(credit.event) {
                reading.payments[credit.event.id] = PaymentState(reference: .unreferenced, payment: nil)
                set(.notUsed(unreferenced("payment")), [credit.event.id])
            } catch {
                // What was sold beside the credit is not told without it: Apple would have more than was paid.
                set(error.outcome, [credit.event.id] + credit.payment.repaymentEventIds)
                isComplete = isComplete && credit.payment.lines.isEmpty
            }
            drafts.removeAll { $0.event.id == credit.event.id }
        }
        let sold = knownPayments()
        var unsold = known
        (unsold.posted, unsold.standing) = ([], [])
        for draft in drafts {
            let others = draft.older + draft.outcomes.keys
            var own = draft.payment.reading(sold[draft.payment.id] ?? unsold, beside: others)
            if own.payments[draft.event.id]?.reference == .referenced {
                for (event, outcome) in draft.outcomes { own.outcomes[event] = outcome }
            }
            reading.sales += own.sales
            reading.withdrawals += own.withdrawals
            reading.statements += own.statements
            for (event, outcome) in own.outcomes { set(outcome, [event]) }
            reading.payments.merge(own.payments) { $0.payment == nil ? $1 : $0 }
            reading.notes.merge(own.notes) { $1 }
        }
    }

    /// What is known of each payment of the subscription that has sales, by its transaction.
    private func knownPayments() -> [String: KnownPayments] {
        var owners: [String: String] = [:]
        for event in events where event.kind == .adjustment { owners[event.entity.name] = event.transactionId }
        let takenBack = Dictionary(known.standing.map { ($0.saleId, $0.takenBack) }) { first, _ in first }
        func name(_ id: SaleId) -> String { String(id.rawValue.prefix { $0 != "/" }) }
        var found: [String: (posted: [Sale], standing: [Sale])] = [:]
        var posted: [SaleId: String] = [:]
        for sale in known.posted {
            guard let payment = sale.payment?.id else { continue }
            let owner = owners[payment] ?? payment
            posted[sale.saleId] = owner
            found[owner, default: ([], [])].posted.append(sale)
        }
        for sale in known.standing {
            var sold = sale.saleId
            while let place = takenBack[sold] ?? nil { sold = place }
            for owner in Set([owners[name(sale.saleId)], posted[sold], name(sold)].compactMap(\.self)) {
                found[owner, default: ([], [])].standing.append(sale)
            }
        }
        return found.mapValues { sales in
            var own = known
            (own.posted, own.standing) = sales
            return own
        }
    }

    /// Lets the credit that a transaction gives reduce what the subscription was charged for the same price and time, by the newest
    /// transaction before it first, then by later ones, then for another price.
    ///
    /// What the credit pays, of this transaction or by the balance of later ones, is sold in full: what was paid is told once.
    private func attribute(_ credit: Draft, to drafts: inout [Draft], isComplete: Bool) throws(NoSale) {
        let (entity, own) = (credit.event.entity, credit.payment)
        let items = try items(of: entity)
        let given = own.given - (try items.map(\.amount).sum(of: entity.name))
        guard given > 0 else { return }
        let earlier = drafts.indices.filter { drafts[$0].payment.occurredAt <= own.occurredAt }
        let order = earlier + drafts.indices.filter { !earlier.contains($0) }.reversed()
        let credits = items.filter { $0.amount < 0 }
        var changed = drafts
        for (item, share) in zip(credits, try given.shared(by: credits.map { -$0.amount }, of: entity.name)) {
            var open = share
            var isCharged = false
            let price = item.line.code("price_id") ?? ""
            let moment = try period(of: item.line, in: entity)?.start ?? own.occurredAt
            // Prorations that were told as one sale are less than their price: the rest was charged for what they replaced.
            for isOfPrice in [true, false] where isOfPrice || isCharged {
                for index in order {
                    let (charged, payment) = (changed[index].event.entity, changed[index].payment)
                    guard payment.id != own.id, payment.currency == own.currency else { continue }
                    let elements = charged.object("details")?.objects("line_items") ?? []
                    for (place, line) in payment.lines.enumerated() {
                        guard let element = elements.first(where: { $0.name == line.id }),
                            !isOfPrice || element.code("price_id") == price,
                            let period = try period(of: element, in: charged),
                            period.start <= moment, moment < period.end
                        else { continue }
                        isCharged = true
                        let part = min(open, try changed[index].payment.left()[place])
                        guard part > 0 else { continue }
                        open -= part
                        changed[index].payment.giveBack(part, of: line.id, own.id, own.occurredAt, credit.event.id)
                    }
                }
            }
            guard open > 0 || !isComplete else { continue }
            let text = "\(own.currency.code) \(Currency.text(of: own.units(share), in: own.currency.code))"
            let advice = "or report it as a refund with POST /v1/sales and set this event aside"
            let what = "\(item.line.name) of \(entity.name) gives a credit of \(text) for \(price)"
            guard isCharged, isComplete else {
                throw .waiting(
                    .purchase,
                    "\(what), and no transaction that charged it for that time is known, or one gives no sale yet: let Paddle send that one "
                        + "again, \(advice)"
                )
            }
            throw .held(
                .amount,
                "\(what), which is more than is left of what was charged for that time: apply it again when a refund of that was reversed, "
                    + advice
            )
        }
        drafts = changed
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
        let lines = try self.lines(of: entity, at: entity.moment() ?? event.occurredAt, account, in: currency)
        let metadata = try PaddleMetadata(entity.object("custom_data"), isLive: isLive)
        let ids = Set(lines.map(\.id))
        return StatedPayment(
            id: entity.name,
            account: account,
            isLive: isLive,
            // A later state tells when something was recorded.
            occurredAt: try entity.moment() ?? event.occurredAt,
            currency: currency,
            checkoutId: metadata.checkoutId,
            customerId: metadata.customerId,
            externalPurchaseId: metadata.externalPurchaseId,
            isNamed: metadata.isNamed,
            references: Set(event.references),
            lines: lines,
            repayments: repayments.map { repayment in
                var repayment = repayment
                // Line items that were told as one sale have no line of their own.
                if !ids.isSuperset(of: repayment.lines.keys) || repayment.lines.values.contains(where: { $0 < 0 }) {
                    (repayment.lines, repayment.taxes) = ([:], [:])
                }
                return repayment
            },
            eventId: event.id,
            hasGlobalIds: true
        )
    }

    /// A line item with its amounts, tax included; those of a credit are below 0.
    private typealias Item = (line: PaddleObject, amount: Int64, tax: Int64)

    /// The line items, which add up to the transaction's total.
    private func items(of entity: PaddleObject) throws(NoSale) -> [Item] {
        let elements = entity.object("details")?.objects("line_items") ?? []
        guard (1...1_000).contains(elements.count) else { throw .held(.lines, "\(entity.name) has no line items") }
        guard Set(elements.map(\.name)).count == elements.count else {
            throw .held(.lines, "two line items of \(entity.name) have one id")
        }
        var items: [Item] = []
        for element in elements {
            let owner = "\(element.name) of \(entity.name)"
            guard let totals = element.object("totals") else { throw .held(.member, "\(owner) has no totals") }
            let amount = try totals.amount("total", of: owner, isSigned: true)
            items.append((element, amount, try totals.amount("tax", of: owner, isSigned: true)))
        }
        let totals = entity.object("details")?.object("totals")
        let total = try totals?.amount("total", of: entity.name, isSigned: true)
        let sum = try items.map(\.amount).sum(of: entity.name)
        guard let total, total == sum else {
            throw .held(
                .total,
                "the line items of \(entity.name) add up to \(sum), its total is \(total.map { "\($0)" } ?? "missing")"
            )
        }
        guard total >= 0 || totals?.code("credit_to_balance") == "\(total.magnitude)" else {
            throw .held(.total, "\(entity.name) gives back \(total.magnitude), and not to the customer's balance")
        }
        return items
    }

    /// What a line item is about: the rest of a period for a proration, else the transaction's period.
    private func period(of line: PaddleObject, in entity: PaddleObject) throws(NoSale) -> SubscriptionPeriod? {
        guard
            let bounds = line.object("proration")?.object("billing_period") ?? entity.object("billing_period"),
            let start = try bounds.time("starts_at"), let end = try bounds.time("ends_at"), start <= end
        else { return nil }
        return SubscriptionPeriod(start: start, end: end)
    }

    /// The lines that charge something or nothing.
    ///
    /// Each line item is one, but where some prorations give credit, all prorations together are one; none where they add up to a
    /// credit.
    private func lines(
        of entity: PaddleObject,
        at moment: Timestamp,
        _ account: PaymentAccount,
        in currency: Currency
    ) throws(NoSale) -> [StatedPayment.Line] {
        let items = try items(of: entity)
        let recurring = Set(
            entity.objects("items").compactMap { $0.object("price") }.filter { $0.object("billing_cycle") != nil }
                .compactMap { $0.code("id") }
        )
        let subscription = entity.code("subscription_id")
        let isUpdate = entity.code("origin") == "subscription_update"
        func isRecurring(_ line: PaddleObject) -> Bool {
            subscription != nil && line.code("price_id").map(recurring.contains) ?? false
        }
        func isProration(_ line: PaddleObject) -> Bool {
            isRecurring(line) && (isUpdate || line.object("proration") != nil)
        }
        // What a free item gives back has an amount of 0.
        func isCredit(_ item: Item) -> Bool {
            item.amount < 0 || item.line.members["quantity"]?.int64Value ?? 1 < 0
        }
        let prorations = items.filter { isProration($0.line) }
        let isNetted = prorations.contains(where: isCredit)
        let prorated = try prorations.map(\.amount).sum(of: entity.name)
        var charged = items.filter { !isCredit($0) && !(isNetted && isProration($0.line)) }
        // Product, quantity and period are those of the largest debit.
        let debits = prorations.filter { !isCredit($0) }
        let main = debits.min { ($1.amount, $0.line.name) < ($0.amount, $1.line.name) }
        if isNetted, prorated >= 0, let main {
            charged.append((main.line, prorated, max(0, try prorations.map(\.tax).sum(of: entity.name))))
        }
        let credited = Set(prorations.filter(isCredit).compactMap { $0.line.code("price_id") })
            .union(isUpdate ? try creditedPrices(at: moment) : [])
        var told: [SubscriptionCharge.Event?] = []
        var lines: [StatedPayment.Line] = []
        for (line, amount, tax) in charged {
            var kind: Sale.Kind?
            if let purchase = try purchase(line, amount, tax: tax, of: entity, account, in: currency) {
                if let subscription, isRecurring(line) {
                    guard let period = try period(of: line, in: entity) else {
                        throw .held(.member, "\(entity.name) of a subscription has no billing_period")
                    }
                    let price = line.code("price_id") ?? ""
                    // The history decides about the plan's own line (RR-32); further items are payments beside it. An update
                    // changes the plan where it gives credit for another price, else something was added (RR-34).
                    let isChange = isUpdate && !credited.isEmpty && !credited.contains(price)
                    let event: SubscriptionCharge.Event? =
                        isProration(line)
                        ? isChange && !told.contains(.change) ? .change : .payment
                        : told.contains(nil) ? .payment : nil
                    told.append(event)
                    let charge = SubscriptionCharge(
                        subscriptionId: SubscriptionId(subscription),
                        period: period,
                        event: event,
                        purchase: purchase
                    )
                    // A payment of 0 would be told as a change.
                    kind = amount == 0 && event == .payment ? nil : .subscription(charge)
                } else {
                    kind = amount == 0 ? nil : .purchase(purchase)
                }
            }
            lines.append(StatedPayment.Line(id: line.name, amount: amount, kind: kind))
        }
        return lines
    }

    /// The prices for which adjustments gave credit at about the time of an update, as Paddle did before it put credits into the
    /// update's own transaction (March 2024).
    private func creditedPrices(at moment: Timestamp) throws(NoSale) -> Set<String> {
        let lines = events.flatMap { $0.entity.object("details")?.objects("line_items") ?? [] }
        var prices: Set<String> = []
        for event in events where event.kind == .adjustment && event.entity.code("action") == "credit" {
            let created = try event.entity.time("created_at") ?? event.occurredAt
            guard abs(created.milliseconds - moment.milliseconds) <= 3_600_000 else { continue }
            let credited = event.entity.objects("items").filter { $0.code("type") == "proration" }
                .compactMap { $0.code("item_id") }
            prices.formUnion(lines.filter { credited.contains($0.name) }.compactMap { $0.code("price_id") })
        }
        return prices
    }

    /// Nil for a product that the configuration leaves out.
    private func purchase(
        _ line: PaddleObject,
        _ amount: Int64,
        tax: Int64,
        of entity: PaddleObject,
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
        guard (0...amount).contains(tax) else {
            throw .held(.amount, "the tax of \(line.name) is negative or more than its amount")
        }
        let address = entity.code("address_id")
        let country = account.taxCountry ?? address.flatMap { countries[$0] }
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
                let amount = try event.entity.object("totals")?.amount("total", of: event.entity.name) ?? 0
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
        guard let total = try entity.object("totals")?.amount("total", of: entity.name) else {
            throw .held(.member, "\(entity.name) has no totals")
        }
        var lines: [String: Int64] = [:]
        var taxes: [String: Int64] = [:]
        for item in entity.objects("items") {
            guard let line = item.code("item_id"), let totals = item.object("totals") else { continue }
            let owner = "\(item.name) of \(entity.name)"
            lines[line, default: 0] &+= try totals.amount("total", of: owner, isSigned: true)
            guard totals.members["tax"] != nil else { continue }
            taxes[line, default: 0] &+= try totals.amount("tax", of: owner, isSigned: true)
        }
        // The items say of which lines; where they are not all of it, it is shared.
        if lines.values.reduce(0, &+) != total { (lines, taxes) = ([:], [:]) }
        return StatedPayment.Repayment(
            id: entity.name,
            occurredAt: try entity.time("created_at") ?? event.occurredAt,
            amount: total,
            lines: lines,
            taxes: taxes,
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

extension PaddleObject {
    /// When a transaction was billed, else created.
    fileprivate func moment() throws(NoSale) -> Timestamp? {
        let (billed, created) = (try time("billed_at"), try time("created_at"))
        return billed ?? created
    }

    /// What becomes of a transaction that sells nothing, or has not yet; nil for one that is read.
    fileprivate var outcomeWithoutSale: PaymentOutcome? {
        if code("origin") == "subscription_payment_method_change",
            object("details")?.object("totals")?.code("total") == "0"
        {
            return .notUsed(PaymentReason(.nothingPaid, "a change of the payment method sells nothing"))
        }
        switch code("status") {
        case "completed": return nil
        case "paid", "billed", "ready", "draft", "past_due":
            let status = code("status") ?? ""
            let reason = PaymentReason(.unpaid, "the transaction is \(status); transaction.completed tells the rest")
            return .waiting(reason, isAlert: false)
        case let status:
            return .notUsed(PaymentReason(.nothingPaid, "the transaction is \(status ?? "without a status")"))
        }
    }
}

extension PaymentOutcome {
    /// The outcome of an event that concerns several payments: what another event or a person must do goes first, then the sales.
    fileprivate func joined(_ other: PaymentOutcome) -> PaymentOutcome {
        switch (self, other) {
        case (.used(let own), .used(let more)): .used(own + more)
        case (.held, _), (.waiting, _), (.used, .notUsed): self
        default: other
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
