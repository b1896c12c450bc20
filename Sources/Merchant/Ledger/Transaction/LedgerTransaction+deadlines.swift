package import ExternalPurchaseCore

// Deadlines that are stored beside open tokens and sales.
extension LedgerQueries {
    /// A page of the list, in list order.
    ///
    /// - Parameter position: the position of the last entry of the previous page; nil starts at the first entry.
    package func deadlines(
        matching query: DeadlineQuery,
        by rules: Int64,
        after position: DeadlinePosition?,
        limit: Int
    ) throws(LedgerError) -> [ListedDeadline] {
        guard limit > 0 else { return [] }
        try markChangedDeadlines()
        let apps = try appsWithDeadlines(of: query)
        let conditions = DeadlineSQL.conditions(query)
        var found: [ListedDeadline] = []
        // The parts in list order; the ranges of each part are merged.
        for (needsReview, hasDeadline) in [(true, true), (true, false), (false, true), (false, false)] {
            if let position, Self.isBehind(position, needsReview: needsReview, hasDeadline: hasDeadline) { continue }
            let isInPart = position.map { $0.needsReview == needsReview && ($0.dueAt != nil) == hasDeadline } ?? false
            let start = isInPart ? position : nil
            let sql = DeadlineSQL.page(hasDeadline: hasDeadline, after: start, conditions.sql)
            var part: [ListedDeadline] = []
            for app in apps {
                for range in DeadlineSQL.Range.all(of: app, needsReview: needsReview, in: query) {
                    var arguments: [(any SQLValueConvertible)?] = [app.rawValue, range.readiness.rawValue]
                    if let start {
                        if let dueAt = start.dueAt { arguments.append(dueAt.milliseconds) }
                        arguments += [start.createdAt.milliseconds, start.subject.isLineItem, start.subject.sequence]
                    }
                    arguments.append(rules)
                    arguments += conditions.arguments + range.condition.arguments
                    arguments.append(limit - found.count)
                    let text =
                        range.condition.sql.isEmpty
                        ? sql
                        : DeadlineSQL.page(
                            hasDeadline: hasDeadline,
                            after: start,
                            conditions.sql + range.condition.sql
                        )
                    part += try self.query(text, SQLArguments(arguments)).decoded { row throws(LedgerError) in
                        try Self.listed(row, of: app, needsReview: needsReview)
                    }
                }
            }
            part.sort { $0.position < $1.position }
            found += part.prefix(limit - found.count)
            if found.count == limit { break }
        }
        return found
    }

    /// The number of deadlines that match a query, by group.
    ///
    /// - Parameter boundaries: in ascending order; a deadline equal to a boundary counts as before it.
    package func deadlineCounts(
        matching query: DeadlineQuery,
        by rules: Int64,
        boundaries: [Timestamp]
    ) throws(LedgerError) -> [DeadlineGroup: Int] {
        try markChangedDeadlines()
        var conditions = DeadlineSQL.conditions(query)
        if let bundleId = query.bundleId {
            conditions.sql += " AND bundle_id = ?"
            conditions.arguments.append(bundleId.rawValue)
        }
        let blocked = JSONValue.array(query.blockedApps.map(\.rawValue).sorted().map(JSONValue.string)).text
        var arguments: [(any SQLValueConvertible)?] = [
            query.now.milliseconds, query.reviewAheadFrom.milliseconds, blocked,
        ]
        arguments += boundaries.map(\.milliseconds) as [Int64]
        arguments.append(rules)
        arguments += conditions.arguments
        let sql = DeadlineSQL.counts(boundaries: boundaries.count, conditions.sql)
        var counts: [DeadlineGroup: Int] = [:]
        for row in try rows(sql, SQLArguments(arguments)) {
            let bucket = try row.integer(at: 5)
            let group = DeadlineGroup(
                bundleId: BundleId(try row.text(at: 0)),
                environment: try row.known(at: 1),
                isLineItem: try row.flag(at: 2),
                needsReview: try row.flag(at: 3),
                isUnconfirmed: try row.flag(at: 4),
                bucket: bucket < 0 ? nil : Int(clamping: bucket)
            )
            counts[group] = Int(clamping: try row.integer(at: 6))
        }
        return counts
    }

