import AppConfiguration
import SwiftASN1

/// The content of a provisioning profile, read from its CMS envelope.
///
/// The signature of the envelope is not verified. `codesign`, the device and App Review verify it, against certificates
/// and a clock that a linter does not have. The linter compares content, and a forged profile would deceive only its
/// author.
struct ProvisioningProfile: Hashable, Sendable {
    /// The maximum size of a profile in bytes.
    ///
    /// Profiles of teams with hundreds of devices have about 100 KiB.
    static let maximumSize = 2 * 1024 * 1024

    /// The complete content, without lines and columns.
    let content: PropertyListFile
    /// The entitlements that the profile allows, with the path of the profile.
    let entitlements: PropertyListFile
    /// The name of the profile, if it has one.
    let name: String?
    /// The teams of the profile; empty when it names none.
    let teamIdentifiers: [String]
    /// The expiration date in seconds since 1970, if there is one.
    let expirationDate: Double?
    /// The platforms of the profile, such as `iOS` or `OSX`; empty when it names none.
    let platforms: [String]

    /// Reads a profile.
    ///
    /// - Parameters:
    ///   - bytes: the content of a `.mobileprovision` or `.provisionprofile`.
    ///   - path: the name of the file in messages.
    /// - Returns: the content of the profile.
    /// - Throws: an error when the bytes are not CMS signed data (RFC 5652) in BER or DER, or the content is not a
    ///   property list with a dictionary `Entitlements`.
    static func read(_ bytes: [UInt8], path: String) throws(ConfigurationReadError) -> ProvisioningProfile {
        func fault(_ reason: String) -> ConfigurationReadError {
            ConfigurationReadError(cause: .notArtifact, file: path, reason: reason)
        }
        guard bytes.count <= maximumSize else { throw fault("it has more than \(maximumSize / 1_048_576) MiB") }
        let text: [UInt8]
        switch SignedData.content(of: bytes) {
        case .success(let content): text = content
        case .failure(let problem): throw fault(problem.reason)
        }
        let content = try EmbeddedPropertyList.parse(text, path: path, of: "its content")
        guard let entitlements = content.member("Entitlements")?.node, case .dictionary = entitlements.value else {
            throw fault("its content has no dictionary Entitlements")
        }
        return ProvisioningProfile(
            content: content,
            entitlements: PropertyListFile(path: path, format: .binary, root: entitlements),
            name: content.member("Name")?.node.value.text,
            teamIdentifiers: content.member("TeamIdentifier")?.node.value.texts ?? [],
            expirationDate: content.member("ExpirationDate")?.node.value.seconds,
            platforms: content.member("Platform")?.node.value.texts ?? []
        )
    }

    /// Reads a profile from a file or an entry of an archive.
    ///
    /// - Parameter source: the content of a `.mobileprovision` or `.provisionprofile`.
    /// - Returns: the content of the profile.
    /// - Throws: the errors of ``read(_:path:)``, or an error when the bytes cannot be read.
    static func read(_ source: any RandomAccessBytes) throws(ConfigurationReadError) -> ProvisioningProfile {
        // One byte more than allowed is sufficient to refuse the profile.
        try read(source.bytes(at: 0, count: min(source.count, maximumSize + 1)), path: source.path)
    }
}

extension PropertyListValue {
    fileprivate var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    fileprivate var texts: [String] {
        guard case .array(let elements) = self else { return [] }
        return elements.compactMap(\.value.text)
    }

    fileprivate var seconds: Double? {
        guard case .date(let seconds) = self else { return nil }
        return seconds
    }
}
