import AppConfiguration

/// A list or dictionary of a key, of a country or of the allowed regions is empty.
///
/// An empty list looks like a declaration but declares nothing: the API is not available in any storefront, and
/// `eligibleURLs` is nil, never an empty array. `SKExternalPurchaseMultiLink` is documented with one to five URLs per
/// country.
///
/// Add the missing entries or remove the key.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseMultiLink</key>
/// <dict>
///     <key>nl</key>
///     <array/>
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
/// Follows: CF-40, CF-53 (documented).
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
            "\(subject.location.path ?? "") is empty, so the API is never available there",
            at: subject.location,
            hint: "Add a code or link, or remove the key."
        )
    }
}
