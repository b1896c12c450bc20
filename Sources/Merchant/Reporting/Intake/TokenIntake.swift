import ExternalPurchaseCore
package import Ledger

/// Accepts tokens from apps and websites, and a person's decisions about their customers.
package struct TokenIntake: Sendable {
    let store: any LedgerStore
    let recorder: TokenRecorder
    let planner: MerchantPlanner
    let dependencies: ReportingDependencies
    let signals: SenderSignals

    /// Stores a token.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` at `/token` if the text went into quarantine.
    package func receive(_ arrival: TokenArrival) async throws(RequestError) -> TokenReceipt {
        let recorded: TokenRecorder.Recorded
        do {
            recorded = try await recorder.record(arrival)
        } catch {
            throw .notStored(error)
        }
        switch recorded {
        case .stored(let receipt):
            signals.tokenStored()
            return receipt
        case .quarantined(let aside):
            throw .invalid([FieldError("/token", aside.detail)])
        }
    }

    /// Sets the customer of a token, regardless of arrivals and sales, and plans the affected sales again.
    ///
    /// Reported sales are not moved.
    ///
    /// - Throws: ``RequestError``.
    package func setCustomer(_ command: CustomerCommand) async throws(RequestError) -> StoredToken {
        let (now, planner) = (dependencies.now(), planner)
        let result: Result<StoredToken, RequestError>
        do {
            result = try await store.write { ledger throws(LedgerError) in
                let found = try ledger.tokens(withId: command.token)
                let token: StoredToken
                do throws(RequestError) {
                    token = try found.named(command.token, of: command.bundleId)
                } catch {
                    return .failure(error)
                }
                return .success(try Self.setCustomer(command, of: token, planner, now: now, in: ledger))
            }
        } catch {
            throw .notStored(error)
        }
        let token = try result.get()
        signals.linksStored()
        return token
    }

    private static func setCustomer(
        _ command: CustomerCommand,
        of token: StoredToken,
        _ planner: MerchantPlanner,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> StoredToken {
        let (bundleId, customer) = (token.token.bundleId, command.customerId)
        var before = token
        if before.customerId != customer { before.periodChoice = .undecided }
        let result = try ledger.setCustomer(customer, of: before, by: command.by, reason: command.reason)
        if var checkout = try ledger.checkout(token.checkoutId, of: bundleId),
            checkout.externalPurchaseId == token.token.externalPurchaseId, checkout.tokenClaim != .contested
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
        let id = token.token.externalPurchaseId
        let opening = try planner.renewLinks(of: keys, after: [id], app: bundleId, in: ledger, now: now)
        try planner.replan(touching: keys, of: bundleId, opening: opening, in: ledger, now: now)
        return try ledger.token(token.token.externalPurchaseId, of: bundleId) ?? result
    }
}
