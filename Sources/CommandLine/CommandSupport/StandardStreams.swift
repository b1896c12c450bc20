import ExternalPurchaseCore
import Foundation

/// Writes results to standard output, and logs and progress to standard error.
///
/// Control characters are escaped, because ids and files come from outside; the colours of ``TerminalStyle`` and line
/// breaks are kept. The escapes are those of JSON, so that JSON output keeps its meaning.
package enum StandardStreams {
    /// Prints a result, with a line break if it has none.
    package static func output(_ text: String) {
        write(text.printableLines(keeping: outputCodes), to: .standardOutput)
    }

    /// Prints one line of a result; line breaks in it are escaped too, so that an id cannot add a line.
    package static func output(line text: String) {
        write(text.printable, to: .standardOutput)
    }

    /// Prints a result unchanged, for formats that another program reads, such as a diff.
    package static func output(exactly text: String) {
        write(text, to: .standardOutput)
    }

    /// Prints a message to standard error, with a line break if it has none.
    package static func error(_ text: String) {
        write(text.printableLines(), to: .standardError)
    }

    /// The colour codes that this process writes to its standard output.
    private static let outputCodes = TerminalStyle.standardOutput.codes

    /// Prints a long result in pieces, with a final line break if it has none; prints nothing without pieces.
    ///
    /// - Parameter pieces: produces the text; it calls the closure that it receives once for each piece, in order.
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
        // It is not an error if the reader has closed the pipe, as `head` does.
        try? handle.write(contentsOf: Data(bytes))
    }
}
