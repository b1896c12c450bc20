import ConfigurationLint
import Eligibility
import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@Suite("A link's flow that fails")
struct LinkFailureTests {
    private func failed(_ session: StoreKitSession) -> StoreKitError? {
        guard case .failed(let error) = session.outcomes.last else { return nil }
        return error
    }

    @Test("A presenter that throws fails the flow and opens nothing")
    func presenterThrows() async throws {
        let (session, browser) = try StoreKitSession.dutch(ScriptedPresenter(.fail(SampleFault()), .continue))
        try await session.run { try await ExternalPurchaseLink.open() }
        let failure = try #require(failed(session)?.failure)
        #expect(failure.reason == .sheetCannotBePresented)
        #expect(failure.underlying is SampleFault)
        #expect(await browser.opened.isEmpty)
        // The screen was released.
        try await session.run { try await ExternalPurchaseLink.open() }
        #expect(await browser.opened.count == 1)
    }

    @Test("A presenter that never answers fails the flow with an explanation")
    func presenterNeverAnswers() async throws {
        let (session, browser) = try StoreKitSession.dutch(ScriptedPresenter(.never, .continue)) {
            $0.presenterTimeout = .milliseconds(50)
        }
        try await session.run { try await ExternalPurchaseLink.open() }
        let failure = try #require(failed(session)?.failure)
        #expect(failure.reason == .sheetCannotBePresented)
        #expect(failure.message.contains("no answer within 0.05 seconds"))
        #expect(await browser.opened.isEmpty)
        session.presenterTimeout = .seconds(30)
        try await session.run { try await ExternalPurchaseLink.open() }
        #expect(await browser.opened.count == 1)
    }

    @Test("A presenter that ignores cancellation does not hold the flow either")
    func presenterIgnoresCancellation() async throws {
        let gate = Gate()
        let (session, _) = try StoreKitSession.dutch(
            ScriptedPresenter(
                .decide { _ in
                    await gate.wait()
                    return .continue
                }
            )
        ) { $0.presenterTimeout = .milliseconds(50) }
        try await session.run { try await ExternalPurchaseLink.open() }
        #expect(failed(session)?.failure?.reason == .sheetCannotBePresented)
        await gate.open()
    }

    @Test("A token that cannot be registered is not returned, and nothing opens (SK-54)")
    func registrationFails() async throws {
        let (session, browser) = try StoreKitSession.dutch {
            $0.tokenIssuer = RegisteringTokenIssuer { _ in throw SampleFault() }
        }
        try await session.run { try await ExternalPurchaseLink.open() }
        let failure = try #require(failed(session)?.failure)
        #expect(failure.reason == .tokenNotMinted)
        #expect(failure.underlying is SampleFault)
        #expect(await browser.opened.isEmpty)
    }

    @Test("A token is registered before the browser opens")
    func registersFirst() async throws {
        let log = Browser()
        let (session, _) = try StoreKitSession.dutch {
            $0.tokenIssuer = RegisteringTokenIssuer { await log.open(URL(string: "register:\($0.text)")!) }
            $0.urlOpener = { await log.open($0) }
        }
        try await session.run { try await ExternalPurchaseLink.open() }
        #expect(await log.opened.map(\.scheme) == ["register", "https"])
    }

    @Test("Without bundle id no token can be made")
    func bundleIdMissing() async throws {
        let (session, browser) = try StoreKitSession.dutch()
        session.configuration = try SampleApp.configuration(single: ["nl": SampleApp.shop], bundleId: nil)
        try await session.run { try await ExternalPurchaseLink.open() }
        #expect(failed(session)?.failure?.reason == .tokenNotMinted)
        #expect(await browser.opened.isEmpty)
    }

    @Test("A browser that fails is the outcome")
    func browserFails() async throws {
        let (session, _) = try StoreKitSession.dutch { $0.urlOpener = { _ in throw URLError(.cannotConnectToHost) } }
        try await session.run { try await ExternalPurchaseLink.open() }
        #expect(failed(session)?.name == "networkError")
    }

