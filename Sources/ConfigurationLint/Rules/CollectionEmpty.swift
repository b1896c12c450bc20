import AppConfiguration

/// The array or dictionary of a key, the links of a country, or the list of allowed regions is empty.
struct CollectionEmpty: Rule {
    static let id = "collection-empty"
    static let severity = Severity.error

    func findings(for subject: TypedValue, in context: LintContext) -> [Finding] {
        let isEmpty =
            switch subject.node.value {
            case .array(let elements): elements.isEmpty
            case .dictionary(let members): members.isEmpty
            default: false
            }
        guard isEmpty else { return [] }
        return finding(
            "\(subject.place.path ?? "") is empty, so the API is never available there",
            at: subject.place,
            hint: "Add a code or link, or remove the key."
        )
    }
}
