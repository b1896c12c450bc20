import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger
import LedgerTesting
import Testing

@testable import LedgerSQL
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

    @Test("Every field of a record comes back from the file as it was, and as a store in memory keeps it")
    func fields() async throws {
        let memory = MemoryLedgerStore(dependencies: FullLedger.dependencies)
        let sqlite = try SQLiteLedgerStore(path: temporaryFile(), dependencies: FullLedger.dependencies)
        try await FullLedger.fill(memory)
        try await FullLedger.fill(sqlite)
        let (expected, contents) = (try await memory.contents(), try await sqlite.contents())
        #expect(contents.tokens == expected.tokens)
        #expect(contents.sales == expected.sales)
        #expect(contents.saleVersions == expected.saleVersions)
        #expect(contents.reports == expected.reports)
        #expect(contents.notifications == expected.notifications)
        #expect(contents.corrections == expected.corrections)
        #expect(contents == expected)
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
