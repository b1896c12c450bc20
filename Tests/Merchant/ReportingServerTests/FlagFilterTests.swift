import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import Reporting
import TestSupport
import Testing

@Suite("Every flag that is stored can be asked for")
struct FlagFilterTests {
    /// The texts of flags that a source file declares.
    private static func declared(in file: String) throws -> Set<String> {
        let path = PackageFolder.file("Sources/Merchant/Ledger/Model/\(file)")
        let source = try String(contentsOf: path, encoding: .utf8)
        let texts = source.matches(of: #/(?:static let \w+ = Self\(rawValue: |case \w+ = )"([^"]+)"/#).map {
            String($0.1)
        }
        return Set(texts)
    }

    @Test("Sales by every cause of a hold, note and decision; tokens by every state and note")
    func filters() async throws {
        let sales = try Self.declared(in: "Sale/SaleFlag.swift").union(Self.declared(in: "Sale/HoldCause.swift"))
        let tokens = try Self.declared(in: "Token/TokenFlag.swift")
        #expect(sales.count > 36 && sales.contains("waits-for-start"), "\(sales.count)")
        #expect(tokens.count > 9 && tokens.contains("chosen-for-period"), "\(tokens.count)")
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            for (list, flags) in [("sales", sales), ("tokens", tokens)] {
                for flag in flags {
                    let answer = try await client.execute(uri: "/v1/\(list)?flag=\(flag)", method: .get)
                    #expect(answer.status == .ok, "\(list) \(flag): \(String(buffer: answer.body))")
                }
                let wrong = try await client.execute(uri: "/v1/\(list)?flag=no-such-flag", method: .get)
                #expect(wrong.status == .unprocessableContent)
            }
        }
    }

    @Test("What an attribution says is in the list of flags, whatever its states")
    func attributions() {
        var attribution = Attribution(
            state: .held,
            externalPurchaseId: nil,
            holdCauses: Set(HoldCause.allCases),
            notes: Set(SaleNote.known)
        )
        for review in SaleReview.allCases {
            for dispatch in SaleDispatch.allCases {
                for decision in SubscriptionDecision.allCases {
                    for origin in SaleOrigin.allCases {
                        (attribution.review, attribution.dispatch) = (review, dispatch)
                        (attribution.subscriptionDecision, attribution.origin) = (decision, origin)
                        #expect(attribution.flags.isSubset(of: SaleFlag.known))
                    }
                }
            }
        }
    }

    @Test("A sale that waits for the start of its subscription is found by that")
    func waitingSale() async throws {
        let fixture = try ServerFixture()
        try await fixture.application.test(.router) { client in
            let sale = SaleListTests.sale("w")
            let stored = try await client.execute(
                uri: "/v1/sales",
                method: .post,
                headers: [.contentType: "application/json"],
                body: .init(string: sale)
            )
            #expect(stored.status == .created)
            try await fixture.store.write { ledger throws(LedgerError) in
                guard var attribution = try ledger.sale("w", of: ServerFixture.bundleId)?.attribution else { return }
                attribution.state = .held
                attribution.holdCauses = [.waitsForStart]
                try ledger.update(attribution, of: "w", app: ServerFixture.bundleId)
            }
            for (flag, ids) in [("waits-for-start", ["w"]), ("waits-for-correction", [])] {
                let answer = try await client.execute(uri: "/v1/sales?flag=\(flag)", method: .get).json
                #expect((answer["sales"] as? [[String: Any]])?.compactMap { $0["saleId"] as? String } == ids)
            }
        }
    }
}
