import AppConfiguration
import CommandSupport

/// The lines of a file with findings, for excerpts and for the places of fixes.
final class SourceText {
    private let bytes: [UInt8]
    /// Where each line begins.
    private let starts: [Int]
    /// The line that was asked for last: many findings can stand on one long line.
    private var last: (number: Int, scalars: [Unicode.Scalar])?

    /// Reads a text file; nil where there is none, as inside an archive, or when it is not UTF-8.
    convenience init?(path: String) {
        guard path != "-", let bytes = try? InputFile.read(path) else { return nil }
        self.init(bytes)
    }

    init?(_ bytes: [UInt8]) {
        guard !bytes.starts(with: "bplist".utf8), String(validating: bytes, as: UTF8.self) != nil else { return nil }
        self.bytes = bytes
        var starts = [0]
        for (index, byte) in bytes.enumerated() {
            // The line ends of the property list reader: LF, CR LF, or CR alone.
            let isReturn = byte == 0x0D && (index + 1 == bytes.count || bytes[index + 1] != 0x0A)
            if byte == 0x0A || isReturn { starts.append(index + 1) }
        }
        self.starts = starts
    }

    /// A line without its end, nil outside of the text.
    ///
    /// - Parameter number: from 1.
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

    /// Where an element of one line stands: columns from 0, ends excluded.
    struct Element: Equatable {
        var whole: Range<Int>
        /// The text between the tags; nil for an element without content.
        var text: Range<Int>?
    }

    /// The XML element that begins at a place; nil when it does not end on the same line or nothing begins there.
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
            // Only keys and strings end here; inside of a collection the first closing tag may be another's.
            if line[index] == "<" {
                guard line[index..<(index + closing.count)].elementsEqual(closing) else { return nil }
                return Element(whole: start..<(index + closing.count), text: (tagEnd + 1)..<index)
            }
            index += 1
        }
        return nil
    }
}
