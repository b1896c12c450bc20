import ArgumentParser
import CommandSupport

/// The options of a server that answers HTTPS.
struct TLSOptions: ParsableArguments {
    @Option(help: "PEM file of the certificate to answer HTTPS with, its intermediates after it; needs --tls-key.")
    var tlsCertificate: String?

    @Option(help: "PEM file of the certificate's private key.")
    var tlsKey: String?

    /// The two files; nil without both options.
    ///
    /// - Throws: ``CommandSupport/CommandFailure`` if only one is named.
    func files() throws(CommandFailure) -> (certificate: String, key: String)? {
        switch (tlsCertificate, tlsKey) {
        case (nil, nil): return nil
        case (let certificate?, let key?): return (certificate, key)
        case (_?, nil): throw .input("--tls-certificate needs --tls-key with the certificate's private key")
        case (nil, _?): throw .input("--tls-key needs --tls-certificate with the key's certificate")
        }
    }
}
