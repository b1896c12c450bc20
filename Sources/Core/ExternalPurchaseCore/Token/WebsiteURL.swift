/// How a token travels to a website: appended to the destination's query (spec/03 section 5).
public enum WebsiteURL {
    /// The query parameter of the token.
    public static let tokenParameter = "externalPurchaseToken"
    /// The query parameter of the bundle id.
    public static let bundleParameter = "bundleId"

    /// The destination with token and bundle id appended, the rest kept byte for byte (TK-60 to TK-62).
    ///
    /// - Parameters:
    ///   - token: the token as it travels.
    ///   - bundleId: the app's bundle id.
    ///   - destination: an absolute URL; a fragment stays at the end.
    public static func appending(token: String, bundleId: BundleId, to destination: String) -> String {
        appending([(tokenParameter, token), (bundleParameter, bundleId.rawValue)], to: destination)
    }

    /// The destination with query parameters appended in their order, the rest kept byte for byte.
    ///
    /// - Parameters:
    ///   - parameters: names and values, which are percent-encoded here.
    ///   - destination: an absolute URL; a fragment stays at the end.
    public static func appending(_ parameters: [(name: String, value: String)], to destination: String) -> String {
        let fragmentStart = destination.firstIndex(of: "#") ?? destination.endIndex
        let address = destination[..<fragmentStart]
        let separator =
            if let query = address.firstIndex(of: "?") {
                address.index(after: query) == address.endIndex ? "" : "&"
            } else {
                "?"
            }
        let query = parameters.map { "\(percentEncoded($0.name))=\(percentEncoded($0.value))" }
        return address + separator + query.joined(separator: "&") + destination[fragmentStart...]
    }

    /// What a landing address finds in its query.
    public struct Arrival: Hashable, Sendable {
        /// The first token, percent-decoded; nil for an ordinary visit.
        public let token: String?
        /// The first bundle id, percent-decoded.
        public let bundleId: BundleId?
        /// True when the token stands more than once; the first one counts (TK-65).
        public let isTokenRepeated: Bool
    }

    /// Reads the query of an arriving visit: `+` stays `+`, names are case-sensitive (TK-64, TK-65).
    ///
    /// - Parameter query: what stands between `?` and `#`.
    public static func arrival(query: String) -> Arrival {
        var tokens: [String] = []
        var bundles: [String] = []
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = percentDecoded(pair[..<equals])
            let value = percentDecoded(pair[equals...].dropFirst())
            if name == tokenParameter { tokens.append(value) }
            if name == bundleParameter { bundles.append(value) }
        }
        return Arrival(
            token: tokens.first,
            bundleId: bundles.first.map { BundleId($0) },
            isTokenRepeated: tokens.count > 1
        )
    }

    private static func percentEncoded(_ text: String) -> String {
        var output: [UInt8] = []
        let hex = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if byte.isASCIILetter || byte.isDigit || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte) {
                output.append(byte)
            } else {
                output += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 0x0F)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Undoes `%XX`; a `%` without two hexadecimal digits stays as it is.
    static func percentDecoded(_ bytes: Substring.UTF8View) -> String {
        var output: [UInt8] = []
        var rest = Array(bytes)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let value = hexValue(rest.prefix(2)) {
                output.append(value)
                rest = rest.dropFirst(2)
            } else {
                output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func hexValue(_ digits: ArraySlice<UInt8>) -> UInt8? {
        digits.allSatisfy(\.isHexDigit) ? UInt8(String(decoding: digits, as: UTF8.self), radix: 16) : nil
    }
}
