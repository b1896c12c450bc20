package import ExternalPurchaseCore
package import Ledger

/// The payments that shops tell in the format of this server's own, at `POST /v1/webhooks/custom`.
///
/// A body is the complete state of a payment, with a version; the highest version counts. All of it is stored, because the
/// format has no member beside amounts, ids, dates, products and countries.
package struct CustomSource: PaymentSource {
    private let entries: [WebhookEntry]

    package init(entries: [WebhookEntry]) { self.entries = entries }

    package var provider: PaymentProvider { .custom }
    package var interpretation: Int64 { 1 }
    package var accounts: [PaymentAccount] { entries.map(\.account) }

    package func receive(_ delivery: PaymentDelivery) throws(PaymentRefusal) -> PaymentEvent {
        let secrets = entries.flatMap { entry in entry.secrets.map { (secret: $0, app: entry.account.bundleId) } }
        let match = try StandardWebhookSignature.verify(delivery, secrets: secrets.map(\.secret))
        let json: JSONValue
        do { json = try JSONReader().read(delivery.body) } catch { throw .unreadable("the body \(error.message())") }
        let payment = try CustomPayment(json)
        let apps = Set(secrets.filter { $0.secret == secrets[match].secret }.map(\.app))
        guard apps.contains(payment.bundleId) else {
            let names = apps.sorted().map(\.rawValue).joined(separator: ", ")
            throw .invalid([
                .init(path: "/bundleId", message: "is none of the apps whose secret signed the body: \(names)")
            ])
        }
        return PaymentEvent(
            id: payment.eventId,
            type: "payment",
            isLive: payment.isLive,
            createdAt: payment.occurredAt,
            content: payment.json,
            customerId: payment.customerId,
            bundleId: payment.bundleId,
            apps: [payment.bundleId],
            objects: Set([PaymentObjectName(payment.id)] + payment.references.map(\.name)),
            isExact: true
        )
    }

    package func interpret(
        _ events: [StoredPaymentEvent],
        _ known: KnownPayments,
        answers: (PaymentRequest) throws(LedgerError) -> [JSONValue]?
    ) throws(LedgerError) -> PaymentReading {
        var states: [CustomPayment] = []
        for event in events {
            do throws(PaymentRefusal) {
                states.append(try CustomPayment(event.content))
            } catch {
                throw .corrupt("the payment event \(event.eventId) cannot be read: \(error)")
            }
        }
        states.sort { $0.version > $1.version }
        guard let newest = states.first,
            let account = accounts.merged().first(where: { $0.bundleId == newest.bundleId })
        else {
            var reading = PaymentReading()
            for state in states {
                reading.outcomes[state.eventId] = .notUsed(
                    PaymentReason(.account, "the configuration has no entry of the app")
                )
            }
            return reading
        }
        let older = states.dropFirst().map(\.eventId)
        return newest.stated(account).reading(known, beside: older)
    }
}

extension CustomPayment {
    var references: [PaymentReference] { checkoutId.map { [.checkout($0)] } ?? [] }

    /// The payment by an entry of the configuration.
    func stated(_ account: PaymentAccount) -> StatedPayment {
        StatedPayment(
            id: id,
            account: account,
            isLive: isLive,
            occurredAt: occurredAt,
            currency: currency,
            checkoutId: checkoutId,
            customerId: customerId,
            externalPurchaseId: externalPurchaseId,
            isNamed: externalPurchaseId != nil,
            references: Set(references),
            lines: lines.map { line in
                StatedPayment.Line(id: line.id, amount: line.amount, kind: line.kind(in: currency, account))
            },
            repayments: refunds.map { refund in
                StatedPayment.Repayment(
                    id: refund.id,
                    occurredAt: refund.occurredAt,
                    amount: refund.amount,
                    lines: refund.line.map { [$0: refund.amount] } ?? [:]
                )
            }
                + disputes.map { dispute in
                    StatedPayment.Repayment(
                        id: dispute.id,
                        occurredAt: dispute.occurredAt,
                        amount: dispute.taken &- dispute.returned,
                        isChargeback: true,
                        isReturned: dispute.taken == dispute.returned
                    )
                },
            eventId: eventId
        )
    }
}

extension CustomPayment.Line {
    /// Nil for what is not reported.
    fileprivate func kind(in currency: Currency, _ account: PaymentAccount) -> Sale.Kind? {
        let product = account.products[productId] ?? productId
        if product == PaymentAccount.excluded { return nil }
        let country = taxCountry ?? account.taxCountry
        let purchase = Purchase(
            productId: product,
            quantity: quantity,
            currency: currency.code,
            inclusive: CustomPayment.units(amount, in: currency),
            tax: amount == 0 ? .amount(0) : tax ?? country.flatMap { account.taxRates[$0] }.map(Purchase.Tax.rate),
            taxCountry: country
        )
        if let subscriptionId, let period {
            return .subscription(
                SubscriptionCharge(subscriptionId: subscriptionId, period: period, purchase: purchase)
            )
        }
        // What is free is no sale, unless a subscription begins with it (OB-22).
        return amount == 0 ? nil : .purchase(purchase)
    }
}

/// An entry of `payments` in the configuration.
package struct WebhookEntry: Sendable {
    package let account: PaymentAccount
    /// The secrets of the endpoint; a second one is being rotated out.
    package let secrets: [String]
    /// False for a provider's sandbox, where its events do not say so.
    package let isLive: Bool

    package init(account: PaymentAccount, secrets: [String], isLive: Bool = true) {
        self.account = account
        self.secrets = secrets
        self.isLive = isLive
    }
}
