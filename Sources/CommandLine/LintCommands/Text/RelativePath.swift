import Foundation

/// Absolute and relative paths, computed from text without following links.
enum RelativePath {
    /// Returns the absolute path without `.`, `..` and repeated slashes.
    static func absolute(_ path: String, in folder: String = FileManager.default.currentDirectoryPath) -> String {
        let whole = path.hasPrefix("/") ? path : folder + "/" + path
        var parts: [Substring] = []
        for part in whole.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Returns the path relative to a folder, with `..` if it is outside the folder.
    static func from(_ folder: String, to path: String) -> String {
        let start = absolute(folder).split(separator: "/")
        let end = absolute(path).split(separator: "/")
        let common = zip(start, end).prefix { $0 == $1 }.count
        let parts = Array(repeating: "..", count: start.count - common) + end[common...].map(String.init)
        return parts.isEmpty ? "." : parts.joined(separator: "/")
    }
}
