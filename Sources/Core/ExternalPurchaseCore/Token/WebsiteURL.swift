/// The transport of a token to a website: in the query of the destination (spec/03 section 5).
public enum WebsiteURL {
    /// The name of the query parameter with the token.
    public static let tokenParameter = "externalPurchaseToken"
    /// The name of the query parameter with the bundle id.
    public static let bundleParameter = "bundleId"

    /// Appends token and bundle id to a destination.
    ///
    /// The rest of the URL keeps its bytes (TK-60 to TK-62).
    ///
    /// - Parameters:
    ///   - token: the encoded token.
    ///   - bundleId: the bundle id of the app.
    ///   - destination: an absolute URL; a fragment stays at the end.
    public static func appending(token: String, bundleId: BundleId, to destination: String) -> String {
        appending([(tokenParameter, token), (bundleParameter, bundleId.rawValue)], to: destination)
    }

    /// Appends query parameters to a destination in their order.
    ///
    /// The rest of the URL keeps its bytes.
    ///
    /// - Parameters:
    ///   - parameters: names and values, which this function percent-encodes.
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

    /// The parameters in the query of an arriving visit.
    public struct Arrival: Hashable, Sendable {
        /// The first token, percent-decoded; nil for a visit without token.
        public let token: String?
        /// The first bundle id, percent-decoded.
        public let bundleId: BundleId?
        /// True when the query contains more than one token.
        ///
        /// The first one counts (TK-65).
        public let isTokenRepeated: Bool
    }

    /// Reads the query of an arriving visit.
    ///
    /// `+` is not decoded, and names are case-sensitive (TK-64, TK-65).
    ///
    /// - Parameter query: the text between `?` and `#`.
    public static func arrival(query: String) -> Arrival {
        var tokens: [String] = []
        var bundles: [String] = []
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = percentDecoded(pair[..<equals])
            let value = percentDecoded(pair[equals...].dropFirst())
            if name.hasSameScalars(as: tokenParameter) { tokens.append(value) }
            if name.hasSameScalars(as: bundleParameter) { bundles.append(value) }
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

    /// Decodes `%XX`.
    ///
    /// A `%` without two hexadecimal digits stays unchanged.
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
