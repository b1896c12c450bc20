import AppStoreServerClient
import ExternalPurchaseCore
import Foundation
import Ledger
import Logging
import Testing

@testable import Reporting

@Suite("While Apple's API does not answer, log, health and metrics say so (SA-73)")
struct SendingOutageTests {
    private static let silence = "reports wait: Apple's API does not answer"
    private static let again = "Apple's API answers again"

    /// The log lines about the API: level, and the reason where there is one.
    private static func lines(_ log: LogBook) -> [String] {
        log.lines.filter { $0.message == silence || $0.message == again }.map { line in
            "\(line.level) \(line.metadata["reason"].map { "\($0)" } ?? "answers")"
        }
    }

    private static func seconds(_ merchant: Merchant, _ name: String, _ environment: String) async throws -> Double? {
        let name = "external_purchase_\(name){app=\"com.example.shop\",environment=\"\(environment)\"}"
        return try ReportingMetricsTests.series(try await merchant.system.metrics())[name]
    }

    @Test("One warning for each reason with the moment of the first failure, and one line when it answers again")
    func outage() async throws {
        let log = LogBook()
        let merchant = Merchant(logger: log.logger)
        try await merchant.take(Merchant.token("a"))
        try await merchant.sell(Merchant.purchase("order-geheim", on: Merchant.token("a")))
        #expect(try await Self.seconds(merchant, "apple_unanswered_seconds", "production") == 0)
        merchant.apple.fail(.answer(.noAnswer(reason: "no server listens at api.example.com")))
        merchant.apple.failGet(
            .noAnswer(reason: "no server listens at api.example.com"),
            .serverError(status: 503),
            .serverError(status: 503)
        )
        for _ in 1...4 {
            await merchant.system.sender.runUntilIdle()
            merchant.clock.advance(seconds: 60)
        }
        #expect(
            Self.lines(log) == ["warning no server listens at api.example.com", "warning it answers with status 503"]
        )
        let warnings = log.lines.filter { $0.message == Self.silence }
        for line in warnings {
            #expect(line.metadata["since"] == "2026-11-20T12:00:00Z", "\(line)")
            #expect(line.metadata["app"] == "com.example.shop" && line.metadata["environment"] == "production")
        }
        let health = await merchant.system.health.readiness()
        #expect(health.isReady)
        #expect(health.problems.map(\.check) == [.apple])
        #expect(
            health.problems.first?.detail
                == "reports of production wait: Apple's API does not answer since 2026-11-20T12:00:00Z: "
                + "it answers with status 503"
        )
        #expect(try await Self.seconds(merchant, "apple_unanswered_seconds", "production") == 240)
        #expect(try await Self.seconds(merchant, "apple_unanswered_seconds", "sandbox") == 0)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted])
        #expect(Self.lines(log).last == "info answers" && Self.lines(log).count == 3)
        #expect(await merchant.system.sender.outages.isEmpty)
        #expect(try await Self.seconds(merchant, "apple_unanswered_seconds", "production") == 0)
        // No sale, token or customer is in any line (TK-77).
        #expect(!log.lines.contains { "\($0)".contains("geheim") || "\($0)".contains("4d3f0000") })
    }

    /// An answer as it comes over the network.
    struct Raw: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String

        init(_ status: Int, _ body: String = "") { (self.status, self.body) = (status, body) }

        var received: ReceivedResponse {
            ReceivedResponse(status: status, body: Array(body.utf8), retryAfter: nil, now: Merchant.noon)
        }

        var testDescription: String { "\(status) \(body)" }
    }

    private static let page = "<html>Bad request (blocked by the gateway)</html>"

    /// Answers that are neither an acceptance nor a refusal by Apple's rules.
    private static let strange: [Raw] = [
        Raw(400, page), Raw(400), Raw(400, "{}"), Raw(400, #"{"errors":[]}"#), Raw(400, "[1]"), Raw(400, "null"),
        Raw(301), Raw(302, page), Raw(403, page), Raw(404, page), Raw(405), Raw(407), Raw(408), Raw(413, page),
        Raw(429),
        Raw(500, page), Raw(502, page), Raw(503), Raw(504, page), Raw(511, page), Raw(101), Raw(204),
    ]
    private static let strangeCopies: [Raw] = [
        Raw(200, page), Raw(200), Raw(401),
        Raw(400, #"{"errors":[{"errorCode":2,"errorMessage":"m"}]}"#),
        Raw(400, #"{"errors":[{"errorCode":3,"errorMessage":"m"},{"errorCode":2,"errorMessage":"m"}]}"#),
    ]

    // Whatever stands between server and Apple: reports do not stop in silence.
    @Test("An answer that is not Apple's is an outage until Apple answers again", arguments: strange + [Raw(401)])
    func strangeAnswer(_ put: Raw) async throws {
        try await Self.checkOutage(put, put)
    }

    @Test(
        "So it is when the question for a report is answered so after a PUT without a usable answer",
        arguments: strange + strangeCopies
    )
    func strangeCopy(_ get: Raw) async throws {
        for put in [Raw(400, Self.page), Raw(502)] { try await Self.checkOutage(put, get) }
    }

    private static func checkOutage(_ put: Raw, _ get: Raw) async throws {
        let log = LogBook()
        let merchant = Merchant(logger: log.logger)
        try await merchant.take(Merchant.token("a"))
        merchant.apple.interpose((SendOutcome(put.received), RetrieveOutcome(get.received)))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token("a")))
        for _ in 1...70 {
            await merchant.system.sender.runUntilIdle()
            merchant.clock.advance(seconds: 60)
        }
        let isKey = get.status == 401
        let health = await merchant.system.health.readiness()
        #expect(health.problems.map(\.check) == [isKey ? .key : .apple])
        #expect(try await seconds(merchant, "apple_unanswered_seconds", "production") ?? 0 >= 3_600)
        #expect(log.lines.contains { $0.message == silence && $0.level == .warning })
        let isTold = log.lines.contains { $0.level == .critical }
        #expect(isTold, "no alert after an hour: \(lines(log))")
        #expect(try await merchant.reports().map(\.state).allSatisfy { $0 == .unknown || $0 == .written })
        merchant.apple.interpose(nil)
        await merchant.system.sender.resume(Merchant.shop)
        merchant.clock.advance(seconds: 600)
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.accepted])
        #expect(await merchant.system.sender.outages.isEmpty)
        #expect(Self.lines(log).last == "info answers")
    }

    @Test("A refused key is named by its id in log, health and review item")
    func refusedKey() async throws {
        let log = LogBook()
        let merchant = Merchant(logger: log.logger)
        try await merchant.take(Merchant.token("a"))
        merchant.apple.fail(.answer(.unauthorized), .answer(.unauthorized))
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token("a")))
        await merchant.system.sender.runUntilIdle()
        #expect(Self.lines(log) == ["warning it refuses the key 2X9R4HXF34 (401)"])
        let health = await merchant.system.health.readiness()
        #expect(health.problems.map(\.check) == [.key])
        #expect(health.problems.first?.detail.hasSuffix("it refuses the key 2X9R4HXF34 (401)") == true)
        let item = try #require(try await merchant.system.lists.review(LedgerPage()).first)
        #expect(item.detail.contains("the key 2X9R4HXF34 of the app"), "\(item.detail)")
        await merchant.system.sender.resume(Merchant.shop)
        await merchant.system.sender.runUntilIdle()
        #expect(Self.lines(log).last == "info answers")
    }

    @Test("The age of what is unsent counts from the sale's arrival, also in the report after a retry")
    func age() async throws {
        let merchant = Merchant()
        try await merchant.take(Merchant.token("a"))
        merchant.apple.fail(
            .answer(.rejected([ReportError(ReportErrorCode(rawValue: 36), field: "creationDate", item: "s")]))
        )
        try await merchant.sell(Merchant.purchase("s", on: Merchant.token("a")))
        await merchant.system.sender.runUntilIdle()
        merchant.clock.advance(seconds: 3_600)
        let item = try #require(try await merchant.system.lists.review(LedgerPage()).first)
        _ = try await merchant.system.review.decide(
            ReviewDecision(.retry, by: "kim", note: "again"),
            on: item.sequence
        )
        merchant.apple.fail(.answer(.serverError(status: 503)))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.withdrawn, .unknown])
        #expect(try await Self.seconds(merchant, "oldest_unsent_age_seconds", "production") == 3_600)
    }

    @Test("The age of an answer without sales counts from its first report, also after a retry")
    func ageOfAnswer() async throws {
        let merchant = Merchant()
        try await merchant.take(Merchant.token("a", made: Merchant.noon - .days(20)))
        merchant.apple.fail(
            .answer(.rejected([ReportError(ReportErrorCode(rawValue: 12), field: "status", item: nil)]))
        )
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.needsAttention])
        merchant.clock.advance(seconds: 3_600)
        let item = try #require(try await merchant.system.lists.review(LedgerPage()).first)
        _ = try await merchant.system.review.decide(
            ReviewDecision(.retry, by: "kim", note: "again"),
            on: item.sequence
        )
        merchant.apple.fail(.answer(.serverError(status: 503)))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().map(\.state) == [.withdrawn, .unknown])
        #expect(try await Self.seconds(merchant, "oldest_unsent_age_seconds", "production") == 3_600)
    }
}
