package import AppConfiguration
package import ExternalPurchaseCore

/// An app with the files that were found for it.
///
/// Extensions, watch apps and App Clips are separate apps. So is each pair of Info.plist and entitlements that the
/// configurations of an Xcode target use.
package struct LintTarget: Hashable, Sendable {
    /// The name of the app: the target of an Xcode project, the path of the bundle, or the path of its first file.
    package var name: String
    /// The files with the position of each entry (CF-1).
    package var configuration: AppConfiguration
    /// True for a built bundle, which must not contain build variables (CF-75).
    package var isBuilt: Bool = false
    /// The platform if the project or bundle determines it more precisely than Info.plist (CF-74), and otherwise nil.
    package var platform: Platform?
}
