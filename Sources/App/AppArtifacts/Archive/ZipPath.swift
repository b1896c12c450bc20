/// The path of an entry as a zip archive has it, brought into one form.
enum ZipPath {
    /// Longer paths cannot exist on Apple's systems, where PATH_MAX is 1024.
    static let maximumLength = 1024

    /// A path whose components are joined by `/`, or the reason to refuse it.
    enum Reading {
        case path(String, endsInSlash: Bool)
        case refused(String)
    }

    /// Drops empty and `.` components, and refuses paths that could lead out of the folder they are unpacked to.
    ///
    /// This reader unpacks nothing to disk; such an archive is refused because it endangers the programs that do.
    static func read(_ name: some Collection<UInt8>) -> Reading {
        guard !name.isEmpty else { return .refused("an entry has no name") }
        guard name.count <= maximumLength else {
            return .refused("an entry has a path of more than \(maximumLength) bytes")
        }
        guard !name.contains(0) else { return .refused("the path of an entry holds a NUL") }
        guard !name.contains(UInt8(ascii: "\\")) else { return .refused("the path of an entry holds a backslash") }
        guard name.first != UInt8(ascii: "/") else { return .refused("the path of an entry is absolute") }
        let text = text(name)
        let components = text.unicodeScalars.split(separator: "/").filter { !$0.elementsEqual(["."]) }
        guard !components.contains(where: { $0.elementsEqual([".", "."]) }) else {
            return .refused("the path of an entry leads out of the archive by `..`")
        }
        return .path(
            components.map { String($0) }.joined(separator: "/"),
            endsInSlash: text.unicodeScalars.last == "/"
        )
    }

    /// UTF-8, marked as such or not, since Apple's tools write it without the mark; else one character per byte, so
    /// that different names stay different.
    private static func text(_ name: some Collection<UInt8>) -> String {
        if let text = String(validating: name, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: name.map { Unicode.Scalar($0) })
        return String(text)
    }
}
