import ExternalPurchaseCore
import Foundation
import GRDB
import LedgerTesting
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite("Every column of a table is named in its codec, written and read")
struct RowTableTests {
    struct Table: CustomTestStringConvertible, Sendable {
        let name: String
        let columns: [String]

        init<Record>(_ table: RowTable<Record>) {
            name = table.name
            columns = table.columns.map(\.name) + table.besides
        }

        var testDescription: String { name }
    }

    static let tables = [
        Table(TokenRow.table), Table(TokenObservationRow.table), Table(QuarantinedTokenRow.table),
        Table(CustomerRow.table), Table(CheckoutRow.table), Table(CheckoutClaimRow.table),
        Table(LinkTapRow.table), Table(SaleRow.table),
        Table(SaleVersionRow.table), Table(SaleChangeRow.table), Table(ReportRow.table), Table(NotificationRow.table),
        Table(QuarantinedNotificationRow.table), Table(ReviewRow.table), Table(CorrectionRow.table),
        Table(ManualExportRow.table), Table(InvoiceRow.table), Table(AuditEntryRow.table), Table(AlertMessageRow.table),
        Table(APIKeyRow.table), Table(UserRow.table),
    ]

    @Test("A table has the columns of its codec", arguments: tables)
    func columns(_ table: Table) throws {
        let database = try DatabaseQueue()
        let schema = try database.write { database in
            try migrate(database)
            return try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table.name])
        }
        #expect(!schema.isEmpty)
        #expect(table.columns.sorted() == schema.sorted())
    }

    /// What no row can have: a message that was delivered is in no list.
    static let unseen: Set<String> = ["undeliveredAlerts.deliveredAt"]

    @Test("Every field of every record comes back from the database as it was stored")
    func fields() async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile(), dependencies: FullLedger.dependencies)
        try await FullLedger.fill(store)
        let contents = try await store.contents()
        // Of a file whose contents were equal to those of the former store in memory, which kept the records themselves.
        let fixture = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/full-ledger.txt")
        let lines = RecordText.lines(of: contents)
        let expected = try String(contentsOf: fixture, encoding: .utf8).split(separator: "\n").map(String.init)
        for (line, expected) in zip(lines, expected) { #expect(line == expected) }
        #expect(lines.count == expected.count)
        // A field that has a value in no row would come back whatever the codec does.
        for kind in Mirror(reflecting: contents).children where !["counts", "historyPositions"].contains(kind.label) {
            let rows = Mirror(reflecting: kind.value).children.map { Mirror(reflecting: $0.value).children }
            #expect(!rows.isEmpty, "\(kind.label ?? "")")
            var (names, filled): (Set<String>, Set<String>) = ([], [])
            for child in rows.joined() {
                let name = "\(kind.label ?? "").\(child.label ?? "")"
                names.insert(name)
                let value = Mirror(reflecting: child.value)
                if value.displayStyle != .optional || !value.children.isEmpty { filled.insert(name) }
            }
            #expect(names.subtracting(filled).subtracting(Self.unseen) == [])
        }
    }
}

/// The fields of records as text, one line for each record.
private enum RecordText {
    static func lines(of contents: LedgerContents) -> [String] {
        Mirror(reflecting: contents).children.flatMap { kind in
            let rows = Mirror(reflecting: kind.value)
            let name = kind.label ?? ""
            guard rows.displayStyle == .collection else { return ["\(name): \(text(kind.value))"] }
            return rows.children.map { "\(name): \(text($0.value))" }
        }
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let bytes as [UInt8]: return String(reflecting: String(decoding: bytes, as: UTF8.self))
        case let text as String: return String(reflecting: text)
        case let number as any BinaryInteger: return "\(number)"
        case let number as Decimal: return "\(number)"
        default: break
        }
        let mirror = Mirror(reflecting: value)
        func members() -> [String] {
            mirror.children.map { child in
                // A property of a wrapper is that of the text in it.
                if let exact = child.value as? ExactText, let label = child.label {
                    return "\(label.dropFirst())=\(text(exact.wrappedValue))"
                }
                return (child.label.map { "\($0)=" } ?? "") + text(child.value)
            }
        }
        switch mirror.displayStyle {
        case .optional: return mirror.children.first.map { text($0.value) } ?? "nil"
        case .set, .dictionary: return "[\(members().sorted().joined(separator: ", "))]"
        case .collection: return "[\(members().joined(separator: ", "))]"
        case .enum where mirror.children.isEmpty: return "\(value)"
        case .enum: return members().joined(separator: ", ")
        default: return mirror.children.isEmpty ? "\(value)" : "(\(members().joined(separator: ", ")))"
        }
    }
}
