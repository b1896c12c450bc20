public import ExternalPurchaseCore

/// How an app runs on a system (SK-10).
public enum AppMode: String, Hashable, Sendable, CaseIterable {
    /// The app was built for the system.
    case native
    /// The app was built with Mac Catalyst.
    case catalyst
    /// A compatible iPhone or iPad app on a Mac with Apple silicon.
    case compatibleMacOS = "compatible-macos"
    /// A compatible iPhone or iPad app on visionOS.
    case compatibleVisionOS = "compatible-visionos"
}

/// The system that an app runs on.
public struct Device: Hashable, Sendable {
    /// The operating system.
    ///
    /// It is ignored in modes that report an iOS version.
    public var platform: Platform
    /// The version.
    ///
    /// In Catalyst and compatible modes this is the equivalent iOS version (SK-12).
    public var osVersion: OSVersion
    /// How the app runs.
    public var mode: AppMode
    /// The version of the SDK that the app was built with, in the numbering of ``column``; nil for the newest.
    public var linkedSDK: OSVersion?

    /// Creates a device.
    ///
    /// - Parameters:
    ///   - platform: the operating system.
    ///   - osVersion: the version. In Catalyst and compatible modes this is the equivalent iOS version.
    ///   - mode: how the app runs.
    ///   - linkedSDK: the version of the SDK; nil for the newest.
    public init(
        platform: Platform = .iOS,
        osVersion: OSVersion = OSVersion(26, 5),
        mode: AppMode = .native,
        linkedSDK: OSVersion? = nil
    ) {
        self.platform = platform
        self.osVersion = osVersion
        self.mode = mode
        self.linkedSDK = linkedSDK
    }

    /// The column of the availability tables that applies (SK-13).
    public var column: Platform {
        switch mode {
        case .native: platform
        case .catalyst: .macCatalyst
        case .compatibleMacOS, .compatibleVisionOS: .iOS
        }
    }

    /// True for an app that was built for another system than the one it runs on (SK-40, SK-41).
    var runsOnForeignSystem: Bool { mode != .native || platform == .macCatalyst }
}

extension Platform {
    /// The name for people.
    package var title: String { self == .macCatalyst ? "Mac Catalyst" : rawValue }
}
