import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import ReportingServer

@Suite("The address of a client")
struct ClientAddressTests {
    /// A connection, what it says in `X-Forwarded-For`, and the address that counts.
    struct Case: Sendable, CustomTestStringConvertible {
        var peer: String
        var forwarded: [String]
        var address: String
        var testDescription: String { "\(peer), \(forwarded)" }

        static let all = [
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
