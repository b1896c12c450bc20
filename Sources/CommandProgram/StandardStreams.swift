import Foundation

/// Standard output for results, standard error for logs and progress.
package enum StandardStreams {
    /// Prints a result, with a line end if it has none.
    package static func output(_ text: String) {
        write(text, to: .standardOutput)
    }

    /// Prints a remark on the run, with a line end if it has none.
    package static func error(_ text: String) {
        write(text, to: .standardError)
    }

    private static func write(_ text: String, to handle: FileHandle) {
        // A reader that has gone away, as with `| head`, is no failure of ours.
        try? handle.write(contentsOf: Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
    }
}
