package import ExternalPurchaseCore

/// Verifies App Store notifications: the verifier, or a stand-in for a process in which nobody can forge them.
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
