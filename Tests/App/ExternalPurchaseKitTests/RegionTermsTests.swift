import ExternalPurchaseCore
import ExternalPurchaseKitTesting
import Foundation
import StoreKitSimulator
import Testing

@testable import ExternalPurchaseKit

/// What each region asks of the screens: In-App Purchase beside the offer, minors, the server's policy.
@Suite("What regions ask of the app's screens")
@MainActor
struct RegionTermsTests {
    /// A customer in a storefront: what is listed, and what comes of a purchase in the app and out of it.
    struct Minor: Sendable, CustomTestStringConvertible {
        let samples: [SampleFiles]
        let storefront: String
        let age: AgeBand
        var isKidsCategory = false
        /// Whether the app has a parental gate, and whether it is passed.
        var gate: Bool? = true
        /// `yes`, `gate` (the parental gate was asked) or `no`.
        let withinApp: String
        let outOfApp: String

        var testDescription: String {
            "\(storefront) \(age) kids \(isKidsCategory) gate \(gate.map(String.init) ?? "none")"
        }
    }

    // Read by hand from the facts that SK-88 lists, not from the tables.
    nonisolated static let minors: [Minor] = [
        Minor(samples: [.A], storefront: "JPN", age: AgeBand(12), withinApp: "gate", outOfApp: "no"),
        Minor(samples: [.A], storefront: "JPN", age: AgeBand(13), withinApp: "gate", outOfApp: "gate"),
        Minor(samples: [.A], storefront: "JPN", age: AgeBand(17), withinApp: "gate", outOfApp: "gate"),
        Minor(samples: [.A], storefront: "JPN", age: AgeBand(18), withinApp: "yes", outOfApp: "yes"),
        Minor(samples: [.A], storefront: "JPN", age: AgeBand(from: 10, to: 15), withinApp: "gate", outOfApp: "no"),
        Minor(samples: [.A], storefront: "JPN", age: .adult, isKidsCategory: true, withinApp: "gate", outOfApp: "no"),
        Minor(samples: [.A], storefront: "JPN", age: AgeBand(16), gate: false, withinApp: "no", outOfApp: "no"),
        Minor(samples: [.A], storefront: "JPN", age: AgeBand(16), gate: nil, withinApp: "no", outOfApp: "no"),
        Minor(samples: [.A], storefront: "BRA", age: AgeBand(17), withinApp: "gate", outOfApp: "no"),
        Minor(samples: [.A], storefront: "BRA", age: AgeBand(18), withinApp: "yes", outOfApp: "yes"),
        // Germany's age of consent is 16.
        Minor(samples: [.C], storefront: "DEU", age: AgeBand(15), withinApp: "gate", outOfApp: "no"),
        Minor(samples: [.C], storefront: "DEU", age: AgeBand(16), withinApp: "gate", outOfApp: "gate"),
        Minor(samples: [.C], storefront: "DEU", age: AgeBand(18), withinApp: "yes", outOfApp: "yes"),
    ]

    @Test(
        "A minor is offered what the terms allow at that age, behind the gate that they ask for (SK-88, EK-61)",
        arguments: minors
    )
    func minors(_ row: Minor) async throws {
        for (flow, expected) in [(ProgrammeTerms.Flow.withinApp, row.withinApp), (.outOfApp, row.outOfApp)] {
            let fixture = try KitFixture(row.samples, in: row.storefront) {
                $0.customerAge = row.isKidsCategory ? nil : row.age
            }
            let asked = Recorder<PurchaseGate.Question>()
            var gate: (@Sendable (PurchaseGate.Question) async -> Bool)?
            if let answer = row.gate {
                gate = { question in
                    asked.record(question)
                    return answer
                }
            }
            fixture.gates = [
                .minors(
                    isKidsCategory: row.isKidsCategory,
                    treatUnknownAgeAs: .adult,
                    age: { row.age },
                    parentalGate: gate
                )
            ]
            fixture.relaunch()
            await fixture.model.refresh()
            #expect(asked.all.isEmpty, "nobody is asked before a tap")
            let destination: ExternalPurchaseDestination =
                flow == .withinApp ? .withinApp : .outOfApp(destinationURL: KitFixture.shop)
            let before = fixture.issuer.issued.count
            let result = await fixture.tap { await fixture.model.purchaseWithCustomLink(destination) }
            if expected == "no" {
                guard case .notOffered(.gateClosed(let closed)) = result else {
                    throw StoreFailure(.other, message: "\(flow) \(result)")
                }
                #expect(closed.name == "minors")
                #expect(fixture.issuer.issued.count == before, "no token was made")
            } else {
                guard case .continued = result else { throw StoreFailure(.other, message: "\(flow) \(result)") }
                #expect(asked.all.map(\.flow) == (expected == "gate" ? [flow] : []))
            }
            let ids = fixture.session.diagnostics.map(\.id)
            #expect(!ids.contains("parental-gate-missing") && !ids.contains("not-for-minors"), "\(ids)")
        }
    }

