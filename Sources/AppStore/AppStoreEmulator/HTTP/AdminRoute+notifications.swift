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
        .object(
            JSONObject([
                .init("notificationUUID", .string(id)),
                .init("bundleId", .string(bundleId.rawValue)),
                .init("environment", .string(environment.rawValue)),
                .init("notificationType", .string(type.rawValue)),
                .init("subtype", subtype.map { .string($0.rawValue) } ?? .null),
                .init("externalPurchaseId", externalPurchaseId.map { .string($0.rawValue) } ?? .null),
                .init("madeAt", .string(madeAt.description)),
                .init("damage", tampering.map { .string($0.rawValue) } ?? .null),
                .init("sendAttempts", .array(attempts.map(\.json))),
                .init("nextAttempt", nextAttempt.map { .string($0.description) } ?? .null),
                .init("signedPayload", signedPayload.map(JSONValue.string) ?? .null),
            ])
        )
    }

    /// The record in the format of Apple's notification history.
    var historyJSON: JSONValue {
        .object(
            JSONObject([
                .init("signedPayload", .string(signedPayload ?? "")),
                .init("sendAttempts", .array(attempts.map(\.json))),
            ])
        )
    }
}

extension DeliveryAttempt {
    fileprivate var json: JSONValue {
        .object(
            JSONObject([
                .init("attemptDate", .integer(date.milliseconds)),
                .init("sendAttemptResult", .string(result.rawValue)),
            ])
        )
    }
}
