import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Testing

/// The product's side of a drawn configuration.
extension ReferenceCase {
    static let paths = ["I": "Info.plist", "E": "App.entitlements", "B": "signed", "P": "profile"]

    /// The files as the product reads them from XML.
    func read() throws(ConfigurationReadError) -> AppConfiguration {
        func bytes(_ members: [ReferenceMember]?) -> [UInt8]? {
            members.map { Array("<plist version=\"1.0\">\(ReferenceValue.dictionary($0).xml)</plist>".utf8) }
        }
        func file(_ members: [ReferenceMember]?, _ path: String) throws(ConfigurationReadError) -> PropertyListFile? {
            guard let bytes = bytes(members) else { return nil }
            return try PropertyListFile.parse(bytes, path: path)
        }
        var configuration = try AppConfiguration.parse(infoPlist: bytes(info), entitlements: bytes(source))
        configuration.signedEntitlements = try file(signed, "signed")
        configuration.profileEntitlements = try file(profile, "profile")
        configuration.reviewedInfoPlist = try file(reviewed, "reviewed")
        return configuration
    }

    func options() throws -> LintOptions {
        LintOptions(
            pack: try #require(RegionTables.builtIn.pack(pack)),
            musicStreaming: try #require(MusicStreaming(rawValue: streaming.rawValue)),
            built: built,
            platform: platform.flatMap(Platform.init(rawValue:))
        )
    }
}

extension ReferenceFinding {
    // These rules look at several keys; the rules of section 8 name a country, not a path.
    private static let byCountry: Set = [
        "link-url-changed", "multi-link-needs-streaming", "link-union-over-limit", "custom-link-beside-link",
    ]

    /// A finding of the product in the terms of the reference.
    init(_ finding: Finding) {
        rule = finding.rule
        severity = finding.severity.rawValue
        role = ReferenceCase.paths.first { $0.value == finding.file }?.key ?? finding.file
        switch finding.rule {
        case _ where Self.byCountry.contains(finding.rule): subject = finding.country ?? "?"
        case "bundle-id-missing", "minimum-os-unknown": subject = ""
        case "country-duplicate": subject = finding.key ?? "?"
        case "multi-link-duplicate": subject = "\(finding.key ?? "?")/\(finding.country ?? "?")"
        default: subject = finding.path ?? "?"
        }
    }
}
