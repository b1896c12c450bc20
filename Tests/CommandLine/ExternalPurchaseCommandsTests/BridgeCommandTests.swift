import ExternalPurchaseCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ExternalPurchaseCommands

/// A host in another process: the built binary, to which it writes lines and of which it reads them.
private final class BridgeHost: Sendable {
    private let process: Mutex<Process>
    private let input: FileHandle
    private let lines: Mutex<[JSONObject]> = Mutex([])
    private let isAtEnd = Mutex(false)
    private let errors = Mutex("")

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = BuiltBinary.url
        process.arguments = ["bridge"] + arguments
        process.environment = BuiltBinary.environment.merging(environment) { $1 }
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (stdin, stdout, stderr)
        signal(SIGPIPE, SIG_IGN)
        try process.run()
        input = stdin.fileHandleForWriting
        self.process = Mutex(process)
        Thread.detachNewThread { [self] in
            var waiting = Data()
            while true {
                let part = stdout.fileHandleForReading.availableData
                if part.isEmpty { break }
                waiting += part
                while let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
                    let value = try? JSONReader().read(Array(waiting[..<end]))
                    lines.withLock { $0.append(value?.objectValue ?? ["not": "an object"]) }
                    waiting = Data(waiting[(end + 1)...])
                }
            }
            isAtEnd.withLock { $0 = waiting.isEmpty }
        }
        Thread.detachNewThread { [self] in
            let data = (try? stderr.fileHandleForReading.readToEnd()) ?? Data()
            errors.withLock { $0 = String(decoding: data, as: UTF8.self) }
        }
    }

    func send(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

    func send(_ id: String, _ method: String, _ parameters: String = "{}") throws {
        try send(#"{"version":1,"id":"\#(id)","method":"\#(method)","parameters":\#(parameters)}"#)
    }

    /// Bytes without a line feed.
    func send(part: Data) throws { try input.write(contentsOf: part) }

    func close() throws { try input.close() }

    func terminate() { process.withLock { $0.terminate() } }

    /// Removes and returns the first line that fits; fails after twenty seconds.
    func next(_ what: String, _ fits: (JSONObject) -> Bool) async throws -> JSONObject {
        for _ in 0..<30_000 {
            let found = lines.withLock { lines in lines.firstIndex(where: fits).map { lines.remove(at: $0) } }
            if let found { return found }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("no line is \(what); there are \(lines.withLock { $0 })")
        throw CancellationError()
    }

    func answer(_ id: String) async throws -> JSONObject {
        try await next("the answer to \(id)") { $0["id"]?.stringValue == id }
    }

    func result(_ id: String) async throws -> JSONObject {
        let answer = try await answer(id)
        return try #require(answer["result"]?.objectValue, "\(answer)")
    }

    func question(_ kind: String) async throws -> JSONObject {
        let event = try await next("a question of the kind \(kind)") {
            $0["event"] == "question" && $0["data"]?.objectValue?["kind"]?.stringValue == kind
        }
        return try #require(event["data"]?.objectValue)
    }

    /// The lines that nothing asked for yet.
    var rest: [JSONObject] { lines.withLock { $0 } }

    /// The exit code, after everything that the process wrote was read.
    func end() async throws -> Int32 {
        for _ in 0..<30_000 where process.withLock({ $0.isRunning }) || !isAtEnd.withLock({ $0 }) {
            try await Task.sleep(for: .milliseconds(10))
        }
        try #require(!process.withLock { $0.isRunning }, "the process goes on")
        return process.withLock { $0.terminationStatus }
    }

    var error: String { errors.withLock { $0 } }

    deinit {
        process.withLock { process in
            if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
        }
    }
}

@Suite("bridge speaks the messages of the wrapper's bridge by lines (EK-59)")
struct BridgeCommandTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        _ = try scratch.write(
            """
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>com.example.stickers</string>
            <key>SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string></array>
            <key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://shop.example.com/nl</string></dict>
            </dict></plist>
            """,
            to: "Info.plist"
        )
        _ = try scratch.write(
            """
            <plist version="1.0"><dict>
            <key>com.apple.developer.storekit.external-purchase-link</key><true/>
            </dict></plist>
            """,
            to: "App.entitlements"
        )
    }

    private func session(_ storefront: String = #""storefront": "NLD""#) throws -> String {
        try scratch.write(
            """
            {\(storefront), "os": "iOS 26.5", "infoPlist": "Info.plist", "entitlements": "App.entitlements",
             "seed": 1, "sheetAnswers": ["continue"]}
            """,
            to: "session.json"
        )
    }

    private static let hostDelivers = #"{"delivery":{"kind":"host"},"opensURL":true}"#
    private static let outOfApp = #"{"destination":{"kind":"outOfApp","url":"https://shop.example.com/offer"}}"#

    @Test("A purchase from configure to the stored token, with every question answered by lines")
    func purchase() async throws {
        let host = try BridgeHost(["--session", session()])
        try host.send("1", "configure", Self.hostDelivers)
        try host.send("2", "start")
        _ = try await host.result("1")
        _ = try await host.result("2")
        let event = try await host.next("the availability that was read") {
            $0["event"] == "availability" && $0["data"]?.objectValue?["availability"]?.objectValue != nil
        }
        let availability = event["data"]?.objectValue?["availability"]?.objectValue
        let offers = availability?["offers"]?.arrayValue?.compactMap { $0.objectValue?["kind"]?.stringValue }
        #expect(offers?.first == "customLink", "\(event)")

        try host.send("4", "purchaseWithCustomLink", Self.outOfApp)
        let open = try await host.question("openURL")
        #expect(open["url"] == "https://shop.example.com/offer")
        // A purchase that waits for the host holds up no other line.
        try host.send("5", "availability")
        #expect(try await host.result("5")["isPurchasing"] == true)
        let number = try #require(open["question"]?.stringValue)
        try host.send("6", "answerOpenURL", #"{"question":"\#(number)","isOpened":true}"#)
        _ = try await host.result("6")
        let outcome = try await host.result("4")
        #expect(outcome["outcome"] == "continued")
        let tokens = try #require(outcome["tokens"]?.arrayValue)
        #expect(tokens.compactMap { $0.objectValue?["type"]?.stringValue } == ["ACQUISITION", "SERVICES"])

        for index in 7...8 {
            let send = try await host.question("sendToken")
            let number = try #require(send["question"]?.stringValue)
            #expect(send["token"]?.objectValue?["text"]?.stringValue?.isEmpty == false)
            try host.send("\(index)", "answerSendToken", #"{"question":"\#(number)","delivery":"stored"}"#)
            _ = try await host.result("\(index)")
        }
        _ = try await host.next("the status without a token that waits") {
            $0["event"] == "outboxStatus" && $0["data"]?.objectValue?["pending"]?.int64Value == 0
        }
        try host.close()
        #expect(try await host.end() == 0)
    }

    /// The availability after `configure` with the policy of a server, and `refresh`, in a process of its own.
    private func availability(in storefront: String, outbox: String, policy: String) async throws -> JSONObject {
        let session = try session(#""storefront": "\#(storefront)""#)
        let host = try BridgeHost(["--session", session, "--outbox", outbox])
        try host.send("c", "configure", #"{"delivery":{"kind":"host"},"policy":\#(policy)}"#)
        _ = try await host.result("c")
        try host.send("r", "refresh")
        let result = try await host.result("r")
        try host.close()
        #expect(try await host.end() == 0)
        return try #require(result["availability"]?.objectValue)
    }

    @Test("The offers follow the policy of the server that configure names, also without an answer (EK-70, EK-72)")
    func policy() async throws {
        let setup = try await ServerUnderTest()
        let text = try String(contentsOfFile: setup.config, encoding: .utf8)
        let config = try setup.scratch.write(
            text.replacing(
                "    programmes: [eea-link]",
                with: """
                        programmes: [eea-link]
                        policy:
                          default: {offered: true, requestsTokens: false}
                          storefronts: {NL: {offered: false, message: Soon}}
                    """
            ),
            to: "policy.yaml"
        )
        let database = "sqlite:\(setup.database)"
        let made = try await BuiltBinary.run(
            ["keys", "create", "--scope", "publishable", "--name", "app", "--database", database]
        )
        let key = try #require(made.output.firstMatch(of: /epk_publishable_\w+/)?.output)
        let server = try await RunningServer(["serve", "--config", config, "--port", "0", "--database", database])
        let policy = #"{"url":"\#(server.url)","publishableKey":"\#(key)"}"#
        let outbox = scratch.url.appending(path: "outbox").path
        let open: JSONValue = .array([["kind": "customLink", "flows": .array(["withinApp", "outOfApp"])]])
        let none: JSONValue = .array([["kind": "inAppPurchase"]])

        let closed = try await availability(in: "NLD", outbox: outbox, policy: policy)
        #expect(closed["offers"] == none && closed["message"] == "Soon")
        #expect(closed["closedGate"] == ["name": "policy", "reason": "Soon"])
        _ = try scratch.write(
            """
            <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>com.example.stickers</string>
            <key>SKExternalPurchaseCustomLinkRegions</key><array><string>de</string><string>nl</string></array>
            </dict></plist>
            """,
            to: "Info.plist"
        )
        let offered = try await availability(in: "DEU", outbox: outbox, policy: policy)
        #expect(offered["offers"] == open && offered["requestsTokens"] == false && offered["message"] == .null)

        // The last answer is kept for the server; for another one, which does not answer, nothing is known.
        server.terminate()
        let kept = try await availability(in: "NLD", outbox: outbox, policy: policy)
        #expect(kept["offers"] == none && kept["message"] == "Soon")
        let silent = #"{"url":"http://127.0.0.1:9","publishableKey":"epk_publishable_1""#
        let unknown = try await availability(in: "DEU", outbox: outbox, policy: silent + "}")
        #expect(unknown["offers"] == none)
        let trusting = try await availability(in: "DEU", outbox: outbox, policy: silent + #","whileUnknown":"open"}"#)
        #expect(trusting["offers"] == open && trusting["requestsTokens"] == true)
        let without = try await availability(in: "NLD", outbox: outbox, policy: "null")
        #expect(without["offers"] == open && without["requestsTokens"] == true)
    }

    @Test("A line that is no request gets its error, and the process goes on")
    func refusedLines() async throws {
        let host = try BridgeHost(["--session", session()])
        let rows: [(line: String, code: String)] = [
            ("nonsense", "not-json"),
            ("", "not-json"),
            ("[1]", "invalid-value"),
            (String(repeating: "[", count: 40), "not-json"),
            (#"{"version":2,"id":"a","method":"start"}"#, "unsupported-version"),
            (#"{"version":1,"id":"a","method":"begin"}"#, "unknown-method"),
            (#"{"version":1,"id":"a","method":"start"}"#, "not-configured"),
            (
                #"{"version":1,"id":"a","method":"configure","parameters":{"delivery":{"kind":"host"},"x":1}}"#,
                "unknown-member"
            ),
            (
                #"{"version":1,"id":"a","method":"configure","parameters":{"delivery":{"kind":"server","url":"http://example.com","publishableKey":"epk_publishable_1"}}}"#,
                "delivery-not-usable"
            ),
            (
                #"{"version":1,"id":"a","method":"configure","parameters":{"delivery":{"kind":"host"},"policy":{"url":"http://example.com","publishableKey":"epk_publishable_1"}}}"#,
                "policy-not-usable"
            ),
            (String(repeating: " ", count: 70_000) + "{}", "request-too-large"),
            (#"{"version":1,"id":"\#(String(repeating: "x", count: 5_000_000))"}"#, "request-too-large"),
        ]
        for (line, code) in rows {
            try host.send(line)
            let answer = try await host.next("an error") { $0["error"] != nil }
            #expect(answer["error"]?.objectValue?["code"]?.stringValue == code, "\(line.prefix(80)): \(answer)")
        }
        try host.send("after", "configure", Self.hostDelivers)
        _ = try await host.result("after")
        // Two lines in one write, the second in two parts and without its line feed.
        try host.send(part: Data((#"{"version":1,"id":"p","method":"availability"}"# + "\n{\"version\":1,").utf8))
        _ = try await host.result("p")
        try host.send(part: Data(#""id":"last","method":"availability"}"#.utf8))
        try host.close()
        #expect(try await host.end() == 0)
        _ = try await host.result("last")
    }

    @Test(
        "The end of the input and SIGTERM close open questions, and end with 0 after the answer",
        arguments: [false, true]
    )
    func ends(bySignal: Bool) async throws {
        let host = try BridgeHost(["--session", session()])
        try host.send("1", "configure", Self.hostDelivers)
        try host.send("2", "refresh")
        _ = try await host.result("2")
        try host.send("3", "purchaseWithCustomLink", Self.outOfApp)
        _ = try await host.question("openURL")
        if bySignal { host.terminate() } else { try host.close() }
        #expect(try await host.end() == 0)
        #expect(try await host.result("3")["outcome"] == "destinationNotOpened")
    }

    @Test("How a link ended goes to standard error, and standard output has messages only")
    func link() async throws {
        let host = try BridgeHost(["--session", session()])
        try host.send("1", "configure", #"{"delivery":{"kind":"host"}}"#)
        try host.send("2", "refresh")
        try host.send("3", "openLink")
        try host.close()
        #expect(try await host.end() == 0)
        #expect(try await host.result("3")["outcome"] == "askingCustomer")
        #expect(host.rest.allSatisfy { $0["version"]?.int64Value == 1 }, "\(host.rest)")
        for _ in 0..<30_000 where host.error.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        #expect(host.error.contains("link opened: https://shop.example.com/nl?externalPurchaseToken="), "\(host.error)")
    }

    @Test("Tokens stay in the folder of --outbox for the next process, and nothing stays of a temporary one")
    func outbox() async throws {
        let temporary = scratch.url.appending(path: "tmp")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        let environment = ["TMPDIR": temporary.path]
        let folder = scratch.url.appending(path: "outbox").path
        for more in [[], ["--outbox", folder]] {
            let host = try BridgeHost(["--session", session()] + more, environment: environment)
            try host.send("1", "configure", Self.hostDelivers)
            // Requests the tokens of the launch; nothing is sent before `start`.
            try host.send("2", "refresh")
            _ = try await host.result("2")
            try host.send("3", "outboxStatus")
            #expect(try await host.result("3")["pending"]?.int64Value == 2)
            try host.close()
            #expect(try await host.end() == 0)
        }
        // A storefront without tokens: what is asked for is what the process before has left.
        let host = try BridgeHost(
            ["--session", session(#""storefront": "USA""#), "--outbox", folder],
            environment: environment
        )
        try host.send("1", "configure", Self.hostDelivers)
        try host.send("2", "start")
        #expect(try await host.question("sendToken")["token"]?.objectValue?["storefront"] == "NLD")
        try host.close()
        #expect(try await host.end() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
    }

    @Test("What cannot be used ends with 2, and says where and why")
    func badInput() async throws {
        let notJSON = try scratch.write("{\n  \"storefront\": NLD\n}", to: "text.json")
        let unknown = try scratch.write(#"{"storefrnt": "NLD"}"#, to: "unknown.json")
        let plist = try scratch.write(#"{"infoPlist": "missing.plist"}"#, to: "plist.json")
        let rows: [(arguments: [String], says: [String])] = [
            (["--session", "/no/such.json"], ["/no/such.json", "there is no such file"]),
            (["--session", notJSON], ["text.json:2:", "JSON"]),
            (["--session", unknown], ["unknown.json", "storefrnt", "Did you mean \"storefront\"?"]),
            (["--session", plist], ["plist.json", "infoPlist", "missing.plist"]),
            (["--session", try session(), "--outbox", notJSON], ["--outbox", "is a file"]),
            ([], ["--session"]),
        ]
        for row in rows {
            let result = try await BuiltBinary.run(["bridge"] + row.arguments)
            #expect(result.exitCode == 2, "\(row.arguments)")
            #expect(result.output.isEmpty)
            for text in row.says { #expect(result.error.contains(text), "\(result.error)") }
        }
    }

    @Test("Lines are cut at every line feed, and kept up to the limit")
    func splitter() {
        var splitter = LineSplitter(limit: 4)
        #expect(splitter.add("ab".utf8).isEmpty)
        #expect(splitter.add("c\n\nlonger".utf8) == [Data("abc".utf8), Data()])
        #expect(splitter.rest == Data("long".utf8))
        #expect(splitter.add("\n".utf8) == [Data("long".utf8)])
        #expect(splitter.rest == nil)
    }
}
