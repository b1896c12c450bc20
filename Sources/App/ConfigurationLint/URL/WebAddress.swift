/// The parts of a URL by RFC 3986, exactly as written.
///
/// Foundation's URL repairs texts that the linter must refuse, and accepts ports above 65535 and empty hosts.
struct WebAddress: Hashable, Sendable {
    /// The scheme as written; nil when the text is only a relative reference.
    let scheme: String?
    /// The text before `@`.
    let userInformation: String?
    /// The host as written, with the brackets of an IP literal; nil without authority.
    let host: String?
    /// The port as written, possibly empty.
    let port: String?
    /// The path as written.
    let path: String
    /// The text between `?` and `#`.
    let query: String?
    /// The text after `#`.
    let fragment: String?

    /// Splits a text at its delimiters without validating the parts.
    init(splitting text: String) {
        var rest = Substring(text).utf8
        let colon = rest.firstIndex { Self.delimiters.contains($0) }
        if let colon, rest[colon] == UInt8(ascii: ":"), Self.isScheme(rest[..<colon]) {
            scheme = String(Substring(rest[..<colon]))
            rest = rest[rest.index(after: colon)...]
        } else {
            scheme = nil
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "#")) {
            fragment = String(Substring(rest[rest.index(after: mark)...]))
            rest = rest[..<mark]
        } else {
            fragment = nil
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(Substring(rest[rest.index(after: mark)...]))
            rest = rest[..<mark]
        } else {
            query = nil
        }
        guard rest.starts(with: "//".utf8) else {
            (userInformation, host, port) = (nil, nil, nil)
            path = String(Substring(rest))
            return
        }
        rest = rest.dropFirst(2)
        let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        path = String(Substring(rest[end...]))
        var authority = rest[..<end]
        if let mark = authority.lastIndex(of: UInt8(ascii: "@")) {
            userInformation = String(Substring(authority[..<mark]))
            authority = authority[authority.index(after: mark)...]
        } else {
            userInformation = nil
        }
        var hostEnd = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        if authority.first == UInt8(ascii: "["), let bracket = authority.firstIndex(of: UInt8(ascii: "]")) {
            hostEnd = authority.index(after: bracket)
        }
        host = String(Substring(authority[..<hostEnd]))
        let tail = authority[hostEnd...]
        port = tail.isEmpty ? nil : String(Substring(tail.first == UInt8(ascii: ":") ? tail.dropFirst() : tail))
    }

    /// Why the parts violate RFC 3986; nil if they do not (CF-31).
    var fault: String? {
        if let userInformation, let fault = Self.fault(in: userInformation, also: ":") { return fault }
        if let host {
            if host.hasPrefix("[") {
                guard Self.isLiteral(host) else { return "\(host) is not a well-formed IP literal" }
            } else if let fault = Self.fault(in: host, also: "") {
                return fault
            }
        }
        if let port {
            guard port.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
                return "the port \"\(port)\" is not a number"
            }
            guard port.isEmpty || (Int(port) ?? .max) <= 65_535 else { return "the port \(port) is above 65535" }
        }
        return Self.fault(in: path, also: ":@/") ?? query.flatMap { Self.fault(in: $0, also: ":@/?") }
            ?? fragment.flatMap { Self.fault(in: $0, also: ":@/?") }
    }

    // RFC 3986 sections 2.2 and 2.3.
    private static let unreservedOrSubDelimiters = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=".utf8
    )
    private static let delimiters = Set(":/?#".utf8)

    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first, first.isLetter else { return false }
        return text.allSatisfy { $0.isLetter || (48...57).contains($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }
    }

    private static func fault(in part: String, also allowed: String) -> String? {
        var bytes = part.utf8[...]
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard bytes.prefix(2).filter(\.isHexadecimal).count == 2 else {
                    return "\"%\" is not followed by two hexadecimal digits"
                }
                bytes.removeFirst(2)
            } else if !unreservedOrSubDelimiters.contains(byte), !allowed.utf8.contains(byte) {
                return "\"\(Character(Unicode.Scalar(byte)))\" is not allowed there"
            }
        }
        return nil
    }

    private static func isLiteral(_ host: String) -> Bool {
        guard host.hasSuffix("]") else { return false }
        let inner = host.dropFirst().dropLast()
        guard inner.first == "v" || inner.first == "V" else { return IPAddress(version6: inner) != nil }
        let parts = inner.dropFirst().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[0].utf8.allSatisfy(\.isHexadecimal) && !parts[1].isEmpty
            && parts[1].utf8.allSatisfy { unreservedOrSubDelimiters.contains($0) || $0 == UInt8(ascii: ":") }
    }
}

extension UInt8 {
    var isLetter: Bool { (65...90).contains(self) || (97...122).contains(self) }
    var isHexadecimal: Bool { (48...57).contains(self) || (65...70).contains(self) || (97...102).contains(self) }
}
