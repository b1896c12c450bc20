import AppConfiguration
import ConfigurationLint
import ExternalPurchaseKit
import Foundation
import TestSupport
import Testing

@Suite("The documentation of the kit")
struct ArticleTests {
    private static let catalogue = "Sources/App/ExternalPurchaseKit/ExternalPurchaseKit.docc/"
    private static let articles = "Tests/App/ExternalPurchaseKitTests/Articles/"

    private func text(_ path: String) throws -> String {
        try String(contentsOf: PackageFolder.file(path), encoding: .utf8)
    }

    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    @Test("The article shows the files of its app, in which the linter finds nothing")
    func files() throws {
        let article = try text(Self.catalogue + "sell-outside-the-app-store-in-an-afternoon.md")
        let shown = article.components(separatedBy: "\n```xml\n").dropFirst().map {
            lines($0.components(separatedBy: "\n```")[0])
        }
        #expect(shown.count == 2)
        for (file, snippet) in zip(["Info.plist", "BookShop.entitlements"], shown) {
            #expect(lines(try text(Self.articles + file)).contains(snippet), "\(file)")
        }
        let configuration = try AppConfiguration.read(
            infoPlist: PackageFolder.file(Self.articles + "Info.plist").path(),
            entitlements: PackageFolder.file(Self.articles + "BookShop.entitlements").path()
        )
        #expect(ConfigurationLinter.findings(in: configuration) == [])
    }

    @Test("The app of the article accepts a server by https only (EK-42)")
    @MainActor
    func live() throws {
        let account = Account(isAdult: true)
        let website = try #require(URL(string: "https://books.example.com"))
        let server = try #require(URL(string: "https://reports.example.com"))
        let shop = try BookShop.live(account: account, server: server, website: website) { _ in true }
        #expect(shop.model.availability == nil)
        let insecure = try #require(URL(string: "http://reports.example.com"))
        #expect(throws: (any Error).self) {
            try BookShop.live(account: account, server: insecure, website: website) { _ in true }
        }
    }

    @Test("The landing page lists every public type, with its topics")
    func topics() throws {
        let page = try text(Self.catalogue + "ExternalPurchaseKit.md")
        let listed = Set(page.matches(of: #/(?m)^- ``(\w+)``$/#).map { String($0.1) })
        var declared: Set<String> = []
        let folder = PackageFolder.file("Sources/App/ExternalPurchaseKit")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let source = try String(contentsOf: file, encoding: .utf8)
            let form = #/(?m)^public (?:final class|class|struct|enum|protocol|actor|typealias) (\w+)/#
            declared.formUnion(source.matches(of: form).map { String($0.1) })
        }
        #expect(declared.count > 25)
        #expect(listed == declared)
    }
}
