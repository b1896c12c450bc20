import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import Testing

@testable import Reporting

@Suite("The figures of /metrics")
struct ReportingMetricsTests {
    @Test("Labels and help are escaped, families have HELP and TYPE once, empty ones are left out")
    func text() {
        var text = PrometheusText()
        text.add("empty", .gauge, "Nothing.", [])
        text.add(
            "sales_seconds",
            .counter,
            "One \\ two\nlines with \"quotes\".",
            [.init([("app", "a\"b\\c\nd"), ("zwei", "ü")], 1.5), .init([("app", "a")], 3), .init([], -0.25)]
        )
        #expect(
            text.text == """
                # HELP sales_seconds One \\\\ two\\nlines with "quotes".
                # TYPE sales_seconds counter
                sales_seconds -0.25
                sales_seconds{app="a"} 3
                sales_seconds{app="a\\"b\\\\c\\nd",zwei="ü"} 1.5

                """
        )
    }

    /// The series of an answer, each with its value; every line is read by the grammar of the format.
    static func series(_ text: String) throws -> [String: Double] {
        var series: [String: Double] = [:]
        var described: Set<Substring> = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#") {
                let words = line.split(separator: " ")
                #expect(["HELP", "TYPE"].contains(words[1]))
                if words[1] == "TYPE" {
                    #expect(["gauge", "counter"].contains(words[3]))
                    #expect((words[3] == "counter") == words[2].hasSuffix("_total"))
                    described.insert(words[2])
                }
                continue
            }
            let pattern = #/([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\n"])*",?)*)\})? (-?[0-9.e+-]+)/#
            let match = try #require(try pattern.wholeMatch(in: line), "\(line)")
            #expect(described.contains(match.1), "\(line)")
            #expect(match.1.hasPrefix("external_purchase_"))
            let name = String(line.prefix { $0 != " " })
            #expect(series[name] == nil, "\(name) stands twice")
            series[name] = Double(match.3)
        }
        return series
    }

    private static func sqlite() throws -> SQLiteLedgerStore {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try SQLiteLedgerStore(path: folder.appendingPathComponent("l.sqlite").path)
    }

    @Test("What is due, held, open, refused and stopped is counted by app and environment")
    func figures() async throws {
        let spool = LandingSpool(
            path: FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        )
        let merchant = Merchant(store: try Self.sqlite(), spool: spool)
        try await merchant.take(Merchant.token("a"))
        try await merchant.take(Merchant.token("b", environment: .sandbox))
        try await merchant.sell(Merchant.purchase("lost", on: nil))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token("a")))
        await merchant.system.sender.runUntilIdle()
        try await merchant.store.write { ledger throws(LedgerError) in
            for _ in 1...3 { try ledger.countRefusal(of: "signature-wrong", at: Merchant.noon) }
            let scope = ReportingScope(bundleId: Merchant.shop, environment: .production)
            try ledger.moveHistoryPosition(of: scope, to: Merchant.noon)
        }
        try await merchant.take(Merchant.token("c"))
        merchant.apple.fail(.answer(.unauthorized), .answer(.unauthorized))
        try await merchant.sell(Merchant.purchase("t", on: Merchant.token("c")))
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(seconds: 9 * 86_400 + 3_600)
        let series = try Self.series(try await merchant.system.metrics())
        let app = #"app="com.example.shop""#
        let expected: [String: Double] = [
            #"external_purchase_due{\#(app),environment="sandbox",kind="token",state="overdue",warning_days="",held="true"}"#:
                1,
            #"external_purchase_due{\#(app),environment="production",kind="token",state="overdue",warning_days="",held="true"}"#:
                1,
            #"external_purchase_due{\#(app),environment="production",kind="token",state="overdue",warning_days="",held="false"}"#:
                0,
            #"external_purchase_held_sales{\#(app),environment="production",flag="no-token"}"#: 1,
            #"external_purchase_planned_sales{\#(app),environment="production"}"#: 0,
            #"external_purchase_reports{\#(app),environment="production",state="accepted"}"#: 1,
            #"external_purchase_reports{\#(app),environment="production",state="written"}"#: 1,
            #"external_purchase_queue_stopped{\#(app)}"#: 1,
            #"external_purchase_attention_items{\#(app),kind="key-refused"}"#: 1,
            #"external_purchase_oldest_unsent_age_seconds{\#(app),environment="production"}"#: 781_200,
            #"external_purchase_oldest_unsent_age_seconds{\#(app),environment="sandbox"}"#: 0,
            #"external_purchase_notifications_refused_total{failure="signature-wrong"}"#: 3,
            #"external_purchase_history_position_timestamp_seconds{\#(app),environment="production"}"#: 1_795_176_000,
            "external_purchase_spool_visits": 0,
            "external_purchase_alert_messages_waiting": 0,
        ]
        for (name, value) in expected { #expect(series[name] == value, "\(name): \(series)") }
        #expect(series["external_purchase_metrics_age_seconds"].map { $0 >= 0 && $0 < 60 } == true)
        #expect(series["external_purchase_due_age_seconds"] != nil)
        // Nothing in it links a person to a purchase (TK-77).
        #expect(!series.keys.contains { $0.contains("4d3f0000") })
    }

    @Test("An answer is kept for some seconds and says its age; the queue's state is always the newest")
    func kept() async throws {
        let merchant = Merchant(store: try Self.sqlite())
        try await merchant.take(Merchant.token())
        _ = try await merchant.system.metrics()
        try await merchant.sell(Merchant.purchase("lost", on: nil))
        let held = #"external_purchase_held_sales{app="com.example.shop",environment="production",flag="no-token"}"#
        let second = try Self.series(try await merchant.system.metrics())
        #expect(second[held] == nil)
        #expect(try #require(second["external_purchase_metrics_age_seconds"]) > 0)
        #expect(second[#"external_purchase_queue_stopped{app="com.example.shop"}"#] == 0)
    }

    @Test("Escalations are counted by step, and messages that wait are counted")
    func alerts() async throws {
        var settings = ReportingSettings()
        settings.isSendingOn = false
        let merchant = Merchant(store: try Self.sqlite(), settings: settings)
        try await merchant.take(Merchant.token("a"))
        try await merchant.take(Merchant.token("b"))
        merchant.clock.advance(seconds: 8 * 86_400)
        let receiver = ScriptedReceiver()
        receiver.refuse(1)
        let watch = merchant.system.alertMonitor(
            AlertSettings(includesScheduled: true),
            routes: [AlertRoute(.webhook, receiver)]
        )
        try await watch.scan()
        _ = await watch.deliverWaiting()
        let series = try Self.series(try await merchant.system.metrics())
        #expect(series[#"external_purchase_alerts_total{step="1d"}"#] == 2)
        #expect(series["external_purchase_alert_messages_waiting"] == 1)
    }
}
