import ExternalPurchaseCore
import Foundation
import Testing

@testable import ExternalPurchaseCommands

@Suite("matrix shows every storefront, system and API")
struct MatrixTests {
    private static let versions = ["15.4", "17.4", "17.5", "18.1", "18.2", "26.2", "26.4", "26.5", "27.2"]

    /// The cells under the newest rules, made once for all tests.
    private static let newest = Task { try await run() }

    private static func run(_ more: [String] = []) async throws -> BuiltBinary.Result {
        try await BuiltBinary.run(["matrix", GemShop.folder, "--format", "json"] + more)
    }

    private func cells(_ more: [String] = []) async throws -> (axes: NSDictionary, cells: [NSDictionary]) {
        let result = try await more.isEmpty ? Self.newest.value : Self.run(more)
        try #require(result.exitCode == 0, "\(result.error)")
        let json = try #require(result.json)
        return (json, try #require(json["cells"] as? [NSDictionary]))
    }

    @Test("JSON has one cell for each combination of the axes")
    func cellCount() async throws {
        let (axes, cells) = try await cells()
        let storefronts = try #require(axes["storefronts"] as? [String])
        // The countries of ISO 3166-1 and Kosovo.
        #expect(storefronts.count == 250)
        #expect(axes["os"] as? [String] == Self.versions.map { "iOS \($0)" })
        #expect(axes["apis"] as? [String] == GemShop.apis)
        #expect(cells.count == 250 * 9 * 5)
        let keys = Set(cells.map { "\($0["storefront"] ?? "") \($0["os"] ?? "") \($0["api"] ?? "")" })
        #expect(keys.count == cells.count)
    }

    @Test("In-App Purchase beside the offer is said of each storefront where the app may offer something (SK-87)")
    func inAppPurchase() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "matrix-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let plist =
            "<plist version=\"1.0\"><dict><key>CFBundleIdentifier</key><string>com.acme.app</string></dict></plist>"
        let list = "<array><string>br</string><string>de</string><string>jp</string></array>"
        let key = "com.apple.developer.storekit.custom-purchase-link.allowed-regions"
        try plist.write(to: folder.appending(path: "Info.plist"), atomically: true, encoding: .utf8)
        try "<plist version=\"1.0\"><dict><key>\(key)</key>\(list)</dict></plist>"
            .write(to: folder.appending(path: "App.entitlements"), atomically: true, encoding: .utf8)
        let text = try await BuiltBinary.run(["matrix", folder.path()])
        #expect(text.output.contains("In-App Purchase in BRA, JPN: always beside the offer, at least as prominent"))
        let json = try #require(try await BuiltBinary.run(["matrix", folder.path(), "--format", "json"]).json)
        let rules = try #require(json["inAppPurchase"] as? [String: String])
        #expect(rules["JPN"] == "required" && rules["BRA"] == "required" && rules["DEU"] == "allowed")
        #expect(rules["USA"] == nil && rules["KOR"] == nil)
        // The same sentences as explain's, of every storefront with a programme (SK-89).
        let minors = try #require(json["minors"] as? [String: String])
        for storefront in ["JPN", "BRA", "DEU", "KOR", "RUS", "USA"] {
            let explained = try await BuiltBinary.run(
                ["explain", folder.path(), "--storefront", storefront, "--os", "iOS 26.5"]
            )
            #expect(explained.output.contains("\nMinors: \(minors[storefront] ?? "?")\n"), "\(storefront)")
        }
        #expect(minors["CHE"] == nil)
        #expect(text.output.contains("Minors in JPN: below 13 and in the Kids category: "))
        #expect(text.output.contains("Minors in DEU: below 13, or the country's age of consent where it is higher,"))
    }

    @Test("Cells are the answers of the truth table (SK-28)")
    func truthTable() async throws {
        let (_, cells) = try await cells()
        for expected in GemShop.expected {
            let here = cells.filter {
                $0["storefront"] as? String == expected.storefront && $0["os"] as? String == expected.os
            }
            #expect(here.map { $0["failed"] as? String ?? "yes" } == expected.answers, "\(expected.testDescription)")
        }
    }

