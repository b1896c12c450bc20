import Foundation
import Testing

@Suite("ledger keep-records: what a restore imports, beside a running server", .serialized)
struct KeepRecordsTests {
    /// A server with sales on tokens of their own, and the folder of its records.
    private struct Shop {
        let setup: ServerUnderTest
        let server: RunningServer
        let folder: URL

        init() async throws {
            setup = try await ServerUnderTest()
            server = try await RunningServer(setup.arguments)
            folder = setup.scratch.url.appending(path: "records")
        }

        var database: String { "sqlite:\(setup.database)" }

        /// Sells something and waits until Apple's side has accepted so many reports.
        ///
        /// - Returns: the sale as the shop sent it.
        @discardableResult
        func sell(_ id: String, accepted count: Int) async throws -> [String: Any] {
            let minted = try await setup.mint()
            let token = try await HTTP.send(
                "POST",
                server.url + "/v1/tokens",
                ["token": minted.token, "checkoutId": "basket-\(id)", "customerId": "c-\(id)", "storefront": "NLD"]
            )
            #expect(token.status == 201, "\(token.json)")
            let sale = ServerUnderTest.sale(id, checkout: "basket-\(id)")
            #expect(try await HTTP.send("POST", server.url + "/v1/sales", sale).status == 201)
            for _ in 0..<6_000 {
                let list = try await HTTP.get(server.url + "/v1/reports?state=accepted").json["reports"] as? [Any]
                if list?.count == count { return sale }
                try await Task.sleep(for: .milliseconds(50))
            }
            Issue.record("\(id) is not accepted")
            return sale
        }

        func keep() async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(["ledger", "keep-records", folder.path, "--database", database])
        }

        /// The kept files by name, with their content.
        func files() throws -> [String: Data] {
            var files: [String: Data] = [:]
            for name in ["records.json", "tokens.ndjson", "state.json"] {
                files[name] = try Data(contentsOf: folder.appending(path: name))
            }
            return files
        }

        /// Moves the ledger away and puts the backup in its place.
        func restore(_ backup: String) throws {
            let lost = setup.scratch.url.appending(path: "lost")
            try FileManager.default.createDirectory(at: lost, withIntermediateDirectories: false)
            for name in try FileManager.default.contentsOfDirectory(atPath: setup.scratch.url.path)
            where name.hasPrefix("ledger.sqlite") {
                try FileManager.default.moveItem(
                    at: setup.scratch.url.appending(path: name),
                    to: lost.appending(path: name)
                )
            }
            try FileManager.default.copyItem(atPath: backup, toPath: setup.database)
        }
    }

    @Test("After a restore the records bring back tokens, checkouts and reports; Apple's side gets nothing twice")
    func restore() async throws {
        let shop = try await Shop()
        try await shop.sell("order-1", accepted: 1)
        let backup = shop.setup.scratch.url.appending(path: "backup.sqlite").path
        #expect(try await BuiltBinary.run(["ledger", "backup", backup, "--database", shop.database]).exitCode == 0)
        let sale = try await shop.sell("order-2", accepted: 2)
        let kept = try await shop.keep()
        #expect(kept.exitCode == 0 && kept.output.contains("2 tokens, 2 reports"), "\(kept.output)\(kept.error)")
        let attributes = try FileManager.default.attributesOfItem(
            atPath: shop.folder.appending(path: "records.json").path
        )
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        shop.server.kill()
        try shop.restore(backup)

        // The older copy does not replace newer records.
        let before = try shop.files()
        let refused = try await shop.keep()
        #expect(refused.exitCode == 1 && refused.error.contains("older copy"), "\(refused.error)")
        #expect(try shop.files() == before)

        let imported = try await BuiltBinary.run(
            [
                "ledger", "import", shop.folder.appending(path: "records.json").path, "--config", shop.setup.config,
                "--database", shop.database,
            ]
        )
        #expect(imported.exitCode == 0, "\(imported.error)")
        let server = try await RunningServer(shop.setup.arguments)
        let lines = String(decoding: before["tokens.ndjson"] ?? Data(), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 1)
        for line in lines {
            let body = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let results = try await HTTP.send("POST", server.url + "/v1/batch", body).json["results"]
            let statuses = (results as? [[String: Any]] ?? []).compactMap { $0["status"] as? Int }
            #expect(statuses == [200, 200], "\(String(describing: results))")
        }
        let again = try await HTTP.send("POST", server.url + "/v1/sales", sale)
        #expect([200, 201].contains(again.status), "\(again.json)")
        #expect(server.terminate() == 0)
        let journal = try await HTTP.get(shop.setup.emulator.url + "/emulator/v1/requests").list
        let sent = journal.filter { $0["method"] as? String == "PUT" && $0["status"] as? Int == 200 }
        #expect(sent.count == 2)
    }

    @Test("A run without changes writes nothing; an interrupted one is made good")
    func runs() async throws {
        let shop = try await Shop()
        try await shop.sell("order-1", accepted: 1)
        #expect(try await shop.keep().exitCode == 0)
        #expect(shop.server.terminate() == 0)
        #expect(try await shop.keep().exitCode == 0)
        let whole = try shop.files()
        let unchanged = try await shop.keep()
        #expect(unchanged.exitCode == 0 && unchanged.output.contains("unchanged"), "\(unchanged.output)")
        #expect(try shop.files() == whole)

        // Killed between the note and the files: the state names what was begun, the files are of before or missing.
        let state = try #require(
            try JSONSerialization.jsonObject(with: whole["state.json"] ?? Data()) as? [String: Any]
        )
        let begun = ["head": NSNull(), "begun": state["head"] ?? NSNull()] as [String: Any]
        try JSONSerialization.data(withJSONObject: begun)
            .write(to: shop.folder.appending(path: "state.json"))
        try FileManager.default.removeItem(at: shop.folder.appending(path: "tokens.ndjson"))
        try Data("{\"tokens\":[],\"reports\":[]}\n".utf8).write(to: shop.folder.appending(path: "records.json"))
        #expect(try await shop.keep().exitCode == 0)
        #expect(try shop.files() == whole)
    }
}
