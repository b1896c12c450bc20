package import AppConfiguration
package import ExternalPurchaseCore

/// The platform of an app and the oldest system version that it supports (CF-74).
package struct Deployment: Hashable, Sendable {
    let platform: Platform
    /// The oldest system version, for Mac Catalyst in the numbering of iOS; nil when no usable version is given.
    package let minimum: OSVersion?
    /// The location of that version, or of the root of Info.plist if it has none; nil without Info.plist.
    let location: Location?

    /// Reads the platform and version from Info.plist.
    ///
    /// - Parameters:
    ///   - infoPlist: the file; nil for none.
    ///   - generated: what the build adds to the file; nil when it is unknown.
    ///   - option: the platform; nil for the one that the file declares, or iOS if it declares none.
    package init(
        _ infoPlist: PropertyListFile?,
        generated: PropertyListFile? = nil,
        platform option: Platform?
    ) {
        let names = ["MinimumOSVersion", "LSMinimumSystemVersion"]
        let hasOwn = names.contains { infoPlist?.member($0) != nil }
        let source = hasOwn ? infoPlist : generated ?? infoPlist
        let iOS = source?.member(names[0])
        let mac = source?.member(names[1])
        platform = option ?? infoPlist.flatMap(Self.declared) ?? (mac != nil && iOS == nil ? .macOS : .iOS)
        let member: PropertyListMember?
        switch platform {
        case .macOS:
            member = mac
            minimum = Self.version(mac)
        case .macCatalyst where mac != nil:
            member = mac
            // SK-12 begins with macOS 12. Earlier versions are below every availability, whatever their iOS equivalent
            // was.
            minimum = Self.version(mac).flatMap { version in
                version < OSVersion(12) ? version : EquivalentVersions.iOS(for: version, on: .macOS)
            }
        default:
            member = iOS
            minimum = Self.version(iOS)
        }
        location = source.map { file in
            guard let member else { return Location(rootOf: file) }
            var location = Location(of: member, in: file)
            location.position = member.node.position
            return location
        }
    }

    /// The name of the platform in messages.
    var platformName: String { platform == .macCatalyst ? "Mac Catalyst" : platform.rawValue }

    private static func declared(in file: PropertyListFile) -> Platform? {
        guard case .array(let names) = file.member("CFBundleSupportedPlatforms")?.node.value else { return nil }
        return names.lazy.compactMap { node in
            guard case .string(let name) = node.value else { return nil }
            return platforms[name]
        }
        .first
    }

    // Xcode's platform names, including those of simulators.
    private static let platforms: [String: Platform] = [
        "iPhoneOS": .iOS, "iPhoneSimulator": .iOS, "MacOSX": .macOS, "AppleTVOS": .tvOS, "AppleTVSimulator": .tvOS,
        "WatchOS": .watchOS, "WatchSimulator": .watchOS, "XROS": .visionOS, "XRSimulator": .visionOS,
    ]

    private static func version(_ member: PropertyListMember?) -> OSVersion? {
        guard case .string(let text) = member?.node.value else { return nil }
        return OSVersion(text)
    }
}
