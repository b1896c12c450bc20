/// Invalid input to the emulator, with a remedy.
public struct EmulatorInputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name for programs, such as `unknown-setting`.
    public let name: String
    /// The member, option or setting that is wrong, if there is one.
    public let field: String?
    /// One sentence for people: what is wrong and how to correct it.
    public let message: String
    let kind: Kind

    /// The kind of response of a control path.
    ///
    /// `EndpointResponses.swift` chooses the status.
    enum Kind: Hashable, Sendable {
        /// The value of a member is invalid.
        case invalid
        /// The value contradicts the current state.
        case conflict
        /// The body is not a JSON object.
        case unreadable
        case tooLarge
        case wrongContentType
        /// The request may come from a web page.
        case foreign
        case unknownPath
        /// The state file cannot be written.
        case notStored
        /// The emulator stops before the request is processed.
        case stopping
        case wrongMethod(allowed: [String])
    }

    /// The message.
    public var description: String { message }

    init(_ name: String, field: String? = nil, kind: Kind = .invalid, _ message: String) {
        self.name = name
        self.field = field.map(Self.short)
        self.kind = kind
        self.message = Self.short(message)
    }

    /// Shortens a name or value from a request, so that a message stays short.
    private static func short(_ text: String) -> String {
        text.utf8.count <= 2_000 ? text : text.prefix(1_000) + "…"
    }
}
