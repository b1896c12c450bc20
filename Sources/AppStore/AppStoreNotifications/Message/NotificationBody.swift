import ExternalPurchaseCore

/// The body of a request that delivers a notification (NT-1, NT-3).
package enum NotificationBody {
    /// The maximum size of a body in bytes, 256 KiB.
    static let maximumBytes = 262_144

    /// Returns the signed payload in a body.
    ///
    /// Other members are ignored.
    ///
    /// - Parameter bytes: the body.
    /// - Throws: `body-unreadable`, also if `signedPayload` occurs more than once.
    package static func signedPayload(in bytes: [UInt8]) throws(NotificationRefusal) -> String {
        guard bytes.count <= maximumBytes, let value = try? JSONReader().read(bytes), let object = value.objectValue,
            let payload = object["signedPayload"]?.stringValue, !object.repeatedKeys.contains("signedPayload")
        else { throw NotificationRefusal(.bodyUnreadable) }
        return payload
    }
}
