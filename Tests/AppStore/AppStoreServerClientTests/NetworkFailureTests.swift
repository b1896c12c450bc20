import AppStoreServerClient
import AsyncHTTPClient
import Crypto
import ExternalPurchaseCore
import Foundation
import NIOCore
import RawSockets
import Testing

@Suite("Network failures are described for operators")
struct NetworkFailureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var saying: [UInt8]?
        var isClosing = true
        var scheme = "http"
        let expected: String
        var testDescription: String { name }
    }

    static let key = P256.Signing.PrivateKey().pemRepresentation

    static let cases = [
        Case(name: "closed without a word", expected: "closed the connection before the answer was complete"),
        Case(
            name: "closed within the body",
            saying: Array("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{".utf8),
            expected: "closed the connection before the answer was complete"
        ),
        Case(name: "another protocol", saying: Array("220 mail ready\r\n".utf8), expected: "does not answer in HTTP"),
        Case(name: "silence", isClosing: false, expected: "did not answer in time"),
        Case(
            name: "TLS against a server without",
            saying: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
            scheme: "https",
            expected: "TLS with"
        ),
    ]

    @Test("A description names the host and the failure, but no type of a library", arguments: cases)
    func words(_ test: Case) async throws {
        let server = try RawListener()
        defer { withExtendedLifetime(server) {} }
        server.start { [saying = test.saying, isClosing = test.isClosing] connection in
            // The request is read first, so that closing the connection does not reset it.
            _ = connection.receive()
            if let saying { connection.send(saying) }
            if isClosing { connection.close() }
        }
        let isSilent = test.saying == nil && !test.isClosing
        let reason = try await reason("\(test.scheme)://127.0.0.1:\(server.port)", timeout: .seconds(isSilent ? 1 : 60))
        #expect(reason.contains(test.expected), "\(reason)")
        Self.expectPlain(reason)
    }

    @Test("No server, and an unknown host name", arguments: ["http://127.0.0.1:1", "http://no-such-host.invalid"])
    func nobody(_ address: String) async throws {
        let reason = try await reason(address, timeout: .seconds(60))
        #expect(
            reason.contains("no server listens at 127.0.0.1:1") || reason.contains("could not connect to no-such-host")
        )
        Self.expectPlain(reason)
    }

    @Test("An error of any other type is described without its name")
    func unknown() {
        struct PeculiarError: Error {}
        let words = NetworkFailure.words(PeculiarError(), address: "https://api.example.com/v1")
        #expect(words == "the exchange with api.example.com failed")
    }

    @Test("The text before the host is omitted, because it may be a password")
    func password() async throws {
        let reason = try await reason("http://me:geheim@127.0.0.1:1", timeout: .seconds(60))
        #expect(reason.contains("127.0.0.1"), "\(reason)")
        #expect(!reason.contains("geheim"), "\(reason)")
    }

    /// What a server sends that never ends its answer.
    private enum Endless: CaseIterable {
        /// Informational responses.
        case hints
        /// The head, and then nothing.
        case headAlone
        /// The head, and then a byte at a time.
        case trickle
    }

    @Test("An answer that never ends is given up when its time is over", arguments: Endless.allCases)
    private func endless(_ kind: Endless) async throws {
        let server = try RawListener()
        defer { withExtendedLifetime(server) {} }
        server.start { connection in
            _ = connection.receive()
            let hint = Array("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".utf8)
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n{".utf8)
            if kind != .hints { connection.send(head) }
            let more = kind == .hints ? hint : [0x20]
            while kind != .headAlone, connection.send(more) { usleep(10_000) }
        }
        let reason = try await reason("http://127.0.0.1:\(server.port)", timeout: .seconds(1))
        #expect(reason == "127.0.0.1:\(server.port) did not answer in time")
    }

    private static func expectPlain(_ reason: String) {
        for word in ["Error", "NIO", "SSL", "HTTPClient", "Optional", "errno", "("] {
            #expect(!reason.contains(word), "\(reason)")
        }
    }

    private func reason(_ address: String, timeout: Duration) async throws -> String {
        let http = HTTPClient(configuration: AppStoreServerClient.httpConfiguration)
        let credentials = APICredentials(
            privateKey: try PrivateKey(p8: Self.key),
            keyId: "K",
            issuerId: "I",
            bundleId: "com.example.shop"
        )
        let client = AppStoreServerClient(
            httpClient: http,
            signer: BearerTokenSigner(credentials: credentials),
            baseURLs: .init(address),
            timeout: timeout,
            now: { Timestamp(milliseconds: 1_795_176_000_000) }
        )
        let answered = await client.send(Array("{}".utf8), environment: .sandbox)
        try await http.shutdown()
        guard case .noAnswer(let reason) = answered.outcome else {
            Issue.record("\(answered.outcome)")
            return ""
        }
        return reason
    }
}
