import ExternalPurchaseCore

extension InputFile {
    /// Refuses a text of YAML, or of JSON, that is not stream-safe, before a parser compares its keys.
    ///
    /// Escapes count as the characters that they stand for, whether the text around them is quoted or not.
    ///
    /// - Throws: the line, exit code 2.
    package static func checkYAML(_ text: String, name: String) throws(CommandFailure) {
        guard text.isStreamSafe, unescaped(text).isStreamSafe else {
            throw .input("\(name): a text \(StreamSafeText.refusal)")
        }
    }

    /// The text with the escapes of double-quoted YAML decoded, and escaped line breaks removed.
    private static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\", let kind = rest.first else {
                result.append(scalar)
                continue
            }
            let length: Int
            switch kind {
            case "x": length = 2
            case "u": length = 4
            case "U": length = 8
            case "\r", "\n":
                rest = rest.drop { $0 == "\r" || $0 == "\n" || $0 == " " || $0 == "\t" }
                continue
            default:
                result.append(scalar)
                continue
            }
            let digits = rest.dropFirst().prefix(length)
            guard digits.count == length, let value = UInt32(String(digits), radix: 16),
                let decoded = Unicode.Scalar(value)
            else {
                result.append(scalar)
                continue
            }
            result.append(decoded)
            rest = rest.dropFirst(1 + length)
        }
        return String(result)
    }
}
