import Hummingbird

extension RequestContext {
    /// Returns a path parameter with `%2F` and other escapes decoded.
    ///
    /// - Throws: ``Problem`` 404 for invalid escapes, invalid UTF-8 or U+0000.
    func decodedParameter(_ name: String) throws -> String {
        let text = try parameters.require(name)
        guard let decoded = text.percentDecoded else {
            throw Problem.notFound("the path has a percent sign that is no escape of UTF-8")
        }
        // SQLite would compare only the text before a zero byte.
        guard !decoded.utf8.contains(0) else { throw Problem.notFound("no id contains U+0000") }
        return decoded
    }
}

extension String {
    var percentDecoded: String? {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
