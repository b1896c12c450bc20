import AppConfiguration
import Foundation
import Testing

struct PropertyListReadingTests {
    @Test("Keys and values carry line and column, whatever ends the lines", arguments: ["\n", "\r\n", "\r"])
    func positions(lineEnd: String) throws {
        let lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://a/b>c.dtd\">",
            "<plist version=\"1.0\"><!-- ü --><dict>",
            "\t<key>ü</key> <string>a", "b</string><key>two</key><true/>",
            "</dict></plist>",
        ]
        let text = "\u{FEFF}" + lines.joined(separator: lineEnd)
        let file = try PropertyListFile.parse(Array(text.utf8), path: "a.plist")
        #expect(file.format == .xml)
        #expect(file.root.position == SourcePosition(line: 3, column: 32))
        #expect(
            file.members == [
                PropertyListMember(
                    key: "ü",
                    keyPosition: SourcePosition(line: 4, column: 2),
                    node: PropertyListNode(.string("a\nb"), at: SourcePosition(line: 4, column: 15))
                ),
                PropertyListMember(
                    key: "two",
                    keyPosition: SourcePosition(line: 5, column: 11),
                    node: PropertyListNode(.bool(true), at: SourcePosition(line: 5, column: 25))
                ),
            ]
        )
    }

    @Test("Repeated keys are preserved in the order of the file, and `member(_:)` returns the last one")
    func repeatedKeys() throws {
        let text = "<plist><dict><key>a</key><integer>1</integer><key>a</key><integer>2</integer></dict></plist>"
        let file = try PropertyListFile.parse(Array(text.utf8), path: "a.plist")
        #expect(file.members.map(\.key) == ["a", "a"])
        #expect(file.member("a")?.node.value == .integer(2))
        #expect(file.member("b") == nil)
    }

    private static let documents: [String] = [
        "<string>a &amp; b &lt;&gt;&quot;&apos; &#65;&#x1F600;<![CDATA[<raw> & ]]>!</string>",
        "<string/>", "<array/>", "<dict/>", "<true/>", "<false></false>",
        "<integer>-9223372036854775808</integer>", "<integer>0x1F</integer>", "<integer>+7</integer>",
        "<real>-1.5e3</real>", "<date>2026-02-28T23:59:59Z</date>", "<date>1969-12-31T00:00:00Z</date>",
        "<date>2000-02-29T12:00:00Z</date>", "<data>AAEC\n\tAw==</data>", "<data>AAECA/8=</data>",
        """
        <dict><key>a</key><array><string>x</string><dict><key></key><real>0</real></dict><true/></array>
        <!-- remark --><key>z &amp; y</key><string>ü\u{1F600}</string></dict>
        """,
    ]

    @Test("Both formats agree with Foundation on the same document", arguments: documents)
    func foundationAgrees(content: String) throws {
        let xml = Data("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\(content)</plist>\n".utf8)
        let object = try PropertyListSerialization.propertyList(from: xml, format: nil)
        let binary = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        let fromXML = try PropertyListFile.parse(Array(xml), path: "a.plist")
        let fromBinary = try PropertyListFile.parse(Array(binary), path: "a.plist")
        #expect(Canonical(fromXML.root.value) == Canonical(foundation: object))
        #expect(Canonical(fromBinary.root.value) == Canonical(foundation: object))
        #expect(fromBinary.format == .binary)
        #expect(fromBinary.root.position == nil)
    }

    @Test("UTF-16 with a byte order mark is read", arguments: [true, false])
    func utf16(isBigEndian: Bool) throws {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><string>ü\u{1F600}</string></plist>"
        let units = [0xFEFF] + text.utf16
        let bytes = units.flatMap { unit in
            isBigEndian ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
        #expect(try PropertyListFile.parse(bytes, path: "a").root.value == .string("ü\u{1F600}"))
    }

    @Test("An integer stays apart from a Boolean in a binary file")
    func integerAndBoolean() throws {
        let object: [String: Any] = ["one": NSNumber(value: 1), "yes": NSNumber(value: true)]
        let data = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        let file = try PropertyListFile.parse(Array(data), path: "a")
        #expect(file.member("one")?.node.value == .integer(1))
        #expect(file.member("yes")?.node.value == .bool(true))
    }
}

/// A value without positions and order of keys, made from the result of either reader.
private indirect enum Canonical: Hashable {
    case text(String)
    case bool(Bool)
    case number(Double)
    case date(Double)
    case data([UInt8])
    case array([Canonical])
    case dictionary([String: Canonical])
    case unknown

    init(_ value: PropertyListValue) {
        switch value {
        case .string(let text): self = .text(text)
        case .integer(let number): self = .number(Double(number))
        case .real(let number): self = .number(number)
        case .bool(let bool): self = .bool(bool)
        case .date(let seconds): self = .date(seconds)
        case .data(let bytes): self = .data(bytes)
        case .array(let elements): self = .array(elements.map { Canonical($0.value) })
        case .dictionary(let members):
            self = .dictionary(
                Dictionary(members.map { ($0.key, Canonical($0.node.value)) }, uniquingKeysWith: { $1 })
            )
        }
    }

    init(foundation object: Any) {
        switch object {
        case let text as String: self = .text(text)
        case let date as Date: self = .date(date.timeIntervalSince1970)
        case let data as Data: self = .data(Array(data))
        case let elements as [Any]: self = .array(elements.map(Canonical.init(foundation:)))
        case let members as [String: Any]: self = .dictionary(members.mapValues(Canonical.init(foundation:)))
        case let bool as Bool where type(of: object) == Bool.self: self = .bool(bool)
        case let number as Double: self = .number(number)
        case let number as Int: self = .number(Double(number))
        case let number as NSNumber: self = .number(number.doubleValue)
        default: self = .unknown
        }
    }
}
