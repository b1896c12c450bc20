package import ExternalPurchaseCore

/// A comparison of the sales, tokens, reports and expected commission of a month (OB-80).
package struct Reconciliation: Hashable, Sendable {
    /// Amounts in one reporting currency, in units such as euros and without tax.
    package struct Money: Hashable, Sendable {
        package let currency: String
        /// The sum of all buys.
        package var bought: Decimal = 0
        /// The sum of all refunds.
        package var refunded: Decimal = 0
        /// The sum of the newest accepted net of each buy.
        package var reportedNet: Decimal = 0
        /// The part of ``net`` that no accepted report has.
        package var notReported: Decimal = 0
        /// The part of ``refunded`` that takes back buys of another day or month.
        package var refundsOfOthers: Decimal = 0
        /// The expected commission: the sum of the rounded estimates; nil if no line has one.
        package var estimate: Decimal?
        /// The number of lines without an estimate.
        package var unknownEstimates = 0

        /// What the sales of the day or month come to: what was bought, less what was refunded.
        package var net: Decimal { bought - refunded }

        /// The part of ``reportedNet`` that refunds of another day or month take away.
        ///
        /// `net = reportedNet + notReported − refundsOfOthers + refundedElsewhere`.
        package var refundedElsewhere: Decimal { net - reportedNet - notReported + refundsOfOthers }

        /// An amount in the currency as text, with the currency's decimal places.
        func text(_ amount: Decimal) -> String { Currency.text(of: amount, in: currency) }

        init(_ currency: String) {
            self.currency = currency
        }
    }

    /// The sales of a day or month.
    package struct Sales: Hashable, Sendable {
        /// The number of sales by state.
        package var count: [ExportRow.State: Int] = [:]
        /// Amounts by currency, sorted by currency code.
        package var money: [Money] = []
    }

    /// The sales of one day in the reporting time zone.
    package struct Day: Hashable, Sendable {
        package let day: CalendarDate
        package let sales: Sales
    }

    /// The tokens created in the month.
    package struct Tokens: Hashable, Sendable {
        package var made = 0
        /// Counts by the status of the newest accepted report.
        var reported: [ReportStatus: Int] = [:]
        var reportedByHand = 0
        package var notReported = 0

        init() {}
    }

    /// A difference between two records.
    package struct Difference: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            /// In a report and in a manual export (OB-62).
            case reportedTwice = "reported-twice"
            /// The accepted line item has another amount or currency.
            case amountDiffers = "amount-differs"
            /// The remainder of a buy differs although all its refunds are reported.
            case netDiffers = "net-differs"
            /// The accepted line item is on another token.
            case tokenDiffers = "token-differs"
            /// Apple has the line item as retracted.
            case retracted
            /// An accepted line item has no sale.
            case withoutSale = "without-sale"
        }

        package let kind: Kind
        /// The id of the sale, or of a line item without a sale.
        package let name: String
        /// The difference as text with both values.
        package let message: String
    }

    /// The expected date of payment of Apple's invoice (OB-81).
    package struct Payment: Hashable, Sendable {
        /// The last day of payment; nil when it depends on an invoice or is unknown.
        package let due: CalendarDate?
        /// The reason as text, with its confidence.
        package let reason: String
    }

    package let sales: Sales
    package let days: [Day]
    package let tokens: Tokens
    /// The number of accepted reports that contain a sale of the month or are about a token created in it.
    package let reports: Int
    /// The deadline of the month; nil without one.
    package let deadline: Timestamp?
    package let payment: Payment
    package let differences: [Difference]
}

extension Reconciliation.Sales {
    /// Adds a sale of the day or month.
    ///
    /// - Parameters:
    ///   - row: the row of the sale.
    ///   - net: for a buy, the net that Apple has accepted of it.
    ///   - takesBackOther: true for a refund of a buy that is not of this day or month.
    mutating func add(_ row: ExportRow, net: MilliUnits?, takesBackOther: Bool) {
        guard let sale = row.sale else { return }
        count[row.state, default: 0] += 1
        guard let amounts = sale.amounts else { return }
        let currency = amounts.reportingCurrency
        let place = money.firstIndex { $0.currency >= currency } ?? money.count
        if place == money.count || money[place].currency != currency {
            money.insert(Reconciliation.Money(currency), at: place)
        }
        if sale.isRefund {
            money[place].refunded += amounts.taxExclusive.units
            if takesBackOther {
                money[place].refundsOfOthers += amounts.taxExclusive.units
            } else if row.state != .reported {
                money[place].notReported -= amounts.taxExclusive.units
            }
        } else {
            money[place].bought += amounts.taxExclusive.units
            if let net {
                money[place].reportedNet += net.units
            } else {
                money[place].notReported += amounts.taxExclusive.units
            }
        }
        if let amount = row.estimate?.amount {
            money[place].estimate = (money[place].estimate ?? 0) + amount
        } else {
            money[place].unknownEstimates += 1
        }
    }
}

extension MilliUnits {
    /// The amount in units of the currency, exact.
    var units: Decimal { DecimalRounding.shifted(Decimal(value), by: -3) }
}
