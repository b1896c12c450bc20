package import Ledger

/// What a set of events means for the ledger.
package struct PaymentReading: Hashable, Sendable {
    /// The sales that the ledger must hold, purchases before refunds, refunds before reversals.
    package var sales: [PaymentSale] = []
    /// The sales that must no longer count; one that the ledger does not hold needs nothing.
    package var withdrawals: [PaymentWithdrawal] = []
    /// What became of each event, by its id.
    package var outcomes: [String: PaymentOutcome] = [:]
    /// What a person should know of an event beside its outcome, by the event's id.
    package var notes: [String: String] = [:]
    /// What is known of the payment of each event that is about one, by the event's id.
    package var payments: [String: PaymentState] = [:]
    /// What customers gave and got back in the payments that give sales.
    package var statements: [PaymentStatement] = []
    /// What an API key would let us read, sorted by path.
    package var requests: [PaymentRequest] = []
    /// The objects that fetched answers bring together, by the object that was asked about.
    package var connections: [PaymentObjectName: Set<PaymentObjectName>] = [:]

    package init() {}
}

/// Whether a payment belongs to an external purchase, and what was paid where this event is the one that tells it.
package struct PaymentState: Hashable, Sendable {
    package let reference: PaymentEventResult.Reference
    package let payment: PaymentEventResult.Payment?
}

/// A sale, and the events that tell it.
package struct PaymentSale: Hashable, Sendable {
    package let sale: Sale
    /// False for test mode, whose sales belong to tokens of the sandbox.
    package let isLive: Bool
    /// Why its amounts replace those that the ledger holds; nil for a sale that keeps what the ledger says.
    package let restatement: Restatement?
    /// The ids of the events that give the sale or add to it, sorted.
    package let eventIds: [String]

    package enum Restatement: String, Hashable, Sendable {
        /// A part of what a dispute took came back.
        case disputeReturned = "dispute-returned"
        /// A refund that had left less to take has failed.
        case refundFailed = "refund-failed"
        /// More of an authorisation was captured than was known.
        case captured
        /// The customer was charged in another currency than the invoice has.
        case presented
        /// The payment's newest state says something else of its lines, or of what was given back.
        case stated
    }
}

/// A sale that must no longer count.
package struct PaymentWithdrawal: Hashable, Sendable {
    package let saleId: SaleId
    package let reason: Reason
    /// The ids of the events that withdraw it, sorted.
    package let eventIds: [String]

    package enum Reason: String, Hashable, Sendable {
        /// The refund failed after it had succeeded.
        case refundFailed = "refund-failed"
        case creditNoteVoided = "credit-note-voided"
        /// The refunds by their own ids replace the difference that `charge.refunded` told.
        case toldByRefund = "told-by-refund"
        /// The Checkout session that made the invoice is the sale.
        case toldBySession = "told-by-session"
        /// The payment's newest state has no such line, refund or dispute.
        case stated
    }
}