    @Test("A custom link that only one flow may use is listed, one that none may use is not (EK-10)")
    func listedFlows() async throws {
        let fixture = try KitFixture([.A], in: "JPN")
        let closed = Recorder<ProgrammeTerms.Flow>()
        for flows in [[], [ProgrammeTerms.Flow.outOfApp], [.withinApp], [.withinApp, .outOfApp]] {
            fixture.gates = [
                PurchaseGate("flow", perFlow: { flows.contains($0.flow) ? .closed(reason: "closed") : .open })
            ]
            fixture.relaunch()
            await fixture.model.refresh()
            let availability = try #require(fixture.model.availability)
            #expect(Set(availability.closedGates.keys) == Set(flows))
            #expect((availability.closedGate != nil) == (flows.count == 2))
            let open = ProgrammeTerms.Flow.allCases.filter { !flows.contains($0) }
            #expect(availability.offers.contains(.customLink(open)) == !open.isEmpty)
            // The website's button is not shown to a customer who may buy inside the app only (SK-88).
            for flow in ProgrammeTerms.Flow.allCases {
                #expect(availability.offersCustomLink(flow) == open.contains(flow))
            }
            #expect(availability.answers[.canPresent] == nil || !flows.contains(.withinApp))
            #expect(availability.answers[.canOpen] == nil || !flows.contains(.outOfApp))
        }
        #expect(closed.all.isEmpty)
    }

    @Test("An unknown age counts as the app says (EK-61)", arguments: [AgeBand.child, .adult])
    func unknownAge(_ treatedAs: AgeBand) async throws {
        let fixture = try KitFixture([.A], in: "JPN")
        fixture.gates = [.minors(treatUnknownAgeAs: treatedAs, age: { nil })]
        fixture.relaunch()
        await fixture.model.refresh()
        let isOffered = fixture.model.availability?.offersCustomLink(.outOfApp)
        #expect(isOffered == (treatedAs == .adult))
    }

    // MARK: In-App Purchase beside it

    @Test(
        "In-App Purchase stands beside the offer where the terms ask for it, and never in an app for South Korea (SK-87)",
        arguments: [
            (
                "JPN", [SampleFiles.A], true,
                [PurchaseAvailability.Offer.customLink([.withinApp, .outOfApp]), .noticeSheet, .inAppPurchase]
            ),
            ("BRA", [.A], true, [.customLink([.withinApp, .outOfApp]), .noticeSheet, .inAppPurchase]),
            ("BRA", [.A], false, [.inAppPurchase]), ("DEU", [.C], true, [.customLink([.withinApp, .outOfApp])]),
            ("DEU", [.C], false, [.inAppPurchase]),
            ("KOR", [.P], true, [.noticeSheet]), ("KOR", [.P], false, []), ("KOR", [.C], true, [.inAppPurchase]),
        ]
    )
    func inAppPurchase(
        _ storefront: String,
        _ samples: [SampleFiles],
        _ isPersonEligible: Bool,
        _ offers: [PurchaseAvailability.Offer]
    ) async throws {
        let fixture = try KitFixture(samples, in: storefront) { $0.personEligible = isPersonEligible }
        await fixture.model.refresh()
        #expect(fixture.model.availability?.offers == offers)
    }

