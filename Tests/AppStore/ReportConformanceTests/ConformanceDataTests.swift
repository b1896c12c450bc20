import ExternalPurchaseCore
import Foundation
import OpenAPIValidation
import TestSupport
import Testing

@testable import ReportConformance

@Suite("The published cases")
struct ConformanceDataTests {
    static let suite = ConformanceSuite.published

    private static func json(_ path: String) throws -> JSONValue {
        try JSONReader().read(Array(Data(contentsOf: PackageFolder.file("Conformance/" + path))))
    }

    /// The rows of the table of errors.
    private static func rows() throws -> [JSONObject] {
        let table = try JSONReader().read(Array(Data(contentsOf: PackageFolder.file("Data/errors.json"))))
        return (table.objectValue?["errors"]?.arrayValue ?? []).compactMap(\.objectValue)
    }

    @Test("The program carries the files as they are, and they follow their schema (CS-1)")
    func files() throws {
        var validator = OpenAPISchema(document: try Self.json("schema.json"))
        validator.refusesUnnamed = false
        let folder = PackageFolder.file("Conformance/cases")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(ConformanceSuite.texts.keys.sorted() == names.map { "cases/" + $0 } + ["suite.json"])
        for (path, text) in ConformanceSuite.texts {
            let file = try String(contentsOf: PackageFolder.file("Conformance/" + path), encoding: .utf8)
            // The literal leaves out the last line break.
            #expect(text == file || text + "\n" == file, "\(path)")
            let definition = path == "suite.json" ? "suite" : "group"
            let schema = JSONValue.object(["$ref": .string("#/$defs/\(definition)")])
            #expect(try validator.violations(Self.json(path), schema) == [], "\(path)")
        }
        let listed = try Self.json("suite.json").objectValue?["files"]?.arrayValue?.compactMap(\.stringValue)
        #expect(listed == names)
        #expect(Self.suite.version == "1.0.0")
        let written = try names.flatMap { name in
            try Self.json("cases/" + name).objectValue?["cases"]?.arrayValue ?? []
        }
        #expect(!written.isEmpty)
        #expect(Self.suite.cases.map(\.id) == written.map { $0.objectValue?["id"]?.stringValue })
        // A validator alone is given every report that is sent with a valid authorisation.
        let reports = written.filter { item in
            let request = item.objectValue?["request"]?.objectValue
            return request?["method"] == .string("PUT") && request?["path"] == .string(ConformanceCase.reportPath)
                && request?["authorization"] == nil
        }
        let recorded = try Self.suite.recordedCases(now: Timestamp(milliseconds: 1_795_176_000_000))
        #expect(recorded.map(\.id) == reports.map { $0.objectValue?["id"]?.stringValue })
    }

    @Test("Each code is expected by a case, but for those that the list names with a reason (CS-2)")
    func codes() throws {
        var reached: Set<Int> = []
        for recorded in try Self.suite.recordedCases(now: Timestamp(milliseconds: 1_795_176_000_000)) {
            reached.formUnion(recorded.expected.errors.map(\.errorCode.rawValue))
        }
        let unreached = Self.suite.unreached.map(\.code.rawValue)
        #expect(unreached == [26])
        #expect(Self.suite.unreached.allSatisfy { !$0.reason.isEmpty })
        let known = try Self.rows().compactMap { $0["code"]?.int64Value }
        #expect(reached == Set(known.map(Int.init)).subtracting(unreached))
    }

    @Test("Codes, texts and fields are those of the table of errors (CS-2, SA-21)")
    func texts() throws {
        let rows = try Self.rows()
        let byCode = Dictionary(rows.map { ($0["code"]?.int64Value ?? 0, $0) }) { $1 }
        #expect(!rows.isEmpty && byCode.count == rows.count)
        for recorded in try Self.suite.recordedCases(now: Timestamp(milliseconds: 1_795_176_000_000)) {
            for error in recorded.expected.errors {
                let row = try #require(byCode[Int64(error.errorCode.rawValue)])
                #expect(error.errorMessage == row["message"]?.stringValue, "\(recorded.id)")
                let fields = (row["fieldNames"]?.arrayValue ?? []).compactMap(\.stringValue)
                #expect(fields.contains(error.fieldName ?? ""), "\(recorded.id): \(error.fieldName ?? "")")
            }
        }
    }

    static let kinds = ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"]

