package import ExternalPurchaseCore
package import Ledger

/// Lists the rows of the ledger, page by page in the order of arrival or newest first.
package struct RecordLists: Sendable {
    let store: any LedgerStore
    let apps: [BundleId]
    let settings: ReportingSettings
    let classifier: HoldClassifier
    let dependencies: ReportingDependencies

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
        guard !filter.isEmpty || page.isNewestFirst else {
            return try await store.shortRead { ledger throws(LedgerError) in try ledger.openReviewItems(page) }
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
        try await store.shortRead { ledger throws(LedgerError) in try ledger.corrections(matching: filter, page) }
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
        try await store.shortRead { ledger throws(LedgerError) in try ledger.paymentEvents(matching: filter, page) }
    }

    package func paymentEvent(_ id: PaymentEventId) async throws(RequestError) -> StoredPaymentEvent? {
        try await store.shortRead { ledger throws(LedgerError) in try ledger.paymentEvent(id) }
    }

    /// Returns the payment events that name one of the provider's objects, such as `pi_…`, in order of arrival.
    package func paymentEvents(about objects: Set<String>) async throws(RequestError) -> [StoredPaymentEvent] {
        if objects.isEmpty { return [] }
        return try await store.shortRead { ledger throws(LedgerError) in
            var events: [StoredPaymentEvent] = []
            for provider in PaymentProvider.allCases {
                events += try ledger.paymentEvents(about: objects, of: provider)
            }
            return events.sorted { $0.sequence < $1.sequence }
        }
    }

    package func audit(
        matching filter: ListFilter = ListFilter(),
        _ page: LedgerPage
    ) async throws(RequestError) -> [AuditEntry] {
        try await store.shortRead { ledger throws(LedgerError) in try ledger.auditEntries(matching: filter, page) }
    }

    /// Verifies the hash chain of the audit log.
    func verifyAudit() async throws(RequestError) -> AuditVerdict {
        try await store.longRead { ledger throws(LedgerError) in try ledger.verifyAudit() }
    }

    /// Returns the tokens with an identifier; several only if several apps have it.
    package func tokens(withId id: ExternalPurchaseId) async throws(RequestError) -> [StoredToken] {
        try await store.shortRead { ledger throws(LedgerError) in try ledger.tokens(withId: id) }
    }

    /// Returns a page of the quarantine.
    package func quarantinedTokens(_ page: LedgerPage) async throws(RequestError) -> [QuarantinedToken] {
        try await store.shortRead { ledger throws(LedgerError) in try ledger.quarantinedTokens(page) }
    }

    /// Returns a page of manual exports in the order of creation, each with its sales.
    package func manualExports(
        matching filter: ListFilter = ListFilter(),
        _ page: LedgerPage
    ) async throws(RequestError) -> [ManualSubmissionRecorder.Outcome] {
        try await store.shortRead { ledger throws(LedgerError) in
            var outcomes: [ManualSubmissionRecorder.Outcome] = []
            for export in try ledger.manualExports(matching: filter, page) {
                let sales = try ledger.sales(in: export.exportId, of: export.bundleId).map(\.sale.saleId)
                outcomes.append(ManualSubmissionRecorder.Outcome(export: export, sales: sales, isNew: false))
            }
            return outcomes
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
        let apps = apps
        let own = Set(fields.parameters.map(\.name))
        return try await store.shortRead { ledger throws(LedgerError) in
            let parts = try ledger.parts(of: filter, own: own, apps: apps, isByApp: isByApp)
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