    @Test(
        "An app for South Korea alone has no In-App Purchase, wherever its customer is (SK-87)",
        arguments: [
            (["kr"], "KOR", [PurchaseAvailability.Offer.noticeSheet]), (["kr"], "DEU", []), (["kr"], "JPN", []),
            (["kr"], "USA", []), (["kr", "nl"], "DEU", [.inAppPurchase]), (["nl"], "KOR", [.inAppPurchase]),
        ]
    )
    func koreanApp(_ codes: [String], _ storefront: String, _ offers: [PurchaseAvailability.Offer]) async throws {
        let list = codes.map { "<string>\($0)</string>" }.joined()
        let configuration = try AppConfiguration.parse(
            infoPlist: Array("<plist><dict><key>SKExternalPurchase</key><array>\(list)</array></dict></plist>".utf8),
            entitlements: Array(
                "<plist><dict><key>com.apple.developer.storekit.external-purchase</key><true/></dict></plist>".utf8
            )
        )
        let fixture = try KitFixture([], in: storefront) { $0.configuration = configuration }
        await fixture.model.refresh()
        #expect(fixture.model.availability?.offers == offers)
    }

    @Test("Without a disclosure of the app no custom link is listed in Japan and Brazil below 27.2 (EK-17)")
    func disclosure() async throws {
        for (version, isListed) in [(OSVersion(26, 4), false), (OSVersion(26, 5), false), (OSVersion(27, 2), true)] {
            let fixture = try KitFixture([.A], in: "JPN", os: version)
            fixture.hasDisclosure = false
            fixture.relaunch()
            await fixture.model.refresh()
            #expect(fixture.model.availability?.offersCustomLink(.outOfApp) == isListed, "\(version)")
            let result = await fixture.tap { await fixture.model.purchaseWithCustomLink(.withinApp) }
            #expect((result == .notOffered(.disclosureMissing)) == !isListed, "\(version) \(result)")
        }
    }

    @Test("Where the system makes no token the address names the system, and the server hears nothing (EK-62)")
    func withoutToken() async throws {
        for (version, item) in [
            (OSVersion(26, 3), "externalPurchaseSystem=iOS%2026.3"), (OSVersion(26, 4), "externalPurchaseId="),
        ] {
            let fixture = try KitFixture([.A], in: "JPN", os: version)
            fixture.namesToken = true
            fixture.relaunch()
            await fixture.model.refresh()
            let result = await fixture.tap {
                await fixture.model.purchaseWithCustomLink(.outOfApp(destinationURL: KitFixture.shop))
            }
            guard case .continued(let tokens) = result else { throw StoreFailure(.other, message: "\(result)") }
            let hasToken = version >= OSVersion(26, 4)
            #expect(tokens.tokenlessSystem == (hasToken ? nil : "iOS 26.3"))
            #expect(fixture.opened.all.first?.absoluteString.contains(item) == true, "\(fixture.opened.all)")
            await fixture.drain()
            #expect(fixture.server.arrivals.isEmpty == !hasToken)
        }
    }

    @Test(
        "A purchase is told as shown, tapped, continued or cancelled, kept and delivered (EK-63)",
        arguments: [true, false]
    )
    func events(_ continues: Bool) async throws {
        let fixture = try KitFixture([.A], in: "JPN")
        fixture.disclosureAnswer = continues
        fixture.relaunch()
        await fixture.model.refresh()
        fixture.model.offersShown()
        _ = await fixture.tap {
            await fixture.model.purchaseWithCustomLink(.outOfApp(destinationURL: KitFixture.shop))
        }
        await fixture.drain()
        let told = fixture.events.all.compactMap { event -> String? in
            switch event {
            case .offersShown(let ways): "shown \(ways.map(\.rawValue))"
            case .tapped(let way): "tapped \(way.rawValue)"
            case .continued(let way): "continued \(way.rawValue)"
            case .cancelled(let way): "cancelled \(way.rawValue)"
            case .stored: "kept"
            case .delivered: "delivered"
            default: nil
            }
        }
        let shown = #"shown ["customLinkWithinApp", "customLinkOutOfApp", "noticeSheet", "inAppPurchase"]"#
        let end = continues ? ["continued customLinkOutOfApp", "kept", "delivered"] : ["cancelled customLinkOutOfApp"]
        #expect(told == [shown, "tapped customLinkOutOfApp"] + end)
    }

    @Test("A custom link out of the app names its address in Japan and Brazil, on every system (SK-64)")
    func missingAddress() async throws {
        for (storefront, version) in [("JPN", OSVersion(26, 2)), ("JPN", OSVersion(27, 2)), ("BRA", OSVersion(26, 5))] {
            let fixture = try KitFixture([.A], in: storefront, os: version)
            await fixture.model.refresh()
            let result = await fixture.tap {
                await fixture.model.purchaseWithCustomLink(.outOfApp(destinationURL: nil))
            }
            #expect(result == .notOffered(.noLinkChosen))
            #expect(fixture.issuer.issued.isEmpty && fixture.disclosures.all.isEmpty)
        }
    }

