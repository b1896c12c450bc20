import CommandSupport
import Eligibility
import ExternalPurchaseCore

/// The system described by `--os`, `--mode` and `--sdk`.
struct SystemText {
    /// The requested platform and version, such as `macOS 15.1`.
    let title: String
    /// The device for the engine; in modes that use iOS version numbers, the version is converted (SK-12).
    let device: Device

    private static let platforms: [Platform] = [.iOS, .iPadOS, .macOS, .tvOS, .watchOS, .visionOS]

    init(os: String, mode: String, sdk: String?) throws(CommandFailure) {
        guard let mode = AppMode.named(mode) else {
            let modes = AppMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw .input("--mode \(mode.shown()) is not known; choose one of \(modes)")
        }
        let words = os.split(whereSeparator: \.isWhitespace)
        let names = Self.platforms.map(\.rawValue).joined(separator: ", ")
        guard let last = words.last, words.count >= 2, let version = OSVersion(String(last)) else {
            throw .input("--os \(os.shown()) is not a system and its version; write one like \"iOS 26.4\" (\(names))")
        }
        let name = words.dropLast().joined(separator: " ")
        if ["mac catalyst", "maccatalyst", "catalyst"].contains(name.lowercased()) {
            throw .input("--os \(os.shown()): Mac Catalyst is a mode; write --mode catalyst --os \"macOS 15.1\"")
        }
        guard let platform = Self.platforms.first(where: { $0.rawValue.lowercased() == name.lowercased() }) else {
            throw .input("--os \(os.shown()): there is no system \(name.shown()); choose one of \(names)")
        }
        let host = mode.host
        if let host, host != platform {
            throw .input(
                "--mode \(mode.rawValue) runs on \(host.rawValue), not \(platform.rawValue); "
                    + "write --os \"\(host.rawValue) VERSION\" with the system's own number"
            )
        }
        guard let seen = host == nil ? version : EquivalentVersions.iOS(for: version, on: platform) else {
            throw .input("--os \(os.shown()): no \(platform.rawValue) \(version) with a known iOS number exists")
        }
        var linkedSDK: OSVersion?
        if let sdk {
            linkedSDK = OSVersion(sdk)
            guard linkedSDK != nil else {
                throw .input("--sdk \(sdk.shown()) is not a version; write one like 17.4")
            }
        }
        title = "\(platform.rawValue) \(version)"
        device = Device(platform: platform, osVersion: seen, mode: mode, linkedSDK: linkedSDK)
    }
}

extension AppMode {
    /// The platform on which a mode runs, if it is tied to one.
    fileprivate var host: Platform? {
        switch self {
        case .native: nil
        case .catalyst, .compatibleMacOS: .macOS
        case .compatibleVisionOS: .visionOS
        }
    }

    /// The description of the mode.
    var words: String {
        switch self {
        case .native: "native app"
        case .catalyst: "Mac Catalyst app"
        case .compatibleMacOS: "iPhone or iPad app on a Mac"
        case .compatibleVisionOS: "iPhone or iPad app on visionOS"
        }
    }
}
