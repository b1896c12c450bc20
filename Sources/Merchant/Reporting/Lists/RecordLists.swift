package import ExternalPurchaseCore
package import Ledger

/// Lists the rows of the ledger, page by page in the order of arrival or newest first.
package struct RecordLists: Sendable {
    let store: any LedgerStore
    let apps: [BundleId]
    /// Whether rows of other apps than ``apps``, and of no app, are left out.
    private(set) var isLimited = false
    /// Whether the audit log has entries about keys and users.
    private(set) var showsAccess = true
    let settings: ReportingSettings
    let classifier: HoldClassifier
    let dependencies: ReportingDependencies

    /// Returns the lists of some apps.
    func limited(to apps: Set<BundleId>) -> RecordLists {
        RecordLists(
            store: store,
            apps: self.apps.filter(apps.contains),
            isLimited: true,
            showsAccess: showsAccess,
            settings: settings,
            classifier: classifier,
            dependencies: dependencies
        )
    }

    /// Returns the lists of somebody who is no administrator: without audit entries about keys and users.
    func withoutAccess() -> RecordLists {
        var lists = self
        lists.showsAccess = false
        return lists
    }

    /// Returns the apps whose records are part of these lists, also those that only the ledger has, such as an app that was
    /// taken out of the configuration.
    func apps(in ledger: LedgerQueries) throws(LedgerError) -> [BundleId] {
        isLimited ? apps : Set(apps).union(try ledger.apps()).sorted()
    }

    /// Returns the apps that a request may name: those that only the ledger has are looked up where it names none of the others.
    package func knownApps(naming bundleId: String?) async throws(RequestError) -> [BundleId] {
        guard let bundleId, !apps.contains(BundleId(bundleId)) else { return apps }
        return try await knownApps()
    }

    /// Returns the apps whose records are part of these lists.
    package func knownApps() async throws(RequestError) -> [BundleId] {
        if isLimited { return apps }
        return try await store.shortRead { ledger throws(LedgerError) in try apps(in: ledger) }
    }

    /// Whether a record of an app, or of none, is part of these lists.
    func has(_ app: BundleId?) -> Bool { !isLimited || app.map(apps.contains) == true }

    /// Returns the filters whose rows are those of a filter: itself, or for lists of some apps one for each of them.
    func filters(_ filter: ListFilter) -> [ListFilter] {
        guard isLimited else { return [filter] }
        return apps.filter { app in
            filter[.bundleId].map { app.rawValue.hasSameScalars(as: $0) } ?? true
        }.map { app in
            var part = filter
            part[.bundleId] = app.rawValue
            return part
        }
    }

    /// Returns a page of the rows of ``filters(_:)``, each of which the function reads.
    func merged<Row: Sendable>(
        _ filter: ListFilter,
        _ page: LedgerPage,
        _ sequence: (Row) -> Int64,
        from rows: (ListFilter) async throws(RequestError) -> [Row]
    ) async throws(RequestError) -> [Row] {
        let filters = filters(filter)
        if filters.count == 1, let only = filters.first { return try await rows(only) }
        var found: [Row] = []
        for part in filters { found += try await rows(part) }
        return Array(found.sorted { page.precedes(sequence($0), sequence($1)) }.prefix(page.limit))
    }

    package func tokens(
        matching filter: ListFilter = ListFilter(),
        _ page: LedgerPage
    ) async throws(RequestError) -> [StoredToken] {
        try await list(filter, page, own: StoredToken.listFields, isByApp: true, \.sequence) {
            ledger,
            filter,
            page throws(LedgerError) in try ledger.tokens(matching: filter, page)
        }
    }

    package func reports(
        matching filter: ListFilter = ListFilter(),
        _ page: LedgerPage
    ) async throws(RequestError) -> [StoredReport] {
        try await list(filter, page, own: StoredReport.listFields, isByApp: true, \.sequence) {
            ledger,
            filter,
            page throws(LedgerError) in try ledger.reports(matching: filter, page)
        }
    }

    /// Returns the review items; resolved ones are included only if the filter asks for them.
    package func review(
        matching filter: ListFilter = ListFilter(),
        _ page: LedgerPage
    ) async throws(RequestError) -> [ReviewItem] {
        guard isLimited || !filter.isEmpty || page.isNewestFirst else {
            return try await store.shortRead { ledger throws(LedgerError) in
                try ledger.openReviewItems(page)
            }
        }
        var filter = filter
        filter[.state] = filter[.state] ?? "open"
        return try await list(filter, page, own: ReviewItem.listFields, isByApp: true, \.sequence) {
            ledger,
            filter,
            page throws(LedgerError) in try ledger.reviewItems(matching: filter, page)
        }
    }

    package func corrections(
        matching filter: ListFilter = ListFilter(),
        _ page: LedgerPage
    ) async throws(RequestError) -> [StoredCorrection] {
        try await merged(filter, page, \.sequence) { filter throws(RequestError) in
            try await store.shortRead { ledger throws(LedgerError) in
                try ledger.corrections(matching: filter, page)
            }
        }
    }

    package func notifications(
        matching filter: ListFilter = ListFilter(),
        _ page: LedgerPage
    ) async throws(RequestError) -> [StoredNotification] {
        try await list(filter, page, own: StoredNotification.listFields, \.sequence) {
            ledger,
            filter,
            page throws(LedgerError) in try ledger.notifications(matching: filter, page)
        }
    }

    package func paymentEvents(
        matching filter: ListFilter = ListFilter(),
        _ page: LedgerPage
    ) async throws(RequestError) -> [StoredPaymentEvent] {
        try await merged(filter, page, \.sequence) { filter throws(RequestError) in
            try await store.shortRead { ledger throws(LedgerError) in
                try ledger.paymentEvents(matching: filter, page)
            }
        }
    }

    package func paymentEvent(_ id: PaymentEventId) async throws(RequestError) -> StoredPaymentEvent? {
        let event = try await store.shortRead { ledger throws(LedgerError) in
            try ledger.paymentEvent(id)
        }
        return event.flatMap { has($0.bundleId) ? $0 : nil }
    }

    /// Returns the payment events that name one of the provider's objects, such as `pi_…`, in order of arrival.
    package func paymentEvents(about objects: Set<PaymentObjectName>) async throws(RequestError) -> [StoredPaymentEvent]
    {
        if objects.isEmpty { return [] }
        let found = try await store.shortRead { ledger throws(LedgerError) in
            var events: [StoredPaymentEvent] = []
            for provider in PaymentProvider.allCases {
                events += try ledger.paymentEvents(about: objects, of: provider)
            }
            return events.sorted { $0.sequence < $1.sequence }
        }
        return found.filter { has($0.bundleId) }
    }

    package func audit(
        matching filter: ListFilter = ListFilter(),
        _ page: LedgerPage
    ) async throws(RequestError) -> [AuditEntry] {
        if !showsAccess, filter[.kind].map(AuditEntry.isOfAccess) == true { return [] }
        return try await merged(filter, page, \.sequence) { filter throws(RequestError) in
            try await auditRows(filter, page)
        }
    }

    /// Returns a page of the audit log, full as long as there are more entries that may be seen.
    private func auditRows(_ filter: ListFilter, _ page: LedgerPage) async throws(RequestError) -> [AuditEntry] {
        var (page, found): (LedgerPage, [AuditEntry]) = (page, [])
        while true {
            let entries = try await store.shortRead { [page] ledger throws(LedgerError) in
                try ledger.auditEntries(matching: filter, page)
            }
            found += showsAccess ? entries : entries.filter { !$0.isOfAccess }
            guard found.count < page.limit, entries.count == page.limit, let last = entries.last else {
                return Array(found.prefix(page.limit))
            }
            page.after = last.sequence
        }
    }

    /// Verifies the hash chain of the audit log.
    func verifyAudit() async throws(RequestError) -> AuditVerdict {
        try await store.longRead { ledger throws(LedgerError) in try ledger.verifyAudit() }
    }

    /// Returns the tokens with an identifier; several only if several apps have it.
    package func tokens(withId id: ExternalPurchaseId) async throws(RequestError) -> [StoredToken] {
        try await store.shortRead { ledger throws(LedgerError) in try ledger.tokens(withId: id) }
            .filter { has($0.token.bundleId) }
    }

    /// Returns a page of the quarantine.
    package func quarantinedTokens(_ page: LedgerPage) async throws(RequestError)
        -> [QuarantinedToken]
    {
        // Nobody knows whose they are.
        if isLimited { return [] }
        return try await store.shortRead { ledger throws(LedgerError) in
            try ledger.quarantinedTokens(page)
        }
    }

    /// Returns a page of manual exports in the order of creation, each with its sales.
    package func manualExports(
        matching filter: ListFilter = ListFilter(),
        _ page: LedgerPage
    ) async throws(RequestError) -> [ManualSubmissionRecorder.Outcome] {
        try await merged(filter, page, \.export.sequence) { filter throws(RequestError) in
            try await store.shortRead { ledger throws(LedgerError) in
                var outcomes: [ManualSubmissionRecorder.Outcome] = []
                for export in try ledger.manualExports(matching: filter, page) {
                    let sales = try ledger.sales(in: export.exportId, of: export.bundleId).map(\.sale.saleId)
                    outcomes.append(
                        ManualSubmissionRecorder.Outcome(export: export, sales: sales, isNew: false)
                    )
                }
                return outcomes
            }
        }
    }

    /// Returns a page of the rows that match a filter.
    ///
    /// - Parameters:
    ///   - filter: the filter.
    ///   - page: the page.
    ///   - fields: the filter fields that the rows contain; all others are resolved through the rows' tokens.
    ///   - isByApp: true if the store can query the rows of only one app at a time.
    ///   - sequence: returns the sequence of a row.
    ///   - rows: queries the rows of a partial filter.
    private func list<Row: Sendable>(
        _ filter: ListFilter,
        _ page: LedgerPage,
        own fields: ListFields<Row>,
        isByApp: Bool = false,
        _ sequence: @escaping @Sendable (Row) -> Int64,
        from rows: @escaping @Sendable (LedgerQueries, ListFilter, LedgerPage) throws(LedgerError) -> [Row]
    ) async throws(RequestError) -> [Row] {
        let filters = filters(filter)
        let own = Set(fields.parameters.map(\.name))
        return try await store.shortRead { ledger throws(LedgerError) in
            let apps = try self.apps(in: ledger)
            var parts: [ListFilter] = []
            for filter in filters {
                parts += try ledger.parts(of: filter, own: own, apps: apps, isByApp: isByApp)
            }
            if parts.count == 1, let part = parts.first { return try rows(ledger, part, page) }
            var found: [Row] = []
            for part in parts { found += try rows(ledger, part, page) }
            return Array(found.sorted { page.precedes(sequence($0), sequence($1)) }.prefix(page.limit))
        }
    }
}

