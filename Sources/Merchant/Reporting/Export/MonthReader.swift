import ExternalPurchaseCore
import Ledger

/// Reads the records of a month in pages and adds them to the builder of its exports.
///
/// Of each sale it reads the buy, refunds, order and subscription that decide on its line item, and the tokens and taps of
/// its customer: never the other sales of a customer or token. Tokens and taps may open a window however old they are
/// (OB-34), so they are read whole, once for each customer; of the moments that memory holds of them there is a limit.
struct MonthReader {
    private let scope: ReportingScope
    private let span: (start: Timestamp, end: Timestamp)
    private let settings: ReportingSettings
    private let now: Timestamp
    private let ledger: LedgerQueries
    private(set) var builder: MonthExportBuilder
    private var visits: [Visitor: SalesOfExport.Visits] = [:]
    /// The number of moments in ``visits``, each visitor counted as 64 more.
    private var keptMoments = 0
    private let mostMoments: Int
    private var submissions: [ManualExportId: ManualSubmission?] = [:]

    /// Whose taps open commission windows: a customer, or a token without one (OB-32).
    private enum Visitor: Hashable {
        case customer(CustomerId)
        case token(ExternalPurchaseId)
    }

    /// - Parameters:
    ///   - scope: the app and the environment.
    ///   - span: the first moment of the month and the first after it.
    ///   - settings: the settings of the reporting system.
    ///   - now: the current time.
    ///   - ledger: one consistent state of the ledger.
    ///   - builder: the builder to which the records are added.
    ///   - mostMoments: the largest number of moments of customers to keep, of 8 bytes each. With more, a customer of
    ///     several pages is read again.
    init(
        scope: ReportingScope,
        span: (start: Timestamp, end: Timestamp),
        settings: ReportingSettings,
        now: Timestamp,
        ledger: LedgerQueries,
        builder: MonthExportBuilder,
        mostMoments: Int = 1 << 19
    ) {
        self.scope = scope
        self.span = span
        self.settings = settings
        self.now = now
        self.ledger = ledger
        self.builder = builder
        self.mostMoments = mostMoments
    }

    /// Reads the month.
    ///
    /// - Parameter rows: receives the rows by date, those of one moment in any order.
    /// - Throws: ``LedgerError``; ``LedgerError/stopped`` at the next page when the read is cancelled.
    mutating func read(_ rows: (ExportRow) throws(LedgerError) -> Void) throws(LedgerError) {
        var sales = Queue(limit: 200)
        var tokens = Queue(limit: 500)
        while true {
            while sales.rows.isEmpty, !sales.isComplete { try readPage(of: &sales) }
            while tokens.rows.isEmpty, !tokens.isComplete { try readPage(ofTokens: &tokens) }
            guard let sale = sales.rows.first else {
                guard let token = tokens.rows.popFirst() else { break }
                try rows(token)
                continue
            }
            if let token = tokens.rows.first, token.createdAt < sale.createdAt {
                tokens.rows.removeFirst()
                try rows(token)
            } else {
                sales.rows.removeFirst()
                try rows(sale)
            }
        }
        try addLineItems()
    }

    /// The rows of a page, and how far the records are read.
    private struct Queue {
        var page: TimePage
        var rows: ArraySlice<ExportRow> = []
        var isComplete = false

        init(limit: Int) {
            page = TimePage(limit: limit)
        }

        /// Continues after the last record of a page.
        mutating func advance(after count: Int, _ last: TimePage.Position?) {
            isComplete = count < page.limit || last == nil
            page.after = last
        }
    }

    private mutating func readPage(of queue: inout Queue) throws(LedgerError) {
        let sales = try ledger.sales(of: scope.bundleId, occurredFrom: span.start, until: span.end, queue.page)
        if !sales.isEmpty { try add(sales) }
        queue.rows = builder.takeRows()[...]
        let last = sales.last.map { TimePage.Position(time: $0.sale.occurredAt, sequence: $0.sequence) }
        queue.advance(after: sales.count, last)
    }

    private mutating func readPage(ofTokens queue: inout Queue) throws(LedgerError) {
        let tokens = try ledger.tokens(in: scope, madeFrom: span.start, until: span.end, queue.page)
        for token in tokens { try add(token) }
        queue.rows = builder.takeRows()[...]
        let last = tokens.last.map { TimePage.Position(time: $0.token.tokenCreationDate, sequence: $0.sequence) }
        queue.advance(after: tokens.count, last)
    }

    private mutating func add(_ sales: [StoredSale]) throws(LedgerError) {
        let planned = try MerchantPlanner.plan(
            settings,
            touching: sales.map { .sale($0.sale.saleId) },
            of: scope.bundleId,
            extent: .content,
            in: ledger,
            now: now
        )
        let part = SalesOfExport(
            planned: planned,
            environment: scope.environment,
            foreignCurrency: settings.foreignCurrency
        )
        for sale in sales {
            guard let stored = part.live[sale.sale.saleId] else { continue }
            let token = part.token(of: stored)
            let visits = try visits(of: part.customer(of: stored, on: token), on: token)
            builder.add(
                part.row(of: stored, on: token, visits: visits),
                takingBack: part.buyRow(of: stored),
                accepted: part.accepted(stored),
                manualSubmission: try submission(of: stored)
            )
        }
    }

