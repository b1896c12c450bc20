// swift-format-ignore-file: NeverForceUnwrap

import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import Reporting
import Testing

@testable import HTTPSupport
@testable import ReportingServer

@Suite("The landing address")
struct LandingTests {
    private static let token = "externalPurchaseToken=\(ServerFixture.token())&bundleId=com.example.shop"

    private static func token(_ number: Int) -> String {
        let digits = String(1_000_000_000_000 + number).suffix(12)
        let text = ServerFixture.token("SANDBOX_7b1e6c1a-3f52-4d0b-9c77-\(digits)")
        return "externalPurchaseToken=\(text)&bundleId=com.example.shop"
    }

    private static func location(
        _ client: some TestClientProtocol,
        _ uri: String,
        from address: String? = nil
    ) async throws -> String {
        var headers = HTTPFields()
        if let address { headers[HTTPField.Name("X-Forwarded-For")!] = address }
        let response = try await client.execute(uri: uri, method: .get, headers: headers)
        #expect(response.status == .seeOther, "\(uri)")
        let location = try #require(response.headers[.location])
        return location.replacing(/checkout=[0-9a-f-]{36}/, with: "checkout=ID")
    }

    @Test(
        "A visitor's own parameters go along byte for byte; the token's two stay behind (TK-66)",
        arguments: [
            (
                "/out/nl?utm_source=app&\(token)&a=%41+b&c",
                "https://shop.example.com/nl?lang=nl&utm_source=app&a=%41+b&c&checkout=ID#top"
            ),
            ("/out/de?\(token)", "https://shop.example.com?checkout=ID"),
            ("/out/de?checkout=forged&\(token)&x=1", "https://shop.example.com?x=1&checkout=ID"),
            ("/out/de?checkout=mine&x=1", "https://shop.example.com?checkout=mine&x=1"),
            ("/out/de?%62undleId=com.other&\(token)&y", "https://shop.example.com?y&checkout=ID"),
            (#"/out/de?a=b"<>\^`{|}&bundleId=x"#, "https://shop.example.com?a=b%22%3C%3E%5C%5E%60%7B%7C%7D"),
            (
                "/out/de?url=https://evil.example&\(token)",
                "https://shop.example.com?url=https://evil.example&checkout=ID"
            ),
            ("/out/de?&&", "https://shop.example.com"),
        ]
    )
    func parameters(_ uri: String, _ expected: String) async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let location = try await Self.location(client, uri)
            #expect(location == expected)
        }
    }

    @Test(
        "A path below a link leads to the same path at the shop where the link allows it",
        arguments: [
            ("/out/fr/products/7?\(token)&x=1", "https://shop.example.com/fr/products/7?lang=fr&x=1&checkout=ID#top"),
            ("/out/fr/products/", "https://shop.example.com/fr/products/?lang=fr#top"),
            ("/out/es/a%20b/c", "https://shop.example.com/a%20b/c"),
            ("/out/fr", "https://shop.example.com/fr?lang=fr#top"),
            // A token is never turned away: what the link does not lead on goes to its own address.
            ("/out/nl/products/7?\(token)", "https://shop.example.com/nl?lang=nl&checkout=ID#top"),
            ("/out/fr/%2e%2e/admin?\(token)", "https://shop.example.com/fr?lang=fr&checkout=ID#top"),
        ]
    )
    func paths(_ uri: String, _ expected: String) async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let location = try await Self.location(client, uri)
            #expect(location == expected)
        }
    }

    @Test(
        "A path that could lead elsewhere is not found",
        arguments: [
            "/out/nl/products/7", "/out/fr/%2e%2e/admin", "/out/fr/a/../b", "/out/fr/a//b", "/out/fr/a%2Fb",
            "/out/fr/a%5Cb",
            "/out/fr/a%0d%0aSet-Cookie:x", "/out/xx/a",
        ]
    )
    func refusedPaths(_ uri: String) async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            let response = try await client.execute(uri: uri, method: .get)
            #expect(response.status == .notFound)
            #expect(response.headers[.location] == nil)
        }
    }

    @Test(
        "Above the limit of an address a visit is sent on with its token and stores nothing; other addresses go on (TK-74)"
    )
    func limitPerAddress() async throws {
        var settings = ReportingSettings()
        settings.landing.visitsPerMinute = 3
        let server = try ServerFixture(settings: settings)
        try await server.application(trustedProxies: TrustedProxies(["127.0.0.1"])).test(.live) { client in
            for number in 1...5 {
                let location = try await Self.location(
                    client,
                    "/out/de?\(Self.token(number))&x=1",
                    from: "203.0.113.9, 198.51.100.1"
                )
                let expected = number <= 3 ? "?x=1&checkout=ID" : "?x=1&\(Self.token(number))"
                #expect(location == "https://shop.example.com\(expected)", "visit \(number)")
            }
            let other = try await Self.location(client, "/out/de?\(Self.token(6))", from: "203.0.113.9, 198.51.100.2")
            #expect(other == "https://shop.example.com?checkout=ID")
            // A visit without a token costs nothing and is not counted.
            let location = try await Self.location(client, "/out/de", from: "198.51.100.1")
            #expect(location == "https://shop.example.com")
        }
        #expect(try await server.merchant.lists.tokens(LedgerPage()).count == 4)
    }

    @Test("From a peer that is no trusted proxy X-Forwarded-For says nothing")
    func forgedForwarding() async throws {
        var settings = ReportingSettings()
        settings.landing.visitsPerMinute = 2
        let server = try ServerFixture(settings: settings)
        try await server.application.test(.live) { client in
            for number in 1...3 {
                let location = try await Self.location(
                    client,
                    "/out/de?\(Self.token(number))",
                    from: "198.51.100.\(number)"
                )
                #expect(location.contains("checkout=ID") == (number <= 2), "visit \(number)")
            }
        }
    }

    @Test("Above the quota of an hour, tokens that look genuine wait in the spool (TK-74)")
    func tokensPerHour() async throws {
        var settings = ReportingSettings()
        settings.landing.tokensPerHour = 2
        let server = try ServerFixture(settings: settings)
        try await server.application.test(.router) { client in
            for number in 1...4 {
                let location = try await Self.location(client, "/out/de?\(Self.token(number))")
                #expect(location.contains("checkout=ID"))
            }
            #expect(try await server.merchant.lists.tokens(LedgerPage()).count == 2)
            // A token that is known already needs no room.
            await server.merchant.sender.runUntilIdle()
            #expect(try await server.merchant.lists.tokens(LedgerPage()).count == 2)
        }
    }

    @Test("Undecodable and foreign texts of visits are kept up to a quota; the same text counts once (TK-68, TK-75)")
    func quarantineQuota() async throws {
        var settings = ReportingSettings()
        settings.landing.quarantinePerHour = 3
        let server = try ServerFixture(settings: settings)
        let foreign = ServerFixture.token(bundleId: "com.other.app")
        try await server.application.test(.router) { client in
            for text in ["%00", "rubbish", foreign, "more", "evenmore"] {
                let location = try await Self.location(client, "/out/de?externalPurchaseToken=\(text)")
                #expect(location == "https://shop.example.com")
            }
        }
        let kept = try await server.merchant.lists.quarantinedTokens(LedgerPage())
        #expect(kept.map(\.reason) == [.undecodable, .undecodable, .foreign])
    }
}

