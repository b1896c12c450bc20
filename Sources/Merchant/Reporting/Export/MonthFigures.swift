package import ExternalPurchaseCore

/// The figures of the present and the previous month of each app and programme.
///
/// Computing them takes time in proportion to the records of the months, so they are reused for at least 10 seconds, and for
/// up to 20 times as long as computing took. A shutdown ends the computation.
package actor MonthFigures {
    /// The figures of an app and a programme.
    package struct Programme: Sendable {
        package let bundleId: BundleId
        package let title: String
        /// The previous month and the present one; a month in which the programme was not in force is left out.
        package let months: [Month]

        package init(bundleId: BundleId, title: String, months: [Month]) {
            self.bundleId = bundleId
            self.title = title
            self.months = months
        }
    }

    /// The figures of one month.
    package struct Month: Sendable {
        package let month: ReportingMonth
        package let programme: String
        package let reconciliation: Reconciliation

        package init(month: ReportingMonth, programme: String, reconciliation: Reconciliation) {
            self.month = month
            self.programme = programme
            self.reconciliation = reconciliation
        }
    }

    private struct Computed {
        let programmes: [Programme]
        let at: ContinuousClock.Instant
        let took: Duration
        let now: Timestamp
    }

    private let system: ReportingSystem
    private var computed: [AppStoreEnvironment: Computed] = [:]
    private var failures: [AppStoreEnvironment: RequestError] = [:]
    private var running: Set<AppStoreEnvironment> = []
    private static let keep = Duration.seconds(10)

    package init(system: ReportingSystem) {
        self.system = system
    }

    /// Returns the figures of an environment; programmes without a sale or token in both months are left out.
    ///
    /// - Parameters:
    ///   - environment: the environment.
    ///   - patience: how long the caller waits for figures that are being computed.
    /// - Returns: the figures, older ones while new ones are being computed, or nil while there are none.
    package func programmes(
        in environment: AppStoreEnvironment,
        patience: Duration = .milliseconds(500)
    ) async throws(RequestError) -> [Programme]? {
        let (now, begin) = (system.now, ContinuousClock.now)
        if let last = computed[environment], last.at.duration(to: .now) < max(Self.keep, last.took * 20),
            abs(last.now.milliseconds - now.milliseconds) < 3_600_000
        {
            return last.programmes
        }
        if running.insert(environment).inserted {
            failures[environment] = nil
            // Others wait for the figures too, so they are computed although the first client has gone.
            Task { await ClientPresence.$current.withValue(nil) { await refresh(environment, at: now) } }
        }
        // Older figures are at hand: new ones of a small ledger come at once, those of a large one not.
        let patience = computed[environment] == nil ? patience : min(patience, .milliseconds(100))
        while running.contains(environment), begin.duration(to: .now) < patience {
            do {
                try await Task.sleep(for: .milliseconds(10))
            } catch {
                break
            }
        }
        if let failure = failures[environment] { throw failure }
        return computed[environment]?.programmes
    }

    private func refresh(_ environment: AppStoreEnvironment, at now: Timestamp) async {
        let begin = ContinuousClock.now
        do throws(RequestError) {
            let programmes = try await compute(in: environment, at: now)
            let took = begin.duration(to: .now)
            computed[environment] = Computed(programmes: programmes, at: .now, took: took, now: now)
        } catch {
            failures[environment] = error
        }
        running.remove(environment)
    }

    private func compute(
        in environment: AppStoreEnvironment,
        at now: Timestamp
    ) async throws(RequestError) -> [Programme] {
        var found: [Programme] = []
        for app in system.apps.keys.sorted() {
            var months: [String: [Month]] = [:]
            let spans = spans(of: app, at: now)
            // Every calendar has its own months; each name is read once, for all programmes.
            for name in Set(spans.flatMap(\.months)).sorted() {
                let programmes = spans.filter { $0.months.contains(name) }.map(\.programme)
                let exports = try await system.exports.all(
                    of: app,
                    month: name,
                    including: programmes,
                    environment: environment
                )
                for export in exports {
                    let month = Month(
                        month: export.month,
                        programme: export.programme.id,
                        reconciliation: export.reconciliation
                    )
                    let isShown =
                        programmes.contains(month.programme) || !spans.contains { $0.programme == month.programme }
                    if isShown { months[month.programme, default: []].append(month) }
                }
            }
            let catalog = system.due.rules.catalog.programmes + [.noProgramme]
            for programme in catalog.map(\.id) {
                guard let months = months.removeValue(forKey: programme),
                    months.contains(where: { $0.reconciliation.isInUse }),
                    let title = version(of: programme, at: now)?.title
                else { continue }
                found.append(Programme(bundleId: app, title: title, months: months))
            }
        }
        return found
    }

    /// The names of the previous and the present month of each programme of an app.
    private func spans(of app: BundleId, at now: Timestamp) -> [(programme: String, months: [String])] {
        let rules = system.due.rules
        let configured = Set(rules.appProgrammes[app] ?? [])
        var spans: [(programme: String, months: [String])] = []
        for programme in rules.catalog.programmes + [.noProgramme]
        where !spans.contains(where: { $0.programme == programme.id }) {
            let isOfApp =
                configured.isEmpty || programme == .noProgramme || configured.contains(programme.id)
                || !configured.isDisjoint(with: programme.clientProgrammes)
            // A later version of a programme may have another calendar; the one in force names the months.
            guard isOfApp, let table = version(of: programme.id, at: now).flatMap(rules.table),
                let index = table.index(of: now)
            else { continue }
            let months = [index - 1, index].filter(table.months.indices.contains).map { table.months[$0].id }
            spans.append((programme.id, months))
        }
        return spans
    }

    private func version(of programme: String, at now: Timestamp) -> ReportingProgramme? {
        let versions = (system.due.rules.catalog.programmes + [.noProgramme]).filter { $0.id == programme }
        let day = CalendarDate(inUTC: now).description
        return versions.last { $0.effectiveFrom <= day } ?? versions.first
    }
}

extension Reconciliation {
    /// False for a month without sales and tokens.
    fileprivate var isInUse: Bool { tokens.made > 0 || sales.count.values.contains { $0 > 0 } }
}
