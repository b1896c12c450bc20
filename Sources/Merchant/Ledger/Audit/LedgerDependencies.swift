package import ExternalPurchaseCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Time and randomness of a store: when an audit entry is written, and what stands in it for a customer.
package struct LedgerDependencies: Sendable {
    package var now: @Sendable () -> Timestamp
    /// A text that nobody can guess and that is never made twice.
    package var pseudonym: @Sendable () -> String

    package init(now: @escaping @Sendable () -> Timestamp, pseudonym: @escaping @Sendable () -> String) {
        self.now = now
        self.pseudonym = pseudonym
    }

    /// The machine's own.
    package static let live = LedgerDependencies(
        now: { Timestamp(Date()) },
        pseudonym: {
            let half = { String(UInt64.random(in: .min ... .max), radix: 16) }
            return "customer-" + [half(), half()].map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
        }
    )
}
