import AppConfiguration
import ConfigurationLint

/// The values of findings as text: strings as written, other values by their type.
///
/// Values are looked up in a table that one pass over the files fills, so that the cost is proportional to the number
/// of files and findings, not to their product.
struct WrittenValues {
    private struct Spot: Hashable {
        let file: String
        let path: String
    }

    private struct Entry {
        let key: String?
        let keyPosition: SourcePosition?
        let value: PropertyListValue
    }

    // The last of several equal keys counts, as in Apple's parsers.
    private var entries: [Spot: Entry] = [:]

    /// Reads the keys that the findings name, from the root and two levels below.
    init(_ configuration: AppConfiguration, of findings: [Finding]) {
        let named = Set(findings.compactMap { $0.key ?? $0.path })
        let files = configuration.files + [configuration.reviewedInfoPlist].compactMap { $0 }
        var read: Set<String> = []
        for file in files where read.insert(file.path).inserted {
            for member in file.members where named.contains(member.key) {
                add(member, at: member.key, in: file.path, levels: 2)
            }
        }
    }

    /// The value of a finding; nil where there is none.
    subscript(finding: Finding) -> String? {
        guard let path = finding.path ?? finding.key, let entry = entries[Spot(file: finding.file, path: path)] else {
            return nil
        }
        // A finding about a key does not depend on the key's value.
        if let place = entry.keyPosition, place == finding.position { return entry.key }
        switch entry.value {
        case .string(let text): return text
        case .integer(let number): return String(number)
        case .bool(let value): return String(value)
        default: return entry.value.typeName
        }
    }

    private mutating func add(_ member: PropertyListMember, at path: String, in file: String, levels: Int) {
        entries[Spot(file: file, path: path)] = Entry(
            key: member.key,
            keyPosition: member.keyPosition,
            value: member.node.value
        )
        addContent(of: member.node, at: path, in: file, levels: levels)
    }

    private mutating func addContent(of node: PropertyListNode, at path: String, in file: String, levels: Int) {
        guard levels > 0 else { return }
        switch node.value {
        case .dictionary(let members):
            for member in members { add(member, at: "\(path)/\(member.key)", in: file, levels: levels - 1) }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                let inner = "\(path)/\(index)"
                entries[Spot(file: file, path: inner)] = Entry(key: nil, keyPosition: nil, value: element.value)
                addContent(of: element, at: inner, in: file, levels: levels - 1)
            }
        default: break
        }
    }
}
