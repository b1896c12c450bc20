import AppConfiguration
import Testing

@testable import ConfigurationLint

/// A part of an Info.plist before and after.
struct FixCase: Sendable, CustomTestStringConvertible {
    let name: String
    let before: String
    let after: String

    init(_ name: String, _ before: String, _ after: String) {
        self.name = name
        self.before = before
        self.after = after
    }

    var testDescription: String { name }

    static let cases = [
        FixCase(
            "key-case",
            "<key >SKExternalpurchase<!-- old --></key\n><array><string>nl</string></array>",
            "<key >SKExternalPurchase<!-- old --></key\n><array><string>nl</string></array>"
        ),
        FixCase(
            "element-wrong-type",
            "<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key> <string>https://a.acme.example/&amp;<!-- c -->"
                + "</string><!-- d --></dict>",
            "<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key> <array><string>https://a.acme.example/&amp;"
                + "</string></array><!-- c --><!-- d --></dict>"
        ),
        FixCase(
            "country-whitespace",
            "<key>SKExternalPurchase</key><array><string a='>'>\n&#32;<![CDATA[nl]]>\t</string></array>",
            "<key>SKExternalPurchase</key><array><string a='>'>nl</string></array>"
        ),
        FixCase(
            "country-not-lowercase",
            "<key>SKExternalPurchase</key><array><!--ü ä--><string><!--1-->&#78;L<!--2--></string></array>",
            "<key>SKExternalPurchase</key><array><!--ü ä--><string><!--1-->nl<!--2--></string></array>"
        ),
        FixCase(
            "country-alpha-3",
            "<key>SKExternalPurchaseLink</key><dict><key> FRA </key><string>https://a.acme.example</string></dict>",
            "<key>SKExternalPurchaseLink</key><dict><key>fr</key><string>https://a.acme.example</string></dict>"
        ),
        FixCase(
            "country-duplicate, alone on its line",
            "<key>SKExternalPurchase</key>\r\n<array>\r\n\t<string>nl</string>\r\n\t<string>nl</string> \r\n</array>",
            "<key>SKExternalPurchase</key>\r\n<array>\r\n\t<string>nl</string>\r\n</array>"
        ),
        FixCase(
            "country-duplicate, beside a comment",
            "<key>SKExternalPurchase</key><array>\n\t<string>nl</string>\n\t<string>NL</string> <!-- two --></array>",
            "<key>SKExternalPurchase</key><array>\n\t<string>nl</string>\n\t <!-- two --></array>"
        ),
        FixCase(
            "link-url-whitespace",
            "<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>\n  https://a.acme.example/\n</string></dict>",
            "<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://a.acme.example/</string></dict>"
        ),
        FixCase(
            "link-url-empty-query",
            "<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://a.acme.example/a&amp;b?</string></dict>",
            "<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://a.acme.example/a&amp;b</string></dict>"
        ),
        FixCase(
            "multi-link-duplicate",
            "<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key><array><string>https://a.acme.example</string>\n"
                + "<string>https://a.acme.example</string>\n</array></dict>",
            "<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key><array><string>https://a.acme.example</string>\n"
                + "</array></dict>"
        ),
        FixCase(
            "four rounds for one entry",
            "<key>skexternalpurchasemultilink</key><dict><key> NLD</key><string> https://a.acme.example/? </string></dict>",
            "<key>SKExternalPurchaseMultiLink</key><dict><key>nl</key><array><string>https://a.acme.example/</string>"
                + "</array></dict>"
        ),
    ]