extension LedgerQueries {
    /// Splits a filter into filters that the store supports; together they match the same rows, each row once.
    ///
    /// - Parameters:
    ///   - filter: the filter.
    ///   - own: the filter fields that the rows contain; all others are resolved through the rows' tokens.
    ///   - apps: the apps to query if the filter names none.
    ///   - isByApp: true if the store can query the rows of only one app at a time.
    package func parts(
        of filter: ListFilter,
        own: Set<ListFilter.Parameter>,
        apps: [BundleId],
        isByApp: Bool
    ) throws(LedgerError) -> [ListFilter] {
        let others = Set(filter.values.keys).subtracting(own)
        if filter.isEmpty || filter[.bundleId] == nil && !isByApp && others.isEmpty { return [filter] }
        var parts: [ListFilter] = []
        for app in filter[.bundleId].map({ [BundleId($0)] }) ?? apps {
            var part = filter
            part[.bundleId] = app.rawValue
            if others.isEmpty {
                parts.append(part)
                continue
            }
            var tokens: Set<ExternalPurchaseId>?
            if let checkout = part[.checkoutId] {
                let carried = try self.checkout(CheckoutId(checkout), of: app)?.externalPurchaseId
                tokens = Set([carried].compactMap(\.self))
            }
            if !own.contains(.customerId), let customer = part[.customerId] {
                let ids = Set(try self.tokens(of: CustomerId(customer), app: app).map(\.token.externalPurchaseId))
                tokens = tokens?.intersection(ids) ?? ids
            }
            for other in others { part[other] = nil }
            for token in tokens ?? [] where part[.externalPurchaseId] ?? token.rawValue == token.rawValue {
                var of = part
                of[.externalPurchaseId] = token.rawValue
                parts.append(of)
            }
        }
        return parts
    }
}
