import ExternalPurchaseCore
import Ledger
import ReportValidation

/// Changes known sales: completes, amends or voids them.
///
/// A sale that is certainly not at Apple is changed at once. If a report with it may be at Apple, the change waits for
/// the response. An accepted sale is corrected. A sale that Apple says it has, in a report that the ledger does not know,
/// is not changed before a person has decided about that. Each change is a new version with its author and reason.
struct SaleChanges: Sendable {
    let store: any LedgerStore
    let apps: [BundleId: RegisteredApp]
    let settings: ReportingSettings
    let dependencies: ReportingDependencies
    /// Wakes the worker of payments, whose events a change may need again.
    let payments: PaymentSignals

    enum Outcome: Sendable {
        /// The change is made, or the sale already had this content.
        case done(StoredSale, isChanged: Bool)
        /// The change waits for Apple's response.
        case waiting(StoredSale)
        case refused(RequestError)
    }

    /// A requested change.
    struct Request: Sendable {
        /// The new content; nil voids the sale.
        let content: Sale?
        /// The person who amends the sale; nil if a repeated sale completes it.
        let author: SaleAuthor?
    }

    private var planner: MerchantPlanner { MerchantPlanner(settings: settings, uuid: dependencies.uuid) }

    // MARK: Repeated sales

    /// Handles a sale whose identifier is known.
    ///
    /// - Parameters:
    ///   - sale: the sale as sent.
    ///   - author: the person who amends the sale; nil without `"amends": true`.
    ///   - known: the stored sale.
    ///   - now: the current time.
    ///   - ledger: the ledger.
    func submit(
        _ sale: Sale,
        by author: SaleAuthor?,
        known: StoredSale,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Outcome {
        let versions = try ledger.versions(of: sale.saleId, app: sale.bundleId)
        if known.isVoid { return .refused(.conflict(Self.words(ofVoid: versions.last, of: sale.saleId))) }
        let waiting = try ledger.changes(of: sale.saleId, app: sale.bundleId).first { $0.closing == nil }
        guard let author else {
            return try complete(
                by: sale,
                known: known,
                versions: versions,
                waiting: waiting,
                now: now,
                in: ledger
            )
        }
        // Rates that the server filled in are no part of what a caller sends.
        let sale = dependencies.rates == nil ? sale : sale.takingRates(of: known.sale)
        if let waiting {
            guard let content = waiting.content else {
                return .refused(.impossible("\(sale.saleId) is being voided, as \(waiting.by ?? "somebody") asked"))
            }
            if try content.isSame(as: sale, in: ledger) { return .waiting(known) }
            if try known.sale.isSame(as: sale, in: ledger) {
                try ledger.close(waiting, as: .superseded)
                return .done(known, isChanged: true)
            }
        }
        if try known.sale.isSame(as: sale, in: ledger) { return .done(known, isChanged: false) }
        if known.isRetracted {
            return .refused(
                .impossible(
                    "\(sale.saleId) was retracted by a correction; a correction with the action undo restores it"
                )
            )
        }
        if let refusal = try refusal(of: sale, replacing: known, in: ledger) {
            return .refused(refusal)
        }
        let stated = sale.statingRateTargets(foreign: settings.foreignCurrency)
            .fillingRates(from: dependencies.rates, foreign: settings.foreignCurrency)
        return try change(known, as: Request(content: stated, author: author), now: now, in: ledger)
    }

    /// Adds fields that the stored sale lacks; all other fields must equal those stored.
    private func complete(
        by sale: Sale,
        known: StoredSale,
        versions: [SaleVersion],
        waiting: SaleChange?,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Outcome {
        // A repetition of any earlier version changes nothing.
        for version in versions where try version.sale.isSame(as: sale, in: ledger) {
            return .done(known, isChanged: false)
        }
        let base = (waiting?.content ?? known.sale).asGiven
        guard let completed = base.completed(by: sale), !known.isRetracted, waiting == nil || waiting?.content != nil
        else {
            return .refused(
                .conflict("\(sale.saleId) is known with other content; \(RequestError.amendment)")
            )
        }
        if completed == base {
            return waiting == nil ? .done(known, isChanged: false) : .waiting(known)
        }
        if let refusal = try refusal(of: completed, replacing: known, in: ledger) {
            return .refused(refusal)
        }
        let author = waiting?.by.map { SaleAuthor(by: $0, reason: waiting?.reason) }
        let stated = completed.statingRateTargets(foreign: settings.foreignCurrency)
            .fillingRates(from: dependencies.rates, foreign: settings.foreignCurrency)
        return try change(known, as: Request(content: stated, author: author), now: now, in: ledger)
    }

    // MARK: Voids

    /// Voids a sale.
    func void(
        _ known: StoredSale,
        by author: SaleAuthor,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Outcome {
        let (saleId, bundleId) = (known.sale.saleId, known.sale.bundleId)
        if known.isRetracted { return .done(known, isChanged: false) }
        // Corrections retract an accepted sale line by line.
        let lines = try ledger.lines(of: known)
        if !lines.isEmpty, lines.allSatisfy(\.isRetracted) { return .done(known, isChanged: false) }
        let waiting = try ledger.changes(of: saleId, app: bundleId).first { $0.closing == nil }
        if let waiting, waiting.content == nil { return .waiting(known) }
        // The correction of an accepted sale includes its refunds.
        switch try SalePlace(of: known, in: ledger) {
        case .accepted, .reportedAlready: break
        case .free, .here, .mayBeAtApple, .handedOver:
            let live = try ledger.standingRefunds(of: known)
            guard live.isEmpty else {
                let names = live.map(\.sale.saleId.rawValue).joined(separator: ", ")
                return .refused(.impossible("\(saleId) is taken back by sales that stand; void them first: \(names)"))
            }
        }
        return try change(known, as: Request(content: nil, author: author), now: now, in: ledger)
    }

    // MARK: Changes

    private func change(
        _ known: StoredSale,
        as request: Request,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Outcome {
        switch try SalePlace(of: known, in: ledger) {
        case .free:
            if let refusal = try refusal(ofUnsent: known, request, now: now, in: ledger) { return .refused(refusal) }
            return .done(try apply(request, to: known, now: now, in: ledger), isChanged: true)
        case .here(let report):
            if report.attempts == 0,
                let refusal = try refusal(ofUnsent: known, request, now: now, in: ledger)
            {
                return .refused(refusal)
            }
            let changed = try apply(request, to: known, takingBack: report, now: now, in: ledger)
            return .done(changed, isChanged: true)
        case .mayBeAtApple:
            _ = try ledger.insert(
                SaleChange(
                    bundleId: known.sale.bundleId,
                    saleId: known.sale.saleId,
                    content: request.content,
                    by: request.author?.by,
                    reason: request.author?.reason,
                    askedAt: now
                )
            )
            return .waiting(known)
        case .accepted:
            return try changeAccepted(known, as: request, now: now, in: ledger)
        case .reportedAlready(let atApple):
            return .refused(try refuse(known, as: request, because: atApple, now: now, in: ledger))
        case .handedOver(let export):
            return .refused(
                .impossible(
                    "\(known.sale.saleId) was submitted with the manual export \(export); withdraw that first "
                        + "(POST /v1/exports/MONTH/withdrawn)"
                )
            )
        }
    }

    private func changeAccepted(
        _ known: StoredSale,
        as request: Request,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Outcome {
        let token = try known.whereItIs(in: ledger).attribution.externalPurchaseId
        if let content = request.content, content.differsInLinksOnly(from: known.sale, on: token) {
            return .done(try apply(request, to: known, now: now, in: ledger), isChanged: true)
        }
        guard let author = request.author else {
            return .refused(
                .conflict(
                    "Apple accepted \(known.sale.saleId), so that nothing reported can be added to it; send it with "
                        + "\"amends\": true for the correction"
                )
            )
        }
        switch try proposals(for: known, to: request.content, by: author, now: now, in: ledger) {
        case .success(let dryRuns) where dryRuns.isEmpty:
            // Corrections of its lines have made the change, or Apple has it so already.
            return .done(try note(request, of: known, now: now, in: ledger), isChanged: true)
        case .success(let dryRuns):
            let ids = dryRuns.map(\.correctionId.rawValue).joined(separator: ", ")
            let words =
                dryRuns.count == 1 ? "a correction; confirm \(ids)" : "corrections of its lines; confirm each of \(ids)"
            return .refused(
                .needsCorrection(
                    "Apple accepted \(known.sale.saleId): its change is \(words) at /v1/corrections",
                    dryRuns
                )
            )
        case .failure(let refusal):
            return .refused(.impossible("Apple accepted \(known.sale.saleId): \(refusal)"))
        }
    }

    /// Returns the dry runs that together change an accepted sale: one, or one for each changed line.
    func proposals(
        for known: StoredSale,
        to content: Sale?,
        by author: SaleAuthor,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Result<[CorrectionDryRun], RequestError> {
        let changes: [(line: StoredSale, content: Sale?)]
        switch try ledger.correctable(known, to: content) {
        case .success(let found): changes = found
        case .failure(let refusal): return .failure(refusal)
        }
        let corrections = CorrectionProposals(apps: apps, settings: settings, dependencies: dependencies)
        var dryRuns: [CorrectionDryRun] = []
        for (line, content) in changes {
            switch try corrections.propose(content, for: line, by: author, now: now, in: ledger) {
            case .dryRun(let dryRun): dryRuns.append(dryRun)
            case .nothing: break
            case .impossible(let reason):
                let place = line.sale.saleId == known.sale.saleId ? "" : "\(line.sale.saleId): "
                return .failure(.impossible("\(place)\(reason)"))
            }
        }
        return .success(dryRuns)
    }

    // MARK: New versions

    /// Stores the new version, withdraws a report that is certainly not at Apple, and plans all connected sales again.
    func apply(
        _ request: Request,
        to known: StoredSale,
        takingBack report: StoredReport? = nil,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> StoredSale {
        let (saleId, bundleId) = (known.sale.saleId, known.sale.bundleId)
        var keys = [.sale(saleId)] + known.sale.keys + (request.content?.keys ?? [])
        if let token = known.attribution.externalPurchaseId { keys.append(.token(token)) }
        let verb = request.content == nil ? "voided" : request.author == nil ? "completed" : "amended"
        if let report {
            let freed = try ledger.takeBack(
                report,
                because: "sale \(saleId) of the report was \(verb)",
                by: request.author?.by ?? "sale intake",
                at: now
            )
            for sale in freed { keys += [.sale(sale.sale.saleId)] + sale.sale.keys }
        }
        try ledger.insert(
            SaleVersion(
                version: known.version + 1,
                sale: request.content ?? known.sale,
                lineItemId: known.lineItemId,
                change: request.content == nil ? .retracted : .restated,
                saidAt: now,
                by: request.author?.by,
                reason: request.author?.reason
            )
        )
        try restateLines(of: request.content, replacing: known, by: request, now: now, in: ledger)
        let lines = try ledger.lines(of: known)
        for line in lines where !line.isVoid { keys.append(.sale(line.sale.saleId)) }
        // Of an order, only the lines are planned.
        let isWhole = lines.contains { !$0.isVoid } || request.content?.lines != nil
        if try SalePlace(of: known, in: ledger) != .accepted, request.content == nil || !isWhole {
            // The sale starts as on its arrival, so that every cause to hold it is evaluated again.
            let attribution =
                request.content == nil
                ? Attribution(state: .recorded, externalPurchaseId: nil, notes: [.voided])
                : Attribution(state: .held, externalPurchaseId: nil, holdCauses: [.noToken])
            try ledger.update(attribution, of: saleId, app: bundleId)
        }
        let losesLinks = request.content.map { known.sale.losesLinks(by: $0) } ?? true
        let opening = losesLinks ? try planner.renewLinks(of: keys, app: bundleId, in: ledger, now: now) : []
        let planned = try planner.replan(
            touching: keys,
            of: bundleId,
            extent: .touched,
            opening: opening,
            in: ledger,
            now: now
        )
        let changed = try ledger.sale(saleId, of: bundleId) ?? known
        let why = planned.plan.sales[saleId]?.reason.description ?? "it was \(verb)"
        let rows = try ledger.sales(.lines(saleId, of: bundleId), LedgerPage(limit: 1_000))
        for row in [changed] + rows {
            let reason = planned.plan.sales[row.sale.saleId]?.reason.description ?? why
            try planner.review.review(row, why: reason, now: now, in: ledger)
        }
        if known.attribution.holdCauses.contains(.reportRefused) {
            try planner.review.closeItems(ofReportsNaming: known, now: now, in: ledger)
        }
        return changed
    }

    /// Stores the new version of an accepted sale whose line items need no correction.
    func note(
        _ request: Request,
        of known: StoredSale,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> StoredSale {
        let version = SaleVersion(
            version: known.version + 1,
            sale: request.content ?? known.sale,
            lineItemId: known.lineItemId,
            change: .restated,
            saidAt: now,
            by: request.author?.by,
            reason: request.author?.reason
        )
        try ledger.insert(version)
        return try ledger.sale(known.sale.saleId, of: known.sale.bundleId) ?? known
    }

    // MARK: Validation

    /// Returns an error if the new content does not fit the known sale, or would be refused for a new sale.
    func refusal(
        of sale: Sale,
        replacing known: StoredSale,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> RequestError? {
        let latest = dependencies.now() + settings.rules.clockSkew
        if sale.occurredAt > latest, sale.occurredAt != known.sale.occurredAt {
            let message = "lies in the future; the server's clock says \(dependencies.now())"
            return .invalid([FieldError("/occurredAt", message)])
        }
        let live = try ledger.standingRefunds(of: known)
        if let first = live.first {
            let names = live.map(\.sale.saleId.rawValue).joined(separator: ", ")
            let isBuy = sale.purchase != nil || sale.lines != nil
            let fits = first.sale.refund == nil ? sale.refund?.isChargeback == true : isBuy
            if !fits {
                return .invalid([FieldError("/type", "cannot be another one: \(names) take the sale back")])
            }
            let before = known.sale.purchase ?? known.sale.lines?.first
            if let currency = (sale.purchase ?? sale.lines?.first)?.currency, currency != before?.currency {
                return .invalid([
                    FieldError(
                        "/amount/currency",
                        "cannot be another one while the refunds \(names) stand; void them first"
                    )
                ])
            }
        }
        if let refusal = try refusal(ofLinesOf: sale, replacing: known, live, in: ledger) { return refusal }
        return try SaleIntake.refusal(of: sale, foreign: settings.foreignCurrency, in: ledger)
    }

    private static func words(ofVoid version: SaleVersion?, of sale: SaleId) -> String {
        guard let version else { return "\(sale) was voided" }
        let reason = version.reason.map { ": \($0)" } ?? ""
        return
            "\(sale) was voided by \(version.by ?? "somebody") at \(version.saidAt)\(reason); what happened after all "
            + "needs another saleId"
    }
}

extension RequestError {
    /// How a request replaces what is known; a file of sales cannot.
    package static let amendment = "send it with \"amends\": true to replace what is known"
}
