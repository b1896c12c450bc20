package import ExternalPurchaseCore

/// The payment provider's id of an event, such as `evt_1NG8Du2eZvKYlo2CUI79vXWy`.
package struct PaymentEventId: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The provider's id of an object that an event names, or the name of a ``PaymentReference``.
package struct PaymentObjectName: Identifier {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// True for a subscription of Stripe, which has many payments.
    package var isOfSubscription: Bool { rawValue.hasPrefix("sub_") }

    /// True for a refund of Stripe, which is a part of the sum in its charge too.
    package var isStripeRefund: Bool { rawValue.hasPrefix("re_") || rawValue.hasPrefix("pyr_") }
}

/// An event of a payment provider as received, with the result of its application.
///
/// An event is stored before it is acknowledged, and applied afterwards in any order: it waits until the events that it
/// depends on are stored.
package struct StoredPaymentEvent: Hashable, Sendable {
    /// The sequence number in order of arrival, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let eventId: PaymentEventId
    package let provider: PaymentProvider
    /// The apps whose configuration entry has the secret that signed the event.
    package let apps: [BundleId]
    /// The app that the event belongs to; nil while several are possible.
    package var bundleId: BundleId?
    /// The type as the provider names it, such as `invoice.paid`.
    package let type: String
    /// False for events of the provider's test mode.
    package let isLive: Bool
    /// The time that the provider states, in whole seconds.
    package let createdAt: Timestamp
    package let arrival: PaymentEventArrival
    package let receivedAt: Timestamp
    /// The members of the event that its application uses, without names, addresses and other personal data.
    package let content: JSONValue
    /// The merchant's customer whom the event names; erased together with the customer (OB-92).
    package let customerId: CustomerId?
    /// The ids of the provider's objects that the event names, and its ``PaymentReference``s; events that share an object
    /// are applied together.
    package let objects: Set<PaymentObjectName>
    /// The state of the event; ``PaymentEventResult/received`` before its first application.
    package var result: PaymentEventResult

    package init(
        sequence: Int64 = 0,
        eventId: PaymentEventId,
        provider: PaymentProvider,
        apps: [BundleId],
        bundleId: BundleId?,
        type: String,
        isLive: Bool,
        createdAt: Timestamp,
        arrival: PaymentEventArrival,
        receivedAt: Timestamp,
        content: JSONValue,
        customerId: CustomerId?,
        objects: Set<PaymentObjectName>,
        result: PaymentEventResult = .received
    ) {
        self.sequence = sequence
        self.eventId = eventId
        self.provider = provider
        self.apps = apps
        self.bundleId = bundleId
        self.type = type
        self.isLive = isLive
        self.createdAt = createdAt
        self.arrival = arrival
        self.receivedAt = receivedAt
        self.content = content
        self.customerId = customerId
        self.objects = objects
        self.result = result
    }
}

/// What may tell that a payment belongs to an external purchase: a checkout, or the provider's customer.
///
/// It is stored among the objects of an event and connects no events.
package enum PaymentReference: Hashable, Sendable {
    case checkout(CheckoutId)
    case customer(String)

    private static let checkoutPrefix = "checkout:"
    private static let customerPrefix = "customer:"
    /// Begins the name by which an event is found that told a sale (``LedgerTransaction/setResult(_:of:app:)``).
    static let saleMark = "sale:"

    /// True for a text that is no id of an object.
    package static func isReserved(_ name: String) -> Bool {
        name.hasPrefix(saleMark) || Self(name: PaymentObjectName(name)) != nil
    }

    /// The text among the objects of an event; ids of objects have no colon.
    package var name: PaymentObjectName {
        switch self {
        case .checkout(let id): PaymentObjectName(Self.checkoutPrefix + id.rawValue)
        case .customer(let id): PaymentObjectName(Self.customerPrefix + id)
        }
    }

    /// Nil for the id of an object.
    package init?(name: PaymentObjectName) {
        let name = name.rawValue
        if name.hasPrefix(Self.checkoutPrefix) {
            self = .checkout(CheckoutId(String(name.dropFirst(Self.checkoutPrefix.count))))
        } else if name.hasPrefix(Self.customerPrefix) {
            self = .customer(String(name.dropFirst(Self.customerPrefix.count)))
        } else {
            return nil
        }
    }

    /// SQL that is true for the id of an object.
    static func isObject(_ column: String) -> String {
        "substr(\(column), 1, 9) NOT IN ('\(checkoutPrefix)', '\(customerPrefix)') AND substr(\(column), 1, 5) <> '\(saleMark)'"
    }
}

extension StoredPaymentEvent {
    /// The ids of the objects, without the references.
    package var paymentObjects: Set<PaymentObjectName> { objects.filter { PaymentReference(name: $0) == nil } }

    /// The app whose review item tells of the event: its own, or the first possible one.
    package var reviewingApp: BundleId? { bundleId ?? apps.first }
}

/// A payment provider whose events the server reads.
package enum PaymentProvider: String, Hashable, Sendable, CaseIterable {
    case stripe
    case paddle
    /// Payments that the shop tells in the format of its own of this server.
    case custom
}

