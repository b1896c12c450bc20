import AppStoreServerClient
import ExternalPurchaseCore
import Ledger
import Logging
import ReportPlanning
import ReportValidation

/// The main path of the merchant's side, from sales in the ledger to Apple's answer in the ledger.
///
/// ```
/// held sales ─attribute▶ planned sales ─plan▶ token ─write▶ report ─send / ask▶ answer ─record▶ accepted, or a reason
/// ```
///
/// At a token's due date, or when Apple asks, `write` also answers a token without sales.
///
/// Stages hand over through the ledger, so that whatever stops in between goes on where it was committed:
///
/// - ``attribute()``: sales that waited for a token get it (RR-66).
/// - ``plan(_:limit:)``: the tokens whose sales no report holds (SA-74).
/// - ``write(_:in:isAsked:)``: line items, pre-flight and outbox entry in one transaction.
/// - ``send(_:while:)``: reports that surely are not at Apple go out one after another.
/// - ``ask(for:)``: one of unknown fate is asked for first (SA-71).
struct ReportPipeline: Sendable {
    let store: DeadlineMaintainingStore
    let apps: [BundleId: RegisteredApp]
    let settings: ReportingSettings
    let dependencies: ReportingDependencies
    let dueRules: DueRules
    let logger: Logger

    /// What has to happen after a delivery.
    enum Delivery: Hashable, Sendable {
        case accepted
        /// Waits for a person.
        case held
        /// This report waits; others go on.
        case waits(mostSeconds: Int64)
        /// All reports of the app and environment wait, until a moment if Apple named one (SA-82).
        case queueWaits(until: Timestamp?)
        /// The key is refused: nothing of the app is sent any more (SA-73).
        case unauthorized

        /// True when other reports of the app and environment are not sent now either.
        var stopsTheQueue: Bool {
            switch self {
            case .accepted, .held, .waits: false
            case .queueWaits, .unauthorized: true
            }
        }
    }

    /// How long after it was sent a report may still arrive at Apple, ms.
    private static let latestArrival: Int64 = 120_000

    /// What is noted of a report that Apple answered with code 26.
    static let stillInProcess = "another report of the same data is in process"

    /// Setting `send.delay` in ms (RR-72).
    var sendDelay: Int64 { dueRules.settings.sendDelay }

    var planner: MerchantPlanner { MerchantPlanner(settings: settings, uuid: dependencies.uuid) }

    // MARK: Attribute

    /// Plans held sales anew by what the ledger knows now, each with all that belongs to it.
    ///
    /// - Returns: how many there were.
    func attribute() async throws(LedgerError) -> Int {
        let (planner, now) = (planner, dependencies.now())
        let page = 100
        var count = 0
        var last: Int64? = 0
        while let after = last {
            let looked = try await store.write { ledger throws(LedgerError) in
                let held = try ledger.heldSales(LedgerPage(after: after, limit: page))
                var planned: Set<SaleId> = []
                for sale in held where !planned.contains(sale.sale.saleId) {
                    let keys = [.sale(sale.sale.saleId)] + sale.sale.keys
                    let plan = try planner.replan(
                        touching: keys,
                        of: sale.sale.bundleId,
                        extent: .pending,
                        in: ledger,
                        now: now
                    ).plan
                    planned.formUnion(plan.sales.keys)
                }
                return (count: held.count, last: held.count == page ? held.last?.sequence : nil)
            }
            count += looked.count
            last = looked.last
        }
        try await reviewFigures()
        return count
    }

    // MARK: Plan and write

    /// The tokens whose sales have waited longest, for all of `send.delay` (RR-72); suspicious ones not before their time
    /// (TK-75).
    ///
    /// ``tokensWithSalesToSend(_:limit:)`` has those that a due date lets go earlier.
    func plan(_ scope: ReportingScope, limit: Int) async throws(LedgerError) -> [ExternalPurchaseId] {
        let now = dependencies.now()
        let madeUntil = now.advanced(byMilliseconds: settings.rules.clockSkew)
        let delay = sendDelay
        // Without a delay nothing rests, also not what arrived while the clock was ahead.
        let soldUntil =
            delay > 0 ? now.advanced(byMilliseconds: -delay) : Timestamp(milliseconds: .max)
        return try await store.read { ledger throws(LedgerError) in
            try ledger.tokensToReport(in: scope, madeUntil: madeUntil, soldUntil: soldUntil, limit: limit)
        }
    }

