import Foundation
import Testing

@Suite("Each rule of docs/spec has one anchor, its citations lead there, and a test cites it")
struct SpecificationTests {
    /// Read once for all tests.
    private static let repository = Result { try SpecificationReader(root: PackageManifest.root) }

    @Test("No id has two anchors")
    func anchors() throws {
        let repository = try Self.repository.get()
        #expect(repository.rules.count > 600)
        #expect(repository.repeatedAnchors == [])
    }

    @Test("Each id that a source, a test, a table, a text or a document cites has an anchor")
    func citations() throws {
        let repository = try Self.repository.get()
        #expect(repository.danglingCitations == [])
    }

    @Test("Each rule without the mark [descriptive] is cited by a test")
    func tested() throws {
        let untested = try Self.repository.get().untestedRules.map { "\($0.place): \($0.id)" }
        #expect(untested == [])
    }

    private static let chapter = """
        # Chapter

        <a id="TK-1"></a>**TK-1** [house] The rule has
        two lines.

        <a id="TK-2"></a>**TK-2** [doc] The mark of the rule
        is in its second line. [descriptive]

        Two rules: <a id="TK-3"></a>TK-3, [descriptive], and
        <a id="TK-4"></a>TK-4.

        | rule | content |
        |---|---|
        | <a id="E1"></a>E1 | a row |
        | <a id="E1r"></a>E1r | [descriptive] a row of its own |
        | <a id="url-has-query"></a>`url-has-query` | a name |
        """

    private func read(_ chapters: [String], _ files: [(path: String, text: String)] = []) -> SpecificationReader {
        var reader = SpecificationReader()
        for (index, chapter) in chapters.enumerated() { reader.readChapter(chapter, path: "\(index).md") }
        for file in files { reader.readCitations(file.text, path: file.path) }
        return reader
    }

    @Test("The rules of a chapter have places, and marks of their own")
    func rules() {
        let rules = read([Self.chapter]).rules
        #expect(
            rules.mapValues(\.place) == [
                "TK-1": "0.md:3", "TK-2": "0.md:6", "TK-3": "0.md:9", "TK-4": "0.md:10", "E1": "0.md:14",
                "E1r": "0.md:15",
                "url-has-query": "0.md:16",
            ]
        )
        #expect(rules.values.filter(\.isDescriptive).map(\.id).sorted() == ["E1r", "TK-2", "TK-3"])
    }

    @Test("A second anchor of an id is found, in the same chapter and in another")
    func repeatedAnchor() {
        #expect(read([Self.chapter]).repeatedAnchors.isEmpty)
        let other = "First line\n<a id=\"TK-1\"></a> and <a id=\"TK-9\"></a> and <a id=\"TK-9\"></a>\n"
        #expect(read([Self.chapter, other]).repeatedAnchors == ["1.md:2: TK-1", "1.md:2: TK-9"])
    }

    @Test("A citation without an anchor is found, wherever it stands")
    func danglingCitation() {
        let reader = read(
            [Self.chapter],
            [
                ("Sources/Core/Deep/Token.swift", "// TK-1\n/// Follows TK-5 (E1, E41).\n"),
                ("docs/page.md", "the rules TK-1 to TK-4"),
                ("Tests/Some/Test.swift", "@Test(\"It holds (TK-6)\")\nlet code = \"E42\""),
            ]
        )
        #expect(
            reader.danglingCitations == [
                "Sources/Core/Deep/Token.swift:2: TK-5", "Sources/Core/Deep/Token.swift:2: E41",
                "Tests/Some/Test.swift:1: TK-6",
            ]
        )
    }

    @Test("A rule is tested when a file below Tests cites it, and only then")
    func untestedRule() {
        let source = ("Sources/Rule.swift", "TK-1, TK-4, E1, url-has-query")
        #expect(read([Self.chapter], [source]).untestedRules.map(\.id) == ["TK-1", "TK-4", "E1", "url-has-query"])
        let test = ("Tests/App/Deep/RuleTests.swift", "@Test(\"TK-1 … 4\")\nlet rule = \"url-has-query\" // E1r")
        #expect(read([Self.chapter], [source, test]).untestedRules.map(\.id) == ["E1"])
    }

    /// Texts, and what they cite.
    static let samples: [(text: String, ids: [String])] = [
        ("TK-74, (SA-5) and RR-104.", ["TK-74", "SA-5", "RR-104"]),
        ("XX-1 TK-1234 TK74 aTK-74 A-TK-74 TK-74a TK-", []),
        ("E1 E40, E4r; C12 T40 D10 S14 R6", ["E1", "E40", "E4r", "C12", "T40", "D10", "S14", "R6"]),
        ("E0 E100 D11 S15 R7 B2 E4x E4rs", []),
        ("%C3 U+E9 \\u{E9} #E12 x.E12 12-E1 &E1 T12:00 E1-2 E1.a", []),
        ("It is E1. Then \"E2\" - E3-like", ["E1", "E2", "E3"]),
        ("TK-81 to TK-83.", ["TK-81", "TK-82", "TK-83", "TK-83"]),
        ("NT-20 … 22", ["NT-20", "NT-21", "NT-22"]),
        ("EX-5-to-EX-6", ["EX-5", "EX-6"]),
        ("C1–C3", ["C1", "C2", "C3", "C3"]),
        ("E1 through E3, E38 until 40", ["E1", "E2", "E3", "E3", "E38", "E39", "E40"]),
        ("RR-1...2", ["RR-1", "RR-2"]),
        (
            "TK-3 to TK-2, TK-3 to SA-4, TK-1 to 62, TK-1 to 5 %, TK-1 to 5%",
            ["TK-3", "TK-2", "TK-3", "SA-4", "TK-1"]
                + ["TK-1", "TK-2", "TK-3", "TK-4", "TK-5", "TK-1"]
        ),
        ("`link-url` a-B a_b-c -x-y x-y-2", ["link-url", "x-y-2"]),
        ("", []),
        ("TK-7", ["TK-7"]),
    ]

    @Test("Ids, ranges and names are told from what looks like them", arguments: samples)
    func scan(_ sample: (text: String, ids: [String])) {
        var text = sample.text
        var ids: [String] = []
        text.withUTF8 { bytes in CitationScanner(bytes: bytes, readsNames: true).scan { ids.append($0.id) } }
        #expect(ids == sample.ids)
    }
}
