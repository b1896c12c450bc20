/// A deadline that would change under other programmes or settings (OB-95).
package struct DeadlineChange: Hashable, Sendable {
    package let subject: DeadlineSubject
    /// The current deadline.
    package let before: Deadline?
    /// The deadline under the proposed rules.
    package let after: Deadline?

    /// The deadlines that would change, of tokens and sales that are not reported yet, in the given order.
    ///
    /// - Parameters:
    ///   - subjects: the tokens and sales.
    ///   - current: the rules in force.
    ///   - proposed: the rules with the new file or settings.
    static func changes(
        of subjects: [DeadlineSubject],
        from current: DeadlineRules,
        to proposed: DeadlineRules
    ) -> [DeadlineChange] {
        subjects.compactMap { subject in
            let (before, after) = (current.deadline(of: subject.row), proposed.deadline(of: subject.row))
            return before == after ? nil : DeadlineChange(subject: subject, before: before, after: after)
        }
    }
}
