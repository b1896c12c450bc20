/// The same region code stands twice in one list, upper and lower case taken as equal.
///
/// In an array the second one has no effect. In a dictionary the two may carry different links, and only the one in
/// lower case is ever read.
///
/// Keep one. `--fix` removes the later ones in arrays; between links you have to choose.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string><string>it</string><string>nl</string></array>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string><string>it</string></array>
/// ```
///
/// Follows: CF-72 (house).
struct CountryDuplicate: Rule {
    static let id = "country-duplicate"
    static let severity = Severity.warning
    static let isFixable = true

    func findings(for subject: ListedCodes, in context: LintContext) -> [Finding] {
        subject.codes.repeated(by: \.lowercased).flatMap { same in
            let last = same[same.count - 1]
            // A copy that matches outlives those that do not, so that the list means the same afterwards.
            let kept = same.firstIndex { $0.code == $0.lowercased } ?? 0
            let others = same.indices.filter { $0 != kept }
            return finding(
                "\"\(last.code)\" is listed \(same.count) times in \(last.list.name)",
                at: last.location,
                hint: "Keep one.",
                edits: subject.isArray ? others.map { same[$0].location.edit(.element, "") } : [],
                related: [same[0].location.related("\"\(same[0].code)\" stands here first")]
            )
        }
    }
}
