package import ExternalPurchaseCore
package import Ledger

/// A request to enter a line of an invoice.
package struct InvoiceCommand: Hashable, Sendable {
    let choice: MonthChoice
    let invoiceId: String
    let issuedOn: CalendarDate
    let dueOn: CalendarDate?
    let purchaseOrder: String?
    let currency: Currency
    /// The commission; negative for a credit.
    let amount: Decimal
    let surcharge: Decimal?
    let tax: Decimal?
    let by: String

    package init(
        _ choice: MonthChoice,
        invoiceId: String,
        issuedOn: CalendarDate,
        dueOn: CalendarDate? = nil,
        purchaseOrder: String? = nil,
        currency: Currency,
        amount: Decimal,
        surcharge: Decimal? = nil,
        tax: Decimal? = nil,
        by: String
    ) {
        self.choice = choice
        self.invoiceId = invoiceId
        self.issuedOn = issuedOn
        self.dueOn = dueOn
        self.purchaseOrder = purchaseOrder
        self.currency = currency
        self.amount = amount
        self.surcharge = surcharge
        self.tax = tax
        self.by = by
    }

    /// The line to store for an app and a programme.
    package func line(of bundleId: BundleId, programme: String, at now: Timestamp) -> StoredInvoice {
        StoredInvoice(
            bundleId: bundleId,
            invoiceId: invoiceId,
            programme: programme,
            month: choice.month,
            issuedOn: issuedOn.description,
            dueOn: dueOn?.description,
            purchaseOrder: purchaseOrder,
            currency: currency.code,
            amount: amount,
            surcharge: surcharge,
            tax: tax,
            enteredAt: now,
            enteredBy: by
        )
    }
}

/// Enters lines of Apple's invoices and computes the account of a month (OB-80, OB-81).
package struct Invoices: Sendable {
    let store: any LedgerStore
    let book: InvoiceBook
    let choice: ExportChoice
    let dependencies: ReportingDependencies

    /// Enters a line of an invoice.
    ///
    /// - Throws: ``RequestError``.
    package func enter(
        _ command: InvoiceCommand
    ) async throws(RequestError) -> (invoice: StoredInvoice, isNew: Bool) {
        let chosen = try await choice.alsoNaming(command.choice.bundleId, of: store).programme(of: command.choice)
        let invoice = command.line(of: chosen.app, programme: chosen.programme, at: dependencies.now())
        return try await book.enter(invoice, in: store)
    }

    /// Returns the account of a month.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` if app or programme are left open or wrong.
    package func account(_ month: MonthChoice) async throws(RequestError) -> InvoiceBook.Account {
        let chosen = try await choice.alsoNaming(month.bundleId, of: store).programme(of: month)
        let (book, now) = (book, dependencies.now())
        let result = try await store.longRead { ledger throws(LedgerError) in
            try book.account(month: month.month, programme: chosen.programme, of: chosen.app, now: now, in: ledger)
        }
        switch result {
        case .success(let account): return account
        case .failure(let refusal): throw .invalid([FieldError("/programme", refusal.message)])
        }
    }
}
