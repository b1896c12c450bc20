public import AppConfiguration

/// The severity of a finding (CF-70).
public enum Severity: String, Hashable, Sendable, Comparable {
    /// Information.
    case note
    /// The configuration is probably wrong, or relies on undocumented behaviour.
    case warning
    /// The configuration cannot work or violates a documented rule.
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

/// A violation of a lint rule (CF-71).
public struct Finding: Hashable, Sendable {
    /// The rule's id, `link-url-not-https`.
    public var rule: String
    /// The severity.
    public var severity: Severity
    /// The path of the file as the caller gave it.
    public var file: String
    /// The position in the file, if known.
    public var position: SourcePosition?
    /// The key or entitlement at the root.
    public var key: String?
    /// The path of the entry, `SKExternalPurchaseMultiLink/es/2`.
    public var path: String?
    /// The region code as written.
    public var country: String?
    /// What is wrong, in one sentence.
    public var message: String
    /// How to correct it.
    public var hint: String?
    /// Edits of the file that correct it without changing its meaning (CF-73).
    ///
    /// Empty if a person must decide.
    public var edits: [FindingEdit]
    /// Other locations of the finding: the other file of a contradiction, the other key of a count.
    public var related: [RelatedLocation]

    /// The text of the first edit, empty for a removal; nil if a person must decide.
    public var fix: String? { edits.first?.replacement }

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - rule: the rule's id.
    ///   - severity: the severity.
    ///   - file: the path of the file.
    ///   - position: the position in the file.
    ///   - key: the key or entitlement at the root.
    ///   - path: the path of the entry.
    ///   - country: the region code as written.
    ///   - message: what is wrong.
    ///   - hint: how to correct it.
    ///   - edits: the edits that correct it.
    ///   - related: other locations of the finding.
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

/// An edit of a property list (CF-73).
public struct FindingEdit: Hashable, Sendable {
    /// The part of the file that an edit replaces.
    public enum Extent: Hashable, Sendable {
        /// The text of the `<key>` or `<string>` that begins at the position.
        case text
        /// The element that begins at the position, including its tags.
        case element
    }

    /// The part of the file that the edit replaces.
    public var extent: Extent
    /// The new content: plain text for ``Extent/text``, XML for ``Extent/element``.
    ///
    /// An empty text removes the part.
    public var replacement: String
    /// The position at which the element begins; nil in a binary file, which cannot be edited.
    public var position: SourcePosition?

    /// Creates an edit.
    ///
    /// - Parameters:
    ///   - extent: the part of the file that the edit replaces.
    ///   - replacement: the new content.
    ///   - position: the position at which the element begins.
    public init(_ extent: Extent, _ replacement: String, at position: SourcePosition?) {
        self.extent = extent
        self.replacement = replacement
        self.position = position
    }
}

/// Another location that a finding refers to.
public struct RelatedLocation: Hashable, Sendable {
    /// The path of the file as the caller gave it.
    public var file: String
    /// The position in the file, if known.
    public var position: SourcePosition?
    /// What is at the location, in one clause.
    public var message: String

    /// Creates a location.
    ///
    /// - Parameters:
    ///   - file: the path of the file.
    ///   - position: the position in the file.
    ///   - message: what is at the location, in one clause.
    public init(file: String, position: SourcePosition? = nil, message: String) {
        self.file = file
        self.position = position
        self.message = message
    }
}
