extension Sequence<String> {
    /// The name that somebody meant who wrote another, for "did you mean"; nil when none is near.
    ///
    /// Near are names that differ in case only, and those at most two slips away.
    package func nearest(to text: String) -> String? {
        let written = Array(text.lowercased().prefix(64))
        // A name of quite another length takes more slips than that.
        let candidates = filter { abs($0.count - written.count) <= 2 }
        let distances = candidates.map { (name: $0, distance: editDistance(written, Array($0.lowercased()))) }
        guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= Swift.min(2, written.count / 2) ? best.name : nil
    }
}

/// How many letters have to be inserted, removed, replaced or swapped with their neighbour.
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
