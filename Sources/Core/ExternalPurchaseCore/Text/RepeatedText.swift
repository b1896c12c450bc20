// How messages repeat a text from outside. Every message uses one of these forms, so that none is longer than what the
// sender may expect, and none shows a secret that somebody pasted in the wrong place.

extension StringProtocol {
    /// The first bytes of a text for a message, in whole Unicode scalars, with `…` if there are more.
    ///
    /// - Parameter bytes: the largest number of bytes before `…`.
    package func clipped(to bytes: Int = StreamSafeText.nameBytes) -> String {
        guard utf8.count > bytes else { return String(self) }
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars {
            count += UTF8.width(scalar)
            if count > bytes { break }
            result.append(scalar)
        }
        return String(result) + "…"
    }

    /// The clipped text in the quotes of JSON, for a message about a value that is no secret.
    package var quoted: String { JSONValue.string(clipped()).formatted().printable }

    /// The clipped text in quotes for a message about a value of a configuration, an option or a setting; words in its
    /// place if it may be a secret.
    ///
    /// - Parameter quote: the quotation mark.
    package func shown(in quote: String = "'") -> String {
        if let address = addressWithoutSecrets { return quote + address.clipped().printable + quote }
        return mayBeSecret
            ? "a value (not shown, because it may be a secret)" : quote + clipped().printable + quote
    }

    /// True for a text that may be a key, a password or a token: it has the mark of one, or a long word of letters and
    /// digits, or is a sentence.
    ///
    /// Names of settings, identifiers of apps, times, numbers, addresses of networks and UUIDs are none. A short password
    /// cannot be told from a name.
    package var mayBeSecret: Bool {
        if utf8.count > StreamSafeText.nameBytes || !SecretMark.all.allSatisfy({ !contains(bytes: $0.utf8) }) {
            return true
        }
        if let at = utf8.firstIndex(of: UInt8(ascii: "@")), utf8[..<at].contains(UInt8(ascii: ":")) { return true }
        if utf8.count > 20, utf8.contains(where: { $0 == 0x20 || $0 == 0x0A }) { return true }
        if utf8.count == 36, utf8.allSatisfy({ $0.isHexDigit || $0 == UInt8(ascii: "-") }) { return false }
        return utf8.split { !$0.isASCIILetter && !$0.isDigit }.contains { word in
            let digits = word.count(where: \.isDigit)
            return digits == 0 ? word.count > 32 : word.count > (digits == word.count ? 20 : 12)
        }
    }

    /// True for a text with the beginning of a key that names its kind, such as `epk_` or `whsec_`.
    package var hasSecretMark: Bool { SecretMark.prefixes.contains { contains(bytes: $0.utf8) } }

    /// An `http` or `postgres` address without the name and password before its host and without its query; nil for other
    /// texts.
    package var addressWithoutSecrets: String? {
        guard utf8.count <= 4_096, let mark = firstOffset(of: "://".utf8), mark > 0,
            utf8.prefix(mark).allSatisfy(\.isASCIILetter)
        else { return nil }
        let bytes = Array(utf8)
        let scheme = bytes[..<(mark + 3)]
        let query = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
        var rest = bytes[(mark + 3)..<Swift.max(query, mark + 3)]
        var sign: [UInt8] = []
        // In an invalid address the password may contain a slash.
        if let at = rest.lastIndex(of: UInt8(ascii: "@")) { (rest, sign) = (rest[at...], Array("…".utf8)) }
        let end = query == bytes.endIndex ? "" : "?…"
        return String(decoding: scheme + sign + rest, as: UTF8.self) + end
    }

    /// The text with `…` in place of what is certainly a secret: keys of Stripe, of this product and of well-known
    /// services, JWTs, names with passwords in addresses, and `password=` with its value.
    ///
    /// For complete messages, whose other words stay as they are.
    package var withoutSecrets: String {
        let bytes = Array(utf8)
        guard
            bytes.contains(where: { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "@") })
                || ["eyJ", "xox", "AKIA", "MIG"].contains(where: { firstOffset(of: $0.utf8) != nil })
        else { return String(self) }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard let (kept, end) = SecretMark.secret(in: bytes, at: index) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            result += bytes[index..<kept] + Array("…".utf8)
            index = end
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// True for an argument that may be a key, a password or a token, pasted where a file or a record is named.
    ///
    /// Unlike ``mayBeSecret`` it lets names pass as people give them to files: a path that begins with `/`, `./`, `../` or
    /// `~/`, a name with an ending such as `.sqlite`, a path of plain words; and the ids of Stripe's objects. Base64 may
    /// contain a slash.
    package var mayBeSecretInsteadOfName: Bool {
        if !withoutSecrets.hasSameScalars(as: self) { return true }
        let bytes = Array(utf8)
        guard bytes.count >= Self.leastSecret, addressWithoutSecrets == nil else { return false }
        if ["/", "./", "../", "~/"].contains(where: { bytes.starts(with: $0.utf8) }) { return false }
        let parts = bytes.split(separator: UInt8(ascii: "/"))
        if let name = parts.last, let point = name.lastIndex(of: UInt8(ascii: ".")), point > name.startIndex {
            let ending = name[(point + 1)...]
            if (1...8).contains(ending.count), ending.allSatisfy({ $0.isASCIILetter || $0.isDigit }) { return false }
        }
        if bytes.contains(where: { $0 == 0x20 || $0 == 0x0A }) { return parts.count == 1 }
        if parts.count > 1 {
            return bytes.count >= 40
                && bytes.allSatisfy { $0.isASCIILetter || $0.isDigit || "+/=".utf8.contains($0) }
                && parts.contains(where: Self.isRandom)
        }
        if SecretMark.ids.contains(where: { bytes.starts(with: $0.utf8) }), firstOffset(of: "_secret_".utf8) == nil {
            return false
        }
        if bytes.count == 36, bytes.allSatisfy({ $0.isHexDigit || $0 == UInt8(ascii: "-") }) { return false }
        return bytes.split { !$0.isASCIILetter && !$0.isDigit }.contains { word in
            let digits = word.count(where: \.isDigit)
            return word.count > (digits == 0 ? 32 : digits == word.count ? 20 : Self.leastSecret - 1)
        }
    }

