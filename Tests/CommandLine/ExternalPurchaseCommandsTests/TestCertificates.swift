import AsyncHTTPClient
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import SwiftASN1
import X509

/// A certificate that signs itself, with its key, in files.
struct SelfSigned {
    let certificate: String
    let key: String

    init(_ scratch: ScratchFolder, name: String = "server") throws {
        let privateKey = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName("server under test") }
        let made = try Certificate.underTest(
            subject: subject,
            key: privateKey,
            issuer: subject,
            issuerKey: privateKey,
            isAuthority: true
        )
        certificate = try scratch.write(made.serializeAsPEM().pemString + "\n", to: "\(name).pem")
        key = try scratch.write(privateKey.pemRepresentation + "\n", to: "\(name).key")
    }
}

/// A root, and a certificate with its intermediate in one file.
struct CertificateChain {
    /// The file of the root, which a client trusts.
    let root: String
    /// The file of the certificate, followed by its intermediate.
    let chain: String
    /// The file of the certificate alone.
    let leaf: String
    let key: String

    init(_ scratch: ScratchFolder) throws {
        let keys = (0..<3).map { _ in P256.Signing.PrivateKey() }
        let names = try ["root", "intermediate", "server"].map { name in try DistinguishedName { CommonName(name) } }
        let made = try (0..<3).map { index in
            try Certificate.underTest(
                subject: names[index],
                key: keys[index],
                issuer: names[max(0, index - 1)],
                issuerKey: keys[max(0, index - 1)],
                isAuthority: index < 2
            )
        }
        let texts = try made.map { try $0.serializeAsPEM().pemString + "\n" }
        root = try scratch.write(texts[0], to: "root.pem")
        leaf = try scratch.write(texts[2], to: "leaf.pem")
        chain = try scratch.write(texts[2] + texts[1], to: "chain.pem")
        key = try scratch.write(keys[2].pemRepresentation + "\n", to: "chain.key")
    }
}

extension Certificate {
    fileprivate static func underTest(
        subject: DistinguishedName,
        key: P256.Signing.PrivateKey,
        issuer: DistinguishedName,
        issuerKey: P256.Signing.PrivateKey,
        isAuthority: Bool
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PrivateKey(key).publicKey,
            notValidBefore: Date(timeIntervalSinceNow: -3_600),
            notValidAfter: Date(timeIntervalSinceNow: 60 * 86_400),
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(
                    isAuthority
                        ? BasicConstraints.isCertificateAuthority(maxPathLength: nil)
                        : BasicConstraints.notCertificateAuthority
                )
                SubjectAlternativeNames([.dnsName("localhost")])
            },
            issuerPrivateKey: Certificate.PrivateKey(issuerKey)
        )
    }
}

/// A client that trusts chosen roots.
enum TLSClient {
    static func get(
        _ address: String,
        trusting roots: NIOSSLTrustRoots,
        newest: TLSVersion? = nil
    ) async throws -> (status: UInt, body: String) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = roots
        if let newest { (tls.minimumTLSVersion, tls.maximumTLSVersion) = (.tlsv1, newest) }
        let client = HTTPClient(configuration: HTTPClient.Configuration(tlsConfiguration: tls))
        do {
            let response = try await client.execute(HTTPClientRequest(url: address), timeout: .seconds(300))
            let body = try await response.body.collect(upTo: 100_000)
            try await client.shutdown()
            return (response.status.code, String(buffer: body))
        } catch {
            try await client.shutdown()
            throw error
        }
    }
}
