public import Eligibility
public import ExternalPurchaseCore

/// A system and a mode that exclude each other.
public struct DeviceContradiction: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in one clause.
    public let reason: String
    /// How to correct it, in one sentence.
    public let hint: String

    /// The reason followed by the hint.
    public var description: String { "\(reason). \(hint)" }
}

extension Device {
    /// Creates a device from a system release.
    ///
    /// The version is converted to the numbering of the mode (SK-12).
    ///
    /// In Catalyst and compatible modes a version of macOS or visionOS is converted to its iOS equivalent; a version of
    /// iOS, iPadOS or Mac Catalyst is already that equivalent.
    ///
    /// - Parameters:
    ///   - release: the system.
    ///   - mode: how the app runs.
    ///   - linkedSDK: the version of the SDK; nil for the newest.
    /// - Throws: ``DeviceContradiction`` for a system on which no app runs in that mode, or a version without
    ///   equivalent.
    public init(
        _ release: SystemRelease,
        mode: AppMode = .native,
        linkedSDK: OSVersion? = nil
    ) throws(DeviceContradiction) {
        let host: Platform? =
            switch mode {
            case .native: nil
            case .catalyst, .compatibleMacOS: .macOS
            case .compatibleVisionOS: .visionOS
            }
        guard let host else {
            self.init(platform: release.platform, osVersion: release.version, mode: mode, linkedSDK: linkedSDK)
            return
        }
        let allowed: [Platform] = [host, .iOS, .iPadOS] + (mode == .catalyst ? [.macCatalyst] : [])
        guard allowed.contains(release.platform) else {
            throw DeviceContradiction(
                reason: "mode \"\(mode.rawValue)\" does not exist on \(release)",
                hint: "Name a version of \(host.rawValue), or the iOS version that it stands for."
            )
        }
        guard let version = EquivalentVersions.iOS(for: release.version, on: release.platform) else {
            throw DeviceContradiction(
                reason: "\(release) stands for no version of iOS, which mode \"\(mode.rawValue)\" needs",
                hint: "Name a version of \(host.rawValue) that exists."
            )
        }
        self.init(platform: release.platform, osVersion: version, mode: mode, linkedSDK: linkedSDK)
    }
}
