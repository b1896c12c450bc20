/// The URL rules of section 4, written from CF-30 to CF-35 with loops over characters.
enum ReferenceURL {
    /// The rules that a link violates, in the order of CF-34.
    static func rules(_ url: String, limit: Int = 1_000) -> [String] {
        let scalars = Array(url.unicodeScalars)
        if hasVariable(url) { return ["unresolved-variable"] }
        if scalars.isEmpty { return ["link-url-empty"] }
        // White space and control characters beyond ASCII violate this rule before the one on ASCII.
        if scalars.contains(where: { $0.properties.isWhitespace || $0.properties.generalCategory == .control }) {
            return ["link-url-whitespace"]
        }
        if scalars.contains(where: { $0.value > 0x7F }) { return ["link-url-not-ascii"] }
        if scalars.count > limit { return ["link-url-too-long"] }
        let parts = Parts(url)
        guard let scheme = parts.scheme else { return ["link-url-relative"] }
        guard scheme.lowercased() == "https" else { return ["link-url-not-https"] }
        guard let host = parts.host, !host.isEmpty else { return ["link-url-no-host"] }
        guard parts.isWellFormed else { return ["link-url-invalid"] }
        var rules: [String] = []
        if let query = parts.query { rules.append(query.isEmpty ? "link-url-empty-query" : "link-url-has-query") }
        if parts.fragment != nil { rules.append("link-url-fragment") }
        if parts.user != nil { rules.append("link-url-userinfo") }
        if isPrivate(host) { rules.append("link-url-private-host") }
        if isPlaceholder(host) { rules.append("link-url-placeholder-host") }
        return rules
    }

    /// Whether a value of `SKExternalLinkAccount` is an absolute https URL with host.
    static func isAccountLink(_ url: String) -> Bool {
        let steps: Set = [
            "link-url-empty", "link-url-whitespace", "link-url-not-ascii", "link-url-relative", "link-url-not-https",
            "link-url-no-host", "link-url-invalid",
        ]
        // The limit of 1,000 characters applies only to the two link keys.
        return rules(url, limit: .max).allSatisfy { !steps.contains($0) }
    }