    /// Every deadline before `moment` that can become late (TK-74), one at a time in unspecified order.
    package func eachDeadline(
        before moment: Timestamp,
        by rules: Int64,
        _ body: (ListedDeadline) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try markChangedDeadlines()
        for app in try appsWithDeadlines(of: nil) {
            for readiness in StoredDeadline.Readiness.allCases {
                try each(
                    DeadlineSQL.before,
                    [app.rawValue, readiness.rawValue, moment.milliseconds, rules]
                ) { row throws(LedgerError) in
                    try body(try Self.listed(row, of: app, needsReview: readiness == .review))
                }
            }
        }
    }

    private func appsWithDeadlines(of query: DeadlineQuery?) throws(LedgerError) -> [BundleId] {
        if let bundleId = query?.bundleId { return [bundleId] }
        return try appsWithDeadlines()
    }

    /// The apps with open tokens or sales.
    package func appsWithDeadlines() throws(LedgerError) -> [BundleId] {
        try markChangedDeadlines()
        return try query(DeadlineSQL.apps, []).decoded { row throws(LedgerError) in BundleId(try row.text(at: 0)) }
    }

    /// Whether every entry of a part of the list is before a position.
    private static func isBehind(_ position: DeadlinePosition, needsReview: Bool, hasDeadline: Bool) -> Bool {
        if position.needsReview != needsReview { return needsReview }
        return hasDeadline && position.dueAt == nil
    }

    private static func listed(
        _ row: any SQLRow,
        of app: BundleId,
        needsReview: Bool
    ) throws(LedgerError) -> ListedDeadline {
        ListedDeadline(
            position: DeadlinePosition(
                needsReview: needsReview,
                dueAt: row.optionalInteger(at: 3).map(Timestamp.init(milliseconds:)),
                createdAt: Timestamp(milliseconds: try row.integer(at: 2)),
                subject: try row.subject()
            ),
            bundleId: app,
            isUnconfirmed: try row.flag(at: 4)
        )
    }

    /// Tokens without a report that are due for sending, by send time and arrival, starting after `position`.
    package func tokensToAnswer(
        in scope: ReportingScope,
        until moment: Timestamp,
        after position: SendPosition?,
        limit: Int
    ) throws(LedgerError) -> [(position: SendPosition, token: ExternalPurchaseId)] {
        try rows(
            DeadlineSQL.tokensToAnswer,
            [
                scope.bundleId.rawValue, scope.environment.rawValue, moment.milliseconds,
                position?.sendAt.milliseconds ?? .min, position?.sequence ?? .min, max(0, limit),
            ]
        ).decoded { row throws(LedgerError) in
            (
                SendPosition(
                    sendAt: Timestamp(milliseconds: try row.integer(at: 0)),
                    sequence: try row.integer(at: 1)
                ), ExternalPurchaseId(try row.text(at: 2))
            )
        }
    }

    /// The send time of the first token after `position` that needs a report; nil if there is none.
    package func nextTokenToAnswer(
        in scope: ReportingScope,
        after position: SendPosition?
    ) throws(LedgerError) -> Timestamp? {
        try rows(
            DeadlineSQL.nextTokenToAnswer,
            [
                scope.bundleId.rawValue, scope.environment.rawValue, position?.sendAt.milliseconds ?? .min,
                position?.sequence ?? .min,
            ]
        ).decoded { row throws(LedgerError) in Timestamp(milliseconds: try row.integer(at: 0)) }.first
    }

    /// Tokens with a sale that is due for sending, longest due first.
    package func tokensWithSalesToSend(
        in scope: ReportingScope,
        until moment: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId] {
        try tokens(
            DeadlineSQL.salesToSend,
            [scope.bundleId.rawValue, scope.environment.rawValue, moment.milliseconds],
            limit: limit
        )
    }

    /// The earliest send time of a sale after `moment`; nil if there is none.
    package func nextSaleToSend(in scope: ReportingScope, after moment: Timestamp) throws(LedgerError) -> Timestamp? {
        try rows(
            DeadlineSQL.nextSaleToSend,
            [scope.bundleId.rawValue, scope.environment.rawValue, moment.milliseconds]
        ).decoded { row throws(LedgerError) in Timestamp(milliseconds: try row.integer(at: 0)) }.first
    }

