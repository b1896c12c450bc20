import ExternalPurchaseCore

extension NotificationOrder {
    init(_ body: ControlBody) throws(EmulatorInputError) {
        let id = try body.required(
            "externalPurchaseId",
            body.string("externalPurchaseId"),
            such: "the id of a token on record"
        )
        let subtypes: [NotificationSubtype] = [.created, .activeTokenReminder, .unreported]
        let names = subtypes.map(\.rawValue).joined(separator: ", ")
        let subtype = try body.required("subtype", body.string("subtype"), such: "one of \(names)")
        guard let known = subtypes.first(where: { $0.rawValue == subtype }) else {
            throw body.wrongType("subtype", "one of \(names)")
        }
        var tampering: NotificationTampering?
        if let name = try body.string("damage") {
            tampering = NotificationTampering.named(name)
            if tampering == nil {
                let all = NotificationTampering.allCases.map(\.rawValue).joined(separator: ", ")
                throw body.wrongType("damage", "one of \(all)")
            }
        }
        self.init(externalPurchaseId: ExternalPurchaseId(rawValue: id), subtype: known, tampering: tampering)
    }
}

extension NotificationRecord {
    /// The record as control paths and events show it.
    var json: JSONValue {
        [
            "notificationUUID": .string(id),
            "bundleId": .string(bundleId.rawValue),
            "environment": .string(environment.rawValue),
            "notificationType": .string(type.rawValue),
            "subtype": subtype.map { .string($0.rawValue) } ?? .null,
            "externalPurchaseId": externalPurchaseId.map { .string($0.rawValue) } ?? .null,
            "madeAt": .string(madeAt.description),
            "damage": tampering.map { .string($0.rawValue) } ?? .null,
            "sendAttempts": .array(attempts.map(\.json)),
            "nextAttempt": nextAttempt.map { .string($0.description) } ?? .null,
            "signedPayload": signedPayload.map(JSONValue.string) ?? .null,
        ]
    }

    /// The record in the format of Apple's notification history.
    var historyJSON: JSONValue {
        [
            "signedPayload": .string(signedPayload ?? ""),
            "sendAttempts": .array(attempts.map(\.json)),
        ]
    }
}

extension DeliveryAttempt {
    fileprivate var json: JSONValue {
        [
            "attemptDate": .integer(date.milliseconds),
            "sendAttemptResult": .string(result.rawValue),
        ]
    }
}
