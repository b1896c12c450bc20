import ExternalPurchaseCore
import Ledger

// The ledger stores the content of a correction as a JSON object with the members of `POST /v1/corrections`.
extension CorrectionCommand {
    /// Reads the command of a stored correction.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` if its app is no longer registered, or if its content cannot be read.
    init(stored correction: StoredCorrection, apps: [BundleId: RegisteredApp]) throws(RequestError) {
        guard apps[correction.bundleId] != nil else { throw .invalid([.unregistered(among: apps)]) }
        let request = correction.request.objectValue
        let fields = request?["fields"].flatMap { $0 == .null ? nil : $0 }
        guard let saleId = request?["saleId"]?.stringValue,
            let action = request?["action"]?.stringValue.flatMap(Action.init(rawValue:)),
            let fields = fields.map({ Fields(stored: $0) }) ?? Fields()
        else {
            throw .invalid([FieldError("/correctionId", "is stored with content that cannot be read any more")])
        }
        self.init(
            bundleId: correction.bundleId,
            saleId: SaleId(saleId),
            action: action,
            fields: fields,
            requestedBy: correction.requestedBy,
            reason: correction.reason,
            request: correction.request
        )
    }

    /// Builds the JSON of a correction that does not come from a request.
    static func spelled(_ bundleId: BundleId, _ saleId: SaleId, _ action: Action, _ fields: Fields) -> JSONValue {
        var members: JSONObject = [
            "bundleId": .string(bundleId.rawValue), "saleId": .string(saleId.rawValue),
            "action": .string(action.rawValue),
        ]
        if fields != Fields() { members["fields"] = fields.stored }
        return .object(members)
    }
}

extension FieldError {
    /// The error for an app that is not registered.
    static func unregistered(among apps: [BundleId: RegisteredApp]) -> FieldError {
        let known = apps.keys.sorted().map(\.rawValue).joined(separator: ", ")
        return FieldError("/bundleId", "is none of the apps registered here: \(known)")
    }
}

extension CorrectionCommand.Fields {
    /// The names of the fields that have a value.
    var names: [String] {
        let given = stored.objectValue
        return Self.allNames.filter { given?[$0] != nil }
    }

    fileprivate var stored: JSONValue {
        let values: [(name: String, value: JSONValue?)] = [
            ("occurredAt", occurredAt.map { .string($0.description) }),
            ("externalPurchaseId", externalPurchaseId.map { .string($0.rawValue) }),
            ("productId", productId.map { .string($0) }), ("quantity", quantity.map { .integer($0) }),
            ("taxCountry", taxCountry.map { .string($0) }), ("currency", currency.map { .string($0) }),
            ("inclusive", inclusive.map { .string($0.description) }),
            ("taxExclusive", taxExclusive.map { .string($0.description) }),
            ("tax", tax.map { .string($0.description) }), ("taxRate", taxRate.map { .string($0.description) }),
            ("exchangeRate", exchangeRate?.json), ("periodStart", periodStart.map { .string($0.description) }),
            ("periodEnd", periodEnd.map { .string($0.description) }), ("event", event.map { .string($0.rawValue) }),
            ("daysOfPaidService", daysOfPaidService.map { .integer(Int64($0)) }),
        ]
        return .object(JSONObject(values.compactMap { field in field.value.map { .init(field.name, $0) } }))
    }

    /// - Returns: nil if a field is unknown or its value cannot be read, so that no field of a correction is lost.
    fileprivate init?(stored value: JSONValue) {
        guard let object = value.objectValue else { return nil }
        self.init()
        let given = object.members.filter { $0.value != .null }
        for member in given {
            let (text, value) = (member.value.stringValue, member.value)
            func decimal() -> Decimal? { text.flatMap { DecimalText.decimal($0) } }
            func time() -> Timestamp? { text.flatMap { Timestamp(rfc3339: $0) } }
            switch member.key {
            case "currency": currency = text
            case "inclusive": inclusive = decimal()
            case "taxExclusive": taxExclusive = decimal()
            case "tax": tax = decimal()
            case "taxRate": taxRate = decimal()
            case "taxCountry": taxCountry = text
            case "exchangeRate": exchangeRate = QuotedRate(stored: value)
            case "productId": productId = text
            case "quantity": quantity = value.int64Value
            case "event": event = text.flatMap(SubscriptionCharge.Event.init(rawValue:))
            case "periodStart": periodStart = time()
            case "periodEnd": periodEnd = time()
            case "daysOfPaidService": daysOfPaidService = value.int64Value.flatMap(Int32.init(exactly:))
            case "occurredAt": occurredAt = time()
            case "externalPurchaseId": externalPurchaseId = text.map { ExternalPurchaseId($0) }
            default: return nil
            }
        }
        guard names.count == given.count else { return nil }
    }
}
