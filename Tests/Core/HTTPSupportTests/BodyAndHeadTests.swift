import Foundation
import HTTPSupport
import Logging
import RawSockets
import Testing

@Suite("Bodies and responses on the wire", .serialized, .timeLimit(.minutes(10)))
struct BodyAndHeadTests {
    private static let put = "PUT / HTTP/1.1\r\nHost: a\r\n"

    @Test(
        "A body that contradicts HTTP is 400",
        arguments: [
            "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n-1\r\nabc\r\n0\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n",
            "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", "Content-Length: -3\r\n\r\nabc",
        ]
    )
    func malformed(rest: String) async throws {
        try await GuardedServer.run([:]) { server in
            let connection = try RawConnection(port: server.port)
            connection.send(Self.put + rest)
            let answer = await connection.receive(silence: 60_000) { $0.hasSuffix("\r\n\r\n") }
            #expect(answer.text.hasPrefix("HTTP/1.1 400"), "\(answer.text)")
            #expect(answer.text.components(separatedBy: "HTTP/1.1").count == 2)
            #expect(try await server.answers())
            #expect(server.log.lines(from: .notice).isEmpty)
        }
    }

    @Test(
        "An aborted upload is distinguished from a complete one, and not logged",
        arguments: ["Content-Length: 10\r\n\r\n1234", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"]
    )
    func brokenOff(rest: String) async throws {
        try await GuardedServer.run([:]) { server in
            let connection = try RawConnection(port: server.port)
            connection.send(Self.put + rest)
            #expect(try await server.eventually { server.connections.openConnections == 1 })
            connection.close()
            #expect(try await server.eventually { server.log.lines(from: .info).contains("brokenOff") })
            #expect(try await server.eventually { server.connections.openConnections == 0 })
            #expect(server.log.lines(from: .notice).isEmpty)
        }
    }

    @Test("A body that is too long is read to its end before the response")
    func tooLong() async throws {
        try await GuardedServer.run([:]) { server in
            let connection = try RawConnection(port: server.port)
            connection.send(Self.put + "Content-Length: 3000000\r\n\r\n" + String(repeating: "a", count: 3_000_000))
            #expect(
                await connection.receive(silence: 60_000) { $0.hasSuffix("\r\n\r\n") }.text.hasPrefix("HTTP/1.1 413")
            )
        }
    }

    @Test(
        "HEAD responds like GET without a body, on a stream too, and no bytes follow",
        arguments: [
            ("/", "content-length: 5"), ("/large", "content-length: 67108864"), ("/stream", "connection: close"),
        ]
    )
    func head(path: String, expected: String) async throws {
        try await GuardedServer.run(["http.idleTimeout": "500ms"]) { server in
            let connection = try RawConnection(port: server.port)
            connection.send("HEAD \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = await connection.receive(silence: 60_000)
            #expect(answer.isClosed)
            #expect(answer.text.hasPrefix("HTTP/1.1 200"))
            #expect(answer.text.hasSuffix("\r\n\r\n"))
            #expect(answer.text.components(separatedBy: "\r\n\r\n").count == 2, "\(answer.text)")
            #expect(answer.text.lowercased().contains(expected), "\(answer.text)")
        }
    }
}
