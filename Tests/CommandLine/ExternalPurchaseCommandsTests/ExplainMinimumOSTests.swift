import Foundation
import Testing

@Suite("explain --minimum-os says what Xcode asks for")
struct ExplainMinimumOSTests {
    /// The members by the version they need on iOS, read by hand from the table of SK-1; types are left out.
    private static let iOS: [(version: String, members: Set<String>)] = [
        (
            "15.4",
            [
                "ExternalPurchase.presentNoticeSheet()", "ExternalPurchase.NoticeResult.cancelled",
                "ExternalPurchaseLink.canOpen", "ExternalPurchaseLink.open()", "StoreKitError.notEntitled",
            ]
        ),
        ("17.0", ["Storefront.currency"]),
        (
            "17.4",
            [
                "ExternalPurchase.canPresent",
                "ExternalPurchase.NoticeResult.continuedWithExternalPurchaseToken(token:)",
            ]
        ),
        ("17.5", ["ExternalPurchaseLink.eligibleURLs", "ExternalPurchaseLink.open(url:)"]),
        (
            "18.1",
            [
                "ExternalPurchaseCustomLink.isEligible", "ExternalPurchaseCustomLink.token(for:) String",
                "ExternalPurchaseCustomLink.showNotice(type:)",
            ]
        ),
        ("18.4", ["StoreKitError.unsupported"]),
        ("27.0", ["StoreKitError.invalidPresentationContext"]),
        ("27.2", ["ExternalPurchaseCustomLink.token(for:) TokenType", "ExternalPurchaseCustomLink.showNotice(for:)"]),
    ]

    private static func number(_ version: String) -> [Int] { version.split(separator: ".").compactMap { Int($0) } }

    private static func availability(_ minimum: String, _ os: String, _ more: [String] = []) async throws
        -> NSDictionary
    {
        let json = try await GemShop.explain("NLD", os, ["--minimum-os", minimum] + more)
        return try #require(json["availability"] as? NSDictionary)
    }

    @Test(
        "Exactly the members that are newer than the deployment target need a guard",
        arguments: ["15.0", "15.4", "17.4", "18.1", "26.5", "27.2"]
    )
    func guarded(_ minimum: String) async throws {
        let found = try await Self.availability(minimum, "iOS 27.2")
        #expect(found["platform"] as? String == "iOS")
        #expect(Self.number(found["minimumOS"] as? String ?? "") == Self.number(minimum))
        #expect((found["missing"] as? [String]) == [])
        var expected: [String: Set<String>] = [:]
        for row in Self.iOS where Self.number(minimum).lexicographicallyPrecedes(Self.number(row.version)) {
            expected[row.version] = row.members
        }
        var guarded: [String: Set<String>] = [:]
        for entry in try #require(found["guarded"] as? [NSDictionary]) {
            let overload = (entry["overload"] as? String).map { " \($0)" } ?? ""
            let name = try #require(entry["name"] as? String)
            guarded[try #require(entry["from"] as? String), default: []].insert(name + overload)
        }
        #expect(guarded == expected)
        // Deprecations are those of SK-1; the compiler warns from the target that has the successors on.
        let deprecated = try #require(found["deprecated"] as? [NSDictionary])
        #expect(
            deprecated.map { $0["name"] as? String } == [
                "ExternalPurchaseCustomLink.NoticeType", "ExternalPurchaseCustomLink.showNotice(type:)",
                "ExternalPurchaseCustomLink.token(for:)",
            ]
        )
        #expect(deprecated.allSatisfy { $0["from"] as? String == "27.2" })
        #expect(deprecated.allSatisfy { $0["warns"] as? Bool == (minimum == "27.2") })
        #expect(
            deprecated.map { $0["replacement"] as? String } == [
                "ExternalPurchaseCustomLink.ExternalPurchaseType", "ExternalPurchaseCustomLink.showNotice(for:)",
                "ExternalPurchaseCustomLink.token(for: TokenType)",
            ]
        )
    }

    @Test("The version of Info.plist, other platforms, modes and older rules count")
    func situations() async throws {
        // GemShop's Info.plist says 17.4.
        let own = try await Self.availability("info-plist", "iOS 26.4")
        #expect(own["minimumOS"] as? String == "17.4")
        let mac = try await Self.availability("15.0", "macOS 26.0")
        let first = (mac["guarded"] as? [NSDictionary])?.first
        #expect(mac["platform"] as? String == "macOS")
        #expect(first?["name"] as? String == "ExternalPurchaseCustomLink.isEligible")
        #expect(first?["from"] as? String == "15.1")
        // In Catalyst the target is a number of iOS, as in #available.
        let catalyst = try await Self.availability("18.0", "macOS 26.0", ["--mode", "catalyst"])
        #expect(catalyst["platform"] as? String == "macCatalyst")
        #expect((catalyst["guarded"] as? [NSDictionary])?.first?["from"] as? String == "18.1")
        // Before the typed members nothing is deprecated.
        let older = try await Self.availability("17.4", "iOS 26.4", ["--as-of", "2026-09-30"])
        #expect((older["deprecated"] as? [NSDictionary])?.isEmpty == true)
        #expect((older["guarded"] as? [NSDictionary])?.contains { $0["from"] as? String == "27.2" } == false)
    }

    @Test("The text groups members under their guard")
    func text() async throws {
        let result = try await BuiltBinary.run([
            "explain", GemShop.folder, "--storefront", "NLD", "--os", "iPadOS 26.4", "--minimum-os", "17.4",
        ])
        #expect(result.exitCode == 0, "\(result.error)")
        let section = try #require(result.output.range(of: "Deployment target iPadOS 17.4: what Xcode asks for\n"))
        let lines = result.output[section.upperBound...].split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(3) == [
                "  under #available(iOS 17.5, *):", "    ExternalPurchaseLink.eligibleURLs",
                "    ExternalPurchaseLink.open(url:)",
            ]
        )
        #expect(lines.contains("    ExternalPurchaseCustomLink.token(for: TokenType)"))
        #expect(lines.contains("  without a guard: every other member"))
        #expect(
            lines.contains(
                "  deprecated from 27.2: ExternalPurchaseCustomLink.showNotice(type:); "
                    + "use ExternalPurchaseCustomLink.showNotice(for:) there"
            )
        )
    }

    @Test(
        "What cannot be a deployment target is refused with what would be right",
        arguments: [
            ("seventeen", "iOS 26.4", "is not a version; write one like 17.4, or info-plist"),
            ("27.2", "iOS 26.4", "the app does not run on iOS 26.4"),
            ("info-plist", "macOS 26.0", "Info.plist has no usable LSMinimumSystemVersion"),
        ]
    )
    func refused(_ minimum: String, _ os: String, _ message: String) async throws {
        let result = try await BuiltBinary.run([
            "explain", GemShop.folder, "--storefront", "NLD", "--os", os, "--minimum-os", minimum,
        ])
        #expect(result.exitCode == 2)
        #expect(result.error.contains(message), "\(result.error)")
    }
}
