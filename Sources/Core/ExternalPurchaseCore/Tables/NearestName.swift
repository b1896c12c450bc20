extension Sequence<String> {
    /// Returns the name nearest to a misspelled one, for a "did you mean" message; nil when none is near.
    ///
    /// A name is near when it differs only in case, or by at most two edits: insertions, removals, replacements and
    /// swaps of neighbouring letters. The cost is proportional to the lengths of the names.
    package func nearest(to text: String) -> String? {
        // Names are short and of ASCII. A text that is much longer than all of them is near none.
        let written = Array(text.utf8.prefix(StreamSafeText.nameBytes * 2).map(\.lowercasedASCII))
        let limit = Swift.min(2, written.count / 2)
        var best: (name: String, distance: Int)?
        for name in self where abs(name.utf8.count - written.count) <= limit {
            let atMost = best.map { $0.distance - 1 } ?? limit
            guard atMost >= 0 else { break }
            if let distance = editDistance(written, name.utf8.map(\.lowercasedASCII), atMost: atMost) {
                best = (name, distance)
            }
        }
        return best?.name
    }
}

/// The number of edits between two texts; nil if it is larger than `limit`.
///
/// Only the cells near the diagonal are computed: others stand for more edits than `limit`.
private func editDistance(_ left: [UInt8], _ right: [UInt8], atMost limit: Int) -> Int? {
    guard abs(left.count - right.count) <= limit else { return nil }
    let beyond = limit + 1
    var before: [Int] = []
    var row = (0...right.count).map { Swift.min($0, beyond) }
    for i in 1..<(left.count + 1) {
        var next = [Int](repeating: beyond, count: right.count + 1)
        if i <= limit { next[0] = i }
        let columns = Swift.max(1, i - limit)..<(Swift.min(right.count, i + limit) + 1)
        for j in columns {
            var distance = Swift.min(
                row[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1),
                next[j - 1] + 1,
                row[j] + 1
            )
            if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                distance = Swift.min(distance, before[j - 2] + 1)
            }
            next[j] = Swift.min(distance, beyond)
        }
        before = row
        row = next
    }
    return row[right.count] <= limit ? row[right.count] : nil
}

extension UInt8 {
    fileprivate var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self + 0x20 : self
    }
}