    @Test("Cells agree with explain, also under older rules")
    func agreement() async throws {
        let rules = ["--as-of", "2026-03-01"]
        let (_, cells) = try await cells(rules)
        let samples = [
            ("NLD", "iOS 18.1"), ("RUS", "iOS 17.5"), ("JPN", "iOS 26.2"), ("ISL", "iOS 15.4"), ("BRA", "iOS 26.5"),
            ("XKS", "iOS 27.2"),
        ]
        for (storefront, os) in samples {
            let explained = try await GemShop.explain(storefront, os, rules)
            for api in try #require(explained["apis"] as? [NSDictionary]) {
                let name = api["name"] as? String
                let cell = cells.first {
                    $0["storefront"] as? String == storefront && $0["os"] as? String == os
                        && $0["api"] as? String == name
                }
                for member in ["answer", "failed", "error"] {
                    #expect(
                        (cell?[member] as? NSObject) == (api[member] as? NSObject),
                        "\(storefront) \(os) \(name ?? "") \(member)"
                    )
                }
            }
        }
    }

    @Test("The table fits 80 columns, groups equal storefronts and explains its marks")
    func table() async throws {
        let result = try await BuiltBinary.run(["matrix", GemShop.folder])
        #expect(result.exitCode == 0)
        let lines = result.output.split(separator: "\n")
        let rows = lines.prefix { !$0.hasPrefix("1  ") }
        #expect(rows.allSatisfy { $0.count <= 80 }, "\(result.output)")
        // NLD by the truth table: 1✓111 on 15.4, 3✓111 on 17.4, 3✓✓11 on 17.5, 3✓✓66 from 18.1.
        let netherlands = try #require(rows.first { $0.contains("1✓111 3✓111 3✓✓11 3✓✓66 3✓✓66") })
        #expect(netherlands.hasPrefix("DEU ESP FIN FRA ITA"))
        #expect(rows.contains { $0.hasPrefix("RUS ") })
        // All but the 29 of the EEA and Russia.
        #expect(rows.contains { $0.hasPrefix("220 others") })
        #expect(lines.contains { $0.hasPrefix("6  ") && $0.contains("do not list the storefront") })
    }

    @Test(
        "Bad input ends with 2 and one clear line",
        arguments: [
            (["/no/such"], "no such file"),
            ([GemShop.folder, "--html", "/no/such/folder/page.html"], "cannot be written"),
            ([GemShop.folder, "--html", "x.html", "--format", "json"], "exclude each other"),
            ([GemShop.folder, "--as-of", "2020-01-01"], "before the first rules"),
        ]
    )
    func badInput(_ arguments: [String], _ says: String) async throws {
        let result = try await BuiltBinary.run(["matrix"] + arguments)
        #expect(result.exitCode == 2)
        #expect(result.output.isEmpty)
        #expect(result.error.split(separator: "\n").count == 1)
        #expect(result.error.contains(says), "\(result.error)")
    }
}

@Suite("matrix --html writes one page")
struct MatrixPageTests {
    /// The page of GemShop, made once for all tests.
    private static let gemShop = Task { try await page(GemShop.folder) }

    private static func page(_ folder: String) async throws -> String {
        let scratch = try ScratchFolder()
        let file = scratch.url.appending(path: "page.html").path
        let result = try await BuiltBinary.run(["matrix", folder, "--html", file, "--quiet"])
        try #require(result.exitCode == 0, "\(result.error)")
        #expect(result.output.isEmpty)
        return try String(contentsOfFile: file, encoding: .utf8)
    }

    /// What stands between two texts, from the first occurrence on.
    private func between(_ start: String, _ end: String, in text: String) throws -> String {
        let from = try #require(text.range(of: start)).upperBound
        let to = try #require(text.range(of: end, range: from..<text.endIndex)).lowerBound
        return String(text[from..<to])
    }

