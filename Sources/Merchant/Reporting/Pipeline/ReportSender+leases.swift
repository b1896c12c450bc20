import ExternalPurchaseCore
import Ledger
import Synchronization

// What the sender does because other servers may share the ledger (SA-76 to SA-79).
extension ReportSender {
    /// The outages that other servers tell about the apps and environments that they send.
    nonisolated var outagesOfOthers: [SendingOutage] { leases.others.compactMap { SendingOutage($0) } }

    /// Sets what is called when this server becomes the elected one.
    nonisolated func whenElected(_ body: @escaping @Sendable () -> Void) { elections.withLock { $0 = body } }

    /// Renews the leases when that is due, and wakes the sender for what other servers committed.
    ///
    /// ``run()`` calls it every second; it does nothing for a server that has the ledger alone.
    package func tick() async {
        guard leases.isShared else { return }
        if leases.isRoundDue {
            var details: [LeaseName: JSONValue] = [:]
            for (scope, outage) in outagesByScope { details[.reports(scope)] = outage.leaseDetail }
            let change = await leases.round(telling: details)
            for name in change.gained.union(change.lost) { forget(name) }
            if change.gained.contains(.maintenance) { elections.withLock(\.self)?() }
            if !change.gained.isEmpty || change.isRecovered { wakes.continuation.yield() }
        }
        await lookForCommits()
    }

    func tickUntilCancelled() async {
        while !Task.isCancelled {
            try? await dependencies.sleep(.seconds(1))
            if !Task.isCancelled { await tick() }
        }
    }

    /// Forgets what this server knew of work that another one has done or will do.
    func forget(_ name: LeaseName) {
        switch name {
        case .reports(let scope):
            // The new holder finds out by itself whether Apple takes the key.
            if outagesByScope[scope]?.isRefusedKey == true { stopped.remove(scope.bundleId) }
            (queueWaits[scope], queues[scope], outagesByScope[scope]) = (nil, nil, nil)
            reportWaits = [:]
        case .maintenance:
            pendingRequests.withLock { ($0.attributesSales, $0.followsNotifications) = (true, true) }
            (nextAttribution, reviewedUpTo, nextReview, nextFollowUp) = (nil, nil, nil, nil)
        case .server: break
        }
    }

    /// Resumes the apps whose review item was closed, perhaps at another server.
    func resumeRepairedApps() async {
        guard !stopped.isEmpty, leases.isShared else { return }
        let refused = try? await pipeline.store.read { ledger throws(LedgerError) in try ledger.appsWithRefusedKey() }
        if let refused { stopped.formIntersection(refused) }
    }

    /// Wakes the sender after commits of other servers, whose signals do not reach this one.
    private func lookForCommits() async {
        let seen = seenEntry
        let look = try? await pipeline.store.read { ledger throws(LedgerError) -> CommitLook in
            try CommitLook(after: seen, in: ledger)
        }
        guard let look, look.newest != seen else { return }
        seenEntry = look.newest
        // Who committed is not known: a server whose lease of presence has ended may still store what arrives.
        guard seen != nil else { return }
        pendingRequests.withLock { pendingRequests in
            if look.mayAttributeSales { pendingRequests.attributesSales = true }
            if look.mayFollowNotifications { pendingRequests.followsNotifications = true }
        }
        wakes.continuation.yield()
    }
}
