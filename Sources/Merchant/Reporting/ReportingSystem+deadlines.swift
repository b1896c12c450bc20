package import Ledger

extension ReportingSystem {
    /// A page of what is not reported yet, in the order in which it needs attention, beside the counts of all of it.
    ///
    /// - Parameter position: of the last entry of the page before; nil begins at the first.
    package func deadlines(
        matching filter: ListFilter = ListFilter(),
        after position: DeadlinePosition? = nil,
        limit: Int
    ) async throws(RequestError) -> DeadlinePage {
        let (due, now) = (due, now)
        return try await store.longRead { ledger throws(LedgerError) in
            try due.page(matching: filter, limit: limit, after: position, at: now, in: ledger)
        }
    }

    /// The service that tells of what comes near its due date and of what waits for a person.
    ///
    /// - Parameters:
    ///   - settings: how often it looks, and how much one message holds.
    ///   - receiver: is told beside the log; nil for the log alone.
    package func alertMonitor(
        _ settings: AlertSettings = AlertSettings(),
        receiver: (any AlertReceiver)? = nil
    ) -> AlertMonitor {
        AlertMonitor(
            store: store,
            scanner: scanner,
            settings: settings,
            receiver: receiver,
            counts: alertCounts,
            dependencies: dependencies,
            logger: logger
        )
    }

    /// The figures of `GET /metrics`, in Prometheus' text format.
    package func metrics() async throws(RequestError) -> String {
        do {
            return try await figures.text()
        } catch {
            throw .notStored(error)
        }
    }
}
