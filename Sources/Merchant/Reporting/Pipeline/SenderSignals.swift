import ExternalPurchaseCore
import Ledger

/// Notifies the sender of commits.
struct SenderSignals: Sendable {
    let sender: ReportSender
    /// Wakes the worker of payments, some of which may have waited for a token.
    let payments: PaymentSignals

    /// Signals a stored token, which sales may have waited for.
    func tokenStored() {
        sender.wake(afterToken: true)
        payments.wake()
    }

    /// Signals a stored or changed sale.
    func saleStored(_ receipt: SaleReceipt) {
        if receipt.isNew { sender.wake(afterToken: receipt.tiesCheckout) }
        if receipt.namesPayment { payments.wake() }
        // Held sales may depend on a value that the changed sale no longer has.
        if receipt.isChanged { sender.wake(afterToken: true) }
    }

    /// Signals stored links, which held sales may have waited for.
    func linksStored() {
        sender.wake(afterToken: true)
        payments.wake()
    }

    /// Signals reports in the outbox, or sales that can go into reports.
    func reportsReady() {
        sender.wake()
    }

    /// Signals a stored notification, which has to be handled.
    func notificationStored() {
        sender.wakeForNotification()
    }

    /// Signals a person's decision about a review item.
    func decided(_ decision: ReviewDecision, _ outcome: ReviewOutcome) async {
        if outcome.item.kind == .keyRefused, decision.action == .retry { await sender.resume(outcome.item.bundleId) }
        sender.wake(afterToken: true)
    }
}
