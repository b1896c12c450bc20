import ExternalPurchaseCore
import NIOHTTP1
import RawSockets
import Testing

@testable import AppStoreEmulator

@Suite("HEAD, other methods and broken bodies on every path")
struct HeadAndAllowTests {
    /// Every path with GET except `/emulator/v1/events`, whose response does not end.
    static let read = [
        "/", "/openapi.json", "/inApps/v1/notifications/test/x", "/externalPurchase/v1/reports/\(Body.request(1))",
        "/emulator/v1/health", "/emulator/v1/clock", "/emulator/v1/apps", "/emulator/v1/tokens",
        "/emulator/v1/settings", "/emulator/v1/requests", "/emulator/v1/notifications", "/emulator/v1/root.cer",
        "/emulator/v1/root.pem", "/emulator/v1/snapshot", "/emulator/v1/page/style.css",
        "/emulator/v1/page/script.js", "/emulator/v1/page/options",
    ]

    @Test("HEAD has the response of GET without the body")
    func head() async throws {
        try await EmulatorUnderTest.run(settings: ["auth.off=on"]) { emulator in
            for path in Self.read {
                // Requests to Apple's paths add to the journal, so a second read returns both.
                let whole = try await emulator.call(.GET, path)
                let head = try await emulator.call(.HEAD, path)
                #expect(head.status == whole.status, "\(path)")
                #expect(head.body.isEmpty, "\(path)")
                #expect(head.contentType == whole.contentType, "\(path)")
                #expect(head.headers["Content-Length"] == whole.headers["Content-Length"], "\(path)")
            }
            #expect(try await emulator.journal().map { $0["method"]?.stringValue } == ["GET", "HEAD", "GET", "HEAD"])
        }
    }

    @Test("HEAD of the events responds and does not listen")
    func headOfEvents() async throws {
        try await EmulatorUnderTest.run { emulator in
            let connection = try RawConnection(port: emulator.address.port)
            connection.send("HEAD /emulator/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            let answer = await connection.receive(silence: 20_000)
            #expect(answer.isClosed)
            #expect(answer.text.hasPrefix("HTTP/1.1 200"))
            #expect(answer.text.contains("text/event-stream"))
            #expect(answer.text.hasSuffix("\r\n\r\n") && !answer.text.contains("listening"))
            #expect(emulator.emulator.eventLoad.listeners == 0)
        }
    }

    @Test(
        "An existing path responds to another method with 405 and the allowed ones",
        arguments: [
            ("/", "GET, HEAD"), ("/openapi.json", "GET, HEAD"), ("/externalPurchase/v1/reports", "PUT"),
            ("/externalPurchase/v1/reports/x", "GET, HEAD"), ("/inApps/v1/notifications/test", "POST"),
            ("/inApps/v1/notifications/test/x", "GET, HEAD"), ("/inApps/v1/notifications/history", "POST"),
            ("/emulator/v1/clock", "GET, HEAD, PUT"), ("/emulator/v1/reset", "POST"),
            ("/emulator/v1/events", "GET, HEAD"), ("/emulator/v1/apps/a", "PUT"),
        ]
    )
    func otherMethods(path: String, allowed: String) async throws {
        try await EmulatorUnderTest.run(settings: ["auth.off=on"]) { emulator in
            let patch = try await emulator.call(.PATCH, path)
            #expect(patch.status == 405)
            #expect(patch.headers["Allow"] == [allowed])
            if !allowed.contains("GET") { #expect(try await emulator.call(.HEAD, path).status == 405) }
        }
    }

    @Test(
        "Chunks that contradict HTTP are 400 on Apple's paths and on control paths",
        arguments: [
            "PUT /externalPurchase/v1/reports", "POST /inApps/v1/notifications/history", "PUT /emulator/v1/clock",
            "PUT /emulator/v1/snapshot",
        ]
    )
    func malformedChunks(request: String) async throws {
        try await EmulatorUnderTest.run(settings: ["auth.off=on"]) { emulator in
            let connection = try RawConnection(port: emulator.address.port)
            connection.send("\(request) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n")
            connection.send("Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nzz\r\n{}\r\n0\r\n\r\n")
            let answer = await connection.receive(silence: 60_000) { $0.hasSuffix("\r\n\r\n") || $0.hasSuffix("}") }
            #expect(answer.text.hasPrefix("HTTP/1.1 400"), "\(answer.text)")
        }
    }

    @Test("A report whose upload is aborted is not validated, and the journal states it")
    func brokenOff() async throws {
        try await EmulatorUnderTest.run(settings: ["auth.off=on"]) { emulator in
            try await emulator.addToken(Body.token)
            let connection = try RawConnection(port: emulator.address.port)
            // Complete as JSON, but shorter than declared.
            let report = Body.noLineItem(1)
            connection.send("PUT /externalPurchase/v1/reports HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            connection.send("Content-Length: \(report.utf8.count + 10)\r\n\r\n\(report)")
            try await Task.sleep(for: .milliseconds(200))
            connection.close()
            var entry: JSONObject?
            for _ in 0..<6_000 where entry == nil {
                try await Task.sleep(for: .milliseconds(20))
                entry = try await emulator.journal().first
            }
            #expect(entry?["message"] == .string("the body broke off"))
            let unknown = try await emulator.call(.GET, "/externalPurchase/v1/reports/\(Body.request(1))")
            #expect(unknown.status == 400)
        }
    }

    @Test("A report's errors are answered completely; the journal keeps the first hundred and counts the rest")
    func manyErrors() async throws {
        try await EmulatorUnderTest.run { emulator in
            try await emulator.addToken(Body.token)
            let items = [String](repeating: "{}", count: 1_000).joined(separator: ",")
            let report =
                #"{"requestIdentifier":"\#(Body.request(1))","externalPurchaseId":"\#(Body.token)","status":"LINE_ITEM","#
                + #""lineItems":[\#(items)]}"#
            let answer = try await emulator.put(report)
            #expect(answer.status == 400)
            let errors = answer["errors"]?.arrayValue?.count ?? 0
            #expect(errors > 5_000)
            let entry = try #require(try await emulator.journal().first)
            #expect(entry["errors"]?.arrayValue?.count == 100)
            #expect(entry["message"] == .string("and \(errors - 100) more errors"))
        }
    }
}
