import Foundation
import Testing

/// A disk is lost some time after the last backup, as docs/production.md describes it, with the built program.
@Suite("A backup restored after a kill", .serialized)
struct RestoreStoryTests {
    /// One sale on a token of its own.
    private struct Sale {
        let token: String
        let body: [String: Any]

        init(_ id: String, _ setup: ServerUnderTest) async throws {
            let minted = try await setup.mint()
            token = minted.token
            body = ServerUnderTest.sale(id, checkout: "").filter { $0.key != "checkoutId" }
                .merging(["externalPurchaseId": minted.id]) { $1 }
        }

        /// The statuses of token and sale.
        func send(to server: RunningServer) async throws -> [Int] {
            [
                try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token]).status,
                try await HTTP.send("POST", server.url + "/v1/sales", body).status,
            ]
        }
    }

    /// The reports of a server by the line items in them, once so many have the state or after 20 s.
    private static func reports(
        of server: RunningServer,
        _ state: String,
        count: Int
    ) async throws -> [String: [String: Any]] {
        var reports: [[String: Any]] = []
        for _ in 0..<6_000 {
            reports = try await HTTP.get(server.url + "/v1/reports").json["reports"] as? [[String: Any]] ?? []
            if reports.count(where: { $0["state"] as? String == state }) >= count { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        let named = reports.map { report in
            let items = (report["report"] as? [String: Any])?["lineItems"] as? [[String: Any]] ?? []
            return (items.compactMap { $0["lineItemId"] as? String }.joined(separator: " "), report)
        }
        return Dictionary(named) { $1 }
    }

    private static func state(_ report: [String: Any]?) -> String? { report?["state"] as? String }

    /// How often Apple's side accepted each line item, from the bodies that it received.
    private static func accepted(_ journal: [[String: Any]]) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for row in journal where row["method"] as? String == "PUT" && row["status"] as? Int == 200 {
            guard let body = row["body"] as? String, body.contains("lineItems") else { continue }
            let report = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
            for item in report["lineItems"] as? [[String: Any]] ?? [] {
                counts[item["lineItemId"] as? String ?? "?", default: 0] += 1
            }
        }
        return counts
    }

    @Test(
        """
        What was reported after the backup is not reported twice: asked for where the backup knows the report, imported \
        where its body was kept, refused and left to a person where not (SA-71)
        """,
        arguments: [true, false]
    )
    func restoreAfterKill(importing: Bool) async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        let (first, second) = (try await Sale("order-1", setup), try await Sale("order-2", setup))
        #expect(try await first.send(to: server) == [201, 201])
        #expect(Self.state(try await Self.reports(of: server, "accepted", count: 1)["order-1"]) == "accepted")

        // Apple's side fails while the backup is made: the second report is in it without an answer.
        let faults = setup.emulator.url + "/emulator/v1/faults"
        let fault: [String: Any] = ["match": ["method": "PUT"], "behaviour": ["status": 503], "times": 1_000]
        #expect(try await HTTP.send("POST", faults, fault).status < 300)
        #expect(try await second.send(to: server) == [201, 201])
        let open = try await Self.reports(of: server, "unknown", count: 1)["order-2"]
        #expect(Self.state(open) == "unknown")
        let database = "sqlite:\(setup.database)"
        let backup = setup.scratch.url.appending(path: "backup.sqlite").path
        let made = try await BuiltBinary.run(["ledger", "backup", backup, "--database", database])
        #expect(made.exitCode == 0, "\(made.error)")

        // After the backup Apple accepts that report and another one.
        #expect(try await HTTP.send("DELETE", faults, nil).status < 300)
        let third = try await Sale("order-3", setup)
        #expect(try await third.send(to: server) == [201, 201])
        let before = try await Self.reports(of: server, "accepted", count: 3)
        #expect(Set(before.keys) == ["order-1", "order-2", "order-3"])
        #expect(before.values.allSatisfy { Self.state($0) == "accepted" }, "\(before)")
        server.kill()

        let lost = setup.scratch.url.appending(path: "lost")
        try FileManager.default.createDirectory(at: lost, withIntermediateDirectories: false)
        for name in try FileManager.default.contentsOfDirectory(atPath: setup.scratch.url.path)
        where name.hasPrefix("ledger.sqlite") {
            let file = setup.scratch.url.appending(path: name)
            try FileManager.default.moveItem(at: file, to: lost.appending(path: name))
        }
        try FileManager.default.copyItem(atPath: backup, toPath: setup.database)
        #expect(try await BuiltBinary.run(["ledger", "verify", "--database", database]).exitCode == 0)
        if importing {
            let records: [String: Any] = [
                "tokens": [third.token], "reports": [try #require(before["order-3"]?["report"])],
            ]
            let text = String(decoding: try JSONSerialization.data(withJSONObject: records), as: UTF8.self)
            let file = try setup.scratch.write(text, to: "records.json")
            let imported = try await BuiltBinary.run(
                ["ledger", "import", file, "--config", setup.config, "--database", database]
            )
            #expect(imported.exitCode == 0, "\(imported.error)")
        }

        let requests = setup.emulator.url + "/emulator/v1/requests"
        let earlier = try await HTTP.get(requests).list
        let restored = try await RunningServer(setup.arguments)
        let known = importing ? 3 : 2
        let after = try await Self.reports(of: restored, "accepted", count: known)
        #expect(after.count == known && after.values.allSatisfy { Self.state($0) == "accepted" }, "\(after)")
        #expect(
            after["order-2"]?["requestIdentifier"] as? String == open?["requestIdentifier"] as? String,
            "asked for under its own identifier"
        )

        // The shop sends everything once more.
        for sale in [first, second] { #expect(try await sale.send(to: restored) == [200, 200]) }
        #expect(try await third.send(to: restored) == (importing ? [200, 200] : [201, 201]))
        if !importing {
            let refused = try await Self.reports(of: restored, "withdrawn", count: 1)["order-3"]
            #expect(Self.state(refused) == "withdrawn")
        }
        let review = try await HTTP.get(restored.url + "/v1/review").json["review"] as? [[String: Any]] ?? []
        #expect(review.compactMap { $0["kind"] as? String } == (importing ? [] : ["report-refused"]))

        let journal = try await HTTP.get(requests).list
        #expect(try Self.accepted(journal) == ["order-1": 1, "order-2": 1, "order-3": 1])
        let sent = journal.dropFirst(earlier.count).filter { $0["method"] as? String == "PUT" }
        #expect(sent.compactMap { $0["status"] as? Int } == (importing ? [] : [400]))
        #expect(restored.terminate() == 0)
        #expect(try await BuiltBinary.run(["ledger", "verify", "--database", database]).exitCode == 0)
    }
}
