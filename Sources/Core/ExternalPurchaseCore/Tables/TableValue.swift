/// A value of a table of `Data/`.
///
/// Programs read the tables before they do anything else: `Decodable` would take several times as long, most of it to
/// look up conformances at run time. A table that is not as its reader expects is a defect of this package that the
/// first test finds.
struct TableValue {
    private let value: JSONValue

    private init(_ value: JSONValue) {
        self.value = value
    }

    /// Reads a whole table.
    ///
    /// - Parameter text: one of the texts of ``EmbeddedTables``.
    init(table text: String) {
        do {
            value = try JSONReader().read(text)
        } catch {
            preconditionFailure("a built-in table is damaged: \(error)")
        }
    }

    /// A member that is there.
    subscript(name: String) -> TableValue {
        optional(name) ?? damaged("a member \(name)")
    }

    /// A member; nil when it is missing or null.
    func optional(_ name: String) -> TableValue? {
        guard let member = value.objectValue?[name], member != .null else { return nil }
        return TableValue(member)
    }

    /// The text.
    var text: String { value.stringValue ?? damaged("a text") }

    /// The whole number.
    var number: Int { value.int64Value.map(Int.init) ?? damaged("a whole number") }

    /// The Boolean.
    var flag: Bool { value.boolValue ?? damaged("a Boolean") }

    /// The elements of an array.
    var elements: [TableValue] { value.arrayValue.map { $0.map(TableValue.init) } ?? damaged("an array") }

    /// The texts of an array.
    var texts: [String] { elements.map(\.text) }

    /// The texts of an array that may hold null.
    var optionalTexts: [String?] { elements.map { $0.value == .null ? nil : $0.text } }

    /// The members of an object, by their names.
    var members: [String: TableValue] {
        guard let object = value.objectValue else { return damaged("an object") }
        return Dictionary(uniqueKeysWithValues: object.members.map { ($0.key, TableValue($0.value)) })
    }

    private func damaged<Value>(_ expected: String) -> Value {
        preconditionFailure("a built-in table has something else where \(expected) belongs")
    }
}
