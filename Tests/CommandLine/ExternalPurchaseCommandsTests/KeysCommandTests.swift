import Foundation
import GRDB
import Testing

@Suite("keys and users, as they are run", .serialized)
struct KeysCommandTests {
    private static func keys(_ arguments: [String], of setup: ServerUnderTest) async throws -> BuiltBinary.Result {
        try await BuiltBinary.run(["keys"] + arguments + ["--database", "sqlite:\(setup.database)"])
    }

    private static func bearer(_ key: String) -> [String: String] { ["Authorization": "Bearer \(key)"] }

    /// Waits until a request has a status.
    private static func becomes(_ status: Int, _ url: String, key: String) async throws -> Bool {
        for _ in 0..<1_200 {
            if try await HTTP.send("GET", url, nil, headers: bearer(key)).status == status { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    @Test("How soon a running server sees a change is said as AuthorizationTests has it", arguments: [[], ["revoke"]])
    func help(_ command: [String]) async throws {
        let help = try await BuiltBinary.run(["keys"] + command + ["--help"]).output
        #expect(help.contains("within 2 seconds"), "\(help)")
    }

    @Test("A key is created before the first start; the server then listens beyond loopback, and sees every change")
    func story() async throws {
        let setup = try await ServerUnderTest()
        let created = try await Self.keys(["create", "--scope", "read", "--name", "report viewer"], of: setup)
        #expect(created.exitCode == 0, "\(created.error)")
        let key = created.output.trimmingCharacters(in: .newlines)
        #expect(key.wholeMatch(of: /epk_read_[0-9a-f]{64}/) != nil, "\(created.output)")
        let server = try await RunningServer(setup.arguments + ["--host", "0.0.0.0"])
        let url = server.url.replacing("0.0.0.0", with: "127.0.0.1") + "/v1/tokens"
        #expect(try await HTTP.send("GET", url, nil).status == 401)
        #expect(try await HTTP.send("GET", url, nil, headers: Self.bearer(key)).status == 200)
        #expect(try await HTTP.send("POST", url, ["token": "x"], headers: Self.bearer(key)).status == 403)

        // While the server runs, another key comes and the first one goes.
        let json = try await Self.keys(
            [
                "create", "--scope", "admin", "--app", ServerUnderTest.bundleId, "--expires", "2999-01-01", "--format",
                "json",
            ],
            of: setup
        )
        #expect(json.exitCode == 0, "\(json.error)")
        let second = try #require(json.json?["key"] as? String)
        #expect(json.json?["scope"] as? String == "admin")
        #expect(json.json?["bundleId"] as? String == ServerUnderTest.bundleId)
        #expect(json.json?["expiresAt"] as? String == "2999-01-01T00:00:00Z")
        #expect(try await Self.becomes(200, url, key: second))

        let list = try await Self.keys(["list", "--format", "json"], of: setup)
        let rows = try #require(
            try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]]
        )
        #expect(rows.map { $0["scope"] as? String } == ["read", "admin"])
        #expect(rows.map { $0["state"] as? String } == ["valid", "valid"])
        #expect(rows.map { $0["name"] as? String } == ["report viewer", nil])
        #expect(!list.output.contains("epk_"))
        let id = try #require(rows[0]["id"] as? String)
        #expect(id.wholeMatch(of: /key_[0-9a-f]{16}/) != nil)
        let revoked = try await Self.keys(["revoke", id], of: setup)
        #expect(revoked.exitCode == 0, "\(revoked.error)")
        #expect(try await Self.becomes(401, url, key: key))
        #expect(try await Self.keys(["revoke", id], of: setup).output == "was revoked before\n")
        let text = try await Self.keys(["list"], of: setup).output
        #expect(text.split(separator: "\n").count == 2)
        #expect(text.contains("revoked"))

        // The ledger is whole, and has neither key.
        #expect(server.terminate() == 0)
        let verified = try await BuiltBinary.run(["ledger", "verify", "--database", "sqlite:\(setup.database)"])
        #expect(verified.exitCode == 0, "\(verified.error)")
        let file = try Data(contentsOf: URL(filePath: setup.database))
        for text in [key, second] {
            #expect(file.range(of: Data(text.utf8)) == nil)
            #expect(file.range(of: Data(text.suffix(64).utf8)) == nil)
        }
        let restarted = try await RunningServer(setup.arguments)
        #expect(try await HTTP.send("GET", restarted.url + "/v1/tokens", nil).status == 401)
        #expect(try await HTTP.send("GET", restarted.url + "/health/live", nil).status == 200)
        restarted.terminate()
    }

