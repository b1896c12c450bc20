import ExternalPurchaseCore

/// The body of a request in which a notification is delivered (NT-1, NT-3).
package enum NotificationBody {
    /// Most bytes of a body, 256 KiB.
    package static let maximumBytes = 262_144

    /// The signed payload in a body; other members are ignored.
    ///
    /// - Parameter bytes: the body.
    /// - Throws: `body-unreadable`, also where `signedPayload` stands more than once.
    package static func signedPayload(in bytes: [UInt8]) throws(NotificationRefusal) -> String {
        guard bytes.count <= maximumBytes, let value = try? JSONReader().read(bytes), let object = value.objectValue,
            let payload = object["signedPayload"]?.stringValue, !object.repeatedKeys.contains("signedPayload")
        else { throw NotificationRefusal(.bodyUnreadable) }
        return payload
    }
}
