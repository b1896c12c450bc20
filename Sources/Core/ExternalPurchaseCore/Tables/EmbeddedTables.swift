/// The tables of `Data/`, compiled in as text.
///
/// A resource bundle would be missing when the binary is moved.
package enum EmbeddedTables {
    /// The compiled-in texts by their file names in `Data/`.
    ///
    /// A test compares them with the files.
    package static let all: [String: String] = [
        "countries.json": countries,
        "currencies.json": currencies,
        "errors.json": errors,
        "fiscal-calendar.json": fiscalCalendar,
        "programmes.json": programmes,
        "regions.json": regions,
    ]

    /// Decodes a table.
    ///
    /// A table that cannot be decoded is a defect of this package, and any test finds it.
    static func decode<Table: Decodable>(_ text: String, as type: Table.Type = Table.self) -> Table {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            preconditionFailure("built-in table \(type) is damaged: \(error)")
        }
    }
}
