package import ExternalPurchaseCore
package import Ledger

/// Builds the exports of an app for a month from its records, each of which is added once (OB-61, OB-80).
///
/// A sale or token belongs to the programme that ``DeadlineRules/exportProgramme(for:at:)`` returns for it, and to the
/// month of its creation date in that programme's calendar: to one export exactly. Every call takes constant time,
/// apart from the sorting at the end.
package struct MonthExportBuilder {
    private let bundleId: BundleId
    private let monthId: String
    private let rules: DeadlineRules
    private let developerProgrammes: Set<String>
    private let appProgrammes: [String]
    /// The only programme to export; nil exports all.
    private let only: String?
    private var groups: [String: Group] = [:]
    /// The place of each sale by its line item.
    private var places: [LineItemId: (programme: String, index: Int)] = [:]

    /// A sale and what Apple has of it.
    private struct Line {
        let row: ExportRow
        let accepted: AcceptedSale?
    }

    private struct Group {
        var lines: [Line] = []
        var tokenRows: [ExportRow] = []
        var tokens = Reconciliation.Tokens()
        var reports: Set<RequestIdentifier> = []
        var withoutSale: [Reconciliation.Difference] = []

        var isEmpty: Bool { lines.isEmpty && tokens.made == 0 && withoutSale.isEmpty }
    }

    /// What Apple has of a sale.
    package struct AcceptedSale: Hashable, Sendable {
        /// The newest accepted version of its line item.
        package let item: AcceptedItem
        package let requestIdentifier: RequestIdentifier
        package let token: ExternalPurchaseId
        /// For a buy, the net of the newest accepted item of its group (RR-21).
        package let net: MilliUnits
        /// True for a buy with a refund that changes its net and is not accepted yet.
        package let hasOpenRefund: Bool

        package init(
            item: AcceptedItem,
            in requestIdentifier: RequestIdentifier,
            on token: ExternalPurchaseId,
            net: MilliUnits,
            hasOpenRefund: Bool
        ) {
            self.item = item
            self.requestIdentifier = requestIdentifier
            self.token = token
            self.net = net
            self.hasOpenRefund = hasOpenRefund
        }
    }

    /// Creates a builder without records.
    ///
    /// - Parameters:
    ///   - month: the id of the month, which each programme takes from its own calendar.
    ///   - bundleId: the app.
    ///   - programme: the only programme to export; nil exports all.
    ///   - rules: catalog, settings and the app's programmes.
    ///   - developerProgrammes: the ids of Apple's programmes in which the developer takes part.
    package init(
        month: String,
        of bundleId: BundleId,
        programme: String? = nil,
        rules: DeadlineRules,
        developerProgrammes: Set<String>
    ) {
        self.bundleId = bundleId
        monthId = month
        only = programme
        self.rules = rules
        self.developerProgrammes = developerProgrammes
        appProgrammes = rules.appProgrammes[bundleId] ?? []
    }

    /// Adds a sale; one that belongs to no export of the month is ignored.
    ///
    /// - Parameters:
    ///   - sale: the sale.
    ///   - accepted: what Apple has of it; nil if no accepted report contains it.
    ///   - manualSubmission: the submission by hand that contains it.
    package mutating func add(
        _ sale: ExportSale,
        accepted: AcceptedSale? = nil,
        manualSubmission: ManualSubmission? = nil
    ) {
        guard let programme = programme(of: origin(of: sale), at: sale.createdAt) else { return }
        let state: ExportRow.State =
            if accepted != nil {
                .reported
            } else if manualSubmission != nil {
                .reportedByHand
            } else if sale.heldFor != nil || sale.amounts == nil {
                .held
            } else {
                sale.token == nil ? .noToken : .notReported
            }
        let row = ExportRow(
            subject: .sale(sale),
            state: state,
            channel: accepted != nil
                ? ReportingChannel(way: .api, reason: "in an accepted report")
                : programme.channel(hasToken: sale.token != nil, system: sale.system),
            programme: programme.id,
            requestIdentifier: accepted?.requestIdentifier,
            manualSubmission: manualSubmission,
            estimate: sale.estimate(
                under: programme,
                origin(of: sale),
                rules: rules,
                developerProgrammes: developerProgrammes
            )
        )
        var group = groups.removeValue(forKey: programme.id) ?? Group()
        places[sale.lineItemId] = (programme.id, group.lines.count)
        group.lines.append(Line(row: row, accepted: accepted))
        if let accepted { group.reports.insert(accepted.requestIdentifier) }
        groups[programme.id] = group
    }

    /// Whether the tax countries of the token's sales can decide its programme; false for most tokens.
    package func needsTaxCountries(_ token: ExportToken) -> Bool {
        token.storefront == nil && rules.catalog.select(origin(of: token), at: token.createdAt).isOpen
    }

    /// Adds a token created in the month; one that belongs to no export of the month is ignored.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - reports: its accepted reports, in order of acceptance.
    ///   - hasSales: whether a sale is on the token.
    ///   - manualSubmission: the submission by hand that contains it.
    package mutating func add(
        _ token: ExportToken,
        reports: [(id: RequestIdentifier, status: ReportStatus)],
        hasSales: Bool,
        manualSubmission: ManualSubmission? = nil
    ) {
        guard let programme = programme(of: origin(of: token), at: token.createdAt) else { return }
        var group = groups.removeValue(forKey: programme.id) ?? Group()
        defer { groups[programme.id] = group }
        group.tokens.made += 1
        group.reports.formUnion(reports.lazy.map(\.id))
        if let newest = reports.last {
            group.tokens.reported[newest.status, default: 0] += 1
        } else if manualSubmission != nil {
            group.tokens.reportedByHand += 1
        } else {
            group.tokens.notReported += 1
        }
        let channel = programme.channel(hasToken: true, system: token.system)
        guard !hasSales, reports.isEmpty, channel.way == .manual else { return }
        group.tokenRows.append(
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

    /// Counts an accepted report that contains the line item of an added sale.
    ///
    /// - Returns: false if no added sale has the line item.
    package mutating func add(report: RequestIdentifier, with item: LineItemId) -> Bool {
        guard let place = places[item] else { return false }
        groups[place.programme]?.reports.insert(report)
        return true
    }

    /// Adds an accepted line item of which no sale is recorded.
    ///
    /// - Parameters:
    ///   - item: its newest version.
    ///   - report: the report with that version.
    ///   - token: the token of the report; nil if it is unknown.
    package mutating func add(
        withoutSale item: AcceptedItem,
        in report: RequestIdentifier,
        on token: ExportToken?
    ) {
        var origin = token.map { self.origin(of: $0) } ?? ObligationOrigin(token: .none, appProgrammes: appProgrammes)
        origin.decidedAt = token?.createdAt
        guard !item.isRetracted, let programme = programme(of: origin, at: item.createdAt) else { return }
        groups[programme.id, default: Group()].withoutSale.append(
            Reconciliation.Difference(
                kind: .withoutSale,
                name: item.id.rawValue,
                message: "in report \(report.text), no sale is recorded"
            )
        )
    }

    /// Returns the exports in the order of the catalog, the one without a programme last.
    ///
    /// - Parameter programmes: the programmes whose export is returned even if it is empty.
    package func exports(including programmes: [String] = []) -> [MonthExport] {
        var ids = groups.filter { !$0.value.isEmpty }.map(\.key) + programmes
        let order = (rules.catalog.programmes.map(\.id) + [ReportingProgramme.noProgramme.id]).uniqued()
        ids = order.filter(Set(ids).contains)
        return ids.compactMap { id in
            rules.programme(id, ofMonth: monthId).map { export(groups[id] ?? Group(), $0.programme, $0.month) }
        }
    }

    private func export(_ group: Group, _ programme: ReportingProgramme, _ month: ReportingMonth) -> MonthExport {
        let lines = group.lines.sorted { $0.row.isBefore($1.row) }
        let sales = lines.map(\.row)
        let rows = group.tokenRows.isEmpty ? sales : (sales + group.tokenRows).sorted { $0.isBefore($1) }
        var nets: [LineItemId: MilliUnits] = [:]
        for line in lines {
            if let accepted = line.accepted, !accepted.item.isRefund { nets[accepted.item.id] = accepted.net }
        }
        let zone = rules.settings.timeZone
        let byDay = Dictionary(grouping: sales) { zone.day(of: $0.createdAt) }
        let reconciliation = Reconciliation(
            sales: Reconciliation.Sales(sales, acceptedNets: nets),
            days: byDay.keys.sorted().map { day in
                Reconciliation.Day(day: day, sales: Reconciliation.Sales(byDay[day] ?? [], acceptedNets: nets))
            },
            tokens: group.tokens,
            reports: group.reports.count,
            deadline: programme.deadlineDays.flatMap { days in
                rules.table(of: programme)?.deadline(of: month, days: days)
            },
            payment: programme.expectedPayment(after: month),
            differences: lines.flatMap { $0.row.differences(to: $0.accepted) }
                + group.withoutSale.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        )
        return MonthExport(
            bundleId: bundleId,
            programme: programme,
            month: month,
            rows: rows,
            reconciliation: reconciliation
        )
    }

    /// The programme in whose export of this month a record stands; nil if that is not part of this.
    private func programme(of origin: ObligationOrigin, at moment: Timestamp) -> ReportingProgramme? {
        let programme = rules.exportProgramme(for: origin, at: moment)
        guard only.map({ $0 == programme.id }) ?? true, rules.month(of: moment, in: programme)?.id == monthId else {
            return nil
        }
        return programme
    }

    private func origin(of sale: ExportSale) -> ObligationOrigin {
        ObligationOrigin(
            storefront: sale.storefront,
            taxCountries: sale.taxCountry.map { [$0] } ?? [],
            token: sale.tokenKind,
            appProgrammes: appProgrammes,
            decidedAt: sale.tokenCreatedAt ?? sale.boughtAt
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

extension DeadlineRules {
    /// The version of a programme that is in force at the end of a month, with its month of that name.
    ///
    /// A later version may have another calendar, so each version uses its own month.
    func programme(_ id: String, ofMonth month: String) -> (programme: ReportingProgramme, month: ReportingMonth)? {
        let months = (catalog.programmes + [.noProgramme]).filter { $0.id == id }.compactMap { version in
            table(of: version)?.month(id: month).map { (programme: version, month: $0) }
        }
        return months.last { $0.programme.effectiveFrom <= $0.month.lastDay.description } ?? months.first
    }
}

extension ExportRow {
    fileprivate func isBefore(_ other: ExportRow) -> Bool {
        createdAt == other.createdAt
            ? name.utf8.lexicographicallyPrecedes(other.name.utf8) : createdAt < other.createdAt
    }

    /// The differences between a sale and what Apple has of it.
    fileprivate func differences(to version: MonthExportBuilder.AcceptedSale?) -> [Reconciliation.Difference] {
        guard let sale, let version else { return [] }
        var result: [Reconciliation.Difference] = []
        func add(_ kind: Reconciliation.Difference.Kind, _ message: String) {
            result.append(Reconciliation.Difference(kind: kind, name: sale.saleId, message: message))
        }
        let report = version.requestIdentifier.text
        if let manualSubmission {
            add(
                .reportedTwice,
                "in report \(report) and submitted by hand at \(manualSubmission.at) as \(manualSubmission.reference)"
            )
        }
        if version.item.isRetracted {
            add(.retracted, "report \(report) says that it never happened")
            return result
        }
        if let token = sale.token, token != version.token {
            add(.tokenDiffers, "reported on \(version.token), planned on \(token)")
        }
        guard let amounts = sale.amounts else { return result }
        let item = version.item
        if item.taxExclusive != amounts.taxExclusive || item.currency != amounts.reportingCurrency {
            add(
                .amountDiffers,
                "reported \(item.taxExclusive.unitsText(in: item.currency)) \(item.currency), recorded "
                    + "\(amounts.taxExclusive.unitsText(in: amounts.reportingCurrency)) \(amounts.reportingCurrency)"
            )
        } else if !sale.isRefund, !version.hasOpenRefund, version.net != amounts.netTaxExclusive {
            add(
                .netDiffers,
                "reported net \(version.net.unitsText(in: item.currency)), recorded net "
                    + amounts.netTaxExclusive.unitsText(in: item.currency)
            )
        }
        return result
    }
}
