import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Reporting
import Testing

@testable import ReportingServer

/// `GET /v1/policy`, at 2026-11-20T12:00:00Z.
@Suite("An app asks what it may offer")
struct PolicyTests {
    // Only tests force.
    // swift-format-ignore: NeverForceUnwrap
    static let policy = PurchasePolicy(
        storefronts: [
            StorefrontCode("JPN")!: .init(isOffered: true, requestsTokens: true),
            StorefrontCode("NLD")!: .init(isOffered: false, requestsTokens: true, message: "Möglich ab 1. Dezember"),
        ],
        standard: .init(isOffered: false, requestsTokens: false, message: "Not here"),
        maxAge: .hours(24)
    )

    static let japan = #""JPN":{"offered":true,"requestsTokens":true,"message":null}"#
    static let netherlands = #""NLD":{"offered":false,"requestsTokens":true,"message":"Möglich ab 1. Dezember"}"#
    static let rest = #"{"offered":false,"requestsTokens":false,"message":"Not here"}"#
    static let everything = #"{"offered":true,"requestsTokens":true,"message":null}"#
    // Half of a day ahead is 12 hours: the next moment on the grid is midnight.
    static let end = #""default":\#(rest),"until":"2026-11-21T00:00:00Z"}"#

    struct Row: Sendable, CustomTestStringConvertible {
        let query: String
        /// The body; of a refusal the part of it that says what is right.
        let answer: String
        var status = HTTPResponse.Status.ok
        var scope = KeyScope.publishable
        var app: BundleId? = AccessFixture.shop
        var testDescription: String { "\(scope) \(app.map { "\($0)" } ?? "any app") ?\(query)" }
    }

