/// The difference between two versions of a file, in a format for `patch -p1` and `git apply`.
///
/// Lines end with a line feed; a carriage return before it belongs to the line. Lines are compared within a window, so
/// that the time is proportional to the length of the texts. For texts with many differences the diff is correct but
/// may not be the shortest.
package enum UnifiedDiff {
    private static let context = 3
    private static let window = 64

    /// Describes the change of a file.
    ///
    /// - Parameters:
    ///   - original: the content before.
    ///   - changed: the content after.
    ///   - path: the path of the file; a leading `/` or `./` is omitted.
    /// - Returns: headers and hunks with three lines of context; empty when there is no difference.
    package static func describe(_ original: [UInt8], _ changed: [UInt8], path: String) -> [UInt8] {
        guard original != changed else { return [] }
        let old = original.lines
        let new = changed.lines
        var diff = Array("--- \(header("a", path))\n+++ \(header("b", path))\n".utf8)
        for hunk in hunks(differences(old, new)) {
            write(hunk, old, new, to: &diff)
        }
        return diff
    }

    /// A run of old lines that a run of new lines replaces.
    ///
    /// Either may be empty.
    private struct Difference {
        var old: Range<Int>
        var new: Range<Int>
    }

    private static func differences(_ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]) -> [Difference] {
        var differences: [Difference] = []
        var left = 0
        var right = 0
        while left < old.count || right < new.count {
            if left < old.count, right < new.count, old[left] == new[right] {
                left += 1
                right += 1
                continue
            }
            let (skippedOld, skippedNew) = resumption(old[left...], new[right...])
            let difference = Difference(old: left..<(left + skippedOld), new: right..<(right + skippedNew))
            if let last = differences.last, last.old.upperBound == left, last.new.upperBound == right {
                differences[differences.count - 1].old = last.old.lowerBound..<difference.old.upperBound
                differences[differences.count - 1].new = last.new.lowerBound..<difference.new.upperBound
            } else {
                differences.append(difference)
            }
            left = difference.old.upperBound
            right = difference.new.upperBound
        }
        return differences
    }

    /// The smallest numbers of lines to skip on both sides until they agree again within the window.
    private static func resumption(
        _ old: ArraySlice<ArraySlice<UInt8>>,
        _ new: ArraySlice<ArraySlice<UInt8>>
    ) -> (old: Int, new: Int) {
        for total in 1...window {
            for skippedNew in 0...total where skippedNew <= new.count && total - skippedNew <= old.count {
                let left = old.dropFirst(total - skippedNew)
                let right = new.dropFirst(skippedNew)
                // The ends of both texts count as agreement.
                if left.first == right.first { return (total - skippedNew, skippedNew) }
            }
        }
        return (min(window, old.count), min(window, new.count))
    }

    private static func hunks(_ differences: [Difference]) -> [[Difference]] {
        var hunks: [[Difference]] = []
        for difference in differences {
            if let last = hunks.last?.last, difference.old.lowerBound - last.old.upperBound <= 2 * context {
                hunks[hunks.count - 1].append(difference)
            } else {
                hunks.append([difference])
            }
        }
        return hunks
    }

    private static func write(
        _ hunk: [Difference],
        _ old: [ArraySlice<UInt8>],
        _ new: [ArraySlice<UInt8>],
        to diff: inout [UInt8]
    ) {
        guard let first = hunk.first, let last = hunk.last else { return }
        let before = min(context, first.old.lowerBound)
        let after = min(context, old.count - last.old.upperBound)
        let oldLines = (first.old.lowerBound - before)..<(last.old.upperBound + after)
        let newLines = (first.new.lowerBound - before)..<(last.new.upperBound + after)
        diff += "@@ -\(span(oldLines)) +\(span(newLines)) @@\n".utf8
        var index = oldLines.lowerBound
        for difference in hunk {
            for line in old[index..<difference.old.lowerBound] { write(" ", line, to: &diff) }
            for line in old[difference.old] { write("-", line, to: &diff) }
            for line in new[difference.new] { write("+", line, to: &diff) }
            index = difference.old.upperBound
        }
        for line in old[index..<oldLines.upperBound] { write(" ", line, to: &diff) }
    }

    /// The first line and the number of lines.
    ///
    /// An empty run has the number of the line before it.
    private static func span(_ lines: Range<Int>) -> String {
        "\(lines.isEmpty ? lines.lowerBound : lines.lowerBound + 1),\(lines.count)"
    }

    private static func write(_ sign: Unicode.Scalar, _ line: ArraySlice<UInt8>, to diff: inout [UInt8]) {
        diff.append(UInt8(ascii: sign))
        diff += line
        if line.last != 0x0A { diff += "\n\\ No newline at end of file\n".utf8 }
    }

    private static func header(_ side: String, _ path: String) -> String {
        var inner = Substring(path)
        while inner.hasPrefix("./") { inner = inner.dropFirst(2) }
        inner = inner.drop { $0 == "/" }
        let name = "\(side)/\(inner)"
        // Names are quoted as by git and patch. A name with blanks is followed by a tab.
        guard name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0x22 || $0 == 0x5C }) else {
            return name.contains(" ") ? name + "\t" : name
        }
        let quoted = name.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\u{0}"..<" ", "\u{7F}":
                "\\" + String(String(scalar.value + 0o1000, radix: 8).dropFirst())
            default: String(scalar)
            }
        }
        return "\"\(quoted.joined())\""
    }
}

extension [UInt8] {
    /// The lines including their line feeds.
    ///
    /// The last one may have none.
    fileprivate var lines: [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        while start < count {
            let end = self[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? count
            lines.append(self[start..<end])
            start = end
        }
        return lines
    }
}
