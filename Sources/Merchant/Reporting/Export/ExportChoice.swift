package import ExternalPurchaseCore

/// Determines the app and the programmes of an export when the request leaves them open.
package struct ExportChoice: Sendable {
    private let rules: DeadlineRules
    private let apps: [BundleId]
    /// Apps that only the ledger has; one of them has to be named.
    private var others: Set<BundleId> = []

    package init(rules: DeadlineRules, apps: [BundleId]) {
        self.rules = rules
        self.apps = apps.sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns the choice which also takes these apps where they are named.
    package func alsoNaming(_ others: [BundleId]) -> ExportChoice {
        var choice = self
        choice.others.formUnion(others)
        return choice
    }

    func has(_ bundleId: BundleId) -> Bool { apps.contains(bundleId) || others.contains(bundleId) }

    /// Returns the named app, or the only registered one.
    ///
    /// - Throws: ``ExportRefusal`` with the list of apps.
    package func app(named bundleId: BundleId?) throws(ExportRefusal) -> BundleId {
        let list = apps.map(\.rawValue).joined(separator: ", ")
        if let bundleId {
            guard has(bundleId) else {
                throw ExportRefusal(message: "is none of the apps registered here; known are \(list)")
            }
            return bundleId
        }
        guard let app = apps.first, apps.count == 1 else {
            throw ExportRefusal(message: "has to name one of the apps: \(list)")
        }
        return app
    }

    /// Checks that a text names a month of a programme's calendar.
    ///
    /// - Throws: ``ExportRefusal`` for any other text.
    package func check(month: String) throws(ExportRefusal) {
        let known = rules.catalog.programmes.flatMap { rules.table(of: $0)?.months ?? [] }.map(\.id)
        guard known.contains(month) else {
            let range = known.min().flatMap { first in known.max().map { " from \(first) to \($0)" } } ?? ""
            throw ExportRefusal(message: "\(month.quoted) is not a month\(range), such as 2026-10")
        }
    }

    /// Returns the only programme of a list.
    ///
    /// - Throws: ``ExportRefusal`` with the list if it has several programmes.
    package static func only(of programmes: [String], month: String) throws(ExportRefusal) -> String {
        if programmes.count == 1, let id = programmes.first { return id }
        throw ExportRefusal(
            message: "has to name one of the programmes in force for \(month): \(programmes.joined(separator: ", "))"
        )
    }

    /// Returns the named programme of the app, or all of its programmes that require reports for the month; at least one.
    ///
    /// - Throws: ``ExportRefusal`` for an unknown programme, for one that the configuration of the app does
    ///   not have, and if no programme requires a report.
    package func programmes(
        named name: String?,
        of app: BundleId,
        month: String
    ) throws(ExportRefusal) -> [String] {
        if let name {
            try checkProgramme(name)
            let own = rules.catalog.programmes.filter { isProgramme($0, of: app) }.map(\.id)
            guard own.containsName(name) else {
                let list = Set(own).sorted().joined(separator: ", ")
                throw ExportRefusal(message: "\(name) is not a programme of \(app), which has \(list)")
            }
            return [name]
        }
        let ids = inForce(of: app, in: month)
        if ids.isEmpty { throw ExportRefusal(message: "no programme of \(app) asks for reports of \(month)") }
        return ids
    }

    /// Returns what an export of the month covers: the named programme, or all, also those without a programme (OB-13).
    ///
    /// - Throws: ``ExportRefusal`` for an unknown programme.
    package func exported(
        named name: String?,
        of app: BundleId,
        month: String
    ) throws(ExportRefusal) -> ExportProgrammes {
        guard let name else { return .all(inForce: inForce(of: app, in: month)) }
        if name == ReportingProgramme.noProgramme.id { return .one(name) }
        // The storefront of a sale may have led to a programme that the configuration lacks.
        try checkProgramme(name)
        return .one(name)
    }

    private func checkProgramme(_ name: String) throws(ExportRefusal) {
        let known = rules.catalog.programmes.map(\.id)
        guard known.containsName(name) else {
            let list = Set(known).sorted().joined(separator: ", ")
            throw ExportRefusal(message: "is no programme: \(name.quoted); known are \(list)")
        }
    }

    /// True for every programme if the app is configured with none.
    private func isProgramme(_ programme: ReportingProgramme, of app: BundleId) -> Bool {
        let configured = Set(rules.appProgrammes[app] ?? [])
        return configured.isEmpty || configured.contains(programme.id)
            || !configured.isDisjoint(with: programme.clientProgrammes)
    }

    private func inForce(of app: BundleId, in month: String) -> [String] {
        var ids: [String] = []
        for programme in rules.catalog.programmes {
            guard isProgramme(programme, of: app), !ids.contains(programme.id),
                let month = rules.table(of: programme)?.month(id: month),
                programme.effectiveFrom <= month.lastDay.description,
                programme.effectiveTo.map({ $0 >= month.firstDay.description }) ?? true
            else { continue }
            ids.append(programme.id)
        }
        return ids
    }
}

/// The programmes of an export.
package enum ExportProgrammes: Hashable, Sendable {
    case one(String)
    /// Every programme with records of the month, and ``ExternalPurchaseCore/ReportingProgramme/noProgramme``.
    ///
    /// Named are the app's programmes that are in force; of a single one there is an export even without records.
    case all(inForce: [String])
}
