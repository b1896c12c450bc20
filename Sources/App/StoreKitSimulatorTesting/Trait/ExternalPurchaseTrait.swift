import StoreKitSimulator
public import Testing

/// Gives every case of a test a StoreKit session of its own.
///
/// The session is bound to the case's task, so that cases that run side by side do not see each other; the test
/// reaches it as `StoreKitSession.current`. When the test's body has ended, the trait waits for the flows that are
/// still open and records the session's diagnostics as issues.
///
/// On a suite it counts for every test inside. A test's own trait adds to that of its suite: it changes what it names
/// and keeps the rest.
///
/// ## Topics
///
/// - ``DiagnosticReporting``
/// - ``AppFiles``
public struct ExternalPurchaseTrait: TestTrait, SuiteTrait, TestScoping {
    let settings: SessionSettings

    /// True: every test of a suite gets the trait.
    public var isRecursive: Bool { true }

    /// Acts around cases, not around suites or tests as a whole.
    ///
    /// - Parameters:
    ///   - test: the test.
    ///   - testCase: the case, nil around a whole.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    /// Runs a case in its session.
    ///
    /// - Parameters:
    ///   - test: the test.
    ///   - testCase: the case.
    ///   - function: the test's body.
    /// - Throws: what the body throws, or why the session cannot be made.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        // The traits of suite and test are all asked, outermost first; the first one acts for all.
        guard CaseScope.test != test.id else { return try await function() }
        let layers = test.traits.compactMap { ($0 as? ExternalPurchaseTrait)?.settings }
        var inputs = StoreKitSession.SessionInputs()
        for layer in layers { try layer.fill(&inputs) }
        let session = StoreKitSession { $0 = inputs }
        defer {
            let reporting = layers.compactMap(\.diagnostics).last ?? .errors
            for diagnostic in session.diagnostics where reporting.reports(diagnostic) {
                Issue.record(Comment(rawValue: diagnostic.description), sourceLocation: test.sourceLocation)
            }
        }
        try await CaseScope.$test.withValue(test.id) { try await session.run(function) }
    }
}

private enum CaseScope {
    @TaskLocal static var test: Test.ID?
}
