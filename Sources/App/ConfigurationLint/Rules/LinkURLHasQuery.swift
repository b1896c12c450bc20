/// A link has a query.
///
/// The documents allow no parameters in these keys, because StoreKit appends the token and the app's identity as a
/// query when it opens the page. A link with its own query is ignored.
///
/// Move the values into the path. Destinations that must carry parameters are for `ExternalPurchaseCustomLink`.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/?from=app</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchaseLink</key>
/// <dict>
///     <key>nl</key>
///     <string>https://shop.acme.example/from/app</string>
/// </dict>
/// ```
///
/// Follows: CF-13, CF-30 (documented).
struct LinkURLHasQuery: Rule {
    static let id = "link-url-has-query"
    static let severity = Severity.error

    func findings(for subject: Link, in context: LintContext) -> [Finding] {
        guard let query = subject.address.query, !query.isEmpty else { return [] }
        return finding(
            "The link for \(subject.country) has a query; StoreKit adds its own",
            at: subject.location,
            hint: "Put the values into the path."
        )
    }
}
