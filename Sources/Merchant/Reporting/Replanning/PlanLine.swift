package import ExternalPurchaseCore
package import Ledger

/// One line of the complete plan of an app for display: a sale or token, its outcome and the reason.
package struct PlanLine: Hashable, Sendable {
    package let bundleId: BundleId
    /// `sale` or `token`.
    let kind: String
    let id: String
    let externalPurchaseId: String?
    /// For a sale `reported`, `planned`, `held`, `recorded` or `void`; for a token its report's status or `nothing`.
    private(set) var outcome: String
    let flags: [String]
    private(set) var reason: String
    /// The errors that the pre-flight finds in the required report of a token (SA-75).
    var preflight = ""

    /// Returns the plan without storing it.
    ///
    /// Apps are sorted by bundle id. Each app has first its sales, then its tokens, in the order of arrival.
    ///
    /// - Parameters:
    ///   - app: the app; nil includes all apps of the ledger.
    ///   - settings: the settings of the reporting system.
    ///   - now: the current time.
    ///   - ledger: the ledger.
    /// - Throws: ``LedgerError``.
    package static func lines(
        of app: BundleId?,
        settings: ReportingSettings,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [PlanLine] {
        var tokens: [BundleId: [ExternalPurchaseId]] = [:]
        var sales: [BundleId: [SaleId]] = [:]
        try ledger.eachToken { token throws(LedgerError) in
            let bundleId = token.token.bundleId
            if app == nil || bundleId == app { tokens[bundleId, default: []].append(token.token.externalPurchaseId) }
        }
        try ledger.eachSale { sale throws(LedgerError) in
            let bundleId = sale.sale.bundleId
            if app == nil || bundleId == app { sales[bundleId, default: []].append(sale.sale.saleId) }
        }
        var lines: [PlanLine] = []
        for bundleId in Set(tokens.keys).union(sales.keys).sorted(by: { $0.rawValue < $1.rawValue }) {
            lines += try self.lines(
                of: bundleId,
                tokens: tokens[bundleId] ?? [],
                sales: sales[bundleId] ?? [],
                settings: settings,
                now: now,
                in: ledger
            )
        }
        return lines
    }

    private static func lines(
        of bundleId: BundleId,
        tokens: [ExternalPurchaseId],
        sales: [SaleId],
        settings: ReportingSettings,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [PlanLine] {
        var found = Found()
        // Records that are connected are planned together, so a key of a planned part needs no plan of its own.
        let keys = tokens.map(PlanningKey.token) + sales.map(PlanningKey.sale)
        for start in stride(from: 0, to: keys.count, by: 100) {
            let open = keys[start..<min(start + 100, keys.count)].filter { !found.contains($0) }
            guard !open.isEmpty else { continue }
            let planned = try MerchantPlanner.plan(settings, touching: open, of: bundleId, in: ledger, now: now)
            try found.add(planned, of: bundleId, settings: settings, now: now, in: ledger)
        }
        return sales.compactMap { found.sales[$0] } + tokens.compactMap { found.tokens[$0] }
    }

    /// The lines of planned parts.
    private struct Found {
        var sales: [SaleId: PlanLine] = [:]
        var tokens: [ExternalPurchaseId: PlanLine] = [:]
        /// The keys of the parts, also of what has no line.
        private var keys: Set<PlanningKey> = []

        func contains(_ key: PlanningKey) -> Bool { keys.contains(key) }

        mutating func add(
            _ planned: MerchantPlanner.Planned,
            of bundleId: BundleId,
            settings: ReportingSettings,
            now: Timestamp,
            in ledger: LedgerQueries
        ) throws(LedgerError) {
            keys.formUnion(planned.part.sales.keys.map { .sale($0) })
            keys.formUnion(planned.part.tokens.keys.map { .token($0) })
            let dryRun = ReportDryRun(planned: planned, settings: settings, now: now)
            let continuations = try ImportedSubscription.continuations(planned, of: bundleId, in: ledger)
            for (id, sale) in planned.part.sales {
                guard let plan = planned.plan.sales[id] else {
                    if sale.isVoid { sales[id] = PlanLine(void: id, of: bundleId) }
                    continue
                }
                var line = PlanLine(plan, of: bundleId)
                if sale.reportState == .needsAttention { line.waitForPerson(outcome: "held") }
                if let imported = continuations[id] { line.wait(imported.question) }
                sales[id] = line
            }
            for id in planned.part.tokens.keys {
                guard let plan = planned.plan.tokens[id] else { continue }
                var line = PlanLine(plan, of: bundleId)
                line.preflight = try dryRun.errors(of: id, in: ledger).words
                let reports = try ledger.reports(on: id, of: bundleId)
                if reports.contains(where: { $0.state == .needsAttention }) { line.waitForPerson(outcome: "nothing") }
                tokens[id] = line
            }
        }
    }

    private mutating func wait(_ reason: String) {
        outcome = "held"
        self.reason = reason
    }

    private mutating func waitForPerson(outcome: String) {
        self.outcome = outcome
        reason = "its report was refused and waits for a person, who finds it under what needs attention"
    }

    private init(void sale: SaleId, of bundleId: BundleId) {
        self.bundleId = bundleId
        kind = "sale"
        id = sale.rawValue
        externalPurchaseId = nil
        outcome = "void"
        flags = [SaleFlag.voided.rawValue]
        reason = "it was withdrawn before Apple accepted it"
    }

    private init(_ plan: SalePlan, of bundleId: BundleId) {
        self.bundleId = bundleId
        kind = "sale"
        id = plan.saleId.rawValue
        externalPurchaseId = plan.externalPurchaseId?.rawValue
        outcome =
            switch plan.outcome {
            case .reported: "reported"
            case .planned: "planned"
            case .held: "held"
            case .noLineItem: "recorded"
            }
        flags = plan.flags.map(\.rawValue).sorted()
        reason = plan.reason.description
    }

    private init(_ plan: TokenPlan, of bundleId: BundleId) {
        self.bundleId = bundleId
        kind = "token"
        id = plan.externalPurchaseId.rawValue
        externalPurchaseId = plan.externalPurchaseId.rawValue
        outcome = plan.status?.rawValue ?? "nothing"
        flags = []
        reason = plan.reason.description
    }

    /// The line as `ledger plan --format json` prints it.
    package var json: JSONValue {
        [
            "bundleId": .string(bundleId.rawValue), "kind": .string(kind), "id": .string(id),
            "externalPurchaseId": externalPurchaseId.map { .string($0) } ?? .null,
            "outcome": .string(outcome), "flags": .array(flags.map { .string($0) }),
            "reason": .string(reason),
            "preflight": preflight.isEmpty ? .null : .string(preflight),
        ]
    }

    /// The line as text.
    package var text: String {
        let token = kind == "sale" ? externalPurchaseId.map { " on \($0)" } ?? "" : ""
        let flags = flags.isEmpty ? "" : " [\(flags.joined(separator: ", "))]"
        return "\(kind) \(id): \(outcome)\(token)\(flags): \(reason)"
            + (preflight.isEmpty ? "" : "; the pre-flight refuses its report: \(preflight)")
    }
}
