import ExternalPurchaseCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a file is by its first bytes, so that a command replaces only what it could have written itself.
package enum FileKind: String, Hashable, Sendable {
    case database = "a SQLite database"
    case privateKey = "a private key"
    case secret = "a secret"
    case archive = "a tar archive"
    case binary = "a binary file"
    case text = "a text"

    /// The number of bytes that decide: the header of a tar archive.
    private static let length = 512

    /// Creates the kind of a content; nil without content.
    init?(of bytes: some Sequence<UInt8>) {
        let head = Array(bytes.prefix(Self.length))
        guard !head.isEmpty else { return nil }
        self =
            if head.starts(with: "SQLite format 3\0".utf8) {
                .database
            } else if head.dropFirst(257).starts(with: "ustar".utf8) {
                .archive
            } else if head.starts(with: "-----BEGIN ".utf8), String(decoding: head, as: UTF8.self).isPrivateKey {
                .privateKey
            } else if String(decoding: head, as: UTF8.self).isSecret {
                .secret
            } else if head.contains(0) {
                .binary
            } else {
                .text
            }
    }

    /// Creates the kind of the file at a path; nil for an empty one and where there is none.
    private init?(path: String) {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Self.length)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return nil }
        self.init(of: bytes.prefix(count))
    }

    /// Refuses to give a new file or folder the name of a secret.
    ///
    /// - Throws: ``CommandFailure``, exit code 2.
    package static func checkName(_ path: String) throws(CommandFailure) {
        guard path.mayBeSecretInsteadOfName, access(path, F_OK) != 0 else { return }
        throw .input("the name of the file to write may be a secret (not shown); give it another name, with an ending")
    }

    /// Refuses to replace a file of another kind, or what is no file, and to give a new file the name of a secret, which
    /// every listing of the folder would show.
    ///
    /// - Parameters:
    ///   - path: the file to write.
    ///   - kind: the kind of what is written.
    ///   - name: the path as a message has it, with the option that names it.
    /// - Throws: ``CommandFailure``, exit code 2.
    package static func check(replacing path: String, with kind: FileKind, name: String) throws(CommandFailure) {
        try checkName(path)
        guard access(path, F_OK) == 0 else { return }
        // A device, such as /dev/stdout, must not be replaced by a file.
        if let reason = NamedFile.refusal(path: path) { throw .input("\(name): cannot be written: \(reason)") }
        guard let existing = FileKind(path: path), existing != kind else { return }
        throw .input("\(name): is \(existing.rawValue), which would be lost; name another file")
    }
}

extension String {
    /// Whether the first line is a key and nothing else, as in the files that the configuration names.
    fileprivate var isSecret: Bool {
        let line = prefix { !$0.isNewline }.filter { $0 != " " }
        return line.utf8.count < 256 && line.hasSecretMark && !line.contains { ":<>{},;".contains($0) }
    }

    fileprivate var isPrivateKey: Bool { utf8.prefix { $0 != 0x0A }.contains("PRIVATE KEY".utf8) }
}
