import ExternalPurchaseCore
import Ledger

/// Opens and closes the review items that do not follow from an arrival.
///
/// For example, a sale has waited too long, or a setting changed.
struct ReviewMaintenance: Sendable {
    let store: any LedgerStore
    let review: HeldSaleReview
    let dependencies: ReportingDependencies

    /// Opens the review items of held sales that need a person and have none.
    ///
    /// - Parameter sequence: the last sale that was reviewed; nil reviews every held sale, as after a restart.
    /// - Returns: the last sale that needs no further review, and the time of the next review; nil if no sale waits.
    func openItems(ofHeldSalesAfter sequence: Int64?) async throws(LedgerError) -> (last: Int64, next: Timestamp?) {
        var page = LedgerPage(after: sequence ?? 0, limit: 200)
        var outcome: (last: Int64, next: Timestamp?) = (sequence ?? 0, nil)
        while true {
            let current = page
            let held = try await store.read { ledger throws(LedgerError) in try ledger.heldSales(current) }
            guard !held.isEmpty else { return outcome }
            let now = dependencies.now()
            var needing: [StoredSale] = []
            for sale in held {
                let readiness = review.readiness(of: sale, now: now)
                if readiness.needsReview {
                    needing.append(sale)
                } else if outcome.next == nil, review.classifier.waitsForArrival(sale.attribution.holdCauses) {
                    outcome.next = sale.receivedAt + review.classifier.tokenWait
                    // Sales are in the order of arrival, so the following ones become overdue later.
                    if sequence != nil { break }
                }
                if outcome.next == nil { outcome.last = sale.sequence }
            }
            if !needing.isEmpty {
                try await store.write { [needing, review] ledger throws(LedgerError) in
                    for row in needing {
                        guard let sale = try ledger.sale(row.sale.saleId, of: row.sale.bundleId) else { continue }
                        let why = "it has waited since \(sale.receivedAt); `ledger plan` says what for"
                        try review.review(sale, why: why, now: now, in: ledger)
                    }
                }
            }
            guard held.count == page.limit, let last = held.last, sequence == nil || outcome.next == nil else {
                return outcome
            }
            page.after = last.sequence
        }
    }

    /// Closes the review items of sales that no longer need a person.
    func closeSettledItems() async throws(LedgerError) {
        let now = dependencies.now()
        try await store.write { ledger throws(LedgerError) in
            var settled: [StoredSale] = []
            try ledger.eachOpenReviewItem { item throws(LedgerError) in
                guard item.kind == .saleHeld, case .sale(let id) = item.subject,
                    let sale = try ledger.sale(id, of: item.bundleId)
                else { return }
                if !review.readiness(of: sale, now: now).needsReview || sale.reportState != nil { settled.append(sale) }
            }
            for sale in settled { try review.review(sale, why: "", now: now, in: ledger) }
        }
    }
}
