extension NotificationPayload {
    /// Reads the payload of a notification.
    ///
    /// For `EXTERNAL_PURCHASE_TOKEN` and `TEST`, every field of spec/06 section 3 must have its type and every required
    /// field must be present (NT-42); null counts as absent. Notifications of other types need the four common fields;
    /// of their `data`, the readable members are used.
    ///
    /// - Parameter bytes: the payload, decoded from Base64URL.
    /// - Throws: ``NotificationPayloadError`` for the first error.
    public static func read(_ bytes: [UInt8]) throws(NotificationPayloadError) -> NotificationPayload {
        try NotificationPayload(object(of: bytes))
    }

    /// Reads a payload as a JSON object without repeated keys (NT-25).
    static func object(of bytes: [UInt8]) throws(NotificationPayloadError) -> JSONObject {
        let value: JSONValue
        do {
            value = try JSONReader().read(bytes)
        } catch {
            throw .notJSON(error)
        }
        guard let object = value.objectValue else { throw .notAnObject }
        if let repeated = value.firstRepeatedKey { throw .repeatedField(repeated) }
        return object
    }

    /// Creates the payload from its JSON object (NT-34, NT-42).
    package init(_ object: JSONObject) throws(NotificationPayloadError) {
        let fields = PayloadFields(object: object)
        notificationType = try NotificationType(fields.required("notificationType", fields.text))
        notificationUUID = try NotificationUUID(fields.required("notificationUUID", fields.text))
        version = try fields.required("version", fields.text)
        signedDate = try fields.required("signedDate", fields.date)
        externalPurchaseToken = nil
        data = nil
        switch notificationType {
        case .externalPurchaseToken:
            subtype = try NotificationSubtype(fields.required("subtype", fields.text))
            externalPurchaseToken = try Self.token(fields.required("externalPurchaseToken", fields.object))
        case .test:
            subtype = try fields.text("subtype").map(NotificationSubtype.init(rawValue:))
            data = try Self.data(fields.required("data", fields.object))
        default:
            subtype = fields.readable(fields.text, "subtype").map(NotificationSubtype.init(rawValue:))
            data = fields.readable(fields.object, "data").map { data in
                NotificationData(
                    bundleId: data.readable(data.text, "bundleId").map(BundleId.init(rawValue:)),
                    appAppleId: data.readable(data.appId, "appAppleId"),
                    environment: data.readable(data.text, "environment").map(NotificationEnvironment.init(rawValue:))
                )
            }
        }
    }

    private static func token(_ fields: PayloadFields) throws(NotificationPayloadError) -> ExternalPurchaseToken {
        try ExternalPurchaseToken(
            appAppleId: fields.required("appAppleId", fields.appId),
            bundleId: BundleId(fields.required("bundleId", fields.text)),
            tokenCreationDate: fields.required("tokenCreationDate", fields.date),
            externalPurchaseId: ExternalPurchaseId(fields.required("externalPurchaseId", fields.text)),
            tokenType: fields.text("tokenType").map(TokenType.init(rawValue:)),
            tokenExpirationDate: fields.date("tokenExpirationDate")
        )
    }

    private static func data(_ fields: PayloadFields) throws(NotificationPayloadError) -> NotificationData {
        try NotificationData(
            bundleId: BundleId(fields.required("bundleId", fields.text)),
            appAppleId: fields.appId("appAppleId"),
            environment: fields.text("environment").map(NotificationEnvironment.init(rawValue:))
        )
    }
}

// Typed access to the members of one object. Null counts as absent.
private struct PayloadFields {
    let object: JSONObject
    var path = ""

    typealias Reading<Value> = (String) throws(NotificationPayloadError) -> Value?

    func required<Value>(_ key: String, _ reading: Reading<Value>) throws(NotificationPayloadError) -> Value {
        guard let value = try reading(key) else { throw .missing(field: path + key) }
        return value
    }

    func readable<Value>(_ reading: Reading<Value>, _ key: String) -> Value? {
        do {
            return try reading(key)
        } catch {
            return nil
        }
    }

    func text(_ key: String) throws(NotificationPayloadError) -> String? {
        guard let value = present(key) else { return nil }
        guard let text = value.stringValue, !text.isEmpty else { throw .wrongType(field: path + key) }
        return text
    }

    func date(_ key: String) throws(NotificationPayloadError) -> Timestamp? {
        guard let value = present(key) else { return nil }
        guard let milliseconds = value.int64Value else { throw .wrongType(field: path + key) }
        return Timestamp(milliseconds: milliseconds)
    }

    func appId(_ key: String) throws(NotificationPayloadError) -> Int64? {
        guard let value = present(key) else { return nil }
        guard let id = value.int64Value, id > 0 else { throw .wrongType(field: path + key) }
        return id
    }

    func object(_ key: String) throws(NotificationPayloadError) -> PayloadFields? {
        guard let value = present(key) else { return nil }
        guard let object = value.objectValue else { throw .wrongType(field: path + key) }
        return PayloadFields(object: object, path: path + key + ".")
    }

    private func present(_ key: String) -> JSONValue? {
        guard let value = object[key], value != .null else { return nil }
        return value
    }
}

extension JSONValue {
    /// The first key that occurs more than once in an object at any level, or nil.
    package var firstRepeatedKey: String? {
        switch self {
        case .object(let object):
            if let repeated = object.repeatedKeys.first { return repeated }
            for member in object.members {
                if let repeated = member.value.firstRepeatedKey { return repeated }
            }
            return nil
        case .array(let elements):
            for element in elements {
                if let repeated = element.firstRepeatedKey { return repeated }
            }
            return nil
        case .null, .bool, .number, .string:
            return nil
        }
    }
}
