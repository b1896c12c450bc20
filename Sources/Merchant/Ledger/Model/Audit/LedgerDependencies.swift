package import ExternalPurchaseCore

/// Time and randomness of a store: the time of audit entries and the pseudonyms of customers.
package struct LedgerDependencies: Sendable {
    package var now: @Sendable () -> Timestamp
    /// Returns a unique text that cannot be guessed.
    package var pseudonym: @Sendable () -> String

    package init(now: @escaping @Sendable () -> Timestamp, pseudonym: @escaping @Sendable () -> String) {
        self.now = now
        self.pseudonym = pseudonym
    }

    /// The system clock and the system's random number generator.
    package static let live = LedgerDependencies(
        now: { Timestamp(Date()) },
        pseudonym: {
            let half = { String(UInt64.random(in: .min ... .max), radix: 16) }
            return "customer-" + [half(), half()].map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
        }
    )
}
