import Testing

@testable import ExternalPurchaseCommands

@Suite("The page of GemShop's website")
struct GemShopPageTests {
    @Test("GemShop's page takes of the address only what it knows")
    func gemShop() {
        let page = GemShopWebsite.html(country: "\"><b>", checkout: "ab-1\"><script>")
        #expect(page.contains(#"name="checkout" value="ab-1script""#))
        #expect(page.contains(#"name="country" value="nl""#))
        #expect(page.contains(#"name="order" value="order-ab-1scri""#))
        #expect(!page.contains("{{"))
    }
}
