extension Sequence<String> {
    /// Returns the name nearest to a misspelled one, for a "did you mean" message; nil when none is near.
    ///
    /// A name is near when it differs only in case, or by at most two edits.
    package func nearest(to text: String) -> String? {
        let written = Array(text.lowercased().prefix(64))
        // A difference in length above 2 needs more than two edits.
        let candidates = filter { abs($0.count - written.count) <= 2 }
        let distances = candidates.map { (name: $0, distance: editDistance(written, Array($0.lowercased()))) }
        guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= Swift.min(2, written.count / 2) ? best.name : nil
    }
}

/// The number of insertions, removals, replacements and swaps of neighbouring letters between two texts.
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var rows = [Array(0...right.count)]
    for (i, letter) in left.enumerated() {
        var row = [i + 1]
        for (j, other) in right.enumerated() {
            var distance = Swift.min(rows[i][j] + (letter == other ? 0 : 1), row[j] + 1, rows[i][j + 1] + 1)
            if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other {
                distance = Swift.min(distance, rows[i - 1][j - 1] + 1)
            }
            row.append(distance)
        }
        rows.append(row)
    }
    return rows[left.count][right.count]
}
