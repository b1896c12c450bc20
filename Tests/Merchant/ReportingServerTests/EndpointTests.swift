import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import Ledger
import TestSupport
import Testing

@testable import ReportingServer

@Suite("The list of endpoints")
struct EndpointTests {
    private static func name(_ endpoint: Endpoint) -> String { "\(endpoint.method.rawValue) \(endpoint.path)" }

    @Test("It has every route of the router, and no other")
    func routes() throws {
        let server = try AccessFixture()
        let router = ReportingServer(system: server.system, links: [:]).router()
        let routes = router.routes.map { "\($0.method.rawValue) \($0.path.description)" }
            .filter { !$0.hasPrefix("HEAD ") }
        #expect(routes.sorted() == Endpoint.all.map(Self.name).sorted())
        #expect(Set(Endpoint.all.map(Self.name)).count == Endpoint.all.count)
    }
}

@Suite("Hashes of passwords")
struct PasswordHashTests {
    @Test("The vector of RFC 7914, section 12")
    func vector() throws {
        let salt = Array("SodiumChloride".utf8).hexadecimal
        let hash =
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
            + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
        let stored = try #require(PasswordHash("scrypt$14$8$1$\(salt)$\(hash)"))
        #expect(try stored.matches("pleaseletmein"))
        #expect(try !stored.matches("pleaseletmeout"))
        #expect(try !stored.matches(""))
    }

    @Test("A hash matches its password alone, comes back from its text, and never has the salt of another")
    func roundTrip() throws {
        var generator = SplitMix64(seed: 1)
        let first = try PasswordHash(of: "correct horse", using: &generator)
        let second = try PasswordHash(of: "correct horse", using: &generator)
        #expect(first.text != second.text)
        #expect(try #require(PasswordHash(first.text)).matches("correct horse"))
        #expect(try !first.matches("correct horse "))
        #expect(!first.text.contains("correct"))
    }

    @Test(
        "Other texts are no hashes",
        arguments: [
            "", "scrypt", "scrypt$15$8$1$00", "bcrypt$15$8$1$00$00112233445566778899aabbccddeeff",
            "scrypt$60$8$1$00$00112233445566778899aabbccddeeff", "scrypt$15$8$1$0g$00112233445566778899aabbccddeeff",
            "scrypt$15$8$1$00$0011",
        ]
    )
    func otherTexts(_ text: String) { #expect(PasswordHash(text) == nil) }
}
