import ExternalPurchaseCore

// Orders of several lines, and refunds whose amounts depend on other refunds (RR-23, RR-46).
extension ReferenceModel {
    // MARK: Events

    /// Adds an order of several products and a sale for each of its lines.
    mutating func order(_ payment: Action.Payment, _ whole: Sale) {
        var whole = whole
        whole.kind = .ordered(payment)
        whole.parts = payment.lines.map(\.sale)
        add(whole)
        for (offset, line) in payment.lines.enumerated() {
            var own = payment
            own.lines = []
            (own.sale, own.price, own.quantity, own.tax) = (line.sale, line.price, line.quantity, line.tax)
            var sale = whole
            (sale.number, sale.kind, sale.parts) = (line.sale, .paid(own), [])
            (sale.partOf, sale.place) = (whole.number, offset + 1)
            add(sale)
        }
    }

    /// Adds a refund and, for the refund of an order, the share of each line.
    mutating func giveBack(_ giving: Action.Return, minor: Int64, tax: Int64?, at now: Timestamp) {
        guard let buy = sales[giving.of] else { return }
        let given = PaidMoney.GivenBack(minor: minor, tax: tax)
        var whole = Sale(
            number: giving.sale,
            customer: buy.customer,
            app: buy.app,
            at: now,
            kind: .givenBack(of: giving.of, given, isChargeback: giving.isChargeback)
        )
        whole.isInMinorUnits = giving.isInMinorUnits
        if giving.isTotal { whole.total = refunded(of: giving.of) + minor }
        let lines = buy.parts
        guard lines.count == giving.shares.count else { return }
        whole.parts = giving.shares
        let amounts = Self.split(minor, by: lines.map { left(of: $0) })
        add(whole)
        for (offset, number) in giving.shares.enumerated() {
            var share = whole
            share.number = number
            share.kind = .givenBack(
                of: lines[offset],
                PaidMoney.GivenBack(minor: amounts[offset], tax: nil),
                isChargeback: giving.isChargeback
            )
            (share.parts, share.partOf, share.place) = ([], whole.number, offset + 1)
            add(share)
        }
    }

    /// The refunded minor units of a sale or order so far, without chargebacks.
    private func refunded(of buy: Int) -> Int64 {
        wholeReturns(of: buy).reduce(0) { sum, sale in
            if case .givenBack(_, let given, false) = sale.kind { sum + given.minor } else { sum }
        }
    }

    /// The minor units of a sale, a line or an order that are not refunded.
    func left(of number: Int) -> Int64 {
        guard let sale = sales[number] else { return 0 }
        switch sale.kind {
        case .ordered: return sale.parts.reduce(0) { $0 + left(of: $1) }
        case .paid(let payment):
            return saleOrder.compactMap { sales[$0] }.reduce(payment.price) { left, other in
                guard case .givenBack(of: number, let given, _) = other.kind, !isWonBack(other) else { return left }
                return left - given.minor
            }
        case .givenBack, .ended, .reversed: return 0
        }
    }

    /// Whether the merchant has won a chargeback back by now, told or not.
    func isWonBack(_ sale: Sale) -> Bool {
        let chargeback = sale.partOf ?? sale.number
        return sales.values.contains { other in
            if case .reversed(chargeback) = other.kind { true } else { false }
        }
    }

    /// The minor units of a sale that are not given back, as far as the merchant was told.
    func leftAsTold(of number: Int) -> Int64 {
        let told = wholeReturns(of: root(of: number)).filter {
            $0.arrival != nil && !isReversed($0.number, knowing: knowledge)
        }
        let price: Int64 =
            switch sales[root(of: number)]?.kind {
            case .paid(let payment)?, .ordered(let payment)?: payment.price
            default: 0
            }
        return told.reduce(price) { left, sale in
            if case .givenBack(_, let given, _) = sale.kind { left - given.minor } else { left }
        }
    }

    /// Splits an amount in proportion to weights into whole minor units by largest remainder.
    ///
    /// Among equal remainders, earlier parts come first.
    private static func split(_ amount: Int64, by weights: [Int64]) -> [Int64] {
        let sum = weights.reduce(Int128(0)) { $0 + Int128($1) }
        guard sum > 0 else { return weights.map { _ in 0 } }
        let products = weights.map { Int128(amount) * Int128($0) }
        var parts = products.map { Int64($0 / sum) }
        let rest = Int(amount - parts.reduce(0, +))
        let order = products.indices.sorted { left, right in
            (-(products[left] % sum), left) < (-(products[right] % sum), right)
        }
        for place in order.prefix(rest) { parts[place] += 1 }
        return parts
    }

    // MARK: Refunds of one sale or order

    /// The order of a line; for any other sale, the sale itself.
    private func root(of buy: Int) -> Int { sales[buy]?.partOf ?? buy }

    /// The refunds of a sale or order and of its lines, without their shares, by date.
    private func wholeReturns(of root: Int) -> [Sale] {
        let lines = sales[root]?.parts ?? []
        return saleOrder.compactMap { sales[$0] }.filter { sale in
            guard case .givenBack(let buy, _, _) = sale.kind, sale.partOf == nil else { return false }
            return buy == root || lines.contains(buy)
        }
    }

