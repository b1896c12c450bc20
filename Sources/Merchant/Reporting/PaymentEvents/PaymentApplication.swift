import ExternalPurchaseCore
import Ledger
import Logging
import Payments
import ReportValidation

/// Applies stored payment events to the ledger, as a part of a transaction.
///
/// All connected events are interpreted together, and the sales that they give are stored, each by its own id. A
/// repetition therefore changes nothing.
struct PaymentApplication: Sendable {
    let sources: PaymentSources
    let sales: SaleIntake
    /// Sends what withdraws a sale that Apple accepted; nil if a person does.
    let corrections: CorrectionRequests?
    /// The time for which a payment waits for the token of its checkout.
    let tokenWait: Duration
    let logger: Logger
    let signals: SenderSignals

    private func reader(_ now: Timestamp) -> PaymentGroupReader {
        PaymentGroupReader(sources: sources, tokenWait: tokenWait, now: now)
    }

    /// What a transaction did, for the signals after its commit.
    struct Applied: Sendable {
        var receipts: [SaleReceipt] = []
        /// The requests whose answers the events wait for.
        var requests: [PaymentRequest] = []
        /// True if a correction was confirmed, whose reports are ready.
        var hasConfirmed = false
        /// Sales of which something is done later: accepted ones of which a part is being retracted, and those of a test clock.
        var postponed: Set<SaleId> = []
        /// Sales whose new amounts wait for Apple's answer or for a person.
        var unsettled: Set<SaleId> = []
        /// Sales whose change is a correction that a person confirms.
        var confirmable: Set<SaleId> = []
        /// Sales that were not stored, because the ledger has other ones of these ids or refuses them.
        var refused: Set<SaleId> = []
        /// The events that were read together, as they were before.
        var events: [StoredPaymentEvent] = []
        /// True if other events of the customer can be applied now.
        var opensOthers = false
        var needsFetch: Bool { !requests.isEmpty }
    }

