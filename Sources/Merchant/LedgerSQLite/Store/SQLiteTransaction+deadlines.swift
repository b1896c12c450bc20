import ExternalPurchaseCore
import GRDB
import Ledger

// Deadlines that are stored beside open tokens and sales.
extension SQLiteTransaction {
    // MARK: Lists and counts

    func deadlines(
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
                    var arguments: [(any DatabaseValueConvertible)?] = [app.rawValue, range.readiness.rawValue]
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
                    part += try self.query(text, StatementArguments(arguments)).decoded { row throws(LedgerError) in
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

    func deadlineCounts(
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
        let refused = JSONValue.array(query.refusedKeys.map(\.rawValue).sorted().map(JSONValue.string)).text
        var arguments: [(any DatabaseValueConvertible)?] = [query.now.milliseconds, refused]
        arguments += boundaries.map(\.milliseconds) as [Int64]
        arguments.append(rules)
        arguments += conditions.arguments
        let sql = DeadlineSQL.counts(boundaries: boundaries.count, conditions.sql)
        var counts: [DeadlineGroup: Int] = [:]
        for row in try rows(sql, StatementArguments(arguments)) {
            let bucket: Int = row[5]
            let group = DeadlineGroup(
                bundleId: BundleId(row[0]),
                environment: (row[1] as String?).flatMap(AppStoreEnvironment.init(rawValue:)),
                isLineItem: row[2],
                needsReview: row[3],
                isUnconfirmed: row[4],
                bucket: bucket < 0 ? nil : bucket
            )
            counts[group] = row[6]
        }
        return counts
    }

    func eachDeadline(
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
        return try rows(DeadlineSQL.apps, []).map { BundleId($0[0]) }
    }

    /// Whether every entry of a part of the list is before a position.
    private static func isBehind(_ position: DeadlinePosition, needsReview: Bool, hasDeadline: Bool) -> Bool {
        if position.needsReview != needsReview { return needsReview }
        return hasDeadline && position.dueAt == nil
    }

    private static func listed(
        _ row: Row,
        of app: BundleId,
        needsReview: Bool
    ) throws(LedgerError) -> ListedDeadline {
        ListedDeadline(
            position: DeadlinePosition(
                needsReview: needsReview,
                dueAt: (row[3] as Int64?).map(Timestamp.init(milliseconds:)),
                createdAt: Timestamp(milliseconds: row[2]),
                subject: StoredDeadline.Subject(isLineItem: row[0], sequence: row[1])
            ),
            bundleId: app,
            isUnconfirmed: row[4]
        )
    }

    // MARK: Queues

    func tokensToAnswer(
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
        ).map { row in
            (SendPosition(sendAt: Timestamp(milliseconds: row[0]), sequence: row[1]), ExternalPurchaseId(row[2]))
        }
    }

    func nextTokenToAnswer(
        in scope: ReportingScope,
        after position: SendPosition?
    ) throws(LedgerError) -> Timestamp? {
        try rows(
            DeadlineSQL.nextTokenToAnswer,
            [
                scope.bundleId.rawValue, scope.environment.rawValue, position?.sendAt.milliseconds ?? .min,
                position?.sequence ?? .min,
            ]
        ).first.map { Timestamp(milliseconds: $0[0]) }
    }

    func tokensWithSalesToSend(
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

    func nextSaleToSend(in scope: ReportingScope, after moment: Timestamp) throws(LedgerError) -> Timestamp? {
        try rows(
            DeadlineSQL.nextSaleToSend,
            [scope.bundleId.rawValue, scope.environment.rawValue, moment.milliseconds]
        ).first.map { Timestamp(milliseconds: $0[0]) }
    }

    func appsWithRefusedKey() throws(LedgerError) -> Set<BundleId> {
        Set(try rows(DeadlineSQL.refusedKeys, []).map { BundleId($0[0]) })
    }

    // MARK: Computation

    func deadlineRules() throws(LedgerError) -> StoredDeadlineRules? {
        try rows(DeadlineSQL.rules, []).first.map { StoredDeadlineRules(id: $0[0], version: $0[1]) }
    }

    func adoptDeadlineRules(_ version: String, at moment: Timestamp) throws(LedgerError) -> StoredDeadlineRules {
        StoredDeadlineRules(id: try insert(DeadlineSQL.adopt, [version, moment.milliseconds]), version: version)
    }

    func changedDeadlines(limit: Int) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)] {
        let here = changedSubjects.subjects
        var subjects = here.sorted { ($0.isLineItem ? 1 : 0, $0.sequence) < ($1.isLineItem ? 1 : 0, $1.sequence) }
        if subjects.count < limit {
            let marked = try Self.subjects(rows(DeadlineSQL.changed, [max(0, limit)]))
            subjects += marked.filter { !here.contains($0) }
        }
        return try withRows(Array(subjects.prefix(max(0, limit))))
    }

