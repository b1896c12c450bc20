import Crypto
import ExternalPurchaseCore
import X509

/// A deliberate defect of a notification, for tests of a server's verification (NT-94).
///
/// Each is named after the failure that it must cause; a name with a suffix causes the same failure in another way.
enum NotificationTampering: String, Hashable, Sendable, CaseIterable {
    case bodyUnreadable = "body-unreadable"
    case notThreeParts = "not-three-parts"
    case headerUnreadable = "header-unreadable"
    case algorithmNotES256 = "algorithm-not-es256"
    case chainMissing = "chain-missing"
    case chainLength = "chain-length"
    case payloadUnreadable = "payload-unreadable"
    case certificateUnreadable = "certificate-unreadable"
    case chainUntrusted = "chain-untrusted"
    case chainUntrustedSwapped = "chain-untrusted-swapped"
    case certificateExpired = "certificate-expired"
    case certificateNotYetValid = "certificate-not-yet-valid"
    case intermediateMarkerMissing = "intermediate-marker-missing"
    case leafMarkerMissing = "leaf-marker-missing"
    case leafKeyNotP256 = "leaf-key-not-p256"
    case signatureWrong = "signature-wrong"
    case signatureWrongDER = "signature-wrong-der"
    case payloadIncomplete = "payload-incomplete"
    case wrongApp = "wrong-app"
    case wrongEnvironment = "wrong-environment"

    /// Signs a payload with the defect.
    func signed(
        _ payload: NotificationPayload,
        by chain: SigningChain,
        dependencies: EmulatorDependencies
    ) throws -> String {
        let moment = payload.signedDate
        let links = [chain.leaf.der, chain.intermediate.der, chain.root.der]
        var jws = JWS(payload: tampered(payload).encoded(), chain: links)
        var sign: ([UInt8]) throws -> [UInt8] = { try Array(chain.leaf.key.signature(for: $0).rawRepresentation) }
        switch self {
        case .bodyUnreadable, .wrongApp, .wrongEnvironment:
            break
        case .notThreeParts:
            return String(try jws.signed(sign).prefix { $0 != "." })
        case .headerUnreadable:
            return "e30!" + String(try jws.signed(sign).drop { $0 != "." })
        case .algorithmNotES256:
            jws.header.set("alg", .string("none"))
        case .chainMissing:
            jws.header.members.removeAll { $0.key == "x5c" }
        case .chainLength:
            jws = JWS(payload: jws.payload, chain: Array(links.prefix(2)))
        case .payloadUnreadable:
            jws.payload = Array("[]".utf8)
        case .certificateUnreadable:
            jws = JWS(payload: jws.payload, chain: [Array(chain.leaf.der.dropLast()), links[1], links[2]])
        case .chainUntrusted:
            let other = try SigningChain(at: moment, dependencies: dependencies)
            return try other.signed(jws.payload)
        case .chainUntrustedSwapped:
            jws = JWS(payload: jws.payload, chain: [links[1], links[0], links[2]])
        case .certificateExpired, .certificateNotYetValid:
            let isExpired = self == .certificateExpired
            let from = moment.advanced(by: .days(isExpired ? -400 : 100))
            let leaf = try SigningChain.leaf(
                at: from,
                below: chain.intermediate,
                lasting: .days(30),
                dependencies: dependencies
            )
            jws = JWS(payload: jws.payload, chain: [leaf.der, links[1], links[2]])
            sign = { try Array(leaf.key.signature(for: $0).rawRepresentation) }
        case .intermediateMarkerMissing:
            let intermediate = try SigningChain.intermediate(below: chain.root, marker: nil, dependencies: dependencies)
            let leaf = try SigningChain.leaf(at: moment, below: intermediate, dependencies: dependencies)
            jws = JWS(payload: jws.payload, chain: [leaf.der, intermediate.der, links[2]])
            sign = { try Array(leaf.key.signature(for: $0).rawRepresentation) }
        case .leafMarkerMissing:
            let leaf = try SigningChain.leaf(
                at: moment,
                below: chain.intermediate,
                marker: nil,
                dependencies: dependencies
            )
            jws = JWS(payload: jws.payload, chain: [leaf.der, links[1], links[2]])
            sign = { try Array(leaf.key.signature(for: $0).rawRepresentation) }
        case .leafKeyNotP256:
            let leaf = try SigningChain.link(
                SigningChain.p384(dependencies),
                subject: SigningChain.name("Signing"),
                issuer: chain.intermediate.certificate.subject,
                signer: Certificate.PrivateKey(chain.intermediate.key),
                from: moment - .days(1),
                lasting: .days(730),
                extensions: SigningChain.signing(marker: .leaf),
                dependencies: dependencies
            )
            jws = JWS(payload: jws.payload, chain: [leaf.der, links[1], links[2]])
            sign = { try Array(leaf.key.signature(for: $0).rawRepresentation) }
        case .signatureWrong:
            sign = { signing in
                var signature = try Array(chain.leaf.key.signature(for: signing).rawRepresentation)
                signature[40] ^= 1
                return signature
            }
        case .signatureWrongDER:
            sign = { try Array(chain.leaf.key.signature(for: $0).derRepresentation) }
        case .payloadIncomplete:
            jws.payload = Self.incomplete(payload)
        }
        return try jws.signed(sign)
    }

    private func tampered(_ payload: NotificationPayload) -> NotificationPayload {
        var payload = payload
        switch self {
        case .wrongApp:
            payload.externalPurchaseToken?.bundleId = "com.example.another"
            payload.data?.bundleId = "com.example.another"
        case .wrongEnvironment:
            if let id = payload.externalPurchaseToken?.externalPurchaseId {
                let other =
                    id.environment == .sandbox ? String(id.rawValue.dropFirst("SANDBOX_".count)) : "SANDBOX_\(id)"
                payload.externalPurchaseToken?.externalPurchaseId = ExternalPurchaseId(rawValue: other)
            }
        default: break
        }
        return payload
    }

    /// The payload without `notificationUUID`, which every notification needs (NT-42).
    private static func incomplete(_ payload: NotificationPayload) -> [UInt8] {
        guard case .object(var object) = (try? JSONReader().read(payload.encoded())) ?? .null else { return [] }
        object.members.removeAll { $0.key == "notificationUUID" }
        return JSONValue.object(object).encoded()
    }
}

extension JSONObject {
    fileprivate mutating func set(_ key: String, _ value: JSONValue) {
        guard let index = members.firstIndex(where: { $0.key == key }) else { return members.append(.init(key, value)) }
        members[index].value = value
    }
}
