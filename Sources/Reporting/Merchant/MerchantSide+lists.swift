package import ExternalPurchaseCore
package import Ledger

/// Which tokens a caller asks for; nothing given means all.
package struct TokenListFilter: Hashable, Sendable {
    package var bundleId: BundleId?
    package var state: TokenState?
    package var customerId: CustomerId?
    package var checkoutId: CheckoutId?
    package var externalPurchaseId: ExternalPurchaseId?
    /// The first moment of creation.
    package var from: Timestamp?
    /// The token was created before it.
    package var until: Timestamp?
    package var flag: TokenFlag?

    package init() {}

    fileprivate func matches(_ stored: StoredToken) -> Bool {
        let created = stored.token.tokenCreationDate
        // Its checkout may be one that the caller named, which ``candidates`` looked up.
        return (bundleId ?? stored.token.bundleId) == stored.token.bundleId && (state ?? stored.state) == stored.state
            && (customerId == nil || customerId == stored.customerId)
            && (externalPurchaseId ?? stored.token.externalPurchaseId) == stored.token.externalPurchaseId
            && from.map { created >= $0 } ?? true && until.map { created < $0 } ?? true
            && flag.map { stored.flags.contains($0) } ?? true
    }
}

/// Which reports a caller asks for; nothing given means all.
package struct ReportListFilter: Hashable, Sendable {
    package var bundleId: BundleId?
    package var state: ReportState?
    package var externalPurchaseId: ExternalPurchaseId?
    /// The first moment of writing.
    package var from: Timestamp?
    /// The report was written before it.
    package var until: Timestamp?

    package init() {}

    fileprivate func matches(_ report: StoredReport) -> Bool {
        (bundleId ?? report.scope.bundleId) == report.scope.bundleId && (state ?? report.state) == report.state
            && (externalPurchaseId ?? report.externalPurchaseId) == report.externalPurchaseId
            && from.map { report.writtenAt >= $0 } ?? true && until.map { report.writtenAt < $0 } ?? true
    }
}

extension MerchantSide {
    /// A page of tokens in the order of arrival.
    package func tokens(
        matching filter: TokenListFilter,
        _ page: LedgerPage
    ) async throws(RequestRefusal) -> [StoredToken] {
        let bundleIds = filter.bundleId.map { [$0] } ?? apps.keys.sorted()
        return try await read { ledger throws(LedgerError) in
            if filter == TokenListFilter() { return try ledger.tokens(page) }
            if let few = try filter.candidates(of: bundleIds, in: ledger) {
                let fitting = few.filter { filter.matches($0) && $0.sequence > page.after }
                return Array(fitting.sorted { $0.sequence < $1.sequence }.prefix(page.limit))
            }
            return try matching(page, filter.matches, \.sequence) { page throws(LedgerError) in
                try ledger.tokens(page)
            }
        }
    }

    /// A page of reports in the order of writing.
    package func reports(
        matching filter: ReportListFilter,
        _ page: LedgerPage
    ) async throws(RequestRefusal) -> [StoredReport] {
        let bundleIds = filter.bundleId.map { [$0] } ?? apps.keys.sorted()
        return try await read { ledger throws(LedgerError) in
            guard let token = filter.externalPurchaseId else {
                return try matching(page, filter.matches, \.sequence) { page throws(LedgerError) in
                    try ledger.reports(page)
                }
            }
            var few: [StoredReport] = []
            for bundleId in bundleIds { few += try ledger.reports(on: token, of: bundleId) }
            let fitting = few.filter { filter.matches($0) && $0.sequence > page.after }
            return Array(fitting.sorted { $0.sequence < $1.sequence }.prefix(page.limit))
        }
    }
}

/// As many rows of a list as a page holds, read until they are found.
private func matching<Row>(
    _ page: LedgerPage,
    _ matches: (Row) -> Bool,
    _ sequence: (Row) -> Int64,
    from list: (LedgerPage) throws(LedgerError) -> [Row]
) throws(LedgerError) -> [Row] {
    var found: [Row] = []
    var part = LedgerPage(after: page.after, limit: max(page.limit, 500))
    while true {
        let rows = try list(part)
        for row in rows where matches(row) {
            found.append(row)
            if found.count == page.limit { return found }
        }
        guard rows.count == part.limit, let last = rows.last else { return found }
        part.after = sequence(last)
    }
}

extension TokenListFilter {
    /// The tokens that an index finds; nil where none does.
    fileprivate func candidates(
        of bundleIds: [BundleId],
        in ledger: any LedgerReading
    ) throws(LedgerError) -> [StoredToken]? {
        if let externalPurchaseId {
            let tokens = try ledger.tokens(withId: externalPurchaseId)
            guard let checkoutId else { return tokens }
            var found: [StoredToken] = []
            for token in tokens where try ledger.token(of: checkoutId, app: token.token.bundleId) == token {
                found.append(token)
            }
            return found
        }
        var found: [StoredToken] = []
        for bundleId in bundleIds {
            if let checkoutId {
                if let token = try ledger.token(of: checkoutId, app: bundleId) { found.append(token) }
            } else if let customerId {
                found += try ledger.tokens(of: customerId, app: bundleId)
            } else {
                return nil
            }
        }
        return found
    }
}

extension LedgerReading {
    fileprivate func token(of checkout: CheckoutId, app bundleId: BundleId) throws(LedgerError) -> StoredToken? {
        guard let id = try self.checkout(checkout, of: bundleId)?.externalPurchaseId else { return nil }
        return try token(id, of: bundleId)
    }
}
