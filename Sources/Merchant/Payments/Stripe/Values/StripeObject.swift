import ExternalPurchaseCore

/// An object in an event body.
///
/// A member of another type than documented holds the event where the member is needed; a member that only links
/// objects counts as missing then.
struct StripeObject: Hashable, Sendable {
    private let members: JSONObject

    init(_ members: JSONObject) {
        self.members = members
    }

    /// Nil for every value that is no object.
    init?(_ value: JSONValue?) {
        guard let members = value?.objectValue else { return nil }
        self.members = members
    }

    /// The value of a member; nil for a missing one and for null.
    subscript(key: String) -> JSONValue? {
        guard let value = members[key], value != .null else { return nil }
        return value
    }

    /// The id in a member that has an id or, when it is expanded, the object itself.
    func id(_ key: String) -> StripeObjectId? {
        let text = self[key]?.stringValue ?? object(key)?["id"]?.stringValue
        return text.flatMap { StripeObjectId(checking: $0) }
    }

    func object(_ key: String) -> StripeObject? { StripeObject(self[key]) }

    /// The elements of a list object, `{"object": "list", "data": […]}`; empty if there is none.
    func data(of key: String) -> [StripeObject] {
        object(key)?["data"]?.arrayValue?.compactMap { StripeObject($0) } ?? []
    }

    func text(_ key: String) throws(NoSale) -> String? {
        guard let value = self[key] else { return nil }
        guard let text = value.stringValue else { throw wrong(key, "a text") }
        return text.isEmpty ? nil : text
    }

    func integer(_ key: String) throws(NoSale) -> Int64? {
        guard let value = self[key] else { return nil }
        guard let number = value.int64Value else { throw wrong(key, "a whole number of 64 bits") }
        return number
    }

    func requiredInteger(_ key: String) throws(NoSale) -> Int64 {
        guard let number = try integer(key) else { throw .held(.member, "\(name) has no \(key)") }
        return number
    }

    /// An amount that was given back: above 0, and small enough for any sum of such amounts.
    func repaidAmount(_ key: String) throws(NoSale) -> Int64 {
        let amount = try requiredInteger(key)
        guard amount > 0 else { throw .held(.amount, "\(key) of \(name) is not above 0: \(amount)") }
        guard amount < 1_000_000_000_000_000 else { throw .held(.amount, "\(key) of \(name) is too large: \(amount)") }
        return amount
    }

    func flag(_ key: String) throws(NoSale) -> Bool {
        guard let value = self[key] else { return false }
        guard let flag = value.boolValue else { throw wrong(key, "true or false") }
        return flag
    }

    func time(_ key: String) throws(NoSale) -> Timestamp? {
        guard let value = self[key] else { return nil }
        guard let time = Timestamp(stripe: value) else { throw wrong(key, "a time in whole UNIX seconds") }
        return time
    }

    /// The objects of an array; empty if there is none.
    func objects(_ key: String) throws(NoSale) -> [StripeObject] {
        guard let value = self[key] else { return [] }
        guard let elements = value.arrayValue else { throw wrong(key, "an array") }
        var objects: [StripeObject] = []
        for element in elements {
            guard let object = StripeObject(element) else { throw wrong(key, "an array of objects") }
            objects.append(object)
        }
        return objects
    }

    /// The elements of a list object, and whether further pages exist; nil if there is no list.
    func list(_ key: String) throws(NoSale) -> (elements: [StripeObject], hasMore: Bool)? {
        guard self[key] != nil else { return nil }
        guard let list = object(key) else { throw wrong(key, "a list") }
        return try (list.objects("data"), list.flag("has_more"))
    }

    /// The id, or a word for an object without one.
    var name: String { self["id"]?.stringValue ?? "the object" }

    private func wrong(_ key: String, _ expected: String) -> NoSale {
        .held(.member, "\(key) of \(name) is not \(expected)")
    }
}
