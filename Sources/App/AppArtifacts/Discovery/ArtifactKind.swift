import AppConfiguration

/// The kind of a named file, determined by its first bytes, then its name, then the keys at its root.
enum ArtifactKind: Hashable {
    case infoPlist
    case entitlements
    case profile
    case executable
    case package
    case localization
    case configurationFile
    case project
    case description(AppDescription.Kind)

    /// The number of first bytes that are needed.
    static let headSize = 8

    /// Determines the kind of a file; nil for a property list whose name does not indicate its kind.
    ///
    /// - Parameters:
    ///   - head: the first bytes.
    ///   - name: the name.
    init?(head: [UInt8], name: String) {
        if let kind = Self.kind(magic: head) {
            self = kind
            return
        }
        let name = FileName(name)
        switch name.fileExtension {
        case "mobileprovision", "provisionprofile": self = .profile
        case "entitlements", "xcent": self = .entitlements
        case "ipa", "zip": self = .package
        case "xcconfig": self = .configurationFile
        case "pbxproj": self = .project
        case "json": self = .description(.expo)
        case "yml", "yaml": self = .description(.xcodeGen)
        case _ where LocalizedInfoPlist.isNamed(name.name): self = .localization
        case _ where name.isInfoPlist: self = .infoPlist
        // A CMS envelope begins with a DER or BER sequence with a long length.
        case _ where head.count >= 2 && head[0] == 0x30 && (0x80...0x84).contains(head[1]): self = .profile
        default: return nil
        }
    }

    /// Determines the kind of a property list.
    ///
    /// It is entitlements if no key at its root belongs to Info.plist and one is a signing key, and otherwise an
    /// Info.plist.
    init(_ file: PropertyListFile) {
        let signing = ["application-identifier", "aps-environment", "keychain-access-groups", "get-task-allow"]
        let hasEntitlement = file.members.contains { member in
            member.key.hasPrefix("com.apple.") || signing.contains(member.key)
        }
        self = hasEntitlement && !KnownNames.isInfoPlist(file) ? .entitlements : .infoPlist
    }

    private static func kind(magic head: [UInt8]) -> ArtifactKind? {
        guard head.count >= 4 else { return nil }
        switch (head[0], head[1], head[2], head[3]) {
        case (0x50, 0x4B, 0x03, 0x04), (0x50, 0x4B, 0x05, 0x06): return .package
        case (0xFE, 0xED, 0xFA, 0xCE), (0xFE, 0xED, 0xFA, 0xCF), (0xCE, 0xFA, 0xED, 0xFE), (0xCF, 0xFA, 0xED, 0xFE),
            (0xCA, 0xFE, 0xBA, 0xBE), (0xCA, 0xFE, 0xBA, 0xBF):
            return .executable
        default: return nil
        }
    }
}
