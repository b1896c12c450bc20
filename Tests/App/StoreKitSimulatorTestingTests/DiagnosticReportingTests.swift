import StoreKitSimulatorTesting
import Synchronization
import Testing

/// Expects that the traits after it record one issue for each text, and that each issue contains its text.
struct KnownIssues: TestTrait, TestScoping {
    let texts: [String]

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        let seen = Mutex<[String]>([])
        try await withKnownIssue {
            try await function()
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined() + (issue.error.map { "\($0)" } ?? "")
            seen.withLock { $0.append(text) }
            return texts.contains { text.contains($0) }
        }
        let recorded = seen.withLock(\.self)
        #expect(recorded.count == texts.count)
        for text in texts { #expect(recorded.contains { $0.contains(text) }) }
    }
}

extension Trait where Self == KnownIssues {
    static func knownIssues(_ texts: String...) -> Self { KnownIssues(texts: texts) }
}

@Suite("Diagnostics at the end of a case", .serialized)
struct DiagnosticReportingTests {
    private func openWithoutAsking() async {
        _ = try? await ExternalPurchaseLink.open()
    }

    @Test(
        "Errors become issues, warnings do not",
        .knownIssues("error: called-while-ineligible: ExternalPurchaseLink.canOpen is false"),
        .externalPurchase(storefront: "USA", configuration: .bookShop)
    )
    func errors() async { await openWithoutAsking() }

    @Test(
        "Warnings become issues where the test wants them",
        .knownIssues("called-while-ineligible", "warning: payments-not-checked"),
        .externalPurchase(
            storefront: "USA",
            configuration: .bookShop,
            diagnostics: .warnings(except: ["eligibility-not-checked", "no-user-interaction"])
        )
    )
    func warnings() async { await openWithoutAsking() }

    @Test(
        "A test names the diagnostics that it expects",
        .externalPurchase(
            storefront: "USA",
            configuration: .bookShop,
            diagnostics: .errors(except: ["called-while-ineligible"])
        )
    )
    func exceptions() async { await openWithoutAsking() }

    @Test(
        "Off reports none",
        .externalPurchase(storefront: "USA", configuration: .bookShop, diagnostics: .off)
    )
    func off() async { await openWithoutAsking() }

    @Test(
        "The trait waits for an open flow and reports its diagnostics",
        .knownIssues("error: sheet-already-up"),
        .externalPurchase(
            storefront: "NLD",
            configuration: .bookShop,
            sheets: [.delay(.milliseconds(20), .continue)]
        )
    )
    func openFlow() async throws {
        try await BookShop().buy()
        await #expect(throws: StoreKitError.self) { try await BookShop().buy() }
    }

    @Test(
        "A storefront that is not a code is reported",
        .knownIssues("did you mean \"NLD\"?"),
        .externalPurchase(storefront: "NL")
    )
    func storefront() {}

    @Test(
        "A system that does not exist fails the case",
        .knownIssues("\"iSO 26\" is not an Apple operating system. Did you mean \"iOS\"?"),
        .externalPurchase(os: "iSO 26")
    )
    func system() { Issue.record("the body ran") }

    @Test(
        "A session file that is not there fails the case",
        .knownIssues("there is no such file"),
        .externalPurchase(session: "Fixtures/no.json")
    )
    func file() { Issue.record("the body ran") }

    @Test(
        "An error of the body is reported in addition to the diagnostics",
        .knownIssues(
            "called-while-ineligible",
            "notAvailableInStorefront: ExternalPurchaseLink.open() fails C5, rule pack 2026-10 has no USA"
        ),
        .externalPurchase(storefront: "USA", configuration: .bookShop)
    )
    func throwing() async throws { try await ExternalPurchaseLink.open() }

    @Test(
        "An empty list of sheets expects none; one that is shown is an issue by its name (SK-115)",
        .knownIssues("error: sheet-not-expected: ExternalPurchaseLink.open(url:) showed a continuation sheet"),
        .externalPurchase(storefront: "NLD", configuration: .bookShop, sheets: [])
    )
    func unexpectedSheet() async throws {
        try await BookShop().buy()
        guard case .failed = await StoreKitSession.current.settle().first else {
            Issue.record("the sheet was answered")
            return
        }
    }

    @Test(
        "An empty list of sheets is right where the app shows none",
        .externalPurchase(storefront: "USA", configuration: .bookShop, sheets: [])
    )
    func noSheet() async throws {
        #expect(try await BookShop().buy() == false)
    }
}
