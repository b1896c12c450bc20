import Foundation
import HTTPSupport
import Logging
import RawSockets
import Testing

@Suite("Requests that exceed a limit are answered and end their connection", .serialized, .timeLimit(.minutes(5)))
struct RefusedRequestTests {
    /// A request and the status of its response, with limits of 2,000 bytes.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let status: Int
        var testDescription: String { name }

        private static func get(_ path: String, _ fields: String = "") -> String {
            "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
        }

        private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

        static let all = [
            Case(name: "an address of the longest length", text: get("/" + letters(1_999)), status: 404),
            Case(name: "one byte more", text: get("/" + letters(2_000)), status: 414),
            Case(name: "a query that is too long", text: get("/?q=" + letters(2_000)), status: 414),
            Case(name: "an address beyond the decoder", text: get("/" + letters(100_000)), status: 414),
            Case(name: "an address without an end", text: "GET /" + letters(100_000), status: 414),
            Case(
                name: "a complete line and a field beyond the decoder",
                text: get("/", "X: \(letters(100_000))\r\n"),
                status: 431
            ),
            // "Host: a" and "X: " with their line ends are 9 and 5 bytes.
            Case(name: "fields of the largest size", text: get("/", "X: \(letters(1_986))\r\n"), status: 200),
            Case(name: "one byte more of a field", text: get("/", "X: \(letters(1_987))\r\n"), status: 431),
            Case(
                name: "many small fields",
                text: get("/", (0..<400).map { "X\($0): y\r\n" }.joined()),
                status: 431
            ),
            Case(
                name: "a body after it",
                text: "PUT / HTTP/1.1\r\nHost: a\r\nX: \(letters(2_000))\r\nContent-Length: 50000\r\n\r\n"
                    + letters(50_000),
                status: 431
            ),
            Case(name: "two hosts", text: get("/", "Host: b\r\n"), status: 400),
            Case(name: "one host twice, in another case", text: get("/", "HOST: a\r\n"), status: 400),
            Case(name: "an empty host beside another", text: get("/", "Host:\r\n"), status: 400),
            Case(name: "no host in HTTP/1.1", text: "GET / HTTP/1.1\r\n\r\n", status: 400),
            Case(
                name: "an address of another server without a host",
                text: "GET http://a/ HTTP/1.1\r\n\r\n",
                status: 400
            ),
            Case(name: "an empty host", text: "GET / HTTP/1.1\r\nHost:\r\n\r\n", status: 200),
            Case(name: "no host in HTTP/1.0", text: "GET / HTTP/1.0\r\n\r\n", status: 200),
            Case(name: "two hosts in HTTP/1.0", text: "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", status: 400),
            Case(
                name: "two hosts before a body",
                text: "PUT / HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 4\r\n\r\nbody",
                status: 400
            ),
        ]
    }

    @Test("The size of a head, and its hosts", arguments: Case.all)
    func head(_ refused: Case) async throws {
        try await GuardedServer.run(["http.maxTargetSize": "2000", "http.maxHeaderSize": "2000"]) { server in
            let connection = try RawConnection(port: server.port)
            connection.send(refused.text)
            let isAccepted = [200, 404].contains(refused.status)
            let answer = await connection.receive(silence: 5_000) { isAccepted && !$0.isEmpty }
            #expect(answer.text.hasPrefix("HTTP/1.1 \(refused.status) "), "\(answer.text.prefix(200))")
            #expect(answer.isClosed != isAccepted)
            if !isAccepted { try expectProblem(answer.text, refused.status) }
            connection.close()
            #expect(try await server.eventually { server.connections.openConnections == 0 })
            #expect(server.connections.requestsInFlight == 0)
            #expect(try await server.answers())
            #expect(server.log.lines(from: .notice).isEmpty)
        }
    }

    /// The response is framed by its length, is JSON and says that the connection ends.
    private func expectProblem(_ text: String, _ status: Int) throws {
        let parts = text.components(separatedBy: "\r\n\r\n")
        try #require(parts.count == 2, "\(text)")
        let head = parts[0].lowercased()
        #expect(head.contains("connection: close"))
        #expect(head.contains("content-type: application/problem+json"))
        #expect(head.contains("content-length: \(parts[1].utf8.count)"))
        let body = try JSONSerialization.jsonObject(with: Data(parts[1].utf8)) as? [String: Any]
        #expect(body?["status"] as? Int == status)
        #expect((body?["requestId"] as? String)?.isEmpty == false)
    }

    @Test(
        "A request that stops in its head or body is 408",
        arguments: [
            "GET / HTTP/1.1\r\nHost: a\r\n", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf",
            "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nA\r\nhalf",
        ]
    )
    func timeout(_ text: String) async throws {
        try await GuardedServer.run(["http.headTimeout": "400ms", "http.bodyTimeout": "400ms"]) { server in
            let connection = try RawConnection(port: server.port)
            connection.send(text)
            let answer = await connection.receive(silence: 5_000)
            #expect(answer.isClosed)
            #expect(answer.text.hasPrefix("HTTP/1.1 408 "), "\(answer.text)")
            try expectProblem(answer.text, 408)
            #expect(try await server.eventually { server.connections.requestsInFlight == 0 })
        }
    }

    @Test("A connection that is idle ends without a response, which its next request could take for its own")
    func idle() async throws {
        try await GuardedServer.run(["http.headTimeout": "400ms", "http.idleTimeout": "400ms"]) { server in
            let silent = try RawConnection(port: server.port)
            #expect(await silent.receive(silence: 5_000) == ("", true))
            let connection = try RawConnection(port: server.port)
            connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = await connection.receive(silence: 5_000)
            #expect(answer.isClosed)
            #expect(answer.text.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answer.text)")
        }
    }

    @Test("The response to an earlier request comes before the end of its connection")
    func pipelined() async throws {
        try await GuardedServer.run(["http.maxTargetSize": "2000"]) { server in
            let connection = try RawConnection(port: server.port)
            let long = String(repeating: "a", count: 3_000)
            connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = await connection.receive(silence: 5_000)
            #expect(answer.isClosed)
            #expect(answer.text.hasPrefix("HTTP/1.1 200 "), "\(answer.text)")
            #expect(answer.text.contains("hello"))
            let statuses = answer.text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
            #expect(statuses.count <= 2 && statuses.dropFirst().allSatisfy { $0.hasPrefix("4") }, "\(answer.text)")
        }
    }

    @Test("A client that asks before it sends its body is told to send it, and then answered")
    func expectContinue() async throws {
        try await GuardedServer.run([:]) { server in
            let connection = try RawConnection(port: server.port)
            connection.send("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
            let interim = await connection.receive(silence: 5_000) { $0.hasSuffix("\r\n\r\n") }
            #expect(interim.text == "HTTP/1.1 100 Continue\r\n\r\n", "\(interim.text)")
            connection.send("body")
            let answer = await connection.receive(silence: 5_000) { $0.hasSuffix("body") }
            #expect(answer.text.hasPrefix("HTTP/1.1 200 "), "\(answer.text)")
            connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await connection.receive(silence: 5_000) { $0.hasSuffix("hello") }.text.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("A server that prepares its end answers further requests, and each response ends its connection")
    func preparedEnd() async throws {
        try await GuardedServer.run([:]) { server in
            let idle = try RawConnection(port: server.port)
            idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await idle.receive(silence: 5_000) { $0.hasSuffix("hello") }.text.hasPrefix("HTTP/1.1 200 "))
            let busy = try RawConnection(port: server.port)
            busy.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbo")
            #expect(try await server.eventually { server.connections.requestsInFlight == 1 })
            server.connections.beginStopping()
            for connection in [idle, try RawConnection(port: server.port)] {
                connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = await connection.receive(silence: 5_000)
                #expect(answer.text.hasPrefix("HTTP/1.1 200 ") && answer.text.hasSuffix("hello"), "\(answer.text)")
                #expect(answer.text.lowercased().contains("\r\nconnection: close\r\n"), "\(answer.text)")
                #expect(answer.isClosed)
            }
            #expect(server.connections.requestsInFlight == 1)
            busy.send("dy")
            let answer = await busy.receive(silence: 5_000)
            #expect(answer.text.hasPrefix("HTTP/1.1 200 ") && answer.text.hasSuffix("body"), "\(answer.text)")
            #expect(answer.isClosed)
            #expect(server.connections.requestsInFlight == 0)
        }
    }
}
