import ExternalPurchaseCore
import Foundation
import Testing

@testable import LintCommands

@Suite("Text reads like a compiler's")
struct LintTextTests {
    @Test("Place, message, line, caret, hint, fix, other place and summary, as written by hand")
    func snapshot() async throws {
        let expected = try String(contentsOf: LintBinary.shop.appending(path: "expected.txt"), encoding: .utf8)
        let result = try await LintBinary.run(["lint", "Info.plist", "Shop.entitlements"], in: LintBinary.shop)
        #expect(result.output == expected)
        #expect(result.error.isEmpty)
    }

    @Test("Notes are one line for each file, and whole with --verbose; errors come first, then warnings")
    func severities() async throws {
        let folder = try ScratchFolder()
        for name in ["a", "b"] {
            try folder.write(Sample.infoPlist(url: "http://shop.acme.com/\(name)"), to: "\(name)/Info.plist")
            try folder.write(Sample.entitlements, to: "\(name)/App.entitlements")
        }
        try folder.write(Sample.infoPlist(url: "https://shop.acme.com/#c"), to: "a/c/Info.plist")
        try folder.write(Sample.entitlements, to: "a/c/C.entitlements")
        func heads(_ result: LintBinary.Result) -> [String] {
            result.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map { line in
                line.split(separator: ":").prefix {
                    !$0.hasPrefix(" SKExternal") && !$0.contains("\"") && !$0.hasPrefix(" Frag")
                }
                .filter { Int($0) == nil }.joined(separator: ":")
            }
        }
        let folded = try await folder.lint(["."])
        #expect(
            heads(folded) == [
                "a/Info.plist: error", "b/Info.plist: error", "a/c/Info.plist: warning",
                "a/Info.plist: 1 note: run with --verbose", "a/c/Info.plist: 1 note: run with --verbose",
                "b/Info.plist: 1 note: run with --verbose",
                "2 errors, 1 warning, 3 notes in 6 files (rule pack 2026-10)",
            ]
        )
        let verbose = try await folder.lint([".", "--verbose"])
        #expect(
            heads(verbose).dropLast() == [
                "a/Info.plist: error", "b/Info.plist: error", "a/c/Info.plist: warning", "a/Info.plist: note",
                "a/c/Info.plist: note", "b/Info.plist: note",
            ]
        )
        #expect(try await folder.lint([".", "--quiet"]).output.contains("note") == false)
    }

    @Test(
        "A hint shows the right form as a fragment of a property list",
        arguments: [
            (
                "<key>SKExternalPurchase</key><dict><key>NL</key><string>x</string></dict>", "",
                "Write `<key>SKExternalPurchase</key><array><string>nl</string></array>`."
            ),
            (
                "<key>SKExternalPurchaseLink</key><array><string>nl</string></array>", "",
                "Write `<key>SKExternalPurchaseLink</key><dict><key>nl</key>"
                    + "<string>https://shop.acme.example/nl</string></dict>`."
            ),
            (
                "<key>SKExternalPurchaseMultiLink</key><string>a</string>", "",
                "Write `<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key><array>"
                    + "<string>https://shop.acme.example/nl</string></array></dict>`."
            ),
            (
                "<key>SKExternalPurchaseLink</key><dict><key>fr</key><array><string>https://a.acme.com</string></array></dict>",
                "",
                "Write `<string>https://shop.acme.example/fr</string>`; several links: use `SKExternalPurchaseMultiLink`."
            ),
            ("<key>SKExternalPurchase</key><array><integer>1</integer></array>", "", "Write `<string>nl</string>`."),
            (
                "", "<key>com.apple.developer.storekit.external-purchase</key><string>YES</string>",
                "Write `<key>com.apple.developer.storekit.external-purchase</key><true/>`."
            ),
            (
                "", "<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key><true/>",
                "Write `<key>com.apple.developer.storekit.custom-purchase-link.allowed-regions</key>"
                    + "<array><string>jp</string></array>`."
            ),
            (
                "<key>SKExternalLinkAccount</key><dict><key>*</key><string>https://acme.com</string></dict>", "",
                "Add it to the `.entitlements` file after Apple granted it: "
                    + "`<key>com.apple.developer.storekit.external-link.account</key><true/>`"
            ),
        ]
    )
    func forms(infoPlist: String, entitlements: String, hint: String) async throws {
        let folder = try ScratchFolder()
        try folder.write(
            Sample.plist("<key>CFBundleIdentifier</key><string>a.b</string>" + infoPlist),
            to: "Info.plist"
        )
        try folder.write(Sample.plist(entitlements), to: "App.entitlements")
        let result = try await folder.lint(Sample.files)
        #expect(result.output.contains("hint: \(hint)\n"), "\(result.output)")
    }

    @Test("One missing key is named by itself")
    func oneKey() async throws {
        let folder = try ScratchFolder()
        try folder.write(Sample.plist("<key>CFBundleIdentifier</key><string>a.b</string>"), to: "Info.plist")
        try folder.write(
            Sample.plist("<key>com.apple.developer.storekit.external-link.account</key><true/>"),
            to: "App.entitlements"
        )
        let output = try await folder.lint(Sample.files).output
        #expect(output.contains("external-link.account is set, but SKExternalLinkAccount is not in Info.plist ["))
        #expect(output.contains("note: SKExternalLinkAccount is not in Info.plist\n"))
    }

    @Test("A clean run says so, and nothing with --quiet")
    func clean() async throws {
        let folder = try Sample.clean()
        let arguments = Sample.files + ["--disable", "link-single-only"]
        #expect(try await folder.lint(arguments).output == "no findings in 2 files (rule pack 2026-10)\n")
        #expect(try await folder.lint(arguments + ["--quiet"]).output.isEmpty)
    }

    @Test("Control characters and turned reading directions never reach the terminal (values, file names, source)")
    func controlCharacters() async throws {
        let folder = try ScratchFolder()
        let name = "a\u{1B}[31m\nInfo.plist"
        try folder.write(Sample.infoPlist(country: "n\u{202E}l\u{9B}x"), to: name)
        let result = try await folder.lint([name])
        #expect(result.exitCode == 1)
        #expect(result.output.contains(#"n\u202El\u009Bx"#))
        #expect(result.output.contains(#"a\u001B[31m\nInfo.plist:"#))
        let scalars = (result.output + result.error).unicodeScalars
        #expect(scalars.allSatisfy { $0 == "\n" || !$0.isSteering })
    }

    struct Case: Sendable {
        let line: String
        let marked: Range<Int>
        let width: Int
        let shown: String
        let underline: String
    }

    @Test(
        "An excerpt lines up its caret, whatever the line holds",
        arguments: [
            Case(line: "abc", marked: 1..<2, width: 20, shown: "abc", underline: " ^"),
            Case(line: "\tab", marked: 1..<3, width: 20, shown: "    ab", underline: "    ^~"),
            Case(line: "ab\tc", marked: 3..<4, width: 20, shown: "ab  c", underline: "    ^"),
            Case(line: "漢字x", marked: 2..<3, width: 20, shown: "漢字x", underline: "    ^"),
            Case(line: "e\u{301}x", marked: 2..<3, width: 20, shown: "e\u{301}x", underline: " ^"),
            Case(line: "a\u{1B}x", marked: 2..<3, width: 20, shown: #"a\u001Bx"#, underline: "       ^"),
            Case(line: "ab", marked: 2..<3, width: 20, shown: "ab", underline: "  ^"),
            Case(line: "0123456789", marked: 0..<10, width: 6, shown: "01234…", underline: "^~~~~~"),
            Case(line: "", marked: 0..<1, width: 6, shown: "", underline: "^"),
        ]
    )
    func excerpt(_ expected: Case) {
        let excerpt = SourceExcerpt(Array(expected.line.unicodeScalars), marked: expected.marked, width: expected.width)
        #expect(excerpt.line == expected.shown)
        #expect(excerpt.underline == expected.underline)
    }

    @Test("Characters without a cell of their own are clipped too", arguments: ["\u{301}", "\u{200D}", "\u{20DD}"])
    func charactersWithoutCells(_ mark: String) {
        let marks = String(repeating: mark, count: 100_000)
        for (line, start) in [("<x>" + marks, 0), (marks + "<x>", 100_000), ("a" + marks + "<x>", 0)] {
            let scalars = Array(line.unicodeScalars)
            let excerpt = SourceExcerpt(scalars, marked: start..<min(start + 100_003, scalars.count), width: 80)
            #expect(excerpt.line.unicodeScalars.count <= 80 * 4 + 80)
            #expect(excerpt.underline.utf8.count <= 80 * 4 + 80)
        }
    }

    @Test("No line of the output repeats a long link, region, key or line of the file")
    func longValues() async throws {
        let folder = try ScratchFolder()
        let long = String(repeating: "y", count: 100_000)
        let marks = String(repeating: "\u{301}", count: 100_000)
        let short = String(repeating: "k", count: 400)
        try folder.write(
            Sample.plist(
                """
                <key>CFBundleIdentifier</key><string>com.acme.app</string>
                <!-- \(marks) --><key>SKExternalPurchase</key><array><string>\(long)</string><string> \(long)</string>\
                <string>$(\(long))</string></array><!-- \(marks) -->
                <key>SKExternalPurchaseLink</key><dict><key>nl</key><string>http://\(long)</string>
                <key>\(short)</key><string>https://shop.acme.com/a b\(long)</string></dict>
                <key>SKExternalPurchase\(short)</key><true/>
                """
            ),
            to: "Info.plist"
        )
        try folder.write("<plist version=\"1.0\"><dict><key>a</key><real>\(long)</real></dict></plist>", to: "B.plist")
        for arguments in [["Info.plist"], ["Info.plist", "B.plist"]] {
            let result = try await folder.lint(arguments)
            #expect(result.exitCode == 1)
            #expect(result.output.contains("country-unknown") && result.output.contains("key-unknown"))
            let longest = (result.output + result.error).split(separator: "\n").map(\.utf8.count).max() ?? 0
            #expect(longest <= 1_500)
        }
    }

    @Test("A long line is clipped around the caret")
    func clipped() throws {
        let line = String(repeating: "a", count: 500) + "<x>" + String(repeating: "b", count: 500)
        let excerpt = SourceExcerpt(Array(line.unicodeScalars), marked: 500..<503, width: 80)
        #expect(excerpt.line.count == 80)
        #expect(excerpt.line.hasPrefix("…aaa") && excerpt.line.hasSuffix("b…"))
        let caret = try #require(excerpt.underline.firstIndex(of: "^"))
        let offset = excerpt.underline.distance(from: excerpt.underline.startIndex, to: caret)
        #expect(Array(excerpt.line)[offset..<(offset + 3)] == ["<", "x", ">"])
    }
}
