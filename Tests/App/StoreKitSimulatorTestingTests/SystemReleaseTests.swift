import Eligibility
import ExternalPurchaseCore
import StoreKitSimulator
import Testing

@Suite("A system as people name it")
struct SystemReleaseTests {
    @Test(
        "Takes names in any case and spelling of Apple's",
        arguments: [
            ("iOS 26.4", Platform.iOS, OSVersion(26, 4)), ("ios 17.5.1", .iOS, OSVersion(17, 5, 1)),
            ("IPADOS 18", .iPadOS, OSVersion(18)), ("macOS15.4", .macOS, OSVersion(15, 4)),
            ("mac os 15.4", .macOS, OSVersion(15, 4)), ("Mac Catalyst 18.0", .macCatalyst, OSVersion(18)),
            ("catalyst 18.0", .macCatalyst, OSVersion(18)), ("tvOS 26.0", .tvOS, OSVersion(26)),
            ("watchos 26.0", .watchOS, OSVersion(26)), ("visionOS 2.1 ", .visionOS, OSVersion(2, 1)),
        ]
    )
    func accepted(text: String, platform: Platform, version: OSVersion) throws {
        let release = try SystemRelease(text)
        #expect(release == SystemRelease(platform: platform, version: version))
        #expect(try SystemRelease(release.description) == release)
    }

    @Test(
        "Any other text is an error with a reason",
        arguments: [
            ("", "\"\" does not name an operating system. Write a name and a version, \"iOS 26.4\"."),
            ("26.4", "\"26.4\" does not name an operating system. Write a name and a version, \"iOS 26.4\"."),
            ("iOS", "\"iOS\" names no version. Write one to three numbers after the name, \"iOS 26.4\"."),
            (
                "iOS 26.x",
                "\"26.x\" is not a system version. Write one to three numbers after the name, \"iOS 26.4\"."
            ),
            ("iSO 26.4", "\"iSO 26.4\" is not an Apple operating system. Did you mean \"iOS\"?"),
            ("xrOS 1.0", "\"xrOS 1.0\" is not an Apple operating system. Did you mean \"visionOS\"?"),
            ("OS X 10.15", "\"OS X 10.15\" is not an Apple operating system. Did you mean \"macOS\"?"),
            (
                "Windows 11",
                """
                "Windows 11" is not an Apple operating system. \
                Known are iOS, iPadOS, macCatalyst, macOS, tvOS, watchOS, visionOS.
                """
            ),
        ]
    )
    func refused(text: String, message: String) throws {
        let error = try #require(throws: SystemReleaseError.self) { try SystemRelease(text) }
        #expect(error.description == message)
    }

    @Test(
        "No text crashes it",
        arguments: ["١٢", "iOS ١٢", "iOS 26.4\u{0}", "🍎 26", "iOS -1", String(repeating: "9", count: 99)]
    )
    func hostile(text: String) {
        #expect(throws: SystemReleaseError.self) { try SystemRelease(text) }
    }

    @Test(
        "Brings the version to the numbers that the mode sees (SK-12)",
        arguments: [
            ("macOS 15.4", AppMode.catalyst, OSVersion(18, 4)), ("iOS 18.4", .catalyst, OSVersion(18, 4)),
            ("macOS 14.4", .compatibleMacOS, OSVersion(17, 4)), ("visionOS 1.1", .compatibleVisionOS, OSVersion(17, 4)),
            ("macOS 26.4", .catalyst, OSVersion(26, 4)), ("macOS 15.4", .native, OSVersion(15, 4)),
        ]
    )
    func equivalents(text: String, mode: AppMode, version: OSVersion) throws {
        let device = try Device(SystemRelease(text), mode: mode, linkedSDK: OSVersion(18, 1))
        #expect(device.osVersion == version)
        #expect(device.mode == mode)
        #expect(device.linkedSDK == OSVersion(18, 1))
    }

    @Test("Refuses a system on which no app runs in the mode")
    func contradiction() throws {
        let release = try SystemRelease("tvOS 26.0")
        let error = try #require(throws: DeviceContradiction.self) { try Device(release, mode: .catalyst) }
        #expect(
            error.description == """
                mode "catalyst" does not exist on tvOS 26.0. \
                Name a version of macOS, or the iOS version that it stands for.
                """
        )
    }
}
