package import ExternalPurchaseCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// How sales, tokens, reports and expected commission of a month fit together (OB-80).
package struct Reconciliation: Hashable, Sendable {
    /// Money of one reporting currency, in its units and without tax.
    package struct Money: Hashable, Sendable {
        package let currency: String
        /// Everything bought.
        package var bought: Decimal = 0
        /// Everything given back.
        package var refunded: Decimal = 0
        /// What Apple has accepted as left of the buys: each buy with the newest net accepted for it.
        package var reportedNet: Decimal = 0
        /// The commission expected, each estimate rounded.
        package var estimate: Decimal = 0
        /// Lines without an estimate.
        package var unknownEstimates = 0

        init(_ currency: String) {
            self.currency = currency
        }
    }

    /// The sales of a day or month.
    package struct Sales: Hashable, Sendable {
        /// How many sales stand where.
        package var count: [ExportRow.State: Int] = [:]
        /// By currency, in the order of the codes.
        package var money: [Money] = []
    }

    /// The sales of one day in the zone in which months are counted.
    package struct Day: Hashable, Sendable {
        package let day: CalendarDate
        package let sales: Sales
    }

    /// The tokens made in the month.
    package struct Tokens: Hashable, Sendable {
        package var made = 0
        /// By the status of the newest accepted report.
        package var reported: [ReportStatus: Int] = [:]
        package var reportedByHand = 0
        package var notReported = 0

        package init() {}
    }

    /// Two records that do not agree.
    package struct Difference: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            /// In a report and in a manual export (OB-62).
            case reportedTwice = "reported-twice"
            /// The accepted line item has another amount or currency.
            case amountDiffers = "amount-differs"
            /// What is left of a buy differs although all its refunds are reported.
            case netDiffers = "net-differs"
            /// The accepted line item is on another token.
            case tokenDiffers = "token-differs"
            /// Apple holds the line item as never having happened.
            case retracted
            /// An accepted line item without a sale.
            case withoutSale = "without-sale"
        }

        package let kind: Kind
        /// The sale, or the line item without one.
        package let name: String
        /// In plain words, with both figures.
        package let message: String
    }

    /// When Apple's invoice is expected to be paid (OB-81).
    package struct Payment: Hashable, Sendable {
        /// The last day to pay, nil when it depends on an invoice or is not known.
        package let due: CalendarDate?
        /// In plain words, with how sure it is.
        package let reason: String
    }

    package let sales: Sales
    package let days: [Day]
    package let tokens: Tokens
    /// Accepted reports that hold a sale of the month or are about a token made in it.
    package let reports: Int
    /// Until when the month is to be reported, nil without a deadline.
    package let deadline: Timestamp?
    package let payment: Payment
    package let differences: [Difference]
}

extension Reconciliation.Sales {
    /// The totals of some rows; rows of tokens are not counted.
    init(_ rows: [ExportRow], acceptedNets: [LineItemId: MilliUnits]) {
        var money: [String: Reconciliation.Money] = [:]
        for row in rows {
            guard let sale = row.sale else { continue }
            count[row.state, default: 0] += 1
            guard let amounts = sale.amounts else { continue }
            let currency = amounts.reportingCurrency
            var sum = money[currency] ?? Reconciliation.Money(currency)
            if sale.isRefund {
                sum.refunded += amounts.taxExclusive.units
            } else {
                sum.bought += amounts.taxExclusive.units
                if let net = acceptedNets[sale.lineItemId] { sum.reportedNet += net.units }
            }
            if let amount = row.estimate?.amount { sum.estimate += amount } else { sum.unknownEstimates += 1 }
            money[currency] = sum
        }
        self.money = money.values.sorted { $0.currency < $1.currency }
    }
}

extension MilliUnits {
    /// Units of the currency, exact.
    var units: Decimal { DecimalRounding.shifted(Decimal(value), by: -3) }
}
