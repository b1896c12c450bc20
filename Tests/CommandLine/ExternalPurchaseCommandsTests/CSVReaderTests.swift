import CommandSupport
import Foundation
import Testing

@testable import ExternalPurchaseCommands

@Suite("Records of a CSV file (RFC 4180)")
struct CSVReaderTests {
    private static func items(_ bytes: [UInt8]) throws -> [CSVReader.Item] {
        let scratch = try ScratchFolder()
        let file = scratch.url.appending(path: "a.csv")
        try Data(bytes).write(to: file)
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        var reader = try CSVReader(handle, name: "a.csv")
        var items: [CSVReader.Item] = []
        while let item = try reader.next() { items.append(item) }
        return items
    }

    private static func record(_ line: Int, _ fields: String...) -> CSVReader.Item {
        .record(CSVReader.Record(line: line, fields: fields))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let items: [CSVReader.Item]

        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "plain", text: "a,b\n1,2\n", items: [record(1, "a", "b"), record(2, "1", "2")]),
        Case(name: "no line end at the end", text: "a,b\n1,2", items: [record(1, "a", "b"), record(2, "1", "2")]),
        Case(name: "CRLF", text: "a,b\r\n1,2\r\n", items: [record(1, "a", "b"), record(2, "1", "2")]),
        Case(name: "CR", text: "a,b\r1,2\r", items: [record(1, "a", "b"), record(2, "1", "2")]),
        Case(name: "byte order mark", text: "\u{FEFF}a,b\n1,2\n", items: [record(1, "a", "b"), record(2, "1", "2")]),
        Case(
            name: "semicolons, with a comma in a field",
            text: "a;b\n1,5;2\n",
            items: [record(1, "a", "b"), record(2, "1,5", "2")]
        ),
        Case(name: "tabs", text: "a\tb\n1\t2\n", items: [record(1, "a", "b"), record(2, "1", "2")]),
        Case(
            name: "separators inside quotes do not choose the separator",
            text: "\"a;;;\",b\n1,2\n",
            items: [record(1, "a;;;", "b"), record(2, "1", "2")]
        ),
        Case(
            name: "quotes, doubled quotes and lines in a field; the line is that of the record's beginning",
            text: "a,b\n\"one \"\"two\"\"\",\"x\r\ny\nz\"\n3,4\n",
            items: [record(1, "a", "b"), record(2, "one \"two\"", "x\r\ny\nz"), record(5, "3", "4")]
        ),
        Case(
            name: "empty fields and empty lines",
            text: "a,b\n,\n\n\"\",2\n",
            items: [record(1, "a", "b"), record(2, "", ""), record(3, ""), record(4, "", "2")]
        ),
        Case(
            name: "the guard of spreadsheets against formulas",
            text: "a,b\n'=1+1,'-9.99\n'quoted',it's\n",
            items: [record(1, "a", "b"), record(2, "=1+1", "-9.99"), record(3, "'quoted'", "it's")]
        ),
    ]

    @Test("Records have their fields and lines", arguments: cases)
    func records(_ example: Case) throws {
        #expect(try Self.items(Array(example.text.utf8)) == example.items)
    }

    @Test("A field may be longer than what is read at once")
    func longField() throws {
        let long = String(repeating: "ä,\n", count: 60_000)
        let items = try Self.items(Array("a,b\n\"\(long)\",2\n3,4\n".utf8))
        #expect(items == [Self.record(1, "a", "b"), Self.record(2, long, "2"), Self.record(60_003, "3", "4")])
    }

    @Test("A faulty record is named by its line, and the next ones are read")
    func faulty() throws {
        let bytes = Array("a,b\n\"1\"x,2\n5\" disk,2\n".utf8) + [0x31, 0x2C, 0xFF, 0x0A] + Array("3,4\n".utf8)
        let items = try Self.items(bytes)
        let lines = items.compactMap { item -> Int? in
            if case .faulty(let line, _) = item { line } else { nil }
        }
        #expect(lines == [2, 3, 4])
        #expect(items.first == Self.record(1, "a", "b"))
        #expect(items.last == Self.record(5, "3", "4"))
    }

    @Test("A quote that is not closed ends the reading, also in a large file", arguments: [10, 3_000_000])
    func openQuote(_ count: Int) throws {
        let items = try Self.items(Array("a,b\n1,2\n\"3,\(String(repeating: "x\n", count: count))".utf8))
        #expect(items.count == 3)
        guard case .unreadable(line: 3, let message) = items.last else {
            Issue.record("\(String(describing: items.last))")
            return
        }
        #expect(message.contains("not closed"))
    }

    @Test("UTF-16 is named", arguments: [[0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61]] as [[UInt8]])
    func utf16(_ bytes: [UInt8]) {
        #expect(throws: CommandFailure.input("a.csv: is UTF-16; save it as CSV in UTF-8")) { try Self.items(bytes) }
    }
}
