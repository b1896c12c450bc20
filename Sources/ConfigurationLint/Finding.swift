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
    /// The replacement, where a fix cannot alter meaning.
    public var fix: String?

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
    ///   - fix: the replacement.
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
        fix: String? = nil
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
        self.fix = fix
    }
}
