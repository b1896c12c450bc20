/// What a caller gave the emulator and what would be right.
public struct EmulatorInputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A name for programs, `unknown-setting`.
    public let name: String
    /// The member, option or setting that is wrong, where one is.
    public let field: String?
    /// One sentence for a person: what is wrong and what would be right.
    public let message: String
    let kind: Kind

    /// What a control path answers with; the statuses are chosen in `EndpointResponses.swift`.
    enum Kind: Hashable, Sendable {
        /// A member's value cannot be taken.
        case invalid
        /// The value contradicts what is on record.
        case conflict
        /// The body is no JSON object.
        case unreadable
        case tooLarge
        case wrongContentType
        /// The request may come from a web page.
        case foreign
        case unknownPath
        /// The state file cannot be written.
        case notStored
        /// The emulator stops before the request is carried out.
        case stopping
        case wrongMethod(allowed: [String])
    }

    /// The sentence.
    public var description: String { message }

    init(_ name: String, field: String? = nil, kind: Kind = .invalid, _ message: String) {
        self.name = name
        self.field = field.map(Self.short)
        self.kind = kind
        self.message = Self.short(message)
    }

    /// The start of a text that repeats a caller's long name or value.
    private static func short(_ text: String) -> String {
        text.utf8.count <= 2_000 ? text : text.prefix(1_000) + "…"
    }
}
