package import ExternalPurchaseCore
package import Ledger
package import ReportPlanning

/// Builds month exports from the ledger (OB-61 to OB-63, OB-80).
///
/// An export covers the sales and tokens of one environment. The default is production; sandbox sales owe no
/// commission.
package struct LedgerExport: Sendable {
    private let rules: DeadlineRules
    private let settings: ReportingSettings
    private let environment: AppStoreEnvironment

    package init(rules: DeadlineRules, settings: ReportingSettings, environment: AppStoreEnvironment = .production) {
        self.rules = rules
        self.settings = settings
        self.environment = environment
    }

    /// Builds the export of an app, a programme and a month.
    ///
    /// - Throws: ``LedgerError``; a ``ReportPlanning/ExportRefusal`` is part of the result.
    package func month(
        _ id: String,
        programme: String,
        of bundleId: BundleId,
        now: Timestamp,
        in ledger: any LedgerQueries
    ) throws(LedgerError) -> Result<MonthExport, ExportRefusal> {
        let input = try input(month: id, programme: programme, of: bundleId, now: now, in: ledger)
        do throws(ExportRefusal) {
            return .success(try MonthExport(month: id, programme: programme, from: input, rules: rules))
        } catch {
            return .failure(error)
        }
    }

    /// Builds the exports of an app and a month for several programmes, from one state of the ledger.
    ///
    /// - Throws: ``LedgerError``; a ``ReportPlanning/ExportRefusal`` is part of the result.
    package func month(
        _ id: String,
        programmes: [String],
        of bundleId: BundleId,
        now: Timestamp,
        in ledger: any LedgerQueries
    ) throws(LedgerError) -> Result<MonthExports, ExportRefusal> {
        var exports: [MonthExport] = []
        for programme in programmes {
            switch try month(id, programme: programme, of: bundleId, now: now, in: ledger) {
            case .success(let export): exports.append(export)
            case .failure(let refusal): return .failure(refusal)
            }
        }
        return .success(MonthExports(bundleId: bundleId, month: id, exports: exports))
    }

    private func input(
        month id: String,
        programme: String,
        of bundleId: BundleId,
        now: Timestamp,
        in ledger: any LedgerQueries
    ) throws(LedgerError) -> ExportInput {
        var input = ExportInput(bundleId: bundleId, developerProgrammes: settings.developerProgrammes)
        guard let span = rules.span(ofMonth: id, programme: programme) else { return input }
        let scope = ReportingScope(bundleId: bundleId, environment: environment)
        var found = try FoundRows(in: scope, span: span, ledger: ledger)
        let planned = try MerchantPlanner.plan(settings, touching: found.keys, of: bundleId, in: ledger, now: now)
        try found.readReports(of: Set(planned.part.tokens.keys), ledger: ledger)
        let taps = try TapsByToken(of: Array(planned.part.tokens.values), app: bundleId, in: ledger)
        let sales = SalesOfExport(
            planned: planned,
            environment: environment,
            foreignCurrency: settings.foreignCurrency,
            taps: taps
        )
        input.sales = sales.rows
        input.tokens = found.tokens(adding: planned.part.tokens).map { token in
            ExportToken(
                id: token.token.externalPurchaseId,
                type: token.token.tokenType,
                createdAt: token.token.tokenCreationDate,
                storefront: token.storefront,
                taxCountries: sales.taxCountries[token.token.externalPurchaseId]?.sorted() ?? []
            )
        }
        input.reports = found.reports
        try ledger.eachManualExport { export throws(LedgerError) in
            guard export.bundleId == bundleId, export.withdrawal == nil, let submission = export.submission else {
                return
            }
            for sale in try ledger.sales(in: export.exportId, of: bundleId) {
                input.handedInSales[sale.sale.saleId.rawValue] = submission
            }
        }
        return input
    }
}

extension DeadlineRules {
    /// Returns the time range of a month under all versions of a programme; nil if no version has the month.
    ///
    /// - Returns: the first moment, and the first moment after the month.
    func span(ofMonth id: String, programme: String) -> (start: Timestamp, end: Timestamp)? {
        let months = catalog.programmes.filter { $0.id == programme }.compactMap { table(of: $0)?.month(id: id) }
        guard let first = months.map(\.firstDay).min(), let last = months.map(\.lastDay).max() else { return nil }
        return (settings.timeZone.start(of: first), settings.timeZone.start(of: last.adding(days: 1)))
    }
}

/// The rows of the ledger and the accepted reports that belong to a month.
private struct FoundRows {
    let scope: ReportingScope
    /// The planning keys of the month's sales and tokens.
    private(set) var keys: [PlanningKey] = []
    private var found: [ExternalPurchaseId: StoredToken] = [:]
    private var reportRows: [StoredReport] = []
    /// Tokens with accepted line items of the month, whose sales may be unknown.
    private var reported: Set<ExternalPurchaseId> = []

