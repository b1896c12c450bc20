import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Testing

@Suite("Engine against a naive evaluator")
struct LinkAgreementTests {
    private typealias Situation = NaiveLinkEvaluator.Situation

    private static let devices: [(platform: String, mode: String, versions: [(Int, Int)])] = [
        ("iOS", "native", [(15, 3), (15, 4), (17, 3), (17, 4), (17, 5), (26, 1), (26, 2), (26, 5), (27, 2)]),
        ("iOS", "catalyst", [(15, 4), (17, 3), (17, 4), (17, 5), (26, 5)]),
        ("macOS", "compatible-macos", [(17, 3), (17, 5), (26, 2)]),
        ("macOS", "native", [(14, 3), (14, 4), (14, 5), (26, 2)]),
        ("tvOS", "native", [(17, 3), (17, 5)]),
        ("watchOS", "native", [(10, 4), (10, 5)]),
        ("visionOS", "native", [(1, 0), (1, 1), (1, 2), (26, 5)]),
    ]

    private static func situations() -> [Situation] {
        var result: [Situation] = []
        let allRegions: Set<String> = ["de", "is", "ru", "us", "jp"]
        let declarations: [(link: Bool, list: Bool, single: Set<String>, multi: Set<String>, allowed: Set<String>)] = [
            (false, false, allRegions, allRegions, allRegions),
            (true, false, allRegions, [], []),
            (true, false, ["nl"], allRegions, []),
            (false, true, allRegions, allRegions, allRegions),
            (true, true, ["de"], ["de", "nl"], ["is", "jp", "br", "nl"]),
            (true, true, ["is", "nl"], [], ["is", "nl"]),
            (true, true, ["de", "is", "nl"], ["de", "nl"], ["is", "nl"]),
        ]
        for device in devices {
            for version in device.versions {
                for storefront in ["DEU", "NLD", "ISL", "RUS", "USA", "JPN", "CHE", "XKS", "nld", ""] {
                    for pack in ["2024-04", "2025-07", "2026-02", "2026-06", "2026-10"] {
                        for (number, declared) in declarations.enumerated() {
                            result.append(
                                Situation(
                                    platform: device.platform,
                                    major: version.0,
                                    minor: version.1,
                                    mode: device.mode,
                                    oldSDK: number == 1,
                                    storefront: storefront,
                                    pack: pack,
                                    hasLinkEntitlement: declared.link,
                                    hasAllowedRegions: declared.list,
                                    singleRegions: declared.single,
                                    multiRegions: declared.multi,
                                    conflicts: number == 6 ? ["de", "nl"] : [],
                                    allowedRegions: declared.allowed,
                                    payments: (result.count % 11) != 0,
                                    person: (result.count % 5) != 0
                                )
                            )
                        }
                    }
                }
            }
        }
        return result
    }

    private static func engine(_ s: Situation) throws -> EligibilityEngine {
        let here = UsableConfiguration.Evidence(file: "Info.plist")
        func link(_ region: String) -> UsableConfiguration.Link {
            .init(url: "https://a.example/\(region)", evidence: here)
        }
        var configuration = UsableConfiguration()
        if s.hasLinkEntitlement { configuration.entitlements[.link] = here }
        if s.hasAllowedRegions { configuration.entitlements[.allowedRegions] = here }
        configuration.singleLinks = Dictionary(
            uniqueKeysWithValues: s.singleRegions.subtracting(s.conflicts).map { ($0, link($0)) }
        )
        for region in s.conflicts {
            configuration.excessLinks[region] = .init(
                multi: [],
                single: link(region),
                rule: "link-union-over-limit",
                reason: "one link is allowed",
                hint: "Repeat it."
            )
        }
        configuration.multiLinks = Dictionary(uniqueKeysWithValues: s.multiRegions.map { ($0, [link($0)]) })
        configuration.allowedRegions = Dictionary(uniqueKeysWithValues: s.allowedRegions.map { ($0, here) })
        let sdk = s.mode == "native" ? nil : s.oldSDK ? OSVersion(17, 2) : OSVersion(18, 0)
        return EligibilityEngine(
            device: Device(
                platform: try #require(Platform(rawValue: s.platform)),
                osVersion: OSVersion(s.major, s.minor),
                mode: try #require(AppMode(rawValue: s.mode)),
                linkedSDK: sdk
            ),
            storefront: s.storefront.isEmpty ? nil : s.storefront,
            canMakePayments: s.payments,
            isPersonEligible: s.person,
            configuration: configuration,
            pack: try #require(RegionTables.builtIn.pack(s.pack))
        )
    }

    @Test(
        "Both link questions agree over storefronts, systems, modes, packs and configurations (SK-20 to SK-22, CF-52)"
    )
    func agreement() throws {
        let situations = Self.situations()
        #expect(situations.count == 10_150)
        var answers: [String: Int] = [:]
        for situation in situations {
            let engine = try Self.engine(situation)
            let canOpen = engine.evaluate(.canOpen)
            let eligibleURLs = engine.evaluate(.eligibleURLs)
            let expected = (NaiveLinkEvaluator.canOpen(situation), NaiveLinkEvaluator.eligibleURLs(situation))
            let found = (
                canOpen.failed.map(\.description) ?? "yes", eligibleURLs.failed.map(\.description) ?? "yes"
            )
            if found != expected {
                Issue.record("\(situation): found \(found), expected \(expected)\n\(canOpen)\n\(eligibleURLs)")
                return
            }
            #expect(canOpen.isEligible == !canOpen.links.isEmpty)
            #expect(eligibleURLs.isEligible == !eligibleURLs.links.isEmpty)
            answers[found.0, default: 0] += 1
            answers[found.1, default: 0] += 1
        }
        // The cases must cover every condition, otherwise agreement proves nothing.
        #expect(Set(answers.keys) == ["C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "yes"])
    }
}
