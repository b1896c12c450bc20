import AppConfiguration
import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@Suite("Property, method and error agree")
struct LinkAgreementTests {
    private static let errors: [ConditionID: String] = [
        .memberExists: "unsupported", .modeAllowed: "unsupported", .entitlement: "notEntitled",
        .storefrontKnown: "notAvailableInStorefront", .storefrontListed: "notAvailableInStorefront",
        .storefrontConfigured: "notAvailableInStorefront", .systemGate: "unsupported",
        .canMakePayments: "systemError", .personEligible: "systemError",
    ]

    private static func configurations() throws -> [AppConfiguration] {
        let links = ["nl": SampleApp.shop, "de": "https://shop.acme.example/de", "ru": "https://shop.acme.example/ru"]
        return [
            AppConfiguration(),
            try SampleApp.configuration(single: links),
            try SampleApp.configuration(multi: links.mapValues { [$0] }),
            try SampleApp.configuration(
                single: ["nl": SampleApp.shop],
                multi: ["is": ["https://shop.acme.example/is"]]
            ),
            try SampleApp.configuration(single: links, multi: links.mapValues { [$0] }, entitled: false),
            try SampleApp.configuration(single: ["NL": SampleApp.shop, "de": "http://shop.acme.example"]),
        ]
    }

    @Test("True or URLs exactly when the method succeeds, and the error is that of the condition (SK-20, SK-22, SK-23)")
    func agreement() async throws {
        let session = StoreKitSession { $0.presenter = ScriptedPresenter(.cancel) }
        var calls = 0
        var seen: Set<String> = []
        for configuration in try Self.configurations() {
            session.configuration = configuration
            for storefront in ["NLD", "DEU", "RUS", "ISL", "USA", "JPN", "XKS", "nl", nil] {
                session.storefront = storefront
                for version in [
                    OSVersion(15, 3), OSVersion(17, 3), OSVersion(17, 4), OSVersion(17, 5), OSVersion(27, 2),
                ] {
                    for mode in [AppMode.native, .catalyst] {
                        for (payments, person) in [(true, true), (false, true), (true, false)] {
                            session.update {
                                $0.device.osVersion = version
                                $0.device.mode = mode
                                $0.canMakePayments = payments
                                $0.personEligible = person
                            }
                            try await session.run {
                                let canOpen = await ExternalPurchaseLink.canOpen
                                let open = try await storeKitError { try await ExternalPurchaseLink.open() }
                                #expect(canOpen == (open == nil))
                                #expect(open?.name == session.explain(.canOpen).failed.flatMap { Self.errors[$0] })
                                await session.settle()
                                let urls = await ExternalPurchaseLink.eligibleURLs
                                #expect(urls?.isEmpty != true)
                                let url = try #require(urls?.first ?? URL(string: SampleApp.shop))
                                let opened = try await storeKitError { try await ExternalPurchaseLink.open(url: url) }
                                #expect((urls != nil) == (opened == nil))
                                #expect(
                                    opened?.name == session.explain(.eligibleURLs).failed.flatMap { Self.errors[$0] }
                                )
                                seen.formUnion([open, opened].map { $0?.name ?? "none" })
                            }
                            calls += 2
                        }
                    }
                }
            }
        }
        #expect(calls == 6 * 9 * 5 * 2 * 3 * 2)
        #expect(seen == ["none", "unsupported", "notEntitled", "notAvailableInStorefront", "systemError"])
    }
}
