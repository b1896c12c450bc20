import AppConfiguration

/// An element of an array or a value of a dictionary has another type than the key is documented with.
struct ElementWrongType: Rule {
    static let id = "element-wrong-type"
    static let severity = Severity.error

    func findings(for subject: TypedValue, in context: LintContext) -> [Finding] {
        guard subject.role == .element, !subject.shape.admits(subject.node.value) else { return [] }
        var edits: [FindingEdit] = []
        if subject.shape == .texts, case .string(let lone) = subject.node.value {
            edits = [subject.place.edit(.element, "<array><string>\(Self.escaped(lone))</string></array>")]
        }
        return finding(
            "\(subject.place.path ?? "") must be \(subject.shape.description), "
                + "found \(subject.node.value.typeNameWithArticle)",
            at: subject.place,
            hint: "Several links: use `SKExternalPurchaseMultiLink`.",
            edits: edits
        )
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            default: String(character)
            }
        }
        .joined()
    }
}
