package import ExternalPurchaseCore

/// Whoever tells genuine notifications from others: the verifier, or a stand-in where nobody could forge any.
package protocol NotificationVerifying: Sendable {
    /// What a genuine notification says.
    ///
    /// - Parameter signedPayload: header, payload and signature joined by points.
    /// - Throws: ``NotificationRefusal`` for any other.
    func payload(of signedPayload: String) async throws(NotificationRefusal) -> NotificationPayload
}

extension NotificationVerifier: NotificationVerifying {
    package func payload(of signedPayload: String) async throws(NotificationRefusal) -> NotificationPayload {
        try await verify(signedPayload: signedPayload).payload
    }
}
