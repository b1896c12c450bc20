import ExternalPurchaseCore
import Ledger

/// Builds the exports of an app for a month from its records, each of which is added once (OB-61, OB-80).
///
/// A sale or token belongs to the programme that ``DeadlineRules/exportProgramme(for:at:)`` returns for it, and to the
/// month of its creation date in that programme's calendar: to one export exactly. Every call takes constant time.
///
/// The rows are handed on with ``takeRows()``. What stays in memory is the sums of each day; of each sale a key of 16
/// bytes with the number of its programme, and of each accepted report its 16 bytes, by which the reports are counted;
/// and the differences. That is less than 100 bytes a sale.
struct MonthExportBuilder {
    private let bundleId: BundleId
    private let monthId: String
    private let rules: DeadlineRules
    private let developerProgrammes: Set<String>
    private let dayUnit: DayCount.Unit
    private let appProgrammes: [String]
    /// The only programme to export; nil exports all.
    private let only: String?
    private var groups: [String: Group] = [:]
    /// The programmes by their number.
    private var programmes: [String] = []
    /// The number of the programme of each sale, by its line item.
    private var places: [ItemKey: UInt8] = [:]
    /// The rows made since they were last taken.
    private var rows: [ExportRow] = []

    /// A line item's id in 16 bytes.
    ///
    /// Both halves are keyed by the process, so that nobody can choose ids that coincide.
    private struct ItemKey: Hashable {
        let halves: (Int, Int)

        init(_ id: LineItemId) {
            func half(_ number: UInt8) -> Int {
                var hasher = Hasher()
                hasher.combine(number)
                hasher.combine(id)
                return hasher.finalize()
            }
            halves = (half(0), half(1))
        }

        static func == (left: Self, right: Self) -> Bool { left.halves == right.halves }

        func hash(into hasher: inout Hasher) { hasher.combine(halves.0) }
    }

    /// A difference and the date of its sale, by which differences are sorted.
    private struct DatedDifference {
        let createdAt: Timestamp
        let difference: Reconciliation.Difference
    }

    private struct Group {
        var rowCount = 0
        var manualRowCount = 0
        var sales = Reconciliation.Sales()
        var days: [CalendarDate: Reconciliation.Sales] = [:]
        var tokens = Reconciliation.Tokens()
        var reports: Set<UUID> = []
        var differences: [DatedDifference] = []
        var withoutSale: [Reconciliation.Difference] = []

        var isEmpty: Bool { rowCount == 0 && tokens.made == 0 && withoutSale.isEmpty }

        mutating func count(_ row: ExportRow) {
            rowCount += 1
            if row.isToManualSubmission { manualRowCount += 1 }
        }

        mutating func count(_ report: RequestIdentifier) {
            if let id = UUID(uuidString: report.text) { reports.insert(id) }
        }
    }

    /// What Apple has of a sale.
    struct AcceptedSale: Hashable, Sendable {
        /// The newest accepted version of its line item.
        let item: AcceptedItem
        let requestIdentifier: RequestIdentifier
        let token: ExternalPurchaseId
        /// For a buy, the net of the newest accepted item of its group (RR-21).
        let net: MilliUnits
        /// True for a buy with a refund that changes its net and is not accepted yet.
        let hasOpenRefund: Bool

        init(
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
    ///   - dayUnit: the unit of the days of commission windows.
    init(
        month: String,
        of bundleId: BundleId,
        programme: String? = nil,
        rules: DeadlineRules,
        developerProgrammes: Set<String>,
        dayUnit: DayCount.Unit = .calendarDays
    ) {
        self.bundleId = bundleId
        monthId = month
        only = programme
        self.rules = rules
        self.developerProgrammes = developerProgrammes
        self.dayUnit = dayUnit
        appProgrammes = rules.appProgrammes[bundleId] ?? []
    }

    /// Adds a sale; one that belongs to no export of the month is ignored.
    ///
    /// - Parameters:
    ///   - sale: the sale.
    ///   - buy: what a refund takes back, if that is recorded; nil for other sales.
    ///   - accepted: what Apple has of it; nil if no accepted report contains it.
    ///   - manualSubmission: the submission by hand that contains it.
    mutating func add(
        _ sale: ExportSale,
        takingBack buy: ExportSale? = nil,
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
                developerProgrammes: developerProgrammes,
                dayUnit: dayUnit
            )
        )
        var group = groups.removeValue(forKey: programme.id) ?? Group()
        defer { groups[programme.id] = group }
        places[ItemKey(sale.lineItemId)] = number(of: programme.id)
        rows.append(row)
        group.count(row)
        let zone = rules.settings.timeZone
        let day = zone.day(of: sale.createdAt)
        let net = accepted.flatMap { $0.item.isRefund ? nil : $0.net }
        let boughtOn = buy.flatMap { buy in
            self.programme(of: origin(of: buy), at: buy.createdAt)?.id == programme.id
                ? zone.day(of: buy.createdAt) : nil
        }
        group.sales.add(row, net: net, takesBackOther: boughtOn == nil)
        group.days[day, default: Reconciliation.Sales()].add(row, net: net, takesBackOther: boughtOn != day)
        if let accepted { group.count(accepted.requestIdentifier) }
        group.differences += row.differences(to: accepted).map {
            DatedDifference(createdAt: sale.createdAt, difference: $0)
        }
    }

