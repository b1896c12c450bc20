import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import LedgerTesting
import Reporting
import Synchronization
import Testing

@testable import HTTPSupport
@testable import ReportingServer

@Suite("Limits of keys and addresses")
struct KeyLimitTests {
    /// The headers of a request that a trusted proxy passes on.
    private static func from(_ address: String) -> HTTPFields {
        var headers = HTTPFields()
        if let name = HTTPField.Name("X-Forwarded-For") { headers[name] = address }
        return headers
    }

    @Test("A publishable key: 30 requests a minute of an address, then 429 with the time to wait")
    func publishable() async throws {
        let server = try AccessFixture()
        let keys = [try await server.key(.publishable), try await server.key(.publishable)]
        try await server.application(trustedProxies: TrustedProxies(["127.0.0.1"])).test(.live) { client throws in
            func send(_ number: Int, _ address: String) async throws -> TestResponse {
                let body = ["token": AccessFixture.token("t-\(number)")]
                return try await client.send(
                    .post,
                    "/v1/tokens",
                    key: keys[number % 2],
                    body: body,
                    headers: Self.from(address)
                )
            }
            for number in 0..<30 { #expect(try await send(number, "198.51.100.7").status == .created) }
            let limited = try await send(30, "198.51.100.7")
            #expect(limited.status == .tooManyRequests)
            #expect(limited.headers[.retryAfter] == "2")
            #expect(try await send(31, "198.51.100.8").status == .created)
            server.clock.advance(by: .seconds(2))
            #expect(try await send(32, "198.51.100.7").status == .created)
            #expect(try await send(33, "198.51.100.7").status == .tooManyRequests)
        }
        let stored = try await server.system.lists.tokens(LedgerPage(limit: 100))
        #expect(stored.count == 32)
    }

    @Test("Every key has its own bucket; the setting says how many requests a minute")
    func perKey() async throws {
        let server = try AccessFixture()
        let (first, second) = (try await server.key(.read), try await server.key(.read))
        var settings = AccessSettings()
        settings.keysPerMinute = 3
        try await server.application(settings).test(.router) { client throws in
            for _ in 0..<3 { #expect(try await client.send(.get, "/v1/tokens", key: first).status == .ok) }
            let limited = try await client.send(.get, "/v1/tokens", key: first)
            #expect(limited.status == .tooManyRequests)
            #expect(limited.headers[.retryAfter] == "20")
            #expect(try await client.send(.get, "/v1/tokens", key: second).status == .ok)
            server.clock.advance(by: .seconds(20))
            #expect(try await client.send(.get, "/v1/tokens", key: first).status == .ok)
        }
    }

    @Test("Wrong keys of an address are limited; the right one is not held up by them")
    func guessing() async throws {
        let server = try AccessFixture()
        let key = try await server.key(.read)
        try await server.application().test(.router) { client throws in
            for number in 0..<30 {
                #expect(try await client.send(.get, "/v1/tokens", key: "epk_admin_\(number)").status == .unauthorized)
            }
            let limited = try await client.send(.get, "/v1/tokens", key: "epk_admin_30")
            #expect(limited.status == .tooManyRequests)
            #expect(limited.headers[.retryAfter] == "2")
            #expect(try await client.send(.get, "/v1/tokens", key: key).status == .ok)
            #expect(try await client.send(.get, "/v1/tokens").status == .unauthorized)
        }
    }
}

@Suite("A publishable key learns nothing about tokens that it did not send")
struct PublishableKeyTests {
    /// The response without what names the request itself.
    private static func told(_ answer: TestResponse) -> String { String(buffer: answer.body) }

    @Test("The answer is the same for a new token and for one that others sent before, with customer and checkout")
    func knownToken() async throws {
        let token = AccessFixture.token("t-1")
        let told = Mutex<[String]>([])
        for isKnown in [false, true] {
            let server = try AccessFixture()
            let (intake, publishable) = (try await server.key(.intake), try await server.key(.publishable))
            try await server.application().test(.router) { client throws in
                if isKnown {
                    let body = ["token": token, "customerId": "c-1", "checkoutId": "basket-1", "storefront": "NLD"]
                    #expect(try await client.send(.post, "/v1/tokens", key: intake, body: body).status == .created)
                }
                for _ in 0..<2 {
                    let answer = try await client.send(.post, "/v1/tokens", key: publishable, body: ["token": token])
                    #expect(answer.status == .created)
                    told.withLock { $0.append(Self.told(answer)) }
                }
            }
        }
        let answers = told.withLock { $0 }
        #expect(answers.count == 4)
        #expect(Set(answers).count == 1, "\(answers)")
        #expect(!answers[0].contains("basket-1"))
    }

    @Test("The checkout of the answer finds the token: a sale that names it is the token's")
    func checkout() async throws {
        let server = try AccessFixture()
        let (sales, publishable) = (try await server.key(.sales), try await server.key(.publishable))
        try await server.application().test(.router) { client throws in
            let body = ["token": AccessFixture.token("t-1")]
            let answer = try await client.send(.post, "/v1/tokens", key: publishable, body: body)
            let checkout = try #require(answer.json["checkoutId"] as? String)
            let sale = AccessFixture.sale("s-1").merging(["checkoutId": checkout]) { $1 }
            let sold = try await client.send(.post, "/v1/sales", key: sales, body: sale)
            #expect(sold.json["externalPurchaseId"] as? String == "SANDBOX_t-1", "\(sold.json)")
        }
    }

    @Test("A token of an app that is not registered is refused without a list of those that are")
    func foreignToken() async throws {
        let server = try AccessFixture()
        let key = try await server.key(.publishable)
        try await server.application().test(.router) { client throws in
            let body = ["token": AccessFixture.token("t-1", of: "com.example.none")]
            let answer = try await client.send(.post, "/v1/tokens", key: key, body: body)
            #expect(answer.status == .unprocessableContent)
            #expect(!Self.told(answer).contains("com.example"))
            let broken = try await client.send(.post, "/v1/tokens", key: key, body: ["token": "!!"])
            #expect(broken.status == .unprocessableContent)
        }
    }

    @Test("Its token counts as one from a visit, because anybody can read the key in the app (TK-74)")
    func source() async throws {
        let server = try AccessFixture()
        let (key, intake) = (try await server.key(.publishable), try await server.key(.intake))
        try await server.application().test(.router) { client throws in
            _ = try await client.send(.post, "/v1/tokens", key: key, body: ["token": AccessFixture.token("t-1")])
            _ = try await client.send(.post, "/v1/tokens", key: intake, body: ["token": AccessFixture.token("t-2")])
        }
        let stored = try await server.system.lists.tokens(LedgerPage())
        #expect(stored.map(\.firstSeen.source) == [.website, .app])
    }
}
