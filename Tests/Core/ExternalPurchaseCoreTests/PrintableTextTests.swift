import ExternalPurchaseCore
import Testing

@Suite("Characters that control a terminal are escaped")
struct PrintableTextTests {
    struct Case: Sendable {
        let text: String
        let shown: String
        var isRefused = true
    }

    static let cases = [
        Case(text: "a\u{1B}[31mb", shown: #"a\u001B[31mb"#),
        Case(text: "a\u{0}b", shown: #"a\u0000b"#),
        Case(text: "a\u{7F}b", shown: #"a\u007Fb"#),
        // CSI as a single C1 character, which terminals interpret.
        Case(text: "a\u{9B}2Jb", shown: #"a\u009B2Jb"#),
        Case(text: "a\u{85}b", shown: #"a\u0085b"#),
        Case(text: "a\u{202E}b\u{202C}", shown: #"a\u202Eb\u202C"#),
        Case(text: "a\u{2066}b\u{2069}", shown: #"a\u2066b\u2069"#),
        Case(text: "a\u{200F}b\u{61C}", shown: #"a\u200Fb\u061C"#),
        Case(text: "a\u{2028}b", shown: #"a\u2028b"#),
        Case(text: "a\rb", shown: #"a\rb"#),
        // Invisible, but allowed in an id.
        Case(text: "a\u{AD}b\u{FEFF}", shown: #"a\u00ADb\uFEFF"#, isRefused: false),
        Case(text: "a\u{E0001}b", shown: #"a\uDB40\uDC01b"#, isRefused: false),
        // Characters that scripts and emoji need.
        Case(text: "تجربة 漢字 é ✓", shown: "تجربة 漢字 é ✓", isRefused: false),
        Case(text: "👩\u{200D}💻 क्\u{200D}ष", shown: "👩\u{200D}💻 क्\u{200D}ष", isRefused: false),
    ]

    @Test("Controls, separators and marks of direction", arguments: cases)
    func printable(row: Case) {
        #expect(row.text.printable == row.shown)
        #expect(row.text.printableLines() == row.shown)
        #expect(row.text.unicodeScalars.contains(where: \.isControlOrDirection) == row.isRefused)
    }

    @Test("JSON keeps its meaning", arguments: cases)
    func json(row: Case) throws {
        let value = JSONValue.object([row.text: .array([.string(row.text)])])
        for text in [String(decoding: value.encoded(), as: UTF8.self), value.formatted()] {
            let shown = text.printableLines()
            #expect(try JSONReader().read(shown) == value)
            #expect(shown.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isSteering })
        }
    }

    @Test("Of several lines line ends, tabulators and the program's own colours stay, no other sequence")
    func lines() {
        let text = "\u{1B}[1ma\tb\u{1B}[0m\r\nc\rd\u{1B}[8m\n"
        #expect(
            text.printableLines(keeping: ["\u{1B}[1m", "\u{1B}[0m"]) == "\u{1B}[1ma\tb\u{1B}[0m\r\nc\\rd\\u001B[8m\n"
        )
        #expect(text.printableLines() == "\\u001B[1ma\tb\\u001B[0m\r\nc\\rd\\u001B[8m\n")
        #expect("plain\ttext\n".printableLines() == "plain\ttext\n")
    }
}
