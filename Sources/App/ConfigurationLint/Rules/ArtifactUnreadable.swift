/// An archive, bundle, provisioning profile or code signature is damaged, or larger than the limits.
///
/// The content cannot be compared with the sources, so App Review would be the first to see an error in it. The
/// limits prevent a hostile or broken file from filling the memory; a build from Xcode is far below them.
///
/// Build or download the file again. Download a new profile from the developer account, or sign the app again.
///
/// Breaks it:
///
/// ```text
/// $ unzip -tq GemShop.ipa
/// End-of-central-directory signature not found.
/// ```
///
/// Right:
///
/// ```text
/// $ unzip -tq GemShop.ipa
/// No errors detected in compressed data of GemShop.ipa.
/// ```
///
/// Follows: CF-1 (house).
enum ArtifactUnreadable: CataloguedRule {
    static let id = "artifact-unreadable"
    static let severity = Severity.error
}