    /// The least number of bytes of a secret that is told by its form alone.
    private static var leastSecret: Int { 20 }

    private static func isRandom(_ word: ArraySlice<UInt8>) -> Bool {
        word.count >= leastSecret && word.contains(where: \.isDigit)
            && word.contains { (0x41...0x5A).contains($0) } && word.contains { (0x61...0x7A).contains($0) }
    }

    private func contains(bytes: String.UTF8View) -> Bool { firstOffset(of: bytes) != nil }

    /// The number of bytes before the first occurrence of a short text; nil without one.
    private func firstOffset(of text: String.UTF8View) -> Int? {
        var rest = Substring(self).utf8[...]
        var offset = 0
        while !rest.isEmpty {
            if rest.starts(with: text) { return offset }
            rest = rest.dropFirst()
            offset += 1
        }
        return nil
    }
}

/// The marks of keys and passwords.
private enum SecretMark {
    /// The beginnings of keys that name their kind: Stripe's, this product's, and those of well-known services.
    static let prefixes = [
        "whsec_", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "epk_", "ghp_", "github_pat_", "xoxb-", "xoxp-",
        "AKIA",
        // The private key of an elliptic curve, PKCS #8 in DER and Base64, without its PEM line.
        "MIGHAgEA", "MIGTAgEA",
    ]
    /// The beginnings of ids of Stripe's objects, which are no secrets.
    static let ids = [
        "ch_", "cs_", "cus_", "evt_", "il_", "in_", "li_", "pi_", "price_", "prod_", "py_", "re_", "sub_", "txn_",
    ]
    static let passwords = ["password=", "passwd=", "secret=", "sslpassword="]
    static let all = prefixes + passwords + ["-----BEGIN", "eyJ", "MIG", "MII", "Bearer "]

    /// The secret that begins at an index: the end of its mark, which is kept, and its own end.
    static func secret(in bytes: [UInt8], at index: Int) -> (kept: Int, end: Int)? {
        let rest = bytes[index...]
        let isStart = index == 0 || !isWordByte(bytes[index - 1])
        if isStart, let prefix = prefixes.first(where: { rest.starts(with: $0.utf8) }) {
            let kept = index + prefix.utf8.count
            let end = end(of: bytes, from: kept) { isWordByte($0) || "+/=-".utf8.contains($0) }
            // The mark alone is a word of a message, such as `one begins with whsec_`.
            return end - kept >= 8 ? (kept, end) : nil
        }
        if let password = passwords.first(where: { rest.starts(with: $0.utf8) }) {
            let kept = index + password.utf8.count
            let end = end(of: bytes, from: kept) { $0 > 0x20 && $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "'") }
            return end > kept ? (kept, end) : nil
        }
        if isStart, rest.starts(with: "eyJ".utf8) {
            let end = end(of: bytes, from: index) { isWordByte($0) || $0 == UInt8(ascii: "-") || $0 == 0x2E }
            return bytes[index..<end].count(where: { $0 == 0x2E }) == 2 ? (index, end) : nil
        }
        if rest.starts(with: "://".utf8) {
            let end = end(of: bytes, from: index + 3) { $0 > 0x20 && !"?#'\"".utf8.contains($0) }
            // A name alone is no secret.
            guard let at = bytes[(index + 3)..<end].lastIndex(of: UInt8(ascii: "@")),
                bytes[(index + 3)..<at].contains(UInt8(ascii: ":"))
            else { return nil }
            return (index + 3, at)
        }
        return nil
    }

    private static func end(of bytes: [UInt8], from start: Int, while isPart: (UInt8) -> Bool) -> Int {
        bytes[start...].firstIndex { !isPart($0) } ?? bytes.endIndex
    }

    private static func isWordByte(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte.isDigit || byte == 0x5F }
}
