package import ExternalPurchaseCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A line of Apple's invoice for a programme and month, as entered by a person (OB-80).
package struct StoredInvoice: Hashable, Sendable {
    /// The sequence number in order of entry, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let bundleId: BundleId
    /// Apple's invoice number; one invoice may cover several programmes, months and currencies.
    package let invoiceId: String
    /// The id of the programme.
    package let programme: String
    /// The name of the month in the programme's calendar.
    package let month: String
    /// The invoice's date, `YYYY-MM-DD`.
    package let issuedOn: String
    package let currency: String
    /// The commission in units of the currency (not minor units); negative for a credit.
    package let amount: Decimal
    package let enteredAt: Timestamp
    package let enteredBy: String

    package init(
        sequence: Int64 = 0,
        bundleId: BundleId,
        invoiceId: String,
        programme: String,
        month: String,
        issuedOn: String,
        currency: String,
        amount: Decimal,
        enteredAt: Timestamp,
        enteredBy: String
    ) {
        self.sequence = sequence
        self.bundleId = bundleId
        self.invoiceId = invoiceId
        self.programme = programme
        self.month = month
        self.issuedOn = issuedOn
        self.currency = currency
        self.amount = amount
        self.enteredAt = enteredAt
        self.enteredBy = enteredBy
    }

    /// The amount as text, without trailing zeros.
    package var amountText: String { amount.description }

    /// Whether both are the same line of the same invoice; invoice numbers are compared by Unicode scalars.
    package func isSameLine(as other: StoredInvoice) -> Bool {
        bundleId == other.bundleId && invoiceId.hasSameScalars(as: other.invoiceId) && programme == other.programme
            && month == other.month && currency == other.currency
    }
}

extension StoredInvoice {
    /// The fields of an invoice, with their name in each record form.
    package static let fields = RecordFields<StoredInvoice>([
        .init("bundleId", in: .audit) { .text($0.bundleId.rawValue) },
        .init("invoiceId", in: .audit, .archive) { .text($0.invoiceId) },
        .init("programme", in: .audit, .archive) { .text($0.programme) },
        .init("month", in: .audit, .archive) { .text($0.month) },
        .init("issuedOn", in: .audit, .archive) { .figure($0.issuedOn) },
        .init("currency", in: .audit, .archive) { .text($0.currency) },
        .init("amount", in: .audit, .archive) { .figure($0.amountText) },
        .init("enteredAt", in: .archive) { .time($0.enteredAt) },
        .init([.audit: "by", .archive: "enteredBy"]) { .text($0.enteredBy) },
    ])
}

/// Queries of invoices.
package protocol InvoiceQueries {
    func invoices(_ page: LedgerPage) throws(LedgerError) -> [StoredInvoice]
}

extension LedgerQueries {
    package func eachInvoice(_ body: (StoredInvoice) throws(LedgerError) -> Void) throws(LedgerError) {
        var page = LedgerPage(limit: 500)
        while true {
            let rows = try invoices(page)
            for row in rows { try body(row) }
            guard let last = rows.last else { return }
            page.after = last.sequence
        }
    }
}

extension LedgerTransaction {
    /// Stores a line of an invoice.
    ///
    /// - Throws: ``LedgerError/conflict(_:)`` when the invoice already has that line.
    package func insert(_ invoice: StoredInvoice) throws(LedgerError) -> StoredInvoice {
        var invoice = invoice
        invoice.sequence = try perform(.insertInvoice(invoice))
        return invoice
    }
}
