import Foundation

/// Standard output for results, standard error for logs and progress.
enum StandardStreams {
    static func output(_ text: String) {
        write(text, to: .standardOutput)
    }

    static func error(_ text: String) {
        write(text, to: .standardError)
    }

    private static func write(_ text: String, to handle: FileHandle) {
        // A reader that has gone away, as with `| head`, is no failure of ours.
        try? handle.write(contentsOf: Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
    }
}
