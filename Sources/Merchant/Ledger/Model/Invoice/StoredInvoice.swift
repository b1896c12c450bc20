package import ExternalPurchaseCore

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
    /// The date by which it is to be paid, `YYYY-MM-DD`; nil if it was not entered.
    package let dueOn: String?
    /// The number of the purchase order that Apple's invoice names; nil if it was not entered.
    package let purchaseOrder: String?
    package let currency: String
    /// The commission in units of the currency (not minor units); negative for a credit.
    package let amount: Decimal
    /// A surcharge beside the commission, such as that of a digital services tax, in units of the currency.
    package let surcharge: Decimal?
    /// The tax of the invoice, in units of the currency.
    package let tax: Decimal?
    package let enteredAt: Timestamp
    package let enteredBy: String

    package init(
        sequence: Int64 = 0,
        bundleId: BundleId,
        invoiceId: String,
        programme: String,
        month: String,
        issuedOn: String,
        dueOn: String?,
        purchaseOrder: String?,
        currency: String,
        amount: Decimal,
        surcharge: Decimal?,
        tax: Decimal?,
        enteredAt: Timestamp,
        enteredBy: String
    ) {
        self.sequence = sequence
        self.bundleId = bundleId
        self.invoiceId = invoiceId
        self.programme = programme
        self.month = month
        self.issuedOn = issuedOn
        self.dueOn = dueOn
        self.purchaseOrder = purchaseOrder
        self.currency = currency
        self.amount = amount
        self.surcharge = surcharge
        self.tax = tax
        self.enteredAt = enteredAt
        self.enteredBy = enteredBy
    }

    /// What is to be paid: the commission, the surcharge and the tax.
    package var total: Decimal { amount + (surcharge ?? 0) + (tax ?? 0) }

    /// An amount of the invoice as text, with the decimal places of its currency.
    package func text(_ amount: Decimal) -> String { Currency.text(of: amount, in: currency) }

    /// Whether both are the same line of the same invoice; invoice numbers are compared by Unicode scalars.
    package func isSameLine(as other: StoredInvoice) -> Bool {
        bundleId == other.bundleId && invoiceId.hasSameScalars(as: other.invoiceId) && programme == other.programme
            && month == other.month && currency == other.currency
    }

    /// Whether both lines state the same, whoever entered them.
    package func statesTheSame(as other: StoredInvoice) -> Bool {
        isSameLine(as: other) && issuedOn == other.issuedOn && dueOn == other.dueOn
            && purchaseOrder == other.purchaseOrder && amount == other.amount && surcharge == other.surcharge
            && tax == other.tax
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
        .init("dueOn", in: .audit, .archive) { .figure($0.dueOn) },
        .init("purchaseOrder", in: .audit, .archive) { .text($0.purchaseOrder) },
        .init("currency", in: .audit, .archive) { .text($0.currency) },
        .init("amount", in: .audit, .archive) { .figure($0.text($0.amount)) },
        .init("surcharge", in: .audit, .archive) { invoice in .figure(invoice.surcharge.map(invoice.text)) },
        .init("tax", in: .audit, .archive) { invoice in .figure(invoice.tax.map(invoice.text)) },
        .init("enteredAt", in: .archive) { .time($0.enteredAt) },
        .init([.audit: "by", .archive: "enteredBy"]) { .text($0.enteredBy) },
    ])
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
