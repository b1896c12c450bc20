import AppConfiguration
import ExternalPurchaseCore
import Testing

@testable import ConfigurationLint

struct FixPropertyTests {
    @Test("Four hundred faulty files are fixed as they were written to be, byte for byte (CF-73)", arguments: 0..<4)
    func expectedBytes(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let options = LintOptions(musicStreaming: .yes)
        for _ in 0..<100 {
            let faulty = FaultyFile(&random, contested: false)
            // With the limit of five, no fix makes a link displace another one (CF-43, CF-52).
            let fixed = try Fix.fixed(faulty.original, options: options)
            let isExpected = Array(fixed.utf8) == Array(faulty.expected.utf8)
            try #require(isExpected, "\(faulty.original)\n----\n\(fixed)\n----\n\(faulty.expected)")
        }
    }

    @Test("A fixed file has no fixable finding, declares no less and stays as it is (CF-73)", arguments: 0..<4)
    func properties(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(1000 + seed))
        var fixedFiles = 0
        for _ in 0..<60 {
            let faulty = FaultyFile(&random, contested: true)
            let outcome = try Fix.run(infoPlist: faulty.original, entitlements: faulty.entitlements)
            try #require(outcome.refusals.isEmpty, "\(outcome.refusals)")
            try #require(outcome.left.allSatisfy { $0.edits.isEmpty }, "\(faulty.original)")

            let before = try AppConfiguration.parse(
                infoPlist: Array(faulty.original.utf8),
                entitlements: Array(faulty.entitlements.utf8)
            )
            var texts = ["Info.plist": faulty.original, "App.entitlements": faulty.entitlements]
            for file in outcome.files { texts[file.path] = String(decoding: file.fixed, as: UTF8.self) }
            let info = try #require(texts["Info.plist"])
            let entitlements = try #require(texts["App.entitlements"])
            let after = try AppConfiguration.parse(
                infoPlist: Array(info.utf8),
                entitlements: Array(entitlements.utf8)
            )
            try #require(after == outcome.configuration)
            let used = Used(before)
            let usedAfter = Used(after)
            try #require(used.entries.isSubset(of: usedAfter.entries), "\(faulty.original)\n----\n\(info)")
            fixedFiles += outcome.files.count

            let again = try Fix.run(infoPlist: info, entitlements: entitlements)
            try #require(again.files.isEmpty && again.fixed.isEmpty, "\(info)")
        }
        #expect(fixedFiles > 60)
    }

    @Test("Every rule that fixes something is met by the files above")
    func coverage() throws {
        var random = SplitMix64(seed: 7)
        var rules: Set<String> = []
        for _ in 0..<120 {
            let faulty = FaultyFile(&random, contested: true)
            rules.formUnion(
                try Fix.run(infoPlist: faulty.original, entitlements: faulty.entitlements).fixed.map(\.rule)
            )
        }
        #expect(
            rules.isSuperset(
                of: [
                    "key-case", "element-wrong-type", "country-whitespace", "country-not-lowercase", "country-alpha-3",
                    "country-duplicate", "link-url-whitespace", "link-url-empty-query", "multi-link-duplicate",
                    "entitlement-wrong-type",
                ]
            )
        )
    }
}

/// The entries that the runtime would use, one text for each entry.
private struct Used {
    var entries: Set<String> = []

    init(_ configuration: AppConfiguration) {
        let usable = UsableConfiguration(configuration, pack: .newest)
        if let id = usable.bundleId { entries.insert("\(id)") }
        for entitlement in usable.entitlements.keys { entries.insert(entitlement.rawValue) }
        for (key, codes) in usable.regions {
            for code in codes.keys { entries.insert("\(key.rawValue)/\(code)") }
        }
        for code in usable.allowedRegions.keys { entries.insert("allowed/\(code)") }
        for (code, link) in usable.singleLinks { entries.insert("single/\(code)/\(link.url)") }
        for (code, links) in usable.multiLinks {
            for link in links { entries.insert("multi/\(code)/\(link.url)") }
        }
    }
}

extension SplitMix64 {
    fileprivate mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    fileprivate mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &self)]
    }
}

/// A text before and after the fix.
private typealias Text = (written: String, fixed: String)

