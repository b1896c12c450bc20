package import AppConfiguration
package import ExternalPurchaseCore

/// One app with the files that were found for it.
///
/// Extensions, watch apps and App Clips are apps of their own; so is each pair of Info.plist and entitlements that
/// the configurations of an Xcode target use.
package struct LintTarget: Hashable, Sendable {
    /// What to call the app: the target of an Xcode project, the path of the bundle, or the path of its first file.
    package var name: String
    /// The files with the place of each entry (CF-1).
    package var configuration: AppConfiguration
    /// True for a built bundle, where no build variable may be left (CF-75).
    package var isBuilt: Bool
    /// The platform where project or bundle say more than Info.plist does by itself (CF-74); nil elsewhere.
    package var platform: Platform?

    /// An app of parts.
    ///
    /// - Parameters:
    ///   - name: what to call the app.
    ///   - configuration: the files with the place of each entry.
    ///   - isBuilt: true for a built bundle.
    ///   - platform: the platform where it is known better than from Info.plist.
    package init(name: String, configuration: AppConfiguration, isBuilt: Bool = false, platform: Platform? = nil) {
        self.name = name
        self.configuration = configuration
        self.isBuilt = isBuilt
        self.platform = platform
    }
}
