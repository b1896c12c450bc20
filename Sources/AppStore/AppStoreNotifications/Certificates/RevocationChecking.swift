/// Checks online whether a certificate was revoked (NT-31).
///
/// Without a checker the step is omitted. ``OCSPChecker`` uses OCSP.
package protocol RevocationChecking: Sendable {
    /// Checks the leaf and the intermediate of a chain that is trusted, currently valid and marked.
    ///
    /// - Parameter chain: the chain.
    /// - Throws: ``RevocationFailure``.
    func check(_ chain: CertificateChain) async throws(RevocationFailure)
}

/// Why a chain fails the online check.
package enum RevocationFailure: Error, Hashable, Sendable {
    /// A responder states that a certificate was revoked.
    case revoked
    /// No responder returned a usable response.
    ///
    /// A later attempt may succeed.
    case unavailable
}