    @Test("Every storefront has its row, and every row its cells")
    func storefronts() async throws {
        let html = try await Self.gemShop.value
        let data = try between("id=\"data\">", "</script>", in: html)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any])
        let rows = try #require(json["rows"] as? [String: [Int]])
        let reasons = try #require(json["reasons"] as? [[Int]])
        let codes = Country.all.map(\.alpha3) + ["XKS"]
        let shown = html.components(separatedBy: "<tr data-code=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(shown.map(String.init).sorted() == codes.sorted())
        for code in codes {
            let cells = try #require(rows[code])
            #expect(cells.count == 45)
            #expect(cells.allSatisfy(reasons.indices.contains))
        }
        // NLD: canOpen is the second of each system's five, and yes on all nine (verdict 0).
        let netherlands = try #require(rows["NLD"])
        #expect((0..<9).allSatisfy { reasons[netherlands[$0 * 5 + 1]][0] == 0 })
        #expect(reasons[netherlands[0]][1] == 1)
    }

    @Test("The colour of a cell follows the condition that fails first, and each column says its span")
    func coloursAndSpans() async throws {
        let html = try await Self.gemShop.value
        let data = try between("id=\"data\">", "</script>", in: html)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any])
        let rows = try #require(json["rows"] as? [String: [Int]])
        let reasons = try #require(json["reasons"] as? [[Int]])
        // By the number of the condition, 0 for none: yes 0, the app's files 1, Apple 2, the system 3.
        let colours = [0: 0, 1: 3, 2: 3, 3: 1, 4: 2, 5: 2, 6: 1, 7: 3]
        for reason in reasons { #expect(reason[0] == colours[reason[1]], "C\(reason[1])") }
        // ISL on iOS 18.2: custom links fail at C5, in the colour of what Apple does not offer.
        let iceland = try #require(rows["ISL"])
        #expect(iceland[20..<25].map { reasons[$0][0] } == [1, 0, 0, 2, 2])

        let spans = [
            "15.4–17.3", "17.4", "17.5–18.0", "18.1", "18.2–26.1", "26.2–26.3", "26.4", "26.5–27.1", "27.2 and later",
        ]
        #expect(json["os"] as? [String] == spans.map { "iOS \($0)" })
        for span in spans { #expect(html.contains(">iOS \(span)<"), "\(span)") }
    }

    @Test("The page needs nothing from outside")
    func selfContained() async throws {
        let html = try await Self.gemShop.value
        for part in ["<link", " src=", "@import", "url(", "fetch(", "innerHTML"] {
            #expect(!html.contains(part), "\(part)")
        }
        #expect(html.contains("color-scheme: light dark"))
        #expect(html.contains("prefers-color-scheme: dark"))
    }

    @Test("Names from the files stay text")
    func escaping() async throws {
        let scratch = try ScratchFolder()
        _ = try scratch.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleName</key><string>&lt;script&gt;alert("1")&lt;/script&gt; &amp; 'Co'</string>
            <key>SKExternalPurchaseLink</key>
            <dict><key>nl</key><string>https://shop.example.org/&lt;/script&gt;&lt;b&gt;</string></dict>
            </dict></plist>
            """,
            to: "Info.plist"
        )
        let html = try await Self.page(scratch.url.path)
        #expect(html.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;Co&#39;"))
        #expect(!html.contains("alert(\"1\")"))
        #expect(html.components(separatedBy: "<script").count == 3)
        #expect(html.components(separatedBy: "</script>").count == 3)
    }

    @Test("Elements open and close in pairs")
    func wellFormed() async throws {
        let html = try await Self.gemShop.value
        let script = try between("<script>", "</script>", in: html)
        let data = try between("id=\"data\">", "</script>", in: html)
        let markup = html.replacing(script, with: "").replacing(data, with: "")
        let empty: Set = ["meta", "input"]
        var open: [String] = []
        for match in markup.matches(of: /<(\/?)([a-z][a-z0-9]*)[^>]*>/) {
            let name = String(match.output.2)
            if empty.contains(name) { continue }
            if match.output.1.isEmpty {
                open.append(name)
            } else {
                #expect(open.popLast() == name)
            }
        }
        #expect(open.isEmpty, "\(open)")
    }
}