    /// Interprets all events that are connected with an event, and stores their sales and results.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - isNew: whether the transaction stored the event.
    ///   - now: the time of the results, the same each time that a store runs its closure.
    func apply(
        groupOf event: StoredPaymentEvent,
        isNew: Bool = false,
        at now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Applied {
        let reader = reader(now)
        guard var group = try reader.group(of: event, in: ledger) else { return Applied() }
        let author = group.provider.title
        var applied = Applied()
        var refusals: [SaleId: String] = [:]
        // The events whose withdrawals wait; what they give back of a sale besides is a part of what is left then.
        var unsettled: Set<String> = []
        for withdrawal in group.reading.withdrawals {
            guard let known = try reader.sale(withdrawal.saleId, of: group, in: ledger), !known.isVoid else { continue }
            if try isWonBack(known, in: ledger) { continue }
            let reason = SaleAuthor(by: author, reason: withdrawal.reason.rawValue)
            let outcome = try corrected(known, by: author, &applied, now: now, in: ledger) { sale throws(LedgerError) in
                try sales.void(sale, by: reason, now: now, in: ledger)
            }
            switch outcome {
            case .accepted(let receipt):
                applied.receipts.append(receipt)
                guard receipt.isWaiting else { continue }
                applied.unsettled.insert(withdrawal.saleId)
            case .refused(let refusal):
                refusals[withdrawal.saleId] = refusal.description
                if refusal.canBeConfirmed { applied.confirmable.insert(withdrawal.saleId) }
            }
            if withdrawal.reason == .stated { unsettled.formUnion(withdrawal.eventIds) }
        }
        // What was withdrawn makes room for what it contained.
        if !applied.receipts.isEmpty { group = try reader.group(of: event, in: ledger) ?? group }
        applied.requests = group.reading.requests
        try record(group.reading.sales, by: author, after: unsettled, &applied, &refusals, now: now, in: ledger)
        try connect(group, applied.unsettled, in: ledger)
        try store(group, refusals, applied, arriving: isNew ? event.eventId : nil, now: now, in: ledger)
        applied.events = group.events
        applied.opensOthers = try openOthers(of: group, in: ledger)
        return applied
    }

    /// Whether a sale is a chargeback, or its reversal, of which Apple has nothing any more: nothing is left to take back.
    private func isWonBack(_ sale: StoredSale, in ledger: LedgerQueries) throws(LedgerError) -> Bool {
        if sale.sale.reversedChargeback != nil { return sale.standing == .reported }
        return try ledger.isWonBack(sale)
    }

    /// Changes a sale, by a correction where Apple accepted it and the setting `corrections.payments` allows that.
    private func corrected(
        _ known: StoredSale,
        by author: String,
        _ applied: inout Applied,
        now: Timestamp,
        in ledger: LedgerTransaction,
        _ change: (StoredSale) throws(LedgerError) -> SaleIntake.Outcome
    ) throws(LedgerError) -> SaleIntake.Outcome {
        let outcome = try change(known)
        guard let corrections, case .refused(.needsCorrection(_, let dryRuns)) = outcome else { return outcome }
        let bundleId = known.sale.bundleId
        switch try corrections.confirm(dryRuns, of: bundleId, by: author, now: now, in: ledger) {
        case .none: return outcome
        case .some:
            applied.hasConfirmed = true
            applied.postponed.insert(known.sale.saleId)
            return outcome
        case .all:
            applied.hasConfirmed = true
            guard let corrected = try ledger.sale(known.sale.saleId, of: bundleId) else { return outcome }
            return try change(corrected)
        }
    }

    /// Stores the sales of a reading.
    ///
    /// - Parameter unsettled: the events of which something else waits first.
    private func record(
        _ sales: [PaymentSale],
        by author: String,
        after unsettled: Set<String>,
        _ applied: inout Applied,
        _ refusals: inout [SaleId: String],
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        var events = unsettled
        try ledger.readAhead(sales.map { SaleCommand($0.sale).expectedRows })
        // A price may become smaller only after what was given back of it has.
        var again: [(sale: Sale, restatement: PaymentSale.Restatement)] = []
        for given in sales {
            var sale = given.sale
            sale.environment = given.isLive ? .production : .sandbox
            try dropOtherChange(of: sale, in: ledger)
            if let restatement = given.restatement {
                if try restate(sale, restatement, by: author, &applied, &refusals, now: now, in: ledger) {
                    applied.unsettled.insert(sale.saleId)
                    events.formUnion(given.eventIds)
                    if restatement == .stated { again.append((sale, restatement)) }
                }
                continue
            }
            if let known = try ledger.sale(sale.saleId, of: sale.bundleId),
                known.sale.completed(by: sale) == known.sale
            {
                continue
            }
            if let place = sale.takenBack, !events.isEmpty,
                sales.contains(where: { $0.sale.saleId == place && !events.isDisjoint(with: $0.eventIds) }),
                try ledger.sale(sale.saleId, of: sale.bundleId) == nil
            {
                // Its amount is a part of the new ones.
                applied.postponed.insert(sale.saleId)
                refusals[sale.saleId] = "it waits until the payment's sale has the amounts that were paid"
                continue
            }
            if sale.occurredAt > now + self.sales.settings.rules.clockSkew {
                // A clock of the shop is ahead, or a test clock of Stripe; the worker applies the event again in time.
                applied.postponed.insert(sale.saleId)
                refusals[sale.saleId] = "\(sale.occurredAt) is ahead of the server's clock, which says \(now)"
                continue
            }
            switch try self.sales.record(SaleCommand(sale), now: now, in: ledger) {
            case .accepted(let receipt): applied.receipts.append(receipt)
            case .refused(let refusal):
                refusals[sale.saleId] = refusal.description
                applied.refused.insert(sale.saleId)
            }
        }
        for (sale, restatement) in again.reversed() where !applied.postponed.contains(sale.saleId) {
            refusals[sale.saleId] = nil
            if try !restate(sale, restatement, by: author, &applied, &refusals, now: now, in: ledger) {
                applied.unsettled.remove(sale.saleId)
            }
        }
    }

    /// Drops the change that an older state of the payment asked for and that waits for Apple's answer, where a newer state
    /// wants something else.
    private func dropOtherChange(of sale: Sale, in ledger: LedgerTransaction) throws(LedgerError) {
        for change in try ledger.changes(of: sale.saleId, app: sale.bundleId)
        where change.closing == nil && change.isOfPayment && change.content.map({ $0.kind != sale.kind }) ?? true {
            try ledger.close(change, as: .superseded)
        }
    }

    /// Replaces the amounts of a stored sale, unless a person has changed it.
    ///
    /// - Returns: true while what is given back of the payment waits, because it is a part of the new amounts.
    private func restate(
        _ sale: Sale,
        _ restatement: PaymentSale.Restatement,
        by author: String,
        _ applied: inout Applied,
        _ refusals: inout [SaleId: String],
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Bool {
        guard let known = try ledger.sale(sale.saleId, of: sale.bundleId), !known.isVoid,
            !known.sale.says(sale, restatement)
        else { return false }
        for version in try ledger.versions(of: sale.saleId, app: sale.bundleId) {
            let correction = try version.correctionId.flatMap { id throws(LedgerError) in
                try ledger.correction(id, of: sale.bundleId)
            }
            // The planner restates the figures of a subscription, and not what was sold.
            guard let person = version.by ?? correction?.requestedBy, !PaymentProvider.authors.contains(person),
                person != SubscriptionFigureReview.author
            else { continue }
            refusals[sale.saleId] =
                "\(person) has changed it, and what it says is no longer right (\(restatement.rawValue)): amend or correct it"
            // In the currency that the person left, refunds are parts of what the person wrote.
            return known.sale.purchases.map(\.currency) != sale.purchases.map(\.currency)
        }
        let reason = SaleAuthor(by: author, reason: restatement.rawValue)
        let outcome = try corrected(known, by: author, &applied, now: now, in: ledger) { known throws(LedgerError) in
            if known.sale.says(sale, restatement) { return .accepted(try known.receipt(isNew: false, in: ledger)) }
            return try sales.record(SaleCommand(sale, author: reason), now: now, in: ledger)
        }
        switch outcome {
        case .accepted(let receipt): applied.receipts.append(receipt)
        case .refused(let refusal):
            refusals[sale.saleId] = refusal.description
            if refusal.canBeConfirmed { applied.confirmable.insert(sale.saleId) }
        }
        return try ledger.sale(sale.saleId, of: sale.bundleId).map { !$0.sale.says(sale, restatement) } ?? false
    }

    /// Lets the events of an invoice find those of its payments that a fetched object connected with it, and a sale whose change
    /// waits the events that tell it.
    private func connect(
        _ group: PaymentGroup,
        _ unsettled: Set<SaleId>,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        for event in group.events {
            var saleIds = Set(event.result.sales)
            if case .used(let told) = group.reading.outcomes[event.eventId.rawValue] { saleIds.formUnion(told) }
            // An id of several parts begins with that of the payment, by which its events are found.
            let names = unsettled.intersection(saleIds).map(\.rawValue).filter { !$0.contains("/") }
            if !names.isEmpty { try ledger.connect(event, to: Set(names.map { PaymentObjectName($0) })) }
        }
        for (asked, objects) in group.reading.connections where objects.count > 1 {
            for event in group.events where event.objects.contains(asked) { try ledger.connect(event, to: objects) }
        }
    }

    /// Notifies the sender of what a committed transaction stored.
    func signal(_ applied: Applied) {
        for receipt in applied.receipts { signals.saleStored(receipt) }
        if applied.hasConfirmed { signals.reportsReady() }
        if applied.opensOthers { signals.payments.wake() }
    }

    /// Sets an event aside, and applies the other ones of its payment without it.
    func dismiss(
        _ event: StoredPaymentEvent,
        reason: String,
        by author: String?,
        at now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> Applied {
        let detail = "set aside\(author.map { " by \($0)" } ?? ""): \(reason)".clipped(to: Self.longestDetail)
        let result = PaymentEventResult(.dismissed, detail: detail, sales: event.result.sales, decidedAt: now)
        try ledger.setResult(result, of: event, app: event.bundleId)
        if let app = event.reviewingApp { try updateReview(of: app, by: event.provider.title, now: now, in: ledger) }
        let others = try ledger.paymentEvents(about: event.paymentObjects, of: event.provider)
        guard let other = others.first(where: { $0.result.state != .dismissed }) else { return Applied() }
        return try apply(groupOf: other, at: now, in: ledger)
    }

    /// Holds an event that cannot be applied for a reason that is not its own.
    func hold(
        _ event: StoredPaymentEvent,
        because reason: String,
        at now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let detail = reason.clipped(to: Self.longestDetail)
        guard event.result.state != .held || event.result.detail != detail else { return }
        var result = PaymentEventResult(.held, detail: detail, sales: event.result.sales, decidedAt: now)
        (result.reference, result.payment) = (event.result.reference, event.result.payment)
        result.interpretation = event.result.interpretation
        try ledger.setResult(result, of: event, app: event.bundleId)
        if let app = event.reviewingApp { try updateReview(of: app, by: event.provider.title, now: now, in: ledger) }
    }

    /// Lets the other payments of a customer be applied whose first payment of an external purchase this is.
    private func openOthers(of group: PaymentGroup, in ledger: LedgerTransaction) throws(LedgerError) -> Bool {
        let isNew = group.events.contains { event in
            group.reading.payments[event.eventId.rawValue]?.reference == .referenced
                && event.result.reference != .referenced
        }
        guard isNew else { return false }
        // A customer who was known before has none left.
        for reference in group.references.subtracting(group.known) {
            if case .customer = reference {
                try ledger.reopenPaymentEvents(with: reference, of: group.provider)
            }
        }
        return true
    }

    // MARK: Results

    /// The largest size of a stored reason in bytes.
    private static let longestDetail = 1_000

    private func store(
        _ group: PaymentGroup,
        _ refusals: [SaleId: String],
        _ applied: Applied,
        arriving: PaymentEventId?,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let postponed = applied.postponed
        var reviewed: Set<BundleId> = []
        let appsOfSales = Dictionary(group.reading.sales.map { ($0.sale.saleId, $0.sale.bundleId) }) { first, _ in first
        }
        let canFetch = group.source.api(of: Set(group.events.flatMap(\.apps)).sorted()) != nil
        let withdrawn = Set(group.reading.withdrawals.map(\.saleId))
        let stated = Set(group.reading.withdrawals.filter { $0.reason == .stated }.map(\.saleId))
        let refused = Self.refusedWithdrawals(of: group.reading, refusals)
        // What a caller told is no sale of the events: the next one would find it said already, whatever it says.
        let foreign = applied.refused.subtracting(group.events.flatMap(\.result.sales))
        for event in group.events {
            let outcome = group.reading.outcomes[event.eventId.rawValue]
            // A sale stays recorded after its withdrawal, so that it is found again.
            let earlier = event.result.sales
            var result: PaymentEventResult
            let payment = group.reading.payments[event.eventId.rawValue]
            var bundleId = event.bundleId
            switch outcome {
            case .notUsed where refused[event.eventId.rawValue] != nil:
                // What Apple accepted is withdrawn by a person's correction; until then the event waits for it.
                let saleId = refused[event.eventId.rawValue] ?? ""
                let detail = "sale \(saleId): \(refusals[saleId] ?? "")".clipped(to: Self.longestDetail)
                let all = earlier.filter { $0 != saleId } + [saleId]
                if bundleId == nil { bundleId = try reader(now).sale(saleId, of: group, in: ledger)?.sale.bundleId }
                let state = postponed.contains(saleId) ? PaymentEventResult.State.waiting : .held
                result = .init(state, detail: detail, sales: all, decidedAt: now)
            case .used(let ids):
                if let app = ids.compactMap({ appsOfSales[$0] }).first { bundleId = app }
                var all = earlier.filter { !ids.contains($0) } + ids
                // A state of a payment tells what it withdraws, too.
                if let saleId = refused[event.eventId.rawValue], stated.contains(saleId), !all.contains(saleId) {
                    all.append(saleId)
                }
                // What a person can do goes before what waits for it.
                let refusedSales = all.filter { refusals[$0] != nil }
                let first = refusedSales.first(where: applied.confirmable.contains) ?? refusedSales.first
                if let sale = first, let refusal = refusals[sale] {
                    let detail = "sale \(sale): \(refusal)".clipped(to: Self.longestDetail)
                    result = .init(
                        postponed.contains(sale) ? .waiting : .held,
                        detail: detail,
                        sales: all.filter { !foreign.contains($0) },
                        decidedAt: now
                    )
                } else {
                    let names = ids.map(\.rawValue).joined(separator: ", ")
                    let note = group.reading.notes[event.eventId.rawValue].map { "; \($0)" } ?? ""
                    let detail = (withdrawn.isDisjoint(with: all) ? "sale \(names)" : "sale \(names); withdrawn") + note
                    result = .init(.applied, detail: detail.clipped(to: Self.longestDetail), sales: all, decidedAt: now)
                }
            case .notUsed(let reason):
                result = .init(.notUsed, detail: reason.description, sales: earlier, decidedAt: now)
            case .waiting(let reason, isAlert: false):
                result = .init(.waiting, detail: reason.description, sales: earlier, decidedAt: now)
            case .waiting(let reason, isAlert: true):
                let remedy = canFetch ? "" : "; the configuration has no apiKeyFile, with which the server fetches it"
                result = .init(.held, detail: reason.description + remedy, sales: earlier, decidedAt: now)
            case .held(let reason):
                result = .init(.held, detail: reason.description, sales: earlier, decidedAt: now)
            case nil:
                result = .init(.notUsed, detail: "nothing is known of it", sales: earlier, decidedAt: now)
            }
            (result.reference, result.payment) = (payment?.reference, payment?.payment)
            result.interpretation = group.source.interpretation
            try ledger.setResult(result, of: event, app: bundleId)
            // An event that is held or waits for long, or was or did until it was opened again, may open or close the review
            // items of its app; it may have found its app only now.
            let wasOpened = event.result.state == .received && event.eventId != arriving
            if wasOpened || [event.result.state, result.state].contains(.held) || event.hasWaitedLong(at: now) {
                reviewed.formUnion([event.reviewingApp, bundleId].compactMap(\.self))
            }
        }
        for app in reviewed.sorted() { try updateReview(of: app, by: group.provider.title, now: now, in: ledger) }
    }

    /// The sale that an event withdraws and that the ledger does not void, by the event.
    private static func refusedWithdrawals(of reading: PaymentReading, _ refusals: [SaleId: String]) -> [String: SaleId]
    {
        var refused: [String: SaleId] = [:]
        for withdrawal in reading.withdrawals.reversed() where refusals[withdrawal.saleId] != nil {
            for event in withdrawal.eventIds { refused[event] = withdrawal.saleId }
        }
        return refused
    }

    /// Opens the review items of an app while events are held or have waited for long, and resolves them when none is.
    private func updateReview(
        of bundleId: BundleId,
        by author: String,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        let held = try ledger.firstHeldPaymentEvent(of: bundleId)
        try update(
            .paymentEvent,
            of: bundleId,
            held.map { held in
                "events of \(held.provider.title) are held, the first one is \(held.eventId) (\(held.type)): "
                    + "\(held.result.detail ?? "no reason"); GET /v1/events?state=held lists them, and "
                    + "POST /v1/events/{eventId}/apply applies one again"
            },
            closing: "no event is held any more",
            by: author,
            now: now,
            in: ledger
        )
        let stuck = try ledger.stuckPaymentEvents(of: bundleId, receivedBy: now - StoredPaymentEvent.longestWait)
        try update(
            .paymentWaiting,
            of: bundleId,
            stuck.first.map { first in
                let last = stuck.count > 1 ? ", the last one \(stuck[1].eventId)" : ""
                return
                    "events of \(first.provider.title) have waited for more than a day, the first one is \(first.eventId) "
                    + "(\(first.type))\(last): \(first.result.detail ?? "no reason"); GET /v1/events?state=waiting lists them"
            },
            closing: "no event has waited for more than a day",
            by: author,
            now: now,
            in: ledger
        )
    }

    private func update(
        _ kind: ReviewKind,
        of bundleId: BundleId,
        _ detail: String?,
        closing note: String,
        by author: String,
        now: Timestamp,
        in ledger: LedgerTransaction
    ) throws(LedgerError) {
        switch (detail, try ledger.openReviewItems(of: kind, app: bundleId).first) {
        case (let detail?, nil):
            if kind == .paymentWaiting {
                // What a person closed stays closed until other events wait.
                let isClosed = try ledger.reviewItems(about: .app, app: bundleId).contains { item in
                    item.kind == kind && item.detail == detail
                        && item.resolution.map { !PaymentProvider.authors.contains($0.by) } ?? false
                }
                if isClosed { return }
            }
            _ = try ledger.open(
                ReviewItem(bundleId: bundleId, kind: kind, subject: .app, detail: detail, openedAt: now)
            )
        case (nil, let open?):
            try ledger.resolve(open.sequence, ReviewResolution(resolvedAt: now, by: author, note: note))
        default: break
        }
    }
}

extension StoredPaymentEvent {
    /// The time after which an event that waits for another one is a matter for a person.
    fileprivate static let longestWait = Duration.days(1)

    fileprivate func hasWaitedLong(at now: Timestamp) -> Bool { receivedAt <= now - Self.longestWait }
}

extension RequestError {
    /// True for corrections that Apple would take as they are; another one may have to come first.
    fileprivate var canBeConfirmed: Bool {
        if case .needsCorrection(_, let dryRuns) = self { dryRuns.contains(where: \.isAllowed) } else { false }
    }
}

extension Sale {
    /// Whether the sale has what a restatement of it changes: the money, whatever its tax is, or for a state of a payment
    /// everything that the state says.
    fileprivate func says(_ other: Sale, _ restatement: PaymentSale.Restatement) -> Bool {
        if let refund, let its = other.refund {
            return (refund.statedAmount ?? refund.inclusive) == (its.statedAmount ?? its.inclusive)
        }
        if restatement == .stated { return restating(as: other) == self }
        let (mine, its) = (lines ?? [purchase].compactMap(\.self), other.lines ?? [other.purchase].compactMap(\.self))
        return mine.count == its.count
            && zip(mine, its).allSatisfy { $0.currency == $1.currency && $0.inclusive == $1.inclusive }
    }
}
