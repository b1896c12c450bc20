package import ExternalPurchaseCore
import Ledger

/// An event as Paddle Billing sends it, https://developer.paddle.com/webhooks/overview.
///
/// The envelope is read strictly, the entity inside only where it is used: Paddle adds members to it at any time.
package struct PaddleEvent: Hashable, Sendable {
    let id: String
    /// Such as `transaction.completed`.
    let type: String
    let occurredAt: Timestamp
    let entity: PaddleObject

    /// What the events are about that are read.
    enum Kind: String {
        case transaction, adjustment, subscription, address
    }

    var kind: Kind? { type.split(separator: ".").first.flatMap { Kind(rawValue: String($0)) } }

    /// Reads an event.
    ///
    /// - Throws: ``PaymentRefusal/unreadable(_:)``.
    package init(_ json: JSONValue) throws(PaymentRefusal) {
        guard let envelope = json.objectValue else { throw .unreadable("the body is not a JSON object") }
        if let repeated = json.firstRepeatedMember {
            throw .unreadable("the member \(repeated.quoted) occurs more than once")
        }
        func text(_ key: String, maximum: Int) throws(PaymentRefusal) -> String {
            guard let text = envelope[key]?.stringValue, (1...maximum).contains(text.utf8.count),
                text.utf8.allSatisfy({ PaddleObject.isCode($0) })
            else { throw .unreadable("/\(key): is not a text of 1 to \(maximum) letters, digits and marks") }
            return text
        }
        id = try text("event_id", maximum: 64)
        type = try text("event_type", maximum: 64)
        guard let occurredAt = Timestamp(rfc3339: try text("occurred_at", maximum: 64)) else {
            throw .unreadable("/occurred_at: is not a time such as 2026-11-20T12:00:00Z")
        }
        self.occurredAt = occurredAt
        guard let data = envelope["data"]?.objectValue else { throw .unreadable("/data: is not an object") }
        entity = PaddleObject(data)
        guard entity.code("id") != nil || kind == nil else { throw .unreadable("/data/id: is not an id of Paddle") }
    }

    /// The objects that the event names: the transaction of an adjustment connects it, and the subscription its transactions,
    /// because one of them may give back what another one charged.
    var objectIds: Set<String> {
        switch kind {
        case .transaction: Set([entity.code("id"), entity.code("subscription_id")].compactMap(\.self))
        case .subscription: Set([entity.code("id")].compactMap(\.self))
        case .adjustment: Set([entity.code("id"), entity.code("transaction_id")].compactMap(\.self))
        case .address, nil: []
        }
    }

    /// The transaction that the event is about; nil for an event of another kind.
    var transactionId: String? {
        switch kind {
        case .transaction: entity.code("id")
        case .adjustment: entity.code("transaction_id") ?? entity.code("id")
        case .subscription, .address, nil: nil
        }
    }

    /// Paddle's id of the customer.
    var references: [PaymentReference] {
        guard kind == .transaction || kind == .subscription else { return [] }
        return entity.code("customer_id").map { [.customer($0)] } ?? []
    }

    /// What is stored: amounts, ids, dates, statuses, currencies, countries and rates; no names, texts, links or secrets (OB-92).
    var reduced: JSONValue {
        [
            "event_id": .string(id), "event_type": .string(type), "occurred_at": .string(occurredAt.description),
            "data": .object(PaddleObject.reduced(entity.members)),
        ]
    }
}

/// An object in an event.
struct PaddleObject: Hashable, Sendable {
    let members: JSONObject

    init(_ members: JSONObject) { self.members = members }

    init?(_ value: JSONValue?) {
        guard let members = value?.objectValue else { return nil }
        self.members = members
    }

    var name: String { code("id") ?? "the object" }

    func object(_ key: String) -> PaddleObject? { PaddleObject(members[key]) }
    func objects(_ key: String) -> [PaddleObject] { members[key]?.arrayValue?.compactMap { PaddleObject($0) } ?? [] }
    func code(_ key: String) -> String? { members[key].flatMap(Self.code) }

    /// An amount in the smallest unit of a currency, as text of digits; that of a credit is below 0.
    ///
    /// - Parameter owner: what the amount belongs to, for messages: the objects that have amounts have no id.
    func amount(_ key: String, of owner: String, isSigned: Bool = false) throws(NoSale) -> Int64 {
        guard let text = members[key]?.stringValue, let amount = Int64(text), text.utf8.count <= 18 else {
            throw .held(.member, "\(key) of \(owner) is not an amount in the currency's smallest unit, as text")
        }
        guard isSigned || amount >= 0, amount.magnitude < 10_000_000_000_000_000 else {
            throw .held(.amount, "\(key) of \(owner) is negative or too large: \(amount)")
        }
        return amount
    }

    func time(_ key: String) throws(NoSale) -> Timestamp? {
        guard let value = members[key], value != .null else { return nil }
        guard let time = value.stringValue.flatMap(Timestamp.init(rfc3339:)) else {
            throw .held(.member, "\(key) of \(name) is not a time such as 2026-11-20T12:00:00Z")
        }
        return time
    }

    func currency() throws(NoSale) -> Currency {
        guard let currency = code("currency_code").flatMap(Currency.code) else {
            throw .held(.currency, "currency_code of \(name) is not a currency of ISO 4217")
        }
        return currency
    }

    // MARK: Stored form

    static func isCode(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte.isDigit || "_-.:+".utf8.contains(byte) }

    private static func code(_ value: JSONValue) -> String? {
        guard let text = value.stringValue, (1...64).contains(text.utf8.count), text.utf8.allSatisfy(isCode) else {
            return nil
        }
        return text
    }

    /// The object with the members that are kept; a text is a code of at most 64 bytes.
    static func reduced(_ object: JSONObject) -> JSONObject {
        JSONObject(
            object.members.compactMap { member in
                if member.key.hasSameScalars(as: "custom_data") {
                    let own = (member.value.objectValue?.members ?? []).filter { data in
                        ownNames.containsName(data.key)
                            && data.value.stringValue.map { $0.utf8.count <= 1_024 } ?? false
                    }
                    return own.isEmpty ? nil : .init(member.key, .object(JSONObject(own)))
                }
                guard kept.containsName(member.key), let value = reduced(member.value) else { return nil }
                return .init(member.key, value)
            }
        )
    }

    private static func reduced(_ value: JSONValue) -> JSONValue? {
        switch value {
        case .object(let object): .object(reduced(object))
        case .array(let elements): .array(elements.compactMap(reduced))
        case .string: code(value).map { .string($0) }
        case .bool, .number, .null: value
        }
    }

    static let ownNames = ["checkout", "customer", "id", "bundle"].map { "external_purchase_\($0)" }

    private static let kept = [
        "action", "address_id", "adjusted_totals", "amount", "balance", "billed_at", "billing_cycle", "billing_period",
        "canceled_at", "collection_mode", "country_code", "created_at", "credit", "credit_applied_to_balance",
        "credit_to_balance", "currency_code", "current_billing_period", "customer_id", "details", "discount",
        "discount_id", "ends_at", "first_billed_at", "frequency", "grand_total", "id", "interval", "invoice_id",
        "item_id",
        "items", "line_items", "next_billed_at", "origin", "paused_at", "price", "price_id", "product", "product_id",
        "proration", "quantity", "rate", "recurring", "scheduled_change", "started_at", "starts_at", "status",
        "subscription_id", "subtotal", "tax", "tax_rate", "tax_rates_used", "total", "totals", "transaction_id",
        "trial_dates", "type", "unit_price", "unit_totals", "updated_at",
    ]
}