    @Test("Without a key, serve refuses to listen beyond loopback and says how to make one; no ledger is created")
    func withoutKey() async throws {
        let setup = try await ServerUnderTest()
        let refused = try await BuiltBinary.run(setup.arguments + ["--host", "0.0.0.0"])
        #expect(refused.exitCode == 2)
        #expect(refused.error.contains("keys create --scope admin"), "\(refused.error)")
        #expect(!FileManager.default.fileExists(atPath: setup.database))
        // The same for a ledger that has no key yet.
        let server = try await RunningServer(setup.arguments)
        #expect(server.terminate() == 0)
        #expect(try await BuiltBinary.run(setup.arguments + ["--host", "0.0.0.0"]).exitCode == 2)
    }

    @Test(
        "Wrong usage is exit code 2 with one clear line",
        arguments: [
            ["create"], ["create", "--scope", "root"], ["create", "--scope", "read", "--expires", "2020-01-01"],
            ["create", "--scope", "read", "--expires", "tomorrow"], ["create", "--scope", "read", "--name", ""],
            ["create", "--scope", "read", "--name", "epk_admin_0123456789abcdef"],
            ["create", "--scope", "read", "--app", "epk_admin_0123456789abcdef"],
            ["create", "--scope", "read", "--app", ""], ["create", "--scope", "read", "--by", "a\u{1B}b"],
            ["revoke", "key_0000000000000000"],
        ]
    )
    func wrongUsage(_ arguments: [String]) async throws {
        let scratch = try ScratchFolder()
        let database = "sqlite:" + scratch.url.appending(path: "ledger.sqlite").path
        let made = try await BuiltBinary.run(["keys", "create", "--scope", "read", "--database", database])
        #expect(made.exitCode == 0)
        let result = try await BuiltBinary.run(["keys"] + arguments + ["--database", database])
        #expect(result.exitCode == 2, "\(result)")
        #expect(!result.error.isEmpty)
        #expect(result.output.isEmpty)
        #expect(!result.error.contains("0123456789abcdef"))
    }

