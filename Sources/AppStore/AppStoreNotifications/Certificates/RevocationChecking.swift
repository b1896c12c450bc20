/// Asks those who know whether a certificate was revoked, the online check of NT-31.
///
/// Without one the step is left out. ``OCSPChecker`` asks by OCSP.
package protocol RevocationChecking: Sendable {
    /// Asks about the leaf and the intermediate of a chain that is trusted, valid now and marked.
    ///
    /// - Parameter chain: the chain.
    /// - Throws: ``RevocationFailure``.
    func check(_ chain: CertificateChain) async throws(RevocationFailure)
}

/// Why a chain does not pass the online check.
package enum RevocationFailure: Error, Hashable, Sendable {
    /// The responder says that a certificate was revoked.
    case revoked
    /// No responder gave a usable answer; a later try may pass.
    case unavailable
}
