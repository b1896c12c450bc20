import Foundation
import Testing

@testable import BookShop

@Suite("The app over Apple's StoreKit")
@MainActor
struct LiveTests {
    @Test("accepts a server by https only (EK-42)")
    func server() throws {
        let account = Account(age: .adult)
        let website = try #require(URL(string: "https://books.example.com"))
        let server = try #require(URL(string: "https://reports.example.com"))
        let shop = try BookShop.live(account: account, server: server, website: website) { _ in true }
        #expect(shop.model.availability == nil)
        let insecure = try #require(URL(string: "http://reports.example.com"))
        #expect(throws: (any Error).self) {
            try BookShop.live(account: account, server: insecure, website: website) { _ in true }
        }
    }
}
