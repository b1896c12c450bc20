import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@testable import ExternalPurchaseKit

extension PurchaseAvailability.Offer {
    /// The offers with In-App Purchase where SK-87 puts it, for an app that lists South Korea.
    static func listed(_ external: [Self], in storefront: String?) -> [Self] {
        switch storefront {
        case "JPN", "BRA": external + [.inAppPurchase]
        case "KOR": external
        default: external.isEmpty ? [.inAppPurchase] : external
        }
    }
}

/// Every storefront with every system that changed a rule, for an app that declares everything.
///
/// The expected offers are what StoreKit's properties say when the app asks them itself, in the order of SK-86; the expected
/// tokens are those of the region, as SK-59 lists them.
@Suite("Every storefront on every system")
@MainActor
struct StorefrontSweepTests {
    nonisolated static let versions = ["17.4", "17.5", "18.1", "18.2", "26.2", "26.4", "27.2"]

    @Test(
        "The offers are those of StoreKit, and a purchase has the region's tokens (EK-2, EK-15, SK-59)",
        arguments: versions
    )
    func storefronts(_ version: String) async throws {
        let version = try #require(OSVersion(version))
        let storefronts = Country.all.map(\.alpha3) + ["XKS", "ZZZ"]
        #expect(storefronts.count > 170)
        var withCustomLinks = 0
        for storefront in storefronts {
            let fixture = try KitFixture(SampleFiles.allCases, in: storefront, os: version)
            let store = fixture.model.store
            var expected: [PurchaseAvailability.Offer] = []
            if await store.isEligible { expected.append(.customLink(ProgrammeTerms.Flow.allCases)) }
            if let urls = await store.eligibleURLs, !urls.isEmpty { expected.append(.links(urls)) }
            if await store.canOpen { expected.append(.link) }
            if await store.canPresent { expected.append(.noticeSheet) }
            await fixture.model.refresh()
            #expect(
                fixture.model.availability?.offers == PurchaseAvailability.Offer.listed(expected, in: storefront),
                "\(storefront)"
            )

            let result = await fixture.tap {
                await fixture.model.purchaseWithCustomLink(.outOfApp(destinationURL: KitFixture.shop))
            }
            await fixture.drain()
            guard expected.first == .customLink(ProgrammeTerms.Flow.allCases) else {
                guard case .notOffered = result else { throw StoreFailure(.other, message: "\(storefront) \(result)") }
                #expect(fixture.issuer.issued.isEmpty)
                continue
            }
            withCustomLinks += 1
            guard case .continued(let tokens) = result else {
                throw StoreFailure(.other, message: "\(storefront) \(result)")
            }
            let types: [TokenType] = ["JPN", "BRA"].contains(storefront) ? [.linkOut] : [.acquisition, .services]
            #expect(tokens.tokens.map(\.type) + types.filter { tokens.missing[$0] != nil } == types, "\(storefront)")
            #expect(tokens.missing.values.allSatisfy { $0 == .unsupported }, "\(storefront)")
            #expect(fixture.server.arrivals.map(\.text).sorted() == fixture.issuer.texts.sorted(), "\(storefront)")
        }
        #expect((withCustomLinks > 0) == (version >= OSVersion(18, 1)))
    }
}
