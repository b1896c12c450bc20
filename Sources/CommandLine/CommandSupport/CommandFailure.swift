/// Why a command ends with another code than 0.
package struct CommandFailure: Error, Equatable {
    /// The exit code of the process.
    package let exitCode: Int32
    /// One line for standard error, or a list with a line for each thing that is wrong; nil when everything was said on standard output.
    package let message: String?

    /// Done, and what was checked is wrong.
    package static func wrong(_ message: String?) -> Self { Self(exitCode: 1, message: message) }

    /// Wrong usage or unreadable input; the message names the file or argument, what is wrong and what would be right.
    package static func input(_ message: String) -> Self { Self(exitCode: 2, message: message) }

    /// The other side failed.
    package static func otherSide(_ message: String) -> Self { Self(exitCode: 3, message: message) }
}
