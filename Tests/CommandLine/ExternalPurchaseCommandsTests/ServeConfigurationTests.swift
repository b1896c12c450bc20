import ExternalPurchaseCore
import Foundation
import Testing

@testable import ExternalPurchaseCommands

@Suite("Where the configuration of serve comes from")
struct ServeConfigurationTests {
    private static func rows(_ result: BuiltBinary.Result) -> [String: [String: Any]] {
        let list = (try? JSONSerialization.jsonObject(with: Data(result.output.utf8))) as? [[String: Any]] ?? []
        return Dictionary(list.compactMap { row in (row["key"] as? String).map { ($0, row) } }) { first, _ in
            Issue.record("\(first["key"] ?? "") stands twice")
            return first
        }
    }

    @Test("database.folder is relative to the configuration that names it, and to the current folder elsewhere")
    func folder() async throws {
        let setup = try await ServerUnderTest()
        let text = try String(contentsOfFile: setup.config, encoding: .utf8)
        let config = try setup.scratch.write(
            text.replacing("send.delay: 0s", with: "send.delay: 0s, database.folder: files"),
            to: "folder.yaml"
        )
        let arguments = ["serve", "--config", config, "--print-configuration", "--format", "json"]
        for (more, value) in [
            ([], setup.scratch.url.appending(path: "files").path),
            (["--set", "database.folder=elsewhere"], "elsewhere"),
        ] {
            let result = try await BuiltBinary.run(arguments + more, folder: FileManager.default.temporaryDirectory)
            #expect(result.exitCode == 0, "\(result.error)")
            #expect(Self.rows(result)["database.folder"]?["value"] as? String == value)
        }
    }

    @Test("Flags win over the environment, and that over the file; each row says so")
    func order() async throws {
        let setup = try await ServerUnderTest()
        let text = try String(contentsOfFile: setup.config, encoding: .utf8)
        let secret = try setup.scratch.write("0123456789abcdef-geheim", to: "webhook.secret")
        let config = try setup.scratch.write(
            text.replacing("send.delay: 0s", with: "send.delay: 1h, send.lead: 2h, history.every: 3h") + """

                alerts: {every: 61s, first: 7, webhook: {url: "https://a.example.com/services/T0/geheim", secretFile: webhook.secret}}
                """,
            to: "order.yaml"
        )
        let environment = [
            "EXTERNAL_PURCHASE_SEND_DELAY": "2h", "EXTERNAL_PURCHASE_SEND_LEAD": "4h",
            "EXTERNAL_PURCHASE_ALERTS_EVERY": "62s", "EXTERNAL_PURCHASE_HTTP_MAX_TARGET_SIZE": "4096",
            "EXTERNAL_PURCHASE_NOTIFICATIONS_ONLINE_CHECKS": "true",
            // Those of another command.
            "EXTERNAL_PURCHASE_KEY_ID": "ABC",
        ]
        let arguments = ["serve", "--config", config, "--set", "send.delay=5h", "--set", "alerts.review=off"]
        let result = try await BuiltBinary.run(
            arguments + ["--print-configuration", "--format", "json"],
            environment: environment
        )
        #expect(result.exitCode == 0, "\(result.error)")
        let rows = Self.rows(result)
        for (key, value, standard, source, variable) in [
            ("send.delay", "5h", "0s", "flag", "EXTERNAL_PURCHASE_SEND_DELAY"),
            ("send.lead", "4h", "1d", "environment", "EXTERNAL_PURCHASE_SEND_LEAD"),
            ("history.every", "3h", "6h", "file", "EXTERNAL_PURCHASE_HISTORY_EVERY"),
            ("http.maxTargetSize", "4096", "16384", "environment", "EXTERNAL_PURCHASE_HTTP_MAX_TARGET_SIZE"),
            ("http.maxBatchBodySize", "4194304", "4194304", "default", "EXTERNAL_PURCHASE_HTTP_MAX_BATCH_BODY_SIZE"),
            ("http.maxBodySize", "262144", "262144", "default", "EXTERNAL_PURCHASE_HTTP_MAX_BODY_SIZE"),
            ("http.maxFormSize", "65536", "65536", "default", "EXTERNAL_PURCHASE_HTTP_MAX_FORM_SIZE"),
            (
                "http.maxWebhookBodySize", "1048576", "1048576", "default",
                "EXTERNAL_PURCHASE_HTTP_MAX_WEBHOOK_BODY_SIZE"
            ),
            ("http.headTimeout", "10s", "10s", "default", "EXTERNAL_PURCHASE_HTTP_HEAD_TIMEOUT"),
            ("alerts.every", "62s", "1min", "environment", "EXTERNAL_PURCHASE_ALERTS_EVERY"),
            ("alerts.first", "7", "50", "file", "EXTERNAL_PURCHASE_ALERTS_FIRST"),
            ("alerts.review", "off", "on", "flag", "EXTERNAL_PURCHASE_ALERTS_REVIEW"),
            ("alerts.scheduled", "off", "off", "default", "EXTERNAL_PURCHASE_ALERTS_SCHEDULED"),
            (
                "notifications.onlineChecks", "true", "false", "environment",
                "EXTERNAL_PURCHASE_NOTIFICATIONS_ONLINE_CHECKS"
            ),
            ("database.migrate", "on", "on", "default", "EXTERNAL_PURCHASE_DATABASE_MIGRATE"),
        ] {
            #expect(rows[key]?["value"] as? String == value, "\(key): \(rows[key] ?? [:])")
            #expect(rows[key]?["default"] as? String == standard, "\(key): \(rows[key] ?? [:])")
            #expect(rows[key]?["source"] as? String == source, "\(key): \(rows[key] ?? [:])")
            #expect(rows[key]?["variable"] as? String == variable, "\(key): \(rows[key] ?? [:])")
        }
        #expect(rows["alerts.webhook.secretFile"]?["value"] as? String == "<set>")
        #expect(rows["apps[0].key.file"]?["value"] as? String == "<set>")
        #expect(rows["apps[0].bundleId"]?["value"] as? String == ServerUnderTest.bundleId)
        #expect(rows["apps[0].bundleId"]?["variable"] is NSNull)
        #expect(rows["apps[0].baseURL.sandbox"]?["source"] as? String == "file")
        #expect(!result.output.contains("geheim") && !result.output.contains("PRIVATE KEY"))
        #expect(!result.output.contains(secret))
        // The same as text, one line for each row.
        let shown = try await BuiltBinary.run(arguments + ["--print-configuration"], environment: environment)
        #expect(shown.output.split(separator: "\n").count == rows.count)
        #expect(shown.output.contains("send.delay = 5h  (flag; default 0s)\n"), "\(shown.output)")
        #expect(shown.output.contains("send.lead = 4h  (environment EXTERNAL_PURCHASE_SEND_LEAD; default 1d)\n"))
        #expect(!FileManager.default.fileExists(atPath: setup.database))
    }