    // MARK: Policy

    nonisolated private static func answer(_ offered: Bool, tokens: Bool = true, until: String = "2026-01-01T00:00:00Z")
        -> Data
    {
        let text = """
            {"storefronts":{"JPN":{"offered":\(offered),"requestsTokens":\(tokens),"message":null}},
            "default":{"offered":false,"requestsTokens":false,"message":"Not in your country."},"until":"\(until)","new":[1]}
            """
        return Data(text.utf8)
    }

    private static func file() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "policy-\(UUID().uuidString)/policy.json")
    }

    @Test("The server's policy closes storefronts, and the last answer holds while none can be read (EK-70)")
    func policy() async throws {
        let file = Self.file()
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        let answers = Recorder<Data?>()
        func client(_ unknown: PolicyClient.Unknown = .closed) -> PolicyClient {
            PolicyClient(file: file, whileUnknown: unknown) {
                guard let answer = answers.all.last ?? nil else { throw URLError(.notConnectedToInternet) }
                return answer
            }
        }
        func offers(_ client: PolicyClient, in storefront: String = "JPN") async throws -> (Bool, PurchaseAvailability)
        {
            let fixture = try KitFixture([.A], in: storefront)
            fixture.policy = client
            fixture.relaunch()
            await fixture.model.refresh()
            let availability = try #require(fixture.model.availability)
            return (availability.offersCustomLink(.outOfApp), availability)
        }
        // Nothing was ever read.
        let (isOffered, unknown) = try await offers(client())
        #expect(!isOffered)
        #expect(
            unknown.closedGate
                == ClosedGate(name: "policy", reason: "the server's policy could not be read, and none was kept")
        )
        #expect(try await offers(client(.open)).0)
        // The login page of a network is no policy, nor is a policy without a default.
        for wrong in ["<html>", "{}", #"{"default":{"offered":"yes","requestsTokens":true,"message":null}}"#] {
            answers.record(Data(wrong.utf8))
            #expect(try await !offers(client()).0)
        }
        answers.record(Self.answer(true))
        #expect(try await offers(client()).0)
        let (isElsewhere, elsewhere) = try await offers(client(), in: "DEU")
        #expect(!isElsewhere)
        #expect(elsewhere.message == "Not in your country.")
        #expect(elsewhere.closedGate?.reason == "Not in your country.")
        // A new process without a network has the last answer.
        answers.record(nil)
        #expect(try await offers(client()).0)
        answers.record(Data("<html>".utf8))
        #expect(try await offers(client()).0)
        answers.record(Self.answer(false))
        #expect(try await !offers(client()).0)
    }

    @Test("A policy is asked for again when it has ended, and not before (EK-70)")
    func policyUntil() async throws {
        let file = Self.file()
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        let asked = Recorder<Date>()
        let now = Recorder<Date>()
        let start = Date(timeIntervalSince1970: 1_795_900_000)
        now.record(start)
        let client = PolicyClient(file: file, now: { now.all.last ?? start }) {
            asked.record(now.all.last ?? start)
            return Self.answer(true, until: "2026-11-30T00:00:00Z")
        }
        for _ in 0..<3 { await client.refresh() }
        #expect(asked.all.count == 1)
        let end = try #require(await client.policy?.until)
        now.record(end.addingTimeInterval(-1))
        await client.refresh()
        #expect(asked.all.count == 1)
        now.record(end)
        await client.refresh()
        #expect(asked.all.count == 2)
    }

    @Test("Where the policy requests no tokens none is requested, and the customer can buy (EK-70)")
    func withoutTokens() async throws {
        let file = Self.file()
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        let fixture = try KitFixture([.A], in: "JPN")
        fixture.policy = PolicyClient(file: file) { Self.answer(true, tokens: false) }
        fixture.relaunch()
        await fixture.model.refresh()
        let result = await fixture.tap {
            await fixture.model.purchaseWithCustomLink(.outOfApp(destinationURL: KitFixture.shop))
        }
        guard case .continued(let tokens) = result else { throw StoreFailure(.other, message: "\(result)") }
        #expect(tokens.tokens.isEmpty && tokens.missing == [.linkOut: .notRequested])
        #expect(fixture.issuer.issued.isEmpty)
        #expect(fixture.opened.all == [KitFixture.shop])
    }
}
