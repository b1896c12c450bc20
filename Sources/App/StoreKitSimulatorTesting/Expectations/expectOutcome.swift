import Eligibility
import Foundation
public import StoreKitSimulator
public import Testing

/// The expected end of a link's sheet.
public enum ExpectedOutcome: String, Hashable, Sendable, CaseIterable {
    /// The customer continued, and the browser opened a URL.
    case continued
    /// The customer declined.
    case cancelled
    /// An error occurred after the method had returned.
    case failed

    init(_ outcome: LinkOutcome) {
        self =
            switch outcome {
            case .continued: .continued
            case .cancelled: .cancelled
            case .failed: .failed
            }
    }
}

/// Waits until no flow is open, and records an issue unless the last link ended as expected.
///
/// - Parameters:
///   - expected: the expected outcome of the last link.
///   - session: the session; the default is the current one.
///   - sourceLocation: the source location of the issue.
/// - Returns: the outcome; nil when no link was opened.
@discardableResult
public func expectOutcome(
    _ expected: ExpectedOutcome,
    in session: StoreKitSession = .current,
    sourceLocation: SourceLocation = #_sourceLocation
) async -> LinkOutcome? {
    let last = await session.settle().last
    guard last.map(ExpectedOutcome.init) != expected else { return last }
    record("Expected the link to end as \(expected.rawValue)", last.map { [$0] } ?? [], session, at: sourceLocation)
    return last
}

/// Waits until no flow is open, and records an issue unless the links ended as expected, in this order.
///
/// - Parameters:
///   - expected: the expected outcomes in the order of their ends; empty when no link should have opened.
///   - session: the session; the default is the current one.
///   - sourceLocation: the source location of the issue.
/// - Returns: the outcomes.
@discardableResult
public func expectOutcomes(
    _ expected: [ExpectedOutcome],
    in session: StoreKitSession = .current,
    sourceLocation: SourceLocation = #_sourceLocation
) async -> [LinkOutcome] {
    let outcomes = await session.settle()
    guard outcomes.map(ExpectedOutcome.init) != expected else { return outcomes }
    let list = expected.map(\.rawValue).joined(separator: ", ")
    record("Expected the links to end as [\(list)]", outcomes, session, at: sourceLocation)
    return outcomes
}

private func record(
    _ sentence: String,
    _ outcomes: [LinkOutcome],
    _ session: StoreKitSession,
    at sourceLocation: SourceLocation
) {
    var lines = [sentence + (outcomes.isEmpty ? ", but no link was opened" : ", but:")]
    lines += outcomes.map { "  \(text(of: $0))" }
    let explained = outcomes.compactMap(explanation(of:))
    if !explained.isEmpty {
        lines += explained.map(\.description)
    } else if outcomes.isEmpty {
        lines += [EligibilityQuestion.eligibleURLs, .canOpen].map { session.explain($0).description }
    }
    let diagnostics = session.diagnostics
    if !diagnostics.isEmpty { lines += ["diagnostics:"] + diagnostics.map { "  \($0)" } }
    Issue.record(Comment(rawValue: lines.joined(separator: "\n")), sourceLocation: sourceLocation)
}

private func text(of outcome: LinkOutcome) -> String {
    switch outcome {
    case .continued(let url): "continued to \(url.absoluteString)"
    case .cancelled: "cancelled"
    case .failed(let error): "failed: \(error)"
    }
}

private func explanation(of outcome: LinkOutcome) -> Evaluation? {
    guard case .failed(.systemError(let error)) = outcome else { return nil }
    return (error as? ExternalPurchaseFailure)?.explanation
}
