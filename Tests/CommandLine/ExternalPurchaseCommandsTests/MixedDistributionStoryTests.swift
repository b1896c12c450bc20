import Foundation
import Testing

/// One server for an app of the App Store and one outside it, and for an app that is distributed in both ways.
@Suite("App Store and other distribution at one server, as both sides are run", .serialized)
struct MixedDistributionStoryTests {
    private static let apps = ["com.example.shop": 1_234_567_890, "com.example.outside": 1_234_567_891]

    let scratch: ScratchFolder
    let emulator: RunningServer
    let server: RunningServer

    init() async throws {
        scratch = try ScratchFolder()
        var arguments = ["emulator", "--port", "0", "--credentials", scratch.url.path, "--now", "2026-11-20T12:00:00Z"]
        for (bundleId, appAppleId) in Self.apps { arguments += ["--app", "\(bundleId)=\(appAppleId)"] }
        emulator = try await RunningServer(arguments)
        var lines = ["apps:"]
        for (bundleId, appAppleId) in Self.apps {
            let keys = try Keys(folder: scratch.url, bundleId: bundleId)
            lines += [
                "  - bundleId: \(bundleId)", "    appAppleId: \(appAppleId)",
                "    key: {file: \(keys.keyFile), keyId: \(keys.keyId), issuerId: \(keys.issuerId)}",
                "    baseURL: {production: \"\(emulator.url)\"}",
                "    programmes: [\(bundleId == "com.example.shop" ? "eu-custom-link" : "outside-app-store")]",
            ]
        }
        let config = try scratch.write(lines.joined(separator: "\n") + "\n", to: "serve.yaml")
        let database = scratch.url.appending(path: "ledger.sqlite").path
        server = try await TwoSides.serve(config: config, database: database, emulator: emulator)
    }

    private func token(_ type: String, of bundleId: String) async throws -> String {
        let order = ["bundleId": bundleId, "environment": "production", "tokenType": type]
        let minted = try await HTTP.send("POST", emulator.url + "/emulator/v1/tokens", order).json
        let body = ["token": try #require(minted["token"] as? String), "customerId": "anna", "storefront": "DEU"]
        let answer = try await HTTP.send("POST", server.url + "/v1/tokens", body)
        #expect(answer.status == 201, "\(answer.json)")
        return try #require(answer.json["externalPurchaseId"] as? String)
    }

    /// Sells to the customer; the sale names the token, if there is one.
    private func sell(_ id: String, in bundleId: String, on token: String? = nil) async throws -> [String: Any] {
        var sale: [String: Any] = [
            "saleId": id, "bundleId": bundleId, "type": "purchase", "occurredAt": "2026-11-20T12:00:00Z",
            "customerId": "anna", "productId": "gems", "quantity": 1, "amount": TwoSides.money("9.99"),
        ]
        sale["externalPurchaseId"] = token
        let answer = try await HTTP.send("POST", server.url + "/v1/sales", sale)
        #expect(answer.status == 201, "\(answer.json)")
        return answer.json
    }

    /// The sales in the export of an app and a programme, each with its estimate.
    private func export(_ bundleId: String, _ programme: String) async throws -> [String] {
        let query = "?bundleId=\(bundleId)&programme=\(programme)"
        let rows = try await HTTP.get(server.url + "/v1/exports/2026-11.json" + query).json["rows"] as? [[String: Any]]
        return (rows ?? []).map { "\($0["saleId"] ?? "") \($0["estimate"] ?? "")" }.sorted()
    }

    @Test("Each sale is on a token of its app and kind, and counts with that token's programme (RR-63, OB-11, OB-46)")
    func bothWays() async throws {
        let (shop, outside) = ("com.example.shop", "com.example.outside")
        let services = try await token("SERVICES", of: shop)
        let both = try await token("CORE_TECHNOLOGY", of: shop)
        let core = try await token("CORE_TECHNOLOGY", of: outside)
        #expect(try await sell("a", in: shop)["externalPurchaseId"] as? String == services)
        #expect(try await sell("b", in: shop, on: both)["externalPurchaseId"] as? String == both)
        #expect(try await sell("c", in: outside, on: core)["externalPurchaseId"] as? String == core)
        // The same customer of another app leads to no token of it.
        #expect(try await sell("d", in: outside)["flags"] as? [String] == ["no-token"])

        var accepted: [String: String] = [:]
        for _ in 0..<6_000 where accepted.count < 3 {
            try await Task.sleep(for: .milliseconds(50))
            for entry in try await HTTP.get(emulator.url + "/emulator/v1/requests").list
            where entry["method"] as? String == "PUT" && entry["status"] as? Int == 200 {
                let body = Data((entry["body"] as? String ?? "").utf8)
                let report = try JSONSerialization.jsonObject(with: body) as? [String: Any]
                for item in report?["lineItems"] as? [[String: Any]] ?? [] {
                    let app = entry["bundleId"] as? String ?? ""
                    accepted[item["lineItemId"] as? String ?? ""] = "\(app) \(report?["externalPurchaseId"] ?? "")"
                }
            }
        }
        #expect(accepted == ["a": "\(shop) \(services)", "b": "\(shop) \(both)", "c": "\(outside) \(core)"])

        // Without a visit of a link nobody knows the flow of the sale on SERVICES; a token of core technology is of a sale in the app.
        #expect(try await export(shop, "eu-2026-10") == ["a <null>"])
        #expect(try await export(shop, "outside-app-store") == ["b 0.41"])
        // A sale without a token counts with the app's programme, which has no manual channel; out of the app the window of a
        // link would count, and nobody knows whether it was.
        #expect(try await export(outside, "outside-app-store") == ["c 0.41", "d <null>"])
        let due = try await HTTP.get(server.url + "/v1/due?saleId=d").json["due"] as? [[String: Any]]
        #expect(due?.first?["dueAt"] as? String == "2026-12-15T23:59:59.999Z", "\(due ?? [])")
        #expect((due?.first?["reason"] as? String)?.contains("outside-app-store") == true, "\(due ?? [])")
        let submission = [
            "programme": "outside-app-store", "bundleId": outside, "on": "2026-11-20", "by": "kim",
            "reference": "case 1",
        ]
        let refused = try await HTTP.send("POST", server.url + "/v1/exports/2026-11/submitted", submission)
        #expect(refused.status == 409, "\(refused.json)")
    }
}
