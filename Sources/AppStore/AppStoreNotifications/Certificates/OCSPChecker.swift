import SwiftASN1
import X509

/// Checks revocation online with OCSP (RFC 6960).
///
/// The caller provides the network access.
///
/// A certificate without a responder URL cannot be checked and passes; Apple's leaf and intermediate name a responder.
/// All requests for a chain together may take ten seconds, or twice that if a response is not good. The machine's clock
/// determines whether a response is recent.
package struct OCSPChecker: RevocationChecking {
    /// Sends a request to a responder and returns its response, both in DER.
    package typealias Fetch = @Sendable (_ address: String, _ request: [UInt8]) async throws -> [UInt8]

    private let fetch: Fetch

    /// Creates a checker.
    ///
    /// - Parameter fetch: posts a request as `application/ocsp-request` to a URL and returns the body of a 200 response.
    ///   It must limit the bytes it reads. Any error it throws makes the check `unavailable`.
    package init(fetch: @escaping Fetch) {
        self.fetch = fetch
    }

    package func check(_ chain: CertificateChain) async throws(RevocationFailure) {
        if await holds(chain, mode: .hard) { return }
        // The policy reports its reasons only as text. In soft mode only a proven revocation fails.
        throw await holds(chain, mode: .soft) ? .unavailable : .revoked
    }

    private func holds(_ chain: CertificateChain, mode: OCSPFailureMode) async -> Bool {
        var verifier = Verifier(rootCertificates: CertificateStore([chain.root.certificate])) {
            KnownExtensions()
            OCSPVerifierPolicy(failureMode: mode, requester: Requester(fetch: fetch))
        }
        let result = await verifier.validate(
            leaf: chain.leaf,
            intermediates: CertificateStore([chain.intermediate])
        )
        if case .validCertificate = result { return true }
        return false
    }

    private struct Requester: OCSPRequester {
        let fetch: Fetch

        func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
            // An unreadable response fails in hard mode and passes in soft mode, as a missing response must. The two
            // error results of the policy's own API are treated alike in both modes.
            await .response((try? fetch(uri, request)) ?? [])
        }
    }

    /// Declares the critical extensions that were already checked.
    private struct KnownExtensions: VerifierPolicy {
        let verifyingCriticalExtensions = Array(CertificateChain.knownCriticalExtensions)

        func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult { .meetsPolicy }
    }
}
