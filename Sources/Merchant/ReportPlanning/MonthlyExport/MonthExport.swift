package import ExternalPurchaseCore
import Ledger

/// The sales and tokens that one app must report under one programme for one month, with a reconciliation.
///
/// The rules are OB-61 and OB-80.
package struct MonthExport: Hashable, Sendable {
    package let bundleId: BundleId
    package let programme: ReportingProgramme
    package let month: ReportingMonth
    /// Sales of the month in any state, and tokens without sales for the manual export; by date.
    package let rows: [ExportRow]
    package let reconciliation: Reconciliation

    /// The lines that a person must still submit by hand (OB-61, OB-62).
    package var rowsToManualSubmission: [ExportRow] { rows.filter(\.isToManualSubmission) }

    /// The ids of the sales among these lines.
    package var salesToManualSubmission: [String] { rowsToManualSubmission.compactMap { $0.sale?.saleId } }

    /// Creates the export of a month.
    ///
    /// A sale or token belongs to the programme that ``DeadlineRules/programme(for:at:)`` returns for it, and to the
    /// month of its creation date.
    ///
    /// - Parameters:
    ///   - month: the month's id, such as `2026-10`; under Apple's calendar the fiscal month of that name.
    ///   - programme: the id of the programme.
    ///   - input: the ledger's records of the app.
    ///   - rules: catalog, settings and the app's programmes.
    /// - Throws: ``ExportRefusal`` for an unknown programme or month, or a programme without a calendar.
    package init(
        month id: String,
        programme programmeId: String,
        from input: ExportInput,
        rules: DeadlineRules
    ) throws(ExportRefusal) {
        let versions = rules.catalog.programmes.filter { $0.id == programmeId }
        guard !versions.isEmpty else {
            let meant = rules.catalog.programmes.map(\.id).suggestion(for: programmeId)
            throw ExportRefusal(message: "no programme \"\(programmeId)\"" + meant)
        }
        guard versions.contains(where: { rules.table(of: $0) != nil }) else {
            throw ExportRefusal(message: "\(programmeId) asks for no reports by month")
        }
        // A later version may have another calendar, so each version uses its own month of that name.
        let months = versions.compactMap { version in
            rules.table(of: version)?.month(id: id).map { (programme: version, month: $0) }
        }
        guard let first = months.first else {
            throw ExportRefusal(message: "no month \"\(id)\"; a month such as \"2026-10\" would be right")
        }
        let (programme, month) = months.last { $0.programme.effectiveFrom <= $0.month.lastDay.description } ?? first
        let builder = ExportBuilder(input: input, rules: rules, programme: programmeId, month: id)
        rows = builder.rows()
        bundleId = input.bundleId
        self.programme = programme
        self.month = month
        let deadline = programme.deadlineDays.flatMap { days in
            rules.table(of: programme)?.deadline(of: month, days: days)
        }
        reconciliation = builder.reconciliation(rows, deadline: deadline, programme: programme, month: month)
    }

    /// Returns the rows as comma-separated values, see ``CSVText``.
    ///
    /// - Parameters:
    ///   - layout: columns and headers.
    ///   - rows: the rows; nil means all.
    ///   - byteOrderMark: writes U+FEFF first, which some spreadsheets need to detect UTF-8.
    package func csv(
        layout: ExportLayout = .standard,
        rows: [ExportRow]? = nil,
        byteOrderMark: Bool = false
    ) -> String {
        let text = CSVText.document(
            header: layout.columns.map(\.header),
            rows: (rows ?? self.rows).map { row in layout.columns.map { row.cell($0.column) } }
        )
        return (byteOrderMark ? "\u{FEFF}" : "") + text
    }
}

/// Selects the records of a month and joins them.
private struct ExportBuilder {
    private struct Accepted {
        let item: ExportReport.Item
        let report: ExportReport
    }

    let input: ExportInput
    let rules: DeadlineRules
    let programmeId: String
    let monthId: String
    /// The newest accepted version of every line item.
    private var accepted: [LineItemId: Accepted] = [:]
    /// For each buy, the net of the newest accepted item of its group (RR-21).
    private var acceptedNets: [LineItemId: MilliUnits] = [:]
    /// For each token, its newest accepted report.
    private var tokenReports: [ExternalPurchaseId: ExportReport] = [:]
    private let appProgrammes: [String]

    init(input: ExportInput, rules: DeadlineRules, programme: String, month: String) {
        self.input = input
        self.rules = rules
        programmeId = programme
        monthId = month
        appProgrammes = rules.appProgrammes[input.bundleId] ?? []
        for report in input.reports {
            tokenReports[report.token] = report
            for item in report.items {
                accepted[item.id] = Accepted(item: item, report: report)
                // An event of a subscription references its start, but has its own net group (RR-23).
                let buy = item.isRefund ? item.reference ?? item.id : item.id
                acceptedNets[buy] = item.net
            }
        }
    }

