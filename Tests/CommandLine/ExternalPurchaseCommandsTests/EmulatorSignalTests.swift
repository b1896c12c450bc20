import Foundation
import Testing

@Suite("Signals and addresses of the emulator, as it is run", .serialized, .timeLimit(.minutes(10)))
struct EmulatorSignalTests {
    private static func arguments(_ shutdown: String) -> [String] {
        ["head", "body", "wholeBody", "idle", "write"].reduce(
            into: ["emulator", "--port", "0", "--set", "http.shutdownTimeout=\(shutdown)"]
        ) { $0 += ["--set", "http.\($1)Timeout=24h"] }
    }

    /// Connections that keep a server busy: half a head, half a body, a stream that nobody reads.
    private static func busy(_ server: RunningServer) throws -> [RawConnection] {
        let texts = [
            "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
            "PUT /emulator/v1/clock HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                + "Content-Length: 10\r\n\r\n{",
            "GET /emulator/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        ]
        return try texts.map { text in
            let connection = try RawConnection(server.url)
            connection.send(text)
            return connection
        }
    }

    @Test("SIGTERM ends within the stated time, whatever the clients do")
    func deadline() async throws {
        let server = try await RunningServer(Self.arguments("1s"))
        let connections = try Self.busy(server)
        try await Task.sleep(for: .milliseconds(300))
        #expect(server.terminate() == 0)
        #expect(connections.count == 3)
    }

    @Test("A second signal ends at once")
    func second() async throws {
        let server = try await RunningServer(Self.arguments("1h"))
        let connections = try Self.busy(server)
        try await Task.sleep(for: .milliseconds(300))
        server.beginTermination()
        try await Task.sleep(for: .milliseconds(500))
        #expect(server.isRunning)
        #expect(server.terminate() == 128 + SIGTERM)
        #expect(connections.count == 3)
    }

    @Test("An address that others reach is warned about before the server listens; a loopback address is not")
    func exposure() async throws {
        let holder = try await RunningServer(["emulator", "--port", "0"])
        let port = try #require(holder.url.split(separator: ":").last.map(String.init))
        // The port is taken, so that these end by themselves.
        let open = try await BuiltBinary.run(["emulator", "--host", "0.0.0.0", "--port", port])
        #expect(open.exitCode == 3)
        #expect(open.error.contains("warning: --host 0.0.0.0") && open.error.contains("private keys"), "\(open.error)")
        let closed = try await BuiltBinary.run(["emulator", "--port", port])
        #expect(closed.exitCode == 3)
        #expect(!closed.error.contains("warning"), "\(closed.error)")
        #expect(holder.terminate() == 0)
    }

    @Test(
        "--allow-host takes names and addresses only",
        arguments: ["", "http://emulator", "emulator:8801", "a b", "*"]
    )
    func allowHost(name: String) async throws {
        let result = try await BuiltBinary.run(["emulator", "--port", "0", "--allow-host", name])
        #expect(result.exitCode == 2)
        #expect(result.error.contains("--allow-host"), "\(result.error)")
    }

    @Test("A foreign name reads no keys on an address that others reach, an allowed one does")
    func names() async throws {
        let server = try await RunningServer([
            "emulator", "--host", "0.0.0.0", "--port", "0", "--allow-host", "emulator",
        ])
        let port = try #require(server.url.split(separator: ":").last.flatMap { UInt16($0) })
        for (name, status) in [("rebound.example", "403"), ("emulator", "200")] {
            let connection = try RawConnection(port: port)
            connection.send("GET /emulator/v1/apps HTTP/1.1\r\nHost: \(name):\(port)\r\nConnection: close\r\n\r\n")
            #expect(connection.receive(silence: 60_000).text.hasPrefix("HTTP/1.1 \(status)"))
        }
        #expect(server.terminate() == 0)
    }
}
