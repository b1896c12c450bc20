public import AppConfiguration

/// How much a finding matters (CF-70).
public enum Severity: String, Hashable, Sendable, Comparable {
    /// Information.
    case note
    /// Likely wrong, or undocumented and risky.
    case warning
    /// Cannot work or breaks a documented rule.
    case error

    private var rank: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .error: 2
        }
    }

    /// Orders note, warning, error.
    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

/// One hit of a lint rule (CF-71).
public struct Finding: Hashable, Sendable {
    /// The rule's id, `link-url-not-https`.
    public var rule: String
    /// How much it matters.
    public var severity: Severity
    /// The path of the file as the caller gave it.
    public var file: String
    /// The place in the file, where known.
    public var position: SourcePosition?
    /// The key or entitlement at the root.
    public var key: String?
    /// The path of the entry, `SKExternalPurchaseMultiLink/es/2`.
    public var path: String?
    /// The region code as written.
    public var country: String?
    /// What is wrong, in one sentence.
    public var message: String
    /// What would be right.
    public var hint: String?
    /// The changes of the file that repair it and cannot alter its meaning (CF-73); empty where a person must decide.
    public var edits: [FindingEdit]
    /// The other places that the finding is about: the other file of a contradiction, the other key of a count.
    public var related: [RelatedLocation]

    /// The text that the first edit writes, empty for a removal; nil where a person must decide.
    public var fix: String? { edits.first?.replacement }

    /// A finding.
    ///
    /// - Parameters:
    ///   - rule: the rule's id.
    ///   - severity: how much it matters.
    ///   - file: the path of the file.
    ///   - position: the place in the file.
    ///   - key: the key or entitlement at the root.
    ///   - path: the path of the entry.
    ///   - country: the region code as written.
    ///   - message: what is wrong.
    ///   - hint: what would be right.
    ///   - edits: the changes that repair it.
    ///   - related: the other places that the finding is about.
    public init(
        rule: String,
        severity: Severity,
        file: String,
        position: SourcePosition? = nil,
        key: String? = nil,
        path: String? = nil,
        country: String? = nil,
        message: String,
        hint: String? = nil,
        edits: [FindingEdit] = [],
        related: [RelatedLocation] = []
    ) {
        self.rule = rule
        self.severity = severity
        self.file = file
        self.position = position
        self.key = key
        self.path = path
        self.country = country
        self.message = message
        self.hint = hint
        self.edits = edits
        self.related = related
    }
}

/// One change of a property list (CF-73).
public struct FindingEdit: Hashable, Sendable {
    /// What the change replaces.
    public enum Extent: Hashable, Sendable {
        /// The text of the `<key>` or `<string>` that begins at the position.
        case text
        /// The element that begins at the position, its tags included.
        case element
    }

    /// What the change replaces.
    public var extent: Extent
    /// What stands there afterwards: plain text for ``Extent/text``, XML for ``Extent/element``; empty removes it.
    public var replacement: String
    /// Where the element begins; nil in a binary file, which no edit changes.
    public var position: SourcePosition?

    /// A change.
    ///
    /// - Parameters:
    ///   - extent: what the change replaces.
    ///   - replacement: what stands there afterwards.
    ///   - position: where the element begins.
    public init(_ extent: Extent, _ replacement: String, at position: SourcePosition?) {
        self.extent = extent
        self.replacement = replacement
        self.position = position
    }
}

/// Another place that a finding is about.
public struct RelatedLocation: Hashable, Sendable {
    /// The path of the file as the caller gave it.
    public var file: String
    /// The place in the file, where known.
    public var position: SourcePosition?
    /// What stands there, in one clause.
    public var message: String

    /// A place.
    ///
    /// - Parameters:
    ///   - file: the path of the file.
    ///   - position: the place in the file.
    ///   - message: what stands there, in one clause.
    public init(file: String, position: SourcePosition? = nil, message: String) {
        self.file = file
        self.position = position
        self.message = message
    }
}
