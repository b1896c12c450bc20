package import ExternalPurchaseCore
package import Ledger
package import ReportPlanning

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Apple's invoices beside what was reported and estimated (OB-80, OB-81); nothing here is ever sent to Apple.
package struct InvoiceBook: Sendable {
    private let rules: DeadlineRules
    private let settings: ReportingSettings

    package init(rules: DeadlineRules, settings: ReportingSettings) {
        self.rules = rules
        self.settings = settings
    }

    /// A programme's month of an app, as both sides see it.
    package struct Account: Sendable {
        package let bundleId: BundleId
        package let programme: ReportingProgramme
        package let month: ReportingMonth
        package let lines: [Line]
        package let payment: Reconciliation.Payment
        package let invoices: [StoredInvoice]

        /// One currency.
        package struct Line: Hashable, Sendable {
            package let currency: String
            package let reportedNet: Decimal
            package let estimate: Decimal
            /// How many lines of the month have no estimate, so that it is too low.
            package let unknownEstimates: Int
            /// The sum of the invoices entered; nil without one.
            package let invoiced: Decimal?

            /// How much more Apple asks for than was estimated; nil without an invoice.
            package var difference: Decimal? { invoiced.map { $0 - estimate } }
        }

        /// One entry of `GET /v1/invoices` and `ledger invoices`.
        package var json: JSONValue {
            .object(
                JSONObject([
                    .init("bundleId", .string(bundleId.rawValue)), .init("programme", .string(programme.id)),
                    .init("effectiveFrom", .string(programme.effectiveFrom)), .init("month", .string(month.id)),
                    .init(
                        "money",
                        .array(
                            lines.map { line in
                                .object(
                                    JSONObject([
                                        .init("currency", .string(line.currency)),
                                        .init("reportedNet", .string(line.reportedNet.description)),
                                        .init("estimate", .string(line.estimate.description)),
                                        .init("unknownEstimates", .integer(Int64(line.unknownEstimates))),
                                        .init("invoiced", line.invoiced.map { .string($0.description) } ?? .null),
                                        .init("difference", line.difference.map { .string($0.description) } ?? .null),
                                    ])
                                )
                            }
                        )
                    ),
                    .init(
                        "payment",
                        .object(
                            JSONObject([
                                .init("due", payment.due.map { .string($0.description) } ?? .null),
                                .init("reason", .string(payment.reason)),
                            ])
                        )
                    ),
                    .init("invoices", .array(invoices.map(\.json))),
                ])
            )
        }
    }

    /// A month's account.
    ///
    /// - Throws: ``LedgerError``; ``Obligations/ExportRefusal`` is the other result.
    package func account(
        month: String,
        programme: String,
        of bundleId: BundleId,
        now: Timestamp,
        in ledger: any LedgerQueries
    ) throws(LedgerError) -> Result<Account, ExportRefusal> {
        let exporter = LedgerExport(rules: rules, settings: settings)
        let export: MonthExport
        switch try exporter.month(month, programme: programme, of: bundleId, now: now, in: ledger) {
        case .success(let made): export = made
        case .failure(let refusal): return .failure(refusal)
        }
        var invoices: [StoredInvoice] = []
        try ledger.eachInvoice { invoice throws(LedgerError) in
            if invoice.bundleId == bundleId, invoice.programme == programme, invoice.month == month {
                invoices.append(invoice)
            }
        }
        let money = export.reconciliation.sales.money
        let currencies = Set(money.map(\.currency)).union(invoices.map(\.currency)).sorted()
        let lines = currencies.map { currency in
            let sum = money.first { $0.currency == currency }
            let billed = invoices.filter { $0.currency == currency }
            return Account.Line(
                currency: currency,
                reportedNet: sum?.reportedNet ?? 0,
                estimate: sum?.estimate ?? 0,
                unknownEstimates: sum?.unknownEstimates ?? 0,
                invoiced: billed.isEmpty ? nil : billed.reduce(0) { $0 + $1.amount }
            )
        }
        let issued = invoices.compactMap { CalendarDate($0.issuedOn) }.max()
        return .success(
            Account(
                bundleId: bundleId,
                programme: export.programme,
                month: export.month,
                lines: lines,
                payment: export.programme.expectedPayment(after: export.month, invoicedOn: issued),
                invoices: invoices
            )
        )
    }

    /// Stores a line of an invoice; the same again changes nothing.
    ///
    /// - Throws: ``RequestError``.
    package func enter(
        _ invoice: StoredInvoice,
        in store: any LedgerStore
    ) async throws(RequestError) -> (invoice: StoredInvoice, isNew: Bool) {
        let result: Result<(StoredInvoice, Bool), RequestError>
        do {
            result = try await store.write { ledger throws(LedgerError) in
                var known: StoredInvoice?
                try ledger.eachInvoice { line throws(LedgerError) in if line.isSameLine(as: invoice) { known = line } }
                guard let known else { return .success((try ledger.insert(invoice), true)) }
                guard known.amount == invoice.amount, known.issuedOn == invoice.issuedOn else {
                    return .failure(
                        .conflict(
                            "\(invoice.invoiceId) is known with \(known.amount) \(known.currency) of \(known.issuedOn); "
                                + "a credit is an invoice of its own with a negative amount"
                        )
                    )
                }
                return .success((known, false))
            }
        } catch {
            throw .notStored(error)
        }
        return try result.get()
    }
}

extension StoredInvoice {
    /// The members of `POST /v1/invoices`, and when it was entered.
    package var json: JSONValue {
        .object(
            JSONObject([
                .init("invoiceId", .string(invoiceId)), .init("bundleId", .string(bundleId.rawValue)),
                .init("programme", .string(programme)), .init("month", .string(month)),
                .init("issuedOn", .string(issuedOn)), .init("currency", .string(currency)),
                .init("amount", .string(amount.description)), .init("by", .string(enteredBy)),
                .init("enteredAt", .string(enteredAt.description)),
            ])
        )
    }
}
