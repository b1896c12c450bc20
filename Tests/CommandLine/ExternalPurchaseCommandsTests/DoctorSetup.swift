import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite
import RawSockets
import Synchronization
import Testing

/// A configuration that works, with an emulator as Apple's side, and what a case breaks in it.
final class DoctorSetup: Sendable {
    static let bundleId = "com.example.shop"

    let scratch: ScratchFolder
    let emulator: RunningServer
    let keyFile: String
    let root: String
    let secret: String
    let apiKey: String
    let database: String

    private let keys: Keys
    private let endpoints = Mutex<[StripeEndpoints]>([])
    private let servers = Mutex<[RunningServer]>([])

    init() async throws {
        scratch = try ScratchFolder()
        emulator = try await RunningServer(
            [
                "emulator", "--port", "0", "--app", "\(Self.bundleId)=1234567890", "--credentials", scratch.url.path,
            ]
        )
        keys = try Keys(folder: scratch.url)
        keyFile = keys.keyFile
        root = scratch.url.appending(path: "root.cer").path
        try await HTTP.get(emulator.url + "/emulator/v1/root.cer").body.write(to: URL(filePath: root))
        secret = try scratch.write("whsec_\(String(repeating: "a", count: 48))\n", to: "stripe.secret")
        apiKey = try scratch.write("rk_test_0123456789abcdef\n", to: "stripe.key")
        for file in [secret, apiKey] {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        }
        database = scratch.url.appending(path: "ledger.sqlite").path
        let made = try await BuiltBinary.run(["database", "migrate", "--database", "sqlite:\(database)"])
        #expect(made.exitCode == 0, "\(made.error)")
    }

    func config(
        keyId: String? = nil,
        roots: String = "notifications: {roots: [root.cer]}",
        programmes: String = "[eu-custom-link]",
        stripe: String? = nil,
        hasAPIKey: Bool = true,
        appAppleId: Int = 1_234_567_890,
        baseURL: String? = nil,
        settings: String = "",
        more: String = ""
    ) throws -> String {
        var text = """
            apps:
              - bundleId: \(Self.bundleId)
                appAppleId: \(appAppleId)
                key: {file: \(keys.keyFile), keyId: \(keyId ?? keys.keyId), issuerId: \(keys.issuerId)}
                baseURL: {sandbox: "\(baseURL ?? emulator.url)"}
                programmes: \(programmes)
            \(roots)
            settings: {\(settings)}
            \(more)
            """
        if let stripe {
            text += """

                stripe:
                  - bundleId: \(Self.bundleId)
                    signingSecretFile: stripe.secret
                    baseURL: \(stripe)
                    \(hasAPIKey ? "apiKeyFile: stripe.key" : "")
                """
        }
        return try scratch.write(text + "\n", to: "serve.yaml")
    }

    /// Starts a stand-in for Stripe that answers as long as the setup is there.
    func stripe(events: [String], path: String = "/v1/webhooks/stripe") throws -> String {
        try stripe([StripeEndpoints.endpoint("https://pay.example.com" + path, events)]).url
    }

    func stripe(_ endpoints: [[String: any Sendable]] = [], answers: StripeEndpoints.Answer? = nil) throws
        -> StripeEndpoints
    {
        let stripe = try StripeEndpoints(endpoints, answers: answers)
        self.endpoints.withLock { $0.append(stripe) }
        return stripe
    }

    /// Starts a server of something else.
    func other(_ status: String, _ body: String) throws -> String {
        try stripe(answers: StripeEndpoints.Answer(status: status, type: "text/html", body: body)).url
    }

    /// Keeps a server as long as the setup is there.
    func keep(_ server: RunningServer) { servers.withLock { $0.append(server) } }

    func port(of url: String) throws -> String { String(try #require(URL(string: url)?.port)) }

    /// Gives the ledger what a server needs that listens beyond this machine.
    func makeKeyAndUser() async throws {
        let ledger = ["--database", "sqlite:\(database)"]
        let key = try await BuiltBinary.run(["keys", "create", "--scope", "admin"] + ledger)
        let user = try await BuiltBinary.run(
            ["users", "set-password", "kim"] + ledger,
            input: Data("correct horse".utf8)
        )
        #expect(key.exitCode == 0 && user.exitCode == 0, "\(key.error)\(user.error)")
    }

    func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    /// Makes another ledger in a folder of its own.
    func ledger(in folder: String) async throws -> (folder: String, file: String) {
        let url = scratch.url.appending(path: folder)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let file = url.appending(path: "ledger.sqlite").path
        #expect(try await BuiltBinary.run(["database", "migrate", "--database", "sqlite:\(file)"]).exitCode == 0)
        return (url.path, file)
    }

    func write(_ body: @escaping @Sendable (LedgerTransaction) throws(LedgerError) -> Void) async throws {
        let store = try SQLiteLedgerStore(path: database)
        try await store.write(body)
        try store.close()
    }

    func run(_ arguments: [String] = []) async throws -> BuiltBinary.Result {
        try await BuiltBinary.run(
            ["doctor", "--config", scratch.url.appending(path: "serve.yaml").path]
                + (arguments.contains("--database") ? [] : ["--database", "sqlite:\(database)"])
                + (arguments.contains("--port") ? [] : ["--port", "0"]) + arguments,
            by: BuiltBinary.heedsModes
        )
    }

    /// The checks by name.
    func checks(_ arguments: [String] = []) async throws -> (exitCode: Int32, checks: [String: [String: Any]]) {
        let result = try await run(arguments + ["--format", "json"])
        let list = try #require(result.json?["checks"] as? [[String: Any]], "\(result.error)")
        let named = list.map { ($0["name"] as? String ?? "?", $0) }
        #expect(Set(named.map(\.0)).count == named.count)
        return (result.exitCode, Dictionary(named) { $1 })
    }
}

/// A stand-in for `GET /v1/webhook_endpoints`, which answers the public's question too.
final class StripeEndpoints: Sendable {
    struct Answer: Sendable {
        let status: String
        let type: String
        let body: String
    }

    let url: String
    private let listener: RawListener
    private let list = Mutex<[UInt8]>([])

    static func endpoint(_ url: String, _ events: [String], status: String = "enabled") -> [String: any Sendable] {
        ["id": "we_1", "object": "webhook_endpoint", "status": status, "url": url, "enabled_events": events]
    }

    /// - Parameter answers: what is answered to every question; nil for the list.
    init(_ endpoints: [[String: any Sendable]], answers: Answer? = nil) throws {
        listener = try RawListener()
        url = "http://127.0.0.1:\(listener.port)"
        try set(endpoints)
        listener.start { [weak self] connection in
            let target = connection.request()?.target
            if let answers {
                connection.respond(answers.status, type: answers.type, Array(answers.body.utf8))
            } else if target == "/health/live" {
                connection.respond("200 OK", type: "application/json", Array(#"{"status":"ok"}"#.utf8))
            } else {
                connection.respond("200 OK", type: "application/json", self?.list.withLock { $0 } ?? [])
            }
            connection.close()
        }
    }

    func set(_ endpoints: [[String: any Sendable]]) throws {
        let body = try JSONSerialization.data(
            withJSONObject: ["object": "list", "has_more": false, "data": endpoints] as [String: Any]
        )
        list.withLock { $0 = Array(body) }
    }
}
