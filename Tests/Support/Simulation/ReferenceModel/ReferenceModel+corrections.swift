import ExternalPurchaseCore

// Corrections of sales, and the state that they require.
extension ReferenceModel {
    /// Applies a confirmed correction to the expected data.
    mutating func correct(_ number: Int, _ way: Action.Correction.Way, price: Int64, tax: Int64) {
        guard var sale = sales[number], case .paid(var payment) = sale.kind else { return }
        sale.isCorrected = true
        let live = returns[number, default: []].filter {
            sales[$0]?.isAccepted == true && sales[$0]?.isRetracted == false
        }
        for given in returns[number, default: []] { sales[given]?.isCorrected = true }
        switch way {
        case .restate(_, let quantity):
            let before = payment
            payment.price = price
            payment.tax = .amount(tax)
            payment.quantity = quantity
            sale.kind = .paid(payment)
            takeAlong(live, of: payment, before: before, in: market(of: sale))
        case .retract:
            sale.isRetracted = true
            // Refunds of a retracted sale are retracted as well (RR-83).
            for given in live { sales[given]?.isRetracted = true }
        case .undo:
            sale.isRetracted = false
        case .move(let difference):
            sale.at = sale.at + .milliseconds(difference)
        }
        sales[number] = sale
    }

    /// Gives the accepted refunds of a restated sale their share of its tax; they keep what they gave back (RR-83).
    ///
    /// - Parameter refunds: the refunds in the order of their arrival; the last one that uses up the sale has the rest.
    private mutating func takeAlong(
        _ refunds: [Int],
        of payment: Action.Payment,
        before: Action.Payment,
        in market: Market
    ) {
        guard PaidMoney(payment, in: market) != PaidMoney(before, in: market) else { return }
        let given = refunds.compactMap { number -> PaidMoney.GivenBack? in
            guard let refund = sales[number], case .givenBack(let buy, var given, let isChargeback) = refund.kind else {
                return nil
            }
            // A stated tax counts as long as the share of the tax stays.
            if !payment.hasTaxShare(of: before) { given.tax = nil }
            sales[number]?.kind = .givenBack(of: buy, given, isChargeback: isChargeback)
            return given
        }
        guard let amounts = PaidMoney.returns(given, after: [], of: payment, in: market) else { return }
        for (number, money) in zip(refunds, amounts) { sales[number]?.reported = money }
    }

    /// Whether the sale refunds one that a correction retracted; such a refund need not be accepted.
    func isOfNothing(_ sale: Sale) -> Bool {
        switch sale.kind {
        case .givenBack(let buy, _, _): sales[buy]?.isRetracted == true
        case .reversed(let chargeback): sales[chargeback].map { !$0.isAcknowledged && isOfNothing($0) } ?? true
        case .paid, .ordered, .ended: false
        }
    }

    /// The differences between the newest accepted versions of all line items and the expected data.
    ///
    /// - Parameters:
    ///   - accepted: the versions in order of acceptance.
    ///   - isIncluded: whether a sale belongs to the app and environment.
    func faults(in accepted: [ReceivedLineItem], where isIncluded: (Sale) -> Bool) -> [String] {
        var newest: [String: ReceivedLineItem] = [:]
        var lastNet: [Int: Int64] = [:]
        for item in accepted {
            guard let id = item.lineItemId?.rawValue else { continue }
            newest[id] = item
            guard let number = self.sale(of: id)?.number, let sale = sales[number] else { continue }
            let buy = if case .givenBack(let buy, _, _) = sale.kind { buy } else { number }
            lastNet[buy] = item.netAmountTaxExclusive
        }
        var standing: [Int: [ReceivedLineItem]] = [:]
        for (id, item) in newest where item.erroneouslySubmitted != true {
            if let number = self.sale(of: id)?.number { standing[number, default: []].append(item) }
        }
        var faults: [String] = []
        for number in saleOrder {
            guard let sale = sales[number], isIncluded(sale), sale.isAccepted else { continue }
            let items = standing[number] ?? []
            guard items.count == (sale.isRetracted ? 0 : 1) else {
                let right = sale.isRetracted ? "is retracted" : "stands once"
                faults.append("\(sale.lineItemId) \(right) and is found \(items.count) times")
                continue
            }
            if let item = items.first { faults += self.faults(in: item, of: sale) }
            guard case .paid = sale.kind, let last = lastNet[number] else { continue }
            let left = sale.isRetracted ? 0 : net(of: number)
            if last != left { faults.append("the last net of s\(number) is \(last), left are \(left ?? -1)") }
        }
        return faults
    }

    private func faults(in item: ReceivedLineItem, of sale: Sale) -> [String] {
        var faults: [String] = []
        let told = [item.amountTaxInclusive, item.taxAmount, item.amountTaxExclusive]
        let right = money(of: sale).map { [$0.inclusive, $0.tax, $0.exclusive] } ?? []
        if told != right.map({ $0 }) {
            faults.append("s\(sale.number) says \(told.map { $0.map(String.init) ?? "nothing" }), true are \(right)")
        }
        if item.creationDate != sale.at.milliseconds {
            faults.append("s\(sale.number) is dated \(item.creationDate ?? -1), true is \(sale.at.milliseconds)")
        }
        if case .paid(let payment) = sale.kind, item.quantity != payment.quantity {
            faults.append("s\(sale.number) is of \(item.quantity ?? -1), true is \(payment.quantity)")
        }
        return faults
    }
}

extension Action.Payment {
    /// Whether the tax is the same part of the price as that of another payment.
    fileprivate func hasTaxShare(of other: Action.Payment) -> Bool {
        guard let own = taxShare, let others = other.taxShare else { return taxShare == nil && other.taxShare == nil }
        return own.tax.multipliedFullWidth(by: others.price) == others.tax.multipliedFullWidth(by: own.price)
    }

    private var taxShare: (tax: Int64, price: Int64)? {
        switch tax {
        case .amount(let minor)?: (minor, price)
        case .rate(let hundredths)?: (hundredths, 10_000 + hundredths)
        case nil: nil
        }
    }
}
