package import ExternalPurchaseCore
import Ledger

/// Computes deadlines under a catalog of programmes and a set of settings (RR-70 to RR-73, OB-50).
package struct DeadlineRules: Sendable {
    package let catalog: ProgrammeCatalog
    let settings: DeadlineSettings
    /// The programmes configured for each app (OB-11, OB-12).
    package let appProgrammes: [BundleId: [String]]
    private let tables: [ReportingProgramme.Calendar: MonthTable]
    /// The deadlines of each programme, parallel to the catalog's programmes; nil where a programme has none.
    private let plans: [Plan?]

    private struct Plan: Sendable {
        let table: MonthTable
        let days: Int
        let confidence: ReportingProgramme.Confidence
        /// Deadlines in ms, parallel to the table's months.
        let deadlines: [Int64]
    }

    /// Creates the rules and precomputes the deadlines of every month.
    package init(
        catalog: ProgrammeCatalog = .builtIn,
        settings: DeadlineSettings = .defaults,
        appProgrammes: [BundleId: [String]] = [:]
    ) {
        self.catalog = catalog
        self.settings = settings
        self.appProgrammes = appProgrammes
        var tables: [ReportingProgramme.Calendar: MonthTable] = [:]
        for calendar in Set((catalog.programmes + [.noProgramme]).compactMap(\.calendar)) {
            tables[calendar] = MonthTable(calendar, in: settings.timeZone)
        }
        self.tables = tables
        plans = catalog.programmes.map { programme in
            guard let table = programme.calendar.flatMap({ tables[$0] }), let days = programme.deadlineDays else {
                return nil
            }
            return Plan(
                table: table,
                days: days,
                confidence: .lower(programme.confidence["calendar"], programme.confidence["deadlineDays"]),
                deadlines: table.months.map { table.deadline(of: $0, days: days).milliseconds }
            )
        }
    }

    /// A text of everything that affects deadlines, equal for equal rules on every machine.
    var fingerprint: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let programmes = catalog.programmes.indices.map { index in
            let entry = (try? encoder.encode(catalog.programmes[index])).map { String(decoding: $0, as: UTF8.self) }
            let days = catalog.spans[index].days
            let regions = catalog.spans[index].regions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            // The deadlines are included because they also depend on the machine's time zone data.
            let deadlines = plans[index]?.deadlines.map(String.init) ?? []
            let parts = [entry ?? "", "\(days.lowerBound)...\(days.upperBound)"] + regions + deadlines
            return parts.joined(separator: "|")
        }
        let apps = appProgrammes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.joined(separator: ","))" }
        let all = programmes + apps + ["\(settings.timeZone)", "\(settings.unreportedHorizon)"]
        return all.joined(separator: "\n")
    }

    /// The deadline of a token's first report (RR-70), or of a sale; nil for a sale where no programme sets one (OB-13).
    func deadline(of row: OpenRow) -> Deadline? {
        switch row {
        case .token(let token): deadline(of: token)
        case .sale(let sale): deadline(createdAt: sale.occurredAt, horizon: nil, choice: choice(row))
        }
    }

    /// The deadline of a token's first report (RR-70).
    func deadline(of token: OpenToken) -> Deadline? {
        deadline(createdAt: token.createdAt, horizon: horizon(of: token), choice: choice(.token(token)))
    }

    /// The programmes to which a token or sale can belong.
    func selection(of row: OpenRow) -> ProgrammeSelection { choice(row).selection(in: catalog) }

    /// The programme that applies: of all possible ones, the one with the earliest deadline (OB-11).
    ///
    /// Deadlines of months of different calendars come in another order each month. So that a token has one programme for
    /// its life, the deadlines of ``ObligationOrigin/decidedAt`` decide. Where that programme has ended, the one that
    /// shares most client programmes with it follows.
    ///
    /// - Parameters:
    ///   - origin: the known facts about the region, including the app's configured programmes.
    ///   - moment: the creation date of the token or line item.
    package func programme(for origin: ObligationOrigin, at moment: Timestamp) -> ReportingProgramme? {
        let possible = catalog.choice(origin, on: CalendarDate(inUTC: moment)).indices
        let decidedAt = origin.decidedAt ?? moment
        func first(of indices: [Int]) -> Int? { strictest(indices, at: decidedAt)?.programme ?? indices.first }
        let index =
            if possible.count > 1, decidedAt != moment,
                let decided = first(of: catalog.choice(origin, on: CalendarDate(inUTC: decidedAt)).indices)
            {
                successor(of: decided, among: possible) ?? first(of: possible)
            } else {
                first(of: possible)
            }
        return index.map { catalog.programmes[$0] }
    }

    /// The programme itself in a version that is among the possible ones, else the one that shares most client
    /// programmes with it; nil if none shares any.
    private func successor(of index: Int, among possible: [Int]) -> Int? {
        let (id, names) = (catalog.programmes[index].id, Set(catalog.programmes[index].clientProgrammes))
        if let same = possible.first(where: { catalog.programmes[$0].id == id }) { return same }
        let shared = possible.map { names.intersection(catalog.programmes[$0].clientProgrammes).count }
        guard let most = shared.max(), most > 0 else { return nil }
        return shared.firstIndex(of: most).map { possible[$0] }
    }

    /// The programme whose month export lists a token or line item (OB-13).
    ///
    /// It is ``ExternalPurchaseCore/ReportingProgramme/noProgramme`` where none asks for reports by month.
    func exportProgramme(for origin: ObligationOrigin, at moment: Timestamp) -> ReportingProgramme {
        programme(for: origin, at: moment).flatMap { table(of: $0) == nil ? nil : $0 } ?? .noProgramme
    }

    /// The month of a programme's calendar that contains a moment; nil for a programme without a calendar.
    func month(of moment: Timestamp, in programme: ReportingProgramme) -> ReportingMonth? {
        table(of: programme)?.month(of: moment)
    }

    /// The months of a programme's calendar; nil for a programme without one.
    package func table(of programme: ReportingProgramme) -> MonthTable? {
        programme.calendar.flatMap { tables[$0] }
    }

    // MARK: By index into the catalog, for lists

    private func horizon(of token: OpenToken) -> Deadline.Horizon {
        if let expiresAt = token.expiresAt { return Deadline.Horizon(moment: expiresAt, kind: .expiration) }
        return Deadline.Horizon(
            moment: token.createdAt + settings.unreportedHorizon,
            kind: .unreported(after: settings.unreportedHorizon)
        )
    }

    /// Of the given programmes, the one with the earliest deadline for a moment, with the index of the month.
    func strictest(_ indices: [Int], at moment: Timestamp) -> (programme: Int, month: Int, moment: Int64)? {
        var best: (programme: Int, month: Int, moment: Int64)?
        for index in indices {
            guard let plan = plans[index], let month = plan.table.index(of: moment) else { continue }
            let deadline = plan.deadlines[month]
            if best.map({ deadline < $0.moment }) ?? true { best = (index, month, deadline) }
        }
        return best
    }

    func monthDeadline(programme index: Int, month: Int) -> Deadline.MonthDeadline? {
        guard let plan = plans[index] else { return nil }
        let programme = catalog.programmes[index]
        let isExtrapolated = plan.table.months[month].isExtrapolated
        return Deadline.MonthDeadline(
            moment: Timestamp(milliseconds: plan.deadlines[month]),
            programme: programme.id,
            effectiveFrom: programme.effectiveFrom,
            month: plan.table.months[month],
            days: plan.days,
            // Months outside the fiscal calendar's table are computed by this package, so their confidence is low.
            confidence: isExtrapolated ? ReportingProgramme.Confidence(level: .assumed) : plan.confidence
        )
    }

    private func choice(_ row: OpenRow) -> ProgrammeChoice {
        switch row {
        case .token(let token):
            let origin = ObligationOrigin(
                storefront: token.storefront,
                taxCountries: token.taxCountries,
                token: .type(token.type),
                appProgrammes: appProgrammes[token.bundleId] ?? []
            )
            return catalog.choice(origin, on: CalendarDate(inUTC: token.createdAt))
        case .sale(let sale):
            let origin = ObligationOrigin(
                storefront: sale.token?.storefront,
                taxCountries: sale.taxCountry.map { [$0] } ?? [],
                token: sale.token.map { .type($0.type) } ?? .none,
                appProgrammes: appProgrammes[sale.bundleId] ?? []
            )
            return catalog.choice(origin, on: CalendarDate(inUTC: sale.occurredAt))
        }
    }

    private func deadline(createdAt: Timestamp, horizon: Deadline.Horizon?, choice: ProgrammeChoice) -> Deadline? {
        let deadline = strictest(choice.indices, at: createdAt)
        return Deadline(
            createdAt: createdAt,
            horizon: horizon,
            month: deadline.flatMap { monthDeadline(programme: $0.programme, month: $0.month) }
        )
    }
}
