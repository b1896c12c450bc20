import ExternalPurchaseCore
import ReportValidation
import Testing

@testable import ReportConformance

/// The published cases of the conformance suite, whose expectations are data and not made by these rules (CS-2).
@Suite("Published cases")
struct ReportVectorTests {
    static let cases: [RecordedCase] = {
        do {
            return try ConformanceSuite.published.recordedCases(now: Timestamp(milliseconds: 1_795_176_000_000))
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    @Test("Each report has its outcome, texts included", arguments: cases)
    func outcome(_ recorded: RecordedCase) throws {
        var endpoint = Endpoint()
        for token in recorded.tokens {
            endpoint.tokens[token.externalPurchaseId] = KnownToken(
                creationDate: token.creationDate,
                tokenType: token.kind == "plain" ? nil : TokenType(rawValue: token.kind),
                expirationDate: token.expirationDate
            )
        }
        for body in recorded.accepted {
            try #expect(endpoint.put(ReceivedReport.read(body), now: recorded.now) == [])
        }
        switch recorded.expected.content {
        case .text:
            #expect(throws: MalformedReport.self) { try ReceivedReport.read(recorded.body) }
        default:
            let errors = try endpoint.validate(ReceivedReport.read(recorded.body), now: recorded.now)
            #expect(errors == recorded.expected.errors)
        }
    }
}

extension RecordedCase: CustomTestStringConvertible {
    package var testDescription: String { id }
}
