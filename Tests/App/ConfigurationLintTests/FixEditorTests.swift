import AppConfiguration
import Testing

@testable import ConfigurationLint

struct PropertyListEditorTests {
    private static let list =
        "<plist><dict><key>a</key><array><string>é</string><string/>\n\t<true/>\n</array></dict></plist>"

    private static func column(_ marker: String) -> SourcePosition {
        let mark = list.utf8.firstRange(of: marker.utf8)?.lowerBound ?? list.startIndex
        let before = list[..<mark]
        return SourcePosition(
            line: before.split(separator: "\n", omittingEmptySubsequences: false).count,
            column: (before.split(separator: "\n", omittingEmptySubsequences: false).last?.unicodeScalars.count ?? 0)
                + 1
        )
    }

    private static func apply(_ groups: [[FindingEdit]]) throws -> PropertyListEditor.Edition {
        let bytes = Array(list.utf8)
        return try PropertyListEditor(bytes, linted: PropertyListFile.parse(bytes, path: "a.plist")).applying(groups)
    }

    private static func edited(_ edits: FindingEdit...) throws -> String {
        String(decoding: try apply([edits]).bytes, as: UTF8.self)
    }

    @Test("Text is escaped, and an element without room gets tags")
    func text() throws {
        #expect(
            try Self.edited(FindingEdit(.text, "<&]]>\r", at: Self.column("<string/>")))
                == Self.list.replacing("<string/>", with: "<string>&lt;&amp;]]&gt;&#xD;</string>")
        )
        #expect(
            try Self.edited(FindingEdit(.text, "ü", at: Self.column("<string>")))
                == Self.list.replacing("é", with: "ü")
        )
    }

    @Test("A file that is all ASCII stays so")
    func ascii() throws {
        let bytes = Array("<?xml version='1.0' encoding='ISO-8859-1'?><plist><string>a</string></plist>".utf8)
        let file = try PropertyListFile.parse(bytes, path: "a.plist")
        let edition = try PropertyListEditor(bytes, linted: file)
            .applying([[FindingEdit(.text, "ü", at: file.root.position)]])
        #expect(String(decoding: edition.bytes, as: UTF8.self).hasSuffix("<string>&#xFC;</string></plist>"))
        #expect(try PropertyListFile.parse(edition.bytes, path: "a.plist").root.value == .string("ü"))
    }

    @Test("The line of a removed element is removed with it")
    func removal() throws {
        #expect(
            try Self.edited(FindingEdit(.element, "", at: Self.column("<true/>")))
                == Self.list.replacing("\t<true/>\n", with: "")
        )
        #expect(
            try Self.edited(FindingEdit(.element, "", at: Self.column("<string/>")))
                == Self.list.replacing("<string/>", with: "")
        )
    }

    @Test("Repeated changes are made once, overlapping ones wait")
    func overlap() throws {
        let string = FindingEdit(.text, "x", at: Self.column("<string>"))
        let other = FindingEdit(.text, "y", at: Self.column("<string>"))
        let outer = FindingEdit(.element, "<array/>", at: Self.column("<array>"))
        let last = FindingEdit(.element, "", at: Self.column("<true/>"))
        let edition = try Self.apply([[string], [string], [last, other], [outer], [last]])
        #expect(edition.applied == [0, 1, 4])
        #expect(edition.deferred == [2, 3])
        #expect(
            String(decoding: edition.bytes, as: UTF8.self)
                == Self.list.replacing("é", with: "x").replacing("\t<true/>\n", with: "")
        )
    }

    @Test(
        "An edit that does not fit is refused",
        arguments: [
            (FindingEdit(.text, "x", at: nil), FixRefusal.Cause.noElement),
            (FindingEdit(.text, "x", at: SourcePosition(line: 1, column: 2)), .noElement),
            (FindingEdit(.text, "x", at: SourcePosition(line: 99, column: 1)), .noElement),
            (FindingEdit(.text, "x", at: column("<array>")), .unfitEdit),
            (FindingEdit(.element, "", at: column("<key>")), .unfitEdit),
            (FindingEdit(.element, "", at: column("<array>")), .unfitEdit),
            (FindingEdit(.element, "<true/>", at: column("<key>")), .unfitEdit),
            (FindingEdit(.element, "<true>", at: column("<true/>")), .brokenResult),
        ]
    )
    func refusedEdit(_ edit: FindingEdit, cause: FixRefusal.Cause) throws {
        let error = #expect(throws: FixRefusal.self) { try Self.apply([[edit]]) }
        #expect(error?.cause == cause)
    }

    @Test("Binary, UTF-16 and changed files are refused with a remedy")
    func refusedFile() throws {
        let bytes = Array(Self.list.utf8)
        let file = try PropertyListFile.parse(bytes, path: "a.plist")
        var utf16: [UInt8] = [0xFF, 0xFE]
        for unit in Self.list.utf16 { utf16 += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        let cases: [([UInt8], FixRefusal.Cause)] = [
            (Array("bplist00".utf8), .binary), (utf16, .notUTF8), (Array(bytes.dropLast()), .changed), ([], .changed),
            (Array(Self.list.replacing("é", with: "e").utf8), .changed),
            (Array(Self.list.replacing("\n\t", with: "\n").utf8), .changed),
        ]
        for (bytes, cause) in cases {
            let error = #expect(throws: FixRefusal.self) { try PropertyListEditor(bytes, linted: file) }
            #expect(error?.cause == cause)
            #expect(
                error.map { $0.description.hasPrefix("a.plist: error: ") && $0.description.hasSuffix($0.hint) } == true
            )
        }
    }

    @Test("A file with NaN is not mistaken for a changed one")
    func notANumber() throws {
        let bytes = Array("<plist><array><real>nan</real><string>a</string></array></plist>".utf8)
        #expect(throws: Never.self) {
            try PropertyListEditor(bytes, linted: PropertyListFile.parse(bytes, path: "a.plist"))
        }
    }
}
