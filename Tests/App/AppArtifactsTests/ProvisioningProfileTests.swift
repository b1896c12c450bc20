import AppConfiguration
import ExternalPurchaseCore
import Testing

@testable import AppArtifacts
@testable import ArtifactWriters

struct ProvisioningProfileTests {
    private func read(_ bytes: [UInt8]) throws(ConfigurationReadError) -> ProvisioningProfile {
        try ProvisioningProfile.read(bytes, path: "App.app/embedded.mobileprovision")
    }

    @Test(
        "A profile in an envelope of OpenSSL is read, whether of definite or indefinite lengths",
        arguments: ["openssl.mobileprovision", "openssl-streamed.mobileprovision"]
    )
    func openSSL(name: String) throws {
        let profile = try ProvisioningProfile.read(Fixture.open(name))
        #expect(profile.name == "Gem Shop Distribution")
        #expect(profile.teamIdentifiers == ["A1B2C3D4E5"])
        #expect(profile.platforms == ["iOS", "xrOS"])
        // date -u -d 2027-01-31T12:00:00Z +%s
        #expect(profile.expirationDate == 1_801_396_800)
        #expect(profile.entitlements.path == Fixture.path(name))
        #expect(
            profile.entitlements.members.map(\.key) == [
                "application-identifier", "com.apple.developer.storekit.external-purchase-link",
                "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
            ]
        )
        #expect(
            profile.entitlements.value("com.apple.developer.storekit.custom-purchase-link.allowed-regions")
                == .array([PropertyListNode(.string("jp")), PropertyListNode(.string("br"))])
        )
    }

    @Test("Entries have no line, since the property list is not a file of its own")
    func places() throws {
        let profile = try read(ProfileWriter(entitlements: "<key>a</key><array><true/></array>").bytes())
        let expected = PropertyListMember(
            key: "a",
            node: PropertyListNode(.array([PropertyListNode(.bool(true))]))
        )
        #expect(profile.entitlements.members == [expected])
        #expect(profile.entitlements.format == .binary)
        #expect(profile.content.format == .binary)
    }

    @Test("A content in pieces is put together", arguments: [1, 7, 200, 100_000])
    func pieces(size: Int) throws {
        var writer = ProfileWriter(entitlements: "<key>get-task-allow</key><false/>")
        let whole = try read(writer.bytes())
        writer.pieces = size
        #expect(try read(writer.bytes()) == whole)
        #expect(whole.entitlements.value("get-task-allow") == .bool(false))
    }

    @Test("Members that a profile lacks are nil or empty")
    func absent() throws {
        let profile = try read(
            ProfileWriter("<plist><dict><key>Entitlements</key><dict/><key>Name</key><true/></dict></plist>").bytes()
        )
        #expect(profile.name == nil)
        #expect(profile.teamIdentifiers == [])
        #expect(profile.expirationDate == nil)
        #expect(profile.platforms == [])
        #expect(profile.entitlements.members == [])
    }

    @Test(
        "A file that is not a profile is refused with the reason",
        arguments: [
            ([], "it is not an envelope of CMS"),
            (Array("<plist/>".utf8), "it is not an envelope of CMS"),
            ([0x30, 0], "it is not signed data of CMS"),
            (ASN1Writer.sequence(ASN1Writer.integer(1), ASN1Writer.integer(2)), "it is not signed data of CMS"),
            (ProfileWriter("").bytes(), "its content is not a readable property list: it is empty"),
            (ProfileWriter("{}").bytes(), "its content is not a readable property list: it looks like JSON"),
            (ProfileWriter("<plist><array/></plist>").bytes(), "its content has an array at its root"),
            (ProfileWriter("<plist><dict/></plist>").bytes(), "its content has no dictionary Entitlements"),
            (
                ProfileWriter("<plist><dict><key>Entitlements</key><true/></dict></plist>").bytes(),
                "its content has no dictionary Entitlements"
            ),
            ([UInt8](repeating: 0x30, count: 2 << 20 + 1), "it has more than 2 MiB"),
            ([UInt8](repeating: 0x30, count: 100_000), "it is not an envelope of CMS"),
            (Array(repeating: [0x30, 0x80], count: 100_000).flatMap(\.self), "it is not an envelope of CMS"),
        ] as [([UInt8], String)]
    )
    func refused(bytes: [UInt8], reason: String) throws {
        let error = try #require(throws: ConfigurationReadError.self) { try read(bytes) }
        #expect(error.cause == .notArtifact)
        #expect(error.file == "App.app/embedded.mobileprovision")
        #expect(error.position == nil)
        #expect(error.reason.hasPrefix(reason))
    }

    @Test(
        "Other envelopes of OpenSSL are recognised",
        arguments: [
            ("openssl-detached.mobileprovision", "its signed data contains only a signature, not the content"),
            ("openssl-data.mobileprovision", "it is not signed data of CMS"),
        ]
    )
    func otherEnvelopes(name: String, reason: String) throws {
        let error = try #require(throws: ConfigurationReadError.self) {
            try ProvisioningProfile.read(Fixture.open(name))
        }
        #expect(error.reason == reason)
    }

    @Test("A profile larger than the limit is refused without reading it completely")
    func tooLarge() throws {
        let source = EndlessBytes(count: 1 << 40)
        let error = try #require(throws: ConfigurationReadError.self) { try ProvisioningProfile.read(source) }
        #expect(error.reason == "it has more than 2 MiB")
        #expect(source.largest == ProvisioningProfile.maximumSize + 1)
    }

    @Test(
        "An envelope cut off anywhere is refused",
        arguments: ["openssl.mobileprovision", "openssl-streamed.mobileprovision"]
    )
    func cutOff(name: String) throws {
        let bytes = try Fixture.bytes(name)
        for count in 0..<bytes.count {
            let error = try #require(throws: ConfigurationReadError.self) { try read(Array(bytes[..<count])) }
            #expect(error.cause == .notArtifact)
        }
    }

    @Test("Damaged envelopes are read or refused, never crash", arguments: [1, 2] as [UInt64])
    func damaged(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let seeds = try ["openssl.mobileprovision", "openssl-streamed.mobileprovision"].map(Fixture.bytes)
        var refused = 0
        for round in 0..<2000 {
            do throws(ConfigurationReadError) {
                _ = try read(seeds[round % seeds.count].damaged(by: &numbers))
            } catch {
                refused += 1
                #expect(error.cause == .notArtifact)
            }
        }
        #expect(refused > 500)
    }
}

/// Bytes that are generated on demand, to measure how many a reader requests.
final class EndlessBytes: RandomAccessBytes {
    let path = "endless"
    let count: Int
    private(set) var largest = 0

    init(count: Int) {
        self.count = count
    }

    func bytes(at offset: Int, count: Int) throws(ConfigurationReadError) -> [UInt8] {
        largest = max(largest, count)
        return [UInt8](repeating: 0x30, count: count)
    }
}
