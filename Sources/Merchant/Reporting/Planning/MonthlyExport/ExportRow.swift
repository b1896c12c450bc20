import ExternalPurchaseCore
import Ledger

/// A line of a month export: a sale, or a token without sales that the report API cannot accept.
package struct ExportRow: Hashable, Sendable {
    /// The reporting state of the line (OB-62, OB-63).
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// In an accepted report.
        case reported
        /// In a manual export that a person submitted.
        case reportedByHand = "reported-by-hand"
        /// Not reported; a token exists.
        case notReported = "not-reported"
        /// Not reported; no token exists.
        case noToken = "no-token"
        /// Held until a person acts.
        case held
    }

    enum Subject: Hashable, Sendable {
        case sale(ExportSale)
        case token(ExportToken)
    }

    let subject: Subject
    let state: State
    let channel: ReportingChannel
    /// The id of the programme.
    let programme: String
    /// The newest accepted report that contains it.
    let requestIdentifier: RequestIdentifier?
    let manualSubmission: ManualSubmission?
    /// Nil for tokens.
    let estimate: CommissionEstimate?

    /// True for a line that must still be submitted by hand (OB-61, OB-62).
    var isToManualSubmission: Bool {
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

    /// The id of the sale or token.
    var name: String {
        switch subject {
        case .sale(let sale): sale.saleId
        case .token(let token): token.id.rawValue
        }
    }

    /// The order of the rows of an export: by creation date, then by the bytes of their names.
    func isBefore(_ other: ExportRow) -> Bool {
        createdAt == other.createdAt
            ? name.utf8.lexicographicallyPrecedes(other.name.utf8) : createdAt < other.createdAt
    }

    /// The expected commission as text, marked if there is no estimate (OB-73); nil for a token.
    var estimateText: String? {
        guard sale != nil else { return nil }
        let amount = estimate.flatMap { made in
            made.amount.map { "\(Currency.text(of: $0, in: made.currency)) \(made.currency)" }
        }
        return "\(amount ?? "no estimate") under \(programme)"
    }

    /// The content of the given column.
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
        case .estimate:
            return figure(estimate.flatMap { made in made.amount.map { Currency.text(of: $0, in: made.currency) } })
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
            // Without computed amounts, the merchant's are written; these lines have no reporting currency.
            let given = amounts == nil ? sale.given : nil
            func amount(_ value: MilliUnits?, _ stated: Decimal?) -> CSVText.Cell {
                if let amounts { return figure(value?.unitsText(in: amounts.reportingCurrency)) }
                return figure(given.flatMap { money in stated.map { Currency.text(of: $0, in: money.currency) } })
            }
            switch column {
            case .saleId: return text(sale.saleId)
            case .lineItemId: return text(sale.lineItemId.rawValue)
            case .event: return text(sale.event)
            case .product: return text(sale.product)
            case .quantity: return figure(sale.quantity.map(String.init))
            case .amountTaxExclusive: return amount(amounts?.taxExclusive, given?.exclusive)
            case .taxAmount: return amount(amounts?.tax, given?.tax)
            case .amountTaxInclusive: return amount(amounts?.taxInclusive, given?.inclusive)
            case .netAmountTaxExclusive: return amount(amounts?.netTaxExclusive, nil)
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

/// A column of the month export (OB-61).
///
/// Amounts are in units of the reporting currency. A held line without one has the merchant's amounts in units of the
/// pricing currency.
enum ExportColumn: String, Hashable, Sendable, CaseIterable {
    case saleId, lineItemId, date, event, product, quantity
    case amountTaxExclusive, taxAmount, amountTaxInclusive, netAmountTaxExclusive
    case pricingCurrency, reportingCurrency, exchangeRate, taxCountry, externalPurchaseId, osVersion, reference
    case state, channel, programme, requestIdentifier, handedInAt
    // The header in files is older than the name of the type.
    case manualSubmissionReference = "handInReference"
    case estimate, estimateReason
}

/// The columns of an export, with their order and headers (OB-61).
package struct ExportLayout: Hashable, Sendable {
    struct Column: Hashable, Sendable {
        let column: ExportColumn
        let header: String

        init(_ column: ExportColumn, header: String) {
            self.column = column
            self.header = header
        }
    }

    let columns: [Column]

    /// Every column with its own name as header.
    static let standard = ExportLayout(
        columns: ExportColumn.allCases.map { Column($0, header: $0.rawValue) }
    )

    init(columns: [Column]) {
        self.columns = columns
    }

    /// Creates a layout from configured column names and headers.
    ///
    /// - Throws: ``ExportRefusal`` for an unknown column, and for an empty list.
    package init(named columns: [(name: String, header: String)]) throws(ExportRefusal) {
        var result: [Column] = []
        for (name, header) in columns {
            guard let column = ExportColumn(rawValue: name) else {
                let meant = ExportColumn.allCases.map(\.rawValue).suggestion(for: name)
                throw ExportRefusal(message: "no column \(name.shown(in: "\"")) in an export" + meant)
            }
            result.append(Column(column, header: header))
        }
        guard !result.isEmpty else { throw ExportRefusal(message: "an export needs a column") }
        self.init(columns: result)
    }
}

/// The error of an export that cannot be made.
package struct ExportRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The problem and its remedy.
    package let message: String

    /// The problem and its remedy.
    package var description: String { message }
}
