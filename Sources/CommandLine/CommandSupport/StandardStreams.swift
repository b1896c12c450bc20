import ExternalPurchaseCore
import Foundation

/// Standard output for results, standard error for logs and progress.
///
/// What would steer a terminal is spelled out, since ids and files come from outside; the colours of ``TerminalStyle``
/// and line ends stay. The escapes are those of JSON, so JSON keeps its meaning.
package enum StandardStreams {
    /// Prints a result, with a line end if it has none.
    package static func output(_ text: String) {
        write(text.printableLines(keeping: outputCodes), to: .standardOutput)
    }

    /// Prints one line of a result: line ends in it are spelled out too, so that an id cannot add a line of its own.
    package static func output(line text: String) {
        write(text.printable, to: .standardOutput)
    }

    /// Prints a result byte for byte, for a form that another program reads, such as a diff.
    package static func output(exactly text: String) {
        write(text, to: .standardOutput)
    }

    /// Prints a remark on the run, with a line end if it has none.
    package static func error(_ text: String) {
        write(text.printableLines(), to: .standardError)
    }

    /// The colours that this process writes to its standard output.
    private static let outputCodes = TerminalStyle.standardOutput.codes

    /// Prints a long result as it comes, with a line end if it has none; nothing when there are no pieces.
    ///
    /// - Parameter pieces: hands over one piece of text after the other.
    package static func output(inPieces pieces: ((String) -> Void) -> Void) {
        var waiting: [UInt8] = []
        var last: UInt8?
        pieces { piece in
            waiting += piece.printableLines(keeping: outputCodes).utf8
            last = waiting.last ?? last
            if waiting.count >= 64 * 1024 {
                write(waiting, to: .standardOutput)
                waiting.removeAll(keepingCapacity: true)
            }
        }
        if last != nil, last != UInt8(ascii: "\n") { waiting.append(UInt8(ascii: "\n")) }
        if !waiting.isEmpty { write(waiting, to: .standardOutput) }
    }

    private static func write(_ text: String, to handle: FileHandle) {
        write(Array((text.hasSuffix("\n") ? text : text + "\n").utf8), to: handle)
    }

    private static func write(_ bytes: [UInt8], to handle: FileHandle) {
        // A reader that has gone away, as with `| head`, is no failure of ours.
        try? handle.write(contentsOf: Data(bytes))
    }
}
