import ExternalPurchaseCore
import Logging
import RawSockets
import Testing

@testable import HTTPSupport

@Suite("A server keeps its connections within its limits", .serialized, .timeLimit(.minutes(10)))
struct ConnectionLimitTests {
    /// What a client sends before it waits, and the setting that ends the wait.
    struct Slow: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        /// What the client sends after the response to the first request.
        var then: String?
        let settings: [String: String]
        var testDescription: String { name }

        private static let get = "GET / HTTP/1.1\r\nHost: a\r\n"

        static let all = [
            Slow(name: "nothing", text: "", settings: ["http.headTimeout": "1s"]),
            Slow(name: "half a head", text: get, settings: ["http.headTimeout": "1s"]),
            Slow(
                name: "half a second head",
                text: get + "\r\n",
                then: get,
                settings: ["http.headTimeout": "1s"]
            ),
            Slow(name: "no second request", text: get + "\r\n", settings: ["http.idleTimeout": "1s"]),
            Slow(
                name: "half a body",
                text: "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf",
                settings: ["http.bodyTimeout": "1s"]
            ),
            Slow(
                name: "half a chunk",
                text: "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nA\r\nhalf",
                settings: ["http.bodyTimeout": "1s"]
            ),
        ]
    }

    @Test("A client that stops sending is cut off by its own limit", arguments: Slow.all)
    func slow(_ client: Slow) async throws {
        try await GuardedServer.run(client.settings) { server in
            let connection = try RawConnection(port: server.port)
            connection.send(client.text)
            if let then = client.then {
                #expect(await connection.receive(silence: 60_000) { $0.hasSuffix("hello") }.text.hasSuffix("hello"))
                connection.send(then)
            }
            #expect(await connection.receive(silence: 60_000).isClosed, "\(client.name)")
            #expect(try await server.eventually { server.connections.openConnections == 0 })
            #expect(try await server.answers())
            #expect(server.log.lines(from: .warning).isEmpty)
        }
    }

    @Test("One byte now and then does not prolong a head")
    func drip() async throws {
        try await GuardedServer.run(["http.headTimeout": "500ms"]) { server in
            let connection = try RawConnection(port: server.port)
            connection.send("GET / HTTP/1.1\r\nHost: a\r\nX-Long: ")
            var isClosed = false
            // Far fewer bytes than a head may have.
            for _ in 0..<2_000 where !isClosed {
                connection.send("a")
                isClosed = await connection.receive(silence: 100).isClosed
            }
            #expect(isClosed)
        }
    }

    @Test("One byte now and then does not prolong a body: it is 408, with a length and in chunks")
    func bodyDrip() async throws {
        try await GuardedServer.run(["http.wholeBodyTimeout": "600ms"]) { server in
            for (fields, byte) in [("Content-Length: 100000", "a"), ("Transfer-Encoding: chunked", "1\r\na\r\n")] {
                let connection = try RawConnection(port: server.port)
                connection.send("PUT / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n")
                var answer = (text: "", isClosed: false)
                for _ in 0..<2_000 where !answer.isClosed {
                    connection.send(byte)
                    let part = await connection.receive(silence: 50)
                    answer = (answer.text + part.text, part.isClosed)
                }
                #expect(answer.isClosed)
                #expect(answer.text.hasPrefix("HTTP/1.1 408 "), "\(answer.text)")
            }
            #expect(try await server.eventually { server.connections.openConnections == 0 })
        }
    }

    @Test("An address has as many connections as it may have, and further ones are closed; others are served")
    func perAddress() async throws {
        try await GuardedServer.run(["http.maxConnectionsPerAddress": "5"]) { server in
            var held = try (0..<25).map { _ in try RawConnection(port: server.port) }
            #expect(try await server.eventually { server.connections.openConnections == 5 })
            var open: [RawConnection] = []
            for connection in held {
                connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = await connection.receive(silence: 60_000) { $0.hasSuffix("hello") }
                if !answer.isClosed { open.append(connection) } else { #expect(answer.text.isEmpty) }
            }
            #expect(open.count == 5)
            #expect(server.log.lines(from: .warning).count == 1)
            #expect(server.log.lines(from: .warning).first?.contains("http.maxConnectionsPerAddress") == true)
            held = []
            open[0].close()
            #expect(try await server.eventually { server.connections.openConnections == 4 })
            #expect(try await server.answers())
            for connection in open { connection.close() }
            #expect(try await server.eventually { server.connections.addresses == 0 })
        }
    }

    @Test("A trusted proxy has connections for many clients, and its number is not limited")
    func proxyConnections() async throws {
        let proxies = try TrustedProxies(["127.0.0.0/8"])
        try await GuardedServer.run(["http.maxConnectionsPerAddress": "2"], trusting: proxies) { server in
            let held = try (0..<10).map { _ in try RawConnection(port: server.port) }
            #expect(try await server.eventually { server.connections.openConnections == 10 })
            #expect(try await server.answers())
            #expect(held.count == 10)
        }
    }

    @Test("On a socket of both families a client of IPv4 counts by its IPv4 address")
    func dualStack() async throws {
        let proxies = try TrustedProxies(["127.0.0.1"])
        for (trusted, count) in [(TrustedProxies(), 2), (proxies, 6)] {
            try await GuardedServer.run(
                ["http.maxConnectionsPerAddress": "2"],
                host: "::",
                trusting: trusted
            ) { server in
                let held = try (0..<6).map { _ in try RawConnection(port: server.port) }
                #expect(try await server.eventually { server.connections.openConnections == count })
                try await Task.sleep(for: .milliseconds(200))
                #expect(server.connections.openConnections == count)
                #expect(held.count == 6)
            }
        }
    }

    @Test("A request whose response takes longer than every limit succeeds, and so does a body that is read late")
    func patience() async throws {
        let limits = ["http.headTimeout": "200ms", "http.bodyTimeout": "200ms", "http.idleTimeout": "200ms"]
        try await GuardedServer.run(limits) { server in
            let connection = try RawConnection(port: server.port)
            connection.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await !connection.receive(silence: 1_500).isClosed)
        }
    }

    @Test("A client that receives nothing of a response is disconnected, but a slow one is not")
    func write() async throws {
        try await GuardedServer.run(["http.writeTimeout": "6s"]) { server in
            let get = "GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let silent = try RawConnection(port: server.port, receiveBuffer: 4_096)
            silent.send(get)
            #expect(await !silent.receive(silence: 60_000) { _ in true }.isClosed)
            #expect(try await server.eventually { server.connections.openConnections == 0 })
            #expect(server.connections.pendingBytes == 0)

            let reader = try RawConnection(port: server.port)
            reader.send(get)
            var received = 0
            for _ in 0..<40 {
                let part = await reader.receive(silence: 60_000, upTo: 500_000)
                received += part.text.utf8.count
                #expect(!part.isClosed)
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(received > 15_000_000)
        }
    }

    @Test(
        "No more connections are served at once than allowed, with one log message, and the next one waits"
    )
    func count() async throws {
        try await GuardedServer.run(["http.maxConnections": "20"]) { server in
            let held = try (0..<60).map { _ in try RawConnection(port: server.port) }
            #expect(try await server.eventually { server.connections.openConnections >= 20 })
            try await Task.sleep(for: .milliseconds(300))
            // Connections are accepted in groups of a few.
            #expect(server.connections.openConnections < 40)
            #expect(server.log.lines(from: .warning).count == 1)
            #expect(server.log.lines(from: .warning).first?.contains("http.maxConnections") == true)
            let waiting = Task { try await server.answers() }
            for connection in held { connection.close() }
            #expect(try await waiting.value)
        }
    }

    @Test(
        "A server that stops ends in time, whatever its clients do",
        arguments: [
            "GET / HTTP/1.1\r\nHost: a\r\n", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf",
            "GET /large HTTP/1.1\r\nHost: a\r\n\r\n", "GET /never HTTP/1.1\r\nHost: a\r\n\r\n", "",
        ]
    )
    func shutdown(text: String) async throws {
        // No other limit ends these connections: a server that waits for them exceeds the time limit of the suite.
        try await GuardedServer.run(["http.shutdownTimeout": "700ms"]) { server in
            let connection = try RawConnection(port: server.port, receiveBuffer: 4_096)
            connection.send(text)
            #expect(try await server.eventually { server.connections.openConnections == 1 })
            try await Task.sleep(for: .milliseconds(200))
            try await server.stop()
        }
    }
}

