import ExternalPurchaseCore
import Ledger
import Logging
import Synchronization

// What is done once for the whole ledger, by the elected server, between the reports.
extension ReportSender {
    /// The largest number of stored deadlines that one commit computes, and of such commits per turn.
    private static let recalculation = (rows: 500, commits: 20)
    /// The number of held sales above which they are planned less often.
    ///
    /// An arrival plans the sales that it affects in any case.
    private static let heldAtOnce = 1_000
    /// The visits of the spool file that the ledger may refuse before the rest waits for the next look.
    private static let refusedVisits = 10

    /// Does the work that is done once for the whole ledger.
    ///
    /// - Returns: the times of the next such work; nil if another server does it.
    func maintain() async -> [Timestamp]? {
        guard let permit = leases.begin(.maintenance) else { return nil }
        defer { leases.end(.maintenance) }
        let pipeline = pipeline.under(permit)
        await applySaleChanges(pipeline)
        let nextRecalculation = await recalculateDeadlines(pipeline)
        guard isClockPlausible() else { return [] }
        let nextToken = await endWaitsOfWrongClock(pipeline)
        await attributeSales(pipeline)
        await reviewHeldSales(pipeline)
        return [nextRecalculation, nextToken, await followNotifications(pipeline)].compactMap(\.self)
    }

    /// Ends what waits for a moment that a clock which was ahead has noted or stored (SA-75).
    ///
    /// It looks for such moments at the start and whenever the clock was set back.
    ///
    /// - Returns: the time at which the next token is reported for this reason.
    private func endWaitsOfWrongClock(_ pipeline: ReportPipeline) async -> Timestamp? {
        let now = dependencies.now()
        do {
            if latestLook?.isAhead(of: now) ?? true {
                if latestLook != nil { forget(.maintenance) }
                tokensSeenAhead = try await pipeline.tokensSeenAhead()
                latestLook = now
            }
            latestLook = latestLook.map { max($0, now) }
            let due = tokensSeenAhead.filter { $0.moment <= now }
            try await pipeline.request(due)
            tokensSeenAhead.removeAll { $0.moment <= now }
            return tokensSeenAhead.map(\.moment).min()
        } catch {
            logger.error("tokens named by a wrong clock wait", metadata: ["error": "\(error)"])
            return now + .seconds(1)
        }
    }

    /// Computes outdated deadlines, a bounded number in one turn so that sending goes on meanwhile.
    ///
    /// - Returns: the time from which there is more to compute; nil when every deadline is up to date.
    private func recalculateDeadlines(_ pipeline: ReportPipeline) async -> Timestamp? {
        do {
            for _ in 0..<Self.recalculation.commits {
                guard try await pipeline.store.recalculate(limit: Self.recalculation.rows) else { return nil }
            }
            return dependencies.now()
        } catch {
            logger.error("deadlines wait for their computation", metadata: ["error": "\(error)"])
            // A full disk must not make the sender spin.
            return dependencies.now() + .seconds(1)
        }
    }

    func takeSpooledVisits() async {
        // The file is not even read while the quota of the hour is used up.
        guard let spool, tokens.visitQuota.admitsToken(at: dependencies.now()) else { return }
        do {
            let waiting = await spool.waiting()
            var (taken, refused) = (0, 0)
            for visit in waiting.visits {
                guard refused < Self.refusedVisits, tokens.visitQuota.admitsToken(at: dependencies.now()) else { break }
                if let arrival = visit.spooledArrival {
                    do throws(LedgerError) {
                        _ = try await tokens.record(arrival, at: visit.at, through: visit.link)
                    } catch .failed(let reason) {
                        // The ledger works and takes this visit never: it goes behind the others, which must not wait for it.
                        logger.error("a visit in the spool file is refused", metadata: ["error": "\(reason)"])
                        guard await spool.append(visit) else { break }
                        refused += 1
                    }
                }
                taken += 1
            }
            await spool.remove(taken, of: waiting)
            if taken > refused {
                pendingRequests.withLock { $0.attributesSales = true }
                logger.notice("visits taken in from the spool file", metadata: ["visits": "\(taken - refused)"])
            }
        } catch {
            logger.error("the spool file waits", metadata: ["error": "\(error)"])
        }
    }

    private func applySaleChanges(_ pipeline: ReportPipeline) async {
        do {
            try await pipeline.saleChanges.applyWaiting()
        } catch {
            logger.error("changes of sales wait", metadata: ["error": "\(error)"])
        }
    }

    private func attributeSales(_ pipeline: ReportPipeline) async {
        if let nextAttribution, nextAttribution > dependencies.now() { return }
        let isDue = pendingRequests.withLock { pendingRequests in
            defer { pendingRequests.attributesSales = false }
            return pendingRequests.attributesSales
        }
        guard isDue else { return }
        do {
            let held = try await pipeline.attribution.attribute()
            nextAttribution = held > Self.heldAtOnce ? dependencies.now() + .milliseconds(10) * held : nil
        } catch {
            pendingRequests.withLock { $0.attributesSales = true }
            logger.error("held sales wait", metadata: ["error": "\(error)"])
        }
    }

    /// Opens review items for sales that have waited too long (RR-66), and closes items that are no longer needed.
    private func reviewHeldSales(_ pipeline: ReportPipeline) async {
        if let nextReview, nextReview > dependencies.now() { return }
        do throws(LedgerError) {
            if reviewedUpTo == nil { try await pipeline.review.closeSettledItems() }
            let reviewed = try await pipeline.review.openItems(ofHeldSalesAfter: reviewedUpTo)
            reviewedUpTo = reviewed.last
            nextReview = reviewed.next
        } catch {
            nextReview = dependencies.now() + .seconds(1)
            logger.error("review items wait", metadata: ["error": "\(error)"])
        }
    }

    private var isFollowUpDue: Bool {
        guard let nextFollowUp else { return false }
        let now = dependencies.now()
        // If the clock was ahead when the time was computed, the wait ends.
        return nextFollowUp <= now || followedAt.map { now < $0 } ?? false
    }

    /// Carries out the actions that stored notifications require (NT-63 to NT-66).
    ///
    /// - Returns: the time at which the next waiting notification can be handled.
    private func followNotifications(_ pipeline: ReportPipeline) async -> Timestamp? {
        let isDue = pendingRequests.withLock { pendingRequests in
            defer { pendingRequests.followsNotifications = false }
            return pendingRequests.followsNotifications
        }
        // The notifications wait until sending is turned on.
        guard pipeline.settings.isSendingOn else {
            pendingRequests.withLock { $0.followsNotifications = true }
            return nil
        }
        guard isDue || isFollowUpDue else { return nextFollowUp }
        do {
            let outcome = try await pipeline.followNotifications()
            nextFollowUp = outcome.next
            followedAt = outcome.next.map { _ in dependencies.now() }
        } catch {
            pendingRequests.withLock { $0.followsNotifications = true }
            nextFollowUp = dependencies.now() + .seconds(1)
            logger.error("notifications wait", metadata: ["error": "\(error)"])
        }
        return nextFollowUp
    }
}
