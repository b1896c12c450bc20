import SwiftASN1
import X509

/// The online check by OCSP (RFC 6960), with the network left to the caller.
///
/// A certificate that names no responder cannot be asked about and passes; Apple's leaf and intermediate name one. All
/// questions about a chain together may take ten seconds, twice that where the answer is not good. Whether an answer
/// is recent is judged by the machine's clock.
package struct OCSPChecker: RevocationChecking {
    /// Sends a request to a responder and gives its answer, both in DER.
    package typealias Ask = @Sendable (_ address: String, _ request: [UInt8]) async throws -> [UInt8]

    private let ask: Ask

    /// Creates a check.
    ///
    /// - Parameter ask: posts a request as `application/ocsp-request` to an address and gives the body of a 200; it
    ///   bounds what it reads. Whatever it throws makes the check `unavailable`.
    package init(ask: @escaping Ask) {
        self.ask = ask
    }

    package func check(_ chain: CertificateChain) async throws(RevocationFailure) {
        if await holds(chain, mode: .hard) { return }
        // The policy tells its reasons in words only. In soft mode nothing but a proven revocation fails.
        throw await holds(chain, mode: .soft) ? .unavailable : .revoked
    }

    private func holds(_ chain: CertificateChain, mode: OCSPFailureMode) async -> Bool {
        var verifier = Verifier(rootCertificates: CertificateStore([chain.root.certificate])) {
            KnownExtensions()
            OCSPVerifierPolicy(failureMode: mode, requester: Requester(ask: ask))
        }
        let result = await verifier.validate(
            leaf: chain.leaf,
            intermediates: CertificateStore([chain.intermediate])
        )
        if case .validCertificate = result { return true }
        return false
    }

    private struct Requester: OCSPRequester {
        let ask: Ask

        func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
            // An answer that cannot be read is a failure in hard mode and none in soft mode, as no answer must be; the
            // policy's own two error results count the same in both.
            await .response((try? ask(uri, request)) ?? [])
        }
    }

    /// Names the critical extensions that the chain was checked for before.
    private struct KnownExtensions: VerifierPolicy {
        let verifyingCriticalExtensions = Array(CertificateChain.knownCriticalExtensions)

        func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult { .meetsPolicy }
    }
}
