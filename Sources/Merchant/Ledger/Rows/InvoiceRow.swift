import ExternalPurchaseCore

/// The columns of an invoice.
enum InvoiceRow {
    typealias Column<Value> = RowColumn<StoredInvoice, Value>

    static let sequence = Column("sequence", .integer, written: .elsewhere) { $0.sequence }
    static let bundleId = Column("bundle_id", .rawValue, written: .once) { $0.bundleId }
    static let invoiceId = Column("invoice_id", .text, written: .once) { $0.invoiceId }
    static let programme = Column("programme", .text, written: .once) { $0.programme }
    static let month = Column("month", .text, written: .once) { $0.month }
    static let issuedOn = Column("issued_on", .text, written: .once) { $0.issuedOn }
    static let dueOn = Column("due_on", .optional(.text), written: .once) { $0.dueOn }
    static let purchaseOrder = Column("purchase_order", .optional(.text), written: .once) { $0.purchaseOrder }
    static let currency = Column("currency", .text, written: .once) { $0.currency }
    static let amount = Column("amount", .decimal, written: .once) { $0.amount }
    static let surcharge = Column("surcharge", .optional(.decimal), written: .once) { $0.surcharge }
    static let tax = Column("tax", .optional(.decimal), written: .once) { $0.tax }
    static let enteredAt = Column("entered_at", .time, written: .once) { $0.enteredAt }
    static let enteredBy = Column("entered_by", .text, written: .once) { $0.enteredBy }

    static let table = RowTable<StoredInvoice>(
        "invoices",
        [
            sequence, bundleId, invoiceId, programme, month, issuedOn, currency, amount, enteredAt, enteredBy, dueOn,
            purchaseOrder, surcharge, tax,
        ]
    )

    static func record(_ row: any SQLRow) throws(LedgerError) -> StoredInvoice {
        StoredInvoice(
            sequence: try sequence.read(from: row),
            bundleId: try bundleId.read(from: row),
            invoiceId: try invoiceId.read(from: row),
            programme: try programme.read(from: row),
            month: try month.read(from: row),
            issuedOn: try issuedOn.read(from: row),
            dueOn: try dueOn.read(from: row),
            purchaseOrder: try purchaseOrder.read(from: row),
            currency: try currency.read(from: row),
            amount: try amount.read(from: row),
            surcharge: try surcharge.read(from: row),
            tax: try tax.read(from: row),
            enteredAt: try enteredAt.read(from: row),
            enteredBy: try enteredBy.read(from: row)
        )
    }
}
