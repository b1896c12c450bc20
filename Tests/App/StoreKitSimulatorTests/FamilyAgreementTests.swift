import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@Suite("Property, method and error agree in the notice sheet and custom links")
struct FamilyAgreementTests {
    private typealias Link = ExternalPurchaseCustomLink

    private static let errors: [ConditionID: String] = [
        .memberExists: "unsupported", .modeAllowed: "unsupported", .entitlement: "notEntitled",
        .storefrontKnown: "notAvailableInStorefront", .storefrontListed: "notAvailableInStorefront",
        .storefrontConfigured: "notAvailableInStorefront", .systemGate: "unsupported",
        .canMakePayments: "systemError", .personEligible: "systemError",
    ]

    private static func name(_ evaluation: Evaluation) -> String? { evaluation.failed.flatMap { errors[$0] } }

    @Test("True exactly when the methods succeed, and the error is that of the condition (SK-20, SK-22, SK-23)")
    func agreement() async throws {
        var calls = 0
        var seen: Set<String> = []
        for samples in [[], [.P], [.C], [.S], [.A], [.P, .L, .M, .C, .S, .A]] as [[SampleFiles]] {
            for storefront in ["DEU", "FRA", "KOR", "ISL", "USA", "JPN", "BRA", "de", nil] {
                let session = try StoreKitSession.sample(samples, in: storefront, ScriptedPresenter(.cancel))
                for version in ["17.3", "17.4", "18.0", "18.1", "18.2", "26.1", "26.3", "26.4", "26.5", "27.2"] {
                    for (payments, person) in [(true, true), (false, true), (true, false)] {
                        let version = try #require(OSVersion(version))
                        session.update {
                            $0.device.osVersion = version
                            $0.canMakePayments = payments
                            $0.personEligible = person
                        }
                        try await session.run {
                            let canPresent = await ExternalPurchase.canPresent
                            let notice = try await storeKitError { _ = try await ExternalPurchase.presentNoticeSheet() }
                            #expect(canPresent == (notice == nil))
                            #expect(notice?.name == Self.name(session.explain(.canPresent)))

                            let isEligible = await Link.isEligible
                            let older = try await storeKitError { _ = try await Link.showNotice(type: .withinApp) }
                            #expect(isEligible == (older == nil))
                            #expect(older?.name == Self.name(session.explain(.isEligible)))
                            let newer = try await storeKitError { _ = try await Link.showNotice(for: .withinApp) }
                            #expect((newer == nil) == (isEligible && version >= OSVersion(27, 2)))

                            let token = try await storeKitError { _ = try await Link.token(for: "SERVICES") }
                            #expect(token?.name == Self.name(session.explain(.token)))
                            // Only the token gate can fail for an app that is eligible (SK-23).
                            if isEligible, token != nil { #expect(session.explain(.token).failed == .systemGate) }
                            let typed = try await storeKitError { _ = try await Link.token(for: .withinApp) }
                            #expect((typed == nil) == (token == nil && version >= OSVersion(27, 2)))
                            seen.formUnion([notice, older, newer, token, typed].map { $0?.name ?? "none" })
                        }
                        calls += 5
                    }
                }
            }
        }
        #expect(calls == 6 * 9 * 10 * 3 * 5)
        #expect(seen == ["none", "unsupported", "notEntitled", "notAvailableInStorefront", "systemError"])
    }

    @Test(
        "The SDK that the app was built with leaves property and method of one mind (SK-23, SK-40, SK-43)",
        arguments: [AppMode.native, .catalyst, .compatibleMacOS, .compatibleVisionOS]
    )
    func linkedSDK(_ mode: AppMode) async throws {
        var seen: Set<Bool> = []
        for version in ["17.3", "17.4", "26.5"] {
            for sdk in ["15.4", "17.2", "17.4", "26.5"] {
                let (version, sdk) = (try #require(OSVersion(version)), try #require(OSVersion(sdk)))
                let session = try StoreKitSession.sample([.P], in: "DEU", os: version) {
                    $0.device.mode = mode
                    $0.device.linkedSDK = sdk
                }
                try await session.run {
                    let canPresent = await ExternalPurchase.canPresent
                    let error = try await storeKitError { _ = try await ExternalPurchase.presentNoticeSheet() }
                    #expect(canPresent == (error == nil), "\(mode) \(version), SDK \(sdk)")
                    #expect(canPresent == (version >= OSVersion(17, 4) && sdk >= OSVersion(17, 4)))
                    seen.insert(canPresent)
                }
            }
        }
        #expect(seen == [true, false])
    }
}
