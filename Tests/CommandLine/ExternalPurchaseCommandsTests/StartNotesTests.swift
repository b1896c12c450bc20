import ExternalPurchaseCore
import Foundation
import Reporting
import Testing

@testable import ExternalPurchaseCommands

@Suite("The notes of serve's start")
struct StartNotesTests {
    // Apple's fiscal November 2026 ends on 28 November and its December on 26 December; the deadlines are 15 days later.
    @Test(
        "Without programmes the start names the one whose deadline is the earliest on that day (OB-11, OB-12)",
        arguments: [
            ("2026-11-28T12:00:00Z", "eea-streaming (15 days after the end of Apple's fiscal month)"),
            ("2026-11-29T12:00:00Z", "eu-2026-10 (15 days after the end of the month)"),
            ("2026-11-30T12:00:00Z", "eu-2026-10 (15 days after the end of the month)"),
            ("2026-12-01T12:00:00Z", "eea-streaming (15 days after the end of Apple's fiscal month)"),
            ("2026-12-27T12:00:00Z", "eu-2026-10 (15 days after the end of the month)"),
        ]
    )
    func programmes(day: String, named: String) throws {
        var app = ServeConfiguration.App(
            bundleId: BundleId("com.example.shop"),
            appAppleId: 1,
            key: ServeConfiguration.Key(
                file: ConfiguredFile(path: "key.p8", place: "serve.yaml:1:1: apps[0].key.file"),
                keyId: "ABC1234567",
                issuerId: "57246542-96fe-1a63-e053-0824d011072a"
            ),
            baseURL: [:],
            links: [:],
            programmes: []
        )
        let now = try #require(Timestamp(rfc3339: day))
        let note = try #require(StartNotes.programmes(of: app, by: DeadlineRules(), at: now))
        #expect(note.contains(" that of \(named); "), "\(note)")
        app.programmes = ["eea-link"]
        #expect(StartNotes.programmes(of: app, by: DeadlineRules(), at: now) == nil)
    }
}
