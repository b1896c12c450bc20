import NIOCore
import Testing

@testable import HTTPSupport

@Suite("Addresses of clients")
struct IPAddressTests {
    /// Texts of an address as configuration and logs have it, and its canonical spelling; nil for no address.
    private static let plain: [(text: String, address: String?)] = [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:c000:201", "192.0.2.1"),
        ("0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"), ("2001:DB8:0:0::1", "2001:db8::1"), ("::", "::"), ("::1", "::1"),
        ("fe80::1%eth0", "fe80::1"), ("::192.0.2.1", "::192.0.2.1"),
        ("", nil), ("localhost", nil), ("192.0.2", nil), ("192.0.2.1.1", nil), ("192.0.2.256", nil),
        ("192.0.2.1:80", nil),
        ("[::1]", nil), ("[::1]:80", nil), ("fe80::1%", nil), ("192.0.2.1%eth0", nil), ("2001:db8::1::2", nil),
        ("192.0.2.1\0", nil), (" 192.0.2.1", nil), (String(repeating: ":", count: 10_000), nil),
    ]

    /// Texts as proxies write them in `X-Forwarded-For`.
    private static let forwarded: [(text: String, address: String?)] = [
        ("198.51.100.8:1001", "198.51.100.8"), ("198.51.100.8", "198.51.100.8"), ("[2001:db8::1]:443", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"),
        ("[::ffff:198.51.100.8]:1001", "198.51.100.8"),
        ("[::ffff:c633:6408]", "198.51.100.8"), ("[fe80::1%eth0]:443", "fe80::1"), ("fe80::1%eth0", "fe80::1"),
        ("198.51.100.8:", nil), ("198.51.100.8:a", nil), ("198.51.100.8:123456", nil), ("[2001:db8::1", nil),
        ("[2001:db8::1]443", nil), ("[198.51.100.8]:80", nil), ("unknown", nil), ("_hidden", nil), ("[]", nil),
        ("", nil),
    ]

    @Test("One address has one spelling: mapped addresses are IPv4, zones and ports are left out")
    func spellings() {
        for (text, address) in Self.plain { #expect(IPAddress(text)?.description == address, "\(text.prefix(40))") }
        for (text, address) in Self.forwarded { #expect(IPAddress(forwarded: text)?.description == address, "\(text)") }
    }

    @Test("The peer of a socket of both families is its IPv4 address")
    func peers() throws {
        for (text, address, group) in [
            ("192.0.2.1", "192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1", "192.0.2.1"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("::1", "::1", "::/64"),
        ] {
            let peer = try SocketAddress(ipAddress: text, port: 4_711)
            #expect(IPAddress(peer)?.description == address)
            #expect(IPAddress(peer)?.group == group)
        }
        #expect(IPAddress(try SocketAddress(unixDomainSocketPath: "/tmp/socket")) == nil)
    }

    @Test("Addresses of one /64 network are one group, IPv4 addresses one each, however they are written")
    func groups() {
        let groups = [
            "10.0.0.1", "::ffff:10.0.0.2", "::ffff:a00:1", "2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1",
        ]
        .map { IPAddress($0)?.group }
        #expect(
            groups == [
                "10.0.0.1", "10.0.0.2", "10.0.0.1", "2001:db8:1:2::/64", "2001:db8:1:2::/64", "2001:db8:1:3::/64",
            ]
        )
    }

    /// An address or network, addresses in it, and addresses outside of it.
    private static let networks: [(text: String, inside: [String], outside: [String])] = [
        ("127.0.0.1", ["127.0.0.1", "::ffff:127.0.0.1"], ["127.0.0.2", "::1", "::127.0.0.1"]),
        ("::ffff:127.0.0.1", ["127.0.0.1"], ["127.0.0.2"]),
        ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"], ["11.0.0.0", "9.255.255.255", "::a00:1"]),
        ("::ffff:10.0.0.0/104", ["10.1.2.3"], ["11.0.0.0"]), ("192.168.4.0/22", ["192.168.7.255"], ["192.168.8.0"]),
        ("192.0.2.7/32", ["192.0.2.7"], ["192.0.2.6"]), ("0.0.0.0/0", ["203.0.113.9"], ["2001:db8::1"]),
        ("::1", ["::1"], ["127.0.0.1", "::2"]), ("fd00::/8", ["fd12:3456::1"], ["fe80::1", "10.0.0.1"]),
        ("2001:db8::/33", ["2001:db8:7fff::1"], ["2001:db8:8000::1"]), ("::/0", ["2001:db8::1"], ["10.0.0.1"]),
        ("2001:db8::1/128", ["2001:db8::1"], ["2001:db8::2"]),
        ("fe80::1%eth0", ["fe80::1", "fe80::1%eth1"], ["fe80::2"]),
    ]

    @Test("Trusted proxies are addresses and networks of both families")
    func trusted() throws {
        for (text, inside, outside) in Self.networks {
            let proxies = try TrustedProxies([text])
            for address in inside { #expect(proxies.contains(IPAddress(address)), "\(address) in \(text)") }
            for address in outside { #expect(!proxies.contains(IPAddress(address)), "\(address) not in \(text)") }
        }
        let several = try TrustedProxies(["fd00::/8", "127.0.0.1", "::ffff:127.0.0.1", "10.0.0.0/8"])
        #expect(several.texts == ["10.0.0.0/8", "127.0.0.1", "fd00::/8"])
        #expect(!TrustedProxies().contains(IPAddress("127.0.0.1")) && !several.contains(nil))
    }

    @Test("Strangers are in public networks that are larger than those of the large services of proxies")
    func strangers() throws {
        let own = [
            "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "100.64.0.0/10", "fc00::/7", "fd00::/8",
            "fe80::/10", "::1", "203.0.113.9", "104.16.0.0/13", "2a06:98c0::/29",
        ]
        #expect(try TrustedProxies(own).strangers == [])
        let wide = ["0.0.0.0/0", "128.0.0.0/1", "172.0.0.0/8", "192.0.0.0/8", "2000::/3", "::/0", "fc00::/6"]
        #expect(try TrustedProxies(own + wide).strangers == wide)
    }

    @Test(
        "What is neither address nor network is refused",
        arguments: [
            "", "localhost", "127.0.0.1:80", "[::1]", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8",
            "10.0.0.0/8/8",
            "10.0.0/8", "::/129", "fd00::/0x8", "/8", "10.0.0.0/255.0.0.0", "fe80::%eth0/10", "::ffff:10.0.0.0/95",
            "10.0.0.0/00008",
        ]
    )
    func malformed(_ text: String) {
        #expect(throws: TrustedProxies.Malformed.self) { try TrustedProxies([text]) }
    }

    @Test("A network with bits after its prefix is refused with the network that is meant")
    func bitsAfterPrefix() {
        for (text, right) in [
            ("10.1.2.3/8", "10.0.0.0/8"), ("2001:db8::1/32", "2001:db8::/32"), ("::ffff:10.1.2.3/104", "10.0.0.0/8"),
        ] {
            do throws(TrustedProxies.Malformed) {
                _ = try TrustedProxies([text])
                Issue.record("\(text) was accepted")
            } catch {
                #expect(error.message.contains("; \(right) is the network"), "\(error.message)")
            }
        }
    }
}