    /// Configurations that a person must decide on, because the fix would change what the app declares.
    static let undecided = [
        FixCase(
            "a key that stands there already",
            "<key>SKExternalPurchase</key><array><string>nl</string></array>"
                + "<key>SKExternalpurchase</key><array><string>de</string></array>",
            "key-case"
        ),
        FixCase(
            "two misspelt copies",
            "<key>skExternalPurchase</key><array><string>nl</string></array>"
                + "<key>SKExternalpurchase</key><array><string>de</string></array>",
            "key-case"
        ),
        FixCase(
            "a code that stands there already",
            "<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://a.acme.example</string>"
                + "<key>NL</key><string>https://b.acme.example</string></dict>",
            "country-not-lowercase"
        ),
        FixCase(
            "a code that stands there after two rounds",
            "<key>SKExternalPurchaseLink</key><dict><key>nl</key><string>https://a.acme.example</string>"
                + "<key> NLD</key><string>https://b.acme.example</string></dict>",
            "country-whitespace"
        ),
        FixCase(
            "three letters and two",
            "<key>SKExternalPurchaseLink</key><dict><key>NL</key><string>https://a.acme.example</string>"
                + "<key>nld</key><string>https://b.acme.example</string></dict>",
            "country-alpha-3"
        ),
        FixCase(
            "a link that takes the place of a usable one (CF-52)",
            "<key>SKExternalPurchaseLink</key><dict><key>ru</key><string>https://a.acme.example</string></dict>"
                + "<key>SKExternalPurchaseMultiLink</key><dict><key>RU</key><array>"
                + "<string>https://b.acme.example</string></array></dict>",
            "country-not-lowercase"
        ),
        FixCase(
            "a lone link that takes the place of a usable one (CF-52)",
            "<key>SKExternalPurchaseLink</key><dict><key>ru</key><string>https://a.acme.example</string></dict>"
                + "<key>SKExternalPurchaseMultiLink</key><dict><key>ru</key><string>https://b.acme.example</string></dict>",
            "element-wrong-type"
        ),
        FixCase(
            "a key whose links take the place of a usable one (CF-52)",
            "<key>SKExternalPurchaseLink</key><dict><key>ru</key><string>https://a.acme.example</string></dict>"
                + "<key>SKExternalPurchaseMultilink</key><dict><key>ru</key><array>"
                + "<string>https://b.acme.example</string></array></dict>",
            "key-case"
        ),
    ]
}

struct FixRuleTests {
    private static let frames: [(String, String)] = [
        ("<plist version=\"1.0\"><dict>", "</dict></plist>"),
        (
            "\u{FEFF}<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                + "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\r\n<!-- Käse 🧀 -->\r\n<plist><dict>\t ",
            "  <!-- end --> </dict>\r</plist>\n<!-- after -->"
        ),
    ]

    @Test("A fix changes its element and no other byte (CF-73)", arguments: FixCase.cases, [0, 1])
    func fixes(_ example: FixCase, frame: Int) throws {
        let (open, close) = Self.frames[frame]
        let fixed = try Fix.fixed(open + example.before + close)
        #expect(Array(fixed.utf8) == Array((open + example.after + close).utf8))
        #expect(Array(try Fix.fixed(fixed).utf8) == Array(fixed.utf8))
    }

    @Test(
        "An entitlement that is meant to be true becomes true (entitlement-wrong-type)",
        arguments: ["<string>true</string>", "<string>YES</string>", "<integer> 1 </integer>"]
    )
    func entitlement(value: String) throws {
        let key = "com.apple.developer.storekit.external-purchase"
        let outcome = try Fix.run(
            infoPlist: ConfigurationText.plist(""),
            entitlements: ConfigurationText.plist("<key>\(key)</key>\n\t\(value)")
        )
        #expect(outcome.files.map(\.path) == ["App.entitlements"])
        #expect(
            outcome.files.map { String(decoding: $0.fixed, as: UTF8.self) }
                == [ConfigurationText.plist("<key>\(key)</key>\n\t<true/>")]
        )
        #expect(outcome.fixed.map(\.rule) == ["entitlement-wrong-type"])
    }

    @Test("Edits that could change the meaning are not made (CF-73)", arguments: FixCase.undecided)
    func undecided(_ example: FixCase) throws {
        let outcome = try Fix.run(infoPlist: ConfigurationText.plist(example.before))
        #expect(outcome.files.isEmpty)
        let findings = outcome.left.filter { $0.rule == example.after }
        #expect(!findings.isEmpty)
        #expect(findings.allSatisfy { $0.edits.isEmpty })
    }

    @Test("A file that is refused leaves the other to be fixed")
    func refusedFile() throws {
        let info = Array(
            ConfigurationText.plist("<key>SKExternalPurchase</key><array><string>NL</string></array>").utf8
        )
        let list = "com.apple.developer.storekit.custom-purchase-link.allowed-regions"
        let rights = Array(ConfigurationText.plist("<key>\(list)</key><array><string>JP</string></array>").utf8)
        let configuration = try AppConfiguration.parse(infoPlist: info, entitlements: rights)
        let outcome = ConfigurationFixer().fix(
            configuration,
            contents: ["Info.plist": Array(" ".utf8) + info, "App.entitlements": rights]
        )
        #expect(outcome.files.map(\.path) == ["App.entitlements"])
        #expect(outcome.refusals.map(\.cause) == [.changed])
        #expect(outcome.left.contains { $0.rule == "country-not-lowercase" && $0.file == "Info.plist" })
        #expect(!outcome.left.contains { $0.rule == "country-not-lowercase" && $0.file == "App.entitlements" })
    }
}
