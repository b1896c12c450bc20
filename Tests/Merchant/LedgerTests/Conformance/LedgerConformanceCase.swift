import Ledger
import Testing

/// Makes an empty ledger of the kind under test, with time and pseudonyms of the suite's choosing.
typealias LedgerFactory = @Sendable (LedgerDependencies) async throws -> any LedgerStore

/// One claim that every store must keep.
///
/// A store's tests run all of ``all`` over a factory:
///
///     @Test(arguments: LedgerConformanceCase.all)
///     func conformance(_ claim: LedgerConformanceCase) async throws { try await claim.check { … } }
struct LedgerConformanceCase: Sendable, CustomTestStringConvertible {
    /// The claim.
    let name: String
    private let body: @Sendable (LedgerFactory) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (LedgerFactory) async throws -> Void) {
        self.name = name
        self.body = body
    }

    /// A claim about one store with a clock that stands still.
    init(_ name: String, over body: @escaping @Sendable (any LedgerStore) async throws -> Void) {
        self.init(name) { open in try await body(open(.fixed)) }
    }

    var testDescription: String { name }

    /// Records an issue for everything that the store does otherwise.
    func check(_ open: LedgerFactory) async throws {
        try await body(open)
    }

    /// Every claim.
    static let all: [LedgerConformanceCase] =
        tokens + merging + customers + sales + subscriptions + saleVersions + saleChanges + reports + lineItems
        + notifications + paymentEvents
        + checkoutClaims + ownChanges + people + access + leases + alerts + audit + openRows + deadlines + lists + flags
        + webhooks + selections + faults
}
