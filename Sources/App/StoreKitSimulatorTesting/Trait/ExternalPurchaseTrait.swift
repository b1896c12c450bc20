import StoreKitSimulator
public import Testing

/// Gives every case of a test its own StoreKit session.
///
/// The session is bound to the task of the case, so concurrent cases do not affect each other. The test accesses it as
/// `StoreKitSession.current`. After the body of the test, the trait waits for open flows and records the session's
/// diagnostics as issues. A `StoreKitError` that leaves the body is shown with the condition that failed and the remedy.
/// A use of StoreKit outside any session, such as in a detached task, is an issue that names the running tests.
///
/// On a suite, the trait applies to every test inside. The trait of a test overrides only the settings that it names;
/// the others come from the suite.
///
/// ## Topics
///
/// - ``DiagnosticReporting``
/// - ``AppFiles``
public struct ExternalPurchaseTrait: TestTrait, SuiteTrait, TestScoping {
    let settings: SessionSettings

    /// True, so that every test of a suite gets the trait.
    public var isRecursive: Bool { true }

    /// Provides a scope for cases, but not for suites or tests as a whole.
    ///
    /// - Parameters:
    ///   - test: the test.
    ///   - testCase: the case; nil for a suite or a test as a whole.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    /// Runs a case with its session.
    ///
    /// - Parameters:
    ///   - test: the test.
    ///   - testCase: the case.
    ///   - function: the body of the test.
    /// - Throws: the error of the body, or the reason why the session cannot be created.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        // The traits of suite and test are all called, outermost first. The first call applies all of them.
        guard CaseScope.test != test.id else { return try await function() }
        let layers = test.traits.compactMap { ($0 as? ExternalPurchaseTrait)?.settings }
        var inputs = StoreKitSession.SessionInputs()
        for layer in layers { try layer.fill(&inputs) }
        let session = StoreKitSession { $0 = inputs }
        let reporting = layers.compactMap(\.diagnostics).last ?? .errors
        defer {
            for diagnostic in session.diagnostics where reporting.reports(diagnostic) {
                Issue.record(Comment(rawValue: diagnostic.description), sourceLocation: test.sourceLocation)
            }
        }
        try await CaseScope.$test.withValue(test.id) {
            try await RunningCases.withCase(test.name, expectsCalls: reporting.expects("session-not-set-up")) {
                try await session.run {
                    do {
                        try await function()
                    } catch let error as StoreKitError {
                        throw UncaughtStoreKitError(error)
                    }
                }
            }
        }
    }
}

private enum CaseScope {
    @TaskLocal static var test: Test.ID?
}