    /// Returns the rows made since the last call, in the order in which their records were added.
    mutating func takeRows() -> [ExportRow] {
        defer { rows = [] }
        return rows
    }

    /// The number of a programme; there are as many as the catalog has, which is far below 256.
    private mutating func number(of programme: String) -> UInt8 {
        if let known = programmes.firstIndex(of: programme) { return UInt8(clamping: known) }
        programmes.append(programme)
        return UInt8(clamping: programmes.count - 1)
    }

    /// Whether the tax countries of the token's sales can decide its programme; false for most tokens.
    func needsTaxCountries(_ token: ExportToken) -> Bool {
        token.storefront == nil && rules.catalog.select(origin(of: token), at: token.createdAt).isOpen
    }

    /// Adds a token created in the month; one that belongs to no export of the month is ignored.
    ///
    /// - Parameters:
    ///   - token: the token.
    ///   - reports: its accepted reports, in order of acceptance.
    ///   - hasSales: whether a sale is on the token.
    ///   - manualSubmission: the submission by hand that contains it.
    mutating func add(
        _ token: ExportToken,
        reports: [(id: RequestIdentifier, status: ReportStatus)],
        hasSales: Bool,
        manualSubmission: ManualSubmission? = nil
    ) {
        guard let programme = programme(of: origin(of: token), at: token.createdAt) else { return }
        var group = groups.removeValue(forKey: programme.id) ?? Group()
        defer { groups[programme.id] = group }
        group.tokens.made += 1
        for report in reports { group.count(report.id) }
        if let newest = reports.last {
            group.tokens.reported[newest.status, default: 0] += 1
        } else if manualSubmission != nil {
            group.tokens.reportedByHand += 1
        } else {
            group.tokens.notReported += 1
        }
        let channel = programme.channel(hasToken: true, system: token.system)
        guard !hasSales, reports.isEmpty, channel.way == .manual else { return }
        let row = ExportRow(
            subject: .token(token),
            state: manualSubmission == nil ? .notReported : .reportedByHand,
            channel: channel,
            programme: programme.id,
            requestIdentifier: nil,
            manualSubmission: manualSubmission,
            estimate: nil
        )
        rows.append(row)
        group.count(row)
    }

    /// Counts an accepted report that contains the line item of an added sale.
    ///
    /// - Returns: false if no added sale has the line item.
    mutating func add(report: RequestIdentifier, with item: LineItemId) -> Bool {
        guard let place = places[ItemKey(item)].map(Int.init), programmes.indices.contains(place) else { return false }
        groups[programmes[place]]?.count(report)
        return true
    }

    /// Adds an accepted line item of which no sale is recorded.
    ///
    /// - Parameters:
    ///   - item: its newest version.
    ///   - report: the report with that version.
    ///   - token: the token of the report; nil if it is unknown.
    mutating func add(
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
    func exports(including programmes: [String] = []) -> [MonthExport] {
        var ids = groups.filter { !$0.value.isEmpty }.map(\.key) + programmes
        let order = (rules.catalog.programmes.map(\.id) + [ReportingProgramme.noProgramme.id]).uniqued()
        ids = order.filter(Set(ids).contains)
        return ids.compactMap { id in
            rules.programme(id, ofMonth: monthId).map { export(groups[id] ?? Group(), $0.programme, $0.month) }
        }
    }

    private func export(_ group: Group, _ programme: ReportingProgramme, _ month: ReportingMonth) -> MonthExport {
        let differences = group.differences.enumerated().sorted { first, second in
            let (left, right) = (first.element, second.element)
            if left.createdAt != right.createdAt { return left.createdAt < right.createdAt }
            let (name, other) = (left.difference.name.utf8, right.difference.name.utf8)
            return name.elementsEqual(other) ? first.offset < second.offset : name.lexicographicallyPrecedes(other)
        }
        return MonthExport(
            bundleId: bundleId,
            programme: programme,
            month: month,
            rowCount: group.rowCount,
            manualRowCount: group.manualRowCount,
            reconciliation: Reconciliation(
                sales: group.sales,
                days: group.days.sorted { $0.key < $1.key }.map { Reconciliation.Day(day: $0.key, sales: $0.value) },
                tokens: group.tokens,
                reports: group.reports.count,
                deadline: programme.deadlineDays.flatMap { days in
                    rules.table(of: programme)?.deadline(of: month, days: days)
                },
                payment: programme.expectedPayment(after: month),
                differences: differences.map(\.element.difference)
                    + group.withoutSale.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            )
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
