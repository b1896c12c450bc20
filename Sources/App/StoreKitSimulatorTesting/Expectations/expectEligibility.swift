public import Eligibility
public import StoreKitSimulator
public import Testing

/// Records an issue with the explanation unless the answer is yes.
///
/// The question is asked of the engine and does not count as a read by the app.
///
/// - Parameters:
///   - question: what an app would ask.
///   - session: the session; the current one unless given.
///   - sourceLocation: where the issue is shown.
/// - Returns: the answer with everything that led to it.
@discardableResult
public func expectEligible(
    _ question: EligibilityQuestion,
    in session: StoreKitSession = .current,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Evaluation {
    let evaluation = session.explain(question)
    if !evaluation.isEligible {
        let condition = evaluation.failed.map { ", which fails \($0)" } ?? ""
        record("Expected yes from \(question.rawValue)\(condition)", evaluation, at: sourceLocation)
    }
    return evaluation
}

/// Records an issue with the explanation unless the answer is no, for the reason given.
///
/// - Parameters:
///   - question: what an app would ask.
///   - condition: the first condition that fails, which decides the error; nil for any.
///   - session: the session; the current one unless given.
///   - sourceLocation: where the issue is shown.
/// - Returns: the answer with everything that led to it.
@discardableResult
public func expectIneligible(
    _ question: EligibilityQuestion,
    because condition: ConditionID? = nil,
    in session: StoreKitSession = .current,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Evaluation {
    let evaluation = session.explain(question)
    let because = condition.map { " because of \($0)" } ?? ""
    if evaluation.isEligible {
        record("Expected no from \(question.rawValue)\(because), but it says yes", evaluation, at: sourceLocation)
    } else if let condition, let failed = evaluation.failed, failed != condition {
        record("Expected no from \(question.rawValue)\(because), but \(failed) fails", evaluation, at: sourceLocation)
    }
    return evaluation
}

private func record(_ sentence: String, _ evaluation: Evaluation, at sourceLocation: SourceLocation) {
    Issue.record(Comment(rawValue: "\(sentence)\n\(evaluation)"), sourceLocation: sourceLocation)
}
