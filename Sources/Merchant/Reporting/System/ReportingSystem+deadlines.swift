package import ExternalPurchaseCore
package import Ledger

extension ReportingSystem {
    /// Returns a page of the due list, sorted by urgency, with the counts of all matching entries.
    ///
    /// - Parameters:
    ///   - filter: the entries to count and list.
    ///   - position: the last entry of the previous page; nil starts at the first entry.
    ///   - limit: the largest number of entries.
    package func deadlines(
        matching filter: ListFilter = ListFilter(),
        after position: DeadlinePosition? = nil,
        limit: Int
    ) async throws(RequestError) -> DeadlinePage {
        try await deadlines(matching: filter, after: position, limit: limit, counting: true)
    }

    /// Returns the first entries of the due list, with the counts of all of them.
    ///
    /// While more than 10,000 are counted anew, the counts are the former ones.
    ///
    /// - Parameters:
    ///   - environment: the environment whose entries are counted and listed; nil for both.
    ///   - limit: the largest number of entries.
    package func dueOverview(
        in environment: AppStoreEnvironment?,
        limit: Int
    ) async throws(RequestError) -> DeadlinePage {
        let filter = ListFilter(environment.map { [.environment: $0.rawValue] } ?? [:])
        let page = try await deadlines(matching: filter, limit: limit, counting: false)
        let now = now
        let open: OpenDeadlines
        do {
            open = try await openDeadlines.computed(patience: .milliseconds(100)) { counted in
                // A clock that was put forward changes what is late.
                abs(counted.states.now.milliseconds - now.milliseconds) < 3_600_000
            }.value
        } catch {
            throw .notStored(error)
        }
        let groups = open.groups.filter { group, _ in
            (environment == nil || group.environment == environment)
                && (!lists.isLimited || apps[group.bundleId] != nil)
        }
        return page.counting(DeadlineCounts(groups, open.states))
    }

    private func deadlines(
        matching filter: ListFilter,
        after position: DeadlinePosition? = nil,
        limit: Int,
        counting: Bool
    ) async throws(RequestError) -> DeadlinePage {
        let (due, now, filters) = (due, now, lists.filters(filter))
        return try await store.longRead { ledger throws(LedgerError) in
            var pages: [DeadlinePage] = []
            for filter in filters {
                pages.append(
                    try due.page(
                        matching: filter,
                        limit: limit,
                        after: position,
                        counting: counting,
                        at: now,
                        in: ledger
                    )
                )
            }
            guard let first = pages.first else {
                // Somebody without any app of this server.
                return try due.page(matching: ListFilter([.bundleId: ""]), limit: 0, at: now, in: ledger)
            }
            return pages.dropFirst().reduce(first) { $0.merged(with: $1, limit: limit) }
        }
    }

    /// Says for each app that the configuration lacks what of it is not reported.
    package func unknownApps() async throws(RequestError) -> [(app: BundleId, detail: String)] {
        let (due, now) = (due, now)
        return try await store.longRead { ledger throws(LedgerError) in try due.unknownApps(at: now, in: ledger) }
    }

    /// Creates the service that sends alerts about due dates and review items.
    ///
    /// - Parameters:
    ///   - settings: the interval of scans and the size of messages.
    ///   - routes: the receivers of alerts in addition to the log, one on each way.
    package func alertMonitor(
        _ settings: AlertSettings = AlertSettings(),
        routes: [AlertRoute] = []
    ) -> AlertMonitor {
        AlertMonitor(
            store: store,
            scanner: scanner,
            settings: settings,
            routes: routes,
            counts: alertCounts,
            leases: leases,
            dependencies: dependencies,
            logger: logger
        )
    }

    /// The events that are sent to webhooks.
    package var deliveries: WebhookDeliveries {
        WebhookDeliveries(store: store, receivers: webhookReceivers, dependencies: dependencies)
    }

    /// Creates the service that sends changes to webhooks, which are then those that events are sent to again.
    package func webhookSender(_ webhooks: [EventWebhook]) -> WebhookSender {
        webhookReceivers.set(webhooks)
        return WebhookSender(
            store: store,
            webhooks: webhooks,
            app: apps.keys.min(),
            leases: leases,
            dependencies: dependencies,
            logger: logger
        )
    }

    /// Returns the numbers of rows by state, which are counted again after 5 seconds at the earliest.
    package func counts() async throws(RequestError) -> LedgerCounts {
        do {
            let counts = try await figures.counts()
            return lists.isLimited ? counts.limited(to: Set(apps.keys)) : counts
        } catch {
            throw .notStored(error)
        }
    }

    /// Returns the metrics of `GET /metrics` in the text format of Prometheus.
    package func metrics() async throws(RequestError) -> String {
        do {
            return try await figures.text()
        } catch {
            throw .notStored(error)
        }
    }
}