    /// The apps with an open review item about a refused key (SA-73).
    package func appsWithRefusedKey() throws(LedgerError) -> Set<BundleId> {
        Set(try query(DeadlineSQL.refusedKeys, []).decoded { row throws(LedgerError) in BundleId(try row.text(at: 0)) })
    }

    /// The newest rules by which deadlines are computed; nil before the first.
    package func deadlineRules() throws(LedgerError) -> StoredDeadlineRules? {
        if let known = cache.deadlineRules { return known }
        let rules = try query(DeadlineSQL.rules, []).decoded(StoredDeadlineRules.record).first
        cache.deadlineRules = rules
        return rules
    }

    /// Subjects that changed since their deadline was computed, each with its open row; nil if it is no longer open.
    package func changedDeadlines(limit: Int) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)]
    {
        let here = unwritten.changedSubjects
        var subjects = here.sorted { ($0.isLineItem ? 1 : 0, $0.sequence) < ($1.isLineItem ? 1 : 0, $1.sequence) }
        if subjects.count < limit, !cache.isNoDeadlineMarked {
            let marked = try self.subjects(DeadlineSQL.changed, [max(0, limit)])
            cache.isNoDeadlineMarked = marked.isEmpty
            subjects += marked.filter { !here.contains($0) }
        }
        return try withRows(Array(subjects.prefix(max(0, limit))))
    }

    /// Rows whose deadline was computed by earlier rules or never, oldest rules first.
    package func deadlines(
        ofRulesBefore rules: Int64,
        limit: Int
    ) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)] {
        try withRows(subjects(DeadlineSQL.ofEarlierRules, [rules, max(0, limit)]))
    }

    /// Every row whose deadline was computed by other rules or invalidated by a change, one at a time in unspecified
    /// order.
    ///
    /// - Parameter rules: the newest rules; nil returns every row.
    package func eachOutdatedDeadline(
        notBy rules: Int64?,
        _ body: (StoredDeadline.Subject, OpenRow?) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try markChangedDeadlines()
        var page: [StoredDeadline.Subject] = []
        func finishPage() throws(LedgerError) {
            let open = try openRows(of: page)
            for subject in page { try body(subject, open[subject]) }
            page.removeAll(keepingCapacity: true)
        }
        let (sql, arguments): (String, SQLArguments) =
            if let rules { (DeadlineSQL.outdated, [rules]) } else { (DeadlineSQL.all, []) }
        try each(sql, arguments) { row throws(LedgerError) in
            page.append(try row.subject())
            if page.count == 500 { try finishPage() }
        }
        try finishPage()
    }

    private func subjects(
        _ sql: String,
        _ arguments: SQLArguments
    ) throws(LedgerError) -> [StoredDeadline.Subject] {
        try query(sql, arguments).decoded { row throws(LedgerError) in try row.subject() }
    }

    private func withRows(
        _ subjects: [StoredDeadline.Subject]
    ) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)] {
        let open = try openRows(of: subjects)
        return subjects.map { ($0, open[$0]) }
    }

    /// Marks the rows whose deadlines this transaction has not computed, so that lists exclude them and a later
    /// transaction computes them.
    func markChangedDeadlines() throws(LedgerError) {
        let subjects = unwritten.changedSubjects
        if subjects.isEmpty { return }
        cache.isNoDeadlineMarked = false
        unwritten.changedSubjects.removeAll()
        func numbers(_ areLineItems: Bool) -> [SQLArguments] {
            subjects.filter { $0.isLineItem == areLineItems }.map { [$0.sequence] }
        }
        try connection.perform(DeadlineSQL.mark, withEach: subjects.map { [$0.isLineItem, $0.sequence] })
        for (sql, numbers) in [(DeadlineSQL.addToken, numbers(false)), (DeadlineSQL.addSale, numbers(true))] {
            if !numbers.isEmpty { try connection.perform(sql, withEach: numbers) }
        }
    }
}

