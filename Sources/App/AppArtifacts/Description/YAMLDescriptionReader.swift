import AppConfiguration
import ExternalPurchaseCore
import Yams

/// Reads the YAML of an app description with the position of each entry.
///
/// A plain value is what YAML 1.1 makes of it, as in XcodeGen: `no` is a Boolean, also where it stands for Norway. A key is
/// its text, in XcodeGen too: `no: https://…` is a link for Norway.
struct YAMLDescriptionReader {
    private var values = 0

    /// Returns the root value; nil for an empty file.
    static func root(_ bytes: [UInt8]) throws(DescriptionFault) -> PropertyListNode? {
        guard bytes.count <= DescriptionLimit.bytes else {
            throw DescriptionFault("it has more than \(DescriptionLimit.bytes / 1_048_576) MiB", at: nil)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw DescriptionFault("it is not UTF-8", at: nil)
        }
        // The parser compares keys, so that texts must be bounded before it runs. Escapes can hide combining marks.
        guard text.isStreamSafe, escapes(in: bytes) <= escapeLimit else {
            throw DescriptionFault("a text \(StreamSafeText.refusal)", at: nil)
        }
        let node: Node?
        do {
            node = try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw DescriptionFault(error)
        } catch {
            throw DescriptionFault("it is not YAML", at: nil)
        }
        var reader = YAMLDescriptionReader()
        return try node.flatMap { node throws(DescriptionFault) in try reader.value(node, depth: 1) }
    }

    private static let escapeLimit = 1_000

    private static func escapes(in bytes: [UInt8]) -> Int {
        var count = 0
        for index in bytes.indices.dropLast() where bytes[index] == UInt8(ascii: "\\") {
            if [UInt8(ascii: "x"), UInt8(ascii: "u"), UInt8(ascii: "U")].contains(bytes[index + 1]) { count += 1 }
        }
        return count
    }

    /// Returns a value; nil for null.
    private mutating func value(_ node: Node, depth: Int) throws(DescriptionFault) -> PropertyListNode? {
        let position = node.mark.map { SourcePosition(line: $0.line, column: $0.column) }
        values += 1
        // An alias stands for its whole value, so that a short file can have many values.
        guard values <= DescriptionLimit.values else {
            throw DescriptionFault("it has more than \(DescriptionLimit.values) values", at: position)
        }
        guard depth <= DescriptionLimit.depth else {
            throw DescriptionFault("it is nested deeper than \(DescriptionLimit.depth) levels", at: position)
        }
        switch node {
        case .scalar(let scalar):
            return Self.value(scalar).map { PropertyListNode($0, at: position) }
        case .sequence(let sequence):
            var elements: [PropertyListNode] = []
            for element in sequence {
                if let value = try value(element, depth: depth + 1) { elements.append(value) }
            }
            return PropertyListNode(.array(elements), at: position)
        case .mapping(let mapping):
            return PropertyListNode(.dictionary(try members(mapping, depth: depth)), at: position)
        case .alias:
            throw DescriptionFault("an alias has no anchor", at: position)
        }
    }

    private mutating func members(
        _ mapping: Node.Mapping,
        depth: Int
    ) throws(DescriptionFault) -> [PropertyListMember] {
        var members: [PropertyListMember] = []
        var merged: [PropertyListMember] = []
        for (key, node) in mapping {
            let position = key.mark.map { SourcePosition(line: $0.line, column: $0.column) }
            guard let name = key.scalar?.string else { throw DescriptionFault("a key is no text", at: position) }
            if let reason = DescriptionLimit.refusal(ofKey: name) { throw DescriptionFault(reason, at: position) }
            guard let value = try value(node, depth: depth + 1) else { continue }
            if name == "<<" {
                merged += (value.elements ?? [value]).flatMap { $0.members ?? [] }
            } else {
                members.append(PropertyListMember(key: name, keyPosition: position, node: value))
            }
        }
        guard !merged.isEmpty else { return members }
        var names = Set(members.map(\.key))
        return members + merged.filter { names.insert($0.key).inserted }
    }

    /// Returns the value of a scalar in YAML 1.1; nil for null.
    private static func value(_ scalar: Node.Scalar) -> PropertyListValue? {
        let text = scalar.string
        guard scalar.style == .plain || scalar.style == .any else { return .string(text) }
        switch text {
        case "", "~", "null", "Null", "NULL": return nil
        case "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON": return .bool(true)
        case "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF": return .bool(false)
        default: break
        }
        if let number = Int64(text) { return .integer(number) }
        let isNumber = text.utf8.allSatisfy {
            (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
        }
        if isNumber, let number = Double(text) { return .real(number) }
        return .string(text)
    }
}

extension DescriptionFault {
    fileprivate init(_ error: YamlError) {
        func position(_ mark: Mark) -> SourcePosition {
            SourcePosition(line: max(1, mark.line), column: max(1, mark.column))
        }
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init("it is not YAML: \(problem.clipped())", at: position(mark))
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.map { $0.clipped() }.prefix(3).joined(separator: ", ")
            self.init("a mapping has a key twice: \(names)", at: position(context.mark))
        default: self.init("it is not YAML", at: nil)
        }
    }
}
