import AppConfiguration
import ConfigurationLint
import Foundation
import TestSupport
import Testing

@Suite("The documentation of the kit")
struct ArticleTests {
    private static let catalogue = "Sources/App/ExternalPurchaseKit/ExternalPurchaseKit.docc/"
    private static let example = "Examples/BookShop/"

    private func text(_ path: String) throws -> String {
        try String(contentsOf: PackageFolder.file(path), encoding: .utf8)
    }

    @Test("The article shows the files of its app completely, and the linter finds nothing in them")
    func files() throws {
        let article = try text(Self.catalogue + "sell-outside-the-app-store-in-an-afternoon.md")
        for file in ["Info.plist", "BookShop.entitlements"] {
            #expect(article.contains("```xml\n" + (try text(Self.example + file)) + "```\n"), "\(file)")
        }
        // The example lies inside this package, the reader's package beside it.
        let manifest = try text(Self.example + "Package.swift").replacing("../..", with: "../external-purchase")
        #expect(article.contains("```swift\n" + manifest + "```\n"))
        let configuration = try AppConfiguration.read(
            infoPlist: PackageFolder.file(Self.example + "Info.plist").path(),
            entitlements: PackageFolder.file(Self.example + "BookShop.entitlements").path()
        )
        #expect(ConfigurationLinter.findings(in: configuration) == [])
    }

    @Test("Each Swift file of the article is headed by its path and shown completely")
    func paths() throws {
        let article = try text(Self.catalogue + "sell-outside-the-app-store-in-an-afternoon.md")
        let samples = article.matches(of: #/<!-- sample: (\S+) \w+ -->\n```swift\n// (\S+)\n/#)
        #expect(samples.count == 6)
        for sample in samples {
            #expect(String(sample.1) == Self.example + sample.2)
            let source = try text(String(sample.1))
            #expect(source.hasPrefix("// region ") && source.hasSuffix("// endregion\n"))
            #expect(source.components(separatedBy: "// endregion").count == 2, "\(sample.2) has one region")
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
