import ExternalPurchaseCore
import Ledger

extension MemoryTransaction {
    func customer(_ id: CustomerId, of bundleId: BundleId) -> StoredCustomer? {
        ledger.customerPlaces[AppKey(bundleId, id)].map { ledger.customers[$0] }
    }

    func customers(_ page: LedgerPage) -> [StoredCustomer] { slice(ledger.customers, page) }

    func checkout(_ id: CheckoutId, of bundleId: BundleId) -> Checkout? { ledger.checkouts[AppKey(bundleId, id)] }

    func claims(
        on checkout: CheckoutId,
        of bundleId: BundleId,
        in environment: AppStoreEnvironment,
        limit: Int
    ) -> [ExternalPurchaseId] {
        func rank(_ claim: CheckoutClaim) -> (Int, Timestamp, Int64) {
            let token = token(claim.externalPurchaseId, of: bundleId)
            let state =
                switch token?.state {
                case .confirmed: 0
                case .unconfirmed: 1
                case .unknownToApple, nil: 2
                }
            return (state, token?.token.tokenCreationDate ?? Timestamp(milliseconds: 0), claim.sequence)
        }
        let found = ledger.claims.filter {
            $0.bundleId == bundleId && $0.checkoutId == checkout && $0.externalPurchaseId.environment == environment
        }
        return found.sorted { rank($0) < rank($1) }.prefix(limit).map(\.externalPurchaseId)
    }

    func claimedCheckouts(of token: ExternalPurchaseId, app bundleId: BundleId) -> [CheckoutId] {
        ledger.claims.filter { $0.bundleId == bundleId && $0.externalPurchaseId == token }.map(\.checkoutId)
    }

    func taps(_ page: LedgerPage) -> [LinkTap] { slice(ledger.taps, page) }

    func taps(on token: ExternalPurchaseId, of bundleId: BundleId) -> [LinkTap] {
        ledger.taps.filter { $0.bundleId == bundleId && $0.externalPurchaseId == token }
            .sorted { ($0.tappedAt, $0.sequence) < ($1.tappedAt, $1.sequence) }
    }

    func taps(
        of customer: CustomerId,
        app bundleId: BundleId,
        from: Timestamp,
        through: Timestamp
    ) -> [LinkTap] {
        let found = ledger.taps.filter { tap in
            guard tap.bundleId == bundleId, tap.tappedAt >= from, tap.tappedAt <= through else { return false }
            let owners = [
                tap.externalPurchaseId.flatMap { self.token($0, of: bundleId)?.customerId },
                tap.checkoutId.flatMap { self.checkout($0, of: bundleId)?.customerId },
            ]
            return owners.contains(customer)
        }
        return found.sorted { ($0.tappedAt, $0.sequence) < ($1.tappedAt, $1.sequence) }
    }

    func add(_ customer: StoredCustomer) throws(LedgerError) -> Int64 {
        let key = AppKey(customer.bundleId, customer.customerId)
        guard ledger.customerPlaces[key] == nil else { throw .conflict("the app has a customer of that id") }
        guard !ledger.customers.contains(where: { $0.pseudonym == customer.pseudonym }) else {
            throw .conflict("the pseudonym is used")
        }
        set(\.customerPlaces, key, ledger.customers.count)
        var customer = customer
        customer.sequence = Int64(ledger.customers.count + 1)
        return append(customer, to: \.customers)
    }

