import Hummingbird
import Ledger

/// The entity tag of a response, by which clients ask whether theirs is the current one (RFC 9110, section 8.8.3).
struct EntityTag: Hashable, Sendable {
    /// The tag with its quotation marks.
    let text: String

    init(of body: some Sequence<UInt8>) {
        text = "\"\(Array(body.sha256.prefix(16)).hexadecimal)\""
    }

    /// Whether `If-None-Match` names the tag; proxies that compress a body mark its tag as weak (RFC 9110, section
    /// 13.1.2).
    func isKnown(to request: Request) -> Bool {
        request.headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.contains { value in
            let value = String(value.drop { $0 == " " }.prefix { $0 != " " })
            return ["*", text, "W/\(text)"].contains(value)
        }
    }
}
