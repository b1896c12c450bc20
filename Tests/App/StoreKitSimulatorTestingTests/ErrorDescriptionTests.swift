import Foundation
import StoreKitSimulatorTesting
import Testing

@testable import StoreKitSimulatorTesting

@Suite("What a test says of an error")
struct ErrorDescriptionTests {
    private func error(_ operation: () async throws -> Void) async throws -> StoreKitError {
        do {
            try await operation()
        } catch let error as StoreKitError {
            return error
        }
        throw CancellationError()
    }

    @Test(
        "It names the method, the condition and the remedy (SK-114)",
        .externalPurchase(storefront: "USA", configuration: .bookShop, diagnostics: .off)
    )
    func condition() async throws {
        let error = try await error { try await ExternalPurchaseLink.open() }
        let evaluation = StoreKitSession.current.explain(.canOpen)
        let failed = try #require(evaluation.failedCondition)
        #expect(
            "\(error)" == "notAvailableInStorefront: ExternalPurchaseLink.open() fails C5, \(failed.detail)."
                + " \(try #require(failed.fix))"
        )
        #expect(error.debugDescription == "\(error)\n\(evaluation)")
    }

    @Test(
        "A condition without a case of its own is in the system error (SK-114)",
        .externalPurchase(storefront: "NLD", configuration: .bookShop, diagnostics: .off) { $0.canMakePayments = false }
    )
    func systemError() async throws {
        let error = try await error { try await ExternalPurchaseLink.open() }
        #expect(
            "\(error)" == "systemError: paymentsNotAllowed: payments are restricted on this device"
                + " Offer neither external purchases nor In-App Purchase."
        )
        #expect(error.debugDescription.contains("no  C8 payments are restricted on this device"))
    }

    @Test(
        "The last failure of the case counts, of every family (SK-114)",
        .externalPurchase(storefront: "NLD", configuration: .xml(infoPlist: ""), diagnostics: .off)
    )
    func lastFailure() async throws {
        let link = try await error { try await ExternalPurchaseLink.open() }
        #expect("\(link)".hasPrefix("notEntitled: ExternalPurchaseLink.open() fails C3, "))
        let account = try await error { try await ExternalLinkAccount.open() }
        #expect(
            "\(account)".hasPrefix("notEntitled: ExternalLinkAccount.open() fails C3, com.apple.developer.storekit.")
        )
        #expect(account.debugDescription.contains("no  C6 SKExternalLinkAccount has no usable link"))
        let token = try await error { _ = try await ExternalPurchaseCustomLink.token(for: "SERVICES") }
        #expect("\(token)".hasPrefix("notEntitled: ExternalPurchaseCustomLink.token(for:) fails C3, "))
    }

    @Test("Without a session it is the name of the case (SK-114)")
    func withoutSession() async {
        await #expect(processExitsWith: .success) {
            #expect("\(StoreKitError.unsupported)" == "unsupported")
            #expect(StoreKitError.unsupported.debugDescription == "unsupported")
            #expect("\(StoreKitError.systemError(CancellationError()))" == "systemError: CancellationError()")
        }
    }

    @Test("A call outside any session is one line on standard error for the process (SK-14)")
    func standardError() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            for _ in 0..<3 { _ = AppStore.canMakePayments }
            let session = StoreKitSession()
            await session.run { _ = AppStore.canMakePayments }
        }
        let text = try #require(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) })
        #expect(text.components(separatedBy: "StoreKit: session-not-set-up: ").count == 2, "\(text)")
        #expect(text.contains("detached tasks inherit no session"))
    }

    @Test("A call outside any session is an issue that names the running cases, once (SK-14)")
    func issue() async {
        await withKnownIssue {
            await #expect(processExitsWith: .success) {
                await RunningCases.withCase("buying in the Netherlands", expectsCalls: false) {
                    for _ in 0..<3 { await Task.detached { _ = AppStore.canMakePayments }.value }
                }
            }
        } matching: { issue in
            "\(issue)".contains("session-not-set-up") && "\(issue)".contains("buying in the Netherlands")
        }
    }

    @Test("A case that expects such calls, and no case at all, give no issue (SK-14)")
    func noIssue() async {
        await #expect(processExitsWith: .success) {
            await RunningCases.withCase("one", expectsCalls: false) {
                await RunningCases.withCase("two", expectsCalls: true) { _ = AppStore.canMakePayments }
            }
            _ = AppStore.canMakePayments
        }
    }

    @Test("Every type that the module's members name can be written with this import alone (SK-113)")
    func names() {
        #expect(Set(namesOfStoreKitSimulatorTesting.map { "\($0)" }).count == namesOfStoreKitSimulatorTesting.count)
        #expect(device(StoreKitSession()) == "iOS 26.4 false false")
    }
}
