package import ExternalPurchaseCore
import Ledger
package import ReportPlanning

/// The figures of the present and the previous month of each app and programme.
///
/// Computing them takes time in proportion to the sales of the months, so they are reused for at least 10 seconds, and for up
/// to 20 times as long as computing took.
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
        patience: Duration = .seconds(2)
    ) async throws(RequestError) -> [Programme]? {
        let (now, begin) = (system.now, ContinuousClock.now)
        if let last = computed[environment], last.at.duration(to: .now) < max(Self.keep, last.took * 20),
            abs(last.now.milliseconds - now.milliseconds) < 3_600_000
        {
            return last.programmes
        }
        if running.insert(environment).inserted {
            failures[environment] = nil
            Task { await refresh(environment, at: now) }
        }
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
        let rules = system.due.rules
        var found: [Programme] = []
        for app in system.apps.keys.sorted() {
            // A later version of a programme may have another calendar; the one in force names the months.
            let configured = Set(rules.appProgrammes[app] ?? [])
            var ids: [String] = []
            for programme in rules.catalog.programmes where !ids.contains(programme.id) {
                let isOfApp =
                    configured.isEmpty || configured.contains(programme.id)
                    || !configured.isDisjoint(with: programme.clientProgrammes)
                if isOfApp { ids.append(programme.id) }
            }
            for id in ids {
                let versions = rules.catalog.programmes.filter { $0.id == id }
                let day = CalendarDate(inUTC: now).description
                guard let version = versions.last(where: { $0.effectiveFrom <= day }) ?? versions.first,
                    let table = rules.table(of: version), let index = table.index(of: now)
                else { continue }
                var months: [Month] = []
                for place in [index - 1, index] where table.months.indices.contains(place) {
                    let choice = MonthChoice(table.months[place].id, of: app, programme: id)
                    let exports: MonthExports
                    do throws(RequestError) {
                        exports = try await system.exports.make(choice, environment: environment)
                    } catch {
                        if case .invalid = error { continue }
                        throw error
                    }
                    for export in exports.exports {
                        months.append(
                            Month(month: export.month, programme: id, reconciliation: export.reconciliation)
                        )
                    }
                }
                guard months.contains(where: { $0.reconciliation.isInUse }) else { continue }
                found.append(Programme(bundleId: app, title: version.title, months: months))
            }
        }
        return found
    }
}

extension Reconciliation {
    /// False for a month without sales and tokens.
    fileprivate var isInUse: Bool { tokens.made > 0 || sales.count.values.contains { $0 > 0 } }
}