    static let rows = [
        Row(query: "", answer: #"{"storefronts":{\#(japan),\#(netherlands)},\#(end)"#),
        Row(query: "storefront=JPN", answer: #"{"storefronts":{\#(japan)},\#(end)"#),
        Row(query: "storefront=NLD", answer: #"{"storefronts":{\#(netherlands)},\#(end)"#),
        Row(query: "storefront=USA", answer: #"{"storefronts":{"USA":\#(rest)},\#(end)"#),
        Row(query: "storefront=XKS", answer: #"{"storefronts":{"XKS":\#(rest)},\#(end)"#),
        Row(query: "storefront=JPN&bundleId=com.example.shop", answer: #"{"storefronts":{\#(japan)},\#(end)"#),
        Row(query: "storefront=JP", answer: "did you mean JPN?", status: .unprocessableContent),
        Row(query: "storefront=jpn", answer: "did you mean JPN?", status: .unprocessableContent),
        Row(query: "storefront=XX", answer: "one looks like JPN", status: .unprocessableContent),
        Row(query: "storefront=", answer: "one looks like JPN", status: .unprocessableContent),
        Row(
            query: "storefront=" + String(repeating: "J", count: 10_000),
            answer: "one looks like JPN",
            status: .unprocessableContent
        ),
        Row(query: "storefronts=JPN", answer: "known are storefront, bundleId", status: .unprocessableContent),
        Row(
            query: "bundleId=com.example.other",
            answer: "is none of the apps registered here",
            status: .unprocessableContent
        ),
        // The other app has no policy.
        Row(query: "", answer: #"{"storefronts":{},"default":\#(everything),"#, app: AccessFixture.other),
        Row(
            query: "storefront=USA",
            answer: #"{"storefronts":{"USA":\#(everything)},"default":\#(everything),"#,
            app: AccessFixture.other
        ),
        // A key of all apps names one.
        Row(query: "", answer: "is missing; this key is for several apps", status: .unprocessableContent, app: nil),
        Row(
            query: "bundleId=com.example.shop&storefront=JPN",
            answer: #"{"storefronts":{\#(japan)},\#(end)"#,
            scope: .read,
            app: nil
        ),
        Row(query: "storefront=JPN", answer: #"{"storefronts":{\#(japan)},\#(end)"#, scope: .admin),
        Row(query: "", answer: "intake", status: .forbidden, scope: .intake),
    ]

    private static func server() throws -> AccessFixture {
        try AccessFixture(apps: [(AccessFixture.shop, policy), (AccessFixture.other, .open)])
    }

    @Test("By storefront, by the app of the key, and by scope (OB-100, OB-101)", arguments: rows)
    func answers(_ row: Row) async throws {
        let server = try Self.server()
        let key = try await server.key(row.scope, app: row.app)
        try await server.application().test(.router) { client throws in
            let answer = try await client.send(.get, "/v1/policy?\(row.query)", key: key)
            let text = String(buffer: answer.body)
            #expect(answer.status == row.status, "\(text)")
            if row.status == .ok {
                #expect(text.hasPrefix(row.answer), "\(text)")
                #expect(answer.headers[.contentType] == "application/json")
            } else {
                #expect((answer.json["detail"] as? String)?.contains(row.answer) == true, "\(text)")
                // Nothing of a policy is in a refusal.
                #expect(!text.contains("offered"))
            }
        }
    }

    @Test("One app needs no name, with a key or without keys (OB-100)")
    func onlyApp() async throws {
        let server = try AccessFixture(apps: [(AccessFixture.shop, Self.policy)])
        try await server.application().test(.router) { client throws in
            let answer = try await client.send(.get, "/v1/policy")
            #expect(String(buffer: answer.body).contains(Self.japan))
            let key = try await server.key(.publishable)
            let withKey = try await client.send(.get, "/v1/policy", key: key)
            #expect(withKey.body == answer.body)
        }
    }

    @Test("An answer counts for half of maxAge to all of it; until then the entity tag is the same (OB-102)")
    func caching() async throws {
        let server = try Self.server()
        let key = try await server.key(.publishable, app: AccessFixture.shop)
        try await server.application().test(.router) { client throws in
            var tags: [String] = []
            // At 12:00, 13:00, 23:00, and 01:00 of the next day.
            for (hours, seconds) in [(0, 43_200), (1, 82_800), (10, 46_800), (2, 82_800)] {
                server.clock.advance(by: .hours(hours))
                let answer = try await client.send(.get, "/v1/policy", key: key)
                #expect(answer.headers[.cacheControl] == "private, max-age=\(seconds)")
                let tag = try #require(answer.headers[.eTag])
                tags.append(tag)
                for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                    let same = try await client.send(.get, "/v1/policy", key: key, headers: [.ifNoneMatch: known])
                    #expect(same.status == .notModified, "\(known)")
                    #expect(same.body.readableBytes == 0)
                    #expect(same.headers[.eTag] == tag)
                    #expect(same.headers[.cacheControl] == answer.headers[.cacheControl])
                }
                let other = try await client.send(.get, "/v1/policy", key: key, headers: [.ifNoneMatch: "\"x\""])
                #expect(other.status == .ok)
                let head = try await client.send(.head, "/v1/policy", key: key)
                #expect(head.headers[.eTag] == tag)
            }
            #expect(tags[1] == tags[2])
            #expect(Set(tags).count == 3)
            let part = try await client.send(.get, "/v1/policy?storefront=JPN", key: key)
            #expect(part.headers[.eTag] != tags[3])
        }
    }

    @Test("The end of an answer lies between half of maxAge and maxAge ahead, in whole seconds (OB-102)")
    func ends() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<2_000 {
            let age = Duration.milliseconds(Int64.random(in: 60_000...604_800_000, using: &random))
            let now = Timestamp(milliseconds: .random(in: -10_000_000_000...10_000_000_000_000, using: &random))
            let policy = PurchasePolicy(standard: .init(isOffered: true, requestsTokens: true), maxAge: age)
            let end = policy.end(ofAnswerAt: now)
            let ahead = now.duration(to: end)
            #expect(ahead <= age && ahead >= age / 2, "\(age) at \(now): \(end)")
            #expect(end.milliseconds % 1_000 == 0)
        }
    }
}
