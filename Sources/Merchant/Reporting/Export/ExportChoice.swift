package import ExternalPurchaseCore
package import ReportPlanning

/// Which app and programme an export is about where the question leaves it open.
package struct ExportChoice: Sendable {
    private let rules: DeadlineRules
    private let apps: [BundleId]

    package init(rules: DeadlineRules, apps: [BundleId]) {
        self.rules = rules
        self.apps = apps.sorted { $0.rawValue < $1.rawValue }
    }

    /// The app that was named, or the only one.
    ///
    /// - Throws: ``Obligations/ExportRefusal`` that lists the apps.
    package func app(named bundleId: BundleId?) throws(ExportRefusal) -> BundleId {
        let list = apps.map(\.rawValue).joined(separator: ", ")
        if let bundleId {
            guard apps.contains(bundleId) else {
                throw ExportRefusal(message: "is none of the apps registered here; known are \(list)")
            }
            return bundleId
        }
        guard let app = apps.first, apps.count == 1 else {
            throw ExportRefusal(message: "has to name one of the apps: \(list)")
        }
        return app
    }

    /// The name of a month of any programme's calendar.
    ///
    /// - Throws: ``Obligations/ExportRefusal`` for another text.
    package func check(month: String) throws(ExportRefusal) {
        let isKnown = rules.catalog.programmes.contains { rules.table(of: $0)?.month(id: month) != nil }
        guard isKnown else { throw ExportRefusal(message: "\"\(month)\" is not a month such as 2026-10") }
    }

    /// The one programme that an answer allows for.
    ///
    /// - Throws: ``Obligations/ExportRefusal`` that lists the programmes.
    package static func only(of programmes: [String], month: String) throws(ExportRefusal) -> String {
        if programmes.count == 1, let id = programmes.first { return id }
        throw ExportRefusal(
            message: "has to name one of the programmes in force for \(month): \(programmes.joined(separator: ", "))"
        )
    }

    /// The programme that was named, or all of the app that ask for reports of that month; at least one.
    ///
    /// - Throws: ``Obligations/ExportRefusal`` for an unknown one, and where none asks.
    package func programmes(
        named name: String?,
        of app: BundleId,
        month: String
    ) throws(ExportRefusal) -> [String] {
        if let name {
            let known = rules.catalog.programmes.map(\.id)
            guard known.contains(name) else {
                let list = Set(known).sorted().joined(separator: ", ")
                throw ExportRefusal(message: "is no programme: \"\(name)\"; known are \(list)")
            }
            return [name]
        }
        let configured = Set(rules.appProgrammes[app] ?? [])
        var ids: [String] = []
        for programme in rules.catalog.programmes {
            let isOfApp =
                configured.isEmpty || configured.contains(programme.id)
                || !configured.isDisjoint(with: programme.clientProgrammes)
            guard isOfApp, !ids.contains(programme.id), let month = rules.table(of: programme)?.month(id: month),
                programme.effectiveFrom <= month.lastDay.description,
                programme.effectiveTo.map({ $0 >= month.firstDay.description }) ?? true
            else { continue }
            ids.append(programme.id)
        }
        if ids.isEmpty { throw ExportRefusal(message: "no programme of \(app) asks for reports of \(month)") }
        return ids
    }
}
