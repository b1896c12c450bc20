package import ExternalPurchaseCore
package import Ledger

/// A token with everything that happened to it.
package struct TokenDetail: Sendable {
    package let token: StoredToken
    /// Its reports in order of writing, with the bytes that were sent and received.
    package let reports: [StoredReport]
    /// The first ``TokenDetail/limit`` sales that are attributed to it.
    package let sales: [StoredSale]
    package let notifications: [StoredNotification]
    /// Review items about the token, its sales and its reports, open and closed.
    package let review: [ReviewItem]
    /// Entries of the audit log that name the token, oldest first, at most ``TokenDetail/limit``.
    package let audit: [AuditEntry]

    /// The largest number of rows of one kind.
    package static let limit = 500
}

/// A report with the sales that it holds.
package struct ReportDetail: Sendable {
    package let report: StoredReport
    package let sales: [StoredSale]
    package let review: [ReviewItem]
}

extension RecordLists {
    /// Returns a token with its reports, sales, notifications, review items and audit entries.
    ///
    /// - Parameters:
    ///   - id: the identifier of the token.
    ///   - bundleId: the app; required if several apps have the token.
    /// - Throws: ``RequestError/unknown(_:)`` for an unknown token, ``RequestError/invalid(_:)`` if several apps have it
    ///   and none is named.
    package func token(
        _ id: ExternalPurchaseId,
        of bundleId: BundleId? = nil
    ) async throws(RequestError) -> TokenDetail {
        let token = try await tokens(withId: id).named(id, of: bundleId)
        let isLimited = isLimited
        return try await store.shortRead { ledger throws(LedgerError) in
            let app = token.token.bundleId
            let page = LedgerPage(limit: TokenDetail.limit)
            let reports = try ledger.reports(on: id, of: app)
            let sales = try ledger.statingCurrencies(try ledger.sales(.token(id, of: app), page))
            var review = try ledger.reviewItems(about: .token(id), app: app)
            for sale in sales { review += try ledger.reviewItems(about: .sale(sale.sale.saleId), app: app) }
            for report in reports {
                review += try ledger.reviewItems(about: .report(report.requestIdentifier), app: app)
            }
            let filter = ListFilter(
                isLimited
                    ? [.externalPurchaseId: id.rawValue, .bundleId: app.rawValue]
                    : [.externalPurchaseId: id.rawValue]
            )
            return TokenDetail(
                token: token,
                reports: reports,
                sales: sales,
                notifications: try ledger.notifications(about: id, app: app),
                review: review.sorted { $0.sequence < $1.sequence },
                audit: try ledger.auditEntries(matching: filter, page)
            )
        }
    }

    /// Returns the reports with an identifier and their sales; several only if several apps or environments have it.
    package func reports(withId id: RequestIdentifier) async throws(RequestError) -> [ReportDetail] {
        try await store.shortRead { ledger throws(LedgerError) in
            var found: [ReportDetail] = []
            let scopes = try apps(in: ledger).flatMap { app in
                AppStoreEnvironment.allCases.map { ReportingScope(bundleId: app, environment: $0) }
            }
            for scope in scopes {
                guard let report = try ledger.report(id, in: scope) else { continue }
                found.append(
                    ReportDetail(
                        report: report,
                        sales: try ledger.statingCurrencies(try ledger.sales(in: id, of: scope)),
                        review: try ledger.reviewItems(about: .report(id), app: scope.bundleId)
                    )
                )
            }
            return found
        }
    }

    /// Returns a notification; nil if it is unknown.
    package func notification(_ uuid: NotificationUUID) async throws(RequestError)
        -> StoredNotification?
    {
        let found = try await store.shortRead { ledger throws(LedgerError) in
            try ledger.notification(uuid)
        }
        return found.flatMap { has($0.bundleId) ? $0 : nil }
    }

    /// Returns the corrections with an identifier; several only if several apps have it.
    package func corrections(withId id: CorrectionId) async throws(RequestError) -> [StoredCorrection] {
        try await store.shortRead { ledger throws(LedgerError) in
            var found: [StoredCorrection] = []
            for app in try apps(in: ledger) {
                if let correction = try ledger.correction(id, of: app) { found.append(correction) }
            }
            return found
        }
    }

    /// Returns a review item, open or closed; nil if it is unknown.
    package func reviewItem(_ sequence: Int64) async throws(RequestError) -> ReviewItem? {
        guard sequence > 0 else { return nil }
        let found = try await store.shortRead { ledger throws(LedgerError) in
            try ledger.reviewItems(LedgerPage(after: sequence - 1, limit: 1)).first {
                $0.sequence == sequence
            }
        }
        return found.flatMap { has($0.bundleId) ? $0 : nil }
    }

    /// Returns the apps that have a sale with an identifier.
    package func apps(withSale id: SaleId) async throws(RequestError) -> [BundleId] {
        try await store.shortRead { ledger throws(LedgerError) in
            var found: [BundleId] = []
            for app in try apps(in: ledger) where try ledger.sale(id, of: app) != nil { found.append(app) }
            return found
        }
    }

    /// Returns the sale that has or had a line item, with its app.
    package func sale(ofLineItem id: LineItemId) async throws(RequestError) -> (saleId: SaleId, bundleId: BundleId)? {
        try await store.shortRead { ledger throws(LedgerError) in
            for app in try apps(in: ledger) {
                if let sale = try ledger.sale(ofLineItem: id, of: app) { return (sale, app) }
            }
            return nil
        }
    }

    /// Returns the token that a checkout carries, and whether any app knows the checkout.
    package func checkout(_ id: CheckoutId) async throws(RequestError) -> Checkout? {
        try await store.shortRead { ledger throws(LedgerError) in
            for app in try apps(in: ledger) { if let checkout = try ledger.checkout(id, of: app) { return checkout } }
            return nil
        }
    }

    /// Whether an app knows a customer.
    package func knowsCustomer(_ id: CustomerId) async throws(RequestError) -> Bool {
        try await store.shortRead { ledger throws(LedgerError) in
            for app in try apps(in: ledger) where try ledger.customer(id, of: app) != nil { return true }
            return false
        }
    }
}
