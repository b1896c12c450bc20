package import ExternalPurchaseCore

// Unreported rows, read by column index because there may be millions of them.
extension LedgerQueries {
    /// Every token without an accepted report, including those unknown to Apple, one at a time in unspecified order.
    ///
    /// - Parameter bundleId: the app; nil means all apps.
    package func eachOpenToken(
        of bundleId: BundleId?,
        _ body: (OpenToken) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        let (sql, arguments): (String, SQLArguments) =
            if let bundleId { (Query.openTokensOfApp, [bundleId.rawValue]) } else { (Query.openTokens, []) }
        try each(sql, arguments) { row throws(LedgerError) in try body(Self.openToken(row)) }
    }

    /// Every sale that must still be reported, one at a time in unspecified order; nil means all apps.
    package func eachOpenSale(
        of bundleId: BundleId?,
        _ body: (OpenSale) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        let (sql, arguments): (String, SQLArguments) =
            if let bundleId { (Query.openSalesOfApp, [bundleId.rawValue]) } else { (Query.openSales, []) }
        try each(sql, arguments) { row throws(LedgerError) in try body(Self.openSale(row)) }
    }

    /// The open rows of the given subjects.
    package func openRows(
        of subjects: [StoredDeadline.Subject]
    ) throws(LedgerError) -> [StoredDeadline.Subject: OpenRow] {
        var open: [StoredDeadline.Subject: OpenRow] = [:]
        var stored: [StoredDeadline.Subject] = []
        stored.reserveCapacity(subjects.count)
        for subject in subjects {
            if !subject.isLineItem, let token = cache.unreferencedTokensBySequence[subject.sequence] {
                // The row that the query returns for a token that no sale, report or observation names.
                let isVisit = token.state == .unconfirmed && token.firstSeen.source == .website
                open[subject] = .token(OpenToken(token, isUnconfirmedVisit: isVisit))
            } else {
                stored.append(subject)
            }
        }
        func sequences(_ areLineItems: Bool) -> String? {
            let numbers = stored.filter { $0.isLineItem == areLineItems }.map { JSONValue.integer($0.sequence) }
            return numbers.isEmpty ? nil : JSONValue.array(numbers).text
        }
        if let tokens = sequences(false) {
            for token in try query(Query.openTokensBySequence, [tokens]).decoded(Self.openToken) {
                open[StoredDeadline.Subject(isLineItem: false, sequence: token.sequence)] = .token(token)
            }
        }
        if let sales = sequences(true) {
            for sale in try query(Query.openSalesBySequence, [sales]).decoded(Self.openSale) {
                open[StoredDeadline.Subject(isLineItem: true, sequence: sale.sequence)] = .sale(sale)
            }
        }
        return open
    }

    private static func openToken(_ row: any SQLRow) throws(LedgerError) -> OpenToken {
        let source: TokenSource = try row.known(at: 8)
        return OpenToken(
            sequence: try row.integer(at: 0),
            bundleId: BundleId(try row.text(at: 1)),
            externalPurchaseId: ExternalPurchaseId(try row.text(at: 2)),
            type: row.optionalText(at: 3).map(TokenType.init(rawValue:)),
            createdAt: Timestamp(milliseconds: try row.integer(at: 4)),
            expiresAt: row.optionalInteger(at: 5).map(Timestamp.init(milliseconds:)),
            storefront: row.optionalText(at: 6).flatMap { StorefrontCode($0) },
            state: try row.known(at: 7),
            reporting: try row.known(at: 11),
            endpoint: try row.known(at: 16),
            firstSeen: FirstSeen(source: source, time: Timestamp(milliseconds: try row.integer(at: 9))),
            isKnownFromNotificationsOnly: try row.integer(at: 10) == 0 && source == .notification,
            isUnconfirmedVisit: try row.integer(at: 13) != 0,
            taxCountries: try row.texts(at: 12).sorted(),
            customerId: row.optionalText(at: 14).map { CustomerId($0) },
            hasRefusedReport: try row.integer(at: 15) != 0
        )
    }

    private static func openSale(_ row: any SQLRow) throws(LedgerError) -> OpenSale {
        var token: OpenSale.Token?
        if let id = row.optionalText(at: 7) {
            token = OpenSale.Token(
                externalPurchaseId: ExternalPurchaseId(id),
                type: row.optionalText(at: 8).map(TokenType.init(rawValue:)),
                storefront: row.optionalText(at: 9).flatMap { StorefrontCode($0) }
            )
        }
        var occurredAt = Timestamp(milliseconds: try row.integer(at: 3))
        if let text = row.optionalText(at: 12) {
            guard let said = Timestamp(rfc3339: text) else { throw .corrupt("occurredAt cannot be read") }
            occurredAt = said
        }
        return OpenSale(
            sequence: try row.integer(at: 0),
            bundleId: BundleId(try row.text(at: 1)),
            environment: try row.known(at: 17),
            lineItemId: LineItemId(try row.text(at: 2)),
            occurredAt: occurredAt,
            receivedAt: Timestamp(milliseconds: try row.integer(at: 4)),
            token: token,
            taxCountry: row.optionalText(at: 10),
            state: try row.known(at: 5),
            holdCauses: try row.causes(at: 15),
            review: try row.known(at: 16),
            flags: Set(try row.texts(at: 6).map(SaleFlag.init(rawValue:))),
            reportState: row.optionalText(at: 11) == nil ? nil : try row.known(at: 11),
            customerId: row.optionalText(at: 13).map { CustomerId($0) },
            productId: row.optionalText(at: 14)
        )
    }

    /// Tokens with planned sales in no report and without an unaccepted report (SA-74), longest waiting first.
    ///
    /// Only tokens created up to one time with a sale received within a span are included; the order is that in which
    /// the sales were received.
    package func tokensToReport(
        in scope: ReportingScope,
        madeUntil: Timestamp,
        sold: ClosedRange<Timestamp>,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId] {
        try tokens(
            Query.tokensToReport,
            [
                scope.bundleId.rawValue, scope.environment.rawValue, sold.lowerBound.milliseconds,
                sold.upperBound.milliseconds, madeUntil.milliseconds,
            ],
            limit: limit
        )
    }

    /// The distinct tokens of a query that returns one token per row, up to a limit.
    func tokens(
        _ sql: String,
        _ arguments: SQLArguments,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId] {
        var tokens: [ExternalPurchaseId] = []
        var seen: Set<ExternalPurchaseId> = []
        guard limit > 0 else { return [] }
        try connection.scan(sql, arguments) { row throws(LedgerError) in
            let token = ExternalPurchaseId(try row.text(at: 0))
            if seen.insert(token).inserted { tokens.append(token) }
            return tokens.count < limit
        }
        return tokens
    }

    /// Runs a query row by row.
    func each(
        _ sql: String,
        _ arguments: SQLArguments,
        _ body: (any SQLRow) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try connection.scan(sql, arguments) { row throws(LedgerError) in
            try body(row)
            return true
        }
    }
}
