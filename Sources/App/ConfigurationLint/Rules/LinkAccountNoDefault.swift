import AppConfiguration
import ExternalPurchaseCore

/// The account links have no default.
///
/// `SKExternalLinkAccount` contains one link per country and, under `*`, one for all others. The default is required:
/// without it, customers in countries that are not listed cannot reach their account.
///
/// Add the key `*` with the address of the general account page.
///
/// Breaks it:
///
/// ```xml
/// <key>SKExternalLinkAccount</key>
/// <dict>
///     <key>jp</key>
///     <string>https://acme.example/jp</string>
/// </dict>
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalLinkAccount</key>
/// <dict>
///     <key>*</key>
///     <string>https://acme.example/account</string>
///     <key>jp</key>
///     <string>https://acme.example/jp</string>
/// </dict>
/// ```
///
/// Follows: CF-14 (documented).
struct LinkAccountNoDefault: Rule {
    static let id = "link-account-no-default"
    static let severity = Severity.error

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        subject.keys(in: context.pack).flatMap { key -> [Finding] in
            guard let required = context.pack.plistKeys[key.name]?.requiredKey,
                case .dictionary(let members) = key.value, !members.isEmpty,
                !members.contains(where: { $0.key == required })
            else { return [] }
            return finding("\(key.name) has no default link", at: key.location, hint: "Add the key `\(required)`.")
        }
    }
}
