/// A path in a file tree, with names separated by `/`.
///
/// The root is the empty path.
///
/// Paths are compared by their bytes, because a folder may contain two names that are canonically equivalent.
package struct TreePath: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The names separated by `/`.
    let text: String

    /// The root of a tree.
    static let root = TreePath("")

    /// Creates a path without validation.
    ///
    /// - Parameter text: names separated by `/`, none of them `.` or `..`.
    init(_ text: String) {
        self.text = text
    }

    /// Creates a path by removing `.` and empty names and resolving `..`; nil when the path is absolute or leaves the
    /// tree.
    ///
    /// - Parameter text: a relative path, as written in a project.
    init?(normalizing text: String) {
        guard !text.hasPrefix("/") else { return nil }
        var names: [Substring] = []
        for name in text.split(separator: "/") where name != "." {
            if name == ".." {
                guard names.popLast() != nil else { return nil }
            } else {
                names.append(name)
            }
        }
        self.text = names.joined(separator: "/")
    }

    /// Returns the path of an item in this folder.
    func appending(_ name: String) -> TreePath {
        text.isEmpty ? TreePath(name) : TreePath("\(text)/\(name)")
    }

    /// The parent folder; the root for a name at the top and for the root.
    var folder: TreePath {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return .root }
        return TreePath(String(text[..<slash]))
    }

    /// The last name.
    var name: String {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text }
        return String(text[text.utf8.index(after: slash)...])
    }

    /// The text after the last point of the name in lower case; empty when there is none.
    var fileExtension: String { FileName(name).fileExtension }

    /// The path.
    package var description: String { text }

    /// Compares byte for byte.
    package static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    /// Orders byte by byte.
    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(text.utf8.count)
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

/// Information from the name of a file about its content.
struct FileName {
    let name: String

    init(_ name: String) {
        self.name = name
    }

    /// The text after the last point in lower case; empty when there is none.
    var fileExtension: String {
        guard let point = name.utf8.lastIndex(of: UInt8(ascii: ".")), point != name.utf8.startIndex else { return "" }
        return name[name.utf8.index(after: point)...].lowercased()
    }

    /// The name without extension.
    var base: String {
        guard let point = name.utf8.lastIndex(of: UInt8(ascii: ".")), point != name.utf8.startIndex else { return name }
        return String(name[..<point])
    }

    /// True for `Info.plist`, `Shop-Info.plist`, `ShopInfo.plist`.
    var isInfoPlist: Bool {
        fileExtension == "plist" && base.lowercased().hasSuffix("info")
    }

    /// The common stem of an app's files in lower case.
    ///
    /// It is `shop` for `Shop-Info.plist`, `ShopInfo.plist`, `Shop.entitlements`, `Shop-Release.entitlements` and
    /// `ShopDebug.entitlements`, and empty for `Info.plist`.
    var stem: String {
        var stem = base.lowercased()
        for ending in isInfoPlist ? ["info"] : ["debug", "release"] where stem.hasSuffix(ending) {
            stem.removeLast(ending.count)
        }
        while let last = stem.last, "-_. ".contains(last) { stem.removeLast() }
        return stem
    }
}