    func erase(_ customer: StoredCustomer) throws(LedgerError) {
        let place = ledger.customers.firstIndex { $0.pseudonym == customer.pseudonym }
        guard let place, ledger.customers[place].erasedAt == nil else { throw .conflict("no such customer") }
        let bundleId = customer.bundleId
        let (old, new) = (ledger.customers[place].customerId, customer.customerId)
        replace(place, in: \.customers, by: customer)
        set(\.customerPlaces, AppKey(bundleId, old), nil)
        set(\.customerPlaces, AppKey(bundleId, new), place)
        for place in ledger.tokenPlacesByCustomer[AppKey(bundleId, old)] ?? [] {
            var token = ledger.tokens[place]
            token.customerId = new
            try change(token)
        }
        for (key, checkout) in ledger.checkouts where key.bundleId == bundleId && checkout.customerId == old {
            var checkout = checkout
            checkout.customerId = new
            set(\.checkouts, key, checkout)
        }
        for (place, stored) in ledger.sales.enumerated()
        where stored.sale.bundleId == bundleId && stored.sale.customerId == old {
            replace(place, in: \.sales, by: stored.saying(try stored.sale.naming(new)))
        }
        for (key, versions) in ledger.saleVersions where key.bundleId == bundleId {
            guard versions.contains(where: { $0.sale.customerId == old }) else { continue }
            var renamed: [SaleVersion] = []
            for version in versions {
                renamed.append(
                    version.sale.customerId == old ? version.saying(try version.sale.naming(new)) : version
                )
            }
            set(\.saleVersions, key, renamed)
        }
        for (place, event) in ledger.paymentEvents.enumerated()
        where event.customerId == old && event.bundleId ?? bundleId == bundleId {
            replace(place, in: \.paymentEvents, by: event.replacing(old, by: new))
        }
        for (place, change) in ledger.saleChanges.enumerated() where change.bundleId == bundleId {
            guard let content = change.content, content.customerId == old else { continue }
            let renamed = SaleChange(
                sequence: change.sequence,
                bundleId: bundleId,
                saleId: change.saleId,
                content: try content.naming(new),
                by: change.by,
                reason: change.reason,
                askedAt: change.askedAt,
                closing: change.closing
            )
            replace(place, in: \.saleChanges, by: renamed)
        }
    }

    func change(_ checkout: Checkout) throws(LedgerError) {
        if let id = checkout.externalPurchaseId, token(id, of: checkout.bundleId) == nil {
            throw .conflict("the token of the checkout is not stored")
        }
        set(\.checkouts, AppKey(checkout.bundleId, checkout.checkoutId), checkout)
    }

    func add(_ claim: CheckoutClaim) throws(LedgerError) -> Int64 {
        guard token(claim.externalPurchaseId, of: claim.bundleId) != nil else {
            throw .conflict("the token of the claim is not stored")
        }
        guard !claimedCheckouts(of: claim.externalPurchaseId, app: claim.bundleId).contains(claim.checkoutId) else {
            throw .conflict("the claim is stored")
        }
        var claim = claim
        claim.sequence = Int64(ledger.claims.count + 1)
        return append(claim, to: \.claims)
    }

    func add(_ tap: LinkTap) throws(LedgerError) -> Int64 {
        guard tap.externalPurchaseId != nil || tap.checkoutId != nil else {
            throw .conflict("a tap has a token or a checkout")
        }
        if let id = tap.externalPurchaseId, token(id, of: tap.bundleId) == nil {
            throw .conflict("the token of the tap is not stored")
        }
        var tap = tap
        tap.sequence = Int64(ledger.taps.count + 1)
        return append(tap, to: \.taps)
    }
}

extension Sale {
    /// Returns the same sale with another customer, through its stored form, which contains the fields of every kind.
    fileprivate func naming(_ customer: CustomerId) throws(LedgerError) -> Sale {
        guard var object = json.objectValue else { throw .corrupt("a sale is not an object") }
        object.members.removeAll { $0.key == "customerId" }
        object.members.append(.init("customerId", .string(customer.rawValue)))
        guard let sale = Sale(stored: .object(object)) else { throw .corrupt("a sale cannot be read") }
        return sale
    }
}

extension StoredSale {
    fileprivate func saying(_ sale: Sale) -> StoredSale {
        newer(SaleVersion(version: version, sale: sale, lineItemId: lineItemId, change: change, saidAt: receivedAt))
    }

    private var change: SaleVersion.Change { isRetracted ? .retracted : .restated }
}

extension SaleVersion {
    fileprivate func saying(_ sale: Sale) -> SaleVersion {
        SaleVersion(
            version: version,
            sale: sale,
            lineItemId: lineItemId,
            change: change,
            saidAt: saidAt,
            correctionId: correctionId,
            by: by,
            reason: reason
        )
    }
}
