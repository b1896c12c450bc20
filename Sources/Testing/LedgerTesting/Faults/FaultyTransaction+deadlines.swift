import ExternalPurchaseCore
import Ledger

// Forwards deadline operations to the real transaction unless the next step must fail.
extension FaultyTransaction {
    func deadlineRules() throws(LedgerError) -> StoredDeadlineRules? {
        try step()
        return try base.deadlineRules()
    }

    func deadlines(
        matching query: DeadlineQuery,
        by rules: Int64,
        after position: DeadlinePosition?,
        limit: Int
    ) throws(LedgerError) -> [ListedDeadline] {
        try step()
        return note(try base.deadlines(matching: query, by: rules, after: position, limit: limit))
    }

    func deadlineCounts(
        matching query: DeadlineQuery,
        by rules: Int64,
        boundaries: [Timestamp]
    ) throws(LedgerError) -> [DeadlineGroup: Int] {
        try step()
        return try base.deadlineCounts(matching: query, by: rules, boundaries: boundaries)
    }

    func eachDeadline(
        before moment: Timestamp,
        by rules: Int64,
        _ body: (ListedDeadline) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try step()
        try base.eachDeadline(before: moment, by: rules, body)
    }

    func eachOutdatedDeadline(
        notBy rules: Int64?,
        _ body: (StoredDeadline.Subject, OpenRow?) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try step()
        try base.eachOutdatedDeadline(notBy: rules, body)
    }

    func changedDeadlines(limit: Int) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)] {
        try step()
        return note(try base.changedDeadlines(limit: limit))
    }

    func deadlines(
        ofRulesBefore rules: Int64,
        limit: Int
    ) throws(LedgerError) -> [(subject: StoredDeadline.Subject, row: OpenRow?)] {
        try step()
        return note(try base.deadlines(ofRulesBefore: rules, limit: limit))
    }

    func openRows(
        of subjects: [StoredDeadline.Subject]
    ) throws(LedgerError) -> [StoredDeadline.Subject: OpenRow] {
        try step()
        return try base.openRows(of: subjects)
    }

    func tokensToAnswer(
        in scope: ReportingScope,
        until moment: Timestamp,
        after position: SendPosition?,
        limit: Int
    ) throws(LedgerError) -> [(position: SendPosition, token: ExternalPurchaseId)] {
        try step()
        return note(try base.tokensToAnswer(in: scope, until: moment, after: position, limit: limit))
    }

    func nextTokenToAnswer(
        in scope: ReportingScope,
        after position: SendPosition?
    ) throws(LedgerError) -> Timestamp? {
        try step()
        return try base.nextTokenToAnswer(in: scope, after: position)
    }

    func tokensWithSalesToSend(
        in scope: ReportingScope,
        until moment: Timestamp,
        limit: Int
    ) throws(LedgerError) -> [ExternalPurchaseId] {
        try step()
        return note(try base.tokensWithSalesToSend(in: scope, until: moment, limit: limit))
    }

    func nextSaleToSend(in scope: ReportingScope, after moment: Timestamp) throws(LedgerError) -> Timestamp? {
        try step()
        return try base.nextSaleToSend(in: scope, after: moment)
    }

    func appsWithRefusedKey() throws(LedgerError) -> Set<BundleId> {
        try step()
        return try base.appsWithRefusedKey()
    }

    func outdateDeadlines(of scope: DeadlineScope) throws(LedgerError) {
        try step()
        try base.outdateDeadlines(of: scope)
    }

    func setDeadline(
        _ deadline: StoredDeadline?,
        of subject: StoredDeadline.Subject,
        by rules: Int64
    ) throws(LedgerError) {
        try step()
        try base.setDeadline(deadline, of: subject, by: rules)
    }

    func adoptDeadlineRules(_ version: String, at moment: Timestamp) throws(LedgerError) -> StoredDeadlineRules {
        try step()
        return try base.adoptDeadlineRules(version, at: moment)
    }
}
