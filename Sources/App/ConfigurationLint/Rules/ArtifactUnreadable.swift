/// An archive, bundle, provisioning profile or code signature is damaged, or larger than the limits.
///
/// What is inside cannot be compared with the sources, so a fault in it would first be seen by App Review. The
/// limits keep a hostile or broken file from filling memory; a build from Xcode stays far below them.
///
/// Build or download the file once more. A profile comes anew from the developer account, a signature from signing
/// again.
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
