package import ExternalPurchaseCore

/// Verifies App Store notifications.
///
/// Implemented by the verifier, and by a substitute for processes in which notifications cannot be forged.
package protocol NotificationVerifying: Sendable {
    /// Returns the content of a genuine notification.
    ///
    /// - Parameter signedPayload: header, payload and signature, separated by points.
    /// - Throws: ``NotificationRefusal`` for any other text.
    func payload(of signedPayload: String) async throws(NotificationRefusal) -> NotificationPayload
}

extension NotificationVerifier: NotificationVerifying {
    package func payload(of signedPayload: String) async throws(NotificationRefusal) -> NotificationPayload {
        try await verify(signedPayload: signedPayload).payload
    }
}
