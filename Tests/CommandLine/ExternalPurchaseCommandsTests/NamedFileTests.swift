import CommandSupport
import Foundation
import GRDB
import Testing

@testable import ExternalPurchaseCommands

@Suite("Files that commands are given")
struct NamedFileTests {
    private static func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private static func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// A file of another program, named as the ledger.
    enum Stranger: String, CaseIterable {
        case text, byte, database, databaseWithMigrations, folder, applicationId, userVersion, view

        /// What another program has done to its database.
        private var statements: [String] {
            switch self {
            case .database: ["CREATE TABLE notes (text TEXT)"]
            case .databaseWithMigrations:
                [
                    "CREATE TABLE notes (text TEXT)",
                    "CREATE TABLE migrations (id INTEGER, migration TEXT, batch INTEGER)",
                ]
            case .applicationId: ["PRAGMA application_id = 252006674"]
            case .userVersion: ["PRAGMA user_version = 7"]
            case .view: ["CREATE VIEW notes AS SELECT 1 AS text"]
            case .text, .byte, .folder: []
            }
        }

        func write(to path: String) throws {
            switch self {
            case .text: try Data("a letter\n".utf8).write(to: URL(filePath: path))
            case .byte: try Data([0x0A]).write(to: URL(filePath: path))
            case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .database, .databaseWithMigrations, .applicationId, .userVersion, .view:
                let queue = try DatabaseQueue(path: path)
                try queue.write { database in
                    for sql in statements { try database.execute(sql: sql) }
                }
                try queue.close()
            }
        }
    }

