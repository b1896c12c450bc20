package import AppConfiguration
import SwiftASN1

/// What a provisioning profile grants, read from its CMS envelope.
///
/// The signature of the envelope is not verified: `codesign`, the device and App Review do so, against certificates
/// and a clock that a linter does not have. Lint compares content, and a forged profile would only deceive its maker.
package struct ProvisioningProfile: Hashable, Sendable {
    /// The largest profile that is read; those of teams with hundreds of devices have some 100 KiB.
    package static let maximumSize = 2 * 1024 * 1024

    /// The whole content, without lines and columns.
    package let content: PropertyListFile
    /// The entitlements it allows, under the path of the profile.
    package let entitlements: PropertyListFile
    /// The name the team gave it, where it has one.
    package let name: String?
    /// The teams it is for; empty when it names none.
    package let teamIdentifiers: [String]
    /// When it expires, in seconds since 1970, where it says so.
    package let expirationDate: Double?
    /// The platforms it is for, such as `iOS` or `OSX`; empty when it names none.
    package let platforms: [String]

    /// Reads a profile.
    ///
    /// - Parameters:
    ///   - bytes: the content of a `.mobileprovision` or `.provisionprofile`.
    ///   - path: the name of the file in messages.
    /// - Returns: what the profile says.
    /// - Throws: an error when the bytes are not signed data of CMS (RFC 5652) in BER or DER, or the content is not a
    ///   property list with a dictionary `Entitlements`.
    package static func read(_ bytes: [UInt8], path: String) throws(ConfigurationReadError) -> ProvisioningProfile {
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
    /// - Returns: what the profile says.
    /// - Throws: an error as the other one does, or when the bytes cannot be read.
    package static func read(_ source: any RandomAccessBytes) throws(ConfigurationReadError) -> ProvisioningProfile {
        // One byte more than allowed is enough to be refused.
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
