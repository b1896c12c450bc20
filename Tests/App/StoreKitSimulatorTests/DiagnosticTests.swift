import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@Suite("Diagnostics of the link family (SK-100)")
struct DiagnosticTests {
    @Test("A flow in the right order records no diagnostics")
    func none() async throws {
        let (session, _) = try StoreKitSession.dutch()
        try await session.run {
            guard AppStore.canMakePayments, await ExternalPurchaseLink.canOpen else { return }
            try await ExternalPurchaseLink.open()
        }
        #expect(session.outcomes.count == 1)
        #expect(session.diagnostics.isEmpty)
    }

    @Test("Properties that were not read are recorded, payments once per session")
    func notChecked() async throws {
        let (session, browser) = try StoreKitSession.dutch()
        try await session.run { try await ExternalPurchaseLink.open() }
        try await session.run { try await ExternalPurchaseLink.open() }
        #expect(
            session.diagnosticIds == ["payments-not-checked", "eligibility-not-checked", "eligibility-not-checked"]
        )
        #expect(session.diagnostics.allSatisfy { $0.severity == .warning })
        #expect(session.diagnostics[1].member == "ExternalPurchaseLink.open()")
        #expect(session.diagnostics[1].message == "Check ExternalPurchaseLink.canOpen first")
        // Diagnostics never change a result.
        #expect(await browser.opened.count == 2)
    }

    @Test("A property read before a storefront change is stale (SK-91)")
    func stale() async throws {
        let (session, browser) = try StoreKitSession.dutch()
        try await session.run {
            _ = AppStore.canMakePayments
            _ = await ExternalPurchaseLink.canOpen
            session.storefront = "DEU"
            try await ExternalPurchaseLink.open()
        }
        #expect(session.diagnosticIds == ["eligibility-stale"])
        #expect(
            session.diagnostics[0].message == "ExternalPurchaseLink.canOpen was read in NLD; the storefront is DEU"
        )
        #expect(await browser.opened.first?.path() == "/de")
        try await session.run {
            _ = await ExternalPurchaseLink.canOpen
            try await ExternalPurchaseLink.open()
        }
        #expect(session.diagnosticIds.count == 1)
    }

    @Test("A method whose property is false or nil explains the reason")
    func ineligible() async throws {
        let (session, _) = try StoreKitSession.dutch { $0.storefront = "USA" }
        let url = try #require(URL(string: SampleApp.shop))
        try await session.run {
            _ = AppStore.canMakePayments
            _ = await ExternalPurchaseLink.eligibleURLs
            let error = try await storeKitError { try await ExternalPurchaseLink.open(url: url) }
            #expect(error?.name == "notAvailableInStorefront")
        }
        #expect(session.diagnosticIds == ["called-while-ineligible"])
        #expect(session.diagnostics[0].severity == .error)
        #expect(
            session.diagnostics[0].message
                == "ExternalPurchaseLink.eligibleURLs is nil: rule pack 2026-10 has no USA for SKExternalPurchaseMultiLink"
        )
    }

    @Test("A member that the system lacks names the system it needs")
    func newerThanOS() async throws {
        let (session, _) = try StoreKitSession.dutch { $0.device.osVersion = OSVersion(17, 4) }
        await session.run { #expect(await ExternalPurchaseLink.eligibleURLs == nil) }
        #expect(session.diagnosticIds == ["api-newer-than-os"])
        #expect(session.diagnostics[0].message == "ExternalPurchaseLink.eligibleURLs needs iOS 17.5")
        #expect(session.diagnostics[0].severity == .error)
    }

    @Test("Diagnostics carry the session's clock")
    func time() throws {
        let session = StoreKitSession {
            $0.clock = { Timestamp(milliseconds: 1_790_000_000_000) }
            $0.storefront = "DE"
        }
        #expect(session.diagnostics.map(\.time) == [Timestamp(milliseconds: 1_790_000_000_000)])
    }
}
