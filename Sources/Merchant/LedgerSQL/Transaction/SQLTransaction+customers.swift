import ExternalPurchaseCore
import Ledger

extension SQLTransaction {
    func customer(_ id: CustomerId, of bundleId: BundleId) throws(LedgerError) -> StoredCustomer? {
        try query(
            "SELECT * FROM customers WHERE bundle_id = ? AND customer_id = ?",
            [bundleId.rawValue, id.rawValue]
        ).decoded(CustomerRow.record).first
    }

    func customers(_ page: LedgerPage) throws(LedgerError) -> [StoredCustomer] {
        try query(
            "SELECT * FROM customers WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(CustomerRow.record)
    }

    func checkout(_ id: CheckoutId, of bundleId: BundleId) throws(LedgerError) -> Checkout? {
        let key = TransactionCache.Key(bundleId: bundleId, id: id)
        if let known = cache.checkouts[key] { return known }
        let checkout = try query(Query.checkout, [bundleId.rawValue, id.rawValue]).decoded(CheckoutRow.record).first
        cache.keep(checkout, at: key)
        return checkout
    }

    func claims(
        on checkout: CheckoutId,
        of bundleId: BundleId,
        in environment: AppStoreEnvironment,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId] {
        try query(Query.claims, [bundleId.rawValue, checkout.rawValue, environment.rawValue, Int64(limit)])
            .decoded(CheckoutClaimRow.externalPurchaseId.read(from:))
    }

    func claimedCheckouts(
        of token: ExternalPurchaseId,
        app bundleId: BundleId
    ) throws(LedgerError) -> [CheckoutId] {
        try query(Query.claimedCheckouts, [bundleId.rawValue, token.rawValue])
            .decoded(CheckoutClaimRow.checkoutId.read(from:))
    }

    func taps(_ page: LedgerPage) throws(LedgerError) -> [LinkTap] {
        try query(
            "SELECT * FROM link_taps WHERE sequence > ? ORDER BY sequence LIMIT ?",
            [page.after, page.bound]
        ).decoded(LinkTapRow.record)
    }

    func taps(on token: ExternalPurchaseId, of bundleId: BundleId) throws(LedgerError) -> [LinkTap] {
        try query(Query.tapsOfToken, [bundleId.rawValue, token.rawValue]).decoded(LinkTapRow.record)
    }

    func taps(
        of customer: CustomerId,
        app bundleId: BundleId,
        from: Timestamp,
        through: Timestamp
    ) throws(LedgerError) -> [LinkTap] {
        try query(
            Query.tapsOfCustomer,
            [bundleId.rawValue, customer.rawValue, from.milliseconds, through.milliseconds]
        ).decoded(LinkTapRow.record)
    }

    func insertRow(of customer: StoredCustomer) throws(LedgerError) -> Int64 {
        try insert(customer, into: CustomerRow.table)
    }

    func eraseRow(of customer: StoredCustomer) throws(LedgerError) -> Int64 {
        try change(
            CustomerRow.erasure,
            to: customer,
            at: customer.bundleId.rawValue,
            customer.pseudonym,
            otherwise: "no such customer"
        )
    }

    func putRow(of checkout: Checkout) throws(LedgerError) -> Int64 {
        try perform(CheckoutRow.replacement.sql, CheckoutRow.replacement.arguments(of: checkout))
        return 0
    }

    func insertRow(of claim: CheckoutClaim) throws(LedgerError) -> Int64 {
        try insert(claim, into: CheckoutClaimRow.table)
    }

    func insertRow(of tap: LinkTap) throws(LedgerError) -> Int64 { try insert(tap, into: LinkTapRow.table) }
}