    @Test("The policy of an app is what the file says, at the path and in the listing (OB-100, OB-101, OB-103)")
    func policy() async throws {
        let setup = try await ServerUnderTest()
        let text = try String(contentsOfFile: setup.config, encoding: .utf8)
        // NO is Norway and no Boolean.
        let policy = """
            programmes: [eea-link]
                policy:
                  maxAge: 2h
                  default: {offered: false, message: ~}
                  storefronts:
                    JP: {offered: true}
                    NO: {offered: true, requestsTokens: false}
                    XKS: {offered: false, requestsTokens: true, message: "Später"}
            """
        let config = try setup.scratch.write(
            text.replacing("programmes: [eea-link]", with: policy),
            to: "policy.yaml"
        )
        let arguments = ["serve", "--config", config]
        let result = try await BuiltBinary.run(arguments + ["--print-configuration", "--format", "json"])
        #expect(result.exitCode == 0, "\(result.error)")
        let rows = Self.rows(result)
        for (key, value) in [
            ("maxAge", "2h"), ("default", "offered: false, requestsTokens: false"),
            ("storefronts.JPN", "offered: true, requestsTokens: true"),
            ("storefronts.NOR", "offered: true, requestsTokens: false"),
            ("storefronts.XKS", "offered: false, requestsTokens: true, message: Später"),
        ] {
            #expect(rows["apps[0].policy.\(key)"]?["value"] as? String == value, "\(key)")
        }
        let server = try await RunningServer(arguments + ["--port", "0", "--database", "sqlite:\(setup.database)"])
        let answer = try await HTTP.get(server.url + "/v1/policy?storefront=XKS").json
        let kosovo: NSDictionary = ["XKS": ["offered": false, "requestsTokens": true, "message": "Später"]]
        #expect(answer["storefronts"] as? NSDictionary == kosovo)
        #expect(answer["default"] as? NSDictionary == ["offered": false, "requestsTokens": false, "message": NSNull()])
        let all = try await HTTP.get(server.url + "/v1/policy").json["storefronts"] as? NSDictionary
        #expect(all?.count == 3)
        server.terminate()
        let open = try await RunningServer(setup.arguments)
        let standard = try await HTTP.get(open.url + "/v1/policy").json
        #expect(standard["default"] as? NSDictionary == ["offered": true, "requestsTokens": true, "message": NSNull()])
        open.terminate()
    }