/// The way a payment event arrived.
package enum PaymentEventArrival: String, Hashable, Sendable, CaseIterable {
    /// Delivered to the webhook.
    case delivered
    /// Fetched from the provider's list of events.
    case fetched
}

/// The state of a payment event, and the reason for it.
package struct PaymentEventResult: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// Stored, not applied yet.
        case received
        /// Its sales are stored.
        case applied
        /// It waits for another event or object.
        case waiting
        /// Nothing is reported of events of this type, or of this customer.
        case notUsed = "not-used"
        /// A person must change the configuration or the ledger, then it can be applied again.
        case held
        /// A person set it aside; it counts nowhere until it is applied again.
        case dismissed
    }

    /// Whether a payment belongs to an external purchase.
    package enum Reference: String, Hashable, Sendable, CaseIterable {
        /// A name in its metadata, a token or an earlier payment of its customer says so, or the configuration takes all.
        case referenced
        /// It names a checkout that no token has named yet.
        case waiting
        case unreferenced
    }

    /// What a customer paid, as the event that tells it first of its payment says.
    package struct Payment: Hashable, Sendable {
        /// The provider's id, such as that of a payment intent or of an invoice.
        package let id: String
        /// ISO 4217.
        package let currency: String
        /// In thousandths of the currency's unit.
        package let amount: MilliUnits

        package init(id: String, currency: String, amount: MilliUnits) {
            self.id = id
            self.currency = currency
            self.amount = amount
        }
    }

    package let state: State
    /// The reason in one sentence; nil for ``State/received``.
    package let detail: String?
    /// The sales that the event is part of.
    package let sales: [SaleId]
    package let decidedAt: Timestamp?
    /// Nil for an event that is about no payment, or not decided.
    package var reference: Reference?
    /// Nil for every event of a payment but one.
    package var payment: Payment?
    /// The version of the interpretation that decided; nil before the first one.
    package var interpretation: Int64?

    package init(
        _ state: State,
        detail: String?,
        sales: [SaleId] = [],
        decidedAt: Timestamp?,
        reference: Reference? = nil,
        payment: Payment? = nil,
        interpretation: Int64? = nil
    ) {
        self.state = state
        self.detail = detail
        self.sales = sales
        self.decidedAt = decidedAt
        self.reference = reference
        self.payment = payment
        self.interpretation = interpretation
    }

    package static let received = PaymentEventResult(.received, detail: nil, decidedAt: nil)

    /// Whether another result says the same, apart from its time.
    package func agrees(with other: PaymentEventResult) -> Bool {
        state == other.state && detail == other.detail && sales == other.sales && reference == other.reference
            && payment == other.payment && interpretation == other.interpretation
    }
}

/// An object that was fetched from the provider because events lack it, such as a further page of line items.
package struct FetchedPaymentObject: Hashable, Sendable {
    /// The request that returned the object.
    package let request: String
    /// The payment object that the answer concerns; nil for one that many payments share, such as a price.
    package let objectId: String?
    package let content: JSONValue
    package let fetchedAt: Timestamp

    package init(request: String, objectId: String?, content: JSONValue, fetchedAt: Timestamp) {
        self.request = request
        self.objectId = objectId
        self.content = content
        self.fetchedAt = fetchedAt
    }
}

extension StoredPaymentEvent {
    /// The fields of a payment event, with their name in each record form.
    package static let fields = RecordFields<StoredPaymentEvent>([
        .init("sequence", in: .archive) { .integer($0.sequence) },
        .init("eventId", in: .audit, .archive, .list) { .text($0.eventId.rawValue) },
        .init("provider", in: .audit, .archive, .list) { .text($0.provider.rawValue) },
        .init("bundleId", in: .audit, .archive, .list) { .text($0.bundleId?.rawValue) },
        .init("type", in: .audit, .archive, .list) { .text($0.type) },
        .init("isLive", in: .audit, .archive, .list) { .flag($0.isLive) },
        .init("createdAt", in: .audit, .archive, .list) { .time($0.createdAt) },
        .init("arrival", in: .audit, .archive, .list) { .text($0.arrival.rawValue) },
        .init("receivedAt", in: .archive, .list) { .time($0.receivedAt) },
        .init("state", in: .archive, .list) { .text($0.result.state.rawValue) },
        .init("detail", in: .archive, .list) { .text($0.result.detail) },
        .init("sales", in: .archive, .list) { .texts($0.result.sales.map(\.rawValue)) },
        .init("decidedAt", in: .archive, .list) { .time($0.result.decidedAt) },
        .init("reference", in: .archive, .list) { .text($0.result.reference?.rawValue) },
        .init("payment", in: .archive, .list) { .json($0.result.payment?.json) },
        .init("interpretation", in: .archive, .list) { .integer($0.result.interpretation) },
        .init("contentSHA256", in: .audit) { .json(.digest($0.content.encoded())) },
    ])
}

extension PaymentEventResult.Payment {
    fileprivate var json: JSONValue {
        [
            "id": .string(id), "currency": .string(currency),
            "amount": .string(amount.unitsText),
        ]
    }
}