extension LedgerTransaction {
    /// Makes the given rules the newest ones.
    package func adoptDeadlineRules(_ version: String, at moment: Timestamp) throws(LedgerError) -> StoredDeadlineRules
    {
        let id = try connection.insert(DeadlineSQL.adopt, [version, moment.milliseconds], returning: "id")
        let rules = StoredDeadlineRules(id: id, version: version)
        cache.deadlineRules = rules
        return rules
    }

    /// Stores the deadlines that the given rules compute; nil removes one.
    package func setDeadlines(
        _ deadlines: [StoredDeadline.Subject: StoredDeadline?],
        by rules: Int64
    ) throws(LedgerError) {
        var (set, removed): ([SQLArguments], [SQLArguments]) = ([], [])
        for (subject, deadline) in deadlines.sorted(by: { $0.key < $1.key }) {
            unwritten.changedSubjects.remove(subject)
            guard let deadline else {
                removed.append([subject.isLineItem, subject.sequence])
                continue
            }
            set.append([
                subject.isLineItem, subject.sequence, deadline.bundleId.rawValue, deadline.environment.rawValue,
                deadline.readiness.rawValue, deadline.isUnconfirmed, deadline.createdAt.milliseconds,
                deadline.dueAt?.milliseconds, deadline.sendAt?.milliseconds, deadline.reviewAt?.milliseconds, rules,
            ])
        }
        if !set.isEmpty { try connection.perform(DeadlineSQL.set, withEach: set) }
        if !removed.isEmpty { try connection.perform(DeadlineSQL.remove, withEach: removed) }
    }

    /// Marks the deadlines that a change may move, and those of new rows, for recomputation.
    func outdateDeadlines(of scope: DeadlineScope) throws(LedgerError) {
        switch scope {
        case .token(let id, let bundleId):
            try outdate(.token, [bundleId.rawValue, id.rawValue])
        case .new(let subject):
            unwritten.changedSubjects.insert(subject)
        case .tokenWithSales(let id, let bundleId):
            try outdate(.token, [bundleId.rawValue, id.rawValue])
            try outdate(.salesOnToken, [bundleId.rawValue, id.rawValue])
        case .sale(let id, let bundleId):
            if let known = cache.sale(id, of: bundleId) {
                unwritten.changedSubjects.insert(StoredDeadline.Subject(isLineItem: true, sequence: known.sequence))
            } else {
                try outdate(.sale, [bundleId.rawValue, id.rawValue])
            }
        case .takingBack(let id, let bundleId):
            try outdate(.takingBack, [bundleId.rawValue, id.rawValue])
        case .tokenOfSale(let id, let bundleId, let unaffected):
            if let known = cache.sale(id, of: bundleId) {
                let token = known.attribution.externalPurchaseId
                if token == nil || token == unaffected { return }
            }
            try outdate(.tokenOfSale, [bundleId.rawValue, id.rawValue, unaffected?.rawValue])
        case .tokenOfNewSale(let id, let bundleId):
            if let known = cache.sale(id, of: bundleId), known.attribution.externalPurchaseId == nil { return }
            try outdate(.tokenOfNewSale, [bundleId.rawValue, id.rawValue])
        case .report(let id, let scope):
            let arguments: SQLArguments = [scope.bundleId.rawValue, scope.environment.rawValue, id.key]
            try outdate(.salesOfReport, arguments)
            try outdate(.tokenOfReport, arguments)
        case .export(let id, let bundleId):
            try outdate(.salesOfExport, [bundleId.rawValue, id.rawValue])
        }
    }

    private func outdate(
        _ search: DeadlineSQL.SubjectSearch,
        _ arguments: SQLArguments
    ) throws(LedgerError) {
        for row in try rows(search.sql, arguments) {
            unwritten.changedSubjects.insert(
                StoredDeadline.Subject(isLineItem: search.isLineItem, sequence: try row.integer(at: 0))
            )
        }
    }
}

extension SQLRow {
    fileprivate func subject() throws(LedgerError) -> StoredDeadline.Subject {
        StoredDeadline.Subject(isLineItem: try flag(at: 0), sequence: try integer(at: 1))
    }
}
