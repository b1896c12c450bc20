public import Eligibility
public import StoreKitSimulator
public import Testing

/// Records an issue with the explanation unless the answer is yes.
///
/// The evaluation does not count as a read by the app.
///
/// - Parameters:
///   - question: the question.
///   - session: the session; the default is the current one.
///   - sourceLocation: the source location of the issue.
/// - Returns: the evaluation with its explanation.
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

/// Records an issue with the explanation unless the answer is no for the given reason.
///
/// - Parameters:
///   - question: the question.
///   - condition: the first condition that fails, which determines the error; nil for any.
///   - session: the session; the default is the current one.
///   - sourceLocation: the source location of the issue.
/// - Returns: the evaluation with its explanation.
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
