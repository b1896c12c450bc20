import Crypto
import ExternalPurchaseCore
import Foundation
import SwiftASN1
import X509

/// A chain of three certificates for a test, valid unless a member changes it.
struct CertificatePlan: Sendable {
    /// When the messages of these tests are signed, 2027-09-30T22:41:00Z.
    static let signedDate = Timestamp(milliseconds: 1_822_348_860_000)
    static let rightIntermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
    static let rightLeafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]

    var rootKey = TestKeys.root
    var rootSerial = 1
    var rootConstraint: BasicConstraints? = .isCertificateAuthority(maxPathLength: 1)
    var rootUsage = KeyUsage(keyCertSign: true)
    var rootEnd = Self.signedDate + .days(1_000)
    var intermediateIssuer = Self.name("Test Root")
    var intermediateSigner = TestKeys.root
    var intermediateConstraint: BasicConstraints? = .isCertificateAuthority(maxPathLength: 0)
    var intermediateUsage: KeyUsage? = KeyUsage(keyCertSign: true)
    var intermediateMarker: ASN1ObjectIdentifier? = Self.rightIntermediateMarker
    var intermediateBeginning = Self.beginning
    var leafIssuer = Self.name("Test Intermediate")
    var leafSigner = TestKeys.intermediate
    var leafMarker: ASN1ObjectIdentifier? = Self.rightLeafMarker
    var markersAreCritical = false
    var criticalExtension: ASN1ObjectIdentifier?
    var leafIsOnP384 = false
    var leafBeginning = Self.beginning
    var leafEnd = Self.signedDate + .days(100)

    static let beginning = Self.signedDate - .days(1_000)

    var root: Certificate {
        get throws {
            try certificate(
                serial: rootSerial,
                subject: Self.name("Test Root"),
                key: Certificate.PublicKey(rootKey.publicKey),
                issuer: Self.name("Test Root"),
                signer: rootKey,
                from: Self.beginning,
                to: rootEnd,
                constraint: rootConstraint,
                usage: rootUsage,
                marker: nil
            )
        }
    }

    var intermediate: Certificate {
        get throws {
            try certificate(
                serial: 2,
                subject: Self.name("Test Intermediate"),
                key: Certificate.PublicKey(TestKeys.intermediate.publicKey),
                issuer: intermediateIssuer,
                signer: intermediateSigner,
                from: intermediateBeginning,
                to: Self.signedDate + .days(500),
                constraint: intermediateConstraint,
                usage: intermediateUsage,
                marker: intermediateMarker
            )
        }
    }

    var leaf: Certificate {
        get throws {
            try certificate(
                serial: 3,
                subject: Self.name("Test Leaf"),
                key: leafIsOnP384
                    ? Certificate.PublicKey(TestKeys.largeLeaf.publicKey)
                    : Certificate.PublicKey(TestKeys.leaf.publicKey),
                issuer: leafIssuer,
                signer: leafSigner,
                from: leafBeginning,
                to: leafEnd,
                constraint: .notCertificateAuthority,
                usage: KeyUsage(digitalSignature: true),
                marker: leafMarker,
                critical: criticalExtension
            )
        }
    }

    static func name(_ common: String) -> DistinguishedName {
        // A name of one attribute is made of literals only, so it cannot fail.
        // swift-format-ignore: NeverUseForceTry
        try! DistinguishedName { CommonName(common) }
    }

    private func certificate(
        serial: Int,
        subject: DistinguishedName,
        key: Certificate.PublicKey,
        issuer: DistinguishedName,
        signer: P384.Signing.PrivateKey,
        from: Timestamp,
        to: Timestamp,
        constraint: BasicConstraints?,
        usage: KeyUsage?,
        marker: ASN1ObjectIdentifier?,
        critical: ASN1ObjectIdentifier? = nil
    ) throws -> Certificate {
        var extensions: [Certificate.Extension] = []
        if let constraint { extensions.append(try Certificate.Extension(constraint, critical: true)) }
        if let usage { extensions.append(try Certificate.Extension(usage, critical: true)) }
        if let marker { extensions.append(.init(oid: marker, critical: markersAreCritical, value: [0x05, 0x00])) }
        if let critical { extensions.append(.init(oid: critical, critical: true, value: [0x05, 0x00])) }
        return try Certificate(
            version: .v3,
            serialNumber: .init(serial),
            publicKey: key,
            notValidBefore: Date(timeIntervalSince1970: Double(from.milliseconds / 1_000)),
            notValidAfter: Date(timeIntervalSince1970: Double(to.milliseconds / 1_000)),
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA384,
            extensions: Certificate.Extensions(extensions),
            issuerPrivateKey: Certificate.PrivateKey(signer)
        )
    }
}

/// The keys of a test run.
///
/// Certificates differ, keys need not.
enum TestKeys {
    static let root = P384.Signing.PrivateKey()
    static let otherRoot = P384.Signing.PrivateKey()
    static let intermediate = P384.Signing.PrivateKey()
    static let otherIntermediate = P384.Signing.PrivateKey()
    static let leaf = P256.Signing.PrivateKey()
    static let otherLeaf = P256.Signing.PrivateKey()
    static let largeLeaf = P384.Signing.PrivateKey()
}

extension Certificate {
    var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return serializer.serializedBytes
        }
    }
}
