import Foundation
import HTTPSupport
import Logging
import RawSockets
import Testing

@Suite("Requests that exceed a limit are answered and end their connection", .serialized, .timeLimit(.minutes(10)))
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

        private static func marks(_ count: Int) -> String { String(repeating: "%CC%81", count: count) }

        private static func utf8Marks(_ count: Int) -> String { String(repeating: "\u{301}", count: count) }

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
            Case(name: "30 combining characters", text: get("/?q=a" + marks(30), "X: a\r\n"), status: 200),
            Case(
                name: "65 letters of flags",
                text: get("/?q=a" + String(repeating: "%F0%9F%87%A6", count: 65)),
                status: 400
            ),
            Case(name: "31 combining characters", text: get("/?q=a" + marks(31)), status: 400),
            Case(name: "31 in the name of a parameter", text: get("/?a\(marks(31))=1"), status: 400),
            Case(name: "31 in the path", text: get("/a" + marks(31)), status: 400),
            Case(name: "31 of them in a field", text: get("/", "X: a\(utf8Marks(31))\r\n"), status: 400),
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
            Case(name: "no host in HTTP/1.0", text: "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", status: 200),
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
            let answer = await connection.receive(silence: 60_000) { isAccepted && !$0.isEmpty }
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

    /// Transfer codings that are not read (RFC 9112, section 6.1); the decoder refuses some as malformed.
    @Test(
        "A body in a transfer coding other than chunked is 501, and nothing of it is read",
        arguments: ["gzip, chunked", "gzip", "identity", "chunked;q=1", "deflate,chunked", "x, y, chunked", ""]
    )
    func coding(_ coding: String) async throws {
        try await GuardedServer.run([:]) { server in
            let connection = try RawConnection(port: server.port)
            connection.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \(coding)\r\n\r\n4\r\nbody\r\n0\r\n\r\n")
            let answer = await connection.receive(silence: 60_000)
            #expect(answer.isClosed)
            #expect(answer.text.hasPrefix("HTTP/1.1 501 "), "\(coding): \(answer.text)")
            #expect(!answer.text.contains("200 OK"))
        }
    }

    @Test(
        "A repeated coding is refused",
        arguments: ["chunked, chunked", "chunked\r\nTransfer-Encoding: chunked", "chunked, gzip"]
    )
    func repeatedCoding(_ coding: String) async throws {
        try await GuardedServer.run([:]) { server in
            let connection = try RawConnection(port: server.port)
            connection.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \(coding)\r\n\r\n4\r\nbody\r\n0\r\n\r\n")
            let answer = await connection.receive(silence: 60_000)
            #expect(answer.isClosed)
            #expect(answer.text.hasPrefix("HTTP/1.1 501 ") || answer.text.hasPrefix("HTTP/1.1 400 "), "\(answer.text)")
        }
    }

    /// RFC 9112, section 6.1: a proxy of HTTP/1.0 takes the chunks for the next request.
    @Test(
        "A transfer coding in HTTP/1.0 is 400 and ends the connection",
        arguments: ["chunked", "gzip, chunked", "identity"]
    )
    func codingBefore11(_ coding: String) async throws {
        try await GuardedServer.run([:]) { server in
            let connection = try RawConnection(port: server.port)
            connection.send(
                "PUT / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: \(coding)\r\n\r\n0\r\n\r\n"
                    + "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            let answer = await connection.receive(silence: 60_000)
            #expect(answer.isClosed)
            #expect(answer.text.hasPrefix("HTTP/1.1 400 ") || answer.text.hasPrefix("HTTP/1.0 400 "), "\(answer.text)")
            #expect(answer.text.ranges(of: #/HTTP\/1\.[01] [0-9]{3}/#).count == 1, "\(answer.text)")
        }
    }

    @Test("Chunked in any case is read")
    func chunked() async throws {
        try await GuardedServer.run([:]) { server in
            let connection = try RawConnection(port: server.port)
            connection.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n")
            let answer = await connection.receive(silence: 60_000) { $0.hasSuffix("body") }
            #expect(answer.text.hasPrefix("HTTP/1.1 200 "), "\(answer.text)")
        }
    }

    @Test(
        "The connection ends after the response where the client expects it (RFC 9112, section 9.3)",
        arguments: [
            ("GET / HTTP/1.0\r\n\r\n", true), ("GET / HTTP/1.0\r\nConnection: close\r\n\r\n", true),
            ("HEAD / HTTP/1.0\r\n\r\n", true), ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", false), ("GET /none HTTP/1.0\r\n\r\n", true),
        ]
    )
    func keepAlive(_ text: String, _ ends: Bool) async throws {
        try await GuardedServer.run([:]) { server in
            let connection = try RawConnection(port: server.port)
            connection.send(text)
            // A connection that stays is seen by a second answer on it and not by a silence.
            if !ends { connection.send("GET /second HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") }
            let answers = await connection.receive(silence: 60_000).text.split(separator: "HTTP/1.1 ")
            #expect(answers.count == (ends ? 1 : 2), "\(answers)")
            let said = try #require(answers.first).lowercased()
            #expect(said.contains("\r\nconnection: close\r\n") == ends, "\(answers)")
            if text.contains("HTTP/1.0"), !ends { #expect(said.contains("\r\nconnection: keep-alive\r\n")) }
        }
    }

    @Test("HTTP/1.0 gets no chunks: the end of the connection ends a response without a length")
    func streamOfHTTP10() async throws {
        try await GuardedServer.run([:]) { server in
            for fields in ["", "Connection: keep-alive\r\n"] {
                let connection = try RawConnection(port: server.port)
                connection.send("GET /stream HTTP/1.0\r\n\(fields)\r\n")
                let answer = await connection.receive(silence: 60_000)
                #expect(answer.isClosed)
                #expect(answer.text.hasSuffix("\r\n\r\npart"), "\(answer.text)")
                #expect(!answer.text.lowercased().contains("transfer-encoding"), "\(answer.text)")
            }
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
            let answer = await connection.receive(silence: 60_000)
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
            #expect(await silent.receive(silence: 60_000) == ("", true))
            let connection = try RawConnection(port: server.port)
            connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = await connection.receive(silence: 60_000)
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
            let answer = await connection.receive(silence: 60_000)
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
            let interim = await connection.receive(silence: 60_000) { $0.hasSuffix("\r\n\r\n") }
            #expect(interim.text == "HTTP/1.1 100 Continue\r\n\r\n", "\(interim.text)")
            connection.send("body")
            let answer = await connection.receive(silence: 60_000) { $0.hasSuffix("body") }
            #expect(answer.text.hasPrefix("HTTP/1.1 200 "), "\(answer.text)")
            connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await connection.receive(silence: 60_000) { $0.hasSuffix("hello") }.text.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("A server that prepares its end answers further requests, and each response ends its connection")
    func preparedEnd() async throws {
        try await GuardedServer.run([:]) { server in
            let idle = try RawConnection(port: server.port)
            idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await idle.receive(silence: 60_000) { $0.hasSuffix("hello") }.text.hasPrefix("HTTP/1.1 200 "))
            let busy = try RawConnection(port: server.port)
            busy.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbo")
            #expect(try await server.eventually { server.connections.requestsInFlight == 1 })
            server.connections.beginStopping()
            for connection in [idle, try RawConnection(port: server.port)] {
                connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = await connection.receive(silence: 60_000)
                #expect(answer.text.hasPrefix("HTTP/1.1 200 ") && answer.text.hasSuffix("hello"), "\(answer.text)")
                #expect(answer.text.lowercased().contains("\r\nconnection: close\r\n"), "\(answer.text)")
                #expect(answer.isClosed)
            }
            #expect(server.connections.requestsInFlight == 1)
            busy.send("dy")
            let answer = await busy.receive(silence: 60_000)
            #expect(answer.text.hasPrefix("HTTP/1.1 200 ") && answer.text.hasSuffix("body"), "\(answer.text)")
            #expect(answer.isClosed)
            #expect(server.connections.requestsInFlight == 0)
        }
    }
}
