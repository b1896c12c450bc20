extension WebsiteURL {
    /// Appends the query parameters of a visit to a destination, except those named (TK-66).
    ///
    /// Pairs keep their order and their bytes. A byte that is not allowed in a URL is percent-encoded, so that no query
    /// can end a header or begin a fragment.
    ///
    /// - Parameters:
    ///   - query: the text between `?` and `#` of the visit's URL.
    ///   - names: the names that are omitted, compared after percent-decoding.
    ///   - destination: an absolute URL; a fragment stays at the end.
    public static func forwarding(query: String, without names: Set<String>, to destination: String) -> String {
        var pairs: [String] = []
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            guard !names.containsName(percentDecoded(pair[..<equals])) else { continue }
            pairs.append(queryText(pair))
        }
        guard !pairs.isEmpty else { return destination }
        let fragmentStart = destination.firstIndex(of: "#") ?? destination.endIndex
        let address = destination[..<fragmentStart]
        let separator =
            if let question = address.firstIndex(of: "?") {
                address.index(after: question) == address.endIndex ? "" : "&"
            } else {
                "?"
            }
        return address + separator + pairs.joined(separator: "&") + destination[fragmentStart...]
    }

    /// Appends path segments to the path of a URL, before its query and fragment.
    ///
    /// - Parameters:
    ///   - path: encoded segments separated by `/`, without a leading `/`.
    ///   - destination: an absolute URL.
    /// - Returns: nil for a path that could lead to another location: a segment that is empty (except after a final
    ///   slash), `.` or `..`, or that contains a slash, a backslash or a control character, even percent-encoded.
    public static func appending(path: String, to destination: String) -> String? {
        var segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let endsWithSlash = segments.count > 1 && segments.last?.isEmpty == true
        if endsWithSlash { segments.removeLast() }
        for segment in segments {
            let text = percentDecoded(segment)
            let isHidden = text.unicodeScalars.contains { scalar in
                scalar == "/" || scalar == "\\" || scalar.properties.generalCategory == .control
                    || scalar == "\u{FFFD}"
            }
            guard !segment.isEmpty, ![".", ".."].containsName(text), !isHidden, segment.allSatisfy(isPathByte) else {
                return nil
            }
        }
        let tail = destination.firstIndex { $0 == "?" || $0 == "#" } ?? destination.endIndex
        let address = destination[..<tail]
        let separator = address.hasSuffix("/") ? "" : "/"
        return address + separator + path + destination[tail...]
    }

    /// Percent-encodes the bytes of a query pair that RFC 3986 does not allow there.
    private static func queryText(_ pair: Substring.UTF8View) -> String {
        var output: [UInt8] = []
        let hex = Array("0123456789ABCDEF".utf8)
        for byte in pair {
            if isPathByte(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") {
                output.append(byte)
            } else {
                output += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 0x0F)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// True for `pchar` of RFC 3986, and for `%` of an existing escape.
    private static func isPathByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isDigit || "-._~!$&'()*+,;=:@%".utf8.contains(byte)
    }
}
