import ExternalPurchaseCore
import Ledger

/// Tells the sender what a use case has committed.
struct SenderSignals: Sendable {
    let sender: ReportSender

    /// A token is stored: sales may have waited for it.
    func tokenStored() {
        sender.wake(afterToken: true)
    }

    /// A sale is stored or changed.
    func saleStored(_ receipt: SaleReceipt) {
        if receipt.isNew { sender.wake(afterToken: receipt.tiesCheckout) }
        // Held sales may hang on what another one stopped saying.
        if receipt.isChanged { sender.wake(afterToken: true) }
    }

    /// Something is stored that held sales may have waited for.
    func linksStored() {
        sender.wake(afterToken: true)
    }

    /// Reports are in the outbox, or sales are free for them.
    func reportsReady() {
        sender.wake()
    }

    /// A notification is stored, and waits for what follows from it.
    func notificationStored() {
        sender.wakeForNotification()
    }

    /// A person decided about a review item.
    func decided(_ decision: ReviewDecision, _ outcome: ReviewOutcome) async {
        if let report = outcome.report, report.isAsked { sender.ask(for: report.token, in: report.scope) }
        if outcome.item.kind == .keyRefused, decision.action == .retry { await sender.resume(outcome.item.bundleId) }
        sender.wake(afterToken: true)
    }
}
