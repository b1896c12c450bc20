import AppConfiguration

/// A Boolean entitlement has another type, or the list of allowed regions is not an array.
struct EntitlementWrongType: Rule {
    static let id = "entitlement-wrong-type"
    static let severity = Severity.error

    func findings(for subject: TypedValue, in context: LintContext) -> [Finding] {
        guard subject.role == .entitlement, !subject.shape.admits(subject.node.value) else { return [] }
        let isMeantTrue = subject.shape == .boolean && Self.meansTrue(subject.node.value)
        let edits = isMeantTrue ? [FindingEdit(.element, "<true/>", at: subject.node.position)] : []
        return finding(
            "\(subject.place.key ?? "") must be \(subject.shape.description), "
                + "found \(subject.node.value.typeNameWithArticle)",
            at: subject.place,
            hint: "Write `<true/>`, or an array of codes.",
            edits: edits
        )
    }

    private static func meansTrue(_ value: PropertyListValue) -> Bool {
        [.string("true"), .string("YES"), .integer(1)].contains(value)
    }
}
