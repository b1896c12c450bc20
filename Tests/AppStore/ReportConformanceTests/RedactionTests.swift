import ExternalPurchaseCore
import Testing

@testable import ReportConformance

@Suite("A report that is shown to others has no ids of tokens (CS-9)")
struct RedactionTests {
    /// Ids that begin with each other, in each order of the tokens.
    @Test(
        "Of an id that begins with another one nothing is left",
        arguments: [["tok", "tok-1", "tok-12"], ["tok-12", "tok-1", "tok"], ["tok-1", "tok-12", "tok"]]
    )
    func prefixes(_ ids: [String]) {
        let tokens = ids.map { id in
            ConformanceToken(
                externalPurchaseId: ExternalPurchaseId(rawValue: id),
                kind: "plain",
                creationDate: Timestamp(milliseconds: 0),
                expirationDate: nil
            )
        }
        let text = Redaction(tokens).redacted(Array("a tok-12 b tok c tok-1.".utf8))
        #expect(String(decoding: text, as: UTF8.self) == "a {{token}} b {{token}} c {{token}}.")
    }
}
