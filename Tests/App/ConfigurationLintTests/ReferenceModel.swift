/// A property list value of the test.
///
/// It is never read back from a file.
indirect enum ReferenceValue: Hashable, Sendable {
    case string(String)
    case integer(Int)
    case real
    case bool(Bool)
    case date
    case data
    case array([ReferenceValue])
    case dictionary([ReferenceMember])

    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var elements: [ReferenceValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    var members: [ReferenceMember]? {
        guard case .dictionary(let members) = self else { return nil }
        return members
    }

    /// The value as XML.
    var xml: String {
        switch self {
        case .string(let text): "<string>\(Self.escaped(text))</string>"
        case .integer(let number): "<integer>\(number)</integer>"
        case .real: "<real>26.5</real>"
        case .bool(let flag): flag ? "<true/>" : "<false/>"
        case .date: "<date>2026-01-31T12:00:00Z</date>"
        case .data: "<data>AAAA</data>"
        case .array(let elements): "<array>\(elements.map(\.xml).joined())</array>"
        case .dictionary(let members):
            "<dict>\(members.map { "<key>\(Self.escaped($0.key))</key>\($0.value.xml)" }.joined())</dict>"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            default: String(scalar)
            }
        }.joined()
    }
}

/// One entry of a dictionary; keys may repeat.
struct ReferenceMember: Hashable, Sendable {
    var key: String
    var value: ReferenceValue

    init(_ key: String, _ value: ReferenceValue) {
        self.key = key
        self.value = value
    }
}

/// Whether the app qualifies for several links.
enum ReferenceStreaming: String, CaseIterable, Sendable {
    case auto
    case yes
    case no
}

/// A configuration with its options; nil for a missing file.
struct ReferenceCase: Sendable {
    var info: [ReferenceMember]? = []
    var source: [ReferenceMember]?
    var signed: [ReferenceMember]?
    var profile: [ReferenceMember]?
    var reviewed: [ReferenceMember]?
    var pack = "2026-10"
    var streaming = ReferenceStreaming.auto
    var platform: String?
    var built = false

    /// The files as XML with their options, for the report of a disagreement.
    var description: String {
        func text(_ name: String, _ members: [ReferenceMember]?) -> String {
            members.map { "\n\(name): \(ReferenceValue.dictionary($0).xml)" } ?? ""
        }
        return "pack \(pack), streaming \(streaming), platform \(platform ?? "-"), built \(built)"
            + text("I", info) + text("E", source) + text("B", signed) + text("P", profile)
            + text("reviewed", reviewed)
    }
}

/// An expected finding.
///
/// The subject is the path, or the country for a rule that concerns several keys.
struct ReferenceFinding: Hashable, Sendable, Comparable, CustomStringConvertible {
    var rule: String
    var role: String
    var subject: String
    var severity: String

    var description: String { "\(rule) \(severity) \(role) \(subject)" }

    static func < (left: Self, right: Self) -> Bool {
        (left.rule, left.role, left.subject, left.severity) < (right.rule, right.role, right.subject, right.severity)
    }
}
