import Crypto
import ExternalPurchaseCore
import SwiftASN1
import X509

/// The emulator's own root, intermediate and leaf certificates for signing notifications (NT-90).
///
/// Root and intermediate never change; the leaf is renewed as the clock advances (NT-91).
struct SigningChain: Sendable {
    let root: Link<P384.Signing.PrivateKey>
    let intermediate: Link<P384.Signing.PrivateKey>
    private(set) var leaf: Link<P256.Signing.PrivateKey>

    /// A certificate with its key.
    struct Link<Key: Sendable>: Sendable {
        let certificate: Certificate
        let der: [UInt8]
        let key: Key
    }

    /// 2015-01-01T00:00:00Z.
    private static let beginning = Timestamp(milliseconds: 1_420_070_400_000)
    private static let thirtyYears = Duration.days(10_957)
    private static let twoYears = Duration.days(730)
    private static let renewalLead = Duration.days(30)

    /// Creates a chain whose leaf is valid at a moment.
    init(at moment: Timestamp, dependencies: EmulatorDependencies) throws {
        let rootKey = Self.p384(dependencies)
        let intermediateKey = Self.p384(dependencies)
        let rootName = try Self.name("Root")
        let intermediateName = try Self.name("Intermediate")
        root = try Self.link(
            rootKey,
            subject: rootName,
            issuer: rootName,
            signer: Certificate.PrivateKey(rootKey),
            from: Self.beginning,
            lasting: Self.thirtyYears,
            extensions: Self.authority(pathLength: 1),
            dependencies: dependencies
        )
        intermediate = try Self.link(
            intermediateKey,
            subject: intermediateName,
            issuer: rootName,
            signer: Certificate.PrivateKey(rootKey),
            from: Self.beginning,
            lasting: Self.thirtyYears,
            extensions: Self.authority(pathLength: 0, marker: .intermediate),
            dependencies: dependencies
        )
        leaf = try Self.leaf(at: moment, below: intermediate, dependencies: dependencies)
    }

    /// Restores a stored chain.
    init(
        root: Link<P384.Signing.PrivateKey>,
        intermediate: Link<P384.Signing.PrivateKey>,
        leaf: Link<P256.Signing.PrivateKey>
    ) {
        self.root = root
        self.intermediate = intermediate
        self.leaf = leaf
    }

    /// Replaces a leaf that is not valid at the moment or expires within 30 days.
    ///
    /// - Returns: true when the leaf was replaced.
    mutating func renew(at moment: Timestamp, dependencies: EmulatorDependencies) throws -> Bool {
        let begins = Timestamp(leaf.certificate.notValidBefore)
        let ends = Timestamp(leaf.certificate.notValidAfter)
        guard moment < begins || moment >= ends - Self.renewalLead else { return false }
        leaf = try Self.leaf(at: moment, below: intermediate, dependencies: dependencies)
        return true
    }

    /// Returns the JWS of a payload for `signedPayload` (NT-10, NT-11, NT-93).
    func signed(_ payload: [UInt8]) throws -> String {
        try JWS(payload: payload, chain: [leaf.der, intermediate.der, root.der])
            .signed { try Array(leaf.key.signature(for: $0).rawRepresentation) }
    }

    // MARK: Certificates

    /// Apple's marker extensions (NT-13).
    enum Marker {
        case intermediate
        case leaf
        /// An unrelated marker, for chains that are tampered with.
        case other

        var identifier: ASN1ObjectIdentifier {
            switch self {
            case .intermediate: [1, 2, 840, 113635, 100, 6, 2, 1]
            case .leaf: [1, 2, 840, 113635, 100, 6, 11, 1]
            case .other: [1, 2, 840, 113635, 100, 6, 11, 2]
            }
        }
    }

    static func leaf(
        at moment: Timestamp,
        below issuer: Link<P384.Signing.PrivateKey>,
        marker: Marker? = .leaf,
        lasting: Duration = twoYears,
        dependencies: EmulatorDependencies
    ) throws -> Link<P256.Signing.PrivateKey> {
        let key = p256(dependencies)
        return try link(
            key,
            subject: name("Signing"),
            issuer: issuer.certificate.subject,
            signer: Certificate.PrivateKey(issuer.key),
            from: moment - .days(1),
            lasting: lasting,
            extensions: signing(marker: marker),
            dependencies: dependencies
        )
    }

