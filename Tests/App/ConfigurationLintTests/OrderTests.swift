import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Testing

struct OrderTests {
    private func rules(_ infoPlist: String, entitlements: String? = nil) throws -> [String] {
        let configuration = try ConfigurationText.read(infoPlist: infoPlist, entitlements: entitlements)
        return ConfigurationLinter.findings(in: configuration).map(\.rule).filter { $0 != "link-single-only" }
    }

    @Test(
        "Of the country rules the first in order is reported (CF-72)",
        arguments: [
            ("<string> $(CODE)</string>", ["unresolved-variable"]),
            ("<integer>5</integer>", ["element-wrong-type"]),
            ("<string> NLD</string>", ["country-whitespace"]),
            ("<string>NL</string>", ["country-not-lowercase"]),
            ("<string>Nl</string>", ["country-not-lowercase"]),
            ("<string>NLD</string>", ["country-alpha-3"]),
            ("<string>UK</string>", ["country-unknown"]),
            ("<string></string>", ["country-unknown"]),
            ("<string>*</string>", ["country-unknown"]),
            ("<string>JP</string>", ["country-needs-entitlement"]),
            ("<string>US</string>", ["country-not-supported"]),
            ("<string>CH</string>", ["country-not-supported"]),
            ("<string>nl</string><string>NL</string>", ["country-not-lowercase", "country-duplicate"]),
        ]
    )
    func countries(elements: String, expected: [String]) throws {
        #expect(try rules("<key>SKExternalPurchase</key><array>\(elements)</array>") == expected)
    }

    // As a public game emulator has it: the entitlement went when the United States needed none any more.
    @Test("A key that lists only countries that left it needs no entitlement (CF-61)", arguments: ["us", "US"])
    func withdrawnNeedsNoEntitlement(_ code: String) throws {
        func rules(_ others: String) throws -> [String] {
            let single = "<key>\(code)</key><string>https://altstore.example.org/patreon</string>"
            let several = "<key>\(code)</key><array><string>https://altstore.example.org/patreon</string></array>"
            let configuration = try ConfigurationText.read(
                infoPlist: """
                    <key>SKExternalPurchaseLink</key><dict>\(single)\(others)</dict>
                    <key>SKExternalPurchaseMultiLink</key><dict>\(several)</dict>
                    """,
                entitlements: ""
            )
            return ConfigurationLinter.findings(in: configuration).map(\.rule)
                .filter { ["country-withdrawn", "entitlement-missing"].contains($0) }
        }
        #expect(try rules("") == ["country-withdrawn", "country-withdrawn"])
        let other = "<key>nl</key><string>https://altstore.example.org/nl</string>"
        #expect(try rules(other).filter { $0 == "entitlement-missing" }.count == 1)
    }

    @Test("A withdrawn code is compared without case (CF-72)")
    func withdrawnWithoutCase() throws {
        let link = "<dict><key>US</key><string>https://shop.acme.example/</string></dict>"
        #expect(try rules("<key>SKExternalPurchaseLink</key>\(link)") == ["country-withdrawn"])
    }

    @Test("Hostile sizes are checked in time proportional to the file, not to its square", .timeLimit(.minutes(10)))
    func hostileSizes() throws {
        let pairs = (0..<20_000).map { "<string>a\($0)</string><string>a\($0)</string>" }.joined()
        let variables = String(repeating: "$(", count: 200_000)
        let found = try rules(
            "<key>SKExternalPurchase</key><array>\(pairs)</array>"
                + "<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>\(variables)</string></dict>"
        )
        #expect(found.filter { $0 == "country-duplicate" }.count == 20_000)
        #expect(found.last == "link-url-too-long")
    }