    @Test(
        "An empty file, and an empty database without numbers of a program, become a ledger",
        arguments: [true, false]
    )
    func empty(isDatabase: Bool) async throws {
        let scratch = try ScratchFolder()
        let path = scratch.url.appending(path: "l.sqlite").path
        if isDatabase {
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "CREATE TABLE a (b TEXT); DROP TABLE a") }
            try queue.close()
        } else {
            _ = try scratch.write("", to: "l.sqlite")
        }
        let result = try await BuiltBinary.run(["keys", "create", "--scope", "admin", "--database", "sqlite:\(path)"])
        #expect(result.exitCode == 0, "\(result.error)")
    }

    @Test(
        "A file that is no ledger keeps its mode and its content, whatever command names it",
        arguments: Stranger.allCases
    )
    func strangers(_ stranger: Stranger) async throws {
        let setup = try await ServerUnderTest()
        let path = setup.scratch.url.appending(path: "stranger").path
        try stranger.write(to: path)
        let mode = stranger == .folder ? 0o755 : 0o644
        try Self.setMode(mode, path)
        let before = try? Data(contentsOf: URL(filePath: path))
        let commands = [
            ["serve", "--config", setup.config, "--port", "0"], ["keys", "create", "--scope", "admin"],
            ["keys", "list"],
            ["keys", "revoke", "key_1"], ["users", "list"], ["users", "remove", "kim"],
            ["users", "set-password", "kim"],
            ["database", "migrate"], ["ledger", "verify"], ["ledger", "purge", "--before", "2020-01-01", "--by", "me"],
        ]
        for command in commands {
            let result = try await BuiltBinary.run(
                command + ["--database", "sqlite:\(path)"],
                input: Data("a long password\n".utf8)
            )
            // What is no ledger is a damaged one for the command that verifies.
            let least = command[1] == "verify" ? 1 : 2
            #expect(result.exitCode >= least, "\(command): \(result.output) \(result.error)")
            if stranger != .folder {
                let words =
                    [.text, .byte].contains(stranger)
                    ? "not a SQLite database" : "another program's database, with the "
                #expect((result.output + result.error).contains(words), "\(command): \(result.output) \(result.error)")
            }
            #expect(try Self.mode(path) == mode, "\(command)")
            #expect((try? Data(contentsOf: URL(filePath: path))) == before, "\(command)")
        }
        setup.emulator.terminate()
    }

    @Test(
        "A path at which no ledger can be has one error and exit code 2, whatever command names it",
        arguments: [
            ("folder", "is a folder; name a file"), ("none/l.sqlite", "/none does not exist"),
            ("closed.sqlite", "this user may not read it; run the command as the user who owns it"),
        ]
    )
    func impossible(name: String, words: String) async throws {
        let setup = try await ServerUnderTest()
        let path = setup.scratch.url.appending(path: name).path
        if name == "folder" { try Stranger.folder.write(to: path) }
        if name == "closed.sqlite" { try Self.setMode(0, try setup.scratch.write("", to: name)) }
        for command in [
            ["serve", "--config", setup.config, "--port", "0"], ["keys", "create", "--scope", "admin"],
            ["keys", "list"], ["users", "remove", "kim"], ["database", "migrate"], ["ledger", "verify"],
            ["ledger", "due"], ["ledger", "backup", setup.scratch.url.appending(path: "copy").path],
            ["ledger", "purge", "--before", "2020-01-01", "--by", "me", "--confirm"],
        ] {
            let result = try await BuiltBinary.run(
                command + ["--database", "sqlite:\(path)"],
                by: BuiltBinary.heedsModes
            )
            #expect(result.exitCode == 2, "\(command): \(result.output) \(result.error)")
            #expect(result.error.contains("--database sqlite:\(path): "), "\(command): \(result.error)")
            #expect(result.error.hasSuffix(words + "\n"), "\(command): \(result.error)")
        }
    }

    @Test("A ledger that others may read becomes private, with the files beside it")
    func ledger() async throws {
        let scratch = try ScratchFolder()
        let path = scratch.url.appending(path: "l.sqlite").path
        let create = ["keys", "create", "--scope", "admin", "--database", "sqlite:\(path)"]
        #expect(try await BuiltBinary.run(create).exitCode == 0)
        try Self.setMode(0o644, path)
        #expect(try await BuiltBinary.run(create).exitCode == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: scratch.url.path)
        where name.hasPrefix("l.sqlite") {
            #expect(try Self.mode(scratch.url.appending(path: name).path) == 0o600, "\(name)")
        }
    }

    /// Secrets as people paste them in place of a file's name.
    static let secrets: [String] = [
        "whsec_Zm9vYmFyYmF6cXV1eA/+9x", "sk_live_51Habcdefghijklmnop", "epk_0123456789abcdefghij",
        "MIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkwdwIBAQQgevZzL1gdAFr88hb2", "correct horse battery staple",
        "-----BEGIN PRIVATE KEY-----\nMIGTAgEAMBMGByqGSM49\n-----END PRIVATE KEY-----", "eyJhbGciOiJFUzI1NiJ9.e30.c2ln",
        "tmp/MIGTAgEAMBMGByqGSM49AgEG.x",
    ]

    @Test("A secret in place of a file's name is not printed", arguments: secrets)
    func pasted(_ secret: String) async throws {
        let setup = try await ServerUnderTest()
        let key = [
            "--key-id", "K", "--issuer-id", "I", "--bundle-id", "com.example.shop", "--base-url", "http://127.0.0.1:9",
        ]
        let report = try setup.scratch.write("{}", to: "report.json")
        var commands = [
            ["report", "get", UUID().uuidString, "--key", secret] + key,
            ["report", "send", report, "--key", secret] + key,
            ["serve", "--config", setup.config, "--port", "0", "--tls-certificate", setup.config, "--tls-key", secret],
            ["serve", "--config", setup.config, "--port", "0", "--tls-certificate", secret, "--tls-key", setup.config],
            ["emulator", "--port", "0", "--tls-certificate", setup.config, "--tls-key", secret],
        ]
        let text = try String(contentsOf: URL(filePath: setup.config), encoding: .utf8)
        let quoted = String(decoding: try JSONEncoder().encode(secret), as: UTF8.self)
        let keyFile = try Keys(folder: setup.scratch.url).keyFile
        let stripe = "stripe:\n  - bundleId: com.example.shop\n"
        let configurations = [
            text.replacing("file: \(keyFile)", with: "file: \(quoted)"),
            text + "\nalerts: {webhook: {url: 'https://a.example', secretFile: \(quoted)}}\n",
            text + "\n\(stripe)    signingSecretFile: \(quoted)\n",
            text + "\nsignIn: {oidc: {issuer: 'https://a.example', clientId: a, roles: {a: admin}, "
                + "clientSecretFile: \(quoted)}}\n",
            text + "\n\(stripe)    signingSecretFile: \(keyFile)\n    apiKeyFile: \(quoted)\n",
        ]
        for (index, configuration) in configurations.enumerated() {
            #expect(configuration != text)
            let file = try setup.scratch.write(configuration, to: "secret-\(index).yaml")
            commands.append(["serve", "--config", file, "--port", "0", "--database", "sqlite:\(setup.database)"])
        }
        for command in commands {
            let result = try await BuiltBinary.run(command)
            #expect(result.exitCode == 2, "\(command): \(result.output) \(result.error)")
            let printed = result.output + result.error
            // Neither the text nor a part of its lines.
            for line in secret.split(separator: "\n") where !line.hasPrefix("-----") {
                #expect(!printed.contains(line.prefix(12)), "\(command): \(printed)")
            }
            #expect(!printed.isEmpty)
        }
        setup.emulator.terminate()
    }

    @Test(
        "A secret in place of a value, a key or an option is not printed",
        arguments: secrets + ["me:geheim@db.example"]
    )
    func pastedValue(_ secret: String) async throws {
        let setup = try await ServerUnderTest()
        let text = try String(contentsOf: URL(filePath: setup.config), encoding: .utf8)
        let quoted = String(decoding: try JSONEncoder().encode(secret), as: UTF8.self)
        let bundle = "bundleId: \(ServerUnderTest.bundleId)"
        let configurations =
            [
                "\(quoted): 1", "trustedProxies: [\(quoted)]", "signIn: {\(quoted): 1}",
                "trustedProxies: [127.0.0.1]\nsignIn: {proxyHeader: \(quoted)}", "alerts: {every: \(quoted)}",
                "alerts: {first: \(quoted)}",
                "alerts: {review: \(quoted)}", "alerts: {\(quoted): 1}", "alerts: {webhook: {url: \(quoted)}}",
                "settings: {\(quoted): 1}", "settings: {\(quoted): [1]}", "settings: {send.delay: \(quoted)}",
                "settings: {due.timeZone: \(quoted)}", "settings: {due.warn: \(quoted)}",
                "settings: {http.maxBodySize: \(quoted)}",
                "settings: {http.idleTimeout: \(quoted)}", "settings: {rules.clockSkew: \(quoted)}",
                "exports: {columns: {\(quoted): a}}", "developerProgrammes: [\(quoted)]", "escalation: {\(quoted): 1}",
                "stripe: [{\(quoted): 1}]", "stripe: [{bundleId: \(quoted), signingSecretFile: a}]",
                "notifications: {\(quoted): 1}", "\(quoted): 1\n\(quoted): 2",
            ].map { text + "\n" + $0 + "\n" }
            + [
                // Some of them look like the id of an app.
                text.replacing(bundle, with: "bundleId: \(quoted.dropLast())!\""),
                text.replacing(bundle, with: "\(bundle)\n    programmes: [\(quoted)]"),
                text.replacing(bundle, with: "\(bundle)\n    links: {a: \(quoted)}"),
                text.replacing(bundle, with: "\(bundle)\n    links: {\(quoted): https://a.example}"),
                text.replacing(bundle, with: "\(bundle)\n    \(quoted): 1"),
            ]
        let serve = ["serve", "--port", "0", "--database", "sqlite:\(setup.database)", "--config"]
        var commands: [[String]] = []
        func expectNothing(of printed: String, _ place: String) {
            for line in secret.split(separator: "\n") where !line.hasPrefix("-----") {
                #expect(!printed.contains(line.prefix(12)), "\(place): \(printed)")
            }
            #expect(!printed.isEmpty && printed.utf8.count < 20_000, "\(place)")
        }
        for (index, configuration) in configurations.enumerated() {
            #expect(configuration != text)
            let file = try setup.scratch.write(configuration, to: "pasted-\(index).yaml")
            // With one secret the built program says all of it; of the others it says what is not refused by the reader.
            if secret != Self.secrets[0], let refusal = try Self.refusal(of: file) {
                expectNothing(of: refusal, configuration)
            } else {
                commands.append(serve + [file])
            }
        }
        commands += [
            ["--set", secret], ["--set", "\(secret)=1"], ["--set", "send.delay=\(secret)"], ["--port", secret],
        ].map {
            serve + [setup.config] + $0
        }
        commands += [
            ["emulator", "--port", "0", "--set", secret], ["emulator", "--port", "0", "--set", "\(secret)=1"],
            ["emulator", "--port", "0", "--set", "rules.clockSkew=\(secret)"],
            ["ledger", "import-sales", setup.config, "--config", setup.config, "--map", secret],
            ["serve", secret], [secret],
        ].filter { !$0.contains { $0.hasPrefix("-----") } }
        for command in commands {
            let result = try await BuiltBinary.run(command)
            #expect(result.exitCode != 0, "\(command): \(result.output) \(result.error)")
            expectNothing(of: result.output + result.error, "\(command)")
        }
        setup.emulator.terminate()
    }

    /// Why `serve` refuses a configuration, as it says it on standard error; nil when it reads it.
    private static func refusal(of file: String) throws -> String? {
        let sources = try ConfigurationSources(environment: [:])
        do throws(CommandFailure) {
            _ = try ServeConfiguration.read(path: file, sources: sources).serveSettings()
            return nil
        } catch {
            return error.message
        }
    }

    @Test("A password in an address is not printed, whatever option it was given to")
    func passwordOfAddress() async throws {
        let address = "postgres://ledger:geheim@127.0.0.1/ledger"
        for command in [
            ["serve", "--config", address], ["keys", "list", "--database", "sqlite:\(address)"],
            ["report", "validate", address], ["lint", address], ["token", "decode", "--file", address],
            ["ledger", "import-sales", address, "--config", address], ["serve", "--port", address],
            ["emulator", "--app", address], ["ledger", "verify", "--anchor", address, "--database", "sqlite:a"],
            ["serve", "--follow-clock", address, "--config", address], [address],
        ] {
            let result = try await BuiltBinary.run(command)
            #expect(
                result.exitCode != 0 && !(result.output + result.error).contains("geheim"),
                "\(command): \(result.error)"
            )
        }
    }

    @Test(
        "The name of a key's file is printed when it can be one",
        arguments: ["AuthKey_ABC.p8", "/none.pem", "key.txt"]
    )
    func names(_ name: String) async throws {
        let result = try await BuiltBinary.run([
            "report", "get", UUID().uuidString, "--key", name, "--key-id", "2X9R4HXF34", "--issuer-id",
            "57246542-96fe-1a63-e053-0824d011072a", "--bundle-id", "com.example.shop",
        ])
        #expect(result.exitCode == 2 && result.error.contains("\(name): no such file"), "\(result.error)")
    }

    @Test("An export is readable by its owner only, also in place of a file that others may read")
    func export() async throws {
        let setup = try await ServerUnderTest()
        let create = ["keys", "create", "--scope", "admin", "--database", "sqlite:\(setup.database)"]
        #expect(try await BuiltBinary.run(create).exitCode == 0)
        for format in ["text", "json"] {
            let output = try setup.scratch.write("old", to: "export.\(format)")
            try Self.setMode(0o644, output)
            let result = try await BuiltBinary.run([
                "ledger", "export", "2026-10", "--database", "sqlite:\(setup.database)", "--config", setup.config,
                "--format", format, "--output", output,
            ])
            #expect(result.exitCode == 0, "\(result.error)")
            #expect(try Self.mode(output) == 0o600)
            #expect(try String(contentsOf: URL(filePath: output), encoding: .utf8) != "old")
        }
        let device = try await BuiltBinary.run([
            "ledger", "export", "2026-10", "--database", "sqlite:\(setup.database)", "--config", setup.config,
            "--output",
            "/dev/null",
        ])
        #expect(device.exitCode == 2 && device.error.contains("is a device"), "\(device.error)")
        setup.emulator.terminate()
    }

    private static func run(_ count: Int) -> String { "a" + String(repeating: "\u{301}", count: count) }
    private static func flags(_ count: Int) -> String { String(repeating: "\u{1F1E6}", count: count) }

    @Test("An argument that is slow to walk over is refused")
    func hostileArgument() async throws {
        for text in [Self.run(31), Self.flags(65)] {
            let result = try await BuiltBinary.run(["lint", text])
            #expect(result.exitCode == 2 && result.error.contains("argument 2 has more than 30"), "\(result.error)")
        }
    }

    @Test("Files with more combining characters in a row than a language needs are refused before a comparison")
    func hostile() async throws {
        let setup = try await ServerUnderTest()
        let text = try String(contentsOf: URL(filePath: setup.config), encoding: .utf8)
        let escaped = "\"a" + String(repeating: #"\u0301"#, count: 31) + "\""
        let broken = "\"a" + String(repeating: "\\u0301\\\n  ", count: 31) + "\""
        let head = "saleId,type,occurredAt,"
        let moment = "2026-11-20T12:00:00Z"
        let words = "more than 30 combining characters in a row"
        let plist = "<plist><dict><key>CFBundleIdentifier</key><string>com.a</string>"
        let plain = try setup.scratch.write(plist + "</dict></plist>", to: "plain.plist")
        func link(_ code: String) -> String {
            plist
                + "<key>SKExternalPurchaseLink</key><dict><key>\(code)</key><string>https://a.example</string></dict></dict></plist>"
        }
        let cases: [(name: String, content: String, command: [String], words: String)] = [
            ("a.yaml", text + "\n\(Self.run(100_000)): 1\n", ["serve", "--port", "0", "--config"], words),
            ("b.yaml", text + "\n\(escaped): 1\n", ["serve", "--port", "0", "--config"], words),
            ("c.yaml", text + "\n\(broken): 1\n", ["serve", "--port", "0", "--config"], words),
            ("d.yaml", text + "\n\(Self.run(30)): 1\n", ["serve", "--port", "0", "--config"], "unknown key"),
            ("f.yaml", text + "\n\(Self.flags(20_000)): 1\n", ["serve", "--port", "0", "--config"], words),
            ("g.yaml", text + "\n\(Self.flags(64)): 1\n", ["serve", "--port", "0", "--config"], "unknown key"),
            ("f.csv", head + Self.flags(50_000) + "\n", ["ledger", "import-sales", "--config", setup.config], words),
            ("flag/Info.plist", link(Self.flags(65)), ["lint"], words),
            ("f.json", #"{"\#(Self.flags(65))":1}"#, ["explain", "--session"], words),
            ("e.yaml", "\(Self.run(31)): 1\n", ["lint", plain, "--config"], words),
            ("a.csv", head + Self.run(100_000) + "\n", ["ledger", "import-sales", "--config", setup.config], words),
            (
                "b.csv", head + String(repeating: "n", count: 65) + "\n",
                ["ledger", "import-sales", "--config", setup.config],
                "longer than 64 bytes"
            ),
            (
                "c.csv", head + String(repeating: "n", count: 64) + "\n",
                ["ledger", "import-sales", "--config", setup.config],
                "is not known; --map"
            ),
            (
                "d.csv", "saleId,type,occurredAt\n\(Self.run(31)),purchase,\(moment)\n",
                ["ledger", "import-sales", "--config", setup.config], words
            ),
            ("s.json", #"{"\#(Self.run(100_000))":1}"#, ["explain", "--session"], words),
            ("h.json", #"{"\#(Self.run(31))":1}"#, ["report", "validate", setup.config, "--history"], words),
            ("key/Info.plist", link(String(repeating: "k", count: 513)), ["lint"], "more than 512 bytes"),
            ("country/Info.plist", link(Self.run(100_000)), ["lint"], words),
            ("run/Info.plist", link(Self.run(31)), ["lint"], words),
            ("value/Info.plist", link("nl").replacing("a.example", with: Self.run(100_000)), ["lint"], words),
            ("reference/Info.plist", link("a" + String(repeating: "&#x301;", count: 31)), ["lint"], words),
            ("limit/Info.plist", link(Self.run(30)), ["lint"], "is not an ISO 3166-1"),
            (
                "many/Info.plist",
                plist + String(repeating: "<key>SKExternalX</key><true/>", count: 50_001) + "</dict></plist>",
                ["lint"], "more than 50000 values"
            ),
        ]
        for item in cases {
            let folder = setup.scratch.url.appending(path: item.name).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = try setup.scratch.write(item.content, to: item.name)
            let result = try await BuiltBinary.run(item.command + [file])
            #expect(result.exitCode != 0, "\(item.name): \(result.output)")
            #expect(
                (result.error + result.output).contains(item.words),
                "\(item.name): \(result.error)\(result.output.prefix(500))"
            )
        }
        setup.emulator.terminate()
    }

    @Test("A secret that was pasted where a file or a record is named is not repeated; names are")
    func pastedSecrets() async throws {
        let scratch = try ScratchFolder()
        _ = try await BuiltBinary.run(
            ["users", "set-password", "kim", "--database", "sqlite:l.sqlite"],
            input: Data("correct horse battery staple\n".utf8),
            folder: scratch.url
        )
        let commands = [
            ["serve", "--config"], ["stripe", "replay", "--config"], ["notification", "verify", "--root"],
            ["emulator", "--profile"], ["ledger", "verify", "--database", "sqlite:l.sqlite", "--anchor"],
            ["keys", "revoke", "--database", "sqlite:l.sqlite"], ["users", "remove", "--database", "sqlite:l.sqlite"],
            ["report", "validate"], ["explain", "--session"], ["lint"], ["ledger", "due", "--config"],
        ]
        for command in commands {
            for secret in [
                "MIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkwdwIBAQQg", "AKIAIOSFODNN7EXAMPLE",
                "xoxb-123456789012-1234567890123-AbCdEfGhIjKl", "correct horse battery staple",
                "epk_admin_0123456789abcdefghij", "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
            ] {
                let refused = try await BuiltBinary.run(command + [secret], folder: scratch.url)
                let said = refused.output + refused.error
                #expect(refused.exitCode != 0, "\(command), \(secret): \(said)")
                #expect(!said.contains(secret.suffix(10)), "\(command), \(secret): \(said)")
            }
        }
        for name in ["missing.yaml", "backups/2026-11-22-of-the-shop-in-the-south", "My Shop of the year 2026.yaml"] {
            let refused = try await BuiltBinary.run(["serve", "--config", name], folder: scratch.url)
            #expect(refused.exitCode == 2 && refused.error.contains(name), "\(refused.error)")
        }
    }

    @Test("Malformed JSON is named with line, column and what is missing, by every command that reads a file of JSON")
    func malformed() async throws {
        let setup = try await ServerUnderTest()
        let file = try setup.scratch.write("{\n  \"a\": 1\n  \"b\": 2\n}\n", to: "broken.json")
        let words = "at line 3, column 3: a comma or } is expected"
        let programmes = try setup.scratch.write(
            try String(contentsOf: URL(filePath: setup.config), encoding: .utf8) + "\nprogrammes: broken.json\n",
            to: "programmes.yaml"
        )
        let plist = try setup.scratch.write("<plist><dict><key>a</key><true/></dict></plist>", to: "Info.plist")
        for command in [
            ["report", "validate", file], ["report", "validate", file, "--history", file],
            ["ledger", "import", file, "--config", setup.config, "--database", "sqlite:\(setup.database)"],
            [
                "ledger", "sale", "amend", file, "--by", "me", "--config", setup.config, "--database",
                "sqlite:\(setup.database)",
            ],
            ["serve", "--config", programmes, "--port", "0"],
            ["lint", plist, "--baseline", file],
        ] {
            let result = try await BuiltBinary.run(command)
            #expect(result.exitCode != 0, "\(command)")
            #expect((result.output + result.error).contains(words), "\(command): \(result.output) \(result.error)")
        }
        let session = try await BuiltBinary.run(["explain", "--session", file])
        #expect(session.error.contains("broken.json:3:3: ") && session.error.contains("a comma or } is expected"))
        setup.emulator.terminate()
    }
}