    /// Tokens with a sale whose moment has come although its delay is not over (RR-72, OB-52); none without a delay.
    func tokensWithSalesToSend(_ scope: ReportingScope, limit: Int) async throws(LedgerError) -> [ExternalPurchaseId] {
        guard sendDelay > 0 else { return [] }
        let now = dependencies.now()
        return try await store.read { ledger throws(LedgerError) in
            try ledger.tokensWithSalesToSend(in: scope, until: now, limit: limit)
        }
    }

    /// What came of writing reports of several tokens.
    struct Written: Sendable {
        /// Committed as being sent: before they are, nobody else touches them.
        var reports: [StoredReport] = []
        /// Tokens without such a report.
        var idle: [ExternalPurchaseId] = []
        /// Those among them that Apple still has no report of.
        var unanswered: [ExternalPurchaseId] = []
    }

    /// Writes the next report that each of some tokens calls for; plan, pre-flight and outbox entry are one transaction,
    /// so that no verdict is older than the history that it judged.
    ///
    /// The reports are committed as being sent, which saves a commit each: after a stop in between Apple is asked for
    /// them, in vain (SA-71).
    ///
    /// - Parameters:
    ///   - isAsked: true at the tokens' due date or when Apple asks; without it a report has line items.
    ///   - isDue: true when nobody asks but the due date: what a person closed stays unanswered then.
    func write(
        _ tokens: [ExternalPurchaseId],
        in scope: ReportingScope,
        isAsked: Bool = false,
        isDue: Bool = false
    ) async throws(LedgerError) -> Written {
        let (now, uuid) = (dependencies.now(), dependencies.uuid)
        // The very time by which a token is answered; an answer cannot be taken back.
        if let doubt = dependencies.clockDoubt() { throw .failed("\(doubt)") }
        let (written, refused) = try await store.write { ledger throws(LedgerError) in
            var written = Written()
            var refused: [StoredReport] = []
            for token in tokens {
                let flags = try ledger.token(token, of: scope.bundleId)?.flags ?? []
                let isClosed = isDue && flags.contains(.reportRefused)
                var report: StoredReport?
                repeat {
                    // What the pre-flight took out of a report is held; the others go at once.
                    if let report { refused.append(report) }
                    report = try write(
                        token,
                        as: RequestIdentifier(uuid()),
                        in: scope,
                        isAsked: isAsked && !isClosed,
                        now: now,
                        ledger: ledger
                    )
                } while report?.state == .withdrawn
                if let report, report.state == .sending {
                    written.reports.append(report)
                    continue
                }
                if let report { refused.append(report) }
                written.idle.append(token)
                let stored = try ledger.token(token, of: scope.bundleId)
                if let stored, stored.reportedAt == nil, stored.state != .unknownToApple, !isClosed {
                    written.unanswered.append(token)
                }
            }
            return (written, refused)
        }
        for report in refused { warn(of: report) }
        return written
    }

