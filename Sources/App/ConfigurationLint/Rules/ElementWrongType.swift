import AppConfiguration
import ExternalPurchaseCore

/// An element of a list or a value of a dictionary has another type than its key is documented with.
///
/// The runtime ignores the entry and uses the others, so one country has no link without any error. Most often
/// `SKExternalPurchaseMultiLink` contains a single URL instead of an array, or `SKExternalPurchaseLink` an array
/// instead of one URL.
///
/// Put a single URL into an array; `--fix` does this. Move several URLs to `SKExternalPurchaseMultiLink`.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/nl</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>nl</key>
///     <array><string>https://shop.acme.example/nl</string></array>
/// </dict>
/// ```
///
/// Follows: CF-10, CF-50 (documented).
struct ElementWrongType: Rule {
    static let id = "element-wrong-type"
    static let severity = Severity.error
    static let isFixable = true

    func findings(for subject: TypedValue, in context: LintContext) -> [Finding] {
        guard subject.role == .element, !subject.shape.admits(subject.node.value) else { return [] }
        var edits: [FindingEdit] = []
        if subject.shape == .texts, case .string(let lone) = subject.node.value {
            edits = [subject.location.edit(.element, "<array><string>\(Self.escaped(lone))</string></array>")]
        }
        return finding(
            "\(subject.location.path ?? "") must be \(subject.shape.description), "
                + "found \(subject.node.value.typeNameWithArticle)",
            at: subject.location,
            hint: Self.hint(subject, context),
            edits: edits
        )
    }

    private static func hint(_ subject: TypedValue, _ context: LintContext) -> FindingText {
        let form: FindingText = "Write `\(whole: subject.example(in: context))`"
        if case .bool = subject.node.value, subject.shape == .text {
            return form + "; in YAML a word such as no needs quotes."
        }
        guard subject.location.key == PlistKey.link.rawValue, case .array = subject.node.value else {
            return form + "."
        }
        return form + "; several links: use `SKExternalPurchaseMultiLink`."
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
