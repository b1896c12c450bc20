import ExternalPurchaseCore

/// Reads files that hold a secret: a key, a signing secret, a password.
///
/// A secret is text. Bytes that are no UTF-8 would all become the same replacement character, so that anybody could
/// compute what is signed with them. A byte order mark at its start is no part of it.
package enum SecretFile {
    /// The least number of characters of a secret that signs.
    package static let leastLength = 16

    /// Reads the text of a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - warn: receives the warning that others than its owner may read it.
    /// - Throws: ``CommandFailure`` for a file that cannot be read, and for one that is no plain text.
    package static func text(
        of path: String,
        warn: (String) -> Void = StandardStreams.error
    ) throws(CommandFailure) -> String {
        let bytes = try PrivateFile.read(path, warn: warn)
        let shown = NamedFile.shown(secretFile: path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .input(
                "\(shown): is no text in UTF-8; random bytes are no secret as they are, but as text, such as "
                    + "`openssl rand -hex 32` prints"
            )
        }
        if let scalar = text.unicodeScalars.first(where: isNoPartOfText) {
            let digits = String(scalar.value, radix: 16, uppercase: true)
            let code = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            throw .input(
                "\(shown): has the character U+\(code), which is no part of a secret; store "
                    + "the secret as plain text"
            )
        }
        return text
    }

    /// Reads the lines of a file that are not empty, without the spaces and tabs around them.
    ///
    /// - Throws: ``CommandFailure`` as ``text(of:warn:)``.
    package static func lines(
        of path: String,
        warn: (String) -> Void = StandardStreams.error
    ) throws(CommandFailure) -> [String] {
        let isPadding = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
        return try text(of: path, warn: warn).unicodeScalars.split { $0 == "\n" || $0 == "\r" }.compactMap { line in
            let rest = line.drop(while: isPadding)
            return rest.lastIndex { !isPadding($0) }.map { String(rest[...$0]) }
        }
    }

    /// Whether a scalar is invisible, or stands for bytes that another program could not read.
    private static func isNoPartOfText(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\n", "\r", "\t": false
        case "\u{FEFF}", "\u{FFFD}", "\u{200B}"..."\u{200D}", "\u{2060}": true
        default: scalar.isControlOrDirection
        }
    }
}
