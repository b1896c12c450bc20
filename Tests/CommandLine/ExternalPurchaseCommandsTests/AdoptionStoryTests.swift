import Foundation
import Testing

@Suite("Taking over from another system", .serialized)
struct AdoptionStoryTests {
    private func sale(_ id: String, on token: String) -> [String: Any] {
        [
            "saleId": id, "type": "purchase", "occurredAt": "2026-11-20T12:00:00Z", "externalPurchaseId": token,
            "productId": "gems", "quantity": 1, "amount": TwoSides.money("9.99"),
        ]
    }

    private func puts(_ sides: TwoSides) async throws -> [[String: Any]] {
        try await HTTP.get(sides.emulator.url + "/emulator/v1/requests").list.filter {
            $0["method"] as? String == "PUT"
        }
    }

    @Test("With reporting.send off reports are planned and judged, and Apple hears nothing (SA-75)")
    func sendingOff() async throws {
        let sides = try await TwoSides(settings: "reporting.send: off")
        let (token, id) = try await sides.mint()
        try await sides.deliver(token)
        _ = try await sides.sell(sale("one", on: id))
        // Far past its due date.
        try await sides.advance(days: 40)
        try await Task.sleep(for: .milliseconds(500))
        #expect(try await puts(sides).isEmpty)
        #expect(try await HTTP.get(sides.server.url + "/v1/reports").json["reports"] as? [String] == [])
        let plan = try await BuiltBinary.run([
            "ledger", "plan", "--bundle-id", TwoSides.bundleId, "--config", sides.config,
            "--database", "sqlite:\(sides.database)", "--at", "2026-12-30T12:00:00Z",
        ])
        #expect(plan.output.contains("token \(id): LINE_ITEM"), "\(plan.output) \(plan.error)")
        #expect(!plan.output.contains("pre-flight"))
    }

    @Test("Accepted reports are taken over once, never sent, and refused where they contradict (OB-62, SA-72)")
    func takeOver() async throws {
        let sides = try await TwoSides()
        let (token, id) = try await sides.mint()
        try await sides.deliver(token)
        _ = try await sides.sell(sale("one", on: id))
        try await sides.expect(id, "LINE_ITEM")
        let body = try #require(try await puts(sides).first?["body"] as? String)
        let file = try sides.scratch.write(#"{"tokens":["\#(token)"],"reports":[\#(body)]}"#, to: "records.json")
        let database = sides.scratch.url.appending(path: "new.sqlite").path
        func take(_ file: String, _ database: String) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run([
                "ledger", "import", file, "--config", sides.config, "--database", "sqlite:\(database)",
                "--format", "json", "--at", "2026-11-20T13:00:00Z",
            ])
        }
        let busy = try await take(file, sides.database)
        #expect(busy.exitCode == 3 && busy.error.contains("stop it first"), "\(busy.error)")
        let first = try await take(file, database)
        #expect(first.exitCode == 0, "\(first.error)")
        #expect(first.json?["newTokens"] as? Int == 1)
        #expect(first.json?["newReports"] as? Int == 1)
        #expect(first.json?["lineItems"] as? Int == 1)
        let again = try await take(file, database)
        #expect(again.json?["newReports"] as? Int == 0)
        #expect(again.json?["knownReports"] as? Int == 1)

        let sent = try await puts(sides).count
        let server = try await TwoSides.serve(config: sides.config, database: database, emulator: sides.emulator)
        try await sides.advance(days: 40)
        try await Task.sleep(for: .milliseconds(500))
        let reports = try await HTTP.get(server.url + "/v1/reports").json["reports"] as? [[String: Any]]
        #expect(reports?.first?["state"] as? String == "accepted")
        #expect((reports?.first?["changedAt"] as? String)?.hasPrefix("2026-11-20T13:00:00") == true)
        #expect(try await puts(sides).count == sent)
        server.terminate()

        let other = body.replacingOccurrences(of: "\"amountTaxExclusive\":8256", with: "\"amountTaxExclusive\":8255")
        #expect(other != body)
        let second = body.replacingOccurrences(
            of: #""requestIdentifier":"[^"]*""#,
            with: #""requestIdentifier":"aaaaaaaa-0000-4000-8000-000000000001""#,
            options: .regularExpression
        )
        for (reports, says) in [(other, "another report"), (second, "contradicts"), ("{}", "reports[0]")] {
            let bad = try sides.scratch.write(#"{"tokens":["\#(token)"],"reports":[\#(reports)]}"#, to: "bad.json")
            let refused = try await take(bad, database)
            #expect(refused.exitCode == 1, "\(reports)")
            #expect(refused.error.contains(says), "\(refused.error)")
        }
        for (text, says) in [("[]", "object"), (#"{"token":[]}"#, "known are"), (#"{"tokens":[1]}"#, "tokens[0]")] {
            let bad = try sides.scratch.write(text, to: "bad.json")
            let refused = try await take(bad, database)
            #expect(refused.exitCode == 2 && refused.error.contains(says), "\(refused.error)")
        }
    }
}