    @Test("A dictionary's key and its value are checked separately (CF-72)")
    func keyAndValue() throws {
        let link = "<dict><key>NL</key><string>http://shop.acme.example/</string></dict>"
        #expect(
            try rules("<key>SKExternalPurchaseLink</key>\(link)") == ["country-not-lowercase", "link-url-not-https"]
        )
    }

    @Test("Account links accept any country and the default, and no other key accepts a star (CF-14)")
    func accountLinks() throws {
        let account =
            "<key>SKExternalLinkAccount</key><dict><key>*</key><string>https://acme.example/</string>"
            + "<key>jp</key><string>https://acme.example/jp</string>"
        #expect(try rules(account + "</dict>") == [])
        #expect(
            try rules(account + "<key>JP</key><string>https://acme.example/jp</string></dict>").first
                == "country-not-lowercase"
        )
        #expect(
            try rules(account + "<key>jpn</key><string>https://acme.example/jp</string></dict>") == ["country-alpha-3"]
        )
    }

    @Test("The rules of codes apply to the allowed regions too (CF-72)")
    func allowedRegions() throws {
        let codes = ["JP", "jpn", "xx", "ch", " br", "br"]
        let list = codes.map { "<string>\($0)</string>" }.joined()
        let name = Entitlement.allowedRegions.rawValue
        #expect(
            try rules("", entitlements: "<key>\(name)</key><array>\(list)</array>") == [
                "country-not-lowercase", "country-alpha-3", "country-unknown", "country-not-supported",
                "country-whitespace",
            ]
        )
    }

    @Test(
        "Of the first nine steps the first hit is reported alone (CF-34)",
        arguments: [
            ("$(HOST) ü", ["unresolved-variable"]),
            ("", ["link-url-empty"]),
            (" http://ü", ["link-url-whitespace"]),
            ("https://a.b/\n?x#y", ["link-url-whitespace"]),
            ("http://ü.b/?q", ["link-url-not-ascii"]),
            ("http://\(String(repeating: "a", count: 1_000))", ["link-url-too-long"]),
            ("//shop.acme.example/nl?q", ["link-url-relative"]),
            ("/nl", ["link-url-relative"]),
            ("1https://shop.acme.example", ["link-url-relative"]),
            ("HTTP:///nl%", ["link-url-not-https"]),
            ("mailto:a@b.c", ["link-url-not-https"]),
            ("https:nl%", ["link-url-no-host"]),
            ("https:/nl", ["link-url-no-host"]),
            ("https://:443/nl", ["link-url-no-host"]),
            ("https://app@/nl", ["link-url-no-host"]),
            ("https://shop.acme.example/a|b?x#y", ["link-url-invalid"]),
            ("https://shop.acme.example?", ["link-url-empty-query"]),
            (
                "https://app@localhost/?x#y",
                ["link-url-has-query", "link-url-fragment", "link-url-userinfo", "link-url-private-host"]
            ),
            ("https://example.org./?#", ["link-url-empty-query", "link-url-fragment", "link-url-placeholder-host"]),
        ]
    )
    func links(url: String, expected: [String]) throws {
        let link = "<dict><key>nl</key><string>\(url)</string></dict>"
        #expect(try rules("<key>SKExternalPurchaseLink</key>\(link)") == expected)
    }

    @Test(
        "A URL is checked by RFC 3986, byte for byte (CF-31, CF-32)",
        arguments: [
            ("https://shop.acme.example", nil), ("https://shop.acme.example:/", nil),
            ("https://shop.acme.example:443/a;b=c,d/(e)!$'*+~_-.", nil), ("https://[2001:db8::1]:8443/", nil),
            ("https://[2001:db8::192.0.2.1]/", nil), ("https://[v1.a:b]/", nil), ("https://a%C3%BCb.example/", nil),
            ("https://shop.acme.example:65536/", "the port 65536 is above 65535"),
            ("https://shop.acme.example:99999999999999999999/", "the port 99999999999999999999 is above 65535"),
            ("https://shop.acme.example:80a/", "the port \"80a\" is not a number"),
            ("https://[2001:db8::1/", "[2001 is not a well-formed IP literal"),
            ("https://[::1::2]/", "[::1::2] is not a well-formed IP literal"),
            ("https://[1:2:3:4:5:6:7]/", "[1:2:3:4:5:6:7] is not a well-formed IP literal"),
            ("https://[1:2:3:4:5:6:7:8:9]/", "[1:2:3:4:5:6:7:8:9] is not a well-formed IP literal"),
            ("https://[::12345]/", "[::12345] is not a well-formed IP literal"),
            ("https://[fe80::1%25en0]/", "[fe80::1%25en0] is not a well-formed IP literal"),
            ("https://shop.acme.example\\@evil.example/", "\"\\\" is not allowed there"),
            ("https://a@b@shop.acme.example/", "\"@\" is not allowed there"),
            ("https://shop.acme.example/%zz", "\"%\" is not followed by two hexadecimal digits"),
            ("https://shop.acme.example/%4", "\"%\" is not followed by two hexadecimal digits"),
            ("https://shop.acme.example/[a]", "\"[\" is not allowed there"),
            ("https://shop.acme.example/{a}", "\"{\" is not allowed there"),
            ("https://shop.acme.example/#a#b", "\"#\" is not allowed there"),
        ] as [(String, String?)]
    )
    func syntax(url: String, reason: String?) throws {
        let members = "<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>\(url)</string></dict>"
        let findings = ConfigurationLinter.findings(in: try ConfigurationText.read(infoPlist: members))
        let expected = reason.map { ["\"\(url)\" is not a valid URL: \($0)"] } ?? []
        #expect(findings.filter { $0.rule != "link-single-only" }.map(\.message) == expected)
    }

    @Test(
        "Hosts of the developer's own network are distinguished from public ones (CF-35)",
        arguments: [
            ("localhost", true), ("a.LOCALHOST", true), ("mac.local", true), ("a.internal", true), ("a.test", true),
            ("a.invalid", true), ("a.home.arpa", true), ("intranet", true), ("0.0.0.0", true), ("10.1.2.3", true),
            ("127.0.0.1", true), ("169.254.1.1", true), ("172.16.0.1", true), ("172.31.255.255", true),
            ("192.168.1.1", true), ("[::1]", true), ("[fc00::1]", true), ("[fdff::1]", true), ("[fe80::1]", true),
            ("[febf::1]", true), ("11.1.2.3", false), ("169.253.1.1", false), ("172.32.0.1", false),
            ("192.169.1.1", false), ("[::2]", false), ("[fec0::1]", false), ("[2001:db8::1]", false),
            ("mylocal.shop", false), ("010.1.1.1", false), ("256.0.0.1", false),
        ]
    )
    func privateHosts(host: String, isPrivate: Bool) throws {
        let link = "<dict><key>nl</key><string>https://\(host)/</string></dict>"
        #expect(try rules("<key>SKExternalPurchaseLink</key>\(link)") == (isPrivate ? ["link-url-private-host"] : []))
    }
}
