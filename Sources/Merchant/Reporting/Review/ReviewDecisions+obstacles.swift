import ExternalPurchaseCore
import Ledger

/// Which decisions an item takes as things stand.
///
/// The decisions themselves refuse for the same reasons, so that a page offers none that is refused.
extension ReviewDecisions {
    /// Returns the decisions that the item takes as things stand, the most likely one first.
    func choices(
        for item: ReviewItem,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> [ReviewDecision.Action] {
        guard item.resolution == nil else { return [] }
        var choices: [ReviewDecision.Action] = []
        for action in ReviewDecision.Action.allCases
        where try obstacle(to: action, on: item, now: now, in: ledger) == nil {
            choices.append(action)
        }
        if try acceptance(of: item, in: ledger).isShown, let place = choices.firstIndex(of: .accepted) {
            choices.insert(choices.remove(at: place), at: 0)
        }
        return choices
    }

    /// Returns why the decision about an open item would be refused as things stand, or nil.
    private func obstacle(
        to action: ReviewDecision.Action,
        on item: ReviewItem,
        now: Timestamp,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> String? {
        switch (item.kind, item.subject, action) {
        case (.reportRefused, .report(let id), .retry):
            guard let report = try ledger.refusedReport(id, of: item.bundleId) else { return nil }
            if !report.isSurelyNotAtApple, apps[item.bundleId] == nil { return Self.unconfigured }
            guard try ledger.correction(of: report) != nil else { return nil }
            return try obstacleToSendingAgain(report, in: ledger)
        case (.reportRefused, .report(let id), .resolve):
            guard let report = try ledger.refusedReport(id, of: item.bundleId) else { return nil }
            return try obstacleToGivingUp(report, in: ledger)
        case (.subscriptionFigures, .sale, .retry), (.contradiction, .sale, .retry):
            guard let id = item.correctionId, let correction = try ledger.correction(id, of: item.bundleId) else {
                return "it offers no correction"
            }
            let readiness = try corrections.readiness(of: correction, now: now, in: ledger)
            return readiness == .ready ? nil : "its correction cannot be sent as it was shown"
        case (.saleHeld, .sale(let id), .retry):
            guard let sale = try ledger.sale(id, of: item.bundleId), sale.standing == .held else {
                return "the sale is not held any more"
            }
            if try !closedReferences(of: sale, in: ledger).isEmpty { return nil }
            return Self.isReleasable(sale.attribution) ? nil : "only what the sale lacks releases it"
        case (_, _, .accepted):
            return try acceptance(of: item, in: ledger).isPossible ? nil : "nothing of it was refused"
        case (.keyRefused, _, .retry): return nil
        case (_, _, .resolve): return nil
        default: return Self.nothingToSend(of: item)
        }
    }

    /// Returns why a refused report of a correction cannot be sent again with the same bytes, or nil.
    func obstacleToSendingAgain(
        _ report: StoredReport,
        in ledger: LedgerQueries
    ) throws(LedgerError) -> String? {
        let errors = try preflight.validate(report, of: [], in: ledger).map(\.error)
        if errors.isEmpty { return nil }
        return
            "the pre-flight still refuses this report of a correction: \(errors.words); resolve the item and ask for "
            + "the correction anew"
    }

    /// Returns why a refused report cannot be given up, or nil.
    func obstacleToGivingUp(_ report: StoredReport, in ledger: LedgerQueries) throws(LedgerError) -> String? {
        guard let correction = try ledger.correction(of: report) else { return nil }
        for part in correction.reports {
            let scope = ReportingScope(bundleId: correction.bundleId, environment: part.environment)
            guard try ledger.report(part.requestIdentifier, in: scope)?.state == .accepted else { continue }
            return
                "Apple accepted a part of the correction already, so that it can be finished and not given up: retry "
                + "the item"
        }
        return nil
    }

    static func nothingToSend(of item: ReviewItem) -> String {
        "an item of kind \(item.kind.rawValue) has nothing to send again; resolve it"
    }

    static let unconfigured = "the app is not configured, so that Apple cannot be asked for the report"
}
