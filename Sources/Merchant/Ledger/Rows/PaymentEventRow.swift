import ExternalPurchaseCore

/// The columns of a payment event.
enum PaymentEventRow {
    typealias Column<Value> = RowColumn<StoredPaymentEvent, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let eventId = Column("event_id", .rawValue, written: .once) { $0.eventId }
    static let provider = Column("provider", .rawValue, written: .once) { $0.provider }
    static let apps = Column("apps", .json, written: .once) { .texts($0.apps.map(\.rawValue)) }
    static let bundleId = Column("bundle_id", .optional(.rawValue), written: .always) { $0.bundleId }
    static let type = Column("type", .text, written: .once) { $0.type }
    static let isLive = Column("is_live", .flag, written: .once) { $0.isLive }
    static let createdAt = Column("created_at", .time, written: .once) { $0.createdAt }
    static let arrival = Column("arrival", .rawValue, written: .once) { $0.arrival }
    static let receivedAt = Column("received_at", .time, written: .once) { $0.receivedAt }
    static let content = Column("content", .json, written: .once) { $0.content }
    static let customerId = Column("customer_id", .optional(.rawValue), written: .once) { $0.customerId }
    static let objects = Column("objects", .json, written: .once) { .texts($0.objects.sorted().map(\.rawValue)) }
    static let state = Column("state", .rawValue, written: .always) { $0.result.state }
    static let detail = Column("detail", .optional(.text), written: .always) { $0.result.detail }
    static let sales = Column("sales", .json, written: .always) { .texts($0.result.sales.map(\.rawValue)) }
    static let decidedAt = Column("decided_at", .optional(.time), written: .always) { $0.result.decidedAt }
    static let reference = Column("reference", .optional(.rawValue), written: .always) { $0.result.reference }
    static let paymentId = Column("payment_id", .optional(.text), written: .always) { $0.result.payment?.id }
    static let paymentCurrency = Column("payment_currency", .optional(.text), written: .always) {
        $0.result.payment?.currency
    }
    static let paymentAmount = Column("payment_amount", .optional(.integer), written: .always) {
        $0.result.payment?.amount.value
    }
    static let interpretation = Column("interpretation", .optional(.integer), written: .always) {
        $0.result.interpretation
    }

    static let app = Column("app", .optional(.rawValue), written: .always) { $0.reviewingApp }

    static let table = RowTable<StoredPaymentEvent>(
        "payment_events",
        [
            sequence, eventId, provider, apps, bundleId, type, isLive, createdAt, arrival, receivedAt, content,
            customerId, objects, state, detail, sales, decidedAt, reference, paymentId, paymentCurrency, paymentAmount,
            interpretation, app,
        ]
    )
    static let update = table.update(where: "sequence = ?")

    static func record(_ row: any SQLRow) throws(LedgerError) -> StoredPaymentEvent {
        StoredPaymentEvent(
            sequence: try sequence.read(from: row),
            eventId: try eventId.read(from: row),
            provider: try provider.read(from: row),
            apps: try apps.read(from: row).texts.map { BundleId($0) },
            bundleId: try bundleId.read(from: row),
            type: try type.read(from: row),
            isLive: try isLive.read(from: row),
            createdAt: try createdAt.read(from: row),
            arrival: try arrival.read(from: row),
            receivedAt: try receivedAt.read(from: row),
            content: try content.read(from: row),
            customerId: try customerId.read(from: row),
            objects: Set(try objects.read(from: row).texts.map { PaymentObjectName($0) }),
            result: PaymentEventResult(
                try state.read(from: row),
                detail: try detail.read(from: row),
                sales: try sales.read(from: row).texts.map { SaleId($0) },
                decidedAt: try decidedAt.read(from: row),
                reference: try reference.read(from: row),
                payment: try payment(row),
                interpretation: try interpretation.read(from: row)
            )
        )
    }

    private static func payment(_ row: any SQLRow) throws(LedgerError) -> PaymentEventResult.Payment? {
        guard let id = try paymentId.read(from: row), let currency = try paymentCurrency.read(from: row),
            let amount = try paymentAmount.read(from: row)
        else { return nil }
        return PaymentEventResult.Payment(id: id, currency: currency, amount: MilliUnits(amount))
    }
}

extension JSONValue {
    fileprivate static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

    /// The texts of an array.
    fileprivate var texts: [String] { arrayValue?.compactMap(\.stringValue) ?? [] }
}

/// The columns of an object that was fetched from a payment provider.
enum PaymentObjectRow {
    typealias Column<Value> = RowColumn<FetchedPaymentObject, Value>

    static let request = Column("request", .text, written: .once) { $0.request }
    static let objectId = Column("object_id", .optional(.text), written: .once) { $0.objectId }
    static let content = Column("content", .json, written: .once) { $0.content }
    static let fetchedAt = Column("fetched_at", .time, written: .once) { $0.fetchedAt }

    static func record(_ row: any SQLRow) throws(LedgerError) -> FetchedPaymentObject {
        FetchedPaymentObject(
            request: try request.read(from: row),
            objectId: try objectId.read(from: row),
            content: try content.read(from: row),
            fetchedAt: try fetchedAt.read(from: row)
        )
    }
}
