import AppConfiguration

/// Only Info.plist or only the entitlements of an app were found.
///
/// A key and its entitlement prove each other, so the rules that compare the two files need both. Without findings the
/// file is correct by itself; whether the app works is not known.
///
/// Name both files together, or lint the folder, the Xcode project or the built product. An Xcode project without an
/// Info.plist file, whose setting `GENERATE_INFOPLIST_FILE` is `YES`, proves that there are no keys, and one whose setting
/// `CODE_SIGN_ENTITLEMENTS` names no file that is there proves that there are no entitlements. With `--strict` a built product
/// without a signature is a warning.
///
/// Breaks it:
///
/// ```xml
/// <!-- Info.plist alone -->
/// <key>SKExternalPurchase</key>
/// <array><string>nl</string></array>
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
/// Follows: CF-6 (house).
struct OtherFileMissing: Rule {
    static let id = "other-file-missing"
    static let severity = Severity.note

    func findings(for subject: WholeApp, in context: LintContext) -> [Finding] {
        let configuration = subject.configuration
        let hasInfoPlist = configuration.infoPlist != nil || configuration.generatedInfoPlist != nil
        guard subject.isConcerned, hasInfoPlist != (configuration.effectiveEntitlements != nil),
            let file = configuration.infoPlist ?? configuration.effectiveEntitlements
        else { return [] }
        let skipped =
            hasInfoPlist
            ? [EntitlementMissing.id, StreamingEntitlementMissing.id]
            : [EntitlementWithoutKey.id, BundleIdMissing.id, MinimumOSBelowUse.id]
        let missing = hasInfoPlist ? "entitlements" : "Info.plist"
        return finding(
            "The app's \(whole: missing) \(whole: hasInfoPlist ? "were" : "was") not found, so these rules were not applied: "
                + "\(whole: skipped.joined(separator: ", "))",
            at: Location(rootOf: file),
            hint: file.format == .json
                ? "Run `npx expo prebuild --platform ios` and lint the folder."
                : context.options.built
                    ? "Lint the signed product, or name its `.entitlements` file together with it."
                    : "Name Info.plist and `.entitlements` together, or lint the folder or the built product."
        )
    }
}
