import Foundation
import StoreKitSimulator
import TestSupport
import Testing

private let articles = URL(filePath: #filePath).deletingLastPathComponent()
private let docs = PackageFolder.file("Sources/App/StoreKitSimulator/StoreKitSimulator.docc")

/// The content of an article's fenced blocks in a language.
private func blocks(_ language: String, of article: String) throws -> [String] {
    let text = try String(contentsOf: docs.appending(path: article), encoding: .utf8)
    return text.components(separatedBy: "\n```\(language)\n").dropFirst().map { rest in
        rest.components(separatedBy: "\n```")[0]
    }
}

private func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
}

/// Records an issue unless the article contains the text as a block of plain text.
func expectArticle(_ article: String, shows text: String) throws {
    #expect(try blocks("text", of: article).contains { lines($0) == lines(text) }, "\(article)")
}

@Suite("The articles")
struct ArticleTests {
    @Test(
        "Articles show code that is compiled in the files that they name",
        arguments: [
            ("test-your-purchase-flow-on-linux.md", ["BookShop.swift", "PurchaseFlowArticleTests.swift"]),
            ("why-is-canopen-false.md", ["CanOpenArticleTests.swift"]),
            ("japan-and-brazil.md", ["JapanAndBrazilArticleTests.swift"]),
        ]
    )
    func snippets(article: String, files: [String]) throws {
        let text = try String(contentsOf: docs.appending(path: article), encoding: .utf8)
        let sources = try files.map { file in
            #expect(text.contains("`\(file)`"))
            return lines(try String(contentsOf: articles.appending(path: file), encoding: .utf8))
        }
        let snippets = try blocks("swift", of: article)
        #expect(!snippets.isEmpty)
        for snippet in snippets {
            #expect(sources.contains { $0.contains(lines(snippet)) }, "\(article) shows other code:\n\(snippet)")
        }
    }

    @Test("Show the session file of the fixtures")
    func sessionFile() throws {
        let shown = try blocks("json", of: "test-your-purchase-flow-on-linux.md")
        let fixture = try String(contentsOfFile: fixtures + "netherlands.json", encoding: .utf8)
        #expect(shown.map(lines) == [lines(fixture)])
    }
}
