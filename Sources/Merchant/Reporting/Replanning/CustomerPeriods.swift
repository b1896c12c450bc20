import ExternalPurchaseCore
import Ledger

/// The custom link tokens of one customer, as far as a plan needs them (RR-60, TK-76).
///
/// The few tokens of a usual customer are read at once. Of more, only those that decide are searched by index: anybody
/// can name a customer in the address of a visit.
struct CustomerPeriods {
    /// A period of a customer's tokens in one environment.
    struct Key: Hashable {
        let customer: CustomerId
        let environment: AppStoreEnvironment
        let period: TokenPeriod
    }

    /// The largest number of tokens that are read at once.
    static let few = 16

    let customer: CustomerId
    private let bundleId: BundleId
    private let ledger: LedgerQueries
    /// All tokens; nil if there are more than ``few``.
    private let all: [StoredToken]?
    /// A token of the customer in any state; nil if there is none.
    let first: StoredToken?

    /// The query by which ``init(of:app:in:)`` begins.
    static func query(of customer: CustomerId, app bundleId: BundleId) -> ExpectedQuery {
        .tokens(.customLink(limit: few + 1), of: customer, app: bundleId)
    }

    /// Reads the tokens of customers together.
    static func read(
        of customers: [CustomerId],
        app bundleId: BundleId,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [CustomerPeriods] {
        let tokens = try ledger.tokens(.customLink(limit: few + 1), ofEach: customers, app: bundleId)
        return zip(customers, tokens).map { CustomerPeriods(of: $0, app: bundleId, $1, in: ledger) }
    }

    init(of customer: CustomerId, app bundleId: BundleId, in ledger: LedgerQueries) throws(LedgerError) {
        let tokens = try ledger.tokens(.customLink(limit: Self.few + 1), of: customer, app: bundleId)
        self.init(of: customer, app: bundleId, tokens, in: ledger)
    }

    private init(of customer: CustomerId, app bundleId: BundleId, _ tokens: [StoredToken], in ledger: LedgerQueries) {
        self.customer = customer
        self.bundleId = bundleId
        self.ledger = ledger
        all = tokens.count <= Self.few ? tokens : nil
        first = tokens.first
    }

    /// Returns a token of the period that takes a sale of a moment, in production and, if there is none or it is asked
    /// for, in the sandbox.
    func active(at moment: Timestamp, alsoInSandbox: Bool) throws(LedgerError) -> [StoredToken] {
        let production = try active(in: .production, at: moment)
        if production != nil, !alsoInSandbox { return [production].compactMap(\.self) }
        return [production, try active(in: .sandbox, at: moment)].compactMap(\.self)
    }

    private func active(
        in environment: AppStoreEnvironment,
        at moment: Timestamp
    ) throws(LedgerError) -> StoredToken? {
        for trusted in TokenTrust.steps {
            for type in [TokenType.services, .acquisition] {
                for trust in trusted {
                    let newest = try tokens(
                        .newest(
                            type,
                            environment,
                            createdUntil: moment.upperBound,
                            endingFrom: moment,
                            atLeast: trust
                        )
                    )
                    if let token = newest.first { return token }
                }
            }
        }
        return nil
    }

    /// Returns the tokens of a period that decide which one is chosen and how far the period is trusted: the chosen one
    /// and one that is trusted most, or all while none is chosen.
    func members(deciding key: Key) throws(LedgerError) -> [StoredToken] {
        let chosen = try tokens(.ofPeriod(key.period, key.environment, .chosen))
        if chosen.isEmpty { return try tokens(.ofPeriod(key.period, key.environment, .all)) }
        for trust in [TokenTrust.vouched, .visited, .confirmed] {
            if chosen.contains(where: { $0.trust <= trust }) { return chosen }
            let trusted = try tokens(.ofPeriod(key.period, key.environment, .trusted(trust)))
            if !trusted.isEmpty { return chosen + trusted }
        }
        return chosen
    }

    private func tokens(_ query: CustomerTokenQuery) throws(LedgerError) -> [StoredToken] {
        if let all { return all.matching(query) }
        return try ledger.tokens(query, of: customer, app: bundleId)
    }
}
