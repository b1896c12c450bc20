import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import NIOCore
import Synchronization
import Testing

@testable import Reporting
@testable import ReportingServer

@Suite("Overview, due list, metrics, alerts and health state the same figures of an environment")
struct EnvironmentFiguresTests {
    private static let day: Int64 = 86_400_000
    /// 2026-10-01T00:00:00Z, from which the programme of the app is in force.
    private static let october: Int64 = 1_790_812_800_000
    /// The ends of 15 November and 15 December, which are the programme's deadlines of October and November.
    private static let deadlines: [Int64] = [1_794_787_199_999, 1_797_379_199_999]
    /// 2026-11-01T00:00:00Z.
    private static let november: Int64 = 1_793_491_200_000
    /// 2026-11-10T12:00:00Z, when everything arrives.
    private static let arrival: Int64 = 1_794_312_000_000

    /// An open token or sale, as the test knows it without asking the package.
    private struct Row {
        let environment: String
        let due: Int64
        let isSale: Bool

        func step(at now: Int64) -> String {
            if due < now { return "overdue" }
            let left = due - now
            return [1, 2, 5].first { left <= $0 * EnvironmentFiguresTests.day }.map { "\($0)d" } ?? "open"
        }
    }

    /// What the server is told, and what follows of it.
    private struct Books {
        var rows: [Row] = []
        /// Environments of sales that wait for their report.
        var planned: Set<String> = []
        var held: [String: Int] = [:]

        func count(_ step: (String) -> Bool, in environment: String, at now: Int64) -> Int {
            rows.count { $0.environment == environment && step($0.step(at: now)) }
        }
    }

    private final class Messages: AlertReceiver {
        private let bodies = Mutex<[[UInt8]]>([])

        func deliver(_ body: [UInt8], messageId: String) async -> String? {
            bodies.withLock { $0.append(body) }
            return nil
        }

        /// The events of due dates, by environment and step.
        var events: [String: Int] {
            get throws {
                var counts: [String: Int] = [:]
                for body in bodies.withLock({ $0 }) {
                    let message = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
                    for event in message?["events"] as? [[String: Any]] ?? [] where event["kind"] as? String == "due" {
                        let environment = event["environment"] as? String ?? "none"
                        counts["\(environment) \(event["step"] as? String ?? "")", default: 0] += 1
                    }
                }
                return counts
            }
        }
    }