    /// Writes the next report that a token calls for.
    ///
    /// - Returns: the report, held for a person when the pre-flight refused it; nil when nothing is left to report.
    private func write(
        _ token: ExternalPurchaseId,
        as requestIdentifier: RequestIdentifier,
        in scope: ReportingScope,
        isAsked: Bool,
        now: Timestamp,
        ledger: any LedgerTransaction
    ) throws(LedgerError) -> StoredReport? {
        // One report of a token at a time (SA-74); whatever became of the open one comes first. Planning may withdraw one,
        // and may write that of a correction.
        func hasOpenReport() throws(LedgerError) -> Bool {
            try ledger.reportSummary(of: token, app: scope.bundleId).hasOpenReport
        }
        if try hasOpenReport() { return nil }
        let planned = try planner.replan(
            touching: [.token(token)],
            of: scope.bundleId,
            extent: .pending,
            in: ledger,
            now: now
        )
        guard let tokenPlan = planned.plan.tokens[token], (tokenPlan.notBefore ?? now) <= now,
            try !hasOpenReport()
        else { return nil }
        switch tokenPlan.answer {
        case .lineItems(let ready, _):
            let id = requestIdentifier
            return try write(ready, on: token, as: id, by: planned, in: scope, now: now, ledger: ledger)
        case .status(let status) where isAsked:
            guard status != .lineItem else { return nil }
            let report = Report(
                requestIdentifier: requestIdentifier,
                externalPurchaseId: token,
                content: .status(status)
            )
            return try keep(report, status: status, holding: [], in: scope, now: now, ledger: ledger)
        case .status, .nothing:
            return nil
        }
    }

    /// A report of as many of the sales as fit.
    private func write(
        _ ready: [SaleId],
        on token: ExternalPurchaseId,
        as requestIdentifier: RequestIdentifier,
        by planned: MerchantPlanner.Planned,
        in scope: ReportingScope,
        now: Timestamp,
        ledger: any LedgerTransaction
    ) throws(LedgerError) -> StoredReport? {
        var sales: [StoredSale] = []
        for id in ready {
            // What was planned may have been refused a line item before.
            guard let sale = try ledger.sale(id, of: scope.bundleId), sale.standing == .planned else { continue }
            sales.append(sale)
        }
        let apart = sales.filter { $0.attribution.flags.contains(.sentApart) }
        // The lines of an order go out together, whichever of them was refused.
        let orders = Set(apart.compactMap(\.partOf))
        let isRetried = { (sale: StoredSale) in
            sale.attribution.flags.contains(.sentApart) || sale.partOf.map(orders.contains) == true
        }
        let retried = sales.filter(isRetried).map(\.sale.saleId)
        let others = sales.filter { !isRetried($0) }.map(\.sale.saleId)
        // What was refused once must not hold back what was not.
        for group in [retried, others] {
            let id = requestIdentifier
            let report = try write(group: group, on: token, as: id, by: planned, in: scope, now: now, ledger: ledger)
            if let report { return report }
        }
        return nil
    }

    private func write(
        group: [SaleId],
        on token: ExternalPurchaseId,
        as requestIdentifier: RequestIdentifier,
        by planned: MerchantPlanner.Planned,
        in scope: ReportingScope,
        now: Timestamp,
        ledger: any LedgerTransaction
    ) throws(LedgerError) -> StoredReport? {
        let lineItems = LineItemPlanner(foreignCurrency: settings.foreignCurrency)
        let moments = planned.plan.sales.compactMapValues(\.moment)
        let accepted = planned.part.accepted[scope.environment] ?? [:]
        let wholes = planned.part.sales.compactMapValues(\.partOf)
        var wanted = group.prefix(settings.limits.lineItems, keepingTogether: wholes)
        while !wanted.isEmpty {
            let outcome = lineItems.items(
                of: wanted,
                among: planned.part.universe.sales,
                accepted: accepted,
                moments: moments
            )
            if !outcome.unbuildable.isEmpty {
                let broken = Set(outcome.unbuildable.keys.compactMap { wholes[$0] })
                let isHeld = { (id: SaleId) in
                    outcome.unbuildable[id] != nil || wholes[id].map(broken.contains) ?? false
                }
                for id in wanted where isHeld(id) {
                    guard let sale = try ledger.sale(id, of: scope.bundleId) else { continue }
                    let obstacle = outcome.unbuildable[id]
                    var attribution = sale.attribution
                    attribution.state = .held
                    switch obstacle {
                    case .moneyUnknown?: attribution.flags.insert(.notConvertible)
                    case nil: attribution.flags.insert(.orderHeld)
                    default: attribution.flags.insert(.buyHeld)
                    }
                    let why = obstacle?.description ?? "another line of its order cannot be reported"
                    try planner.review.update(attribution, of: sale, why: why, now: now, in: ledger)
                }
                wanted.removeAll(where: isHeld)
                continue
            }
            let report = Report(
                requestIdentifier: requestIdentifier,
                externalPurchaseId: token,
                content: .lineItems(outcome.items)
            )
            if report.body.count > settings.limits.bodyBytes, wanted.count > 1 {
                wanted = wanted.prefix(wanted.count - wanted.count / 2, keepingTogether: wholes)
                continue
            }
            try planned.part.settleAmounts(of: wanted, at: now, in: ledger)
            return try keep(report, status: .lineItem, holding: wanted, in: scope, now: now, ledger: ledger)
        }
        return nil
    }

