/// A path inside a file tree, with `/` between names; the tree's root is the empty path.
///
/// Paths compare by their bytes: a folder may hold two names that Unicode takes for the same text.
package struct TreePath: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The names with `/` between them.
    package let text: String

    /// The root of a tree.
    package static let root = TreePath("")

    /// A path as it is, without a check.
    ///
    /// - Parameter text: names with `/` between them, none of them `.` or `..`.
    package init(_ text: String) {
        self.text = text
    }

    /// Removes `.` and empty names and applies `..`; nil when the path is absolute or leaves the tree.
    ///
    /// - Parameter text: a relative path, as a project writes it.
    package init?(normalizing text: String) {
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

    /// The path of something in this folder.
    package func appending(_ name: String) -> TreePath {
        text.isEmpty ? TreePath(name) : TreePath("\(text)/\(name)")
    }

    /// The folder that holds it; the root for a name at the top and for the root.
    package var folder: TreePath {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return .root }
        return TreePath(String(text[..<slash]))
    }

    /// The last name.
    package var name: String {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text }
        return String(text[text.utf8.index(after: slash)...])
    }

    /// What follows the last point of the name, in lower case; empty when there is none.
    package var fileExtension: String { FileName(name).fileExtension }

    /// The path itself.
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

/// What the name of a file says about its content.
struct FileName {
    let name: String

    init(_ name: String) {
        self.name = name
    }

    /// What follows the last point, in lower case; empty when there is none.
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

    /// What files of one app have in common, in lower case: `shop` for `Shop-Info.plist`, `ShopInfo.plist`,
    /// `Shop.entitlements`, `Shop-Release.entitlements` and `ShopDebug.entitlements`; empty for `Info.plist`.
    var stem: String {
        var stem = base.lowercased()
        for ending in isInfoPlist ? ["info"] : ["debug", "release"] where stem.hasSuffix(ending) {
            stem.removeLast(ending.count)
        }
        while let last = stem.last, "-_. ".contains(last) { stem.removeLast() }
        return stem
    }
}
