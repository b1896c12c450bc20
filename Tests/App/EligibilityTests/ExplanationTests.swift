import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation
import Testing

@Suite("Explanations and next steps")
struct ExplanationTests {
    private func engine(_ storefront: String?, _ samples: Sample...) -> EligibilityEngine {
        EligibilityEngine(storefront: storefront, configuration: UsableConfiguration(samples))
    }

    @Test("Conditions come in their order, those evaluated at the call not reached (SK-26)")
    func order() {
        let evaluation = engine("NLD", .L).evaluate(.canOpen)
        let own = evaluation.conditions.filter { $0.route == nil }
        #expect(own.map(\.id) == ConditionID.allCases)
        #expect(own.map(\.id.description) == (1...12).map { "C\($0)" })
        #expect(own.suffix(3).allSatisfy { $0.holds == nil })
        #expect(evaluation.rulePack == "2026-10")
        #expect(evaluation.programme?.id == "eea-link")
        #expect(evaluation.route == "external-purchase-link + SKExternalPurchaseLink")
    }

    @Test("Every failing condition of the furthest route is listed, not only the first (SK-27)")
    func allFailures() {
        var engine = engine("USA", .L)
        engine.canMakePayments = false
        engine.isPersonEligible = false
        let evaluation = engine.evaluate(.canOpen)
        let failing = evaluation.conditions.filter { $0.route == nil && $0.holds == false }.map(\.id)
        #expect(failing == [.storefrontListed, .storefrontConfigured, .canMakePayments, .personEligible])
        #expect(evaluation.failed == .storefrontListed)
    }

