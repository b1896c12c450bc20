import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger
import Testing

@testable import LedgerSQLite

@Suite("A ledger of an older version is brought to the newest schema")
struct MigrationTests {
    /// Rows as the first version wrote them.
    static let rows = """
        INSERT INTO tokens (bundle_id, external_purchase_id, environment, app_apple_id, creation_date, token_type,
                expiration_date, text, state, source, first_seen, checkout_id, customer_id, storefront, flags)
            VALUES ('com.example.shop', 'SANDBOX_1', 'sandbox', 12, 1000, 'SERVICES', 2000, 'text', 'confirmed', 'app',
                1500, 'k', 'c', 'NLD', '["no-base-url"]');
        INSERT INTO tokens (bundle_id, external_purchase_id, environment, app_apple_id, creation_date, text, state,
                source, first_seen, checkout_id, flags)
            VALUES ('com.example.shop', 'open', 'production', 12, 1001, 'text', 'unconfirmed', 'website', 1501, 'l', '[]');
        INSERT INTO checkouts VALUES ('com.example.shop', 'k', 'SANDBOX_1', 'c');
        INSERT INTO reports (bundle_id, environment, request_key, request_identifier, external_purchase_id, status, body,
                written_at, state, changed_at, attempts, errors)
            VALUES ('com.example.shop', 'sandbox', 'abcdef00-0000-4000-8000-000000000001',
                'ABCDEF00-0000-4000-8000-000000000001', 'SANDBOX_1', 'LINE_ITEM', CAST('{"requestIdentifier":
                "ABCDEF00-0000-4000-8000-000000000001","externalPurchaseId":"SANDBOX_1","status":"LINE_ITEM","lineItems":
                [{"lineItemId":"s","creationDate":1795176000125}]}' AS BLOB), 1600, 'accepted', 1700, 1, '[]');
        INSERT INTO sales (bundle_id, sale_id, line_item_id, content, received_at, state, external_purchase_id,
                environment, flags, request_key)
            VALUES ('com.example.shop', 's', 's', '{"saleId":"s","bundleId":"com.example.shop","type":"purchase",
                "occurredAt":"2026-11-20T12:00:00.125Z","customerId":"c","productId":"gems","quantity":1,
                "amount":{"currency":"EUR","inclusive":"9.99"}}', 1550, 'planned', 'SANDBOX_1', 'sandbox', '[]',
                'abcdef00-0000-4000-8000-000000000001');
        INSERT INTO sales (bundle_id, sale_id, line_item_id, refund_of, content, received_at, state,
                external_purchase_id, environment, flags)
            VALUES ('com.example.shop', 'r', 'r', 's', '{"saleId":"r","bundleId":"com.example.shop","type":"refund",
                "occurredAt":"2026-11-20T12:00:01.125Z","refundOf":"s","checkoutId":"k","amount":{"inclusive":"1.00"}}',
                1551, 'planned', 'SANDBOX_1', 'sandbox', '[]');
        INSERT INTO accepted_items (bundle_id, environment, line_item_id, version, external_purchase_id, request_key,
                content)
            VALUES ('com.example.shop', 'sandbox', 's', 1, 'SANDBOX_1', 'abcdef00-0000-4000-8000-000000000001',
                '{"lineItemId":"s","creationDate":1795176000125}');
        """

    @Test("Nothing is lost on the way from the first schema, and everything defends itself afterwards")
    func firstVersion() async throws {
        let path = try temporaryFile()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { database in
            try migrate(database, to: [.tokensSalesReports])
            try database.execute(sql: Self.rows)
        }
        try queue.close()
        let store = try SQLiteLedgerStore(path: path)
        let scope = ReportingScope(bundleId: "com.example.shop", environment: .sandbox)
        try await store.step { ledger throws in
            let token = try #require(try ledger.token("SANDBOX_1", of: scope.bundleId))
            #expect(token.text == "text")
            #expect(token.customerId == "c")
            #expect(token.flags == [.noBaseURL])
            #expect(token.reportedAt == Timestamp(milliseconds: 1_700))
            #expect(try ledger.token("open", of: scope.bundleId)?.reportedAt == nil)
            #expect(try ledger.checkout("k", of: scope.bundleId)?.customerId == "c")
            let customer = try #require(try ledger.customer("c", of: scope.bundleId))
            #expect(customer.firstSeen == Timestamp(milliseconds: 1_500))
            #expect(customer.pseudonym.hasPrefix("customer-"))
            let sale = try #require(try ledger.sale("s", of: scope.bundleId))
            #expect(sale.sale.customerId == "c")
            #expect(sale.sale.purchase?.inclusive == Decimal(string: "9.99"))
            #expect(sale.standing == .reported)
            // What lists are filtered by, and what takes a sale back, of older rows too.
            #expect(try ledger.refunds(of: "s", app: scope.bundleId).map(\.sale.saleId) == ["r"])
            var (product, checkout) = (SaleFilter(bundleId: scope.bundleId), SaleFilter(bundleId: scope.bundleId))
            (product.productId, checkout.checkoutId) = ("gems", "k")
            #expect(
                try ledger.sales(matching: product, LedgerPage()).filter(product.matches).map(\.sale.saleId) == ["s"]
            )
            #expect(
                try ledger.sales(matching: checkout, LedgerPage()).filter(checkout.matches).map(\.sale.saleId) == ["r"]
            )
            let moment = Timestamp(milliseconds: 1_795_176_000_125)
            let next = moment + .milliseconds(1)
            #expect(
                try ledger.sales(of: scope.bundleId, occurredFrom: moment, until: next, TimePage()) == [sale]
            )
            #expect(try ledger.lineItemVersions("s", in: scope).map(\.reportState) == [.accepted])
            #expect(
                try ledger.lineItems(in: scope, createdFrom: moment, until: next, TimePage()).map(\.item.lineItemId)
                    == ["s"]
            )
            #expect(try ledger.newestAccepted(["s"], in: scope)["s"]?.item.creationDate == moment.milliseconds)
            _ = try ledger.eraseCustomer("c", of: scope.bundleId)
            #expect(try ledger.sale("s", of: scope.bundleId)?.sale.customerId == CustomerId(customer.pseudonym))
        }
        try await store.pool.writeWithoutTransaction { database in
            #expect(try Bool.fetchOne(database, sql: "PRAGMA foreign_keys") == true)
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            try database.checkForeignKeys()
        }
    }

    @Test("Every table refuses rows of other types, and every row its deletion")
    func strictness() async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile())
        try await store.pool.read { database in
            let tables = try Row.fetchAll(
                database,
                sql: "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'"
            )
            #expect(tables.count == 37)
            for table in tables {
                let name: String = table["name"]
                #expect(table["strict"] == 1, "\(name)")
                let triggers = try Int.fetchOne(
                    database,
                    sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? AND sql LIKE ?",
                    arguments: [name, "%BEFORE DELETE%"]
                )
                // Deadlines are derived, and vanish when their row is reported; so do requests of reports. Leases say who
                // works now.
                let passing = ["migrations", "deadlines", "leases", "report_requests"]
                #expect(passing.contains(name) || triggers == 1, "\(name)")
            }
        }
    }
}