    @Test("A setting of the environment is in effect, of the server and of ledger commands")
    func effect() async throws {
        let setup = try await ServerUnderTest()
        let result = try await BuiltBinary.run(
            setup.arguments,
            environment: ["EXTERNAL_PURCHASE_DATABASE_MIGRATE": "off"]
        )
        #expect(result.exitCode == 3)
        #expect(result.error.contains("database.migrate is off"), "\(result.error)")
        let flag = try await BuiltBinary.run(setup.arguments + ["--set", "database.migrate=off"])
        #expect(flag.exitCode == 3, "\(flag.error)")
        let migrate = ["database", "migrate", "--database", "sqlite:\(setup.database)"]
        #expect(try await BuiltBinary.run(migrate).exitCode == 0)
        let due = ["ledger", "due", "--config", setup.config, "--database", "sqlite:\(setup.database)"]
        #expect(try await BuiltBinary.run(due).exitCode == 0)
        let wrong = try await BuiltBinary.run(due, environment: ["EXTERNAL_PURCHASE_SEND_LEAD": "soon"])
        #expect(wrong.exitCode == 2)
        #expect(wrong.error.contains("EXTERNAL_PURCHASE_SEND_LEAD"), "\(wrong.error)")
    }

    @Test("What is wrong is named by its variable or flag, and by file, line and column in the file")
    func wrong() async throws {
        let setup = try await ServerUnderTest()
        for (arguments, environment, words) in [
            ([], ["EXTERNAL_PURCHASE_SEND_DELEY": "1h"], ["EXTERNAL_PURCHASE_SEND_DELEY"]),
            ([], ["EXTERNAL_PURCHASE_APPS": "[]"], ["EXTERNAL_PURCHASE_APPS", "files only"]),
            ([], ["EXTERNAL_PURCHASE_ALERTS_WEBHOOK_SECRET": "geheim"], ["EXTERNAL_PURCHASE_ALERTS_WEBHOOK_SECRET"]),
            (
                [], ["EXTERNAL_PURCHASE_SEND_DELAY": "soon"],
                ["EXTERNAL_PURCHASE_SEND_DELAY", "soon", "from 0s to 365d"]
            ),
            ([], ["EXTERNAL_PURCHASE_ALERTS_EVERY": "1ms"], ["EXTERNAL_PURCHASE_ALERTS_EVERY", "from 1s to 24h"]),
            (
                [], ["EXTERNAL_PURCHASE_ALERTS_WEBHOOK_SECRET_FILE": "/none"],
                ["EXTERNAL_PURCHASE_ALERTS_WEBHOOK_SECRET_FILE", "not shown, because the text may be the secret"]
            ),
            ([], ["EXTERNAL_PURCHASE_PROGRAMMES": "/none"], ["EXTERNAL_PURCHASE_PROGRAMMES", "/none"]),
            (["--set", "history.every=0s"], [:], ["history.every", "0s", "at least 1min"]),
            (["--set", "http.maxBodySize=100"], [:], ["http.maxBodySize", "100", "4096 to 16777216"]),
            (["--set", "send.delay"], [:], ["--set 'send.delay'", "NAME=VALUE"]),
            (["--set", "send.deley=1h"], [:], ["send.deley", "send.delay"]),
            (["--set", "send.delay=soon"], [:], ["--set send.delay", "soon"]),
            (["--set", "send.delay=1h", "--set", "send.delay=2h"], [:], ["send.delay", "more than once"]),
            (["--set", "apps=x"], [:], ["apps"]),
            (["--format", "json"], [:], ["--format", "--print-configuration"]),
        ] as [([String], [String: String], [String])] {
            let result = try await BuiltBinary.run(setup.arguments + arguments, environment: environment)
            #expect(result.exitCode == 2, "\(arguments) \(environment): \(result.error)")
            #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
            for word in words { #expect(result.error.contains(word), "\(arguments) \(environment): \(result.error)") }
            #expect(!result.error.contains("geheim"))
        }
        let text = try String(contentsOfFile: setup.config, encoding: .utf8)
        let config = try setup.scratch.write(text + "\nalerts: {every: 1ms}\n", to: "wrong.yaml")
        let line = text.split(separator: "\n", omittingEmptySubsequences: false).count + 1
        let inFile = try await BuiltBinary.run(["serve", "--config", config, "--print-configuration"])
        #expect(inFile.exitCode == 2)
        #expect(inFile.error.contains("wrong.yaml:\(line):17: alerts.every '1ms'"), "\(inFile.error)")
    }

    @Test(
        "What is wrong in the file is one line with its place, its key and what would be right",
        arguments: [
            // What follows the file's last line; line and column count from the first line of it.
            ("settings: {send.lead: 400d}", "0:22: settings: send.lead '400d' must be from 0s to 365d, such as 24h"),
            ("settings: {send.delay: 366d}", "0:23: settings: send.delay '366d' must be from 0s to 365d, such as 2h"),
            (
                "settings:\n  send.delay: 1h\n  http.shutdownDelay: 100d",
                "2:22: settings: http.shutdownDelay '100d' must be from 0s to 1h, such as 10s"
            ),
            (
                "settings: {subscriptions.resumeWithin: 61d}",
                "0:39: settings: subscriptions.resumeWithin '61d' must be from 0d to 60d, such as 60d"
            ),
            (
                "settings: {due.warn: [5, 2, 1]}",
                "0:21: settings: due.warn must be a single value such as 5,2,1, not a list"
            ),
            (
                "settings: {send.lead: {days: 1}}",
                "0:22: settings: send.lead must be a single value such as 1d, not a map"
            ),
            ("settings: {due.warn: 0}", "0:21: settings: due.warn '0' must be days from 1 to 365, such as 5,2,1"),
            ("settings: {send.leed: 1h}", "0:22: settings: there is no 'send.leed'; known are "),
            ("settings: [send.lead]", "0:10: settings must be a map of names to values"),
            (
                "settings: {send.lead: [1h",
                "1:0: is not YAML: did not find expected ',' or ']', while parsing a flow sequence in line "
            ),
            (
                "settings: {send.lead: \"1h}",
                "1:0: is not YAML: found unexpected end of stream, while scanning a quoted"
            ),
            ("\tsettings: {}", "0:0: is not YAML: found character that cannot start any token"),
            ("settings: {send.lead: \u{1}}", "0:22: is not YAML: control characters are not allowed"),
            ("alerts: {}\nalerts: {}", "'alerts' stands more than once; keep one"),
        ]
    )
    func places(_ end: String, _ expected: String) async throws {
        let setup = try await ServerUnderTest()
        let text = try String(contentsOfFile: setup.config, encoding: .utf8)
            .split(separator: "\n").filter { !$0.hasPrefix("settings:") }
        let config = try setup.scratch.write((text + [end[...]]).joined(separator: "\n") + "\n", to: "wrong.yaml")
        let result = try await BuiltBinary.run(["serve", "--config", config, "--print-configuration"])
        #expect(result.exitCode == 2)
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
        guard let place = expected.wholeMatch(of: /([0-9]+):([0-9]+)(:.*)/), let line = Int(place.1),
            let column = Int(place.2)
        else {
            #expect(result.error.contains("wrong.yaml:") && result.error.contains(expected), "\(result.error)")
            return
        }
        let words = "wrong.yaml:\(text.count + 1 + line):\(column + 1)\(place.3)"
        #expect(result.error.contains(words), "\(result.error) has not \(words)")
    }

    @Test("A wrong value in the file that a flag replaces is no error")
    func replaced() async throws {
        let setup = try await ServerUnderTest()
        let text = try String(contentsOfFile: setup.config, encoding: .utf8)
        let config = try setup.scratch.write(text.replacing("send.delay: 0s", with: "send.delay: 9y"), to: "old.yaml")
        let arguments = ["serve", "--config", config, "--print-configuration"]
        let wrong = try await BuiltBinary.run(arguments)
        #expect(wrong.exitCode == 2 && wrong.error.contains("send.delay '9y'"), "\(wrong.error)")
        #expect(try await BuiltBinary.run(arguments + ["--set", "send.delay=1h"]).exitCode == 0)
    }

    @Test("Every setting has a default, which is what holds without it")
    func defaults() throws {
        for name in ServeSettings.names {
            let text = try #require(ServeSettings().text(of: name), "\(name) has no default")
            let standard = try ServeSettings([:])
            let stated = try ServeSettings([name: text])
            // A stated text of a message is stored beside the built-in one.
            if !name.hasPrefix("messages.") { #expect("\(stated)" == "\(standard)", "\(name)") }
            let variable = ConfigurationSources.variable(of: name)
            #expect(variable.hasPrefix("EXTERNAL_PURCHASE_"), "\(variable)")
        }
        let variables = Set(ConfigurationSources.keys.map(ConfigurationSources.variable))
        #expect(variables.count == ConfigurationSources.keys.count)
    }
}