    /// Pre-flight and outbox entry.
    private func keep(
        _ report: Report,
        status: ReportStatus,
        holding sales: [SaleId],
        in scope: ReportingScope,
        now: Timestamp,
        ledger: any LedgerTransaction
    ) throws(LedgerError) -> StoredReport {
        var stored = StoredReport(
            scope: scope,
            requestIdentifier: report.requestIdentifier,
            externalPurchaseId: report.externalPurchaseId,
            status: status,
            body: report.body,
            writtenAt: now
        )
        var held: [StoredSale] = []
        for id in sales {
            if let sale = try ledger.sale(id, of: scope.bundleId) { held.append(sale) }
        }
        stored.errors = try preflight(stored, sales: held, in: ledger)
        if stored.errors.isEmpty {
            stored.state = .sending
            stored.attempts = 1
        } else {
            stored.state = .needsAttention
        }
        var kept = try ledger.insert(stored, holding: sales)
        guard !kept.errors.isEmpty else { return kept }
        if try separate(kept, now: now, in: ledger) {
            kept.state = .withdrawn
        } else {
            try openReview(kept, in: ledger)
        }
        return kept
    }

    private func openReview(
        _ report: StoredReport,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) {
        let errors = report.errors.map { "\($0.error.errorCode) \($0.error.fieldName ?? "")" }
        _ = try ledger.open(
            ReviewItem(
                bundleId: report.scope.bundleId,
                kind: .reportRefused,
                subject: .report(report.requestIdentifier),
                detail: "\(report.refuser) refused the report of token \(report.externalPurchaseId): "
                    + (errors.isEmpty
                        ? report.answer?.conclusion ?? "no reason given" : errors.joined(separator: ", ")),
                openedAt: dependencies.now()
            )
        )
    }

    /// Judges the very bytes that would be sent by the merchant's own copy of the accepted history (SA-75).
    func preflight(
        _ report: StoredReport,
        sales: [StoredSale],
        in ledger: any LedgerQueries
    ) throws(LedgerError) -> [AttributedReportError] {
        guard settings.isPreflightOn else { return [] }
        let received: ReceivedReport
        do {
            received = try ReceivedReport.read(report.body, limits: settings.limits)
        } catch {
            throw .failed("a report of our own is malformed: \(error)")
        }
        let history = try ledger.history(for: received, in: report.scope)
        let byItem = try ledger.salesByItem(sales)
        return ReportValidator(settings: settings.rules).validate(received, history: history, now: dependencies.now())
            .map { $0.attributed(to: byItem, isLocal: true) }
    }

    // MARK: Deliver

    private func warn(of report: StoredReport) {
        let errors = report.errors.map { error in
            let sale = error.saleId.map { " of sale \($0)" } ?? ""
            return "\(error.error.errorCode) \(error.error.fieldName ?? "")\(sale)"
        }
        logger.error(
            "the pre-flight holds a report; later sales of its token wait behind it",
            metadata: report.metadata.merging(["errors": "\(errors.joined(separator: ", "))"]) { $1 }
        )
    }

