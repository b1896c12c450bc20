import Foundation
import StoreKit
import Testing

@Suite("In-App Purchase beside external purchases")
struct InAppPurchaseTests {
    @Test("An app's code compiles, and finds neither products nor transactions (SK-110)", .timeLimit(.minutes(10)))
    func nothing() async throws {
        let session = StoreKitSession { $0.storefront = "NLD" }
        try await session.run {
            let store = InAppPurchaseStore()
            await store.start()
            try await store.load(["coins", "premium"])
            #expect(await store.labels().isEmpty)
            #expect(try await store.buy("coins", for: UUID()) == nil)
            try await store.restore()
            #expect(await store.owned.isEmpty)
            #expect(await store.isSubscribed("club") == false)
            #expect(await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "club"))
            #expect(await Transaction.latest(for: "coins") == nil)
            #expect(await Transaction.currentEntitlement(for: "coins") == nil)
            #expect(await openAccountPages() == "not offered")
            // The sequence of updates ends with its task, not before.
            #expect(await store.stop())
        }
        #expect(session.diagnostics.isEmpty)
    }

    @Test("A fault of the network or of the system reaches the App Store's calls (SK-110)")
    func faults() async throws {
        let session = StoreKitSession { $0.network = URLError(.notConnectedToInternet) }
        func failures() async -> [String] {
            await session.run {
                var names: [String] = []
                do { try await AppStore.sync() } catch { names.append("\(error)") }
                do { _ = try await Product.products(for: ["coins"]) } catch { names.append("\(error)") }
                do { _ = try await Product.SubscriptionInfo.status(for: "club") } catch { names.append("\(error)") }
                return names
            }
        }
        let network = await failures()
        #expect(network.count == 3 && network.allSatisfy { $0.hasPrefix("networkError") }, "\(network)")
        session.network = nil
        session.systemError = CocoaError(.fileNoSuchFile)
        let system = await failures()
        #expect(system.count == 3 && system.allSatisfy { $0.hasPrefix("systemError") }, "\(system)")
        session.systemError = nil
        #expect(await failures().isEmpty)
    }

    @Test("The question of the first StoreKit is that of AppStore, and counts as one (SK-6)")
    func payments() async {
        let session = StoreKitSession { $0.canMakePayments = false }
        await session.run {
            #expect(!SKPaymentQueue.canMakePayments())
            session.canMakePayments = true
            #expect(SKPaymentQueue.canMakePayments())
            _ = try? await ExternalPurchaseLink.open()
        }
        #expect(!session.diagnostics.contains { $0.id == "payments-not-checked" })
    }

    @Test("A verification has its value or its error")
    func verification() throws {
        let good = VerificationResult<Int>.verified(1)
        let bad = VerificationResult<Int>.unverified(2, .invalidSignature)
        #expect(try good.payloadValue == 1)
        #expect(bad.unsafePayloadValue == 2)
        #expect(throws: VerificationResult<Int>.VerificationError.invalidSignature) { try bad.payloadValue }
        #expect(good != bad)
    }

    @Test("Every type that the module's members name can be written with this import alone (SK-113)")
    func names() {
        #expect(Set(namesOfStoreKit.map { "\($0)" }).count == namesOfStoreKit.count)
        #expect(device(StoreKitSession()) == "iOS 26.4 false false")
    }
}
