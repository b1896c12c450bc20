package import ExternalPurchaseCore
package import Ledger

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One line of a month export: a sale, or a token without a sale that the report API cannot take.
package struct ExportRow: Hashable, Sendable {
    /// Where it stands (OB-62, OB-63).
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// In an accepted report.
        case reported
        /// In a manual export that a person submitted.
        case reportedByHand = "reported-by-hand"
        /// Not reported, and there is a token.
        case notReported = "not-reported"
        /// Not reported, and there is no token.
        case noToken = "no-token"
        /// A person has to act first.
        case held
    }

    package enum Subject: Hashable, Sendable {
        case sale(ExportSale)
        case token(ExportToken)
    }

    package let subject: Subject
    package let state: State
    package let channel: ReportingChannel
    /// The id of the programme.
    package let programme: String
    /// The newest accepted report that holds it.
    package let requestIdentifier: RequestIdentifier?
    package let manualSubmission: ManualSubmission?
    /// Nil for tokens.
    package let estimate: CommissionEstimate?

    /// True for a line that still goes into the manual export (OB-61, OB-62).
    package var isToManualSubmission: Bool {
        channel.way == .manual && state != .reported && state != .reportedByHand && state != .held
    }

    var sale: ExportSale? {
        if case .sale(let sale) = subject { sale } else { nil }
    }

    var createdAt: Timestamp {
        switch subject {
        case .sale(let sale): sale.createdAt
        case .token(let token): token.createdAt
        }
    }

    var name: String {
        switch subject {
        case .sale(let sale): sale.saleId
        case .token(let token): token.id.rawValue
        }
    }

    /// The content of a column.
    func cell(_ column: ExportColumn) -> CSVText.Cell {
        func text(_ value: String?) -> CSVText.Cell { value.map(CSVText.Cell.text) ?? .empty }
        func figure(_ value: String?) -> CSVText.Cell { value.map(CSVText.Cell.figure) ?? .empty }
        switch column {
        case .state: return .figure(state.rawValue)
        case .channel: return channel.way == .none ? .empty : .figure(channel.way.rawValue)
        case .programme: return text(programme)
        case .requestIdentifier: return text(requestIdentifier?.text)
        case .handedInAt: return figure(manualSubmission?.at.description)
        case .manualSubmissionReference: return text(manualSubmission?.reference)
        case .date: return .figure(createdAt.description)
        case .estimate: return figure(estimate?.amount?.description)
        case .estimateReason: return text(estimate?.reason)
        default: break
        }
        switch subject {
        case .token(let token):
            switch column {
            case .event: return .figure("NO_LINE_ITEM")
            case .externalPurchaseId: return text(token.id.rawValue)
            case .osVersion: return figure(token.system?.description)
            default: return .empty
            }
        case .sale(let sale):
            let amounts = sale.amounts
            // Without amounts of a line, what the merchant gave; no reporting currency tells the two apart.
            let given = amounts == nil ? sale.given : nil
            switch column {
            case .saleId: return text(sale.saleId)
            case .lineItemId: return text(sale.lineItemId.rawValue)
            case .event: return text(sale.event)
            case .product: return text(sale.product)
            case .quantity: return figure(sale.quantity.map(String.init))
            case .amountTaxExclusive: return figure(amounts?.taxExclusive.unitsText ?? given?.exclusive?.description)
            case .taxAmount: return figure(amounts?.tax.unitsText ?? given?.tax?.description)
            case .amountTaxInclusive: return figure(amounts?.taxInclusive.unitsText ?? given?.inclusive?.description)
            case .netAmountTaxExclusive: return figure(amounts?.netTaxExclusive.unitsText)
            case .pricingCurrency: return text(amounts?.pricingCurrency ?? given?.currency)
            case .reportingCurrency: return text(amounts?.reportingCurrency)
            case .exchangeRate: return figure(amounts?.exchangeRate?.text)
            case .taxCountry: return text(sale.taxCountry)
            case .externalPurchaseId: return text(sale.token?.rawValue)
            case .osVersion: return figure(sale.system?.description)
            case .reference: return text(sale.reference?.rawValue)
            default: return .empty
            }
        }
    }
}

extension ExportSale.GivenMoney {
    fileprivate var exclusive: Decimal? { inclusive.flatMap { inclusive in tax.map { inclusive - $0 } } }
}

/// A column of the month export (OB-61); amounts are in units of the reporting currency, or, in a held line without one,
/// in units of the pricing currency as the merchant gave them.
package enum ExportColumn: String, Hashable, Sendable, CaseIterable {
    case saleId, lineItemId, date, event, product, quantity
    case amountTaxExclusive, taxAmount, amountTaxInclusive, netAmountTaxExclusive
    case pricingCurrency, reportingCurrency, exchangeRate, taxCountry, externalPurchaseId, osVersion, reference
    case state, channel, programme, requestIdentifier, handedInAt
    // The header in files dates from before the name of the type.
    case manualSubmissionReference = "handInReference"
    case estimate, estimateReason
}

/// Which columns an export has, in which order and under which names (OB-61).
package struct ExportLayout: Hashable, Sendable {
    package struct Column: Hashable, Sendable {
        package let column: ExportColumn
        package let header: String

        package init(_ column: ExportColumn, header: String) {
            self.column = column
            self.header = header
        }
    }

    package let columns: [Column]

    /// Every column under its own name.
    package static let standard = ExportLayout(
        columns: ExportColumn.allCases.map { Column($0, header: $0.rawValue) }
    )

    package init(columns: [Column]) {
        self.columns = columns
    }

    /// Columns as configuration names them, each with the header it gets.
    ///
    /// - Throws: ``ExportRefusal`` for a column that does not exist, and for a list without columns.
    package init(named columns: [(name: String, header: String)]) throws(ExportRefusal) {
        var result: [Column] = []
        for (name, header) in columns {
            guard let column = ExportColumn(rawValue: name) else {
                let meant = ExportColumn.allCases.map(\.rawValue).suggestion(for: name)
                throw ExportRefusal(message: "no column \"\(name)\" in an export" + meant)
            }
            result.append(Column(column, header: header))
        }
        guard !result.isEmpty else { throw ExportRefusal(message: "an export needs a column") }
        self.init(columns: result)
    }
}

/// Why an export cannot be made.
package struct ExportRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what would be right.
    package let message: String

    package init(message: String) {
        self.message = message
    }

    /// What is wrong.
    package var description: String { message }
}