    private func hasReturnsOfLines(_ root: Int) -> Bool {
        wholeReturns(of: root).contains { sale in
            if case .givenBack(root, _, _) = sale.kind { false } else { true }
        }
    }

    /// Whether the reported amount of a refund depends on other refunds.
    func isDerived(_ sale: Sale) -> Bool {
        guard case .givenBack(let buy, _, _) = sale.kind else { return false }
        return isDerived(root: root(of: buy))
    }

    private func isDerived(root: Int) -> Bool {
        wholeReturns(of: root).contains { $0.total != nil || !$0.parts.isEmpty }
    }

    /// Whether the merchant received the refunds so far in the order of their dates, and none of them was won back.
    ///
    /// A reversal makes the amounts of other refunds depend on what was reported when it arrived.
    private func isInOrder(_ root: Int) -> Bool {
        let told = wholeReturns(of: root).filter { $0.arrival != nil }
        let arrivals = told.sorted { ($0.at, $0.number) < ($1.at, $1.number) }.compactMap(\.arrival)
        return zip(arrivals, arrivals.dropFirst()).allSatisfy { $0 < $1 } && !told.contains(where: isWonBack)
    }

    /// The minor units of every refund and share, computed from all refunds that the merchant received, by date.
    private func allocation(of root: Int) -> [Int: Int64] {
        let lines = sales[root].map { $0.parts.isEmpty ? [root] : $0.parts } ?? []
        var left: [Int: Int64] = [:]
        for line in lines { if case .paid(let payment)? = sales[line]?.kind { left[line] = payment.price } }
        var refunded: Int64 = 0
        var amounts: [Int: Int64] = [:]
        let told = wholeReturns(of: root).filter { $0.arrival != nil }
        for sale in told.sorted(by: { ($0.at, $0.number) < ($1.at, $1.number) }) {
            guard case .givenBack(let buy, let given, let isChargeback) = sale.kind else { continue }
            let amount = sale.total.map { max(0, $0 - refunded) } ?? given.minor
            if !isChargeback { refunded += amount }
            if sale.parts.isEmpty {
                amounts[sale.number] = amount
                left[buy, default: 0] -= amount
            } else {
                let parts = Self.split(amount, by: lines.map { left[$0] ?? 0 })
                for (offset, part) in parts.enumerated() {
                    amounts[sale.parts[offset]] = part
                    left[lines[offset], default: 0] -= part
                }
            }
        }
        return amounts
    }

    /// Records the reported amount of a refund that depends on other refunds.
    ///
    /// If the refunds arrived in order, the rules determine each amount; otherwise only their sum (``returnFaults()``).
    mutating func derive(_ number: Int, told: PaidMoney, at now: Timestamp) {
        guard let sale = sales[number], case .givenBack(let buy, _, _) = sale.kind, isDerived(sale) else { return }
        let root = root(of: buy)
        if isInOrder(root) {
            let amount = allocation(of: root)[number] ?? 0
            sales[number]?.derived = amount
            return
        }
        var perUnit: Int64 = 1
        for _ in 0..<market(of: sale).digits { perUnit *= 10 }
        let (minor, rest) = (told.inclusive * perUnit).quotientAndRemainder(dividingBy: 1_000)
        if rest != 0 || minor <= 0 {
            report(.moneyAsPaid, now, "\(sale.lineItemId) gives back \(told.inclusive), which is no whole minor unit")
        }
        sales[number]?.derived = minor
    }

    /// Checks that a report contains all lines of an order or none (decision 0033).
    mutating func checkOrders(in numbers: Set<Int>, at now: Timestamp) {
        let orders = Set(
            numbers.compactMap { number in
                if case .paid? = sales[number]?.kind { sales[number]?.partOf } else { nil }
            }
        )
        for order in orders.sorted() {
            guard let parts = sales[order]?.parts, !numbers.isSuperset(of: parts) else { continue }
            report(.ordersAreWhole, now, "a report has some of the lines of s\(order) and not all of them")
        }
    }

    /// The sales and orders whose sum of accepted refunds differs from the refunded amount.
    func returnFaults() -> [String] {
        saleOrder.compactMap { root -> String? in
            guard let sale = sales[root], sale.partOf == nil, isDerived(root: root) else { return nil }
            let lines = sale.parts.isEmpty ? [root] : sale.parts
            guard lines.allSatisfy({ sales[$0]?.isAccepted == true }) else { return nil }
            let told = wholeReturns(of: root).filter {
                $0.isAcknowledged && !isReversed($0.number, knowing: knowledge)
            }
            let (given, sent) = told.reduce((Int64(0), Int64(0))) { sums, whole in
                guard case .givenBack(_, let given, _) = whole.kind else { return sums }
                return (sums.0 + given.minor, sums.1 + reported(of: whole))
            }
            let isBounded = hasReturnsOfLines(root) && !isInOrder(root)
            if isBounded ? sent <= given : sent == given { return nil }
            return "of s\(root) \(given) minor units went back, \(sent) are reported"
        }
    }

    private func reported(of whole: Sale) -> Int64 {
        let items = whole.parts.isEmpty ? [whole.number] : whole.parts
        return items.compactMap { sales[$0] }.reduce(0) { sum, item in
            guard item.isAccepted, !item.isRetracted, case .givenBack(_, let given, _) = item.kind else { return sum }
            return sum + (item.derived ?? given.minor)
        }
    }
}
