import Foundation
import NIOSSL
import Testing

@Suite("The public port of serve, as it is run", .serialized)
struct ServePublicPortTests {
    private static func answer(_ url: String, _ head: String, body: String = "") throws -> String {
        let connection = try RawConnection(url)
        connection.send("\(head) HTTP/1.1\r\nHost: shop.example.com\r\nConnection: close\r\n")
        connection.send("Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return connection.receive(silence: 60_000).text
    }

    @Test("It serves what the public may reach, and 404 for everything else; both ports write to one ledger")
    func paths() async throws {
        let setup = try await ServerUnderTest()
        let server = try await RunningServer(setup.arguments + ["--public-port", "0"], lines: 2)
        let prefix = "public on http://127.0.0.1:"
        let line = try #require(server.lines.dropFirst().first)
        #expect(line.hasPrefix(prefix), "\(server.lines)")
        let port = try #require(Int(line.dropFirst(prefix.count)))
        let open = "http://127.0.0.1:\(port)"
        #expect(open != server.url)
        let (token, id) = try await setup.mint()
        let visit = "/out/nl?externalPurchaseToken=\(token)&bundleId=\(ServerUnderTest.bundleId)"
        for (head, status) in [
            ("GET /health/live", "200"), ("HEAD /health/live", "200"), ("GET \(visit)", "303"), ("GET /out/nl", "303"),
            ("HEAD /out/nl", "303"), ("GET /out/none", "404"),
            // A notification that nobody signed: read and refused, which only its own path does.
            ("POST /v1/notifications", "400"),
        ] {
            let text = try Self.answer(open, head, body: head.hasPrefix("POST") ? "{}" : "")
            #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(head): \(text)")
        }
        // The visit is in the ledger of the other port.
        #expect(try await HTTP.get(server.url + "/v1/tokens/\(id)").status == 200)
        for path in [
            "/", "/health/ready", "/health", "/metrics", "/openapi.json", "/v1", "/v1/tokens", "/v1/tokens/\(id)",
            "/v1/sales", "/v1/sales/order-1", "/v1/batch", "/v1/reports", "/v1/due", "/v1/audit", "/v1/review",
            "/v1/exports", "/v1/exports/2026-11.csv", "/v1/notifications", "/v1/notifications/1", "/v1/corrections",
            "/v1/invoices", "//v1/tokens", "/v1//tokens", "/V1/tokens", "/%76%31/tokens", "/out/../v1/tokens",
            "/out", "/health/live/../../v1/tokens",
        ] {
            for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"] {
                if method == "POST", path == "/v1/notifications" { continue }
                let text = try Self.answer(open, "\(method) \(path)")
                #expect(text.hasPrefix("HTTP/1.1 404 "), "\(method) \(path): \(text)")
                #expect(!text.lowercased().contains("\r\nallow:"), "\(method) \(path)")
                #expect(!text.contains(id), "\(method) \(path)")
            }
        }
        #expect(try Self.answer(open, "POST /health/live").hasPrefix("HTTP/1.1 404 "))
        #expect(try Self.answer(open, "POST /out/nl").hasPrefix("HTTP/1.1 404 "))
        #expect(server.terminate() == 0)
        #expect(throws: RawConnection.Refused.self) { try RawConnection(open) }
    }

    @Test("Each port serves an address only so many connections, and no body that drips in; a trusted proxy has more")
    func slowClients() async throws {
        for (trusted, count) in [("", 3), ("trustedProxies: [127.0.0.0/8]\n", 8)] {
            let setup = try await ServerUnderTest()
            let text = try String(contentsOfFile: setup.config, encoding: .utf8)
            let limits = "http.maxConnectionsPerAddress: 3, http.wholeBodyTimeout: 1s, http.bodyTimeout: 1h"
            let config = try setup.scratch.write(
                trusted + text.replacing("send.delay: 0s", with: "send.delay: 0s, \(limits)"),
                to: "limits.yaml"
            )
            let server = try await RunningServer(
                [
                    "serve", "--config", config, "--port", "0", "--public-port", "0", "--database",
                    "sqlite:\(setup.database)",
                ],
                lines: 2
            )
            let line = try #require(server.lines.dropFirst().first)
            let open = "http://127.0.0.1:" + (line.split(separator: ":").last ?? "")
            for url in [server.url, open] {
                var answers: [String] = []
                // The server may still count connections that the test has closed before.
                for _ in 0..<3_000 where answers.count(where: { !$0.isEmpty }) != count {
                    if !answers.isEmpty { try await Task.sleep(for: .milliseconds(100)) }
                    let connections = try (0..<8).map { _ in try RawConnection(url) }
                    answers = connections.map { connection in
                        connection.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        return connection.receive(silence: 60_000) { $0.contains("ok") }.text
                    }
                    #expect(answers.count { !$0.isEmpty } <= count, "\(url)")
                }
                #expect(answers.count { $0.hasPrefix("HTTP/1.1 200 ") } == count, "\(url)")
                #expect(answers.count(where: \.isEmpty) == 8 - count, "\(url)")
            }
            for (url, path) in [(server.url, "/v1/tokens"), (open, "/v1/notifications")] {
                let connection = try RawConnection(url)
                let head = "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                connection.send(head + "Content-Length: 100000\r\n\r\n")
                var answer = ""
                for _ in 0..<2_000 where answer.isEmpty {
                    connection.send(" ")
                    answer = connection.receive(silence: 50).text
                }
                #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(url): \(answer)")
            }
            #expect(server.terminate() == 0)
        }
    }

