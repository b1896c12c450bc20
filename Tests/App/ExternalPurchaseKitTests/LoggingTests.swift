import ExternalPurchaseCore
import Foundation
import StoreKitSimulator
import Testing

@testable import ExternalPurchaseKit

@Suite("What the kit logs")
@MainActor
struct LoggingTests {
    @Test("No event of any flow, answer or failure holds a token or a customer (EK-30)")
    func noTokens() async throws {
        var lines: [String] = []
        var secrets: Set<String> = []
        for (samples, storefront) in [([SampleFiles.C], "DEU"), ([.A], "JPN"), ([.P, .L], "DEU"), ([], "USA")] {
            for (answer, isFull) in [("store", false), ("refuse", false), ("retry", false), ("retry", true)] {
                let fixture = try KitFixture(samples, in: storefront)
                fixture.model.customerId = "customer-4711"
                fixture.files.isFull = isFull
                fixture.server.answer { token in
                    // Reasons of an app's own closure may be careless.
                    switch answer {
                    case "store": nil
                    case "refuse": .refused(reason: "refused \(token.text)")
                    default: .retry(reason: "failed \(token.text)", after: nil)
                    }
                }
                await fixture.model.refresh()
                _ = await fixture.tap { await fixture.model.purchaseWithCustomLink(.withinApp) }
                _ = await fixture.tap { await fixture.model.presentNoticeSheet() }
                _ = await fixture.tap { await fixture.model.openLink() }
                await fixture.session.settle()
                await fixture.drain()
                for token in await fixture.outbox.refusedTokens {
                    lines += ["\(token)", String(reflecting: token)]
                    dump(token, to: &lines[lines.count - 1])
                }
                lines += fixture.events.all.flatMap { ["\($0)", String(reflecting: $0), $0.level.rawValue] }
                secrets.formUnion(fixture.issuer.texts)
                secrets.formUnion(fixture.issuer.issued.map(\.token.externalPurchaseId.rawValue))
            }
        }
        #expect(lines.count > 100 && secrets.count > 10)
        for secret in secrets { #expect(!lines.contains { $0.contains(secret) }) }
        #expect(!lines.contains { $0.contains("customer-4711") })
    }

    @Test("What may lose a token is an error (EK-30)")
    func levels() {
        let failure = StorageFailure(.write, code: 28, reason: "full")
        let name = PurchaseToken(text: "x", type: nil).name
        #expect(KitEvent.notStored(name, failure).level == .error)
        #expect(KitEvent.refused(name).level == .error)
        #expect(
            KitEvent.opened(pending: 0, refused: 0, unreadable: 0, unreachable: 0, interruptedRequests: 1).level
                == .warning
        )
        #expect(KitEvent.delivered(name).level == .info)
    }

    @Test("Names of tokens are the 128-bit FNV-1a hash")
    func names() {
        // http://www.isthe.com/chongo/tech/comp/fnv/: the hash of the empty text is the offset; one zero byte follows.
        let offset: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        let prime: UInt128 = (1 << 88) + 0x13b
        #expect(PurchaseToken(text: "", type: nil).name.description == String(offset &* prime, radix: 16))
        let customers = [nil, "a", "b"].map { PurchaseToken(text: "t", type: nil, customerId: $0).name }
        #expect(Set(customers).count == 3)
        #expect(customers.allSatisfy { $0.description.count == 32 })
    }
}
