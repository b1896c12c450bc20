/// An error that ends a command with an exit code other than 0.
package struct CommandFailure: Error, Equatable {
    /// The exit code of the process.
    let exitCode: Int32
    /// One line for standard error, or a line for each problem; nil when standard output already contains everything.
    package let message: String?

    /// A failed check, exit code 1.
    package static func wrong(_ message: String?) -> Self { Self(exitCode: 1, message: message) }

    /// Wrong usage or unreadable input, exit code 2; the message names the file or argument, the problem and its
    /// remedy.
    package static func input(_ message: String) -> Self { Self(exitCode: 2, message: message) }

    /// The same failure, whose message first names a place.
    package func prefixed(by place: String) -> Self {
        Self(exitCode: exitCode, message: message.map { "\(place): \($0)" } ?? place)
    }

    /// A failure of the remote server, exit code 3.
    package static func otherSide(_ message: String) -> Self { Self(exitCode: 3, message: message) }
}
