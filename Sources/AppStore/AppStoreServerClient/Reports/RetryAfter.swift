import ExternalPurchaseCore

/// Parses `Retry-After` in the formats of the App Store APIs and of HTTP (SA-82).
enum RetryAfter {
    /// Larger integers are UNIX milliseconds; this one and smaller ones are seconds from now.
    private static let firstMoment: Int64 = 100_000_000_000

    /// Returns the moment from which a request is allowed again; nil for an unreadable value.
    static func moment(_ value: String, now: Timestamp) -> Timestamp? {
        if !value.isEmpty, value.utf8.allSatisfy(\.isDigit) {
            guard let number = Int64(value) else { return nil }
            if number > firstMoment { return Timestamp(milliseconds: number) }
            return now + .seconds(number)
        }
        return httpDate(value)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, the only date format that servers may still send (RFC 9110, section
    /// 5.6.7).
    static func httpDate(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[0].utf8.count == 4, words[0].hasSuffix(","), words[5] == "GMT",
            words[1].utf8.count == 2, words[3].utf8.count == 4, words[4].utf8.count == 8,
            let month = months.firstIndex(of: String(words[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        return Timestamp(rfc3339: "\(words[3])-\(number)-\(words[1])T\(words[4])Z")
    }
}
