package import ExternalPurchaseCore
package import Ledger

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
            /// The invoiced amounts; nil if no invoice is entered.
            package let billed: Billed?

            /// The sums of the entered invoices.
            package struct Billed: Hashable, Sendable {
                /// The commission, which the estimate estimates.
                package let commission: Decimal
                package let surcharge: Decimal
                package let tax: Decimal

                package var total: Decimal { commission + surcharge + tax }
            }

            /// The invoiced commission minus the estimate; nil without an invoice, or if the estimate is not complete.
            package var difference: Decimal? {
                guard let billed, let estimate, unknownEstimates == 0 else { return nil }
                return billed.commission - estimate
            }

            /// An amount of the line as text, with the decimal places of its currency.
            package func text(_ amount: Decimal) -> String { Currency.text(of: amount, in: currency) }
        }

        /// The account as `GET /v1/invoices` and `ledger invoices` show it.
        package var json: JSONValue {
            [
                "bundleId": .string(bundleId.rawValue), "programme": .string(programme.id),
                "effectiveFrom": .string(programme.effectiveFrom), "month": .string(month.id),
                "money": .array(
                    lines.map(\.json)
                ),
                "payment": [
                    "due": payment.due.map { .string($0.description) } ?? .null,
                    "reason": .string(payment.reason),
                ],
                "invoices": .array(invoices.map(\.json)),
            ]
        }
    }

    /// Computes the account of a month.
    ///
    /// - Throws: ``LedgerError``; a ``ExportRefusal`` is part of the result.
    package func account(
        month: String,
        programme: String,
        of bundleId: BundleId,
        now: Timestamp,
        in ledger: LedgerQueries
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
                billed: billed.isEmpty
                    ? nil
                    : Account.Line.Billed(
                        commission: billed.reduce(0) { $0 + $1.amount },
                        surcharge: billed.reduce(0) { $0 + ($1.surcharge ?? 0) },
                        tax: billed.reduce(0) { $0 + ($1.tax ?? 0) }
                    )
            )
        }
        return .success(
            Account(
                bundleId: bundleId,
                programme: export.programme,
                month: export.month,
                lines: lines,
                payment: Self.payment(of: invoices, under: export.programme, export.month),
                invoices: invoices
            )
        )
    }

    /// The date of payment that the newest invoice states, else the one that follows from the programme's terms.
    ///
    /// The newest is the one that was issued last; of those of one day, the one that states a date, and then the one that
    /// was entered last.
    private static func payment(
        of invoices: [StoredInvoice],
        under programme: ReportingProgramme,
        _ month: ReportingMonth
    ) -> Reconciliation.Payment {
        func age(_ invoice: StoredInvoice) -> (String, Int, Int64) {
            (invoice.issuedOn, invoice.dueOn == nil ? 0 : 1, invoice.sequence)
        }
        let newest = invoices.max { age($0) < age($1) }
        if let newest, let due = newest.dueOn.flatMap({ CalendarDate($0) }) {
            return Reconciliation.Payment(due: due, reason: "as Apple's invoice \(newest.invoiceId) states")
        }
        return programme.expectedPayment(after: month, invoicedOn: newest.flatMap { CalendarDate($0.issuedOn) })
    }

    /// The largest number of days between the entry of an invoice, or the end of its month, and the date of the invoice.
    private static let latestIssue: Int64 = 92
    /// The largest number of days between the date of an invoice and its due date.
    private static let latestDue: Int64 = 366

    /// What is wrong with the dates of a line (OB-80): Apple makes an invoice after the end of its month.
    ///
    /// The bounds find mistyped years; they do not rely on the clock to the day.
    private func faults(of invoice: StoredInvoice) -> [FieldError] {
        let months = rules.catalog.programmes.filter { $0.id == invoice.programme }
            .compactMap { rules.table(of: $0)?.month(id: invoice.month) }
        guard let month = months.last else {
            return [FieldError("/month", "\(invoice.month) is not a month of \(invoice.programme)")]
        }
        guard let issued = CalendarDate(invoice.issuedOn) else {
            return [FieldError("/issuedOn", "is not a day such as 2026-11-15")]
        }
        guard issued >= month.lastDay else {
            return [FieldError("/issuedOn", "\(issued) is before the end of \(month), \(month.lastDay)")]
        }
        let latest = max(CalendarDate(inUTC: invoice.enteredAt), month.lastDay).adding(days: Self.latestIssue)
        guard issued <= latest else {
            return [FieldError("/issuedOn", "\(issued) lies too far in the future; \(latest) is the latest day")]
        }
        if let due = invoice.dueOn.flatMap({ CalendarDate($0) }), due > issued.adding(days: Self.latestDue) {
            return [
                FieldError("/dueOn", "\(due) is more than \(Self.latestDue) days after the invoice, of \(issued)")
            ]
        }
        return []
    }

    /// Stores a line of an invoice; repeating the same line changes nothing.
    ///
    /// - Throws: ``RequestError``; ``RequestError/invalid(_:)`` at `/month`, `/issuedOn` or `/dueOn`.
    package func enter(
        _ invoice: StoredInvoice,
        in store: any LedgerStore
    ) async throws(RequestError) -> (invoice: StoredInvoice, isNew: Bool) {
        let faults = faults(of: invoice)
        guard faults.isEmpty else { throw .invalid(faults) }
        let result: Result<(StoredInvoice, Bool), RequestError>
        do {
            result = try await store.write { ledger throws(LedgerError) in
                var known: StoredInvoice?
                try ledger.eachInvoice { line throws(LedgerError) in if line.isSameLine(as: invoice) { known = line } }
                guard let known else { return .success((try ledger.insert(invoice), true)) }
                guard known.statesTheSame(as: invoice) else {
                    return .failure(
                        .conflict(
                            "\(invoice.invoiceId) is known with \(known.statement); "
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

extension InvoiceBook.Account.Line {
    fileprivate var json: JSONValue {
        func amount(_ value: Decimal?) -> JSONValue { value.map { .string(text($0)) } ?? .null }
        return [
            "currency": .string(currency), "reportedNet": amount(reportedNet),
            "estimate": amount(estimate), "unknownEstimates": .integer(Int64(unknownEstimates)),
            "invoiced": amount(billed?.commission), "difference": amount(difference),
            "surcharge": amount(billed?.surcharge), "tax": amount(billed?.tax),
            "total": amount(billed?.total),
        ]
    }
}

extension StoredInvoice {
    /// What the line states, for a message.
    fileprivate var statement: String {
        var parts = ["\(text(amount)) \(currency) of \(issuedOn)"]
        if let dueOn { parts.append("due \(dueOn)") }
        if let purchaseOrder { parts.append("purchase order \(purchaseOrder)") }
        if let surcharge { parts.append("surcharge \(text(surcharge))") }
        if let tax { parts.append("tax \(text(tax))") }
        return parts.joined(separator: ", ")
    }

    /// The members of `POST /v1/invoices`, and the time of entry.
    package var json: JSONValue {
        [
            "invoiceId": .string(invoiceId), "bundleId": .string(bundleId.rawValue),
            "programme": .string(programme), "month": .string(month),
            "issuedOn": .string(issuedOn), "dueOn": dueOn.map { .string($0) } ?? .null,
            "purchaseOrder": purchaseOrder.map { .string($0) } ?? .null,
            "currency": .string(currency), "amount": .string(text(amount)),
            "surcharge": surcharge.map { .string(text($0)) } ?? .null,
            "tax": tax.map { .string(text($0)) } ?? .null, "total": .string(text(total)),
            "by": .string(enteredBy),
            "enteredAt": .string(enteredAt.description),
        ]
    }
}
