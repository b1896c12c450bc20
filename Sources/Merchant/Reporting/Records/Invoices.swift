package import ExternalPurchaseCore
package import Ledger
package import ReportPlanning

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A request to enter a line of an invoice.
package struct InvoiceCommand: Hashable, Sendable {
    package let choice: MonthChoice
    package let invoiceId: String
    package let issuedOn: CalendarDate
    package let currency: Currency
    /// The amount; negative for a credit.
    package let amount: Decimal
    package let by: String

    package init(
        _ choice: MonthChoice,
        invoiceId: String,
        issuedOn: CalendarDate,
        currency: Currency,
        amount: Decimal,
        by: String
    ) {
        self.choice = choice
        self.invoiceId = invoiceId
        self.issuedOn = issuedOn
        self.currency = currency
        self.amount = amount
        self.by = by
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
        let chosen = try choice.programme(of: command.choice)
        let invoice = StoredInvoice(
            bundleId: chosen.app,
            invoiceId: command.invoiceId,
            programme: chosen.programme,
            month: command.choice.month,
            issuedOn: command.issuedOn.description,
            currency: command.currency.code,
            amount: command.amount,
            enteredAt: dependencies.now(),
            enteredBy: command.by
        )
        return try await book.enter(invoice, in: store)
    }

    /// Returns the account of a month.
    ///
    /// - Throws: ``RequestError/invalid(_:)`` if app or programme are left open or wrong.
    package func account(_ month: MonthChoice) async throws(RequestError) -> InvoiceBook.Account {
        let chosen = try choice.programme(of: month)
        let (book, now) = (book, dependencies.now())
        let result = try await store.shortRead { ledger throws(LedgerError) in
            try book.account(month: month.month, programme: chosen.programme, of: chosen.app, now: now, in: ledger)
        }
        switch result {
        case .success(let account): return account
        case .failure(let refusal): throw .invalid([FieldError("/programme", refusal.message)])
        }
    }
}