    private mutating func add(_ token: StoredToken) throws(LedgerError) {
        let id = token.token.externalPurchaseId
        let accepted = try ledger.reports(on: id, of: scope.bundleId)
            .filter { $0.state == .accepted && $0.scope == scope }
            .sorted { $0.sequence < $1.sequence }
        var hasSales = true
        if accepted.isEmpty {
            hasSales = try !ledger.sales(.token(id, of: scope.bundleId), LedgerPage(limit: 1)).isEmpty
        }
        builder.add(
            try exported(token),
            reports: accepted.map { ($0.requestIdentifier, $0.status) },
            hasSales: hasSales
        )
    }

    /// Counts the accepted reports of the month's line items, and adds the items without a sale.
    private mutating func addLineItems() throws(LedgerError) {
        try ledger.eachLineItem(in: scope, createdFrom: span.start, until: span.end) { version throws(LedgerError) in
            guard version.reportState == .accepted, let id = version.item.lineItemId,
                !builder.add(report: version.requestIdentifier, with: id),
                try ledger.sale(ofLineItem: id, of: scope.bundleId) == nil,
                // An item is added once, with its newest version.
                let newest = try ledger.newestAccepted([id], in: scope)[id],
                newest.requestIdentifier == version.requestIdentifier, let item = AcceptedItem(newest.item)
            else { return }
            let token = try ledger.token(newest.externalPurchaseId, of: scope.bundleId)
            var known: ExportToken?
            if let token { known = try exported(token) }
            builder.add(withoutSale: item, in: version.requestIdentifier, on: known)
        }
    }

    private func exported(_ token: StoredToken) throws(LedgerError) -> ExportToken {
        func made(_ taxCountries: [String]) -> ExportToken {
            ExportToken(
                id: token.token.externalPurchaseId,
                type: token.token.tokenType,
                createdAt: token.token.tokenCreationDate,
                storefront: token.storefront,
                taxCountries: taxCountries
            )
        }
        guard builder.needsTaxCountries(made([])) else { return made([]) }
        var countries: Set<String> = []
        var page = LedgerPage(limit: 500)
        while true {
            let sales = try ledger.sales(.token(token.token.externalPurchaseId, of: scope.bundleId), page)
            for sale in sales where !sale.isRetracted {
                if let country = sale.sale.purchase?.taxCountry { countries.insert(country) }
            }
            guard sales.count == page.limit, let last = sales.last else { return made(countries.sorted()) }
            page.after = last.sequence
        }
    }

    private mutating func submission(of sale: StoredSale) throws(LedgerError) -> ManualSubmission? {
        guard let id = sale.exportId else { return nil }
        if let known = submissions[id] { return known }
        let export = try ledger.manualExport(id, of: scope.bundleId)
        let submission = export?.withdrawal == nil ? export?.submission : nil
        submissions[id] = .some(submission)
        return submission
    }

    /// Returns the taps and tokens that open the commission windows of a sale (OB-31, OB-32).
    private mutating func visits(
        of customer: CustomerId?,
        on token: StoredToken?
    ) throws(LedgerError) -> SalesOfExport.Visits {
        let visitor: Visitor
        if let customer {
            visitor = .customer(customer)
        } else if let token {
            visitor = .token(token.token.externalPurchaseId)
        } else {
            return SalesOfExport.Visits(tokens: [], taps: [])
        }
        if let known = visits[visitor] { return known }
        let found =
            switch visitor {
            case .customer(let customer):
                SalesOfExport.Visits(
                    tokens: try ledger.tokens(of: customer, app: scope.bundleId),
                    taps: try ledger.taps(
                        of: customer,
                        app: scope.bundleId,
                        from: Timestamp(milliseconds: .min),
                        through: Timestamp(milliseconds: .max)
                    )
                )
            case .token(let id):
                SalesOfExport.Visits(
                    tokens: token.map { [$0] } ?? [],
                    taps: try ledger.taps(on: id, of: scope.bundleId)
                )
            }
        if keptMoments + found.weight > mostMoments { (visits, keptMoments) = ([:], 0) }
        visits[visitor] = found
        keptMoments += found.weight
        return found
    }
}

extension AcceptedItem {
    /// Creates an accepted item; nil if a member that every accepted item has is missing.
    init?(_ item: ReceivedLineItem) {
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

extension AcceptedVersion {
    /// Returns the report of the version, in the spelling of the given identifier if that is equal.
    func report(spelledAs known: RequestIdentifier?) -> RequestIdentifier? {
        requestIdentifier == known ? known : requestIdentifier
    }
}
