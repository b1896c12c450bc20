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
    /// True when a file of the app is there and could not be read, which is an error of its own.
    package var isPartlyUnreadable: Bool = false
    /// True when an Xcode project or a description says which files are the app's.
    package var isTarget: Bool = false
    /// False for an extension, a watch app, an App Clip and other products that are not the app itself.
    package var isApplication: Bool = true
    /// The platform if the project or bundle determines it more precisely than Info.plist (CF-74), and otherwise nil.
    package var platform: Platform?
}
