import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Testing

@testable import HTTPSupport
@testable import ReportingServer

@Suite("The address of a client")
struct ClientAddressTests {
    /// A connection, what it says in `X-Forwarded-For`, and the address that counts.
    struct Case: Sendable, CustomTestStringConvertible {
        var peer: String
        var forwarded: [String]
        var address: String
        var testDescription: String { "\(peer), \(forwarded)" }

        static let all =
            [
                // Nobody else may say it.
                Case(peer: "203.0.113.1", forwarded: ["198.51.100.8"], address: "203.0.113.1"),
                Case(peer: "::ffff:203.0.113.1", forwarded: ["198.51.100.8"], address: "203.0.113.1"),
                Case(peer: "127.0.0.1", forwarded: [], address: "127.0.0.1"),
                // A proxy, by its address and its mapped one.
                Case(peer: "127.0.0.1", forwarded: ["198.51.100.8"], address: "198.51.100.8"),
                Case(peer: "::ffff:127.0.0.1", forwarded: ["198.51.100.8"], address: "198.51.100.8"),
                Case(peer: "10.1.2.3", forwarded: ["198.51.100.8"], address: "198.51.100.8"),
                Case(peer: "fd00::1", forwarded: ["2001:DB8::1"], address: "2001:db8::1"),
                // Ports, brackets and zones.
                Case(peer: "127.0.0.1", forwarded: ["198.51.100.8:1001"], address: "198.51.100.8"),
                Case(peer: "127.0.0.1", forwarded: ["[2001:db8::1]:443"], address: "2001:db8::1"),
                Case(peer: "127.0.0.1", forwarded: ["::ffff:198.51.100.8"], address: "198.51.100.8"),
                Case(peer: "127.0.0.1", forwarded: ["fe80::1%eth0"], address: "fe80::1"),
                // Several hops: the right-most address that is no trusted proxy.
                Case(peer: "127.0.0.1", forwarded: ["192.0.2.66, 198.51.100.8"], address: "198.51.100.8"),
                Case(peer: "127.0.0.1", forwarded: ["192.0.2.66, 198.51.100.8, 10.0.0.7"], address: "198.51.100.8"),
                Case(
                    peer: "127.0.0.1",
                    forwarded: ["192.0.2.66", "198.51.100.8:80 , [::ffff:10.0.0.7]:1"],
                    address: "198.51.100.8"
                ),
                Case(peer: "127.0.0.1", forwarded: ["198.51.100.8,,\t10.0.0.7\t,"], address: "198.51.100.8"),
                Case(peer: "127.0.0.1", forwarded: ["10.0.0.9, 10.0.0.7"], address: "10.0.0.9"),
                // What is no address is nobody's: the proxy that reported it counts.
                Case(peer: "127.0.0.1", forwarded: ["unknown"], address: "127.0.0.1"),
                Case(peer: "127.0.0.1", forwarded: ["192.0.2.66, anything, 10.0.0.7"], address: "10.0.0.7"),
                Case(peer: "127.0.0.1", forwarded: ["198.51.100.8:x"], address: "127.0.0.1"),
            ]
            + garbage.flatMap { text in
                // As the only entry, nearest to a proxy, and before and behind other entries.
                [
                    Case(peer: "127.0.0.1", forwarded: [text], address: "127.0.0.1"),
                    Case(peer: "127.0.0.1", forwarded: [" \(text)\t"], address: "127.0.0.1"),
                    Case(peer: "127.0.0.1", forwarded: ["192.0.2.66,\(text)", "10.0.0.7"], address: "10.0.0.7"),
                    Case(peer: "127.0.0.1", forwarded: ["\(text), 198.51.100.8"], address: "198.51.100.8"),
                ]
            }

        /// What is no address as a whole.
        static let garbage = [
            "1.2.3.4 5.6.7.8", "1.2.3.4\t5.6.7.8", "1.2.3.4 x", "x 1.2.3.4", "1.2.3.4:80 x", "[2001:db8::1] x",
            "[2001:db8::1]:80 1.2.3.4", "2001:db8::1 2001:db8::2", "fe80::1%eth0 x", "1.2.3.4:80 :81", "1.2.3.4;x",
            "1.2.3", "1.2.3.4.5", "1.2.3.4:", "1.2.3.4:123456", "[1.2.3.4]", "[2001:db8::1", "2001:db8::1]",
            "\"1.2.3.4\"",
            "for=1.2.3.4", "1.2.3.4/32", "1.2.3.4%eth0", "01.2.3.4x", "::1::", "_hidden", "-",
        ]
    }

    @Test("It is the peer's, or the one that the nearest trusted proxies report", arguments: Case.all)
    func address(_ example: Case) throws {
        let proxies = try TrustedProxies(["127.0.0.1", "10.0.0.0/8", "fd00::/8"])
        let name = try #require(HTTPField.Name("X-Forwarded-For"))
        var head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")
        for value in example.forwarded { head.headerFields.append(HTTPField(name: name, value: value)) }
        let request = Request(head: head, body: .init(buffer: ByteBuffer()))
        let peer = try SocketAddress(ipAddress: example.peer, port: 4_711)
        #expect(ClientAddress.of(request, peer: peer, trusting: proxies) == example.address)
    }

    @Test("What a client writes into an entry gives it no other identity: wrong keys behind a proxy become 429")
    func rotation() async throws {
        for entry in ["1.2.3.N 5.6.7.8", "1.2.3.N\t5.6.7.8", "x.N", "1.2.3.4 N", "[2001:db8::N] 5.6.7.8"] {
            let fixture = try AccessFixture()
            try await fixture.key(.admin)
            var settings = AccessSettings()
            settings.wrongKeysPerMinute = 5
            let application = fixture.application(settings, trustedProxies: try TrustedProxies(["127.0.0.1"]))
            let name = try #require(HTTPField.Name("X-Forwarded-For"))
            try await application.test(.live) { client in
                var statuses: [Int] = []
                for number in 1...8 {
                    let answer = try await client.execute(
                        uri: "/v1/tokens",
                        method: .get,
                        headers: [
                            .authorization: "Bearer epk_read_wrong\(number)",
                            name: entry.replacing("N", with: "\(number)"),
                        ]
                    )
                    statuses.append(answer.status.code)
                }
                #expect(statuses == [401, 401, 401, 401, 401, 429, 429, 429], "\(entry)")
            }
        }
    }

    @Test("All IPv4 clients of a socket of both families are counted one by one, those of IPv6 by network")
    func groups() {
        let limiter = RateLimiter(perMinute: 1)
        for text in ["::ffff:192.0.2.1", "::ffff:192.0.2.2", "192.0.2.3", "2001:db8:1:2::1", "2001:db8:1:3::1"] {
            #expect(limiter.admits(ClientAddress.group(of: text), at: AccessFixture.start), "\(text)")
        }
        for text in ["192.0.2.1", "::ffff:192.0.2.3", "2001:db8:1:2:ffff::9"] {
            #expect(!limiter.admits(ClientAddress.group(of: text), at: AccessFixture.start), "\(text)")
        }
    }
}
