package import ExternalPurchaseCore

/// An event as Stripe sends it to a webhook endpoint, https://docs.stripe.com/api/events/object.
///
/// The envelope is read strictly, the object inside only where it is used: Stripe adds members to it at any time. No
/// object at any level has a member twice, because parsers disagree about which value counts.
package struct StripeEvent: Hashable, Sendable {
    /// `evt_…`; the same for every delivery of the event.
    package let id: String
    /// `invoice.paid`; unknown types are accepted.
    package let type: String
    /// When it happened; deliveries have any order.
    package let created: Timestamp
    /// The connected account that it concerns; nil for the account of the endpoint itself.
    let account: String?
    /// False in test mode.
    package let isLive: Bool
    /// The API version that shaped the object, such as `2025-03-31.basil`.
    let apiVersion: String?
    /// `data.object`: the object as it was when the event happened.
    let object: JSONValue
    /// `data.previous_attributes`: what changed, in an event of type `*.updated`.
    let previousAttributes: JSONValue?

    /// Reads the body of a webhook request.
    ///
    /// - Parameter body: the bytes whose signature was verified.
    /// - Throws: ``StripeEventError`` for the first error.
    package init(body: [UInt8]) throws(StripeEventError) {
        let json: JSONValue
        var reader = JSONReader()
        // A customer's name must not keep a payment from being reported.
        reader.interruptsRuns = true
        do { json = try reader.read(body) } catch { throw .notJSON(error) }
        try self.init(json: json)
    }

    /// Reads an event from a JSON value, such as an element of `GET /v1/events`.
    ///
    /// - Parameters:
    ///   - json: the event.
    ///   - isStored: true for an event of the ledger, in which members were not compared when it arrived.
    /// - Throws: ``StripeEventError`` for the first error.
    package init(json: JSONValue, isStored: Bool = false) throws(StripeEventError) {
        guard let envelope = json.objectValue else { throw .notAnObject }
        if !isStored, let repeated = json.firstRepeatedMember { throw .repeatedMember(repeated) }
        if envelope["object"]?.stringValue == "v2.core.event" { throw .thin }
        guard envelope["object"]?.stringValue == "event" else {
            throw .invalidMember(path: "/object", expected: "\"event\"")
        }
        id = try envelope.text("id", maximum: 255)
        type = try envelope.text("type", maximum: 255)
        guard let created = envelope["created"].flatMap(Timestamp.init(stripe:)) else {
            throw .invalidMember(path: "/created", expected: "a time in whole UNIX seconds")
        }
        self.created = created
        guard let isLive = envelope["livemode"]?.boolValue else {
            throw .invalidMember(path: "/livemode", expected: "true or false")
        }
        self.isLive = isLive
        account = try envelope.optionalText("account")
        apiVersion = try envelope.optionalText("api_version")
        guard let data = envelope["data"]?.objectValue else {
            throw .invalidMember(path: "/data", expected: "an object")
        }
        guard let object = data["object"], object.objectValue != nil else {
            throw .invalidMember(path: "/data/object", expected: "an object")
        }
        self.object = object
        switch data["previous_attributes"] {
        case nil, .null?: previousAttributes = nil
        case .object(let attributes)?: previousAttributes = .object(attributes)
        default: throw .invalidMember(path: "/data/previous_attributes", expected: "an object")
        }
    }
}

extension JSONValue {
    /// The path of the first member that stands more than once in its object, such as `data.object.lines.data[0].id`.
    var firstRepeatedMember: String? {
        switch self {
        case .object(let object):
            if let repeated = object.repeatedKeys.first { return repeated }
            for member in object.members {
                guard let path = member.value.firstRepeatedMember else { continue }
                return member.key + (path.hasPrefix("[") ? path : ".\(path)")
            }
            return nil
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                guard let path = element.firstRepeatedMember else { continue }
                return "[\(index)]" + (path.hasPrefix("[") ? path : ".\(path)")
            }
            return nil
        default: return nil
        }
    }
}

extension JSONObject {
    fileprivate func text(_ key: String, maximum: Int) throws(StripeEventError) -> String {
        guard let text = self[key]?.stringValue, (1...maximum).contains(text.unicodeScalars.count),
            !text.unicodeScalars.contains(where: \.isControlOrDirection)
        else {
            throw .invalidMember(path: "/\(key)", expected: "a text of 1 to \(maximum) printable characters")
        }
        return text
    }

    fileprivate func optionalText(_ key: String) throws(StripeEventError) -> String? {
        switch self[key] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw .invalidMember(path: "/\(key)", expected: "a text")
        }
    }
}

extension Timestamp {
    /// Reads a time of Stripe: whole UNIX seconds before the year 10000; nil for anything else.
    init?(stripe value: JSONValue) {
        guard let seconds = value.int64Value, (0..<253_402_300_800).contains(seconds) else { return nil }
        self.init(milliseconds: seconds * 1_000)
    }
}
