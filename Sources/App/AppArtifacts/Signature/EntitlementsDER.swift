import AppConfiguration
import ExternalPurchaseCore
import SwiftASN1

/// Entitlements in DER, the form that the system reads.
///
/// ```
/// [APPLICATION 16] { INTEGER 1, [16] { SEQUENCE { UTF8String key, value }, … } }
/// ```
///
/// The first version was a plain SET of such pairs. A value is a BOOLEAN, INTEGER, UTF8String, OCTET STRING, a SEQUENCE
/// of values, or again [16] or a SET of pairs.
enum EntitlementsDER {
    /// Reads the entitlements.
    ///
    /// - Returns: the root dictionary; nil for bytes of another form.
    static func read(_ bytes: [UInt8]) -> PropertyListNode? {
        guard let root = try? DER.parse(bytes) else { return nil }
        if root.identifier == .set { return dictionary(root) }
        guard root.identifier == ASN1Identifier(tagWithNumber: 16, tagClass: .application),
            case .constructed(let nodes) = root.content
        else { return nil }
        let fields = Array(nodes.prefix(3))
        guard fields.count == 2, (try? Int64(derEncoded: fields[0])) == 1 else { return nil }
        return dictionary(fields[1])
    }

    private static let pairs = ASN1Identifier(tagWithNumber: 16, tagClass: .contextSpecific)

    private static func dictionary(_ node: ASN1Node) -> PropertyListNode? {
        guard node.identifier == pairs || node.identifier == .set, case .constructed(let nodes) = node.content else {
            return nil
        }
        var members: [PropertyListMember] = []
        for pair in nodes {
            guard pair.identifier == .sequence, case .constructed(let parts) = pair.content else { return nil }
            var iterator = parts.makeIterator()
            guard let key = iterator.next().flatMap(text), let value = iterator.next().flatMap(value),
                iterator.next() == nil
            else { return nil }
            members.append(PropertyListMember(key: key, node: value))
        }
        return PropertyListNode(.dictionary(members))
    }

    /// The parser limits the depth: it refuses more than 50 levels.
    private static func value(_ node: ASN1Node) -> PropertyListNode? {
        switch node.identifier {
        case .boolean: (try? Bool(derEncoded: node)).map { PropertyListNode(.bool($0)) }
        case .integer: (try? Int64(derEncoded: node)).map { PropertyListNode(.integer($0)) }
        case .utf8String: text(node).map { PropertyListNode(.string($0)) }
        case .octetString:
            (try? ASN1OctetString(derEncoded: node)).map { PropertyListNode(.data(Array($0.bytes))) }
        case .sequence: array(node)
        default: dictionary(node)
        }
    }

    private static func array(_ node: ASN1Node) -> PropertyListNode? {
        guard case .constructed(let nodes) = node.content else { return nil }
        var elements: [PropertyListNode] = []
        for element in nodes {
            guard let value = value(element) else { return nil }
            elements.append(value)
        }
        return PropertyListNode(.array(elements))
    }

    private static func text(_ node: ASN1Node) -> String? {
        guard node.identifier == .utf8String, case .primitive(let bytes) = node.content else { return nil }
        return String(validating: bytes, as: UTF8.self).flatMap { $0.isStreamSafe ? $0 : nil }
    }
}
