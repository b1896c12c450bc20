import HTTPSupport

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
    /// Reads and checks the files.
    func read() throws(EmulatorInputError) -> ServerTLS {
        do throws(ServerTLS.Failure) {
            return try ServerTLS(certificate: certificate, key: key)
        } catch {
            let name =
                switch error {
                case .unreadableCertificate: "tls-certificate-unreadable"
                case .unreadableKey: "tls-key-unreadable"
                case .keyMismatch: "tls-key-mismatch"
                }
            throw EmulatorInputError(name, error.message(certificate: certificate, key: key))
        }
    }
}
