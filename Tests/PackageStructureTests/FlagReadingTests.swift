import Foundation
import Testing

@Suite("A flag and a note are for a person: nothing branches on them")
struct FlagReadingTests {
    /// Files that select or print by flags for a person: filters of lists, counts, and the lines of a plan.
    static let forPeople: Set<String> = [
        "SaleFilter.swift", "SaleFilterQuery.swift", "ListTable.swift", "Query.swift", "PlanLine.swift",
    ]

    @Test("No source of the merchant's side decides by a flag or a note, except filters, counts and printed lines")
    func sources() throws {
        let folder = PackageManifest.root.appending(path: "Sources/Merchant")
        let files = PackageManifest.swiftFiles(in: folder)
        #expect(files.count > 200)
        let scan = DecisionScan()
        var seen: Set<String> = []
        for file in files where file.deletingLastPathComponent().lastPathComponent != "Schema" {
            let name = file.lastPathComponent
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where scan.finds(line) {
                seen.insert(name)
                if !Self.forPeople.contains(name) { Issue.record("\(name): \(line)") }
            }
        }
        // A file that needs no exception loses it.
        #expect(Self.forPeople.subtracting(seen) == [])
    }

    @Test(
        "The scan finds a decision in each form",
        arguments: [
            "if sale.attribution.flags.contains(.reportRefused) {", "guard !token.flags.isEmpty else { return }",
            "token.notes.isDisjoint(with: [.suspicious])", "let held = flags.intersection(waiting)",
            "if flags == [.noToken] {", "where [.noToken] != sale.flags", "flags().first",
            "token?.flags?.filter(known)",
            "attribution.flags.subtracting([.noToken])", "if notes.remove(.suspicious) != nil {",
            "if flag == SaleFlag.noToken {", "switch flag {", "FROM tokens, json_each(tokens.notes)",
            "WHERE sales.flags <> '[]'", "flags LIKE '%report%'",
        ]
    )
    func found(_ line: Substring) {
        #expect(DecisionScan().finds(line))
    }

    @Test(
        "The scan passes what stores or shows them",
        arguments: [
            ".init(\"flags\", in: .audit) { .texts($0.flags.map(\\.rawValue)) },", "notes.insert(.bundleMismatch)",
            "merged.notes.formUnion(other.notes.subtracting([.suspicious]))", "if review == .closed {",
            "flags: sale.attribution.flags,", "token.notes.remove(.customerContradiction)",
        ]
    )
    func passed(_ line: Substring) {
        #expect(!DecisionScan().finds(line))
    }
}

/// Finds decisions by flags or notes in a line of Swift or SQL: a predicate, a comparison, a selection.
private struct DecisionScan {
    private let forms = [
        #/\b(?:flags|notes)(?:\(\))?[?!]?\.(?:contains|is\w+|intersection|first|last|filter|count|allSatisfy)\b/#,
        #/\bflags(?:\(\))?[?!]?\.(?:subtract\w*|remove|formIntersection)\b/#,
        #/\b(?:flags|notes)(?:\(\))?[?!]? *[!=]=|[!=]= *(?:\w+\.)*(?:flags|notes)\b/#,
        #/\bnotes\.remove\([^)]*\) *[!=]=/#,
        #/[!=]= *(?:Sale|Token)(?:Flag|Note)\b/#,
        #/\bswitch +(?:\w+\.)*(?:flag|flags|note|notes)\b/#,
        #/\bjson_each\((?:\w+\.)?(?:flags|notes)\)|\b(?:flags|notes) *(?:<>|=|LIKE|IN) *['(]/#,
    ]

    func finds(_ line: Substring) -> Bool {
        let isAboutThem = ["flag", "Flag", "note", "Note"].contains { line.contains($0) }
        // The dot of a member is a boundary of words only for the simple kind.
        return isAboutThem && forms.contains { line.firstMatch(of: $0.wordBoundaryKind(.simple)) != nil }
    }
}
