/// What a caller gave the emulator and what would be right.
public struct EmulatorInputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A name for programs, `unknown-setting`.
    public let name: String
    /// The member, option or setting that is wrong, where one is.
    public let field: String?
    /// One sentence for a person: what is wrong and what would be right.
    public let message: String

    /// The sentence.
    public var description: String { message }

    init(_ name: String, field: String? = nil, _ message: String) {
        self.name = name
        self.field = field
        self.message = message
    }
}