    static func token(_ kind: String, number: Int = 1, now: Timestamp = now) -> ConformanceToken {
        ConformanceToken(
            externalPurchaseId: ExternalPurchaseId(rawValue: "SANDBOX_00000000-0000-4000-8000-00000000000\(number)"),
            kind: kind,
            creationDate: now - .hours(2),
            expirationDate: ["SERVICES", "ACQUISITION"].contains(kind) ? now - .hours(1) : nil
        )
    }

    static let now = Timestamp(milliseconds: 1_795_176_000_000)

    @Test("Every case can be filled with every kind of token that it permits (CS-3)", arguments: suite.cases)
    func filled(_ item: ConformanceCase) throws {
        let times = Dictionary(item.after.map { ($0, Self.now) }) { $1 }
        for kind in item.tokens.isEmpty ? [nil] : item.tokens.map(Optional.some) {
            let values = CaseValues(
                seed: 7,
                id: item.id,
                token: kind.map { Self.token($0) },
                now: Self.now,
                times: times
            )
            let request = try ConformanceRequest(item, values: values)
            let body = String(decoding: request.body ?? [], as: UTF8.self)
            #expect(!body.contains("{{") && !request.path.contains("{{"), "\(kind ?? "")")
            #expect(request.path.hasPrefix("/"))
        }
    }

    @Test(
        "The body of a transport case, and of one whose answer is open, has a second mistake (CS-4)",
        arguments: suite.cases
    )
    func secondMistake(_ item: ConformanceCase) throws {
        let isOpen = !item.alternatives.isEmpty || item.measure != nil
        guard item.kind == .transport || isOpen, item.sendsReport, item.kind != .accepted else { return }
        let times = Dictionary(item.after.map { ($0, Self.now) }) { $1 }
        let values = CaseValues(
            seed: 7,
            id: item.id,
            token: item.tokens.first.map { Self.token($0) },
            now: Self.now,
            times: times
        )
        let body = String(decoding: try ConformanceRequest(item, values: values).body ?? [], as: UTF8.self)
        // Reports without the sentinel: no body, no line items to read, texts that are too long, two errors on a status.
        let others = [
            "malformed-empty", "malformed-line-items-object", "E19-pricing-currency",
            "E19-exchange-rate", "E8-duplicate-token", "RR-2-order",
        ]
        #expect(body.contains("-sentinel\"") != others.contains(item.id), "\(item.id)")
    }

    @Test("The ids of a run differ by run, case and name, and are UUIDs where the API wants them")
    func ids() {
        let values = { (seed: UInt64, id: String) in CaseValues(seed: seed, id: id, token: nil, now: Self.now) }
        var identifiers: Set<String> = []
        for seed in 1...20 {
            for item in Self.suite.cases {
                let identifier = values(UInt64(seed), item.id).requestIdentifier(of: item.id)
                #expect(RequestIdentifier(identifier) != nil)
                identifiers.insert(identifier)
            }
        }
        #expect(identifiers.count == 20 * Self.suite.cases.count)
        let longest = Self.suite.cases.map { values(1, $0.id).lineItemId("sentinel", of: $0.id).count }.max() ?? 0
        #expect(longest <= 128)
        #expect(values(1, "a").lineItemId("o", of: "a") != values(1 << 40, "a").lineItemId("o", of: "a"))
    }

    @Test(
        "A data set with a defect is refused with its place",
        arguments: [
            ("{", "suite.json is not a JSON object", "[]"),
            ("{}", "a file of cases is not a JSON object", "[]"),
            ("{}", "E1: a member is missing", #"{"cases":[{"id":"E1"}]}"#),
            ("{}", "a: no earlier case has the id b", #"{"cases":[\#(entry("a", #""after":["b"],"#))]}"#),
            ("{}", "a: two cases have this id", #"{"cases":[\#(entry("a")),\#(entry("a"))]}"#),
        ]
    )
    func defects(_ suite: String, _ message: String, _ file: String) {
        #expect(throws: ConformanceDataError(message: message)) { try ConformanceSuite(suite: suite, files: [file]) }
    }

    private static func entry(_ id: String, _ more: String = "") -> String {
        #"{"id":"\#(id)","title":"t","kind":"refused",\#(more)"request":{},"expected":{}}"#
    }
}

extension ConformanceCase: CustomTestStringConvertible {
    package var testDescription: String { id }
}
