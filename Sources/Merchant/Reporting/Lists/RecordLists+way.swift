package import ExternalPurchaseCore
import Ledger

/// How a token that the due list names leaves it, if it is not a token without a sale.
package enum TokenWay: Hashable, Sendable {
    /// Its report is written or sent and has no answer yet.
    case onTheWay
    /// The report of a sale that is planned or held will name it.
    case withItsSale
}

extension RecordLists {
    /// Returns how the tokens of a page of the due list leave it; a token without a sale and without a report is left out.
    package func ways(ofTokensIn page: DeadlinePage) async throws(RequestError) -> [ExternalPurchaseId: TokenWay] {
        let tokens = page.entries.compactMap { entry -> (id: ExternalPurchaseId, app: BundleId)? in
            guard case .token(let token) = entry.entry.subject.row else { return nil }
            return (token.externalPurchaseId, token.bundleId)
        }
        guard !tokens.isEmpty else { return [:] }
        return try await store.shortRead { ledger throws(LedgerError) in
            var ways: [ExternalPurchaseId: TokenWay] = [:]
            for token in tokens {
                let reports = try ledger.reports(on: token.id, of: token.app)
                if reports.contains(where: { $0.state.isOpen && $0.state != .needsAttention }) {
                    ways[token.id] = .onTheWay
                } else if try !ledger.sales(.pendingOnToken(token.id, of: token.app), LedgerPage(limit: 1)).isEmpty {
                    ways[token.id] = .withItsSale
                }
            }
            return ways
        }
    }
}
