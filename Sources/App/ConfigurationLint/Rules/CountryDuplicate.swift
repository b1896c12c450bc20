/// A list contains the same region code twice, ignoring case.
///
/// In an array the second one has no effect. In a dictionary the two may have different links, and only the one in
/// lower case is read.
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
            // The copy in lower case is kept, so that the meaning of the list does not change.
            let kept = same.firstIndex { $0.code == $0.lowercased } ?? 0
            let others = same.indices.filter { $0 != kept }
            return finding(
                "\"\(last.code)\" is listed \(same.count) times in \(last.list.name)",
                at: last.location,
                hint: "Keep one.",
                edits: subject.isArray ? others.map { same[$0].location.edit(.element, "") } : [],
                related: [same[0].location.related("\"\(same[0].code)\" is here first")]
            )
        }
    }
}