    /// Sends reports that were committed as being sent and surely are not at Apple, one after another.
    ///
    /// What was accepted is recorded together, at the end or before the first other answer: after a stop in between
    /// Apple's copies tell it (SA-71). What could not be sent any more is `written` again.
    ///
    /// - Parameter goesOn: asked before each report.
    func send(
        _ reports: [StoredReport],
        while goesOn: @Sendable () -> Bool
    ) async throws(LedgerError) -> [(report: StoredReport, delivery: Delivery)] {
        var outcome: [(report: StoredReport, delivery: Delivery)] = []
        var accepted: [StoredReport] = []
        var rest = reports[...]
        while let report = rest.first, goesOn(), let client = apps[report.scope.bundleId]?.client {
            rest.removeFirst()
            let answered = await transmit(report, through: client)
            if answered.outcome == .accepted {
                accepted.append(report.concluding(.accepted, answered, at: dependencies.now(), "accepted"))
                continue
            }
            try await accept(accepted)
            outcome += accepted.map { ($0, .accepted) }
            accepted = []
            let delivery = try await conclude(report, answered)
            outcome.append((report, delivery))
            if delivery.stopsTheQueue { break }
        }
        try await accept(accepted)
        outcome += accepted.map { ($0, .accepted) }
        guard !rest.isEmpty else { return outcome }
        let now = dependencies.now()
        let unsent = rest.map { report in
            var report = report
            report.state = .written
            report.attempts -= 1
            report.changedAt = now
            return report
        }
        try await record(unsent)
        if outcome.isEmpty, let first = unsent.first { outcome.append((first, .waits(mostSeconds: 300))) }
        return outcome
    }

    /// Commits that reports are being sent, which so far surely are not at Apple.
    ///
    /// - Returns: those that nobody took back meanwhile.
    func markSending(_ reports: [StoredReport]) async throws(LedgerError) -> [StoredReport] {
        try await store.write { ledger throws(LedgerError) in
            var marked: [StoredReport] = []
            for report in reports {
                // It may have been withdrawn since it was read.
                let state = try ledger.report(report.requestIdentifier, in: report.scope)?.state
                guard state != .withdrawn, state != .accepted else { continue }
                var report = report
                report.state = .sending
                report.attempts += 1
                try ledger.update(report, accepting: [])
                marked.append(report)
            }
            return marked
        }
    }

    /// Asks Apple for a report of unknown fate, and sends it when Apple does not have it (SA-71).
    func ask(for report: StoredReport) async throws(LedgerError) -> Delivery {
        try await ask(report)
    }

    private func transmit(
        _ report: StoredReport,
        through client: any ReportEndpointClient
    ) async -> AppStoreResponse<SendOutcome> {
        let answered = await client.send(report.body, environment: report.scope.environment)
        guard answered.outcome == .unauthorized else { return answered }
        // The client makes a new JWT for every request; one that was just refused may have been too old.
        return await client.send(report.body, environment: report.scope.environment)
    }

    private func send(_ report: StoredReport) async throws(LedgerError) -> Delivery {
        guard let client = apps[report.scope.bundleId]?.client else { return .waits(mostSeconds: 300) }
        guard let marked = try await markSending([report]).first else { return .waits(mostSeconds: 1) }
        return try await conclude(marked, await transmit(marked, through: client))
    }

    /// Records what Apple answered to a PUT.
    private func conclude(
        _ report: StoredReport,
        _ answered: AppStoreResponse<SendOutcome>
    ) async throws(LedgerError) -> Delivery {
        func conclude(_ state: ReportState, _ conclusion: String) -> StoredReport {
            report.concluding(state, answered, at: dependencies.now(), conclusion)
        }
        switch answered.outcome {
        case .accepted:
            try await accept([conclude(.accepted, "accepted")])
            return .accepted
        case .rejected(let errors) where errors.contains { $0.errorCode == .simultaneousSubmission }:
            try await record(conclude(.written, Self.stillInProcess))
            return .waits(mostSeconds: 60)
        case .rejected(let errors) where errors.contains { $0.isUsedRequestIdentifier }:
            let unknown = try await record(conclude(.unknown, "the request identifier is used: asking for the report"))
            return try await ask(unknown, ifMissing: .hold(errors))
        case .rejected(let errors):
            let isUnknownToken = errors.contains { $0.isUnknownToken }
            let conclusion =
                isUnknownToken ? "Apple does not know the token: check app and environment" : "refused by Apple"
            return try await hold(conclude(.needsAttention, conclusion), errors, tokenIsUnknown: isUnknownToken)
        case .refusedWithoutErrors:
            let unknown = try await record(conclude(.unknown, "refused without errors: asking for the report"))
            return try await ask(unknown, ifMissing: .hold([]))
        case .unauthorized:
            return try await stop(conclude(.written, "the key was refused twice"))
        case .rateLimited(let until):
            try await record(conclude(.written, "too many requests"))
            return .queueWaits(until: until)
        case .serverError(let status):
            try await record(conclude(.unknown, "Apple answered \(status)"))
            return .queueWaits(until: nil)
        case .noAnswer(let reason):
            try await record(conclude(.unknown, "no answer: \(reason)"))
            return .queueWaits(until: nil)
        }
    }