@Suite("Limits of visits by address")
struct RateLimiterTests {
    private static let noon = Timestamp(milliseconds: 1_795_176_000_000)

    @Test("A bucket holds a minute's visits, fills evenly and is not filled by a clock that is set back")
    func bucket() {
        let limiter = RateLimiter(perMinute: 60)
        for _ in 1...60 { #expect(limiter.admits("198.51.100.1", at: Self.noon)) }
        #expect(!limiter.admits("198.51.100.1", at: Self.noon))
        #expect(!limiter.admits("198.51.100.1", at: Self.noon + .milliseconds(900)))
        #expect(limiter.admits("198.51.100.1", at: Self.noon + .seconds(1)))
        #expect(!limiter.admits("198.51.100.1", at: Self.noon - .days(1)))
        #expect(limiter.admits("198.51.100.2", at: Self.noon))
    }

    @Test("The addresses of one IPv6 network share a bucket")
    func networks() {
        let limiter = RateLimiter(perMinute: 1)
        #expect(limiter.admits(ClientAddress.group(of: "2001:db8:1:2::1"), at: Self.noon))
        #expect(!limiter.admits(ClientAddress.group(of: "2001:db8:1:2:ffff::9"), at: Self.noon))
        #expect(limiter.admits(ClientAddress.group(of: "2001:db8:1:3::1"), at: Self.noon))
    }

    @Test("A flood from many addresses keeps memory bounded, and the address that was limited stays limited")
    func memory() {
        let limiter = RateLimiter(perMinute: 1, capacity: 100)
        for number in 0..<10_000 {
            let now = Self.noon.advanced(by: .milliseconds(Int64(number)))
            _ = limiter.admits("198.51.100.\(number)", at: now)
            #expect(limiter.count <= 100)
        }
        #expect(!limiter.admits("198.51.100.9999", at: Self.noon + .seconds(10)))
    }
}
