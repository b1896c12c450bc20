/// A pattern of excluded paths and everything below them; `*` is any part of a name, `**` any number of folders.
struct PathPattern: Equatable {
    private let parts: [[Character]]

    /// - Parameters:
    ///   - text: the pattern as written in the settings.
    ///   - folder: the folder to which it is relative.
    init(_ text: String, in folder: String) {
        parts = RelativePath.absolute(text, in: RelativePath.absolute(folder)).split(separator: "/").map(Array.init)
    }

    func matches(_ path: String) -> Bool {
        let names = RelativePath.absolute(path).split(separator: "/").map(Array.init)
        // The lengths of all prefixes of `names` that match the processed parts.
        var lengths: Set<Int> = [0]
        for part in parts {
            if part == ["*", "*"] {
                guard let least = lengths.min() else { return false }
                lengths = Set(least...names.count)
            } else {
                lengths = Set(
                    lengths.filter { $0 < names.count && Self.matches(names[$0], part) }.map { $0 + 1 }
                )
            }
            if lengths.isEmpty { return false }
        }
        return true
    }

    /// Whether a name matches a pattern with stars, in time at most proportional to the product of their lengths.
    private static func matches(_ name: [Character], _ pattern: [Character]) -> Bool {
        var (at, place) = (0, 0)
        var star: (pattern: Int, name: Int)?
        while at < name.count {
            if place < pattern.count, pattern[place] == "*" {
                star = (place, at)
                place += 1
            } else if place < pattern.count, pattern[place] == name[at] {
                at += 1
                place += 1
            } else if let last = star {
                star = (last.pattern, last.name + 1)
                at = last.name + 1
                place = last.pattern + 1
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == "*" }
    }
}
