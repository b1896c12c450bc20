#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The tables of `Data/`, compiled in as text: a bundle of resources breaks when the binary is moved.
package enum EmbeddedTables {
    /// File name in `Data/` and the text compiled in, for the test that compares them.
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
    /// A table that does not decode is a defect of this package that the first test finds.
    static func decode<Table: Decodable>(_ text: String, as type: Table.Type = Table.self) -> Table {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            preconditionFailure("built-in table \(type) is damaged: \(error)")
        }
    }
}
