import Foundation
import Testing

/// Clients that do not do what HTTP asks of them, against the server as it is run.
@Suite("serve and its clients", .serialized, .timeLimit(.minutes(10)))
struct ServeConnectionTests {
    /// A server with short times, whose log is kept.
    private struct Server {
        let setup: ServerUnderTest
        let server: RunningServer
        let log: String

        init(_ settings: String) async throws {
            setup = try await ServerUnderTest()
            log = setup.scratch.url.appending(path: "log.txt").path
            let text = try String(contentsOfFile: setup.config, encoding: .utf8)
            let config = try setup.scratch.write(
                text.replacing("send.delay: 0s", with: "send.delay: 0s, \(settings)"),
                to: "limits.yaml"
            )
            server = try await RunningServer(
                [
                    "-c", "exec \"$0\" \"$@\" 2>'\(log)'", BuiltBinary.url.path, "serve", "--config", config, "--port",
                    "0", "--database", "sqlite:\(setup.database)", "--verbose",
                ],
                executable: URL(filePath: "/bin/sh")
            )
        }

        /// Waits until a server that was asked to end says so.
        func notReady() async throws {
            for _ in 0..<6_000 {
                if try await HTTP.get(server.url + "/health/ready").status == 503 { return }
                try await Task.sleep(for: .milliseconds(50))
            }
            Issue.record("it stays ready")
        }

        var said: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
    }

