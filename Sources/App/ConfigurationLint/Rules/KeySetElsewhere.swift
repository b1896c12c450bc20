import AppConfiguration
import ExternalPurchaseCore

/// A build setting or a strings catalog sets a key of external purchases.
///
/// Xcode takes `INFOPLIST_KEY_…` settings of the keys that it knows into Info.plist, and ignores every other one. Of
/// external purchases it knows none (in its open build system on 2026-08-21), so the app is built without the key: that
/// is a warning. A localised value is merged when the app is built, and makes the declaration depend on the language of
/// the device; the linter recognises it but does not check it, which is a note.
///
/// Move the key to the Info.plist file that `INFOPLIST_FILE` names, where it can be checked. Its value is an array or a
/// dictionary, which a build setting cannot have.
///
/// Breaks it:
///
/// ```xcconfig
/// INFOPLIST_KEY_SKExternalPurchase = nl
/// ```
///
/// Right:
///
/// ```xml
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
/// ```
///
/// Follows: CF-1 (house).
struct KeySetElsewhere: Rule {
    static let id = "key-set-elsewhere"
    static let severity = Severity.warning

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        subject.configuration.elsewhere.flatMap { key in
            let location = Location(file: key.file, position: key.position, key: key.key, path: key.key)
            let name = KnownEntryName.nearest(to: key.key, in: .infoPlist)?.name ?? key.key
            switch key.source {
            case .buildSetting:
                return finding(
                    "INFOPLIST_KEY_\(key.key) has no effect; Xcode takes no key of external purchases from a build setting",
                    at: location,
                    hint: "Put \(name) in the Info.plist file that INFOPLIST_FILE names."
                )
            case .stringsCatalog:
                return finding(
                    "\(key.key) is set by a strings catalog; it was recognised and not checked",
                    at: location,
                    hint: context.options.built
                        ? "Put \(name) in the Info.plist file."
                        : "Put \(name) in the Info.plist file, or lint the built bundle.",
                    severity: .note
                )
            }
        }
    }
}