    @Test("Other routes carry their name and end at their first failure (SK-21)")
    func otherRoutes() {
        let evaluation = engine("JPN", .A).evaluate(.isEligible)
        #expect(evaluation.route == "allowed-regions")
        let others = evaluation.conditions.filter { $0.route != nil }
        #expect(
            Set(others.compactMap(\.route)) == [
                "external-purchase-link + SKExternalPurchaseCustomLinkRegions",
                "external-purchase-link-streaming + SKExternalPurchaseLinkStreamingRegions",
            ]
        )
        #expect(others.filter { $0.holds == false }.map(\.id) == [.entitlement, .entitlement])
        #expect(others.filter { $0.holds == true }.isEmpty)
    }

    @Test("Of routes that get equally far the first listed speaks (SK-21)")
    func tie() {
        let evaluation = engine("FRA", .C, .A).evaluate(.isEligible)
        #expect(evaluation.failed == .storefrontConfigured)
        #expect(evaluation.route == "external-purchase-link + SKExternalPurchaseCustomLinkRegions")
        let other = evaluation.conditions.first { $0.route == "allowed-regions" && $0.holds == false }
        #expect(other?.id == .storefrontConfigured)
    }

    @Test("With an unknown storefront, conditions that depend on it are not evaluated (C4)")
    func unknownStorefront() {
        let evaluation = engine("nl", .L).evaluate(.canOpen)
        #expect(evaluation.failed == .storefrontKnown)
        #expect(evaluation.failedCondition?.fix == "Did you mean \"NLD\"?")
        let open = evaluation.conditions.filter { $0.route == nil && $0.holds == nil }.map(\.id)
        #expect(open == [.storefrontListed, .storefrontConfigured, .systemGate, .argument, .sheet, .network])
    }

    @Test("A removed entry is named with rule, place and hint (SK-26, CF-50)")
    func removedEntry() {
        var configuration = UsableConfiguration([.L])
        configuration.singleLinks["de"] = nil
        configuration.removed = [
            Finding(
                rule: "link-url-not-https",
                severity: .error,
                file: "Info.plist",
                position: SourcePosition(line: 12, column: 9),
                key: "SKExternalPurchaseLink",
                path: "SKExternalPurchaseLink/de",
                country: "de",
                message: "\"http://a.example\" uses http; only https is allowed",
                hint: "Serve the page over HTTPS."
            )
        ]
        let evaluation = EligibilityEngine(storefront: "DEU", configuration: configuration).evaluate(.canOpen)
        let failed = evaluation.failedCondition
        #expect(failed?.id == .storefrontConfigured)
        #expect(failed?.detail.hasSuffix("only https is allowed (link-url-not-https)") == true)
        #expect(failed?.evidence?.position?.line == 12)
        #expect(failed?.fix == "Serve the page over HTTPS.")
        #expect(evaluation.removed.map(\.rule) == ["link-url-not-https"])
        #expect(evaluation.description.contains("Info.plist:12"))
    }

    @Test("A list of autumn 2025 opens its family in the regions it names, and narrows no Boolean one (CF-24, CF-25)")
    func legacyRegions() throws {
        var configuration = UsableConfiguration([.L, .P])
        configuration.entitlements = [:]
        let name = Entitlement(rawValue: "com.apple.developer.storekit.external-purchase-link.allowed-regions")
        let here = UsableConfiguration.Evidence(file: "App.entitlements")
        configuration.legacyRegions[.link] = .init(name: name, evidence: here, regions: ["de": here])
        var engine = EligibilityEngine(storefront: "DEU", configuration: configuration)
        engine.pack = try #require(RegionTables.builtIn.pack("2026-02"))
        let open = engine.evaluate(.canOpen)
        #expect(open.isEligible)
        let entitled = open.conditions.first { $0.id == .entitlement && $0.route == nil }
        #expect(entitled?.detail.hasPrefix("\(name) stands for \(Entitlement.link) in the regions it lists") == true)
        #expect(engine.evaluate(.canPresent).failed == .entitlement)

        engine.storefront = "RUS"
        let russia = engine.evaluate(.canOpen)
        #expect(russia.failed == .storefrontConfigured)
        #expect(russia.failedCondition?.fix == "Add ru to \(name).")
        engine.configuration.entitlements[.link] = here
        #expect(engine.evaluate(.canOpen).isEligible)
    }

    struct Standalone: Sendable {
        let entitlement: Entitlement
        let question: EligibilityQuestion
        var standsAlone = true
        let failed: ConditionID?
    }

    @Test(
        "Beside a list that stands alone no key is needed; the list of the link keys opens no custom link (CF-24)",
        arguments: [
            Standalone(entitlement: .externalPurchase, question: .canPresent, failed: nil),
            Standalone(entitlement: .streaming, question: .isEligible, failed: nil),
            Standalone(entitlement: .streaming, question: .token, failed: nil),
            Standalone(entitlement: .link, question: .isEligible, standsAlone: false, failed: .entitlement),
            Standalone(entitlement: .link, question: .canOpen, standsAlone: false, failed: .storefrontConfigured),
            Standalone(entitlement: .link, question: .eligibleURLs, standsAlone: false, failed: .storefrontConfigured),
        ]
    )
    func standaloneLists(_ standalone: Standalone) throws {
        var configuration = UsableConfiguration()
        let name = Entitlement(rawValue: "\(standalone.entitlement).allowed-regions")
        let here = UsableConfiguration.Evidence(file: "App.entitlements")
        let list = UsableConfiguration.LegacyRegions(
            name: name,
            evidence: here,
            regions: ["de": here],
            standsAlone: standalone.standsAlone
        )
        configuration.legacyRegions[standalone.entitlement] = list
        if !standalone.standsAlone { configuration.regions[.customLinkRegions] = ["de": here] }
        var engine = EligibilityEngine(storefront: "DEU", configuration: configuration)
        engine.pack = try #require(RegionTables.builtIn.pack("2026-02"))
        let evaluation = engine.evaluate(standalone.question)
        #expect(evaluation.failed == standalone.failed)
        guard standalone.standsAlone else { return }
        let configured = evaluation.conditions.first { $0.id == .storefrontConfigured && $0.route == nil }
        #expect(configured?.detail == "\(name) has an entry for de, so no key needs one")
        engine.storefront = "FRA"
        #expect(engine.evaluate(standalone.question).failed == .storefrontConfigured)
        // A complete route of the Boolean entitlement adds up with it (CF-25).
        engine.configuration.entitlements[standalone.entitlement] = here
        engine.configuration.regions[.externalPurchase] = ["fr": here]
        engine.configuration.regions[.streamingRegions] = ["fr": here]
        #expect(engine.evaluate(standalone.question).isEligible)
        engine.storefront = "DEU"
        #expect(engine.evaluate(standalone.question).isEligible)
    }

    @Test("C6 explains why other links of the storefront do not count (SK-26, CF-43)")
    func excessLinks() throws {
        var configuration = UsableConfiguration([.M, .L])
        let removed = configuration.singleLinks.removeValue(forKey: "de")
        let kept = try #require(removed)
        var other = kept
        other.url = "https://shop.acme.example/other"
        configuration.excessLinks["de"] = .init(
            multi: [other],
            single: other,
            rule: "multi-link-needs-streaming",
            reason: "more than one link is for music streaming apps only",
            hint: "Keep one link."
        )
        let engine = EligibilityEngine(storefront: "DEU", configuration: configuration)
        let urls = engine.evaluate(.eligibleURLs)
        #expect(urls.links.map(\.url) == [kept.url])
        #expect(urls.excessLinks == [other])
        let reached = try #require(urls.conditions.first { $0.id == .storefrontConfigured && $0.route == nil })
        #expect(reached.holds == true)
        #expect(
            reached.detail.hasSuffix(
                "1 more link does not count: more than one link is for music streaming apps only (multi-link-needs-streaming)"
            )
        )
        #expect(reached.fix == "Keep one link.")
        let single = engine.evaluate(.canOpen)
        #expect(single.failed == .storefrontConfigured)
        #expect(
            single.failedCondition?.detail.contains("music streaming apps only (multi-link-needs-streaming)") == true
        )
        #expect(single.failedCondition?.fix == "Keep one link.")
    }

    @Test(
        "A flow yields the tokens of its programme and system (SK-42, SK-43, SK-47)",
        arguments: [
            ("canOpen", "DEU", "26.5", "plain"), ("canOpen", "DEU", "17.4", "plain"), ("canOpen", "DEU", "17.3", ""),
            ("isEligible", "JPN", "26.4", "IN_APP LINK_OUT"), ("isEligible", "JPN", "26.3", ""),
            ("isEligible", "BRA", "26.5", "IN_APP LINK_OUT"), ("isEligible", "DEU", "26.2", "ACQUISITION SERVICES"),
            ("isEligible", "USA", "26.5", ""), ("canPresent", "DEU", "26.5", "plain"),
        ]
    )
    func tokenTypes(_ name: String, _ storefront: String, _ version: String, _ expected: String) throws {
        var engine = engine(storefront, .P, .L, .A)
        engine.device.osVersion = try #require(OSVersion(version))
        let question = try #require(EligibilityQuestion.allCases.first { $0.rawValue.hasSuffix("." + name) })
        let types = engine.evaluate(question).tokenTypes.map { $0?.rawValue ?? "plain" }
        #expect(types.joined(separator: " ") == expected)
    }

    @Test("An app built before 17.4 gets no token (SK-43)")
    func oldSDK() {
        var engine = engine("DEU", .L)
        engine.device.linkedSDK = OSVersion(17, 2)
        #expect(engine.evaluate(.canOpen).isEligible)
        #expect(engine.evaluate(.canOpen).tokenTypes.isEmpty)
        engine.device.linkedSDK = OSVersion(17, 4)
        #expect(engine.evaluate(.canOpen).tokenTypes == [nil])
    }

    @Test("canPresent of an app with an older SDK is false and names the required SDK (SK-23, SK-43)")
    func oldSDKOfTheNotice() throws {
        var engine = engine("DEU", .P)
        engine.device.linkedSDK = OSVersion(17, 2)
        let evaluation = engine.evaluate(.canPresent)
        #expect(evaluation.failed == .memberExists)
        #expect(evaluation.error == .unsupported)
        let detail = try #require(evaluation.failedCondition?.detail)
        #expect(detail.contains("17.4") && detail.contains("17.2"))
        #expect(evaluation.next == .useInAppPurchase)
    }

    @Test("The setting widens or narrows the entitlement whatever the pack (SK-24)")
    func widened() throws {
        var engine = engine("DEU", .A)
        #expect(engine.evaluate(.canPresent).isEligible)
        engine.widenedEntitlement = .off
        #expect(engine.evaluate(.canPresent).failed == .entitlement)
        engine.pack = try #require(RegionTables.builtIn.pack("2026-02"))
        engine.widenedEntitlement = .byPack
        #expect(engine.evaluate(.canPresent).failed == .entitlement)
        engine.widenedEntitlement = .on
        #expect(engine.evaluate(.canPresent).isEligible)
    }

    @Test("Restricted payments leave nothing to offer (SK-80)")
    func paymentsRestricted() {
        var engine = engine("FRA", .M, .L)
        engine.canMakePayments = false
        #expect(EligibilityQuestion.allCases.allSatisfy { engine.evaluate($0).next == .offerNothing })
        #expect(engine.advice == [.offerNothing])
    }

    @Test("The next step after a no (SK-81 to SK-83)")
    func nextSteps() {
        #expect(engine("FRA", .L).evaluate(.canOpen).next == .useInAppPurchase)
        #expect(engine("FRA", .L, .M).evaluate(.eligibleURLs).next == .ask(.canOpen))
        #expect(engine("FRA", .M).evaluate(.eligibleURLs).next == .useInAppPurchase)
        #expect(engine("DEU", .M).evaluate(.eligibleURLs).next == .call("open(url:)"))
        var old = engine("DEU", .C, .M, .P)
        old.device.osVersion = OSVersion(17, 4)
        #expect(old.evaluate(.isEligible).next == .ask(.eligibleURLs))
        #expect(old.evaluate(.eligibleURLs).next == .ask(.canPresent))
        old.device.osVersion = OSVersion(15, 3)
        #expect(old.evaluate(.canPresent).next == .useInAppPurchase)
        var japan = engine("JPN", .A)
        japan.device.osVersion = OSVersion(26, 3)
        #expect(japan.evaluate(.token).next == .reportByHand)
    }

    @Test(
        "The step after a yes for custom links is the disclosure of the region and system (SK-63, SK-66, SK-47)",
        arguments: [
            ("JPN", OSVersion(26, 2), NextStep.disclose(.ownDisclosureWithoutToken)),
            ("JPN", OSVersion(26, 3), .disclose(.ownDisclosureWithoutToken)),
            ("JPN", OSVersion(26, 4), .disclose(.ownDisclosure)), ("JPN", OSVersion(27, 1), .disclose(.ownDisclosure)),
            ("JPN", OSVersion(27, 2), .disclose(.systemNotice("showNotice(for:)"))),
            ("BRA", OSVersion(26, 5), .disclose(.ownDisclosure)),
            ("BRA", OSVersion(27, 2), .disclose(.systemNotice("showNotice(for:)"))),
            ("DEU", OSVersion(26, 2), .disclose(.systemNoticeWithTokensFromLaunch("showNotice(type:)"))),
            ("DEU", OSVersion(27, 2), .disclose(.systemNoticeWithTokensFromLaunch("showNotice(for:)"))),
        ]
    )
    func disclosure(_ storefront: String, _ version: OSVersion, _ step: NextStep) throws {
        var engine = engine(storefront, .A)
        engine.device.osVersion = version
        let evaluation = engine.evaluate(.isEligible)
        #expect(evaluation.isEligible)
        #expect(evaluation.next == step)
        // The same page never asks for a token that the system does not have.
        let hasToken = engine.evaluate(.token).isEligible || version >= OSVersion(27, 2)
        let text = evaluation.next.description
        #expect(text.contains("token(for:)") == hasToken, "\(text)")
        #expect(engine.evaluate(.token).next == (hasToken ? step : .reportByHand))
        // The disclosure comes before the offer; only types that are stored with the customer are requested at launch (SK-59).
        let disclosed = try #require(text.firstRange(of: /showNotice|own disclosure/))
        let offered = try #require(text.firstRange(of: "show the offer"))
        #expect(disclosed.upperBound < offered.lowerBound)
        #expect(text.contains("at launch") == (storefront == "DEU"))
    }

    @Test("An app that lists South Korea is never told to use In-App Purchase there (SK-87)")
    func korea() {
        let systems = [OSVersion(15, 0), OSVersion(15, 4), OSVersion(17, 3), OSVersion(17, 4), OSVersion(27, 2)]
        for version in systems {
            for isEligible in [true, false] {
                for mode in AppMode.allCases {
                    var engine = engine("KOR", .P)
                    (engine.device.osVersion, engine.device.mode) = (version, mode)
                    engine.isPersonEligible = isEligible
                    engine.device.linkedSDK = isEligible ? nil : OSVersion(16)
                    for question in EligibilityQuestion.allCases {
                        let text = engine.evaluate(question).description
                        #expect(
                            !text.replacing("allow no In-App Purchase", with: "").contains("In-App Purchase"),
                            "\(text)"
                        )
                    }
                    #expect(!engine.advice.contains(.useInAppPurchase))
                }
            }
        }
        let other = engine("KOR", .L)
        #expect(other.inAppPurchase == nil)
        #expect(other.advice == [.useInAppPurchase])
    }

    @Test("In Japan and Brazil the advice has In-App Purchase beside what is available (SK-86, SK-87)")
    func beside() {
        #expect(engine("JPN", .A).advice == [.useCustomLink, .useNoticeSheet, .useInAppPurchase])
        #expect(engine("BRA", .A).advice.last == .useInAppPurchase)
        #expect(engine("DEU", .A).advice.last != .useInAppPurchase)
        #expect(engine("JPN", .L).advice == [.useInAppPurchase])
    }

    @Test("A platform that the terms do not name has a caveat, or is refused by a setting (SK-44)")
    func platforms() {
        for platform in Platform.allCases {
            for storefront in ["JPN", "BRA"] {
                var engine = engine(storefront, .A)
                (engine.device.platform, engine.device.osVersion) = (platform, OSVersion(26, 5))
                engine.device.mode = platform == .macCatalyst ? .catalyst : .native
                #expect(engine.evaluate(.isEligible).isEligible)
                #expect((engine.evaluate(.isEligible).caveat == nil) == (platform == .iOS), "\(platform)")
                engine.unnamedPlatforms = .refuse
                #expect(engine.evaluate(.isEligible).isEligible == (platform == .iOS))
                #expect(engine.evaluate(.isEligible).failed == (platform == .iOS ? nil : .systemGate))
                #expect(engine.evaluate(.isEligible).caveat == nil)
            }
            var germany = engine("DEU", .A)
            (germany.device.platform, germany.device.osVersion) = (platform, OSVersion(26, 5))
            germany.unnamedPlatforms = .refuse
            #expect(germany.evaluate(.isEligible).isEligible && germany.evaluate(.isEligible).caveat == nil)
        }
    }

    @Test("Advice names the available families in order (SK-86)")
    func advice() {
        let url = URL(string: "https://shop.acme.example/de")
        #expect(
            engine("DEU", .P, .L, .M, .C).advice
                == [.useCustomLink, .useMultiLink([url].compactMap(\.self)), .useLink, .useNoticeSheet]
        )
        #expect(engine("USA", .P, .L, .M, .C).advice == [.useInAppPurchase])
        #expect(engine("KOR", .P, .L).advice.map(\.name) == ["useNoticeSheet"])
    }

    @Test("C11 is the only error that depends on the system (SK-72)")
    func failureCases() {
        let old = Device(osVersion: OSVersion(26, 5))
        let new = Device(osVersion: OSVersion(27, 0))
        #expect(ConditionID.allCases.filter { FailureCase($0, on: old) != FailureCase($0, on: new) } == [.sheet])
        #expect(FailureCase(.sheet, on: new) == .invalidPresentationContext)
        #expect(FailureCase(.sheet, on: old) == .systemError)
        #expect(FailureCase(.network, on: old) == .networkError)
    }

    @Test(
        "A macOS or visionOS version has an iOS equivalent (SK-12)",
        arguments: [
            ("macOS", "12.3", "15.3"), ("macOS", "14.4.1", "17.4.1"), ("macOS", "15.1", "18.1"),
            ("visionOS", "1.0", "17.0"), ("visionOS", "1.1", "17.4"), ("visionOS", "1.2", "17.5"),
            ("visionOS", "1.3", "17.5"), ("visionOS", "2.4", "18.4"), ("macOS", "26.2", "26.2"),
            ("visionOS", "26.5", "26.5"), ("iOS", "17.5", "17.5"), ("macOS", "11.0", nil), ("macOS", "17.0", nil),
            ("visionOS", "3.0", nil),
        ]
    )
    func equivalents(_ platform: String, _ version: String, _ expected: String?) throws {
        let found = EquivalentVersions.iOS(
            for: try #require(OSVersion(version)),
            on: try #require(Platform(rawValue: platform))
        )
        #expect(found == expected.flatMap { OSVersion($0) })
    }

    @Test("Custom links have no restriction by mode (SK-45)", arguments: AppMode.allCases)
    func customLinkModes(_ mode: AppMode) {
        var engine = engine("DEU", .C)
        engine.device.mode = mode
        engine.device.linkedSDK = OSVersion(17, 2)
        engine.device.osVersion = OSVersion(18, 1)
        #expect(engine.evaluate(.isEligible).isEligible)
    }

    @Test("Withdrawn codes count in the packs that had them only (CF-61)")
    func withdrawn() throws {
        var configuration = UsableConfiguration([.L])
        configuration.singleLinks["us"] = configuration.singleLinks["de"]
        var engine = EligibilityEngine(storefront: "USA", configuration: configuration)
        #expect(engine.evaluate(.canOpen).failed == .storefrontListed)
        engine.pack = try #require(RegionTables.builtIn.pack("2024-04"))
        #expect(engine.evaluate(.canOpen).isEligible)
        #expect(engine.evaluate(.canOpen).programme?.id == "us-link")
        #expect(engine.evaluate(.isEligible).failed == .memberExists)
    }
}
