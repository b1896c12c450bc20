/// A value in a table of `Data/`.
///
/// Programs read the tables at their start. `Decodable` would take several times as long, mostly for conformance
/// lookups at run time. A table of another shape than its reader expects is a defect of this package, and any test
/// finds it.
struct TableValue {
    private let value: JSONValue

    private init(_ value: JSONValue) {
        self.value = value
    }

    /// Parses a table.
    ///
    /// - Parameter text: one of the texts of ``EmbeddedTables``.
    init(table text: String) {
        do {
            value = try JSONReader().read(text)
        } catch {
            preconditionFailure("a built-in table is damaged: \(error)")
        }
    }

    /// A required member.
    subscript(name: String) -> TableValue {
        optional(name) ?? damaged("a member \(name)")
    }

    /// A member, or nil when it is missing or null.
    func optional(_ name: String) -> TableValue? {
        guard let member = value.objectValue?[name], member != .null else { return nil }
        return TableValue(member)
    }

    /// The string.
    var text: String { value.stringValue ?? damaged("a text") }

    /// The integer.
    var number: Int { value.int64Value.map(Int.init) ?? damaged("a whole number") }

    /// The Boolean.
    var flag: Bool { value.boolValue ?? damaged("a Boolean") }

    /// The elements of an array.
    var elements: [TableValue] { value.arrayValue.map { $0.map(TableValue.init) } ?? damaged("an array") }

    /// The elements of an array of strings.
    var texts: [String] { elements.map(\.text) }

    /// The elements of an array of strings and nulls.
    var optionalTexts: [String?] { elements.map { $0.value == .null ? nil : $0.text } }

    /// The members of an object by name.
    var members: [String: TableValue] {
        guard let object = value.objectValue else { return damaged("an object") }
        return Dictionary(uniqueKeysWithValues: object.members.map { ($0.key, TableValue($0.value)) })
    }

    private func damaged<Value>(_ expected: String) -> Value {
        preconditionFailure("a built-in table has something else where \(expected) belongs")
    }
}
