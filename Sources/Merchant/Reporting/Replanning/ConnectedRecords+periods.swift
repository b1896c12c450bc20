import ExternalPurchaseCore
import Ledger

// The custom link tokens of the part's customers.
extension ConnectedRecords {
    mutating func periods(of customer: CustomerId) throws(LedgerError) -> CustomerPeriods {
        if let known = periods[customer] { return known }
        let read = try CustomerPeriods(of: customer, app: bundleId, in: ledger)
        periods[customer] = read
        return read
    }

    /// Adds the custom link tokens that decide about the open sales and about the choice within each period (RR-60).
    ///
    /// Only customers and sales of one group are looked at together, so that the work does not grow with the square of
    /// what is planned at once.
    mutating func addPeriods() throws(LedgerError) {
        let undecided = sales.values.filter { sale in
            sale.sale.purchase != nil && sale.requestIdentifier == nil && sale.exportId == nil && !sale.isVoid
        }
        let groups = customers.count > 1 ? groups() : [:]
        let salesByGroup = Dictionary(grouping: undecided) { groups[.sale($0.sale.saleId)] }
        let customersByGroup = Dictionary(grouping: customers.sorted()) { groups[.customer($0)] }
        if !undecided.isEmpty {
            let unread = customers.filter { periods[$0] == nil }.sorted()
            for read in try CustomerPeriods.read(of: unread, app: bundleId, in: ledger) {
                periods[read.customer] = read
            }
        }
        for customer in undecided.isEmpty ? [] : customers.sorted() {
            let periods = try periods(of: customer)
            guard let first = periods.first else { continue }
            // One token shows that the customer has any, which the reason to hold a sale depends on.
            try add([first])
            let moments = Dictionary(grouping: salesByGroup[groups[.customer(customer)]] ?? [], by: \.sale.occurredAt)
            for (moment, sales) in moments {
                for token in try periods.active(
                    at: moment,
                    alsoInSandbox: sales.contains { $0.sale.environment == .sandbox }
                        || tokens.keys.contains { $0.environment == .sandbox }
                ) {
                    try add([token])
                }
            }
        }
        var complete: Set<CustomerPeriods.Key> = []
        var unfinished = Array(tokens.values)
        while let token = unfinished.popLast() {
            guard token.token.family == .customLink, token.state != .unknownToApple else { continue }
            var candidates = [token.customerId].compactMap(\.self)
            if token.mayChangeCustomer {
                // A plan may link a token without a customer, or with a claimed one, to any customer of its group.
                let group =
                    groups[.token(token.token.externalPurchaseId)]
                    ?? token.customerId.flatMap { groups[.customer($0)] }
                candidates = customersByGroup[group] ?? []
            }
            for customer in candidates {
                let key = CustomerPeriods.Key(
                    customer: customer,
                    environment: token.token.environment,
                    period: token.period
                )
                guard complete.insert(key).inserted else { continue }
                for member in try periods(of: customer).members(deciding: key)
                where tokens[member.token.externalPurchaseId] == nil {
                    try add([member])
                    unfinished.append(member)
                }
            }
        }
    }

    /// Numbers the keys of the part by what they are connected with.
    ///
    /// The plan of a group does not depend on another one; see ``PlanningIndex``.
    private func groups() -> [PlanningKey: Int] {
        var neighbours: [PlanningKey: [PlanningKey]] = [:]
        func connect(_ key: PlanningKey, _ others: [PlanningKey]) {
            neighbours[key, default: []] += others
            for other in others { neighbours[other, default: []].append(key) }
        }
        for stored in sales.values {
            let token = stored.attribution.externalPurchaseId.map { [PlanningKey.token($0)] } ?? []
            let whole = stored.partOf.map { [PlanningKey.sale($0)] } ?? []
            connect(.sale(stored.sale.saleId), stored.sale.keys + token + whole)
        }
        for token in tokens.values {
            connect(.token(token.token.externalPurchaseId), token.customerId.map { [.customer($0)] } ?? [])
        }
        for checkout in checkouts.values {
            let named = [checkout.externalPurchaseId].compactMap(\.self) + (claims[checkout.checkoutId] ?? [])
            let customer = checkout.customerId.map { [PlanningKey.customer($0)] } ?? []
            connect(.checkout(checkout.checkoutId), named.map { .token($0) } + customer)
        }
        var groups: [PlanningKey: Int] = [:]
        for (number, key) in neighbours.keys.enumerated() where groups[key] == nil {
            var open = [key]
            while let key = open.popLast() {
                if groups.updateValue(number, forKey: key) == nil { open += neighbours[key] ?? [] }
            }
        }
        return groups
    }
}
