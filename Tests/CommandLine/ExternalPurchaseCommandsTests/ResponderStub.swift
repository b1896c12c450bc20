// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry

import Crypto
import Foundation
import RawSockets
import SwiftASN1
import Synchronization
import X509

/// A certificate chain whose certificates name a responder on this machine, and that responder (RFC 6960).
///
/// Nothing here comes from the code under test: questions and answers are DER by hand.
final class ResponderStub: Sendable {
    enum Answer: Sendable {
        case good, revoked, failure, rubbish
    }

    private struct State {
        var answers: [String: Answer] = [:]
        var asked: [String] = []
    }

    let rootDER: [UInt8]
    private let state = Mutex(State())
    private let listener: RawListener
    private let root = P384.Signing.PrivateKey()
    private let intermediate = P384.Signing.PrivateKey()
    private let leaf = P256.Signing.PrivateKey()
    private let chain: [Certificate]

    /// What was asked, `POST /leaf application/ocsp-request`, in order.
    var asked: [String] { state.withLock(\.asked) }

    func answer(leaf: Answer, intermediate: Answer) {
        state.withLock { $0.answers = ["/leaf": leaf, "/intermediate": intermediate] }
    }

    init() throws {
        listener = try RawListener()
        let port = listener.port
        func certificate(
            _ serial: Int,
            _ name: String,
            _ key: Certificate.PublicKey,
            issuer: String,
            signer: P384.Signing.PrivateKey,
            extensions: [Certificate.Extension]
        ) throws -> Certificate {
            try Certificate(
                version: .v3,
                serialNumber: .init(serial),
                publicKey: key,
                notValidBefore: Date(timeIntervalSinceNow: -86_400),
                notValidAfter: Date(timeIntervalSinceNow: 86_400),
                issuer: DistinguishedName { CommonName(issuer) },
                subject: DistinguishedName { CommonName(name) },
                signatureAlgorithm: .ecdsaWithSHA384,
                extensions: Certificate.Extensions(extensions),
                issuerPrivateKey: Certificate.PrivateKey(signer)
            )
        }
        func responder(_ path: String) throws -> Certificate.Extension {
            let address = GeneralName.uniformResourceIdentifier("http://127.0.0.1:\(port)/\(path)")
            let access = AuthorityInformationAccess([.init(method: .ocspServer, location: address)])
            return try Certificate.Extension(access, critical: false)
        }
        func authority(_ length: Int) throws -> [Certificate.Extension] {
            [
                try .init(BasicConstraints.isCertificateAuthority(maxPathLength: length), critical: true),
                try .init(KeyUsage(keyCertSign: true), critical: true),
            ]
        }
        let top = try certificate(
            1,
            "Stub Root",
            .init(root.publicKey),
            issuer: "Stub Root",
            signer: root,
            extensions: authority(1)
        )
        let middle = try certificate(
            2,
            "Stub Intermediate",
            .init(intermediate.publicKey),
            issuer: "Stub Root",
            signer: root,
            extensions: authority(0) + [
                responder("intermediate"),
                .init(oid: [1, 2, 840, 113635, 100, 6, 2, 1], critical: false, value: [0x05, 0x00]),
            ]
        )
        let end = try certificate(
            3,
            "Stub Leaf",
            .init(leaf.publicKey),
            issuer: "Stub Intermediate",
            signer: intermediate,
            extensions: [
                responder("leaf"),
                .init(oid: [1, 2, 840, 113635, 100, 6, 11, 1], critical: false, value: [0x05, 0x00]),
            ]
        )
        chain = [end, middle, top]
        rootDER = try Self.der(top)
        listener.start { [weak self] connection in
            if let request = connection.request() { self?.respond(to: request, on: connection) }
            connection.close()
        }
    }

