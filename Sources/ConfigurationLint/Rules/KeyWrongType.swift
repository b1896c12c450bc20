import AppConfiguration

/// The value of a known key has another type than the key is documented with.
struct KeyWrongType: Rule {
    static let id = "key-wrong-type"
    static let severity = Severity.error

    func findings(for subject: TypedValue, in context: LintContext) -> [Finding] {
        guard subject.role == .plistKey, !subject.shape.admits(subject.node.value) else { return [] }
        return finding(
            "\(subject.place.key ?? "") must be \(subject.shape.description), "
                + "found \(subject.node.value.typeNameWithArticle)",
            at: subject.place,
            hint: "See the table of keys."
        )
    }
}