    /// What a report that Apple does not have means.
    private enum Missing {
        /// It never arrived.
        case sendAgain
        /// It arrived and was refused: sending the same bytes again would be blind.
        case hold([ReportError])
    }

    private func ask(_ report: StoredReport, ifMissing: Missing = .sendAgain) async throws(LedgerError) -> Delivery {
        guard let client = apps[report.scope.bundleId]?.client else { return .waits(mostSeconds: 300) }
        let answered = await client.retrieve(report.requestIdentifier, environment: report.scope.environment)
        func conclude(_ state: ReportState, _ conclusion: String) -> StoredReport {
            report.concluding(state, answered, at: dependencies.now(), conclusion)
        }
        switch answered.outcome {
        case .found(let found):
            if let sent = try? ReceivedReport.read(report.body, limits: settings.limits), found.isEqual(to: sent) {
                try await accept([conclude(.accepted, "accepted earlier, as Apple's copy shows")])
                return .accepted
            }
            let conclusion = "Apple has another report under this request identifier"
            return try await hold(conclude(.needsAttention, conclusion), [], tokenIsUnknown: false)
        case .notFound:
            switch ifMissing {
            case .sendAgain where try await isChangeWaiting(for: report):
                // Another content waits for this answer. What is still on its way could arrive after it, and a void sale
                // would be at Apple unnoticed; sent again, the same bytes are taken once.
                let sent = max(report.changedAt, report.answer?.receivedAt ?? report.changedAt)
                guard dependencies.now() >= sent.advanced(byMilliseconds: Self.latestArrival) else {
                    return .waits(mostSeconds: 60)
                }
                try await record(conclude(.written, "Apple does not have it, and a sale of it changes"))
                return .waits(mostSeconds: 1)
            case .sendAgain:
                return try await send(conclude(.written, "Apple does not have it: sending it again"))
            case .hold(let errors):
                // The answer to the PUT is the evidence, not that to the question.
                var held = report
                held.state = .needsAttention
                held.changedAt = dependencies.now()
                return try await hold(held, errors, tokenIsUnknown: false)
            }
        case .refused:
            try await record(conclude(.unknown, "the question for the report was refused"))
            return .waits(mostSeconds: 300)
        case .unauthorized:
            let again = await client.retrieve(report.requestIdentifier, environment: report.scope.environment)
            guard again.outcome == .unauthorized else { return .waits(mostSeconds: 1) }
            return try await stop(conclude(.unknown, "the key was refused twice"))
        case .rateLimited(let until):
            try await record(conclude(.unknown, "too many requests"))
            return .queueWaits(until: until)
        case .serverError(let status):
            try await record(conclude(.unknown, "Apple answered \(status) to the question for the report"))
            return .queueWaits(until: nil)
        case .noAnswer(let reason):
            try await record(conclude(.unknown, "no answer to the question for the report: \(reason)"))
            return .queueWaits(until: nil)
        }
    }

    // MARK: Record

    @discardableResult
    private func record(_ report: StoredReport) async throws(LedgerError) -> StoredReport {
        try await record([report])
        return report
    }

