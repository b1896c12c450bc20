import CommandSupport
import ExternalPurchaseCore
import Foundation
import Logging
import Synchronization
import Testing

@testable import ExternalPurchaseCommands

@Suite("No id from outside steers a terminal")
struct TerminalTests {
    private static let id = "5e7a\nsale\u{1B}[2J\u{9B}31m\u{202E}0000"
    private static let escaped = #"5e7a\nsale\u001B[2J\u009B31m\u202E0000"#

    /// A token as a stranger writes it into an address; members as text.
    private static func token(_ id: String, bundleId: String) throws -> String {
        let object: [String: Any] = [
            "appAppleId": 1_234_567_890, "bundleId": bundleId, "externalPurchaseId": id,
            "tokenCreationDate": Int(Date().timeIntervalSince1970 * 1000) - 60_000,
        ]
        let data = try JSONSerialization.data(withJSONObject: object)
        return data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func expectHarmless(_ result: BuiltBinary.Result, _ place: SourceLocation = #_sourceLocation) {
        let scalars = (result.output + result.error).unicodeScalars
        #expect(scalars.allSatisfy { $0 == "\n" || $0 == "\t" || !$0.isSteering }, sourceLocation: place)
    }

    @Test("token decode, as text and JSON", arguments: ["text", "json"])
    func tokenDecode(format: String) async throws {
        let text = try Self.token(Self.id, bundleId: "com.example.shop")
        let result = try await BuiltBinary.run(["token", "decode", text, "--format", format])
        Self.expectHarmless(result)
        // JSON's own escapes are in lower case.
        let printed = (result.output + result.error).lowercased()
        #expect(printed.contains(Self.escaped.lowercased()), "\(result.output) \(result.error)")
        if format == "json" { #expect(result.json?["externalPurchaseId"] as? String == Self.id) }
    }

    @Test("A file name in an error")
    func fileName() async throws {
        let result = try await BuiltBinary.run(["report", "validate", "a\u{1B}[31m\u{202E}.json"])
        #expect(result.exitCode == 2)
        Self.expectHarmless(result)
        #expect(result.error.contains(#"a\u001B[31m\u202E.json: no such file"#), "\(result.error)")
    }

    @Test("What came through the public path is kept, and spelled out wherever it is printed", .timeLimit(.minutes(10)))
    func publicPath() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        let text = try Self.token(Self.id, bundleId: ServerUnderTest.bundleId)
        // The answer leads to the shop, where this client must not go.
        let connection = try RawConnection(server.url)
        connection.send(
            "GET /out/nl?externalPurchaseToken=\(text) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        )
        #expect(connection.receive(silence: 60_000) { $0.contains("\r\n\r\n") }.text.contains(" 303 "))
        let listed = try await HTTP.get(server.url + "/v1/tokens").json["tokens"] as? [[String: Any]] ?? []
        #expect(listed.contains { $0["externalPurchaseId"] as? String == Self.id }, "kept as it came: \(listed)")
        server.terminate()
        setup.emulator.terminate()
        let ledger = ["--database", "sqlite:\(setup.database)", "--config", setup.config]
        for command in [
            ["ledger", "due"], ["ledger", "due", "--format", "json"], ["ledger", "plan"], ["ledger", "audit"],
        ] {
            let result = try await BuiltBinary.run(command + ledger)
            #expect(result.exitCode == 0, "\(command): \(result.error)")
            Self.expectHarmless(result)
        }
        let due = try await BuiltBinary.run(["ledger", "due"] + ledger)
        #expect(due.output.contains(Self.escaped), "\(due.output)")
    }

    @Test("At the paths of the merchant's own systems such ids and texts are refused (422)", .timeLimit(.minutes(10)))
    func ownPaths() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments)
        for character in ["\u{1B}", "\u{9B}", "\u{85}", "\u{202E}", "\u{2066}", "\u{200F}", "\u{2028}"] {
            let sale = ServerUnderTest.sale("order\(character)1", checkout: "checkout-1")
            let answer = try await HTTP.send("POST", server.url + "/v1/sales", sale)
            let words = String(decoding: answer.body, as: UTF8.self)
            #expect(answer.status == 422, "\(words)")
            #expect(words.contains("saleId") && words.contains("control character"), "\(words)")
        }
        server.terminate()
        setup.emulator.terminate()
    }

    // MARK: The log

    private final class Recorder: Sendable {
        let events = Mutex<[String]>([])
    }

    private struct RecordingHandler: LogHandler {
        let recorder: Recorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let words = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let line = ([event.message.description] + words + [event.error.map { "\($0)" }].compactMap(\.self))
            recorder.events.withLock { $0.append(line.joined(separator: " ")) }
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    @Test("A log line is one line, whatever its message, metadata and error hold")
    func log() {
        let recorder = Recorder()
        var logger = Logger(label: "test") { _ in PrintableLogHandler(RecordingHandler(recorder: recorder)) }
        logger[metadataKey: "own"] = "a\nb"
        logger.info("token \(Self.id)", metadata: ["list": ["x\u{1B}", ["y": "\u{202E}"]]])
        logger.error("failed", error: Failure(description: "line one\nline two"))
        let lines = recorder.events.withLock { $0 }
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.unicodeScalars.allSatisfy { !$0.isSteering } }, "\(lines)")
        #expect(lines.first?.contains("token \(Self.escaped)") == true)
        #expect(lines.last?.contains(#"line one\nline two"#) == true)
    }
}

@Suite("Progress")
struct TerminalProgressTests {
    @Test(
        "counts in groups of three digits",
        arguments: [
            (0, nil, "0 rows"), (999, nil, "999 rows"), (1_000, 1_000, "1,000 of 1,000 rows"),
            (120_000, 387_858, "120,000 of 387,858 rows"), (1_234_567, nil, "1,234,567 rows"),
        ] as [(Int, Int?, String)]
    )
    func count(done: Int, total: Int?, text: String) {
        #expect(TerminalProgress.count(done, of: total, "rows") == text)
    }
}
