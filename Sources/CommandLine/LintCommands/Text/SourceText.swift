import AppConfiguration
import CommandSupport

/// The lines of a file with findings, for excerpts and for the locations of fixes.
final class SourceText {
    private let bytes: [UInt8]
    /// The byte offset of each line.
    private let starts: [Int]
    /// The most recently used line, because one long line can have many findings.
    private var last: (number: Int, scalars: [Unicode.Scalar])?

    /// Reads a text file; returns nil if it cannot be read, as inside an archive, or is not UTF-8.
    convenience init?(path: String) {
        guard path != "-", let bytes = try? InputFile.read(path) else { return nil }
        self.init(bytes)
    }

    init?(_ bytes: [UInt8]) {
        guard !bytes.starts(with: "bplist".utf8), String(validating: bytes, as: UTF8.self) != nil else { return nil }
        self.bytes = bytes
        var starts = [0]
        for (index, byte) in bytes.enumerated() {
            // The line breaks of the property list reader: LF, CR LF, or CR alone.
            let isReturn = byte == 0x0D && (index + 1 == bytes.count || bytes[index + 1] != 0x0A)
            if byte == 0x0A || isReturn { starts.append(index + 1) }
        }
        self.starts = starts
    }

    /// Returns a line without its line break; nil outside of the text.
    ///
    /// - Parameter number: the line number, from 1.
    func line(_ number: Int) -> [Unicode.Scalar]? {
        guard number >= 1, number <= starts.count else { return nil }
        if let last, last.number == number { return last.scalars }
        let end = number < starts.count ? starts[number] : bytes.count
        var line = bytes[starts[number - 1]..<end]
        while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
        let scalars = Array(String(decoding: line, as: UTF8.self).unicodeScalars)
        last = (number, scalars)
        return scalars
    }

    /// The columns of an element on one line, from 0 and excluding the end.
    struct Element: Equatable {
        var whole: Range<Int>
        /// The text between the tags; nil for an element without content.
        var text: Range<Int>?
    }

    /// The XML element at a position; nil if none begins there or it does not end on the same line.
    func element(at position: SourcePosition) -> Element? {
        line(position.line).flatMap { Self.element(in: $0, at: position.column - 1) }
    }

    static func element(in line: [Unicode.Scalar], at start: Int) -> Element? {
        guard start >= 0, start < line.count, line[start] == "<",
            let tagEnd = line[start...].firstIndex(of: ">")
        else { return nil }
        if line[tagEnd - 1] == "/" { return Element(whole: start..<(tagEnd + 1), text: nil) }
        let name = line[(start + 1)..<tagEnd].prefix { $0 != " " && $0 != "\t" }
        let closing: [Unicode.Scalar] = ["<", "/"] + name + [">"]
        var index = tagEnd + 1
        while index + closing.count <= line.count {
            // Only keys and strings can end here, because the first closing tag in a collection may belong to another
            // element.
            if line[index] == "<" {
                guard line[index..<(index + closing.count)].elementsEqual(closing) else { return nil }
                return Element(whole: start..<(index + closing.count), text: (tagEnd + 1)..<index)
            }
            index += 1
        }
        return nil
    }
}
