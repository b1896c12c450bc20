import NIOSSL

/// The files for HTTPS, both in PEM.
public struct TLSFiles: Hashable, Sendable {
    /// The certificate, followed by its intermediate certificates.
    public var certificate: String
    /// The private key of the certificate, without a passphrase.
    public var key: String

    /// Creates a pair of files.
    ///
    /// - Parameters:
    ///   - certificate: the path of the certificate and its intermediates.
    ///   - key: the path of the private key.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

extension TLSFiles {
    /// Creates the server's TLS configuration.
    ///
    /// The files are checked before the first connection.
    func configuration() throws(EmulatorInputError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain().map { .certificate($0) },
            privateKey: .privateKey(try privateKey())
        )
        // Apple's servers accept no older version, and neither does Apple as a client (NT-1).
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do {
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw EmulatorInputError(
                "tls-key-mismatch",
                "--tls-key \(key): is not the key of the certificate in \(certificate)"
            )
        }
        return configuration
    }

    private func chain() throws(EmulatorInputError) -> [NIOSSLCertificate] {
        let chain = (try? NIOSSLCertificate.fromPEMFile(certificate)) ?? []
        guard !chain.isEmpty else {
            throw EmulatorInputError(
                "tls-certificate-unreadable",
                "--tls-certificate \(certificate): is not a readable file of certificates in PEM, "
                    + "-----BEGIN CERTIFICATE-----"
            )
        }
        return chain
    }

    private func privateKey() throws(EmulatorInputError) -> NIOSSLPrivateKey {
        do {
            return try NIOSSLPrivateKey(file: key, format: .pem)
        } catch {
            // The message deliberately omits the content of the file, which may be a real key with a typo.
            throw EmulatorInputError(
                "tls-key-unreadable",
                "--tls-key \(key): is not a readable private key in PEM without a passphrase, "
                    + "-----BEGIN PRIVATE KEY-----"
            )
        }
    }
}
