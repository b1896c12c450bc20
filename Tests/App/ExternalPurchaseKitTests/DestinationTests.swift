import ConfigurationLint
import ExternalPurchaseCore
import Foundation
import Testing

@testable import ExternalPurchaseKit

@Suite("The address of the website")
@MainActor
struct DestinationTests {
    @Test(
        "A website learns the id of the token of one purchase, and of no other (EK-60)",
        arguments: [
            ("JPN", true, true), ("BRA", true, true), ("DEU", true, false), ("JPN", false, false),
        ]
    )
    func flow(_ storefront: String, _ namesToken: Bool, _ hasId: Bool) async throws {
        let fixture = try KitFixture([.A], in: storefront)
        fixture.namesToken = namesToken
        fixture.relaunch()
        let result = await fixture.tap {
            await fixture.model.purchaseWithCustomLink(.outOfApp(destinationURL: KitFixture.shop))
        }
        guard case .continued(let tokens) = result else { throw StoreFailure(.other, message: "\(result)") }
        let opened = try #require(fixture.opened.all.first?.absoluteString)
        let id = try #require(tokens.tokens.first?.externalPurchaseId?.rawValue)
        #expect(opened == KitFixture.shop.absoluteString + (hasId ? "?externalPurchaseId=\(id)" : ""))
        // The notice of the system and the app's disclosure name the page without the id.
        #expect(fixture.disclosures.all.allSatisfy { $0 == .outOfApp(destinationURL: KitFixture.shop) })
    }

    @Test(
        "The id takes its place in any address, and the rest stays as it was written (EK-60)",
        arguments: [
            ("https://shop.example/buy", "https://shop.example/buy?externalPurchaseId=ID"),
            ("https://shop.example", "https://shop.example?externalPurchaseId=ID"),
            ("https://shop.example/?a=1%2B1+2&b", "https://shop.example/?a=1%2B1+2&b&externalPurchaseId=ID"),
            ("https://shop.example/?b=%C3%A4#part", "https://shop.example/?b=%C3%A4&externalPurchaseId=ID#part"),
            ("https://shop.example/?externalPurchaseId=old&c=1", "https://shop.example/?c=1&externalPurchaseId=ID"),
        ]
    )
    func addresses(_ written: String, _ expected: String) async throws {
        let fixture = try KitFixture([.A], in: "JPN")
        let result = await fixture.tap { await fixture.model.purchaseWithCustomLink(.withinApp) }
        guard case .continued(let tokens) = result else { throw StoreFailure(.other, message: "\(result)") }
        let token = try #require(tokens.tokens.first)
        let id = try #require(token.externalPurchaseId?.rawValue)
        let url = try #require(URL(string: written))
        let address = tokens.appendingId(to: url).absoluteString
        #expect(address == expected.replacing("ID", with: id))
        #expect(!address.contains(token.text))
        #expect(PurchaseTokens().appendingId(to: url) == url)
    }
}
