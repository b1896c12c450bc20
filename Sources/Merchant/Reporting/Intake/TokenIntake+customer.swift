import ExternalPurchaseCore
import Ledger
import ReportPlanning

extension TokenIntake {
    /// Says whose a token is, whatever arrivals and sales said before, and plans anew what hangs on it; what was
    /// reported stays where it is.
    func settleCustomer(of id: ExternalPurchaseId, _ body: JSONValue) async throws(RequestError) -> StoredToken {
        var fields = try RequestDecoder(body, known: ["customerId", "by", "reason", "bundleId"])
        if body.objectValue?["customerId"] == nil { fields.fault("customerId", "is missing; null is nobody's") }
        let customerId = fields.optionalString("customerId", maximum: 128).map { CustomerId($0) }
        let by = fields.string("by", maximum: 256) ?? ""
        let reason = fields.optionalString("reason", maximum: 2_000)
        let named = fields.optionalString("bundleId", maximum: .max).map { BundleId($0) }
        try fields.throwFaults()
        let (now, planner) = (dependencies.now(), MerchantPlanner(settings: settings, uuid: dependencies.uuid))
        let settled: Result<StoredToken, RequestError>
        do {
            settled = try await store.write { ledger throws(LedgerError) in
                let found = try ledger.tokens(withId: id).filter { named == nil || $0.token.bundleId == named }
                guard let token = found.first else { return .failure(.unknown("no token has this externalPurchaseId")) }
                guard found.count == 1 else {
                    return .failure(.invalid([FieldError("/bundleId", "is missing: several apps have the token")]))
                }
                return .success(
                    try Self.settle(customerId, of: token, by: by, reason: reason, planner, now: now, in: ledger)
                )
            }
        } catch {
            throw .notStored(error)
        }
        return try settled.get()
    }

    private static func settle(
        _ customer: CustomerId?,
        of token: StoredToken,
        by: String,
        reason: String?,
        _ planner: MerchantPlanner,
        now: Timestamp,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> StoredToken {
        let bundleId = token.token.bundleId
        var before = token
        if before.customerId != customer { before.flags.remove(.chosen) }
        let settled = try ledger.settle(customer, of: before, by: by, reason: reason)
        if var checkout = try ledger.checkout(token.checkoutId, of: bundleId),
            checkout.externalPurchaseId == token.token.externalPurchaseId
        {
            checkout.customerId = customer
            checkout.isCustomerFromSale = false
            try ledger.put(checkout)
        }
        let keys =
            [.token(token.token.externalPurchaseId)]
            + [token.customerId, customer].compactMap { customer in
                customer.map(PlanningKey.customer)
            }
        try planner.replan(touching: keys, of: bundleId, in: ledger, now: now, releasesLinks: true)
        return try ledger.token(token.token.externalPurchaseId, of: bundleId) ?? settled
    }
}
