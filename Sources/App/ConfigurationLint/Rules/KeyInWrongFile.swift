import AppConfiguration
import ExternalPurchaseCore

/// A key of Info.plist is in an entitlements file, or an entitlement is in Info.plist.
///
/// The system looks for keys in Info.plist only, and for entitlements in the code signature only, which is made
/// from the entitlements file. In the other file a value has no effect.
///
/// Move key and value to the other file. If the entry is there already, delete the misplaced one.
///
/// Breaks it:
///
/// ```xml
/// <!-- Info.plist -->
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
/// <key>com.apple.developer.storekit.external-purchase</key>
/// <true/>
/// ```
///
/// Right:
///
/// ```xml
/// <!-- Info.plist -->
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
/// <!-- App.entitlements -->
/// <key>com.apple.developer.storekit.external-purchase</key>
/// <true/>
/// ```
///
/// Follows: CF-10, CF-20 (house).
struct KeyInWrongFile: Rule {
    static let id = "key-in-wrong-file"
    static let severity = Severity.error

    func findings(for subject: RootKey, in context: LintContext) -> [Finding] {
        let isMisplaced =
            switch subject.kind {
            case .infoPlist:
                Entitlement.all.contains(Entitlement(rawValue: subject.name))
                    || context.legacyEntitlements[Entitlement(rawValue: subject.name)] != nil
            case .entitlements: PlistKey.all.contains(PlistKey(rawValue: subject.name))
            }
        guard isMisplaced else { return [] }
        return finding(
            "\(subject.name) has no effect in \(whole: subject.location.file)",
            at: subject.location,
            hint: subject.kind == .infoPlist
                ? "Move it to \(whole: context.entitlementsPlace(for: subject.location.file))."
                : "Move it to \(whole: Self.infoPlist(context.formats[subject.location.file]))."
        )
    }

    private static func infoPlist(_ format: PropertyListFile.Format?) -> String {
        switch format {
        case .json: "`expo.ios.infoPlist`"
        case .yaml: "`info.properties` of the target"
        default: "Info.plist"
        }
    }
}
