import ExternalPurchaseCore

extension LedgerQueries {
    /// Reads what the closures of a group will probably read, and reserves numbers for the rows that they may insert.
    ///
    /// Numbers for rows that are there are lost: to ask for the others alone would be a wait of its own.
    package func readAhead(_ rows: [ExpectedRows]) throws(LedgerError) {
        typealias Key = TransactionCache.Key
        var tokens: Set<Key<ExternalPurchaseId>> = []
        var checkouts: Set<Key<CheckoutId>> = []
        var customers: Set<Key<CustomerId>> = []
        var sales: Set<Key<SaleId>> = []
        var queries: Set<ExpectedQuery> = []
        for row in rows {
            for id in row.tokens { tokens.insert(Key(bundleId: row.bundleId, id: id)) }
            for id in row.checkouts { checkouts.insert(Key(bundleId: row.bundleId, id: id)) }
            for id in row.customers { customers.insert(Key(bundleId: row.bundleId, id: id)) }
            for id in row.sales { sales.insert(Key(bundleId: row.bundleId, id: id)) }
            queries.formUnion(row.queries)
        }
        let expected = queries.filter { $0.isForeseen && !cache.answers.has($0) }
        tokens = tokens.filter { cache.tokens[$0] == nil }
        customers = customers.filter { cache.customers[$0] == nil }
        sales = sales.filter { cache.sales[$0] == nil }
        cache.makeRoom(for: tokens.count + checkouts.count + customers.count + sales.count + expected.count)
        var reads: [ReadAhead] = [
            .tokens(Array(tokens)), .checkouts(checkouts.filter { cache.checkouts[$0] == nil }),
            .customers(Array(customers)), .sales(Array(sales)),
        ]
        if connection.answersTogether, !rows.isEmpty {
            try askNumbers([
                (tokens.count, TokenRow.table.name), (customers.count, CustomerRow.table.name),
                (sales.count + expected.count(where: \.isOfSale), SaleRow.table.name),
                (expected.count(where: \.isOfEvent), PaymentEventRow.table.name),
            ])
            if cache.auditHead == nil { reads.append(.auditHead) }
            if cache.deadlineRules == nil { reads.append(.deadlineRules) }
            if !cache.isNoDeadlineMarked { reads.append(.markedDeadlines) }
            reads += Dictionary(grouping: expected, by: \.statement.sql).values.map(ReadAhead.queries)
        }
        let asked = reads.map(\.statements)
        for (read, answers) in zip(reads, try connection.rows(ofEach: asked)) { try read.keep(answers, in: cache) }
    }
}

extension ExpectedQuery {
    /// Whether it is for the event that is stored, if it is not there.
    fileprivate var isOfEvent: Bool { if case .event = self { true } else { false } }

    /// Whether it is for a sale that is stored, if it is not there.
    fileprivate var isOfSale: Bool { if case .storedSale = self { true } else { false } }
}

/// Queries of one form that are asked together.
private enum ReadAhead {
    case tokens([TransactionCache.Key<ExternalPurchaseId>])
    case checkouts([TransactionCache.Key<CheckoutId>])
    case customers([TransactionCache.Key<CustomerId>])
    case sales([TransactionCache.Key<SaleId>])
    case queries([ExpectedQuery])
    // What most transactions ask, whatever they store.
    case auditHead
    case deadlineRules
    case markedDeadlines

    var statements: (sql: String, arguments: [SQLArguments]) {
        switch self {
        case .tokens(let keys): (Query.token, keys.map { [$0.bundleId.rawValue, $0.id.rawValue] })
        case .checkouts(let keys): (Query.checkout, keys.map { [$0.bundleId.rawValue, $0.id.rawValue] })
        case .customers(let keys): (Query.customer, keys.map { [$0.bundleId.rawValue, $0.id.rawValue] })
        case .sales(let keys): (Query.sale, keys.map { [$0.bundleId.rawValue, $0.id.rawValue] })
        case .auditHead: (Query.auditHead, [[]])
        case .deadlineRules: (DeadlineSQL.rules, [[]])
        case .markedDeadlines: (DeadlineSQL.changed, [[1]])
        case .queries(let queries): (queries.first?.statement.sql ?? "", queries.map(\.statement.arguments))
        }
    }

    /// Keeps the rows of each key.
    func keep(_ answers: [[any SQLRow]], in cache: TransactionCache) throws(LedgerError) {
        switch self {
        case .tokens(let keys):
            for (key, rows) in zip(keys, answers) { cache.keep(try rows.decoded(TokenRow.record).first, at: key) }
        case .checkouts(let keys):
            for (key, rows) in zip(keys, answers) { cache.keep(try rows.decoded(CheckoutRow.record).first, at: key) }
        case .customers(let keys):
            for (key, rows) in zip(keys, answers) { cache.keep(try rows.decoded(CustomerRow.record).first, at: key) }
        case .sales(let keys):
            for (key, rows) in zip(keys, answers) { cache.keep(try rows.decoded(SaleRow.record).first, at: key) }
        case .auditHead: cache.auditHead = try answers.first?.decoded(AuditEntryRow.head).first
        case .deadlineRules: cache.deadlineRules = try answers.first?.decoded(StoredDeadlineRules.record).first
        case .markedDeadlines: cache.isNoDeadlineMarked = answers.first?.isEmpty ?? false
        case .queries(let queries):
            for (query, rows) in zip(queries, answers) {
                switch query {
                case .event(let id, let provider):
                    cache.paymentEvents.keep(
                        try rows.decoded(PaymentEventRow.record).first,
                        at: KnownPaymentEvents.Key(id, provider)
                    )
                case .storedSale(let id, let bundleId):
                    let sale = try rows.decoded(SaleRow.record).first
                    cache.keep(sale, at: TransactionCache.Key(bundleId: bundleId, id: id))
                case .eventsAbout(let objects, let provider):
                    cache.paymentEvents.keep(try rows.decoded(PaymentEventRow.record), about: objects, of: provider)
                default: cache.answers.keep(rows, of: query)
                }
            }
        }
    }
}
