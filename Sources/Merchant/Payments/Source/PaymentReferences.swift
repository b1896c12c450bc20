package import ExternalPurchaseCore
package import Ledger

/// What the ledger knows of the references of payments, and when it is asked.
package struct PaymentReferences: Sendable {
    /// The checkouts that a token named, and the customers with a payment of an external purchase.
    let known: Set<PaymentReference>
    /// The ids of the events that gave a sale; their payments stay taken.
    package let told: Set<String>
    let now: Timestamp
    /// When the last one of the events arrived.
    let receivedAt: Timestamp
    /// The time for which a payment waits for the token of its checkout.
    let wait: Duration

    var isInTime: Bool { now < receivedAt + wait }

    package init(
        known: Set<PaymentReference> = [],
        told: Set<String> = [],
        now: Timestamp = Timestamp(milliseconds: 0),
        receivedAt: Timestamp = Timestamp(milliseconds: 0),
        wait: Duration = .zero
    ) {
        self.known = known
        self.told = told
        self.now = now
        self.receivedAt = receivedAt
        self.wait = wait
    }
}