    @Test("It may listen beyond loopback, has the limits of the other port, and ends with it")
    func addressAndLimits() async throws {
        let setup = try await ServerUnderTest()
        let text = try String(contentsOfFile: setup.config, encoding: .utf8)
        let config = try setup.scratch.write(
            text.replacing(
                "send.delay: 0s",
                with: "send.delay: 0s, http.maxHeaderSize: 2048, http.shutdownTimeout: 1s"
            ),
            to: "limits.yaml"
        )
        let server = try await RunningServer(
            [
                "serve", "--config", config, "--port", "0", "--database", "sqlite:\(setup.database)", "--public-host",
                "0.0.0.0", "--public-port", "0",
            ],
            lines: 2
        )
        let line = try #require(server.lines.dropFirst().first)
        #expect(line.hasPrefix("public on http://0.0.0.0:"), "\(server.lines)")
        #expect(server.url.hasPrefix("http://127.0.0.1:"))
        let large = try RawConnection(line)
        large.send("GET /health/live HTTP/1.1\r\nHost: a\r\nX-Large: \(String(repeating: "a", count: 3_000))\r\n\r\n")
        let refusal = large.receive(silence: 60_000)
        #expect(refusal.text.hasPrefix("HTTP/1.1 431 ") && refusal.isClosed, "\(refusal.text)")
        let half = try RawConnection(line)
        half.send("POST /v1/notifications HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
        try await Task.sleep(for: .milliseconds(200))
        #expect(server.terminate() == 0)
    }

    @Test("With TLS both ports answer HTTPS")
    func secure() async throws {
        let setup = try await ServerUnderTest()
        let files = try CertificateChain(setup.scratch)
        let server = try await RunningServer(
            setup.arguments + ["--tls-certificate", files.chain, "--tls-key", files.key, "--public-port", "0"],
            lines: 2
        )
        let line = try #require(server.lines.dropFirst().first)
        #expect(line.hasPrefix("public on https://127.0.0.1:"), "\(server.lines)")
        let open = line.dropFirst("public on ".count).replacing("127.0.0.1", with: "localhost")
        #expect(try await TLSClient.get(open + "/health/live", trusting: .file(files.root)).status == 200)
        #expect(try await TLSClient.get(open + "/v1/tokens", trusting: .file(files.root)).status == 404)
        #expect(server.terminate() == 0)
    }

    @Test("A public address that cannot be used is named by its own option")
    func refused() async throws {
        let setup = try await ServerUnderTest()
        let taken = try #require(setup.emulator.url.split(separator: ":").last.map(String.init))
        for (arguments, code, words) in [
            (["--public-host", "0.0.0.0"], Int32(2), ["--public-host", "--public-port"]),
            (["--public-port", taken], 3, [taken, "--public-port"]),
            (["--public-port", "0", "--public-host", "192.0.2.1"], 3, ["--public-host 192.0.2.1"]),
            (["--public-port", "0", "--public-host", "none.invalid"], 2, ["--public-host none.invalid"]),
            (["--public-port", "http"], 2, ["--public-port"]),
        ] {
            let result = try await BuiltBinary.run(setup.arguments + arguments)
            #expect(result.exitCode == code, "\(arguments): \(result.error)")
            #expect(result.output.isEmpty, "\(arguments): \(result.output)")
            for word in words { #expect(result.error.contains(word), "\(arguments): \(result.error)") }
            // What the listeners log of the end would hide the line that says why.
            #expect(!result.error.contains("\"level\":\"error\""), "\(arguments): \(result.error)")
        }
    }
}
