import ExternalPurchaseCore
import Foundation
import ReportValidation
import Testing

/// A recorded exchange with the endpoint: accepted reports, and further reports with their outcomes (RR-90).
struct ReportVector: Sendable, CustomTestStringConvertible {
    struct Step: Sendable {
        let body: [UInt8]
        /// nil for a malformed body.
        let errors: [String]?
    }

    let id: String
    let now: Timestamp
    let tokens: [ExternalPurchaseId: KnownToken]
    let accepted: [[UInt8]]
    let steps: [Step]

    var testDescription: String { id }

    static let all: [ReportVector] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/reports.json")
        do {
            let value = try JSONReader().read(Array(Data(contentsOf: file)))
            return (value.arrayValue ?? []).compactMap(\.objectValue).map(ReportVector.init)
        } catch {
            preconditionFailure("reports.json: \(error)")
        }
    }()

    private init(_ json: JSONObject) {
        id = json["id"]?.stringValue ?? "?"
        now = Timestamp(milliseconds: json["now"]?.int64Value ?? 0)
        var tokens: [ExternalPurchaseId: KnownToken] = [:]
        for token in (json["tokens"]?.arrayValue ?? []).compactMap(\.objectValue) {
            func date(_ key: String) -> Timestamp? { token[key]?.int64Value.map(Timestamp.init(milliseconds:)) }
            tokens[ExternalPurchaseId(token["externalPurchaseId"]?.stringValue ?? "")] = KnownToken(
                creationDate: date("tokenCreationDate") ?? Timestamp(milliseconds: 0),
                tokenType: token["tokenType"]?.stringValue.map(TokenType.init(rawValue:)),
                expirationDate: date("tokenExpirationDate")
            )
        }
        self.tokens = tokens
        accepted = (json["accepted"]?.arrayValue ?? []).map { $0.encoded() }
        steps = (json["steps"]?.arrayValue ?? []).compactMap(\.objectValue).map { step in
            let body = step["raw"]?.stringValue.map { Array($0.utf8) } ?? step["report"]?.encoded() ?? []
            let errors = step["errors"]?.arrayValue?.map { error in
                let error = error.objectValue ?? JSONObject()
                let code = "E\(error["code"]?.int64Value ?? 0)"
                return [code, error["fieldName"]?.stringValue, error["lineItemId"]?.stringValue]
                    .compactMap { $0 }.joined(separator: " ")
            }
            return Step(body: body, errors: errors)
        }
    }
}

@Suite("Golden reports")
struct ReportVectorTests {
    @Test("There are fifty") func count() { #expect(ReportVector.all.count == 50) }

    @Test("Each report has its outcome", arguments: ReportVector.all)
    func outcome(_ vector: ReportVector) throws {
        #expect(!vector.steps.isEmpty)
        var endpoint = Endpoint()
        endpoint.tokens = vector.tokens
        for body in vector.accepted {
            try #expect(brief(endpoint.put(ReceivedReport.read(body), now: vector.now)) == [])
        }
        for step in vector.steps {
            guard let expected = step.errors else {
                #expect(throws: MalformedReport.self) { try ReceivedReport.read(step.body) }
                continue
            }
            try #expect(brief(endpoint.put(ReceivedReport.read(step.body), now: vector.now)) == expected)
        }
    }
}
