import ExternalPurchaseCore
import Ledger
import ReportPlanning

/// Finds the token that a sale is reported on, RR-60 to RR-66 for one-time buys and refunds.
struct SaleAttribution: Sendable {
    /// Attributes a sale by what the ledger knows now, and ties its checkout and customer to the token it names.
    func attribute(_ sale: Sale, in ledger: any LedgerTransaction) throws(LedgerError) -> Attribution {
        var attribution: Attribution
        switch sale.kind {
        case .refund(let refund):
            return try attribute(refund, of: sale.bundleId, in: ledger)
        case .cancellation, .lapse, .chargebackReversal:
            return Attribution(state: .held, externalPurchaseId: nil, flags: [.noLineItem])
        case .purchase, .subscription:
            var flags: Set<SaleFlag> = []
            let named = try namedToken(of: sale, in: ledger, flags: &flags)
            attribution = try token(for: sale, named: named, in: ledger)
            attribution.flags.formUnion(flags)
            if let purchase = sale.purchase { addDefects(of: purchase, to: &attribution) }
        }
        return attribution
    }

    /// A refund goes where its buy goes (RR-65).
    private func attribute(
        _ refund: Refund,
        of bundleId: BundleId,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> Attribution {
        guard let buy = try ledger.sale(refund.refundOf, of: bundleId) else {
            return Attribution(state: .held, externalPurchaseId: nil, flags: [.buyHeld])
        }
        let token = buy.attribution.externalPurchaseId
        guard buy.attribution.state == .planned, token != nil else {
            return Attribution(state: .held, externalPurchaseId: token, flags: [.buyHeld])
        }
        return Attribution(state: .planned, externalPurchaseId: token)
    }

    /// The token that the sale names, else that of its checkout (RR-63).
    private func namedToken(
        of sale: Sale,
        in ledger: any LedgerTransaction,
        flags: inout Set<SaleFlag>
    ) throws(LedgerError) -> (token: StoredToken?, customer: CustomerId?) {
        var checkout: Checkout?
        if let checkoutId = sale.checkoutId {
            checkout =
                try ledger.checkout(checkoutId, of: sale.bundleId)
                ?? Checkout(checkoutId: checkoutId, bundleId: sale.bundleId)
        }
        if let named = sale.externalPurchaseId, let carried = checkout?.externalPurchaseId, named != carried {
            flags.insert(.checkoutContradiction)
        }
        var token: StoredToken?
        if let id = sale.externalPurchaseId ?? checkout?.externalPurchaseId {
            token = try ledger.token(id, of: sale.bundleId)
        }
        // The first tie stays: the token's, the checkout's, then what the sale says.
        let customers = [token?.customerId, checkout?.customerId, sale.customerId].compactMap { $0 }
        let customer = customers.first
        if Set(customers).count > 1 { flags.insert(.customerContradiction) }
        if var known = token, known.customerId == nil, let customer {
            known.customerId = customer
            try ledger.update(known)
            token = known
        }
        if let known = checkout {
            var tied = known
            tied.customerId = known.customerId ?? customer
            tied.externalPurchaseId = known.externalPurchaseId ?? token?.token.externalPurchaseId
            try ledger.put(tied)
        }
        return (token, customer)
    }

    private func token(
        for sale: Sale,
        named: (token: StoredToken?, customer: CustomerId?),
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> Attribution {
        switch named.token?.token.family {
        case .plain, .transaction:
            return attribution(to: named.token)
        case .coreTechnology, .other:
            var attribution = attribution(to: named.token)
            attribution.state = .held
            attribution.flags.insert(.tokenNotReportable)
            return attribution
        case .customLink, nil:
            break
        }
        // A token that is named but has not arrived decides when it does.
        if named.token == nil, sale.externalPurchaseId != nil {
            return Attribution(state: .held, externalPurchaseId: nil, flags: [.noToken])
        }
        var candidates: [StoredToken] = []
        if let customer = named.customer {
            candidates = try ledger.tokens(of: customer, app: sale.bundleId)
        }
        if let token = named.token, !candidates.contains(where: { $0.sequence == token.sequence }) {
            candidates.append(token)
        }
        candidates = candidates.filter { $0.token.family == .customLink }
        // The worlds never meet (SA-90): the named token tells which one, else the one with real money comes first.
        let environments = named.token.map { [$0.token.environment] } ?? [.production, .sandbox]
        for environment in environments {
            if let chosen = Self.choose(candidates.filter { $0.token.environment == environment }, at: sale.occurredAt)
            {
                return attribution(to: chosen)
            }
        }
        let flag: SaleFlag = candidates.isEmpty ? .noToken : .noActiveToken
        return Attribution(state: .held, externalPurchaseId: nil, flags: [flag])
    }

    private func attribution(to token: StoredToken?) -> Attribution {
        guard let token else { return Attribution(state: .held, externalPurchaseId: nil, flags: [.noToken]) }
        let isUnknown = token.state == .unknownToApple
        return Attribution(
            state: isUnknown ? .held : .planned,
            externalPurchaseId: token.token.externalPurchaseId,
            flags: isUnknown ? [.tokenUnknownToApple] : []
        )
    }

    /// The active `SERVICES` token of the newest period, received first; else `ACQUISITION` likewise (RR-60).
    static func choose(_ tokens: [StoredToken], at moment: Timestamp) -> StoredToken? {
        for type in [TokenType.services, .acquisition] {
            let active = tokens.filter {
                $0.token.tokenType == type && $0.state != .unknownToApple && $0.isActive(at: moment)
            }
            let newest = active.map(\.token.tokenCreationDate).max()
            let chosen = active.filter { $0.token.tokenCreationDate == newest }.min {
                ($0.firstSeen.time, $0.token.externalPurchaseId) < ($1.firstSeen.time, $1.token.externalPurchaseId)
            }
            if let chosen { return chosen }
        }
        return nil
    }

    /// What keeps a sale with a token from being reported.
    private func addDefects(of purchase: Purchase, to attribution: inout Attribution) {
        var defects: Set<SaleFlag> = []
        if purchase.tax == nil { defects.insert(.noTax) }
        if purchase.taxCountry == nil { defects.insert(.noTaxCountry) }
        if purchase.needsRate, purchase.exchangeRate == nil { defects.insert(.noExchangeRate) }
        if !defects.isEmpty { attribution.state = .held }
        if Currency.code(purchase.currency)?.current == false { defects.insert(.withdrawnCurrency) }
        attribution.flags.formUnion(defects)
    }
}

extension StoredToken {
    /// From creation to expiration, both included (TK-35).
    fileprivate func isActive(at moment: Timestamp) -> Bool {
        guard let expiration = token.tokenExpirationDate else { return false }
        return token.tokenCreationDate <= moment && moment <= expiration
    }
}