    @Test("A head, a body or a next request that does not come ends the connection in the time that is set")
    func timeouts() async throws {
        let names = ["head", "body", "wholeBody", "idle"].map { "http.\($0)Timeout" }
        let head = "POST /v1/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for (name, texts) in [
            ("http.headTimeout", ["", "GET /v1/tok"]), ("http.bodyTimeout", [head + "Content-Length: 100\r\n\r\n{"]),
            ("http.idleTimeout", ["GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"]),
        ] {
            let settings = names.map { "\($0): \($0 == name ? "400ms" : "24h")" }
            let setup = try await Server(settings.joined(separator: ", "))
            for text in texts {
                let connection = try RawConnection(setup.server.url)
                connection.send(text)
                #expect(connection.receive(silence: 60_000).isClosed, "\(name): \(text)")
            }
            #expect(setup.server.terminate() == 0)
        }
    }

    @Test("At the limit of connections others wait, and the log says so; they are served when one is free")
    func connectionLimit() async throws {
        let setup = try await Server("http.maxConnections: 8, http.headTimeout: 2s")
        var silent: [RawConnection] = []
        for _ in 0..<40 { silent.append(try RawConnection(setup.server.url)) }
        let live = try RawConnection(setup.server.url)
        live.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(live.receive(silence: 60_000).text.hasPrefix("HTTP/1.1 200"))
        #expect(setup.said.contains("http.maxConnections"), "\(setup.said)")
        silent = []
        #expect(setup.server.terminate() == 0)
    }

    @Test("SIGTERM ends the server in the time that is set, whatever clients do, and the ledger's file is whole")
    func shutdown() async throws {
        // No other limit ends these connections.
        let setup = try await Server(
            "http.shutdownTimeout: 1s, http.headTimeout: 24h, http.bodyTimeout: 24h, http.wholeBodyTimeout: 24h,"
                + " http.idleTimeout: 24h"
        )
        let (token, _) = try await setup.setup.mint()
        #expect(try await HTTP.send("POST", setup.server.url + "/v1/tokens", ["token": token]).status == 201)
        let head = "POST /v1/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        let halfHead = try RawConnection(setup.server.url)
        halfHead.send("POST /v1/tok")
        let halfBody = try RawConnection(setup.server.url)
        halfBody.send(head + "Content-Length: 100\r\n\r\n{")
        let idle = try RawConnection(setup.server.url)
        idle.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(
            idle.receive(silence: 60_000) { $0.hasSuffix("ok") || $0.hasSuffix("}") }.text.hasPrefix("HTTP/1.1 200")
        )
        #expect(setup.server.terminate() == 0)
        let log = setup.setup.database + "-wal"
        let size = try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
        #expect((size ?? 0) == 0)
    }

    @Test(
        "SIGTERM does not wait for an answer of Apple's side that does not come; the report is asked for afterwards (SA-71)"
    )
    func shutdownWhileSending() async throws {
        let setup = try await Server("http.shutdownTimeout: 1h")
        let fault: [String: Any] = [
            "match": ["method": "PUT", "path": "/externalPurchase/v1/reports"], "behaviour": ["delayMs": 3_600_000],
            "times": 1,
        ]
        let control = setup.setup.emulator.url + "/emulator/v1"
        #expect(try await HTTP.send("POST", control + "/faults", fault).status < 300)
        let (token, _) = try await setup.setup.mint()
        let receipt = try await HTTP.send("POST", setup.server.url + "/v1/tokens", ["token": token])
        let checkout = try #require(receipt.json["checkoutId"] as? String)
        let sale = ServerUnderTest.sale("order-1", checkout: checkout)
        #expect(try await HTTP.send("POST", setup.server.url + "/v1/sales", sale).status == 201)
        try await Task.sleep(for: .milliseconds(700))
        #expect(setup.server.terminate() == 0)
        // The client of Apple's API gives up after 30 seconds, and says so.
        #expect(!setup.said.contains("did not answer in time"), "\(setup.said)")
        let restarted = try await RunningServer(setup.setup.arguments)
        let reports = try await ServerUnderTest.settledReports(restarted)
        #expect(reports.map { $0["state"] as? String } == ["accepted"], "\(reports)")
        #expect(restarted.terminate() == 0)
    }

    @Test("While requests in progress are answered, /health/ready is 503 and new connections are served")
    func drain() async throws {
        let setup = try await Server("http.shutdownTimeout: 1h")
        let (token, id) = try await setup.setup.mint()
        let body = "{\"token\":\"\(token)\"}"
        let upload = try RawConnection(setup.server.url)
        upload.send(
            "POST /v1/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n{"
        )
        try await Task.sleep(for: .milliseconds(300))
        #expect(try await HTTP.get(setup.server.url + "/health/ready").status == 200)
        setup.server.beginTermination()
        try await setup.notReady()
        for (path, status) in [("/health/ready", "503"), ("/health/live", "200"), ("/v1/tokens", "200")] {
            let connection = try RawConnection(setup.server.url)
            connection.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let answer = connection.receive(silence: 60_000)
            #expect(answer.text.hasPrefix("HTTP/1.1 \(status) "), "\(path): \(answer.text)")
            #expect(answer.text.lowercased().contains("connection: close"), "\(path): \(answer.text)")
            #expect(answer.isClosed, "\(path)")
            if path == "/health/ready" { #expect(answer.text.contains("problem:stopping"), "\(answer.text)") }
        }
        #expect(setup.server.isRunning)
        upload.send(String(body.dropFirst()))
        let answer = upload.receive(silence: 60_000)
        #expect(answer.text.hasPrefix("HTTP/1.1 201 "), "\(answer.text)")
        // Not only after http.shutdownTimeout.
        #expect(setup.server.awaitEnd() == 0)
        let restarted = try await RunningServer(setup.setup.arguments)
        #expect(try await HTTP.get(restarted.url + "/v1/tokens/\(id)").status == 200)
        #expect(restarted.terminate() == 0)
    }

    @Test("With http.shutdownDelay a load balancer has time to learn that the server ends")
    func shutdownDelay() async throws {
        let patient = try await Server("http.shutdownDelay: 1h, http.shutdownTimeout: 1s")
        patient.server.beginTermination()
        try await patient.notReady()
        #expect(try await HTTP.get(patient.server.url + "/v1/tokens").status == 200)
        #expect(patient.server.isRunning)
        patient.server.kill()

        let setup = try await Server("http.shutdownDelay: 2s, http.shutdownTimeout: 1s")
        let begin = ContinuousClock.now
        #expect(setup.server.terminate() == 0)
        #expect(begin.duration(to: .now) > .seconds(2))
    }

    @Test("HEAD is GET without its body; another method is 405 with those that the path takes")
    func methods() async throws {
        let setup = try await Server("http.idleTimeout: 60s")
        // Without its files the server does not stop well: the folder goes last.
        defer { withExtendedLifetime(setup) {} }
        let server = setup.server
        func answer(_ method: String, _ path: String) throws -> String {
            let connection = try RawConnection(server.url)
            connection.send("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return connection.receive(silence: 60_000).text
        }
        func fields(_ text: String) -> [String] {
            let changing = ["date:", "x-request", "transfer-encoding:"]
            return text.lowercased().components(separatedBy: "\r\n").filter { line in
                !changing.contains { line.hasPrefix($0) }
            }
        }
        for path in [
            "/health/live", "/health/ready", "/metrics", "/v1/tokens", "/v1/sales", "/v1/reports", "/v1/due",
            "/v1/audit",
            "/v1/review", "/v1/notifications", "/v1/corrections", "/v1/exports", "/v1/invoices", "/out/nl",
            "/v1/exports/2026-11.csv", "/v1/tokens/none", "/nowhere",
        ] {
            let (head, get) = (try answer("HEAD", path), try answer("GET", path))
            let parts = head.components(separatedBy: "\r\n\r\n")
            #expect(parts.count == 2 && parts[1].isEmpty, "\(path): \(head)")
            #expect(parts[0].prefix(12) == get.prefix(12), "\(path): \(head)")
            if !path.contains("none"), !path.contains("metrics"), path != "/nowhere" {
                #expect(fields(parts[0]) == fields(get.components(separatedBy: "\r\n\r\n")[0]), "\(path)")
            }
        }
        for (method, path, allowed) in [
            ("PUT", "/v1/tokens", "GET, HEAD, POST"), ("DELETE", "/v1/tokens/x", "GET, HEAD"),
            ("POST", "/v1/due", "GET, HEAD"), ("GET", "/v1/erasures", "POST"), ("GET", "/v1/review/7", "POST"),
            ("GET", "/v1/exports/2026-11/submitted", "POST"), ("POST", "/out/nl", "GET, HEAD"),
            ("PATCH", "/health/live", "GET, HEAD"),
        ] {
            let refused = try answer(method, path)
            #expect(refused.hasPrefix("HTTP/1.1 405"), "\(method) \(path): \(refused)")
            #expect(
                refused.lowercased().contains("\r\nallow: \(allowed.lowercased())\r\n"),
                "\(method) \(path): \(refused)"
            )
        }
        #expect(try answer("POST", "/v1/nowhere").hasPrefix("HTTP/1.1 404"))
        #expect(server.terminate() == 0)
    }

    @Test("A malformed body is 400; an upload that breaks off is no error in the log, and nothing of it is stored")
    func brokenBodies() async throws {
        let setup = try await Server("http.idleTimeout: 60s")
        let (token, id) = try await setup.setup.mint()
        let head = "POST /v1/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for chunk in ["zz\r\n{}\r\n", "2\r\n{}}}}\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFFFF\r\n{}"] {
            let connection = try RawConnection(setup.server.url)
            connection.send(head + "Transfer-Encoding: chunked\r\n\r\n" + chunk)
            let answer = connection.receive(silence: 60_000)
            #expect(answer.text.hasPrefix("HTTP/1.1 400"), "\(chunk): \(answer.text)")
            #expect(answer.isClosed, "\(chunk)")
        }
        let body = "{\"token\":\"\(token)\"}"
        for framing in ["Content-Length: \(body.utf8.count + 1)\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n1000\r\n"]
        {
            let connection = try RawConnection(setup.server.url)
            connection.send(head + framing + body)
            try await Task.sleep(for: .milliseconds(50))
        }
        try await Task.sleep(for: .milliseconds(500))
        #expect(try await HTTP.get(setup.server.url + "/v1/tokens/\(id)").status == 404)
        #expect(!setup.said.contains(" error "), "\(setup.said)")
        #expect(setup.server.terminate() == 0)
    }
}
