/// The Info.plist and entitlements of an app, with the position of each entry (CF-1).
public struct AppConfiguration: Hashable, Sendable {
    /// Info.plist.
    public var infoPlist: PropertyListFile?
    /// The `.entitlements` source.
    public var entitlements: PropertyListFile?
    /// The entitlements in the signed binary.
    public var signedEntitlements: PropertyListFile?
    /// The entitlements that the provisioning profile allows.
    public var profileEntitlements: PropertyListFile?

    /// What the build adds to Info.plist, as the project's settings say: bundle id and minimum OS.
    ///
    /// Without an Info.plist file the build makes all of it, so external purchase keys are only in ``elsewhere`` (CF-6).
    public var generatedInfoPlist: PropertyListFile?
    /// The Info.plist of the build that App Review reviewed (CF-5).
    public var reviewedInfoPlist: PropertyListFile?
    /// External purchase keys that are set in other places than these files.
    ///
    /// Their values are not read.
    public var elsewhere: [KeySetElsewhere] = []

    /// Creates a configuration from files that were read.
    ///
    /// - Parameters:
    ///   - infoPlist: Info.plist.
    ///   - entitlements: the `.entitlements` source.
    ///   - signedEntitlements: the entitlements in the signed binary.
    ///   - profileEntitlements: the entitlements that the provisioning profile allows.
    public init(
        infoPlist: PropertyListFile? = nil,
        entitlements: PropertyListFile? = nil,
        signedEntitlements: PropertyListFile? = nil,
        profileEntitlements: PropertyListFile? = nil
    ) {
        self.infoPlist = infoPlist
        self.entitlements = entitlements
        self.signedEntitlements = signedEntitlements
        self.profileEntitlements = profileEntitlements
    }

    /// The entitlements that the runtime reads: the signed ones, or otherwise the source (CF-1).
    public var effectiveEntitlements: PropertyListFile? { signedEntitlements ?? entitlements }
}

/// An external purchase key in a build setting or a strings catalog, where the linter does not read its value.
public struct KeySetElsewhere: Hashable, Sendable {
    /// The kind of place.
    public enum Source: String, Hashable, Sendable {
        /// A build setting `INFOPLIST_KEY_…` of an Xcode project or configuration file.
        case buildSetting
        /// A localised value in `InfoPlist.xcstrings` or `InfoPlist.strings`.
        case stringsCatalog
    }

    /// The kind of place.
    public var source: Source
    /// The key as written, without `INFOPLIST_KEY_`.
    public var key: String
    /// The path of the file.
    public var file: String
    /// The position in the file, if known.
    public var position: SourcePosition?

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - source: the kind of place.
    ///   - key: the key as written, without `INFOPLIST_KEY_`.
    ///   - file: the path of the file.
    ///   - position: the position in the file.
    public init(source: Source, key: String, file: String, position: SourcePosition? = nil) {
        self.source = source
        self.key = key
        self.file = file
        self.position = position
    }
}
