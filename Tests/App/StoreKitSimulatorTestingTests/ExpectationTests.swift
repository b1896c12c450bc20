import Eligibility
import Foundation
import StoreKitSimulatorTesting
import Synchronization
import Testing

@Suite("Expectations that explain", .externalPurchase(storefront: "NLD", configuration: .bookShop, sheets: [.continue]))
struct ExpectationTests {
    /// The text of the only issue that an operation records.
    private func issue(_ operation: () async -> Void) async throws -> String {
        let texts = Mutex<[String]>([])
        await withKnownIssue {
            await operation()
        } matching: { issue in
            texts.withLock { $0.append(issue.comments.map(\.rawValue).joined()) }
            return issue.sourceLocation?.fileID.hasSuffix("ExpectationTests.swift") == true
        }
        let recorded = texts.withLock(\.self)
        try #require(recorded.count == 1)
        return recorded[0]
    }

    @Test("Say nothing where they hold")
    func hold() async throws {
        #expect(expectEligible(.eligibleURLs).links.count == 1)
        expectIneligible(.canPresent)
        expectIneligible(.canPresent, because: .entitlement)
        await expectOutcomes([])
        try await BookShop().buy()
        guard case .continued(let url) = await expectOutcome(.continued) else { return }
        #expect(url.host() == "books.acme.example")
        await expectOutcomes([.continued])
    }

    @Test("A no where yes was expected prints every condition")
    func notEligible() async throws {
        StoreKitSession.current.storefront = "DEU"
        let text = try await issue { expectEligible(.eligibleURLs) }
        #expect(text.hasPrefix("Expected yes from ExternalPurchaseLink.eligibleURLs, which fails C6\n"))
        #expect(text.hasSuffix(StoreKitSession.current.explain(.eligibleURLs).description))
        #expect(text.contains("no  C6"))
        #expect(text.contains("next: "))
    }

    @Test("A yes where no was expected prints every condition")
    func eligible() async throws {
        let text = try await issue { expectIneligible(.canOpen, because: .storefrontListed) }
        #expect(text.hasPrefix("Expected no from ExternalPurchaseLink.canOpen because of C5, but it says yes\n"))
        #expect(text.contains("Info.plist:"))
    }

    @Test("Another reason than the expected one is reported")
    func otherReason() async throws {
        StoreKitSession.current.storefront = "USA"
        let text = try await issue { expectIneligible(.canOpen, because: .entitlement) }
        #expect(text.hasPrefix("Expected no from ExternalPurchaseLink.canOpen because of C3, but C5 fails\n"))
    }

    @Test("The question does not count as a read by the app (SK-100)")
    func noRead() async throws {
        expectEligible(.canOpen)
        try await ExternalPurchaseLink.open()
        let diagnostics = Set(StoreKitSession.current.diagnostics.map(\.id))
        #expect(diagnostics.isSuperset(of: ["payments-not-checked", "eligibility-not-checked"]))
    }

    @Test("Another end of the link is reported")
    func otherOutcome() async throws {
        try await BookShop().buy()
        let text = try await issue { await expectOutcome(.cancelled) }
        #expect(
            text.hasPrefix("Expected the link to end as cancelled, but:\n  continued to https://books.acme.example/nl?")
        )
        let list = try await issue { await expectOutcomes([.cancelled, .continued]) }
        #expect(list.hasPrefix("Expected the links to end as [cancelled, continued], but:\n  continued to "))
    }

    @Test("If no link was opened, the issue contains the answers of both properties")
    func noLink() async throws {
        StoreKitSession.current.storefront = "USA"
        #expect(try await !BookShop().buy())
        let text = try await issue { await expectOutcome(.continued) }
        #expect(text.hasPrefix("Expected the link to end as continued, but no link was opened\n"))
        #expect(text.contains("ExternalPurchaseLink.eligibleURLs: no (C5)"))
        #expect(text.contains("ExternalPurchaseLink.canOpen: no (C5)"))
    }

    struct Unreachable: Error {}

    @Test("A failure after open() has returned prints its explanation and the diagnostics")
    func failure() async throws {
        let session = StoreKitSession.current
        session.presenter = ScriptedPresenter(.fail(Unreachable()))
        try await ExternalPurchaseLink.open()
        let text = try await issue { await expectOutcome(.continued) }
        #expect(text.contains("failed: systemError"))
        #expect(text.contains("ExternalPurchaseLink.canOpen: yes"))
        #expect(text.contains("diagnostics:\n  warning: payments-not-checked"))
        await expectOutcome(.failed)
    }

    @Test("A session that is not the current one is given")
    func otherSession() async throws {
        let other = StoreKitSession { $0.storefront = "NLD" }
        expectIneligible(.canOpen, because: .entitlement, in: other)
        await expectOutcomes([], in: other)
    }
}