    @Test("A key never has the name of a user, nor a user that of a key, nor anybody one of the server's own")
    func names() async throws {
        let scratch = try ScratchFolder()
        let database = ["--database", "sqlite:" + scratch.url.appending(path: "ledger.sqlite").path]
        func user(_ name: String) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(["users", "set-password", name] + database, input: Data("correct horse".utf8))
        }
        func key(_ name: String) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(["keys", "create", "--scope", "read", "--name", name] + database)
        }
        #expect(try await user("maria").exitCode == 0)
        #expect(try await key("till").exitCode == 0)
        for name in ["maria", "Maria", " maria"] {
            let refused = try await key(name)
            #expect(refused.exitCode == 2 && refused.output.isEmpty, "\(name)")
            #expect(refused.error.contains("--name: \"maria\" is a user"), "\(refused.error)")
        }
        for name in ["till", "TILL", "t\u{456}ll"] {
            let refused = try await user(name)
            #expect(refused.exitCode == 2)
            #expect(refused.error.contains("NAME: \"\(name)\" is the name of the key key_"), "\(refused.error)")
        }
        // Nobody could tell these from the users that there are; one spelling is the same user.
        #expect(try await user("Ren\u{E9}").exitCode == 0)
        #expect(try await user("\u{412}\u{435}\u{440}\u{430}").exitCode == 0)
        for (name, known) in [
            ("Maria", "maria"), ("MARIA", "maria"), (" maria", "maria"), ("mar\u{200B}ia", "maria"),
            ("Rene\u{301}", "Ren\u{E9}"), ("RENE\u{301}", "Ren\u{E9}"),
            // Cyrillic and Greek letters, full width, mathematics; the other way round, also where capitals alone look alike.
            ("m\u{430}ria", "maria"), ("mari\u{3B1}", "maria"), ("\u{FF2D}aria", "maria"), ("\u{1D426}aria", "maria"),
            ("BEPA", "\u{412}\u{435}\u{440}\u{430}"), ("\u{432}\u{435}\u{440}\u{430}", "\u{412}\u{435}\u{440}\u{430}"),
        ] {
            let refused = try await user(name)
            #expect(refused.exitCode == 2 && refused.output.isEmpty, "\(name)")
            #expect(refused.error.contains("from the user \"\(known)\""), "\(name): \(refused.error)")
        }
        #expect(try await user("maria").exitCode == 0)
        let own = [
            ("server", "the server itself has the name \"server\""),
            ("s\u{435}rver", "the server itself has the name \"s\u{435}rver\""),
            ("kim\u{A0}\u{FF08}oidc 1\u{FF09}", "names that end in \" (oidc …)\""),
            ("Stripe", "the server itself has the name \"Stripe\""),
            ("sale intake", "the server itself has the name \"sale intake\""),
            ("key_0123456789abcdef", "names that begin with \"key_\""),
            ("root on the command line", "names that end in \" on the command line\""),
        ]
        for (name, message) in own {
            for refused in [try await key(name), try await user(name)] {
                #expect(refused.exitCode == 2)
                #expect(refused.error.contains(message), "\(refused.error)")
            }
        }
        // A removed user's entries stay in the audit log.
        #expect(try await user("kim").exitCode == 0)
        #expect(try await BuiltBinary.run(["users", "set-role", "kim", "admin"] + database).exitCode == 0)
        #expect(try await BuiltBinary.run(["users", "remove", "maria"] + database).exitCode == 0)
        #expect(try await key("maria").exitCode == 2)
        #expect(try await user("maria").exitCode == 0)
    }

    @Test("A ledger that the first key creates is named on standard error, and so is the only app of a key")
    func newLedger() async throws {
        let scratch = try ScratchFolder()
        let file = scratch.url.appending(path: "ledger.sqlite").path
        let create = ["keys", "create", "--scope", "read", "--database", "sqlite:\(file)"]
        let first = try await BuiltBinary.run(create)
        #expect(first.error.contains("ledger: sqlite:\(file), which is new\n"), "\(first.error)")
        #expect(!first.error.contains("gives access"))
        #expect(first.output.split(separator: "\n").count == 1)
        let second = try await BuiltBinary.run(create + ["--app", "com.example.other"])
        #expect(!second.error.contains("which is new"), "\(second.error)")
        #expect(second.error.contains("it gives access to com.example.other only"), "\(second.error)")
        let quiet = try await BuiltBinary.run(
            ["keys", "create", "--scope", "read", "--quiet", "--database", "sqlite:\(file).quiet"]
        )
        #expect(quiet.exitCode == 0 && quiet.error.isEmpty, "\(quiet.error)")
    }

    @Test("A ledger that does not exist is 3 for list and revoke, and a missing folder 2 for create")
    func missingLedger() async throws {
        let scratch = try ScratchFolder()
        let missing = "sqlite:" + scratch.url.appending(path: "none.sqlite").path
        #expect(try await BuiltBinary.run(["keys", "list", "--database", missing]).exitCode == 3)
        #expect(try await BuiltBinary.run(["keys", "revoke", "key_1", "--database", missing]).exitCode == 3)
        let folder = "sqlite:" + scratch.url.appending(path: "none/none.sqlite").path
        let refused = try await BuiltBinary.run(["keys", "create", "--scope", "read", "--database", folder])
        #expect(refused.exitCode == 2)
        #expect(refused.error.contains("does not exist"))
    }

    @Test("A user's password comes from standard input and is stored as a hash; a removed user is gone from the list")
    func users() async throws {
        let scratch = try ScratchFolder()
        let file = scratch.url.appending(path: "ledger.sqlite").path
        func users(_ arguments: [String], input: String = "") async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(
                ["users"] + arguments + ["--database", "sqlite:\(file)"],
                input: Data(input.utf8)
            )
        }
        let set = try await users(["set-password", "maria"], input: "correct horse\nsecond line\n")
        #expect(set.exitCode == 0, "\(set.error)")
        #expect(try await users(["set-password", "kim", "--format", "json"], input: "battery staple").exitCode == 0)
        let list = try await users(["list", "--format", "json"])
        let rows = try #require(
            try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]]
        )
        #expect(rows.map { $0["name"] as? String } == ["maria", "kim"])
        #expect(rows.allSatisfy { $0["updatedAt"] is String && $0["apps"] is NSNull && $0.count == 4 })
        #expect(try await users(["set-password", "maria"], input: "short").exitCode == 2)
        #expect(try await users(["set-password", "maria"]).exitCode == 2)
        // The ledger's only administrator goes when another one is there.
        #expect(rows.map { $0["role"] as? String } == ["admin", "viewer"])
        let demotions = [
            ["remove", "maria"], ["set-role", "maria", "operator"], ["set-password", "maria", "--role", "viewer"],
        ]
        for demotion in demotions {
            let refused = try await users(demotion, input: "battery staple")
            #expect(refused.exitCode == 2 && refused.error.contains("is the only admin"), "\(refused)")
            #expect(refused.error.contains("users set-role NAME admin"), "\(refused)")
        }
        // Apps stay until they are named anew; an administrator has all of them.
        let two = ["--app", "com.example.shop", "--app", "com.example.book"]
        #expect(
            try await users(["set-role", "kim", "finance"] + two).output
                == "kim is finance, com.example.book, com.example.shop\n"
        )
        #expect(
            try await users(["set-password", "kim"], input: "battery staple").output
                .hasSuffix("role: finance, com.example.book, com.example.shop\n")
        )
        #expect(
            try await users(["list"]).output.contains("kim, finance, com.example.book, com.example.shop, password of")
        )
        #expect(try await users(["set-role", "kim", "viewer", "--app", "all"]).output == "kim is viewer\n")
        for refused in [
            ["set-role", "kim", "admin", "--app", "com.example.shop"],
            ["set-role", "maria", "admin", "--app", "com.example.shop"],
            ["set-role", "kim", "viewer", "--app", "all", "--app", "com.example.shop"],
            ["set-role", "kim", "viewer", "--app", ""],
        ] {
            let result = try await users(refused)
            #expect(result.exitCode == 2 && result.error.contains("--app"), "\(result)")
        }
        #expect(try await users(["list"]).output.contains("kim, viewer, all apps, password of"))
        #expect(try await users(["set-role", "kim", "boss"]).exitCode == 2)
        #expect(try await users(["set-role", "nobody", "admin"]).exitCode == 2)
        #expect(try await users(["set-role", "kim", "operator", "--app", "com.example.shop"]).exitCode == 0)
        #expect(try await users(["set-role", "kim", "admin"]).output == "kim is admin\n")
        // The limit of before is gone, so that a person says the new one.
        for demotion in [["set-role", "kim", "operator"], ["set-password", "kim", "--role", "finance"]] {
            let refused = try await users(demotion, input: "battery staple")
            #expect(refused.exitCode == 2 && refused.output.isEmpty, "\(refused)")
            #expect(refused.error.contains("such as --app com.example.shop, or --app all"), "\(refused)")
        }
        #expect(try await users(["list"]).output.contains("kim, admin"))
        let limited = try await users(["set-role", "kim", "operator", "--app", "com.tyop.app"])
        #expect(limited.output == "kim is operator, com.tyop.app\n")
        #expect(limited.error.contains("--app com.tyop.app: the ledger has no token and no sale"), "\(limited)")
        #expect(try await users(["set-role", "kim", "operator"]).output == "kim is operator, com.tyop.app\n")
        #expect(try await users(["set-role", "kim", "admin"]).output == "kim is admin\n")
        #expect(try await users(["set-password", "kim"], input: "battery staple").output.hasSuffix("role: admin\n"))
        #expect(try await users(["remove", "maria"]).output == "removed\n")
        #expect(try await users(["remove", "maria"]).exitCode == 2)
        #expect(try await users(["list"]).output.hasPrefix("kim, admin, "))
        let queue = try DatabaseQueue(path: file)
        let stored = try await queue.read { database in
            try Row.fetchAll(database, sql: "SELECT name, password_hash FROM users")
                .map { row -> (name: String, hash: String?) in (row["name"], row["password_hash"]) }
        }
        #expect(stored.first { $0.name == "kim" }?.hash?.hasPrefix("scrypt$15$8$1$") == true)
        #expect(stored.contains { $0.name == "maria" && $0.hash == nil })
        let bytes = try Data(contentsOf: URL(filePath: file))
        for secret in ["correct horse", "battery staple"] { #expect(bytes.range(of: Data(secret.utf8)) == nil) }
        let log = try await BuiltBinary.run(["ledger", "audit", "--database", "sqlite:\(file)"])
        for secret in ["correct horse", "battery staple", "scrypt"] { #expect(!log.output.contains(secret)) }
        #expect(log.output.contains("user-removed"))
    }
}
