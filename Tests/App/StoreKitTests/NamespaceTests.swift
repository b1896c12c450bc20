import StoreKit
import Testing

// A switch over an optional with a case for nil compiles only if there is no value.
private func isNone(_ value: ExternalPurchase?) -> Bool {
    switch value {
    case nil: true
    }
}
private func isNone(_ value: ExternalPurchaseLink?) -> Bool {
    switch value {
    case nil: true
    }
}
private func isNone(_ value: ExternalPurchaseCustomLink?) -> Bool {
    switch value {
    case nil: true
    }
}

@Suite("The three families as types")
struct NamespaceTests {
    @Test("They are enums without cases, which have no values (SK-3)")
    func namespaces() {
        #expect(MemoryLayout<ExternalPurchase>.size == 0)
        #expect(MemoryLayout<ExternalPurchaseLink>.size == 0)
        #expect(MemoryLayout<ExternalPurchaseCustomLink>.size == 0)
        #expect(isNone(ExternalPurchase?.none))
        #expect(isNone(ExternalPurchaseLink?.none))
        #expect(isNone(ExternalPurchaseCustomLink?.none))
    }

    /// Distinguishes all cases.
    ///
    /// The compiler warns of a missing case.
    private func name(_ result: ExternalPurchase.NoticeResult) -> String {
        switch result {
        case .continuedWithExternalPurchaseToken(token: let token): "token \(token)"
        case .cancelled: "cancelled"
        @unknown default: "newer"
        }
    }

    @Test("The notice has two results: a token, or cancelled; none is the plain continued of older texts (SK-57)")
    func noticeResults() {
        let results: [ExternalPurchase.NoticeResult] = [.continuedWithExternalPurchaseToken(token: "t"), .cancelled]
        #expect(results.map(name) == ["token t", "cancelled"])
        #expect(Set(results).count == 2)
    }
}