    @Test(
        "A sale without a token counts by the token that it names, else by what it states, else in production (OB-51)",
        arguments: [1, 2, 3, 4] as [UInt64],
        // 14 and 21 November, 14 December.
        [1_794_657_600_000, 1_795_262_400_000, 1_797_206_400_000] as [Int64]
    )
    func agreement(_ seed: UInt64, _ moment: Int64) async throws {
        let clock = Clock(Self.arrival)
        var dependencies = ReportingDependencies.live
        dependencies.now = { Timestamp(milliseconds: clock.now) }
        var settings = ReportingSettings()
        settings.isSendingOn = false
        let server = try ServerFixture(
            environments: [.sandbox, .production],
            programmes: ["eu-2026-10"],
            settings: settings,
            dependencies: dependencies
        )
        let merchant = server.merchant
        try await server.application.test(.router) { client in
            var random = SplitMix64(seed: seed)
            let books = try await Self.fill(client, &random)
            clock.set(moment)

            let messages = Messages()
            let monitor = merchant.alertMonitor(
                AlertSettings(first: 10_000, includesScheduled: true),
                routes: [AlertRoute(.webhook, messages)]
            )
            try await monitor.scan()
            _ = await monitor.deliverWaiting()
            let alerts = try messages.events
            let metrics = String(buffer: try await client.execute(uri: "/metrics", method: .get).body)
            let health = try await client.execute(uri: "/health/ready", method: .get)
            #expect(health.json["status"] as? String == "ok")

            var overdueInAll = 0
            for environment in ["production", "sandbox"] {
                let overdue = books.count({ $0 == "overdue" }, in: environment, at: moment)
                let warned = books.count({ $0.hasSuffix("d") }, in: environment, at: moment)
                let open = books.count({ $0 == "open" }, in: environment, at: moment)
                overdueInAll += overdue
                #expect(books.rows.contains { $0.environment == environment && $0.isSale })

                // The due list.
                var states: [String: Int] = [:]
                let list = try await client.execute(
                    uri: "/v1/due?environment=\(environment)&limit=1000",
                    method: .get
                )
                for entry in list.json["due"] as? [[String: Any]] ?? [] {
                    states[entry["state"] as? String ?? "", default: 0] += 1
                    #expect(entry["environment"] as? String == environment)
                }
                let expected = ["overdue": overdue, "warned": warned, "open": open].filter { $0.value > 0 }
                #expect(states == expected)

                // The overview.
                let page = String(
                    buffer: try await client.execute(uri: "/?environment=\(environment)", method: .get).body
                )
                #expect(Self.tile("Overdue", in: page) == overdue)
                #expect(Self.tile("Due soon", in: page) == warned)
                #expect(Self.tile("Not reported yet", in: page) == overdue + warned + open)

                // The metrics.
                func due(_ state: String) -> Int {
                    Self.sum(
                        metrics,
                        "external_purchase_due",
                        ["environment=\"\(environment)\"", "state=\"\(state)\""]
                    )
                }
                #expect(due("overdue") == overdue)
                #expect(due("warned") == warned)
                #expect(due("open") == open)
                // A sale counts once for each of its flags; every held one of these lacks its tax.
                let held = ["environment=\"\(environment)\"", "flag=\"no-tax\""]
                #expect(Self.sum(metrics, "external_purchase_held_sales", held) == books.held[environment] ?? 0)
                let age = Self.sum(
                    metrics,
                    "external_purchase_oldest_unsent_age_seconds",
                    ["environment=\"\(environment)\""]
                )
                #expect(age == (books.planned.contains(environment) ? Int(moment - Self.arrival) / 1_000 : 0))

                // The alerts.
                for step in ["overdue", "1d", "2d", "5d"] {
                    #expect(
                        alerts["\(environment) \(step)"] ?? 0
                            == books.count({ $0 == step }, in: environment, at: moment),
                        "\(step)"
                    )
                }

                // The list of sales.
                let sales = try await client.execute(
                    uri: "/v1/sales?environment=\(environment)&state=held&limit=1000",
                    method: .get
                )
                #expect((sales.json["sales"] as? [Any])?.count == books.held[environment] ?? 0)
            }
            #expect(overdueInAll == Self.sum(metrics, "external_purchase_due", ["state=\"overdue\""]))
            #expect(!metrics.contains("environment=\"none\""))
        }
    }

    /// The time by hand.
    private final class Clock: Sendable {
        private let state: Mutex<Int64>

        init(_ now: Int64) { state = Mutex(now) }

        var now: Int64 { state.withLock { $0 } }

        func set(_ now: Int64) { state.withLock { $0 = now } }
    }

    /// Sends random tokens and sales over HTTP.
    private static func fill(
        _ client: some TestClientProtocol,
        _ random: inout SplitMix64
    ) async throws -> Books {
        func number(_ bound: Int) -> Int { Int(random.next() >> 33) % bound }
        func post(_ path: String, _ body: String) async throws -> TestResponse {
            try await client.execute(
                uri: path,
                method: .post,
                headers: [.contentType: "application/json"],
                body: ByteBuffer(string: body)
            )
        }
        func text(_ milliseconds: Int64) -> String { Timestamp(milliseconds: milliseconds).description }
        func monthDeadline(_ moment: Int64) -> Int64 { deadlines[moment < november ? 0 : 1] }
        var books = Books()
        var tokens: [(id: String, created: Int64, environment: String)] = []
        for count in 0..<14 {
            let environment = number(3) == 0 ? "sandbox" : "production"
            let id = (environment == "sandbox" ? "SANDBOX_" : "") + "4d3f0000-0000-4000-8000-\(100_000_000_000 + count)"
            // Whole hours, at least one hour before the arrival.
            let created = october + Int64(number(40 * 24)) * 3_600_000
            let token = ExternalPurchaseToken(
                appAppleId: ServerFixture.appAppleId,
                bundleId: ServerFixture.bundleId,
                tokenCreationDate: Timestamp(milliseconds: created),
                externalPurchaseId: ExternalPurchaseId(id)
            )
            let answer = try await post("/v1/tokens", #"{"token":"\#(token.encoded())"}"#)
            #expect(answer.status == .created, "\(String(buffer: answer.body))")
            tokens.append((id, created, environment))
            // RR-70: ten days after its creation, or the deadline of the month.
            books.rows.append(
                Row(environment: environment, due: min(created + 10 * day, monthDeadline(created)), isSale: false)
            )
        }
        for count in 0..<40 {
            var (members, environment, isPlanned) = ("", "production", false)
            var earliest = october
            switch number(6) {
            case 0: break
            case 1:
                environment = number(2) == 0 ? "sandbox" : "production"
                members = #""environment":"\#(environment)","#
            case 2:
                // It names a token that never came.
                environment = number(2) == 0 ? "sandbox" : "production"
                let prefix = environment == "sandbox" ? "SANDBOX_" : ""
                members = #""externalPurchaseId":"\#(prefix)4d3f0000-0000-4000-8000-\#(200_000_000_000 + count)","#
            default:
                let token = tokens[number(tokens.count)]
                (environment, earliest, isPlanned) = (token.environment, token.created + 3_600_000, number(4) > 0)
                members = #""externalPurchaseId":"\#(token.id)","#
            }
            let hours = max(1, (arrival - 3_600_000 - earliest) / 3_600_000)
            let occurred = min(earliest + Int64(number(Int(hours))) * 3_600_000, arrival)
            let isVoid = number(6) == 0
            let tax = isPlanned ? #""taxRate":"21","# : ""
            let body = """
                {"saleId":"sale-\(count)","bundleId":"\(ServerFixture.bundleId)","type":"purchase",
                "occurredAt":"\(text(occurred))",\(members)"productId":"gems.100","quantity":1,
                "amount":{"currency":"EUR","inclusive":"9.99",\(tax)"taxCountry":"NLD"}}
                """
            let answer = try await post("/v1/sales", body)
            #expect(answer.status == .created, "\(String(buffer: answer.body))")
            #expect(answer.json["state"] as? String == (isPlanned ? "planned" : "held"))
            if isVoid {
                let void = try await post("/v1/sales/sale-\(count)/void", #"{"reason":"test","by":"kim"}"#)
                #expect(void.status == .ok, "\(String(buffer: void.body))")
                continue
            }
            books.rows.append(Row(environment: environment, due: monthDeadline(occurred), isSale: true))
            if isPlanned {
                books.planned.insert(environment)
            } else {
                books.held[environment, default: 0] += 1
            }
        }
        return books
    }

    /// The number of a tile of the overview.
    private static func tile(_ label: String, in page: String) -> Int? {
        page.matches(of: #/<b>([0-9]+)</b> <span>([^<]+)</span>/#).first { $0.2 == label }.flatMap { Int($0.1) }
    }

    /// The sum of the series of a family that have all of the labels.
    private static func sum(_ text: String, _ family: String, _ labels: [String]) -> Int {
        text.split(separator: "\n")
            .filter { line in line.hasPrefix("\(family){") && labels.allSatisfy { line.contains($0) } }
            .compactMap { line in line.split(separator: " ").last.flatMap { Double($0) } }
            .reduce(0) { $0 + Int($1) }
    }
}