    func rows() -> [ExportRow] {
        var rows: [ExportRow] = []
        var tokensWithSales: Set<ExternalPurchaseId> = []
        for sale in input.sales {
            if let token = sale.token { tokensWithSales.insert(token) }
            if let programme = programme(of: origin(of: sale), at: sale.createdAt) {
                rows.append(row(sale, programme))
            }
        }
        for token in tokensOfMonth() where !tokensWithSales.contains(token.id) && tokenReports[token.id] == nil {
            guard let programme = programme(of: origin(of: token), at: token.createdAt) else { continue }
            let channel = programme.channel(hasToken: true, system: token.system)
            guard channel.way == .manual else { continue }
            let manualSubmission = input.handedInTokens[token.id]
            rows.append(
                ExportRow(
                    subject: .token(token),
                    state: manualSubmission == nil ? .notReported : .reportedByHand,
                    channel: channel,
                    programme: programme.id,
                    requestIdentifier: nil,
                    manualSubmission: manualSubmission,
                    estimate: nil
                )
            )
        }
        return rows.sorted { left, right in
            left.createdAt == right.createdAt
                ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8) : left.createdAt < right.createdAt
        }
    }

    private func row(_ sale: ExportSale, _ programme: ReportingProgramme) -> ExportRow {
        let manualSubmission = input.handedInSales[sale.saleId]
        let isReported = accepted[sale.lineItemId] != nil
        let state: ExportRow.State =
            if isReported {
                .reported
            } else if manualSubmission != nil {
                .reportedByHand
            } else if sale.heldFor != nil || sale.amounts == nil {
                .held
            } else {
                sale.token == nil ? .noToken : .notReported
            }
        return ExportRow(
            subject: .sale(sale),
            state: state,
            channel: isReported
                ? ReportingChannel(way: .api, reason: "in an accepted report")
                : programme.channel(hasToken: sale.token != nil, system: sale.system),
            programme: programme.id,
            requestIdentifier: accepted[sale.lineItemId]?.report.requestIdentifier,
            manualSubmission: manualSubmission,
            estimate: estimate(sale, programme)
        )
    }

    private func estimate(_ sale: ExportSale, _ programme: ReportingProgramme) -> CommissionEstimate? {
        guard let amounts = sale.amounts else { return nil }
        let tax: MilliUnits
        if amounts.taxExclusive.value == 0 {
            tax = MilliUnits(0)
        } else {
            // The tax on the remainder, in the buy's proportion of tax.
            let share = MilliUnits.share(of: amounts.tax, amounts.netTaxExclusive, amounts.taxExclusive)
            tax = share ?? amounts.tax
        }
        let subject = EstimateSubject(
            id: sale.lineItemId,
            kind: sale.estimate.kind,
            createdAt: sale.createdAt,
            flow: sale.estimate.flow,
            netTaxExclusive: amounts.netTaxExclusive,
            netTax: tax,
            currency: amounts.reportingCurrency,
            daysOfPaidService: sale.estimate.daysOfPaidService,
            system: sale.system,
            hasToken: sale.token != nil,
            events: sale.estimate.events
        )
        return programme.estimate(subject, developerProgrammes: input.developerProgrammes)
    }

    func reconciliation(
        _ rows: [ExportRow],
        deadline: Timestamp?,
        programme: ReportingProgramme,
        month: ReportingMonth
    ) -> Reconciliation {
        let zone = rules.settings.timeZone
        let byDay = Dictionary(grouping: rows.filter { $0.sale != nil }) { zone.day(of: $0.createdAt) }
        let tokens = tokensOfMonth()
        var tokenCounts = Reconciliation.Tokens()
        for token in tokens {
            tokenCounts.made += 1
            if let report = tokenReports[token.id] {
                tokenCounts.reported[report.status, default: 0] += 1
            } else if input.handedInTokens[token.id] != nil {
                tokenCounts.reportedByHand += 1
            } else {
                tokenCounts.notReported += 1
            }
        }
        let items = Set(rows.compactMap { $0.sale?.lineItemId })
        let ids = Set(tokens.map(\.id))
        let reports = input.reports.count { report in
            ids.contains(report.token) || report.items.contains { items.contains($0.id) }
        }
        return Reconciliation(
            sales: Reconciliation.Sales(rows, acceptedNets: acceptedNets),
            days: byDay.keys.sorted().map { day in
                let sales = Reconciliation.Sales(byDay[day] ?? [], acceptedNets: acceptedNets)
                return Reconciliation.Day(day: day, sales: sales)
            },
            tokens: tokenCounts,
            reports: reports,
            deadline: deadline,
            payment: programme.expectedPayment(after: month),
            differences: differences(rows) + withoutSale()
        )
    }

    private func differences(_ rows: [ExportRow]) -> [Reconciliation.Difference] {
        var result: [Reconciliation.Difference] = []
        var openRefunds: Set<LineItemId> = []
        // A refund without amounts does not reduce its buy.
        for sale in input.sales where sale.isRefund && sale.amounts != nil && accepted[sale.lineItemId] == nil {
            if let buy = sale.reference { openRefunds.insert(buy) }
        }
        for row in rows {
            guard let sale = row.sale else { continue }
            func add(_ kind: Reconciliation.Difference.Kind, _ message: String) {
                result.append(Reconciliation.Difference(kind: kind, name: sale.saleId, message: message))
            }
            guard let version = accepted[sale.lineItemId] else { continue }
            let report = version.report.requestIdentifier.text
            if let manualSubmission = row.manualSubmission {
                add(
                    .reportedTwice,
                    "in report \(report) and submitted by hand at \(manualSubmission.at) as \(manualSubmission.reference)"
                )
            }
            if version.item.isRetracted {
                add(.retracted, "report \(report) says that it never happened")
                continue
            }
            if let token = sale.token, token != version.report.token {
                add(.tokenDiffers, "reported on \(version.report.token), planned on \(token)")
            }
            guard let amounts = sale.amounts else { continue }
            let item = version.item
            if item.taxExclusive != amounts.taxExclusive || item.currency != amounts.reportingCurrency {
                add(
                    .amountDiffers,
                    "reported \(item.taxExclusive.unitsText) \(item.currency), recorded "
                        + "\(amounts.taxExclusive.unitsText) \(amounts.reportingCurrency)"
                )
            } else if !sale.isRefund, !openRefunds.contains(sale.lineItemId),
                let net = acceptedNets[sale.lineItemId], net != amounts.netTaxExclusive
            {
                add(.netDiffers, "reported net \(net.unitsText), recorded net \(amounts.netTaxExclusive.unitsText)")
            }
        }
        return result
    }

    /// Accepted line items of the month without a sale.
    private func withoutSale() -> [Reconciliation.Difference] {
        let known = Set(input.sales.map(\.lineItemId))
        let tokens = Dictionary(input.tokens.map { ($0.id, $0) }) { first, _ in first }
        var result: [Reconciliation.Difference] = []
        for (id, version) in accepted.sorted(by: { $0.key < $1.key })
        where !known.contains(id) && !version.item.isRetracted {
            let origin = tokens[version.report.token].map { self.origin(of: $0) } ?? ObligationOrigin(token: .none)
            guard programme(of: origin, at: version.item.createdAt) != nil else { continue }
            result.append(
                Reconciliation.Difference(
                    kind: .withoutSale,
                    name: id.rawValue,
                    message: "in report \(version.report.requestIdentifier.text), no sale is recorded"
                )
            )
        }
        return result
    }

    private func tokensOfMonth() -> [ExportToken] {
        input.tokens.filter { programme(of: origin(of: $0), at: $0.createdAt) != nil }
    }

    /// The version of the export's programme that applies; nil if the record does not belong to the export.
    private func programme(of origin: ObligationOrigin, at moment: Timestamp) -> ReportingProgramme? {
        guard let programme = rules.programme(for: origin, at: moment), programme.id == programmeId,
            rules.month(of: moment, in: programme)?.id == monthId
        else { return nil }
        return programme
    }

    private func origin(of sale: ExportSale) -> ObligationOrigin {
        ObligationOrigin(
            storefront: sale.storefront,
            taxCountries: sale.taxCountry.map { [$0] } ?? [],
            token: sale.tokenKind,
            appProgrammes: appProgrammes
        )
    }

    private func origin(of token: ExportToken) -> ObligationOrigin {
        ObligationOrigin(
            storefront: token.storefront,
            taxCountries: token.taxCountries,
            token: .type(token.type),
            appProgrammes: appProgrammes
        )
    }
}

extension MonthExport {
    /// The expected commission of every sale as text, by sale id; sales without an estimate are marked so (OB-73).
    package var estimates: [String: String] {
        var result: [String: String] = [:]
        for row in rows {
            guard let sale = row.sale else { continue }
            let amount = row.estimate?.amount.map { "\($0) \(sale.amounts?.reportingCurrency ?? "")" }
            result[sale.saleId] = "\(amount ?? "no estimate") under \(row.programme)"
        }
        return result
    }
}