    @Test("A URL that is not eligible fails unless the setting opens it (SK-55, D5)")
    func urlNotEligible() async throws {
        let other = URL(string: "https://shop.acme.example/NL")!
        let (session, browser) = try StoreKitSession.dutch()
        let error = try await session.run {
            try await storeKitError { try await ExternalPurchaseLink.open(url: other) }
        }
        #expect(error?.failure?.reason == .urlNotEligible)
        #expect(error?.failure?.explanation.failed == .argument)
        #expect(session.diagnosticIds.contains("url-not-eligible"))
        #expect(await browser.opened.isEmpty)
        session.ineligibleURLPolicy = .open
        try await session.run { try await ExternalPurchaseLink.open(url: other) }
        #expect(await browser.opened.first?.path() == "/NL")
    }

    @Test(
        "Without presenter the error depends on the system (C11, SK-72)",
        arguments: [
            ("26.5", "systemError"), ("27.0", "invalidPresentationContext"), ("27.2", "invalidPresentationContext"),
        ]
    )
    func noPresenter(_ version: String, _ expected: String) async throws {
        let (session, _) = try StoreKitSession.dutch { $0.presenter = nil }
        session.device.osVersion = try #require(OSVersion(version))
        let error = try await session.run { try await storeKitError { try await ExternalPurchaseLink.open() } }
        #expect(error?.name == expected)
        #expect(session.diagnosticIds.contains("no-presenter"))
    }

    @Test("A network that fails is thrown last of all conditions (C12)")
    func network() async throws {
        let (session, browser) = try StoreKitSession.dutch { $0.network = URLError(.notConnectedToInternet) }
        let url = try #require(URL(string: SampleApp.shop))
        try await session.run {
            #expect(await ExternalPurchaseLink.canOpen)
            guard
                case .networkError(let error) = try await storeKitError({
                    try await ExternalPurchaseLink.open(url: url)
                })
            else {
                Issue.record("no networkError")
                return
            }
            #expect(error.code == .notConnectedToInternet)
        }
        session.presenter = nil
        let earlier = try await session.run { try await storeKitError { try await ExternalPurchaseLink.open() } }
        #expect(earlier?.failure?.reason == .sheetCannotBePresented)
        session.presenter = ScriptedPresenter(.continue)
        session.network = nil
        try await session.run { try await ExternalPurchaseLink.open() }
        #expect(await browser.opened.count == 1)
    }

    @Test("Restricted payments and an ineligible person carry their reason (SK-70)")
    func reasons() async throws {
        let (session, _) = try StoreKitSession.dutch { $0.canMakePayments = false }
        try await session.run {
            #expect(!AppStore.canMakePayments)
            #expect(await !ExternalPurchaseLink.canOpen)
            let error = try await storeKitError { try await ExternalPurchaseLink.open() }
            #expect(error?.failure?.reason == .paymentsNotAllowed)
            #expect(error?.failure?.explanation.next == .offerNothing)
            session.update {
                $0.canMakePayments = true
                $0.personEligible = false
            }
            let next = try await storeKitError { try await ExternalPurchaseLink.open() }
            #expect(next?.failure?.reason == .personIneligible)
        }
    }

    @Test("An own error mapping replaces the table (D1)")
    func errorMapping() async throws {
        let (session, _) = try StoreKitSession.dutch {
            $0.errorMapping = { $0 == .storefrontListed ? .unknown : nil }
            $0.storefront = "USA"
        }
        let mapped = try await session.run { try await storeKitError { try await ExternalPurchaseLink.open() } }
        #expect(mapped?.name == "unknown")
        session.storefront = "FRA"
        let other = try await session.run { try await storeKitError { try await ExternalPurchaseLink.open() } }
        #expect(other?.name == "notAvailableInStorefront")
    }

    @Test("Every error describes what happened, the reason and a remedy (SK-71)")
    func texts() {
        let errors: [StoreKitError] = [
            .unknown, .userCancelled, .networkError(URLError(.timedOut)), .systemError(SampleFault()),
            .notAvailableInStorefront, .notEntitled, .unsupported, .invalidPresentationContext,
        ]
        for error in errors {
            for text in [error.errorDescription, error.failureReason, error.recoverySuggestion] {
                #expect(text?.isEmpty == false, "\(error)")
            }
        }
        #expect(Set(errors.map(\.errorDescription)).count == errors.count)
    }
}
