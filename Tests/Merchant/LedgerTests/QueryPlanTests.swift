import Foundation
import GRDB
import Testing

@testable import Ledger
@testable import LedgerSQLite

@Suite("Queries that run often find their rows by index")
struct QueryPlanTests {
    private static let fewOfAnApp = [
        "tokens_open", "sales_in_turn", "sales_held", "reports_open", "token_observations_imported",
        "sale_versions_replaced",
    ]

    @Test(
        "The plan names the index, reads no whole table and sorts nothing",
        arguments: [
            (Query.tokensUnreported, "tokens_open"), (Query.tokensByCreation, "tokens_by_creation"),
            (Query.observations, "token_observations_once"), (Query.claims, "sqlite_autoindex_checkout_claims_1"),
            (Query.claimedTokens, "tokens_claimed"), (Query.claimedCheckouts, "checkout_claims_by_token"),
            (Query.tapsOfCustomer, "link_taps_by_checkout"), (Query.tapsOfToken, "link_taps_by_token"),
            (Query.tapsOfCustomer, "link_taps_by_token"), (Query.tapsOfCustomer, "checkouts_by_customer"),
            (Query.sale, "sqlite_autoindex_sales_1"), (Query.salesOfSubscription, "sales_of_subscription"),
            (Query.salesOfCustomer, "sales_of_customer"), (Query.salesOfToken, "sales_of_token"),
            (Query.pendingSalesOnToken, "sales_pending_on_token"),
            (Query.heldSalesOfCustomer, "sales_held_of_customer"),
            (Query.pendingSalesOfCheckout, "sales_pending_of_checkout"),
            (Query.salesOfPayment, "sales_of_payment"), (Query.salesOfPayment, "versions_of_payment"),
            (Query.salesTakingBackSubscription, "sales_of_subscription"),
            (Query.salesTakingBackSubscription, "sales_refunds"),
            (Query.customLinkTokensOfCustomer, "tokens_of_periods"), (Query.newestTokens[3], "tokens_of_periods"),
            (Query.newestTokens[0], "tokens_of_trusted_periods"), (Query.newestTokens[1], "tokens_of_trusted_periods"),
            (Query.newestTokens[2], "tokens_of_trusted_periods"), (Query.tokensOfPeriod, "tokens_of_periods"),
            (Query.tokensOfEndlessPeriod, "tokens_of_periods"), (Query.chosenTokensOfPeriod, "tokens_of_periods"),
            (Query.chosenTokensOfEndlessPeriod, "tokens_of_periods"),
            (Query.trustedTokenOfPeriod[0], "tokens_of_trusted_periods"),
            (Query.trustedTokenOfEndlessPeriod[2], "tokens_of_trusted_periods"),
            (Query.importedTokensOfCustomer, "tokens_imported"),
            (Query.importedTokensOfCustomer, "token_observations_imported"), (Query.newestAccepted, "accepted_items"),
            (Query.pendingSalesOfCustomer, "sales_pending_of_customer"), (Query.reportSummary, "reports_of_token"),
            (Query.reportSummary, "reports_open"), (Query.salesInState, "sales_by_state"),
            (Query.salesByMoment, "sales_by_moment"),
            (Query.salesOfExport, "sales_of_export"), (Query.linesOfSale, "sales_of_order"),
            (Query.refunds, "sales_refunds"), (Query.replacedSales, "sale_versions_replaced"),
            (Query.givenSales, "INTEGER PRIMARY KEY"),
            (Query.reportsOnToken, "reports_of_token"), (Query.acceptedReportsOnToken, "reports_of_token"),
            (Query.lineItemVersions, "sent_items_by_id"), (Query.lineItemsByDate, "sent_items_by_date"),
            (Query.notificationsToDo, "notifications_to_do"),
            (Query.heldPaymentEvent, "payment_events_held_of_app (app=?)"),
            (Query.stuckPaymentEvents, "payment_events_stuck (app=? AND received_at<?)"),
            (Query.publicCheckouts, "checkouts_of_token"), (Query.publicCheckouts, "checkout_claims_by_token"),
            (Query.paymentEventsOfObjects, "PRIMARY KEY (provider=? AND object_id=?)"),
            (Query.paymentEventsToReopen, "PRIMARY KEY (provider=? AND object_id=?)"),
            (Query.referencedPaymentEvent, "PRIMARY KEY (provider=? AND object_id=?)"),
            (Query.paymentFigures, "COVERING INDEX payment_events_of_payments"),
            (Query.notificationsOfToken, "notifications_of_token"),
            (Query.newestNotification, "notifications_by_type"), (Query.openReview, "review_items_open"),
            (Query.openReviewOfKind, "review_items_open_of_kind"),
            (Query.reviewAbout, "review_items_by_subject"), (Query.openCorrections, "corrections_open"),
            (Query.heldSales, "sales_held"), (Query.plannedSales, "sales_of_token"),
            (Query.tokensToReport, "sales_in_turn"), (Query.tokensToReport, "reports_open"),
            (Query.openTokens, "tokens_open"), (Query.openTokensOfApp, "tokens_open (bundle_id=?)"),
            (Query.openTokens, "sales_of_token"), (Query.openSales, "sales_in_turn"),
            (Query.openSales, "sales_held"), (Query.openSales, "sales_of_report"),
            (Query.openSalesOfApp, "sales_in_turn (bundle_id=?)"), (Query.openSalesOfApp, "reports_open"),
            (Query.firstDelivery, "webhook_deliveries_of_subject"),
            (Query.dueDeliveries, "webhook_deliveries_waiting"),
            (Query.dueDeliveries, "webhook_deliveries_of_subject"), (Query.deliveryAttempts, "PRIMARY KEY"),
            (Query.alertTold, "PRIMARY KEY"),
            (Query.undeliveredAlerts, "alert_messages_waiting"),
            (Query.undeliveredAlertsOfChannel, "alert_messages_of_channel"),
            (Query.reportCounts, "sqlite_autoindex_reports_1"), (Query.openReportCounts, "reports_open"),
            (Query.heldCounts, "sales_held"), (Query.plannedCounts, "sales_"),
            (Query.reviewCounts, "review_items_o"), (Query.alertCounts, "alert_messages_waiting"),
            (Query.waitingSaleChanges, "sale_changes_waiting"), (Query.changesOfSale, "sale_changes_by_sale"),
            (Query.salesOfReport, "sales_of_report"),
            (Query.report, "sqlite_autoindex_reports_1"), (Query.saleIdsOfExport, "sales_of_export"),
            (Query.notificationOfApp, "sqlite_autoindex_notifications_1"),
            (Query.salesOfSpan, "sales_by_moment"), (Query.salesOfSpan, "sqlite_autoindex_tokens_1"),
            (Query.salesOfSpan, "sqlite_autoindex_customers_2"), (Query.tokensOfReports, "reports_of_app"),
            (Query.tokensOfReports, "sqlite_autoindex_tokens_1"), (Query.customersOfTokens, "tokens_of_app"),
            (Query.tokensOfNotifications, "notifications_of_app"), (Query.salesAtNumbers, "INTEGER PRIMARY KEY"),
            (Query.rows(of: "reports"), "INTEGER PRIMARY KEY"),
            (Query.versionsOfSales, "sqlite_autoindex_sale_versions_1"),
            (Query.lastAuditEntry, "SCAN audit_log"), (Query.auditOfRecord, "audit_of_record"),
        ]
    )
    func plan(_ sql: String, index: String) async throws {
        let store = try SQLiteLedgerStore(path: temporaryFile())
        let plan = try await store.pool.read { database in
            let statement = try database.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
            let arguments = StatementArguments(repeatElement(1, count: statement.sqlite3ArgumentCount))
            return try Row.fetchAll(statement, arguments: arguments).map { row -> String in row["detail"] }
        }
        #expect(plan.contains { $0.contains(index) }, "\(plan)")
        // The newest entry is the last row of its table, so that the scan ends at the first one it reads.
        let scans = plan.filter { line in
            line.hasPrefix("SCAN") && !line.contains("INDEX") && line != "SCAN audit_log"
                && line != "SCAN CONSTANT ROW"
                && !line.contains("VIRTUAL TABLE")
        }
        #expect(scans.isEmpty, "\(plan)")
        // An app has most rows of a table, unless the index has only what is open, or what is rare.
        let ofApps = plan.filter { line in
            line.contains("(bundle_id=?)") && !Self.fewOfAnApp.contains { line.contains("INDEX \($0) ") }
        }
        #expect(ofApps.isEmpty, "\(plan)")
        // A customer's taps, the claims on a checkout, two checkouts of a token, a token's observations and its tax countries, the refunds of a
        // subscription, and what is counted of what is open, are few; their sorting is no matter. All reports of a
        // token are listed for exports and dry runs only.
        let isSmall = [
            Query.tapsOfCustomer, Query.tapsOfToken, Query.observations, Query.claims, Query.openTokens,
            Query.publicCheckouts, Query.paymentFigures, Query.salesOfPayment,
            Query.openTokensOfApp, Query.openReportCounts,
            Query.heldCounts, Query.reviewCounts, Query.plannedCounts, Query.reportsOnToken,
            Query.acceptedReportsOnToken,
            Query.replacedSales, Query.salesTakingBackSubscription,
        ].contains(sql)
        #expect(isSmall || !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }
}

extension Statement {
    fileprivate var sqlite3ArgumentCount: Int {
        if sql.contains("?4") { return 4 }
        if sql.contains("?3") { return 3 }
        if sql.contains("?2") { return 2 }
        return sql.contains("?1") ? 1 : sql.count { $0 == "?" }
    }
}
