import SwiftASN1

/// CMS signed data (RFC 5652 section 5), of which only the content is read.
///
/// ```
/// SEQUENCE { OID signedData, [0] SEQUENCE { INTEGER, SET, SEQUENCE { OID data, [0] OCTET STRING }, … } }
/// ```
enum SignedData {
    /// Why the content could not be read.
    struct Problem: Error {
        let reason: String
    }

    /// Returns the signed content without verifying its signature.
    static func content(of bytes: [UInt8]) -> Result<[UInt8], Problem> {
        guard let root = try? BER.parse(bytes) else {
            return .failure(Problem(reason: "it is not an envelope of CMS, or cut off"))
        }
        guard let outer = children(root, .sequence), let type = outer.first.flatMap(identifier),
            outer.count >= 2, type == [1, 2, 840, 113_549, 1, 7, 2], let signed = explicit(outer[1])
        else { return .failure(Problem(reason: "it is not signed data of CMS")) }
        guard let fields = children(signed, .sequence), fields.count >= 3,
            fields[0].identifier == .integer, fields[1].identifier == .set,
            let content = children(fields[2], .sequence), !content.isEmpty, identifier(content[0]) != nil
        else { return .failure(Problem(reason: "its signed data is damaged")) }
        guard content.count >= 2 else {
            return .failure(Problem(reason: "its signed data contains only a signature, not the content"))
        }
        guard let octets = explicit(content[1]), let text = try? ASN1OctetString(berEncoded: octets) else {
            return .failure(Problem(reason: "its signed data is damaged"))
        }
        return .success(Array(text.bytes))
    }

    private static func children(_ node: ASN1Node, _ identifier: ASN1Identifier) -> [ASN1Node]? {
        guard node.identifier == identifier, case .constructed(let nodes) = node.content else { return nil }
        // Only the first three fields are needed; certificates and signatures follow.
        return Array(nodes.prefix(3))
    }

    /// Returns the value inside the explicit tag [0].
    private static func explicit(_ node: ASN1Node) -> ASN1Node? {
        let tag = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
        guard let inner = children(node, tag), inner.count == 1 else { return nil }
        return inner[0]
    }

    private static func identifier(_ node: ASN1Node) -> ASN1ObjectIdentifier? {
        try? ASN1ObjectIdentifier(berEncoded: node)
    }
}
