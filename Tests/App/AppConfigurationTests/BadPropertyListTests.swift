import AppConfiguration
import Foundation
import Testing

struct BadPropertyListTests {
    private func refusal(_ bytes: [UInt8]) throws -> ConfigurationReadError {
        try #require(throws: ConfigurationReadError.self) { try PropertyListFile.parse(bytes, path: "Info.plist") }
    }

    @Test(
        "The reason repeats no long text of the file",
        arguments: [
            "<x>", "<plist><x/></plist>", "<plist><dict><x/></dict></plist>", "<plist><string>a<x/></string></plist>",
            "<plist><string></x></plist>", "<plist><integer>x</integer></plist>",
            "<plist><integer>-9x</integer></plist>",
            "<plist><real>x</real></plist>", "<plist><date>x</date></plist>", "<plist><string>&x;</string></plist>",
            "<plist><dict><key>x</key></dict></plist>", "<plist><dict><key>x</key><key>b</key></dict></plist>",
            "<plist x><true/></plist>", "<plist x=1><true/></plist>", "<plist x=\"><true/></plist>", "<plist><x",
            "<?xml version=\"1.0\" encoding=\"x\"?><plist><string>ü</string></plist>",
        ]
    )
    func longTexts(_ text: String) {
        for count in [400, 900, 100_000] {
            for filler in ["y", "9"] {
                // The `x` of the declaration's own name stays.
                let long = text.replacing("?xml", with: "?ml")
                    .replacing("x", with: String(repeating: filler, count: count)).replacing("?ml", with: "?xml")
                do throws(ConfigurationReadError) {
                    _ = try PropertyListFile.parse(Array(long.utf8), path: "Info.plist")
                    // Any number of digits is a real number.
                    #expect(text.contains("<real>") && filler == "9")
                } catch {
                    #expect(error.reason.utf8.count <= 300)
                }
            }
        }
    }

    @Test(
        "A text that is not a property list is refused with position and reason",
        arguments: [
            ("", nil, "it is empty"),
            (" \n", nil, "it is empty"),
            ("{\"a\": 1}", (1, 1), "it looks like JSON"),
            ("( a, b )", (1, 1), "it looks like JSON or an old-style"),
            ("hello", (1, 1), "it is neither XML nor binary"),
            ("<html></html>", (1, 1), "the root element is <html>"),
            ("<dict/>", (1, 1), "the root element is <dict>"),
            ("<plist/>", (1, 1), "<plist> contains no value"),
            ("<plist></plist>", (1, 1), "<plist> contains no value"),
            ("<plist><true/><true/></plist>", (1, 15), "<plist> contains a second value"),
            ("<plist><true/></plist>x", (1, 23), "there is text after"),
            ("<plist>\n<dict>", (2, 1), "<dict> is not closed before the end"),
            ("<plist><string>a", (1, 8), "<string> is not closed before the end"),
            ("<plist><string", (1, 8), "the tag <string is not closed"),
            ("<plist><array><string>nl</array></plist>", (1, 25), "</array> is where </string> is expected"),
            ("<plist><array></dict></plist>", (1, 15), "</dict> is where </array> is expected"),
            ("<plist><string>a<b/></string></plist>", (1, 17), "<b> stands inside <string>"),
            ("<plist><dict><true/></dict></plist>", (1, 14), "<true> is where a <key> is expected"),
            ("<plist><dict><key>a</key></dict></plist>", (1, 14), "the key \"a\" has no value"),
            ("<plist><dict><key>a</key><key>b</key></dict></plist>", (1, 26), "the key \"a\" has no value"),
            ("<plist><array>a</array></plist>", (1, 15), "there is text directly inside <array>"),
            ("<plist><array><key>a</key></array></plist>", (1, 15), "<key> is where a value is expected"),
            ("<plist><set/></plist>", (1, 8), "<set> is not an element"),
            ("<plist><integer>1.5</integer></plist>", (1, 8), "<integer> holds \"1.5\""),
            ("<plist><integer>--1</integer></plist>", (1, 8), "<integer> holds \"--1\""),
            ("<plist><integer/></plist>", (1, 8), "<integer> holds \"\""),
            ("<plist><integer>-9223372036854775809</integer></plist>", (1, 8), "<integer> holds"),
            ("<plist><real>1,5</real></plist>", (1, 8), "<real> holds \"1,5\""),
            ("<plist><true>no</true></plist>", (1, 8), "<true> must be empty"),
            ("<plist><date>2026-02-29T00:00:00Z</date></plist>", (1, 8), "<date> holds"),
            ("<plist><date>yesterday</date></plist>", (1, 8), "<date> holds"),
            ("<plist><data>A</data></plist>", (1, 8), "<data> does not contain Base64"),
            ("<plist><data>AAEC!</data></plist>", (1, 8), "<data> does not contain Base64"),
            ("<plist><string>a & b</string></plist>", (1, 18), "`&` is not escaped"),
            ("<plist><string>a&b=c;</string></plist>", (1, 17), "`&` is not escaped"),
            ("<plist><string>&nbsp;</string></plist>", (1, 16), "the entity &nbsp;"),
            ("<plist><string>&#0;</string></plist>", (1, 16), "&#0; is not a character"),
            ("<plist><string>&#xD800;</string></plist>", (1, 16), "&#xD800; is not a character"),
            ("<plist><string>a\u{1}</string></plist>", (1, 17), "XML does not allow the control character 1"),
            ("<plist><string><![CDATA[a</string></plist>", (1, 16), "CDATA is not closed"),
            ("<plist><!-- <true/></plist>", (1, 8), "a comment is not closed"),
            ("<plist a=1><true/></plist>", (1, 1), "the attribute a of <plist> is not quoted"),
            ("<plist a><true/></plist>", (1, 1), "the attribute a of <plist> has no value"),
            ("<!DOCTYPE plist", (1, 1), "the document type is not closed"),
            (
                "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><string>ü</string></plist>", (1, 1),
                "its encoding"
            ),
            ("bplist", nil, "its binary version is not supported"),
            ("bplist00", nil, "it is cut off before its trailer"),
            ("bplist99\(String(repeating: "x", count: 64))", nil, "its binary version is not supported"),
        ] as [(String, (Int, Int)?, String)]
    )
    func refused(text: String, place: (Int, Int)?, reason: String) throws {
        let error = try refusal(Array(text.utf8))
        #expect(error.cause == .notPropertyList)
        #expect(error.position == place.map { SourcePosition(line: $0.0, column: $0.1) })
        #expect(error.reason.hasPrefix(reason), "\(error.reason)")
    }

