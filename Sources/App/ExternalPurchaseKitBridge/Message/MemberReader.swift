import ExternalPurchaseCore
import Foundation

/// Reads the members of an object of a request; the first wrong one is named by its path (EK-51).
///
/// Messages repeat no value, since it may name a customer.
struct MemberReader: Sendable {
    let object: JSONObject
    let path: String

    /// - Throws: an error for a value that is no object, and for a member that is repeated or not listed.
    init(_ value: JSONValue, at path: String, members: [String]) throws(BridgeError) {
        guard let object = value.objectValue else {
            throw BridgeError(.invalidValue, "\(path) is no object.", at: path)
        }
        try self.init(object, at: path, members: members)
    }

    init(_ object: JSONObject, at path: String, members: [String]) throws(BridgeError) {
        self.init(unchecked: object, at: path)
        try refuseRepeated()
        for member in object.members where !members.contains(where: { $0.utf8.elementsEqual(member.key.utf8) }) {
            let place = self.path(of: member.key)
            let known = members.isEmpty ? "there are none" : "known are \(members.joined(separator: ", "))"
            throw BridgeError(.unknownMember, "\(place) is unknown; \(known).", at: place)
        }
    }

    /// - Throws: an error for a value that is no object, for a repeated member, and for a name of another form.
    init(
        mapOf value: JSONValue,
        at path: String,
        atMost largest: Int,
        named isName: (String) -> Bool
    ) throws(BridgeError) {
        guard let object = value.objectValue else {
            throw BridgeError(.invalidValue, "\(path) is no object.", at: path)
        }
        self.init(unchecked: object, at: path)
        try refuseRepeated()
        guard object.members.count <= largest else {
            throw BridgeError(.invalidValue, "\(path) has more than \(largest) members.", at: path)
        }
        for member in object.members where !isName(member.key) {
            let place = self.path(of: member.key)
            throw BridgeError(.unknownMember, "\(place) has a name that is not allowed here.", at: place)
        }
    }

    private init(unchecked object: JSONObject, at path: String) {
        self.object = object
        self.path = path
    }

    private func refuseRepeated() throws(BridgeError) {
        guard let repeated = object.repeatedKeys.first else { return }
        let place = path(of: repeated)
        throw BridgeError(.repeatedMember, "\(place) occurs more than once.", at: place)
    }

    /// The JSON Pointer of a member.
    func path(of name: String) -> String {
        path + "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    func invalid(_ name: String, _ right: String) -> BridgeError {
        BridgeError(.invalidValue, "\(path(of: name)) is not \(right).", at: path(of: name))
    }

    // MARK: Members

    func required(_ name: String) throws(BridgeError) -> JSONValue {
        guard let value = object[name] else {
            throw BridgeError(.missingMember, "\(path(of: name)) is missing.", at: path(of: name))
        }
        return value
    }

    /// The value; nil if the member is missing or null.
    func optional(_ name: String) -> JSONValue? {
        object[name].flatMap { $0 == .null ? nil : $0 }
    }

    /// A text of at least one character; `largest` counts Unicode scalars, as `maxLength` of the schema does.
    func text(_ name: String, atMost largest: Int) throws(BridgeError) -> String {
        let value = try required(name)
        guard let text = value.stringValue, Self.isText(text, atMost: largest) else {
            throw invalid(name, "a text of 1 to \(largest) characters without control characters")
        }
        return text
    }

    /// Whether a text may be an id, a name or a reason: the server refuses control characters.
    static func isText(_ text: String, atMost largest: Int) -> Bool {
        (1...largest).contains(text.unicodeScalars.count)
            && !text.unicodeScalars.contains(where: \.isControlOrDirection)
    }

    func optionalText(_ name: String, atMost largest: Int) throws(BridgeError) -> String? {
        optional(name) == nil ? nil : try text(name, atMost: largest)
    }

    func bool(_ name: String) throws(BridgeError) -> Bool {
        guard let value = try required(name).boolValue else { throw invalid(name, "true or false") }
        return value
    }

    func bool(_ name: String, or absent: Bool) throws(BridgeError) -> Bool {
        object[name] == nil ? absent : try bool(name)
    }

    func array(_ name: String, atMost largest: Int) throws(BridgeError) -> [JSONValue] {
        guard let elements = try required(name).arrayValue, elements.count <= largest else {
            throw invalid(name, "an array of at most \(largest) elements")
        }
        return elements
    }

    /// The address of a web page.
    func address(_ name: String) throws(BridgeError) -> URL {
        let value = try required(name)
        guard let text = value.stringValue, text.utf8.count <= 2_048,
            text.wholeMatch(of: #/https?:\/\/[A-Za-z0-9.:\-\[\]]+([\/?#][!-~]*)?/#) != nil, let url = URL(string: text)
        else { throw invalid(name, "an address such as https://shop.example.com/offer") }
        return url
    }

    /// One of the names of a kind.
    func kind(_ name: String, of kinds: [String]) throws(BridgeError) -> String {
        let value = try required(name)
        guard let text = value.stringValue, kinds.contains(text) else {
            throw invalid(name, kinds.joined(separator: " or "))
        }
        return text
    }
}