    init(
        in scope: ReportingScope,
        span: (start: Timestamp, end: Timestamp),
        ledger: any LedgerQueries
    ) throws(LedgerError) {
        self.scope = scope
        var page = TimePage(limit: 500)
        while true {
            let sales = try ledger.sales(of: scope.bundleId, occurredFrom: span.start, until: span.end, page)
            keys += sales.map { .sale($0.sale.saleId) }
            guard sales.count == page.limit, let last = sales.last else { break }
            page.after = TimePage.Position(time: last.sale.occurredAt, sequence: last.sequence)
        }
        page = TimePage(limit: 500)
        while true {
            let tokens = try ledger.tokens(in: scope, madeFrom: span.start, until: span.end, page)
            for token in tokens { found[token.token.externalPurchaseId] = token }
            guard tokens.count == page.limit, let last = tokens.last else { break }
            page.after = TimePage.Position(time: last.token.tokenCreationDate, sequence: last.sequence)
        }
        keys += found.keys.map { .token($0) }
        var reported: Set<ExternalPurchaseId> = []
        try ledger.eachLineItem(in: scope, createdFrom: span.start, until: span.end) { version throws(LedgerError) in
            if version.reportState == .accepted { reported.insert(version.externalPurchaseId) }
        }
        self.reported = reported
    }

    /// Reads the accepted reports on the given tokens and on all tokens with line items of the month.
    mutating func readReports(of tokens: Set<ExternalPurchaseId>, ledger: any LedgerQueries) throws(LedgerError) {
        for id in tokens.union(reported) where id.environment == scope.environment {
            if found[id] == nil { found[id] = try ledger.token(id, of: scope.bundleId) }
            reportRows += try ledger.reports(on: id, of: scope.bundleId)
                .filter { $0.state == .accepted && $0.scope == scope }
        }
    }

    func tokens(adding others: [ExternalPurchaseId: StoredToken]) -> [StoredToken] {
        found.merging(others) { first, _ in first }.values
            .filter { $0.scope == scope }
            .sorted { $0.sequence < $1.sequence }
    }

    /// The accepted reports in the order of writing, which equals the order of acceptance.
    ///
    /// A report delays later reports on its token (SA-74), and the second report of a correction waits for the first
    /// (RR-83). Times do not give this order, because clocks can be set back and an import has the time of its own
    /// clock.
    var reports: [ExportReport] {
        reportRows.sorted { $0.sequence < $1.sequence }.map { report in
            ExportReport(
                requestIdentifier: report.requestIdentifier,
                token: report.externalPurchaseId,
                status: report.status,
                acceptedAt: report.changedAt,
                items: report.sentItems.compactMap(ExportReport.Item.init)
            )
        }
    }
}

extension ExportReport.Item {
    /// Creates an accepted item; nil if a member that every accepted item has is missing.
    fileprivate init?(_ item: ReceivedLineItem) {
        guard let id = item.lineItemId, let date = item.creationDate, let exclusive = item.amountTaxExclusive,
            let net = item.netAmountTaxExclusive, let currency = item.reportingCurrency
        else { return nil }
        self.init(
            id: id,
            createdAt: Timestamp(milliseconds: date),
            taxExclusive: MilliUnits(exclusive),
            net: MilliUnits(net),
            currency: currency,
            reference: item.referenceLineItemId,
            isRefund: item.eventType == .refund,
            isRetracted: item.erroneouslySubmitted == true
        )
    }
}

/// The taps on landing links by token and customer, for commission windows (OB-31, OB-32).
struct TapsByToken {
    private var byToken: [ExternalPurchaseId: [Timestamp]] = [:]
    private var byCustomer: [CustomerId: [Timestamp]] = [:]

    init(of tokens: [StoredToken], app bundleId: BundleId, in ledger: any LedgerQueries) throws(LedgerError) {
        let known = Dictionary(tokens.map { ($0.token.externalPurchaseId, $0) }) { first, _ in first }
        var (byToken, byCustomer) = (byToken, byCustomer)
        try ledger.eachTap { tap throws(LedgerError) in
            guard tap.bundleId == bundleId, let id = tap.externalPurchaseId, let token = known[id] else { return }
            byToken[id, default: []].append(tap.tappedAt)
            if let customer = token.customerId { byCustomer[customer, default: []].append(tap.tappedAt) }
        }
        (self.byToken, self.byCustomer) = (byToken, byCustomer)
    }

    /// Returns the customer's taps on all tokens or, without a customer, the taps on the token.
    func taps(of customer: CustomerId?, on token: ExternalPurchaseId?) -> [Timestamp] {
        if let customer { return byCustomer[customer] ?? [] }
        return token.flatMap { byToken[$0] } ?? []
    }
}
