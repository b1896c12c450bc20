import ExternalPurchaseCore
import Ledger

/// A visit to a landing address as it arrived, before any processing that can fail (TK-66).
struct LandingVisit: Hashable, Sendable {
    let query: String
    /// The checkout that the redirect names if the visit is spooled.
    let checkoutId: CheckoutId
    let at: Timestamp
    /// The name of the landing link; nil if unknown.
    var link: String?

    /// The token of the query with its notes (TK-65); nil for an ordinary visit.
    var arrival: TokenArrival? {
        let found = WebsiteURL.arrival(query: query)
        guard let text = found.token else { return nil }
        var notes: Set<TokenNote> = []
        if found.isTokenRepeated { notes.insert(.repeatedParameter) }
        let token = try? ExternalPurchaseToken.decode(text).token
        if let token, token.bundleId != found.bundleId { notes.insert(.bundleMismatch) }
        return TokenArrival(text: text, source: .website, notes: notes)
    }

    /// The same arrival with the checkout that the redirect named when the visit was spooled.
    var spooledArrival: TokenArrival? {
        var arrival = arrival
        arrival?.checkoutId = checkoutId
        return arrival
    }

    /// The line of the spool file; it also starts with a line feed, in case the previous line was cut off.
    var line: [UInt8] {
        let members: [JSONObject.Member] = [
            .init("query", .string(query)), .init("checkoutId", .string(checkoutId.rawValue)),
            .init("at", .integer(at.milliseconds)), .init("link", link.map { .string($0) } ?? .null),
        ]
        return [UInt8(ascii: "\n")] + JSONValue.object(JSONObject(members)).encoded() + [UInt8(ascii: "\n")]
    }

    /// Reads ``line``; nil for a line that was cut off by a crash.
    init?(line: [UInt8]) {
        guard let object = try? JSONReader().read(line).objectValue, let query = object["query"]?.stringValue,
            let checkoutId = object["checkoutId"]?.stringValue, let at = object["at"]?.int64Value
        else { return nil }
        self.init(
            query: query,
            checkoutId: CheckoutId(checkoutId),
            at: Timestamp(milliseconds: at),
            link: object["link"]?.stringValue
        )
    }

    init(query: String, checkoutId: CheckoutId, at: Timestamp, link: String? = nil) {
        self.link = link
        self.query = query
        self.checkoutId = checkoutId
        self.at = at
    }
}
