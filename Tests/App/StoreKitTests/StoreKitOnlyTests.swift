import Foundation
import StoreKit
import Testing

@Suite("An app file that imports StoreKit alone")
struct StoreKitOnlyTests {
    @Test("It has Foundation's types and their members, and uses StoreKit with them")
    func foundation() async throws {
        let page = try #require(OfferPage("https://shop.acme.example/es", since: Date(timeIntervalSince1970: 86_400)))
        #expect(OfferPage("http://shop.acme.example", since: page.since) == nil)
        #expect(page.day() == "1970-01-02")
        #expect(
            try String(decoding: page.stored(), as: UTF8.self)
                == #"{"since":86400,"url":"https://shop.acme.example/es"}"#
        )
        let session = StoreKitSession { $0.storefront = "ESP" }
        #expect(await session.run { await open(page) } == false)
    }

    @Test("StoreKit is its only import, or it would show nothing")
    func imports() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "StoreKitOnlyApp.swift")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.filter { $0.contains("import ") } == ["import StoreKit"])
    }
}