    private func record(_ reports: [StoredReport]) async throws(LedgerError) {
        try await store.write { ledger throws(LedgerError) in
            for report in reports { try ledger.update(report, accepting: []) }
        }
    }

    /// Answers, accepted items and the tokens' confirmation in one transaction (SA-73).
    func accept(_ reports: [StoredReport]) async throws(LedgerError) {
        guard !reports.isEmpty else { return }
        var accepted: [(report: StoredReport, items: [ReceivedLineItem])] = []
        for var report in reports {
            report.errors = []
            do {
                let items = try ReceivedReport.read(report.body, limits: settings.limits).lineItems ?? []
                accepted.append((report, items))
            } catch {
                throw .corrupt("the bytes of report \(report.requestIdentifier) cannot be read: \(error)")
            }
        }
        let now = dependencies.now()
        try await store.write { [accepted] ledger throws(LedgerError) in
            for (report, items) in accepted {
                try ledger.update(report, accepting: items)
                try mark(report, .confirmed, in: ledger)
                // Events of a subscription on other tokens may have waited for its start.
                let sales = try ledger.sales(in: report.requestIdentifier, of: report.scope)
                try planner.replan(
                    touching: [.token(report.externalPurchaseId)] + sales.map { .sale($0.sale.saleId) },
                    of: report.scope.bundleId,
                    extent: .pending,
                    in: ledger,
                    now: now
                )
                try closeCorrection(of: report, by: planner, in: ledger)
            }
            for bundleId in Set(accepted.map(\.report.scope.bundleId)) { try noteKeyTaken(of: bundleId, in: ledger) }
        }
        for report in reports { logger.info("report accepted", metadata: report.metadata) }
    }

    private func hold(
        _ report: StoredReport,
        _ errors: [ReportError],
        tokenIsUnknown: Bool
    ) async throws(LedgerError) -> Delivery {
        let isClosed = try await store.write { ledger throws(LedgerError) in
            var report = report
            let sales = try ledger.sales(in: report.requestIdentifier, of: report.scope)
            let byItem = try ledger.salesByItem(sales)
            report.errors = errors.map { $0.attributed(to: byItem, isLocal: false) }
            try ledger.update(report, accepting: [])
            let bundleId = report.scope.bundleId
            let isClosed =
                tokenIsUnknown ? try ledger.isUnconfirmedVisit(report.externalPurchaseId, of: bundleId) : false
            if isClosed {
                // Anybody can make such a visit: the answer ends its duty, and there is nothing to decide (TK-74).
                _ = try withdraw(report, now: dependencies.now(), in: ledger)
            } else if try !separate(report, now: dependencies.now(), in: ledger) {
                try openReview(report, in: ledger)
            }
            if tokenIsUnknown { try mark(report, .unknownToApple, in: ledger) }
            try noteKeyTaken(of: bundleId, in: ledger)
            return isClosed
        }
        if isClosed {
            logger.info("Apple does not know a token that visits named", metadata: report.metadata)
        } else {
            logger.error("report needs attention", metadata: report.metadata)
        }
        return .held
    }

    func mark(
        _ report: StoredReport,
        _ state: TokenState,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) {
        guard var token = try ledger.token(report.externalPurchaseId, of: report.scope.bundleId) else { return }
        guard token.state != state else { return }
        token.state = state
        try ledger.update(token)
    }
}

extension StoredReport {
    func concluding(
        _ state: ReportState,
        _ answered: AppStoreResponse<some Sendable>,
        at time: Timestamp,
        _ conclusion: String
    ) -> StoredReport {
        var report = self
        report.state = state
        report.changedAt = time
        report.answer = ReportAnswer(
            status: answered.status,
            body: answered.body,
            receivedAt: time,
            conclusion: conclusion
        )
        return report
    }

    /// No token, customer or sale: those are personal data (TK-77).
    fileprivate var metadata: Logger.Metadata {
        [
            "report": "\(requestIdentifier)", "app": "\(scope.bundleId)",
            "environment": "\(scope.environment.rawValue)", "answer": "\(answer?.conclusion ?? "")",
        ]
    }
}