    /// Whether a text holds `$(…)` or `${…}`.
    static func hasVariable(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return false }
        let characters = Array(text.unicodeScalars)
        for start in characters.indices where characters[start] == "$" && start + 1 < characters.count {
            let close: Unicode.Scalar? =
                switch characters[start + 1] {
                case "(": ")"
                case "{": "}"
                default: nil
                }
            if let close, characters[(start + 2)...].contains(close) { return true }
        }
        return false
    }

    private static let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    private static let digits = Set("0123456789")
    private static let hexadecimal = digits.union("abcdefABCDEF")
    private static let schemeCharacters = letters.union(digits).union("+-.")
    private static let subDelims = "!$&'()*+,;="
    private static let plain = letters.union(digits).union("-._~" + subDelims)

    private struct Parts {
        var scheme: String?
        var user: String?
        var host: String?
        var port: String?
        var isAuthorityBroken = false
        var path = ""
        var query: String?
        var fragment: String?

        /// Splits a URL at the delimiters of RFC 3986, appendix B.
        init(_ url: String) {
            var rest = Substring(url)
            if let hash = rest.firstIndex(of: "#") {
                fragment = String(rest[rest.index(after: hash)...])
                rest = rest[..<hash]
            }
            if let mark = rest.firstIndex(of: "?") {
                query = String(rest[rest.index(after: mark)...])
                rest = rest[..<mark]
            }
            if let colon = rest.firstIndex(of: ":") {
                let name = rest[..<colon]
                if let first = name.first, letters.contains(first),
                    name.allSatisfy({ schemeCharacters.contains($0) })
                {
                    scheme = String(name)
                    rest = rest[rest.index(after: colon)...]
                }
            }
            guard rest.hasPrefix("//") else {
                path = String(rest)
                return
            }
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: "/") ?? rest.endIndex
            path = String(rest[end...])
            var authority = rest[..<end]
            if let at = authority.lastIndex(of: "@") {
                user = String(authority[..<at])
                authority = authority[authority.index(after: at)...]
            }
            if authority.hasPrefix("["), let bracket = authority.firstIndex(of: "]") {
                host = String(authority[...bracket])
                let after = authority[authority.index(after: bracket)...]
                if after.hasPrefix(":") { port = String(after.dropFirst()) }
                isAuthorityBroken = !after.isEmpty && !after.hasPrefix(":")
            } else if let colon = authority.firstIndex(of: ":") {
                host = String(authority[..<colon])
                port = String(authority[authority.index(after: colon)...])
            } else {
                host = String(authority)
            }
        }

        var isWellFormed: Bool {
            guard !isAuthorityBroken, let host else { return false }
            let isHost =
                host.hasPrefix("[")
                ? ReferenceURL.isLiteral(host) : ReferenceURL.holds(host, beside: "")
            return isHost
                && ReferenceURL.holds(user ?? "", beside: ":")
                && ReferenceURL.isPort(port ?? "")
                && ReferenceURL.holds(path, beside: ":@/")
                && ReferenceURL.holds(query ?? "", beside: ":@/?")
                && ReferenceURL.holds(fragment ?? "", beside: ":@/?")
        }
    }

    /// True when a component contains only characters of RFC 3986 and two hexadecimal digits after each `%`.
    private static func holds(_ text: String, beside others: String) -> Bool {
        let characters = Array(text)
        var index = 0
        while index < characters.count {
            let character = characters[index]
            if character == "%" {
                guard index + 2 < characters.count, hexadecimal.contains(characters[index + 1]),
                    hexadecimal.contains(characters[index + 2])
                else { return false }
                index += 3
            } else {
                guard plain.contains(character) || others.contains(character) else { return false }
                index += 1
            }
        }
        return true
    }

    private static func isPort(_ port: String) -> Bool {
        guard port.allSatisfy(digits.contains) else { return false }
        let significant = port.drop { $0 == "0" }
        return significant.count < 5 || significant.count == 5 && significant <= "65535"
    }

    private static func isLiteral(_ host: String) -> Bool {
        guard host.hasSuffix("]") else { return false }
        let inside = host.dropFirst().dropLast()
        if inside.hasPrefix("v") || inside.hasPrefix("V") {
            let parts = inside.dropFirst().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return false }
            return !parts[0].isEmpty && parts[0].allSatisfy(hexadecimal.contains)
                && !parts[1].isEmpty && parts[1].allSatisfy { plain.contains($0) || $0 == ":" }
        }
        return groups(String(inside)) != nil
    }

    /// The eight numbers of an IPv6 address.
    private static func groups(_ text: String) -> [Int]? {
        func numbers(_ part: String, isLast: Bool) -> [Int]? {
            if part.isEmpty { return [] }
            var numbers: [Int] = []
            let pieces = part.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            for (index, piece) in pieces.enumerated() {
                if isLast, index == pieces.count - 1, piece.contains(".") {
                    guard let address = quad(piece) else { return nil }
                    numbers += [address[0] * 256 + address[1], address[2] * 256 + address[3]]
                } else {
                    guard (1...4).contains(piece.count), piece.allSatisfy(hexadecimal.contains),
                        let number = Int(piece, radix: 16)
                    else { return nil }
                    numbers.append(number)
                }
            }
            return numbers
        }
        let characters = Array(text)
        let gaps = characters.indices.dropLast().filter { characters[$0] == ":" && characters[$0 + 1] == ":" }
        guard gaps.count <= 1 else { return nil }
        guard let gap = gaps.first else {
            guard let all = numbers(text, isLast: true), all.count == 8 else { return nil }
            return all
        }
        guard let left = numbers(String(characters[..<gap]), isLast: false),
            let right = numbers(String(characters[(gap + 2)...]), isLast: true), left.count + right.count <= 7
        else { return nil }
        return left + Array(repeating: 0, count: 8 - left.count - right.count) + right
    }

    /// The four numbers of an IPv4 address in the only form of RFC 3986.
    private static func quad(_ text: String) -> [Int]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy(digits.contains), let number = Int(part),
                number < 256, String(number) == part
            else { return nil }
            numbers.append(number)
        }
        return numbers
    }

    private static func bare(_ host: String) -> String {
        let name = host.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    private static func isPrivate(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            guard let groups = groups(String(host.dropFirst().dropLast())) else { return false }
            return groups == [0, 0, 0, 0, 0, 0, 0, 1] || groups[0] >> 9 == 0xFC >> 1 || groups[0] >> 6 == 0xFE80 >> 6
        }
        let name = bare(host)
        if let address = quad(name) {
            switch (address[0], address[1]) {
            case (0, _), (10, _), (127, _), (169, 254), (172, 16...31), (192, 168): return true
            default: return false
            }
        }
        let ends = [".localhost", ".local", ".internal", ".test", ".invalid", ".home.arpa"]
        return !name.contains(".") || ends.contains { name.hasSuffix($0) }
    }

    private static func isPlaceholder(_ host: String) -> Bool {
        let name = bare(host)
        return ["example.com", "example.net", "example.org"].contains { name == $0 || name.hasSuffix("." + $0) }
    }
}
