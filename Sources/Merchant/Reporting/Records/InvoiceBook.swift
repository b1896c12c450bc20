package import ExternalPurchaseCore
package import Ledger
package import ReportPlanning

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Compares Apple's invoices with the reported and estimated amounts (OB-80, OB-81); nothing of it is sent to Apple.
package struct InvoiceBook: Sendable {
    private let rules: DeadlineRules
    private let settings: ReportingSettings

    package init(rules: DeadlineRules, settings: ReportingSettings) {
        self.rules = rules
        self.settings = settings
    }

    /// The reported, estimated and invoiced amounts of an app, a programme and a month.
    package struct Account: Sendable {
        package let bundleId: BundleId
        package let programme: ReportingProgramme
        package let month: ReportingMonth
        package let lines: [Line]
        package let payment: Reconciliation.Payment
        package let invoices: [StoredInvoice]

        /// The amounts in one currency.
        package struct Line: Hashable, Sendable {
            package let currency: String
            package let reportedNet: Decimal
            /// The sum of the estimates; nil if sales exist and none of them has an estimate.
            package let estimate: Decimal?
            /// The number of the month's rows without an estimate; if it is not 0, `estimate` is too low.
            package let unknownEstimates: Int
            /// The sum of the entered invoices; nil if there is none.
            package let invoiced: Decimal?

            /// The invoiced amount minus the estimate; nil if there is no invoice or no estimate.
            package var difference: Decimal? {
                guard let invoiced, let estimate else { return nil }
                return invoiced - estimate
            }
        }

        /// The account as `GET /v1/invoices` and `ledger invoices` show it.
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
                                        .init("estimate", line.estimate.map { .string($0.description) } ?? .null),
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

    /// Computes the account of a month.
    ///
    /// - Throws: ``LedgerError``; a ``ReportPlanning/ExportRefusal`` is part of the result.
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
                estimate: sum.map(\.estimate) ?? 0,
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

    /// Stores a line of an invoice; repeating the same line changes nothing.
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
    /// The members of `POST /v1/invoices`, and the time of entry.
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
