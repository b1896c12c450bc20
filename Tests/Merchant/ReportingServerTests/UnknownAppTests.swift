import ExternalPurchaseCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Ledger
import NIOCore
import Testing

@testable import Reporting
@testable import ReportingServer

@Suite("An app that the configuration lacks, and of which tokens and sales are not reported (OB-52)")
struct UnknownAppTests {
    private static let two: BundleId = "com.example.two"
    private static let reason = "the configuration lacks the app: nothing of it is sent"
    private static let detail =
        "the configuration lacks com.example.two, of which 2 tokens and 2 sales are not reported: nothing of it is sent"

    /// The settings of a server that sends nothing by itself, so that both apps have the same open rows.
    private static let settings: ReportingSettings = {
        var settings = ReportingSettings()
        settings.isSendingOn = false
        return settings
    }()

    /// A ledger with the same open rows of two apps: a token, one with a sale, and a sale without a token.
    private static func filled() async throws -> ServerFixture {
        let fixture = try ServerFixture(others: [two], settings: settings)
        try await fixture.application.test(.router) { client in
            for (offset, app) in [ServerFixture.bundleId, two].enumerated() {
                for number in 1...2 {
                    let token = ExternalPurchaseToken(
                        appAppleId: ServerFixture.appAppleId + Int64(offset),
                        bundleId: app,
                        tokenCreationDate: Timestamp(Date()) - .days(1),
                        externalPurchaseId: ExternalPurchaseId(
                            "SANDBOX_7b1e6c1a-3f52-4d0b-9c77-00000000\(offset)00\(number)"
                        )
                    )
                    let body: [String: Any] = [
                        "token": token.encoded(), "checkoutId": "\(app)-\(number)", "customerId": "c",
                    ]
                    let answer = try await client.send(.post, "/v1/tokens", body: body)
                    #expect(answer.status == .created, "\(answer.json)")
                }
                for (id, checkout) in [("s", "\(app)-1"), ("alone", "elsewhere")] {
                    let sale: [String: Any] = [
                        "saleId": "\(id)-\(offset)", "bundleId": "\(app)", "type": "purchase",
                        "occurredAt": ISO8601DateFormatter().string(from: Date()), "checkoutId": checkout,
                        "productId": "p", "quantity": 1,
                        "amount": ["currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"],
                    ]
                    let answer = try await client.send(.post, "/v1/sales", body: sale)
                    #expect(answer.status == .created, "\(answer.json)")
                }
            }
        }
        return fixture
    }

    @Test("It needs a person in the due list, and health, metrics and start say so; the others are as before")
    func said() async throws {
        let before = try await Self.filled()
        #expect(try await before.merchant.unknownApps().isEmpty)
        let later = try ServerFixture(store: before.store, settings: Self.settings)
        #expect(try await later.merchant.unknownApps().map(\.detail) == [Self.detail])
        for (merchant, isUnknown) in [(before.merchant, false), (later.merchant, true)] {
            for entry in try await merchant.deadlines(limit: 100).entries.map(\.entry) {
                let states = DeadlineClassifier(at: merchant.now, warnDays: [])
                let json = entry.json(states, settings: .defaults).objectValue ?? [:]
                let isOfTwo = entry.subject.bundleId == Self.two
                // The sale without a token waits for it in either case.
                guard json["saleId"]?.stringValue?.hasPrefix("alone") != true else { continue }
                #expect(json["needsReview"]?.boolValue == (isUnknown && isOfTwo), "\(json)")
                #expect(json["heldFor"]?.stringValue == (isUnknown && isOfTwo ? Self.reason : nil), "\(json)")
                #expect((json["sendAt"]?.stringValue == nil) == (isUnknown && isOfTwo), "\(json)")
            }
            let held = try await merchant.deadlines(limit: 0).counts.held
            #expect(held == (isUnknown ? 3 : 0))
            let metrics = try await merchant.metrics()
            #expect(metrics.contains(#"external_purchase_due{app="com.example.two""#))
        }
        let problems = await later.merchant.health.readiness().problems
        #expect(problems.map(\.check) == [.apps] && problems.map(\.app) == [Self.two])
        #expect(problems.map(\.detail) == [Self.detail])
        #expect(await before.merchant.health.readiness().problems.isEmpty)
        try await later.application.test(.router) { client in
            let answer = try await client.send(.get, "/health/ready")
            #expect(answer.status == .ok && answer.json["status"] as? String == "degraded", "\(answer.json)")
            let metrics = String(buffer: try await client.send(.get, "/metrics").body)
            #expect(metrics.contains(#"external_purchase_check_failing{check="apps"} 1"#))
        }
        // Nobody who may not know the app learns its name.
        let told = Readiness(problems: problems).naming(only: [ServerFixture.bundleId])
        #expect(told.problems.map(\.check) == [.apps])
        #expect(told.problems.allSatisfy { $0.app == nil && !$0.detail.contains("two") })
    }

    @Test("Once nothing of it is open, nothing is said")
    func nothingOpen() async throws {
        let before = try ServerFixture(others: [Self.two], settings: Self.settings)
        let later = try ServerFixture(store: before.store, settings: Self.settings)
        #expect(try await later.merchant.unknownApps().isEmpty)
        #expect(await later.merchant.health.readiness().problems.isEmpty)
    }

    @Test("Its records can be read one by one as in the lists, exported and erased")
    func records() async throws {
        let before = try await Self.filled()
        let later = try ServerFixture(store: before.store, settings: Self.settings)
        try await later.application.test(.router) { client in
            let id = "SANDBOX_7b1e6c1a-3f52-4d0b-9c77-000000001001"
            for path in [
                "/v1/sales/s-1", "/v1/sales/alone-1", "/v1/sales/s-1?bundleId=com.example.two", "/v1/tokens/\(id)",
                "/v1/tokens/\(id)?bundleId=com.example.two", "/v1/due?bundleId=com.example.two",
                "/v1/sales?bundleId=com.example.two", "/v1/tokens?bundleId=com.example.two",
                "/v1/exports/2026-11.json?bundleId=com.example.two", "/sales/s-1", "/tokens/\(id)",
                "/exports/2026-11?bundleId=com.example.two",
            ] {
                #expect(try await client.send(.get, path).status == .ok, "\(path)")
            }
            for (list, query) in [("sales", "standing=planned"), ("tokens", "customerId=c")] {
                let rows = try await client.send(.get, "/v1/\(list)?\(query)").json[list] as? [[String: Any]] ?? []
                // A sale has its app in the sale itself.
                let apps = Set(rows.compactMap { ($0["sale"] as? [String: Any] ?? $0)["bundleId"] as? String })
                #expect(apps == ["com.example.shop", "com.example.two"], "\(list)?\(query): \(rows)")
            }
            for path in ["/v1/sales/s-1", "/v1/tokens/\(id)", "/v1/due", "/v1/exports/2026-11.json"] {
                let answer = try await client.send(.get, "\(path)?bundleId=com.example.nowhere")
                #expect(answer.status == .unprocessableContent, "\(path): \(answer.json)")
            }
            func erase(_ app: String) async throws -> Int {
                let body = ["bundleId": app, "customerId": "c"]
                return try await client.send(.post, "/v1/erasures", body: body).status.code
            }
            #expect(try await erase("com.example.nowhere") == 422)
            #expect(try await erase("com.example.two") == 200)
        }
    }
}
