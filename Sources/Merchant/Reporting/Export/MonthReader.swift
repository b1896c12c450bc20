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
    /// The customers whose tokens and taps are in memory as rows at once.
    private static let customersAtOnce = 50
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
        try add(tokens)
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
        let live = sales.compactMap { part.live[$0.sale.saleId] }
        let tokens = live.map(part.token)
        let visits = try visits(
            of: zip(live, tokens).map { sale, token in visitor(part.customer(of: sale, on: token), token) },
            on: tokens
        )
        for ((stored, token), visits) in zip(zip(live, tokens), visits) {
            builder.add(
                part.row(of: stored, on: token, visits: visits),
                takingBack: part.buyRow(of: stored),
                accepted: part.accepted(stored),
                manualSubmission: try submission(of: stored)
            )
        }
    }

    private mutating func add(_ tokens: [StoredToken]) throws(LedgerError) {
        let ids = tokens.map(\.token.externalPurchaseId)
        let accepted = try ledger.acceptedReports(onEach: ids, in: scope)
        let unreported = zip(ids, accepted).filter(\.1.isEmpty).map(\.0)
        let sales = try ledger.sales(unreported.map { .token($0, of: scope.bundleId) }, LedgerPage(limit: 1))
        let withoutSales = Set(zip(unreported, sales).filter(\.1.isEmpty).map(\.0))
        for (token, reports) in zip(tokens, accepted) {
            builder.add(
                try exported(token),
                reports: reports,
                hasSales: !withoutSales.contains(token.token.externalPurchaseId)
            )
        }
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

    private func visitor(_ customer: CustomerId?, _ token: StoredToken?) -> Visitor? {
        customer.map { .customer($0) } ?? token.map { .token($0.token.externalPurchaseId) }
    }

    /// Returns the taps and tokens that open the commission windows of sales (OB-31, OB-32).
    ///
    /// - Parameters:
    ///   - visitors: the visitor of each sale; nil if nobody is known.
    ///   - tokens: the token of each sale.
    private mutating func visits(
        of visitors: [Visitor?],
        on tokens: [StoredToken?]
    ) throws(LedgerError) -> [SalesOfExport.Visits] {
        var unread: [Visitor: StoredToken?] = [:]
        for (visitor, token) in zip(visitors, tokens) {
            if let visitor, visits[visitor] == nil { unread[visitor] = .some(token) }
        }
        var found = visits
        var customers = unread.keys.compactMap { if case .customer(let id) = $0 { id } else { nil } }[...]
        while !customers.isEmpty {
            let some = Array(customers.prefix(Self.customersAtOnce))
            customers = customers.dropFirst(some.count)
            let tokensOfEach = try ledger.tokens(ofEach: some, app: scope.bundleId)
            let tapsOfEach = try ledger.taps(ofEach: some, app: scope.bundleId)
            for ((customer, tokens), taps) in zip(zip(some, tokensOfEach), tapsOfEach) {
                found[.customer(customer)] = SalesOfExport.Visits(tokens: tokens, taps: taps)
            }
        }
        let ids = unread.keys.compactMap { if case .token(let id) = $0 { id } else { nil } }
        for (id, taps) in zip(ids, try ledger.taps(onEach: ids, of: scope.bundleId)) {
            let token = unread[.token(id)].flatMap(\.self)
            found[.token(id)] = SalesOfExport.Visits(tokens: token.map { [$0] } ?? [], taps: taps)
        }
        keptMoments += unread.keys.reduce(0) { $0 + (found[$1]?.weight ?? 0) }
        if keptMoments > mostMoments { (visits, keptMoments) = ([:], 0) } else { visits = found }
        let nobody = SalesOfExport.Visits(tokens: [], taps: [])
        return visitors.map { $0.flatMap { found[$0] } ?? nobody }
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
