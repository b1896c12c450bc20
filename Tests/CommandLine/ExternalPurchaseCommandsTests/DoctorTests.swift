import Foundation
import Testing

@testable import ExternalPurchaseCommands

@Suite("doctor: what makes a first day fail, each with its repair", .serialized)
struct DoctorTests {
    @Test("The check that fails, and no other, with its repair; the line of the text has both", arguments: broken)
    func breaks(_ broken: Broken) async throws {
        let setup = try await DoctorSetup()
        let arguments = try await broken.breakIt(setup)
        let (exitCode, checks) = try await setup.checks(arguments)
        let failed = checks.filter { $0.value["ok"] as? Bool == false }
        #expect(Set(failed.keys) == [broken.check], "\(failed)")
        #expect(exitCode == 1)
        let check = try #require(checks[broken.check])
        let fix = try #require(check["fix"] as? String)
        #expect(fix.contains(broken.fix), "\(fix)")
        let text = try await setup.run(arguments)
        #expect(text.exitCode == 1)
        let lines = text.output.split(separator: "\n").filter { $0.hasPrefix("FAIL \(broken.check): ") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.contains(broken.fix) }, "\(text.output)")
        #expect(!text.output.contains("\u{1B}"))
    }

    @Test("Every check is broken by a case")
    func cases() {
        let names = Set(DoctorCheck.Name.allCases.map(\.rawValue))
        #expect(Set(Self.broken.map(\.check)) == names)
    }

    @Test("A configuration that works: nothing fails, before the first start, beside the server and after a backup")
    func works() async throws {
        let setup = try await DoctorSetup()
        let stripe = try setup.stripe([StripeEndpoints.endpoint("https://other.example.com/v1/webhooks/stripe", ["*"])])
        let config = try setup.config(stripe: stripe.url)
        let before = try await setup.checks()
        #expect(before.exitCode == 0, "\(before.checks)")
        #expect(before.checks["stripe-events"]?["ok"] is NSNull, "\(before.checks)")
        let address = "sqlite:\(setup.database)"
        let server = try await RunningServer(["serve", "--config", config, "--port", "0", "--database", address])
        try await Self.backup(setup) { _ in }
        try stripe.set([StripeEndpoints.endpoint(server.url + "/v1/webhooks/stripe", ["*"])])
        let (exitCode, checks) = try await setup.checks(
            ["--public-address", server.url, "--port", try setup.port(of: server.url)]
        )
        #expect(
            (checks["ports"]?["detail"] as? String)?.hasPrefix("a server of this program has port") == true,
            "\(checks)"
        )
        #expect(exitCode == 0, "\(checks)")
        let passed = checks.filter { $0.value["ok"] as? Bool == true }
        #expect(
            Set(passed.keys).isSuperset(
                of: [
                    "configuration", "files", "file-modes", "secrets", "apple-key", "clock", "roots", "database",
                    "schema", "disk-space", "ports", "public-address", "stripe-events", "access", "backup", "review",
                    "deadlines",
                ]
            ),
            "\(checks)"
        )
        #expect(server.terminate() == 0)
    }

    @Test("A port that the user may not use is named", .enabled(if: firstFreePort > 1))
    func forbiddenPort() async throws {
        let setup = try await DoctorSetup()
        _ = try setup.config()
        let (exitCode, checks) = try await setup.checks(["--port", String(Self.firstFreePort - 1)])
        #expect(exitCode == 1)
        #expect((checks["ports"]?["fix"] as? String)?.contains("above 1023") == true, "\(checks)")
    }

    /// The first port that needs no right; 0 where the system does not tell it.
    private static let firstFreePort: Int = {
        let file = "/proc/sys/net/ipv4/ip_unprivileged_port_start"
        let text = try? String(contentsOfFile: file, encoding: .utf8)
        return text.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
    }()

    @Test("Without an answer of Apple's side the key is neither right nor wrong")
    func offline() async throws {
        let setup = try await DoctorSetup()
        _ = try setup.config()
        setup.emulator.kill()
        let (exitCode, checks) = try await setup.checks()
        #expect(exitCode == 0, "\(checks)")
        #expect(checks["apple-key"]?["ok"] is NSNull && checks["clock"]?["ok"] != nil, "\(checks)")
    }

    @Test("A fault is not hidden by another one: each secret is read, whatever else is missing")
    func hidden() async throws {
        let setup = try await DoctorSetup()
        let custom = try setup.scratch.write("short\n", to: "custom.secret")
        try setup.setMode(0o600, of: custom)
        let payments = "payments: [{bundleId: \(DoctorSetup.bundleId), provider: custom, secretFile: custom.secret}]"
        _ = try setup.config(stripe: try setup.stripe(events: ["*"]), more: payments)
        try Data("secret\n".utf8).write(to: URL(filePath: setup.secret))
        try setup.setMode(0o600, of: setup.secret)
        try FileManager.default.removeItem(atPath: setup.root)
        let checks = try await setup.checks().checks
        #expect(checks["files"]?["ok"] as? Bool == false)
        #expect(checks["secrets"]?["ok"] as? Bool == false)
        let detail = try #require(checks["secrets"]?["detail"] as? String)
        for name in ["stripe.secret", "custom.secret"] { #expect(detail.contains(name), "\(detail)") }
    }

    @Test("What nobody tried is neither right nor wrong, and says what it leads to")
    func unknown() async throws {
        let setup = try await DoctorSetup()
        _ = try setup.config(
            stripe: try setup.stripe().url,
            hasAPIKey: false,
            more: "alerts: {webhook: {url: \"http://127.0.0.1:1/alerts\"}}"
        )
        let (exitCode, checks) = try await setup.checks()
        #expect(exitCode == 0, "\(checks)")
        for name in ["alerts", "stripe-events"] { #expect(checks[name]?["ok"] is NSNull, "\(checks)") }
        #expect((checks["stripe-events"]?["detail"] as? String)?.contains("are held") == true, "\(checks)")
        #expect((checks["stripe-events"]?["fix"] as? String)?.contains("apiKeyFile") == true, "\(checks)")
    }

    @Test("Files that an editor began with the mark of UTF-8 are read")
    func marks() async throws {
        let setup = try await DoctorSetup()
        let config = try setup.config(stripe: try setup.stripe(events: ["*"]))
        for file in [config, setup.keyFile, setup.secret, setup.apiKey].map({ URL(filePath: $0) }) {
            try (Data([0xEF, 0xBB, 0xBF]) + Data(contentsOf: file)).write(to: file)
            try setup.setMode(0o600, of: file.path)
        }
        let (exitCode, checks) = try await setup.checks()
        #expect(exitCode == 0, "\(checks)")
    }

    @Test("serve refuses what doctor names: a ledger without content beside the anchor of one, and leaves it as it is")
    func emptied() async throws {
        let setup = try await DoctorSetup()
        let config = try setup.config()
        let file = try setup.scratch.write("", to: "emptied.sqlite")
        _ = try setup.scratch.write("3:\(String(repeating: "a", count: 64))\n", to: "emptied.sqlite.anchor")
        let served = try await BuiltBinary.run(
            ["serve", "--config", config, "--port", "0", "--database", "sqlite:\(file)"]
        )
        #expect(served.exitCode == 3 && served.error.contains("Put the newest copy in its place"), "\(served.error)")
        #expect(try Data(contentsOf: URL(filePath: file)).isEmpty)
    }

    @Test("An address of the public with a password in it is refused without it")
    func password() async throws {
        let setup = try await DoctorSetup()
        _ = try setup.config()
        let result = try await setup.run(["--public-address", "https://user:open-sesame@pay.example.com"])
        #expect(result.exitCode == 2 && !result.error.contains("open-sesame"), "\(result.error)")
    }

    @Test(
        "Options that contradict each other end doctor and serve with 2 and the same line",
        arguments: [
            (["--tls-key", "key.pem"], "--tls-key needs --tls-certificate"),
            (["--tls-certificate", "c.pem"], "--tls-certificate needs --tls-key"),
            (["--public-host", "127.0.0.1"], "--public-host needs --public-port"),
            (["--port", "18743", "--public-port", "18743"], "--port 18743 and --public-port 18743 are the same port"),
            (
                ["--port", "18743", "--public-port", "18743", "--public-host", "0.0.0.0"],
                "--port 18743 and --public-port 18743 are the same port of 0.0.0.0"
            ),
            (
                ["--port", "18743", "--host", "localhost", "--public-port", "18743"],
                "--port 18743 and --public-port 18743 are the same port of 127.0.0.1"
            ),
            (
                ["--port", "18743", "--public-port", "18743", "--public-host", "::"],
                "--port 18743 and --public-port 18743 are the same port of ::"
            ),
        ]
    )
    func contradiction(_ arguments: [String], _ says: String) async throws {
        let setup = try await DoctorSetup()
        let config = try setup.config()
        let serve = ["serve", "--config", config, "--database", "sqlite:\(setup.database)"]
        let results = [
            try await setup.run(arguments), try await setup.run(arguments + ["--format", "json"]),
            try await BuiltBinary.run(serve + (arguments.contains("--port") ? [] : ["--port", "0"]) + arguments),
        ]
        for result in results {
            #expect(result.exitCode == 2 && result.output.isEmpty, "\(result.output)\(result.error)")
            #expect(result.error.split(separator: "\n").count == 1 && result.error.contains(says), "\(result.error)")
        }
        #expect(Set(results.map(\.error)).count == 1)
    }

    @Test("One port of two addresses, and two free ports, are no contradiction")
    func onePort() async throws {
        let setup = try await DoctorSetup()
        _ = try setup.config()
        let same = ["--port", "18743", "--public-port", "18743"]
        for arguments in [
            same + ["--public-host", "127.0.0.2"], same + ["--public-host", "::1"],
            ["--port", "0", "--public-port", "0"],
        ] {
            let result = try await setup.run(arguments)
            #expect(result.exitCode != 2 && result.error.isEmpty, "\(result.error)")
        }
    }

    @Test("A configuration that cannot be read ends with 2 and one line, as with serve")
    func unreadable() async throws {
        let setup = try await DoctorSetup()
        _ = try setup.scratch.write("apps: [{bundleId: com.example.shop, appAppleId: x}]\n", to: "serve.yaml")
        let result = try await setup.run()
        #expect(result.exitCode == 2 && result.output.isEmpty)
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
        #expect(result.error.contains("serve.yaml:1:"), "\(result.error)")
        let (exitCode, checks) = try await setup.checks()
        #expect(exitCode == 2 && checks.count == 1)
        #expect(checks["configuration"]?["ok"] as? Bool == false)
        #expect((checks["configuration"]?["detail"] as? String)?.contains("serve.yaml:1:") == true, "\(checks)")
    }
}
