import Foundation
import GRDB
import Testing

/// Copies of a ledger as an operator makes and judges them, with the built program.
@Suite("Backups, as the program makes them", .serialized)
struct BackupStoryTests {
    private static func verify(_ database: String, _ more: String...) async throws -> BuiltBinary.Result {
        try await BuiltBinary.run(["ledger", "verify", "--database", "sqlite:\(database)"] + more)
    }

    private static func sql(_ file: String, _ statement: String) throws {
        let queue = try DatabaseQueue(path: file)
        try queue.write { try $0.execute(sql: statement) }
        try queue.close()
    }

    /// Removes the last entries of an audit log and what refuses that.
    private static func cutEnd(of file: String) throws {
        try sql(
            file,
            """
            DROP TRIGGER audit_log_are_never_deleted;
            DELETE FROM audit_log WHERE sequence > (SELECT max(sequence) - 2 FROM audit_log)
            """
        )
    }

    @Test("A ledger that is missing beside its anchor is not begun anew; the start names a new one (OB-93)")
    func missingLedger() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        let (token, id) = try await setup.mint()
        #expect(try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token]).status == 201)
        #expect(server.terminate() == 0)
        let kept = setup.scratch.url.appending(path: "kept.sqlite").path
        try FileManager.default.moveItem(atPath: setup.database, toPath: kept)
        let refused = try await BuiltBinary.run(setup.arguments)
        #expect(refused.exitCode == 3, "\(refused.error)")
        #expect(
            refused.error.contains("there is no ledger, but \(setup.database).anchor is that of one"),
            "\(refused.error)"
        )
        #expect(refused.error.split(separator: "\n").count == 1, "\(refused.error)")
        #expect(!FileManager.default.fileExists(atPath: setup.database))
        try FileManager.default.moveItem(atPath: kept, toPath: setup.database)
        let again = try await RunningServer(setup.arguments)
        #expect(try await HTTP.get(again.url + "/v1/tokens/\(id)").status == 200)
        #expect(again.terminate() == 0)
    }

    @Test(
        "A copy after a clean stop is whole without its write-ahead log; a cut end shows against the anchor only (OB-93)"
    )
    func copyAfterStop() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        var ids: [String] = []
        for _ in 0..<5 {
            let (token, id) = try await setup.mint()
            ids.append(id)
            #expect(try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token]).status == 201)
            _ = try await HTTP.get(server.url + "/v1/tokens")
        }
        #expect(server.terminate() == 0)
        let copy = setup.scratch.url.appending(path: "copy.sqlite").path
        try FileManager.default.copyItem(atPath: setup.database, toPath: copy)
        let queue = try DatabaseQueue(path: copy)
        let stored = try await queue.read { try String.fetchAll($0, sql: "SELECT external_purchase_id FROM tokens") }
        #expect(Set(stored) == Set(ids))
        try queue.close()

        let anchor = setup.database + ".anchor"
        let mode = try FileManager.default.attributesOfItem(atPath: anchor)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let whole = try await Self.verify(setup.database)
        #expect(whole.exitCode == 0, "\(whole.output)\(whole.error)")
        #expect(whole.output.contains("nothing is missing"), "\(whole.output)")
        let unknown = try await Self.verify(copy)
        #expect(unknown.exitCode == 0)
        #expect(unknown.output.contains("cannot be seen"), "\(unknown.output)")

        try Self.cutEnd(of: copy)
        let unseen = try await Self.verify(copy)
        #expect(unseen.exitCode == 0)
        #expect(unseen.output.contains("cannot be seen: give a head"), "\(unseen.output)")
        let noted = try String(contentsOfFile: anchor, encoding: .utf8).prefix { $0 != "\n" }
        for more in [["--anchor", anchor], ["--head", String(noted)]] {
            let seen = try await BuiltBinary.run(["ledger", "verify", "--database", "sqlite:\(copy)"] + more)
            #expect(seen.exitCode == 1, "\(more)")
            #expect(seen.output.contains("which was noted down"), "\(seen.output)")
        }
        let json = try await Self.verify(copy, "--anchor", anchor, "--format", "json").json
        #expect(json?["noted"] as? String == String(noted))
        #expect((json?["broken"] as? [String: Any])?["sequence"] is Int)

        // Half a file is no ledger.
        let bytes = try Data(contentsOf: URL(filePath: setup.database))
        try bytes.prefix(bytes.count / 2).write(to: URL(filePath: copy))
        let damaged = try await Self.verify(copy)
        #expect(damaged.exitCode == 1, "\(damaged.error)")
        #expect(damaged.output.contains("damaged"), "\(damaged.output)")
        for wrong in [["--anchor", setup.config], ["--anchor", "none"], ["--head", "x"]] {
            let refused = try await BuiltBinary.run(["ledger", "verify", "--database", "sqlite:\(copy)"] + wrong)
            #expect(refused.exitCode == 2, "\(wrong): \(refused.error)")
        }
    }

    @Test("A backup of a running server is whole; restored, it is refused until its age is acknowledged")
    func backupAndRestore() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        let (token, id) = try await setup.mint()
        #expect(try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token]).status == 201)
        let database = "sqlite:\(setup.database)"
        let backup = setup.scratch.url.appending(path: "backup.sqlite").path
        func back(up file: String) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(
                ["ledger", "backup", file, "--database", database, "--config", setup.config, "--format", "json"]
            )
        }
        let made = try await back(up: backup)
        #expect(made.exitCode == 0, "\(made.error)")
        let head = try #require(made.json?["head"] as? String)
        #expect(try await Self.verify(backup, "--head", head).exitCode == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: backup)[.posixPermissions] as? Int
        #expect(mode == 0o600)

        let link = setup.scratch.url.appending(path: "link.sqlite").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: setup.database)
        for file in [setup.database, link, setup.config, setup.database + ".anchor", setup.scratch.url.path, "/none/x"]
        {
            let refused = try await back(up: file)
            #expect(refused.exitCode == 2, "\(file): \(refused.error)")
        }
        #expect(try await HTTP.get(server.url + "/v1/tokens/\(id)").status == 200)

        let csv = setup.scratch.url.appending(path: "november.csv").path
        let export = try await BuiltBinary.run(
            [
                "ledger", "export", "2026-11", "--bundle-id", ServerUnderTest.bundleId, "--programme", "eu-2026-10",
                "--database", database, "--output", csv,
            ]
        )
        #expect(export.exitCode == 0 && export.error.contains("audit log up to"), "\(export.error)")

        // What comes after the backup is lost with the disk.
        let (later, laterId) = try await setup.mint()
        let sale = ServerUnderTest.sale("order-1", checkout: "")
            .merging(["externalPurchaseId": laterId]) { $1 }.filter { $0.key != "checkoutId" }
        func send(to server: RunningServer) async throws {
            #expect(try await HTTP.send("POST", server.url + "/v1/tokens", ["token": later]).status == 201)
            #expect(try await HTTP.send("POST", server.url + "/v1/sales", sale).status == 201)
        }
        /// The statuses of the reports that Apple's side got, once there are so many.
        func answers(_ count: Int) async throws -> [Int] {
            var statuses: [Int] = []
            for _ in 0..<2_400 where statuses.count < count {
                try await Task.sleep(for: .milliseconds(50))
                let journal = try await HTTP.get(setup.emulator.url + "/emulator/v1/requests").list
                statuses = journal.filter { $0["method"] as? String == "PUT" }.compactMap { $0["status"] as? Int }
            }
            return statuses
        }
        try await send(to: server)
        #expect(try await answers(1) == [200])
        #expect(server.terminate() == 0)
        try FileManager.default.removeItem(atPath: setup.database)
        try FileManager.default.copyItem(atPath: backup, toPath: setup.database)
        let refused = try await BuiltBinary.run(setup.arguments)
        #expect(refused.exitCode == 3, "\(refused.error)")
        #expect(refused.error.contains("older copy"), "\(refused.error)")
        try FileManager.default.removeItem(atPath: setup.database + ".anchor")
        let restored = try await RunningServer(setup.arguments)
        #expect(try await HTTP.get(restored.url + "/v1/tokens/\(id)").status == 200)
        #expect(try await HTTP.get(restored.url + "/v1/tokens/\(laterId)").status == 404)
        // Sent again, the sale goes out again and is refused: it does not count twice.
        try await send(to: restored)
        #expect(try await answers(2) == [200, 400])
        #expect(restored.terminate() == 0)
    }

    @Test("A backup is made of a ledger only and replaces only an earlier one of it; what is refused stays as it was")
    func ownKind() async throws {
        let scratch = try ScratchFolder()
        func path(_ name: String) -> String { scratch.url.appending(path: name).path }
        func back(up database: String, to file: String) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(["ledger", "backup", path(file), "--database", "sqlite:\(path(database))"])
        }
        for name in ["shop.sqlite", "other-shop.sqlite"] {
            for user in ["kim", "sam"] {
                let made = try await BuiltBinary.run(
                    ["users", "set-password", user, "--database", "sqlite:\(path(name))"],
                    input: Data("correct horse battery staple\n".utf8)
                )
                #expect(made.exitCode == 0, "\(made.error)")
                // The copy of a ledger as it was before its second user.
                if user == "kim", name == "shop.sqlite" {
                    #expect(try await back(up: name, to: "before.sqlite").exitCode == 0)
                }
            }
        }
        let made = try await back(up: "shop.sqlite", to: "backup.sqlite")
        #expect(made.exitCode == 0 && !made.output.contains("nothing"), "\(made.output)\(made.error)")
        try Self.sql(path("foreign.sqlite"), "CREATE TABLE t (a)")
        _ = try scratch.write("", to: "zero.sqlite")
        _ = try scratch.write("apps: []\n", to: "serve.yaml")
        let names = ["backup.sqlite", "foreign.sqlite", "zero.sqlite", "serve.yaml", "other-shop.sqlite"]
        let before = try names.map { try Data(contentsOf: URL(filePath: path($0))) }
        for (database, file, words) in [
            ("foreign.sqlite", "backup.sqlite", "another program's database, with the table t"),
            ("zero.sqlite", "backup.sqlite", "no ledger"),
            ("serve.yaml", "backup.sqlite", "no SQLite database"),
            ("none.sqlite", "backup.sqlite", "no such file"), ("shop.sqlite", "foreign.sqlite", "is no backup"),
            ("shop.sqlite", "serve.yaml", "is a text"),
            ("shop.sqlite", "other-shop.sqlite", "backup of another ledger"),
            ("before.sqlite", "backup.sqlite", "that the ledger lacks"),
        ] {
            let refused = try await back(up: database, to: file)
            #expect([2, 3].contains(refused.exitCode), "\(database), \(file): \(refused.output)")
            #expect(refused.error.contains(words), "\(database), \(file): \(refused.error)")
            #expect(refused.error.split(separator: "\n").count == 1, "\(refused.error)")
        }
        #expect(try names.map { try Data(contentsOf: URL(filePath: path($0))) } == before)
        // Several at once to one new name: each is whole, and the name has one of them.
        async let runs = [
            back(up: "shop.sqlite", to: "same.sqlite"), back(up: "shop.sqlite", to: "same.sqlite"),
            back(up: "shop.sqlite", to: "same.sqlite"),
        ]
        for run in try await runs where run.exitCode != 0 {
            #expect(run.error.contains("another backup is writing it"), "\(run.error)")
        }
        #expect(try await Self.verify(path("same.sqlite")).exitCode == 0)
        let entries = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path)
        #expect(!entries.contains { $0.contains(".part") }, "\(entries)")
        // The ledger itself, and the older copy under another name.
        #expect(try await back(up: "shop.sqlite", to: "before.sqlite").exitCode == 0)
        #expect(try await back(up: "before.sqlite", to: "zero.sqlite").exitCode == 0)
    }

    @Test("No command writes over a file of another kind, and none gives a file the name of a secret")
    func otherKinds() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        #expect(server.terminate() == 0)
        setup.emulator.terminate()
        let folder = setup.scratch.url
        func path(_ name: String) -> String { folder.appending(path: name).path }
        try Self.sql(path("foreign.sqlite"), "CREATE TABLE t (a)")
        _ = try setup.scratch.write("-----BEGIN PRIVATE KEY-----\nMIGT\n", to: "AuthKey.p8")
        let plist = try setup.scratch.write("<plist><dict><key>a</key><true/></dict></plist>", to: "Info.plist")
        let ledger = ["--bundle-id", ServerUnderTest.bundleId, "--database", "sqlite:\(setup.database)"]
        /// Commands that write the file which the last argument names.
        let commands = [
            ["ledger", "export", "2026-11"] + ledger + ["--output"],
            ["ledger", "archive", "--from", "2026-11", "--through", "2026-11"] + ledger + ["--output"],
            ["matrix", plist, "--html"], ["lint", plist, "--write-baseline", "--baseline"],
            ["ledger", "backup", "--database", "sqlite:\(setup.database)"],
            ["emulator", "--port", "0", "--app", "com.example.shop=1234567890", "--state"],
        ]
        for (file, secret) in [
            ("stripe.secret", "whsec_0123456789abcdef0123"), ("stripe.key", "rk_live_0123456789abcdef"),
        ] {
            try "\(secret)\n".write(toFile: path(file), atomically: true, encoding: .utf8)
        }
        let files = ["foreign.sqlite", "AuthKey.p8", "stripe.secret", "stripe.key"]
        let before = try files.map { try Data(contentsOf: URL(filePath: path($0))) }
        for command in commands {
            for file in files.map(path) {
                let refused = try await BuiltBinary.run(command + [file])
                #expect([2, 3].contains(refused.exitCode), "\(command), \(file): \(refused.output)\(refused.error)")
            }
            for secret in ["epk_admin_0123456789abcdefghij", "MIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkwdwIBAQQg"] {
                let refused = try await BuiltBinary.run(command + [secret], folder: folder)
                #expect(refused.exitCode == 2, "\(command), \(secret): \(refused.output)\(refused.error)")
                let said = refused.output + refused.error
                #expect(!said.contains(secret.suffix(12)), "\(command), \(secret): \(said)")
                #expect(!FileManager.default.fileExists(atPath: path(secret)))
            }
        }
        #expect(try files.map { try Data(contentsOf: URL(filePath: path($0))) } == before)
        let created = ["keys", "create", "--scope", "read", "--name", "z", "--database"]
        for secret in [
            "whsec_Zx9Qw8Er7Ty6Ui5Op4As3Df2", "epk_admin_0123456789abcdefghij", "rk_live_0123456789abcdefghij",
        ] {
            let refused = try await BuiltBinary.run(created + ["sqlite:\(secret)"], folder: folder)
            #expect(refused.exitCode == 2, "\(refused.output)\(refused.error)")
            #expect(!(refused.output + refused.error).contains(secret.suffix(12)), "\(refused.error)")
            #expect(!FileManager.default.fileExists(atPath: path(secret)))
        }
        for file in ["november.csv", "november.tar"] {
            let command = commands[file.hasSuffix("csv") ? 0 : 1] + [path(file)]
            for _ in 0..<2 {
                let made = try await BuiltBinary.run(command)
                #expect(made.exitCode == 0, "\(made.error)")
            }
        }
        let crossed = try await BuiltBinary.run(commands[1] + [path("november.csv")])
        #expect(crossed.exitCode == 2 && crossed.error.contains("is a text, which would be lost"), "\(crossed.error)")
    }

    @Test("A second server is refused under another name of the file; a removed ledger answers 503, not 201")
    func oneWriter() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        let (token, _) = try await setup.mint()
        for (name, make) in [
            ("symbolic.sqlite", { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: $1) }),
            ("hard.sqlite", { try FileManager.default.linkItem(atPath: $1, toPath: $0) }),
        ] as [(String, (String, String) throws -> Void)] {
            let other = setup.scratch.url.appending(path: name).path
            try make(other, setup.database)
            let second = try await BuiltBinary.run(
                ["serve", "--config", setup.config, "--port", "0", "--database", "sqlite:\(other)"]
            )
            #expect(second.exitCode == 3, "\(name)")
            #expect(second.error.contains("in use"), "\(second.error)")
            try FileManager.default.removeItem(atPath: other)
        }
        #expect(try await HTTP.get(server.url + "/health/ready").status == 200)
        let away = setup.scratch.url.appending(path: "away").path
        try FileManager.default.moveItem(atPath: setup.database, toPath: away)
        #expect(try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token]).status == 503)
        try FileManager.default.moveItem(atPath: away, toPath: setup.database)
        #expect(try await HTTP.send("POST", server.url + "/v1/tokens", ["token": token]).status == 201)
        #expect(server.terminate() == 0)
    }
}
