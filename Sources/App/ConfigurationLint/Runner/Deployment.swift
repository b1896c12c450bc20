package import AppConfiguration
package import ExternalPurchaseCore

/// Where an app runs: its platform and the oldest system that it accepts (CF-74).
package struct Deployment: Hashable, Sendable {
    package let platform: Platform
    /// The oldest system, for Mac Catalyst in the numbers of iOS; nil when no usable version is given.
    package let minimum: OSVersion?
    /// The place of that version; the root of Info.plist when it has none, nil without Info.plist.
    let location: Location?

    /// What Info.plist declares.
    ///
    /// - Parameters:
    ///   - infoPlist: the file, nil for none.
    ///   - option: the platform; nil for the one that the file declares, iOS for none.
    package init(_ infoPlist: PropertyListFile?, platform option: Platform?) {
        let iOS = infoPlist?.member("MinimumOSVersion")
        let mac = infoPlist?.member("LSMinimumSystemVersion")
        platform = option ?? infoPlist.flatMap(Self.declared) ?? (mac != nil && iOS == nil ? .macOS : .iOS)
        let member: PropertyListMember?
        switch platform {
        case .macOS:
            member = mac
            minimum = Self.version(mac)
        case .macCatalyst where mac != nil:
            member = mac
            // SK-12 begins with macOS 12; what is older lies below every availability, whatever its iOS number was.
            minimum = Self.version(mac).flatMap { version in
                version < OSVersion(12) ? version : EquivalentVersions.iOS(for: version, on: .macOS)
            }
        default:
            member = iOS
            minimum = Self.version(iOS)
        }
        location = infoPlist.map { file in
            guard let member else { return Location(rootOf: file) }
            var location = Location(of: member, in: file)
            location.position = member.node.position
            return location
        }
    }

    /// The platform as sentences name it.
    var platformName: String { platform == .macCatalyst ? "Mac Catalyst" : platform.rawValue }

    private static func declared(in file: PropertyListFile) -> Platform? {
        guard case .array(let names) = file.member("CFBundleSupportedPlatforms")?.node.value else { return nil }
        return names.lazy.compactMap { node in
            guard case .string(let name) = node.value else { return nil }
            return platforms[name]
        }
        .first
    }

    // The names of Xcode's platforms, those of simulators included.
    private static let platforms: [String: Platform] = [
        "iPhoneOS": .iOS, "iPhoneSimulator": .iOS, "MacOSX": .macOS, "AppleTVOS": .tvOS, "AppleTVSimulator": .tvOS,
        "WatchOS": .watchOS, "WatchSimulator": .watchOS, "XROS": .visionOS, "XRSimulator": .visionOS,
    ]

    private static func version(_ member: PropertyListMember?) -> OSVersion? {
        guard case .string(let text) = member?.node.value else { return nil }
        return OSVersion(text)
    }
}
