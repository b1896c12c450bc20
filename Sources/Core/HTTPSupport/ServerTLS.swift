package import ExternalPurchaseCore
import NIOSSL

/// The TLS of a server: its certificate with the private key, read from PEM files and checked.
package struct ServerTLS: Sendable {
    /// Files that cannot be used.
    package enum Failure: Error, Hashable, Sendable {
        /// The file of certificates is missing, or has no certificate in PEM.
        case unreadableCertificate
        /// The file of the key is missing, is no PEM, or needs a passphrase.
        case unreadableKey
        /// The key belongs to another certificate.
        case keyMismatch

        /// The message for the operator.
        ///
        /// It deliberately omits the content of the files, which may be a real key with a typo, and a text in place of
        /// a name that may be the key itself.
        package func message(certificate: String, key: String) -> String {
            let (certificate, key) = (NamedFile.shown(secretFile: certificate), NamedFile.shown(secretFile: key))
            return switch self {
            case .unreadableCertificate:
                "--tls-certificate \(certificate): is not a readable file of certificates in PEM, "
                    + "-----BEGIN CERTIFICATE-----"
            case .unreadableKey:
                "--tls-key \(key): is not a readable private key in PEM without a passphrase, "
                    + "-----BEGIN PRIVATE KEY-----"
            case .keyMismatch:
                "--tls-key \(key): is not the key of the certificate in \(certificate)"
            }
        }
    }

    let configuration: TLSConfiguration
    /// The last moment of the certificate's validity, in whole seconds.
    package let validUntil: Timestamp

    /// Reads the files, which are checked before the first connection.
    ///
    /// - Parameters:
    ///   - certificate: the path of the certificate, followed by its intermediate certificates in the same file.
    ///   - key: the path of the certificate's private key, without a passphrase.
    /// - Throws: ``Failure``
    package init(certificate: String, key: String) throws(Failure) {
        let chain = (try? NIOSSLCertificate.fromPEMFile(certificate)) ?? []
        guard !chain.isEmpty else { throw .unreadableCertificate }
        guard let privateKey = try? NIOSSLPrivateKey(file: key, format: .pem) else { throw .unreadableKey }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(privateKey)
        )
        // Apple's servers accept no older version, and neither does Apple as a client (NT-1).
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        guard (try? NIOSSLContext(configuration: configuration)) != nil else { throw .keyMismatch }
        self.configuration = configuration
        validUntil = Timestamp(milliseconds: chain.map { Int64($0.notValidAfter) }.min().map { $0 * 1_000 } ?? 0)
    }
}
