/// What an app declares: Info.plist and entitlements, each entry with its place (CF-1).
public struct AppConfiguration: Hashable, Sendable {
    /// Info.plist.
    public var infoPlist: PropertyListFile?
    /// The `.entitlements` source.
    public var entitlements: PropertyListFile?
    /// The entitlements in the signed binary.
    public var signedEntitlements: PropertyListFile?
    /// The entitlements that the provisioning profile allows.
    public var profileEntitlements: PropertyListFile?

    /// A configuration of files that were read.
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

    /// The entitlements that the runtime reads: the signed ones, else the source (CF-1).
    public var effectiveEntitlements: PropertyListFile? { signedEntitlements ?? entitlements }
}
