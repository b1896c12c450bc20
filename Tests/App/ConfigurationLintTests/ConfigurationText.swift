import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Foundation

/// Files written as the members of their root dictionaries.
enum ConfigurationText {
    /// The bundle id, minimum OS and platform of every case (CF-76).
    static let baseline =
        "<key>CFBundleIdentifier</key><string>com.acme.app</string>"
        + "<key>MinimumOSVersion</key><string>26.5</string>"
        + "<key>CFBundleSupportedPlatforms</key><array><string>iPhoneOS</string></array>"

    static func plist(_ members: String) -> String {
        "<plist version=\"1.0\"><dict>\(members)</dict></plist>"
    }

    /// The configuration of a case.
    ///
    /// Without entitlements it gets the Boolean ones that its keys require.
    static func read(
        infoPlist: String,
        entitlements: String? = nil,
        signed: String? = nil,
        profile: String? = nil,
        reviewed: String? = nil,
        whole: String? = nil
    ) throws(ConfigurationReadError) -> AppConfiguration {
        let text = whole ?? plist(baseline + infoPlist)
        var configuration = try AppConfiguration.parse(
            infoPlist: Array(expanded(text).utf8),
            entitlements: Array(plist(entitlements ?? pairing(text)).utf8)
        )
        configuration.signedEntitlements = try file("App (signed)", signed)
        configuration.profileEntitlements = try file("App.mobileprovision", profile)
        configuration.reviewedInfoPlist = try file("Reviewed.plist", reviewed)
        return configuration
    }

    private static func file(_ path: String, _ members: String?) throws(ConfigurationReadError) -> PropertyListFile? {
        guard let members else { return nil }
        return try PropertyListFile.parse(Array(plist(members).utf8), path: path)
    }

    private static func pairing(_ infoPlist: String) -> String {
        let pairs: [(String, Entitlement)] = [
            ("<key>SKExternalPurchase</key>", .externalPurchase),
            ("<key>SKExternalPurchaseLink</key>", .link),
            ("<key>SKExternalPurchaseMultiLink</key>", .link),
            ("<key>SKExternalPurchaseCustomLinkRegions</key>", .link),
            ("<key>SKExternalPurchaseLinkStreamingRegions</key>", .streaming),
            ("<key>SKExternalLinkAccount</key>", .linkAccount),
        ]
        let needed = Set(pairs.filter { infoPlist.contains($0.0) }.map(\.1.rawValue))
        return needed.sorted().map { "<key>\($0)</key><true/>" }.joined()
    }

    /// `A×975` stands for that many letters.
    private static func expanded(_ text: String) -> String {
        guard let mark = text.range(of: "A×") else { return text }
        let digits = text[mark.upperBound...].prefix { $0.isNumber }
        return text[..<mark.lowerBound] + String(repeating: "A", count: Int(digits) ?? 0) + text[digits.endIndex...]
    }
}
