import ExternalPurchaseCore

/// Normalises the path of an entry in a zip archive.
enum ZipPath {
    /// Longer paths are impossible on Apple's systems, where PATH_MAX is 1024.
    static let maximumLength = 1024

    /// A path with components joined by `/`, or the reason why it is refused.
    enum Reading {
        case path(String, endsInSlash: Bool)
        case refused(String)
    }

    /// Removes empty and `.` components, and refuses paths that lead outside the folder they are extracted to.
    ///
    /// This reader extracts nothing to disk. Such an archive is refused because it is dangerous for programs that do.
    static func read(_ name: some Collection<UInt8>) -> Reading {
        guard !name.isEmpty else { return .refused("an entry has no name") }
        guard name.count <= maximumLength else {
            return .refused("an entry has a path of more than \(maximumLength) bytes")
        }
        guard !name.contains(0) else { return .refused("the path of an entry contains a NUL") }
        guard !name.contains(UInt8(ascii: "\\")) else { return .refused("the path of an entry contains a backslash") }
        guard name.first != UInt8(ascii: "/") else { return .refused("the path of an entry is absolute") }
        let text = text(name)
        guard text.isStreamSafe else { return .refused("the path of an entry \(StreamSafeText.refusal)") }
        let components = text.unicodeScalars.split(separator: "/").filter { !$0.elementsEqual(["."]) }
        guard !components.contains(where: { $0.elementsEqual([".", "."]) }) else {
            return .refused("the path of an entry leaves the archive with `..`")
        }
        return .path(
            components.map { String($0) }.joined(separator: "/"),
            endsInSlash: text.unicodeScalars.last == "/"
        )
    }

    /// Decodes UTF-8 even without the flag for it, because Apple's tools do not set the flag; otherwise one character
    /// per byte, so that different names stay different.
    private static func text(_ name: some Collection<UInt8>) -> String {
        if let text = String(validating: name, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: name.map { Unicode.Scalar($0) })
        return String(text)
    }
}
