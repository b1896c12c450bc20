import ExternalPurchaseCore
import Foundation
import GRDB
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite("Stored deadlines are read by ranges of an index")
struct DeadlineQueryPlanTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let sql: String
        /// What the plan has to say, in full.
        let plan: [String]

        init(_ sql: String, _ plan: String...) { (self.sql, self.plan) = (sql, plan) }

        var testDescription: String { plan.joined(separator: "; ") }
    }

    private static let position = DeadlinePosition(
        needsReview: false,
        dueAt: Timestamp(milliseconds: 1),
        createdAt: Timestamp(milliseconds: 1),
        subject: StoredDeadline.Subject(isLineItem: false, sequence: 1)
    )
    private static let inOrder = "SEARCH deadlines USING COVERING INDEX deadlines_in_order"
    private static let toSend = "SEARCH deadlines USING COVERING INDEX deadlines_to_send"

    private static func conditions(
        _ change: (inout DeadlineQuery) -> Void
    ) -> String {
        var query = DeadlineQuery(at: Timestamp(milliseconds: 0), blockedApps: [])
        change(&query)
        return DeadlineSQL.conditions(query).sql
    }

    static let cases = [
        Case(
            DeadlineSQL.page(hasDeadline: true, after: nil, ""),
            "\(inOrder) (bundle_id=? AND standing=? AND due_at>?)"
        ),
        Case(
            DeadlineSQL.page(hasDeadline: true, after: position, ""),
            "\(inOrder) (bundle_id=? AND standing=? AND (due_at,created_at,is_line_item,sequence)>(?,?,?,?))"
        ),
        Case(
            DeadlineSQL.page(hasDeadline: false, after: nil, ""),
            "\(inOrder) (bundle_id=? AND standing=? AND due_at=?)"
        ),
        Case(
            DeadlineSQL.page(hasDeadline: false, after: position, ""),
            "\(inOrder) (bundle_id=? AND standing=? AND due_at=? AND (created_at,is_line_item,sequence)>(?,?,?))"
        ),
        Case(
            DeadlineSQL.page(
                hasDeadline: true,
                after: nil,
                conditions { $0.due = .within(from: Timestamp(milliseconds: 1), until: Timestamp(milliseconds: 2)) }
            ),
            "\(inOrder) (bundle_id=? AND standing=? AND due_at>? AND due_at<?)"
        ),
        Case(DeadlineSQL.before, "\(inOrder) (bundle_id=? AND standing=? AND due_at<?)"),
        Case(
            DeadlineSQL.tokensToAnswer,
            "\(toSend) (bundle_id=? AND environment=? AND is_line_item=? AND (send_at,sequence)>(?,?) AND send_at<?)",
            "SEARCH tokens USING INTEGER PRIMARY KEY (rowid=?)"
        ),
        Case(
            DeadlineSQL.nextTokenToAnswer,
            "\(toSend) (bundle_id=? AND environment=? AND is_line_item=? AND (send_at,sequence)>(?,?))"
        ),
        Case(
            DeadlineSQL.salesToSend,
            "\(toSend) (bundle_id=? AND environment=? AND is_line_item=? AND send_at>? AND send_at<?)",
            "SEARCH sales USING INTEGER PRIMARY KEY (rowid=?)"
        ),
        Case(
            DeadlineSQL.nextSaleToSend,
            "\(toSend) (bundle_id=? AND environment=? AND is_line_item=? AND send_at>?)"
        ),
        Case(DeadlineSQL.changed, "SEARCH deadlines USING COVERING INDEX deadlines_by_rules (rules=?)"),
        Case(DeadlineSQL.outdated, "SEARCH deadlines USING COVERING INDEX deadlines_by_rules (rules<?)"),
        Case(DeadlineSQL.ofEarlierRules, "SEARCH deadlines USING COVERING INDEX deadlines_by_rules (rules<?)"),
        Case(DeadlineSQL.refusedKeys, "SCAN review_items USING INDEX review_items_of_refused_keys"),
        Case(DeadlineSQL.rules, "SCAN deadline_rules"),
        Case(DeadlineSQL.all, "SCAN deadlines"),
    ]

    private func plan(_ sql: String) async throws -> [String] {
        let store = try SQLiteLedgerStore(path: temporaryFile())
        return try await store.pool.read { database in
            let statement = try database.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
            let arguments = StatementArguments(repeatElement(1, count: sql.count { $0 == "?" }))
            return try Row.fetchAll(statement, arguments: arguments).map { row -> String in row["detail"] }
        }
    }

    @Test("The plan is one range of an index in its order, without sorting (OB-51, RR-72)", arguments: cases)
    func ranges(_ example: Case) async throws {
        #expect(try await plan(example.sql) == example.plan)
    }

    @Test("Counts read the index only, however wide the rows are")
    func counts() async throws {
        let plan = try await plan(DeadlineSQL.counts(boundaries: 4, " AND bundle_id = ?"))
        #expect(plan.first == "\(Self.inOrder) (bundle_id=?)", "\(plan)")
        let all = try await self.plan(DeadlineSQL.counts(boundaries: 4, ""))
        #expect(all.first == "SCAN deadlines USING COVERING INDEX deadlines_in_order", "\(all)")
    }

    @Test("The apps with deadlines are found by one search each")
    func apps() async throws {
        let plan = try await plan(DeadlineSQL.apps)
        let scans = plan.filter { $0.hasPrefix("SCAN") && !$0.contains("apps") && !$0.contains("CONSTANT") }
        #expect(scans.isEmpty, "\(plan)")
        #expect(plan.contains { $0.contains("SEARCH deadlines USING COVERING INDEX") }, "\(plan)")
    }

    @Test(
        "What a change outdates is found by keys",
        arguments: [
            DeadlineSQL.SubjectSearch.token, .tokenOfSale, .tokenOfNewSale, .tokenOfReport, .sale, .salesOnToken,
            .salesOfReport, .salesOfExport,
        ]
    )
    func outdating(_ search: DeadlineSQL.SubjectSearch) async throws {
        let plan = try await plan(search.sql)
        let scans = plan.filter { $0.hasPrefix("SCAN") && !$0.contains("CONSTANT ROW") }
        #expect(scans.isEmpty, "\(plan)")
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    @Test("Every column of the table is stored and read back")
    func columns() async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile())
        let columns = try await store.pool.read { try $0.columns(in: "deadlines").map(\.name) }
        let inserted = DeadlineSQL.set.split(separator: "(")[1].split(separator: ")")[0]
            .split(separator: ",").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        #expect(inserted == columns)
    }
}
