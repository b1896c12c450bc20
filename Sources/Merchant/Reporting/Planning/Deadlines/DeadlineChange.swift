/// A deadline that would change under other programmes or settings (OB-95).
package struct DeadlineChange: Hashable, Sendable {
    package let subject: DeadlineSubject
    /// The current deadline.
    package let before: Deadline?
    /// The deadline under the proposed rules.
    package let after: Deadline?

    /// The deadlines that would change, of tokens and line items that are not reported yet, in the given order.
    ///
    /// - Parameters:
    ///   - tokens: the tokens; reported ones are ignored.
    ///   - items: the line items; reported ones are ignored.
    ///   - current: the rules in force.
    ///   - proposed: the rules with the new file or settings.
    static func changes(
        tokens: [DeadlineToken],
        items: [DeadlineLineItem],
        from current: DeadlineRules,
        to proposed: DeadlineRules
    ) -> [DeadlineChange] {
        var changes: [DeadlineChange] = []
        func compare(_ subject: DeadlineSubject, _ before: Deadline?, _ after: Deadline?) {
            if before != after { changes.append(DeadlineChange(subject: subject, before: before, after: after)) }
        }
        for token in tokens where !token.isReported {
            compare(.token(token), current.deadline(of: token), proposed.deadline(of: token))
        }
        for item in items where !item.isReported {
            compare(.lineItem(item), current.deadline(of: item), proposed.deadline(of: item))
        }
        return changes
    }
}