    @Test("Entities that a document declares are never expanded")
    func billionLaughs() throws {
        let entities = (1...9).map { "<!ENTITY a\($0) \"\(String(repeating: "&a\($0 - 1);", count: 10))\">" }
        let text =
            "<?xml version=\"1.0\"?>\n<!DOCTYPE plist [<!ENTITY a0 \"ha\">\(entities.joined())]>\n"
            + "<plist><string>&a9;</string></plist>"
        let error = try refusal(Array(text.utf8))
        #expect(error.position == SourcePosition(line: 2, column: 1))
        #expect(error.reason == "its document type declares entities or elements of its own")
    }

    @Test("Bytes that are not UTF-8 are refused at their place")
    func notUTF8() throws {
        let error = try refusal(Array("<plist>\n<string>ü".utf8) + [0xFF] + Array("</string></plist>".utf8))
        #expect(error.position == SourcePosition(line: 2, column: 10))
        #expect(error.reason == "it is not valid UTF-8")
    }

    @Test("Nesting is read to 128 levels and refused beyond")
    func nesting() throws {
        func nested(_ depth: Int) -> [UInt8] {
            let open = String(repeating: "<array>", count: depth)
            return Array("<plist>\(open)\(String(repeating: "</array>", count: depth))</plist>".utf8)
        }
        #expect(throws: Never.self) { try PropertyListFile.parse(nested(128), path: "a") }
        #expect(try refusal(nested(129)).cause == .tooLarge)
        #expect(try refusal(nested(100_000)).cause == .tooLarge)
    }

    @Test("More than 16 MiB or half a million values are refused")
    func huge() throws {
        #expect(try refusal([UInt8](repeating: 0x20, count: 16 * 1_048_576 + 1)).cause == .tooLarge)
        let values = String(repeating: "<true/>", count: 500_001)
        #expect(try refusal(Array("<plist><array>\(values)</array></plist>".utf8)).cause == .tooLarge)
    }

    @Test("A binary file that nests into itself or shares values without end is refused")
    func binaryBomb() throws {
        // Each array holds the next one twice; the last one holds itself.
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for level in UInt8(0)..<60 {
            offsets.append(UInt8(bytes.count))
            bytes += [0xA2, min(level + 1, 59), min(level + 1, 59)]
        }
        let table = UInt8(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        bytes += [0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, table]
        #expect(try refusal(bytes).cause == .tooLarge)
    }

    @Test("A damaged binary file is read or refused without a crash")
    func damagedBinary() throws {
        let object: [String: Any] = [
            "SKExternalPurchaseMultiLink": ["nl": ["https://a.example", "ü"]], "n": [1, 70_000, 1.5, true],
            "d": Data([1, 2, 3]), "t": Date(timeIntervalSince1970: 0), "long": String(repeating: "x", count: 300),
        ]
        let whole = Array(try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0))
        for count in 0..<whole.count {
            #expect(throws: ConfigurationReadError.self) {
                try PropertyListFile.parse(Array(whole[..<count]), path: "a")
            }
        }
        var refusals = 0
        for index in whole.indices {
            for value: UInt8 in [0x00, 0x0F, 0x7F, 0x80, 0xAF, 0xDF, 0xFF] {
                var damaged = whole
                damaged[index] = value
                do {
                    _ = try PropertyListFile.parse(damaged, path: "a")
                } catch {
                    refusals += 1
                }
            }
        }
        #expect(refusals > 100)
    }

    @Test("A damaged XML file is read or refused without a crash")
    func damagedXML() {
        let whole = Array(
            "<?xml version=\"1.0\"?><plist a='b'><dict><key>&amp;</key><string><![CDATA[x]]></string></dict></plist>"
                .utf8
        )
        for count in 0..<whole.count {
            #expect(throws: ConfigurationReadError.self) {
                try PropertyListFile.parse(Array(whole[..<count]), path: "a")
            }
        }
        for index in whole.indices {
            for value in "<>/&;'\"\u{0}!-?".utf8 {
                var damaged = whole
                damaged[index] = value
                _ = try? PropertyListFile.parse(damaged, path: "a")
            }
        }
    }
}
