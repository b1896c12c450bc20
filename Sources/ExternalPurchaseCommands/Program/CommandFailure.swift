/// Why a command ends with another code than 0.
struct CommandFailure: Error, Equatable {
    let exitCode: Int32
    /// One line for standard error; nil when everything was said on standard output.
    let message: String?

    /// Done, and what was checked is wrong.
    static func wrong(_ message: String?) -> Self { Self(exitCode: 1, message: message) }

    /// Wrong usage or unreadable input; the message names the file or argument, what is wrong and what would be right.
    static func input(_ message: String) -> Self { Self(exitCode: 2, message: message) }

    /// The other side failed.
    static func otherSide(_ message: String) -> Self { Self(exitCode: 3, message: message) }
}
