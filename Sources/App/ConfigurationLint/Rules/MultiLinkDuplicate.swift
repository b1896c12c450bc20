/// A country lists the same URL more than once.
///
/// The order of links has no meaning and a repeated one adds no choice. Usually another address was intended, for
/// instance after copying a line.
///
/// Keep one, or correct the copy. `--fix` removes the later ones.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>nl</key>
///     <array>
///         <string>https://shop.acme.example/nl</string>
///         <string>https://shop.acme.example/nl</string>
///     </array>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>nl</key>
///     <array>
///         <string>https://shop.acme.example/nl</string>
///     </array>
/// </dict>
/// ```
///
/// Follows: CF-11, CF-42 (house).
struct MultiLinkDuplicate: Rule {
    static let id = "multi-link-duplicate"
    static let severity = Severity.warning
    static let isFixable = true

    func findings(for subject: CountryLinks, in context: LintContext) -> [Finding] {
        guard let location = subject.multiLocation else { return [] }
        return subject.multiLinks.repeated { Array(($0.url ?? "").utf8) }.flatMap { same in
            finding(
                "\(subject.country) lists \(same[0].url ?? "") \(same.count) times",
                at: location,
                hint: "Keep one.",
                edits: same.dropFirst().map { $0.location.edit(.element, "") },
                // The edits include every copy; a message needs only a few.
                related: same.dropFirst().prefix(5).map { $0.location.related("the link is repeated here") }
            )
        }
    }
}
