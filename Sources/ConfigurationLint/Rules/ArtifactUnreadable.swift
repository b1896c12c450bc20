/// An archive, bundle, provisioning profile or code signature is damaged, or larger than the limits.
///
/// This rule is hit by reading: what cannot be read reaches no other rule.
enum ArtifactUnreadable {
    static let id = "artifact-unreadable"
}