    static func intermediate(
        below root: Link<P384.Signing.PrivateKey>,
        marker: Marker?,
        dependencies: EmulatorDependencies
    ) throws -> Link<P384.Signing.PrivateKey> {
        let key = p384(dependencies)
        return try link(
            key,
            subject: name("Intermediate"),
            issuer: root.certificate.subject,
            signer: Certificate.PrivateKey(root.key),
            from: beginning,
            lasting: thirtyYears,
            extensions: authority(pathLength: 0, marker: marker),
            dependencies: dependencies
        )
    }

    static func signing(marker: Marker?) throws -> Certificate.Extensions {
        var extensions = try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
        }
        if let marker { try extensions.append(mark(marker)) }
        return extensions
    }

    private static func authority(pathLength: Int, marker: Marker? = nil) throws -> Certificate.Extensions {
        var extensions = try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: pathLength))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
        }
        if let marker { try extensions.append(mark(marker)) }
        return extensions
    }

    /// An extension with the identifier of the marker and an ASN.1 NULL.
    private static func mark(_ marker: Marker) -> Certificate.Extension {
        Certificate.Extension(oid: marker.identifier, critical: false, value: [0x05, 0x00])
    }

    static func link<Key: CertificateKey>(
        _ key: Key,
        subject: DistinguishedName,
        issuer: DistinguishedName,
        signer: Certificate.PrivateKey,
        from: Timestamp,
        lasting: Duration,
        extensions: Certificate.Extensions,
        dependencies: EmulatorDependencies
    ) throws -> Link<Key> {
        // In strict mode, which Apple's own libraries use, OpenSSL refuses chains without key identifiers.
        let issuerKey = SubjectKeyIdentifier(hash: signer.publicKey)
        var extensions = extensions
        try extensions.append(
            Certificate.Extension(SubjectKeyIdentifier(hash: key.certificatePublicKey), critical: false)
        )
        try extensions.append(
            Certificate.Extension(AuthorityKeyIdentifier(keyIdentifier: issuerKey.keyIdentifier), critical: false)
        )
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(bytes: [0x01] + dependencies.randomBytes(15)),
            publicKey: key.certificatePublicKey,
            notValidBefore: from.date,
            notValidAfter: from.advanced(by: lasting).date,
            issuer: issuer,
            subject: subject,
            // Every issuer of the chain has a P-384 key.
            signatureAlgorithm: .ecdsaWithSHA384,
            extensions: extensions,
            issuerPrivateKey: signer
        )
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return Link(certificate: certificate, der: serializer.serializedBytes, key: key)
    }

    /// A name that describes the certificate and is never one of Apple's (NT-91).
    static func name(_ role: String) throws -> DistinguishedName {
        try DistinguishedName {
            OrganizationName("External Purchase Emulator")
            CommonName("External Purchase Emulator \(role)")
        }
    }

    // Random bytes are a private key unless they exceed the order of the curve, which is extremely rare.

    static func p384(_ dependencies: EmulatorDependencies) -> P384.Signing.PrivateKey {
        for _ in 0..<8 {
            if let key = try? P384.Signing.PrivateKey(rawRepresentation: dependencies.randomBytes(48)) { return key }
        }
        return P384.Signing.PrivateKey()
    }

    static func p256(_ dependencies: EmulatorDependencies) -> P256.Signing.PrivateKey {
        for _ in 0..<8 {
            if let key = try? P256.Signing.PrivateKey(rawRepresentation: dependencies.randomBytes(32)) { return key }
        }
        return P256.Signing.PrivateKey()
    }
}

/// A key that can be certified.
protocol CertificateKey: Sendable {
    var certificatePublicKey: Certificate.PublicKey { get }
}

extension P256.Signing.PrivateKey: CertificateKey {
    var certificatePublicKey: Certificate.PublicKey { Certificate.PublicKey(publicKey) }
}

extension P384.Signing.PrivateKey: CertificateKey {
    var certificatePublicKey: Certificate.PublicKey { Certificate.PublicKey(publicKey) }
}

extension Timestamp {
    fileprivate var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}

/// The parts of a signed payload before they are joined.
struct JWS: Sendable {
    var header: JSONObject
    var payload: [UInt8]

    init(payload: [UInt8], chain: [[UInt8]]) {
        self.payload = payload
        header = [
            "alg": "ES256",
            "x5c": .array(chain.map { .string(Data($0).base64EncodedString()) }),
            "typ": "JWT",
        ]
    }

    func signed(_ signature: ([UInt8]) throws -> [UInt8]) rethrows -> String {
        let head = Base64URL.encode(JSONValue.object(header).encoded())
        let signing = "\(head).\(Base64URL.encode(payload))"
        return "\(signing).\(Base64URL.encode(try signature(Array(signing.utf8))))"
    }
}
