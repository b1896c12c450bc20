import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Testing

@Suite("Engine against a naive evaluator, notice sheet and custom links")
struct FamilyAgreementTests {
    private typealias Situation = NaiveFamilyEvaluator.Situation

    private static let devices: [(platform: String, mode: String, versions: [(Int, Int)])] = [
        (
            "iOS", "native",
            [(17, 3), (17, 4), (18, 0), (18, 1), (18, 2), (26, 1), (26, 2), (26, 3), (26, 4), (26, 5), (27, 2)]
        ),
        ("iPadOS", "native", [(17, 4), (18, 2), (26, 5)]),
        ("iOS", "catalyst", [(17, 3), (17, 4), (18, 1), (18, 2), (26, 5)]),
        ("macOS", "compatible-macos", [(17, 4), (18, 2), (26, 4)]),
        ("visionOS", "compatible-visionos", [(17, 4), (26, 2)]),
        ("macOS", "native", [(14, 3), (14, 4), (15, 1), (15, 4), (26, 2), (26, 5)]),
        ("tvOS", "native", [(17, 4), (18, 1), (26, 5)]),
        ("watchOS", "native", [(10, 3), (10, 4), (11, 1)]),
        ("visionOS", "native", [(1, 0), (1, 1), (2, 1), (26, 5)]),
    ]

    private static func situations() -> [Situation] {
        var result: [Situation] = []
        for device in devices {
            for version in device.versions {
                for storefront in ["DEU", "FRA", "KOR", "ISL", "RUS", "USA", "JPN", "BRA", "CHE", "de", ""] {
                    for pack in ["2024-04", "2025-07", "2026-02", "2026-06", "2026-10"] {
                        for (number, samples) in ["", "P", "L", "C", "S", "A", "PA", "CS", "PLMCSA"].enumerated() {
                            result.append(
                                Situation(
                                    platform: device.platform,
                                    major: version.0,
                                    minor: version.1,
                                    mode: device.mode,
                                    oldSDK: number == 1,
                                    storefront: storefront,
                                    pack: pack,
                                    samples: samples,
                                    entitled: result.count % 13 != 0,
                                    payments: result.count % 7 != 0,
                                    person: result.count % 5 != 0
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
        var configuration = UsableConfiguration(
            try s.samples.map { try #require(Sample(rawValue: String($0))) }
        )
        if !s.entitled {
            configuration.entitlements = [:]
            configuration.allowedRegions = [:]
        }
        return EligibilityEngine(
            device: Device(
                platform: try #require(Platform(rawValue: s.platform)),
                osVersion: OSVersion(s.major, s.minor),
                mode: try #require(AppMode(rawValue: s.mode)),
                linkedSDK: s.oldSDK ? OSVersion(17, 2) : nil
            ),
            storefront: s.storefront.isEmpty ? nil : s.storefront,
            canMakePayments: s.payments,
            isPersonEligible: s.person,
            configuration: configuration,
            pack: try #require(RegionTables.builtIn.pack(s.pack))
        )
    }

    @Test("Three questions agree over storefronts, systems, modes, packs and configurations (SK-20 to SK-22, SK-46)")
    func agreement() throws {
        let situations = Self.situations()
        #expect(situations.count == 40 * 11 * 5 * 9)
        var seen: [EligibilityQuestion: Set<String>] = [:]
        for situation in situations {
            let engine = try Self.engine(situation)
            for (question, expected) in [
                (EligibilityQuestion.canPresent, NaiveFamilyEvaluator.canPresent(situation)),
                (.isEligible, NaiveFamilyEvaluator.isEligible(situation)),
                (.token, NaiveFamilyEvaluator.token(situation)),
            ] {
                let evaluation = engine.evaluate(question)
                let found = evaluation.failed.map(\.description) ?? "yes"
                if found != expected {
                    Issue.record("\(situation): found \(found), expected \(expected)\n\(evaluation)")
                    return
                }
                seen[question, default: []].insert(found)
            }
        }
        // The cases must cover every condition, otherwise agreement proves nothing. C2 does not exist for custom links
        // (SK-45).
        #expect(seen[.canPresent] == ["C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "yes"])
        #expect(seen[.isEligible] == ["C1", "C3", "C4", "C5", "C6", "C7", "C8", "C9", "yes"])
        #expect(seen[.token] == seen[.isEligible])
    }

    @Test(
        "C1 of an overload is that of its own member (SK-1)",
        arguments: [
            ("ExternalPurchaseCustomLink.token(for:)-TokenType", "27.1", "C1"),
            ("ExternalPurchaseCustomLink.token(for:)-TokenType", "27.2", "yes"),
            ("ExternalPurchaseCustomLink.token(for:)-String", "18.1", "yes"),
            ("ExternalPurchaseCustomLink.showNotice(type:)", "18.1", "yes"),
            ("ExternalPurchaseCustomLink.showNotice(for:)", "27.1", "C1"),
        ]
    )
    func overloads(_ member: String, _ version: String, _ expected: String) throws {
        var engine = EligibilityEngine(storefront: "DEU", configuration: UsableConfiguration([.C]))
        engine.device.osVersion = try #require(OSVersion(version))
        let evaluation = engine.evaluate(.isEligible, asking: member)
        #expect((evaluation.failed.map(\.description) ?? "yes") == expected)
        #expect(evaluation.conditions.first?.detail.contains("-TokenType") == false)
        engine.pack = try #require(RegionTables.builtIn.pack("2026-06"))
        engine.device.osVersion = OSVersion(27, 2)
        let older = engine.evaluate(.isEligible, asking: member).failed
        #expect(older == (member.hasSuffix("TokenType") || member.hasSuffix("showNotice(for:)") ? .memberExists : nil))
    }
}