private let codes: [Text] = [
    ("nl", "nl"), ("NL", "nl"), (" nl", "nl"), ("de\t", "de"), ("DEU", "de"), ("fra", "fr"), ("\nFRA ", "fr"),
    ("fr", "fr"), ("Se", "se"), ("se", "se"), ("el", "el"), ("EL", "EL"), ("ch", "ch"), ("CH", "CH"), ("CHE", "ch"),
    ("$(C)", "$(C)"), ("ä<&", "ä<&"), ("JP", "JP"), (" it ", "it"), ("It", "it"), ("esp", "es"), ("bg", "bg"),
]
private let links: [Text] = [
    ("https://a.acme.example/x", "https://a.acme.example/x"), ("https://a.acme.example/x?", "https://a.acme.example/x"),
    (" https://a.acme.example/x\n", "https://a.acme.example/x"),
    ("https://a.acme.example/&?", "https://a.acme.example/&"),
    ("\thttps://b.acme.example? ", "https://b.acme.example"), ("https://b.acme.example", "https://b.acme.example"),
    ("http://b.acme.example?", "http://b.acme.example?"), ("https://b.acme.example/ x", "https://b.acme.example/ x"),
    ("https://b.acme.example/?#f", "https://b.acme.example/#f"),
    ("https://b.acme.example/?q", "https://b.acme.example/?q"),
    ("", ""), (" ", " "), ("https://$(HOST)/?", "https://$(HOST)/?"), ("https://ä.example/?", "https://ä.example/?"),
    (" https://c.acme.example/ä ", "https://c.acme.example/ä"),
]

/// An Info.plist with errors and unusual formatting, and its expected content after the fix.
private struct FaultyFile {
    private(set) var original = ""
    private(set) var expected = ""
    private(set) var entitlements = ""
    private let newline: String
    private let indent: String
    private let contested: Bool