    /// A notification signed by the leaf, as the body of a delivery.
    func notification(_ uuid: String) throws -> [String: Any] {
        let header: [String: Any] = [
            "alg": "ES256", "x5c": try chain.map { Data(try Self.der($0)).base64EncodedString() },
        ]
        let moment = Int(Date().timeIntervalSince1970) * 1_000
        let payload: [String: Any] = [
            "notificationType": "EXTERNAL_PURCHASE_TOKEN", "subtype": "CREATED", "notificationUUID": uuid,
            "version": "2.0", "signedDate": moment,
            "externalPurchaseToken": [
                "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000b", "tokenCreationDate": moment,
                "appAppleId": 1_234_567_890, "bundleId": "com.example.shop",
            ],
        ]
        func part(_ object: [String: Any]) throws -> String {
            Self.base64URL(try JSONSerialization.data(withJSONObject: object))
        }
        let text = try part(header) + "." + part(payload)
        let signature = try leaf.signature(for: Data(text.utf8)).rawRepresentation
        return ["signedPayload": text + "." + Self.base64URL(signature)]
    }

    // MARK: The responder

    private func respond(to request: RawListener.Request, on connection: RawListener.Connection) {
        let path = request.target
        let answer = state.withLock { state in
            state.asked.append("\(request.method) \(path) \(request.headers["content-type"] ?? "")")
            return state.answers[path] ?? .failure
        }
        var body: [UInt8] = []
        if answer == .rubbish { body = Array("not DER".utf8) }
        if answer == .good || answer == .revoked {
            let signer = path == "/leaf" ? (intermediate, chain[1]) : (root, chain[2])
            body = Self.response(to: request.body, isGood: answer == .good, signer.0, signer.1)
        }
        let status = answer == .failure ? "500 Internal Server Error" : "200 OK"
        connection.respond(status, type: "application/ocsp-response", body)
    }

    private static func response(
        to question: [UInt8],
        isGood: Bool,
        _ key: P384.Signing.PrivateKey,
        _ issuer: Certificate
    ) -> [UInt8] {
        // OCSPRequest, TBSRequest, requestList, Request, reqCert: the first element each time.
        var certificateId = question
        for _ in 0..<4 { certificateId = firstElement(of: certificateId) }
        func time(_ offset: Double) -> [UInt8] {
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = TimeZone(secondsFromGMT: 0)
            format.dateFormat = "yyyyMMddHHmmss'Z'"
            return tagged(0x18, Array(format.string(from: Date(timeIntervalSinceNow: offset)).utf8))
        }
        let status = isGood ? tagged(0x80, []) : tagged(0xA1, time(-3_600))
        let single = tagged(0x30, certificateId + status + time(-60) + tagged(0xA0, time(3_600)))
        let name = try! serialized(issuer.subject)
        let data = tagged(0x30, tagged(0xA1, name) + time(-60) + tagged(0x30, single))
        let signature = try! key.signature(for: Data(data)).derRepresentation
        // ecdsa-with-SHA384
        let algorithm = tagged(0x30, [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03])
        let basic = tagged(0x30, data + algorithm + tagged(0x03, [0] + Array(signature)))
        // id-pkix-ocsp-basic
        let type: [UInt8] = [0x06, 0x09, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x01]
        return tagged(0x30, [0x0A, 0x01, 0x00] + tagged(0xA0, tagged(0x30, type + tagged(0x04, basic))))
    }

    /// The first element inside of one, with its tag and length.
    private static func firstElement(of element: [UInt8]) -> [UInt8] {
        let inside = Array(element.dropFirst(header(of: element)))
        return Array(inside.prefix(header(of: inside) + length(of: inside)))
    }

    private static func header(of element: [UInt8]) -> Int { element[1] < 0x80 ? 2 : 2 + Int(element[1] & 0x7F) }

    private static func length(of element: [UInt8]) -> Int {
        element[1] < 0x80
            ? Int(element[1]) : element[2..<header(of: element)].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)]
            : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [tag] + length + content
    }

    private static func der(_ certificate: Certificate) throws -> [UInt8] { try serialized(certificate) }

    private static func serialized(_ value: some DERSerializable) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(value)
        return serializer.serializedBytes
    }

    private static func base64URL(_ bytes: some DataProtocol) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
