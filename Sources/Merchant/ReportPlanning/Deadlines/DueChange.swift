/// A due date that other programmes or settings would move (OB-95).
package struct DueChange: Hashable, Sendable {
    package let subject: DueSubject
    /// As it is now.
    package let before: DueDate?
    /// As it would be.
    package let after: DueDate?

    /// What would change for tokens and line items that are not reported yet, in the order given.
    ///
    /// - Parameters:
    ///   - tokens: the tokens, reported ones are left out.
    ///   - items: the line items, reported ones are left out.
    ///   - current: the rules in force.
    ///   - proposed: the rules with the new file or settings.
    package static func changes(
        tokens: [DueToken],
        items: [DueLineItem],
        from current: DueRules,
        to proposed: DueRules
    ) -> [DueChange] {
        var changes: [DueChange] = []
        func compare(_ subject: DueSubject, _ before: DueDate?, _ after: DueDate?) {
            if before != after { changes.append(DueChange(subject: subject, before: before, after: after)) }
        }
        for token in tokens where !token.isReported {
            compare(.token(token), current.dueDate(of: token), proposed.dueDate(of: token))
        }
        for item in items where !item.isReported {
            compare(.lineItem(item), current.dueDate(of: item), proposed.dueDate(of: item))
        }
        return changes
    }
}