    func deadlines(
        ofRulesBefore rules: Int64,
        limit: Int
    ) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)] {
        try withRows(Self.subjects(rows(DeadlineSQL.ofEarlierRules, [rules, max(0, limit)])))
    }

    func eachOutdatedDeadline(
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
        let (sql, arguments): (String, StatementArguments) =
            if let rules { (DeadlineSQL.outdated, [rules]) } else { (DeadlineSQL.all, []) }
        try each(sql, arguments) { row throws(LedgerError) in
            page.append(StoredDeadline.Subject(isLineItem: row[0], sequence: row[1]))
            if page.count == 500 { try finishPage() }
        }
        try finishPage()
    }

    private static func subjects(_ rows: [Row]) -> [StoredDeadline.Subject] {
        rows.map { StoredDeadline.Subject(isLineItem: $0[0], sequence: $0[1]) }
    }

    private func withRows(
        _ subjects: [StoredDeadline.Subject]
    ) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)] {
        let open = try openRows(of: subjects)
        return subjects.map { ($0, open[$0]) }
    }

    func setDeadline(
        _ deadline: StoredDeadline?,
        of subject: StoredDeadline.Subject,
        by rules: Int64
    ) throws(LedgerError) {
        changedSubjects.subjects.remove(subject)
        guard let deadline else { return try run(DeadlineSQL.remove, [subject.isLineItem, subject.sequence]) }
        try run(
            DeadlineSQL.set,
            [
                subject.isLineItem, subject.sequence, deadline.bundleId.rawValue, deadline.environment?.rawValue,
                deadline.readiness.rawValue, deadline.isUnconfirmed, deadline.createdAt.milliseconds,
                deadline.dueAt?.milliseconds, deadline.sendAt?.milliseconds, deadline.reviewAt?.milliseconds, rules,
            ]
        )
    }

    func outdateDeadlines(of scope: DeadlineScope) throws(LedgerError) {
        switch scope {
        case .token(let id, let bundleId):
            try outdate(.token, [bundleId.rawValue, id.rawValue])
        case .tokenWithSales(let id, let bundleId):
            try outdate(.token, [bundleId.rawValue, id.rawValue])
            try outdate(.salesOnToken, [bundleId.rawValue, id.rawValue])
        case .sale(let id, let bundleId):
            try outdate(.sale, [bundleId.rawValue, id.rawValue])
        case .tokenOfSale(let id, let bundleId, let unaffected):
            try outdate(.tokenOfSale, [bundleId.rawValue, id.rawValue, unaffected?.rawValue])
        case .tokenOfNewSale(let id, let bundleId):
            try outdate(.tokenOfNewSale, [bundleId.rawValue, id.rawValue])
        case .report(let id, let scope):
            let arguments: StatementArguments = [scope.bundleId.rawValue, scope.environment.rawValue, id.key]
            try outdate(.salesOfReport, arguments)
            try outdate(.tokenOfReport, arguments)
        case .export(let id, let bundleId):
            try outdate(.salesOfExport, [bundleId.rawValue, id.rawValue])
        }
    }

    private func outdate(
        _ search: DeadlineSQL.SubjectSearch,
        _ arguments: StatementArguments
    ) throws(LedgerError) {
        for row in try rows(search.sql, arguments) {
            changedSubjects.subjects.insert(StoredDeadline.Subject(isLineItem: search.isLineItem, sequence: row[0]))
        }
    }

    /// Marks the rows whose deadlines this transaction has not computed, so that lists exclude them and a later
    /// transaction computes them.
    func markChangedDeadlines() throws(LedgerError) {
        for subject in changedSubjects.subjects {
            try run(DeadlineSQL.mark, [subject.isLineItem, subject.sequence])
            try run(subject.isLineItem ? DeadlineSQL.addSale : DeadlineSQL.addToken, [subject.sequence])
        }
        changedSubjects.subjects.removeAll()
    }
}