@Suite("The limits are named settings")
struct HTTPLimitSettingTests {
    @Test("Every name is read as it is written")
    func names() throws {
        var limits = HTTPLimits()
        #expect(HTTPLimits.names.count == 10)
        for name in HTTPLimits.names {
            let value = name.hasPrefix("http.max") ? "7700" : "77s"
            try limits.set(name, to: value)
            #expect(limits.text(of: name) == value)
        }
        #expect(limits.text(of: "http.none") == nil)
        #expect(HTTPLimits.standardConnections <= 1_024)
        #expect(HTTPLimits.standardConnections >= 16)
    }

    @Test(
        "Values that a limit cannot have are refused",
        arguments: [
            ("http.maxConnections", "0"), ("http.maxConnections", "-1"), ("http.maxConnections", "1000001"),
            ("http.maxConnectionsPerAddress", "0"), ("http.maxConnectionsPerAddress", "many"),
            ("http.wholeBodyTimeout", "60"), ("http.maxHeaderSize", "1023"), ("http.maxHeaderSize", "16KB"),
            ("http.maxTargetSize", "1048577"),
            ("http.headTimeout", "0s"), ("http.headTimeout", "10"), ("http.bodyTimeout", "25h"),
            ("http.none", "1s"),
        ]
    )
    func wrong(name: String, value: String) {
        var limits = HTTPLimits()
        #expect(throws: SettingError.self) { try limits.set(name, to: value) }
        #expect(limits == HTTPLimits())
    }
}