    /// - Parameter contested: true for links whose limits depend on each other; `expected` is then unused.
    init(_ random: inout SplitMix64, contested: Bool) {
        self.contested = contested
        newline = random.pick(["\n", "\r\n", "\r"])
        indent = random.pick(["\t", "  ", ""])
        if random.oneIn(3) { both("\u{FEFF}") }
        if random.oneIn(2) { both("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\(newline)") }
        if random.oneIn(3) { both("<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" 'p.dtd'>\(newline)") }
        both("<plist version='1.0'><dict>")
        gap(&random)
        both(
            "<key>CFBundleIdentifier</key><string>com.acme.app</string><key>x</key><array><string> NL </string></array>"
        )
        let keys = [
            ("SKExternalPurchase", false), ("SKExternalPurchaseCustomLinkRegions", false),
            ("SKExternalPurchaseLink", true),
            ("SKExternalPurchaseMultiLink", true),
        ]
        for (key, isDictionary) in keys.shuffled(using: &random) where !random.oneIn(4) {
            gap(&random)
            let written = random.oneIn(4) ? random.pick([key.lowercased(), key.uppercased()]) : key
            text("key", (written, key), &random)
            gap(&random)
            if isDictionary { dictionary(isMulti: key.hasSuffix("MultiLink"), &random) } else { array(&random) }
        }
        gap(&random)
        both("</dict></plist>")
        if random.oneIn(2) { both(newline) }
        let prefix = "com.apple.developer.storekit."
        let value = random.pick(["<string>YES</string>", "<integer>1</integer>", "<true/>", "<string>no</string>"])
        let list = random.pick([("JP", "jp"), ("jp", "JP"), ("jpn", "nl"), ("BR ", "br"), ("KR", "ch")])
        let name = random.oneIn(3) ? "External-Purchase-Link" : "external-purchase-link"
        entitlements =
            "<plist><dict><key>\(prefix)\(name)</key>\(value)<key>\(prefix)custom-purchase-link.allowed-regions</key>"
            + "<array><string>\(list.0)</string><string>\(list.1)</string></array></dict></plist>"
    }

    private mutating func both(_ text: String) {
        original += text
        expected += text
    }

    private mutating func gap(_ random: inout SplitMix64) {
        both(
            random.pick(["", " ", newline + indent, newline + newline + indent, "<!-- ü🧀 <key>x</key> -->", "<?p i?>"])
        )
    }

    // MARK: Texts

    private mutating func text(_ tag: String, _ text: Text, _ random: inout SplitMix64) {
        let before = random.oneIn(8) ? "<!-- > NL -->" : ""
        let after = random.oneIn(8) ? "<!--é-->" : ""
        let tags = random.pick([("<\(tag)>", "</\(tag)>"), ("<\(tag) a='>'\t>", "</\(tag) >")])
        let written = Self.source(text.written, &random)
        original += tags.0 + before + written + after + tags.1
        let fixed = text.written == text.fixed ? written : Self.escaped(text.fixed)
        expected += tags.0 + before + fixed + after + tags.1
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    private static func source(_ text: String, _ random: inout SplitMix64) -> String {
        if random.oneIn(8), !text.isEmpty { return "<![CDATA[\(text)]]>" }
        guard random.oneIn(4) else { return escaped(text) }
        return text.unicodeScalars.map { scalar in
            random.oneIn(3) ? "&#x\(String(scalar.value, radix: 16));" : escaped(String(scalar))
        }
        .joined()
    }

    // MARK: Lists

    /// Elements whose later copies are removed, each on its own line or not.
    private mutating func elements(_ texts: [Text], isCopy: (Int) -> Bool, _ random: inout SplitMix64) {
        both("<array>")
        let isBlock = random.oneIn(2)
        if isBlock { both(newline) }
        for (index, text) in texts.enumerated() {
            let kept = expected
            if isBlock { both(indent) }
            if isCopy(index) {
                let expectedBefore = expected
                self.text("string", text, &random)
                expected = expectedBefore
                if isBlock {
                    if random.oneIn(3) {
                        both(" <!-- copy -->" + newline)
                    } else {
                        original += random.pick(["", " "]) + newline
                        expected = kept
                    }
                }
            } else {
                self.text("string", text, &random)
                if isBlock { both(random.pick(["", " <!-- kept -->"]) + newline) }
            }
        }
        both("</array>")
    }

    private mutating func array(_ random: inout SplitMix64) {
        let texts = (0..<Int.random(in: 1...6, using: &random)).map { _ in random.pick(codes) }
        let left = Self.survivors(Array(texts.indices)) { texts[$0].fixed }
        elements(texts, isCopy: { !left.contains($0) }, &random)
    }

    /// Of the elements that are equal except for case, the first in lower case, otherwise the first.
    private static func survivors(_ indices: [Int], code: (Int) -> String) -> [Int] {
        indices.filter { index in
            let same = indices.filter { code($0).lowercased() == code(index).lowercased() }
            return index == (same.first { code($0) == code($0).lowercased() } ?? same[0])
        }
    }

    private mutating func dictionary(isMulti: Bool, _ random: inout SplitMix64) {
        // If one link is the limit, the single link may be displaced, so the fix is left to a person.
        let choice =
            contested
            ? codes + [("ru", "ru"), ("RU", "ru"), ("rus", "ru"), ("ru", "ru")] : codes.filter { $0.fixed != "$(C)" }
        let countries = (0..<Int.random(in: 1...5, using: &random)).map { _ in random.pick(choice) }
        let settled = countries.map { $0.fixed.lowercased() }
        // A code that another one equals before or after the fix is not changed.
        let texts: [Text] = countries.indices.map { index in
            let isAlone = settled.count { $0 == settled[index] } == 1
            return (countries[index].written, isAlone ? countries[index].fixed : countries[index].written)
        }
        both("<dict>")
        for (index, country) in texts.enumerated() {
            gap(&random)
            text("key", country, &random)
            gap(&random)
            // Of a repeated code, readers use the last.
            let isCounted = !texts[(index + 1)...].contains { $0.fixed == country.fixed }
            if isMulti { multi(isCounted: isCounted, &random) } else { text("string", random.pick(links), &random) }
        }
        gap(&random)
        both("</dict>")
    }

    private mutating func multi(isCounted: Bool, _ random: inout SplitMix64) {
        if random.oneIn(3) {
            let link = random.pick(links)
            let expectedBefore = expected
            text("string", link, &random)
            // The comments of the string follow the array.
            let string = expected.dropFirst(expectedBefore.count)
            let comments = ["<!-- > NL -->", "<!--é-->"].filter(string.contains).joined()
            let inner = Self.escaped(link.fixed)
            expected = expectedBefore + "<array><string>\(inner)</string></array>" + comments
        } else {
            let texts = (0..<Int.random(in: 0...4, using: &random)).map { _ in random.pick(links) }
            elements(
                texts,
                isCopy: { index in
                    isCounted && texts[..<index].contains { $0.fixed == texts[index].fixed }
                },
                &random
            )
        }
    }
}
