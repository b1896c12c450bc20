package import ExternalPurchaseCore
package import Ledger
package import ReportPlanning

/// What is due, from the ledger's rows (spec/05 section 10, spec/07 section 4).
package struct LedgerDue: Sendable {
    package let rules: DueRules
    /// How long a device may still deliver a token that only Apple has named, in ms (NT-65).
    package let unrecognizedWait: Int64
    /// What needs a person.
    package let classifier: HoldClassifier

    package init(
        rules: DueRules,
        unrecognizedWait: Int64 = Timestamp.day,
        classifier: HoldClassifier = HoldClassifier()
    ) {
        self.rules = rules
        self.unrecognizedWait = unrecognizedWait
        self.classifier = classifier
    }

    /// A token that nothing was reported of; nil when it is due nowhere.
    ///
    /// - Parameter blocks: what open review items say; none where only the moment counts.
    func subject(_ open: OpenToken, blocks: HoldClassifier.Blocks = .init()) -> DueToken? {
        let standing = classifier.standing(of: open, blocks: blocks)
        return standing == .closed ? nil : subject(open, standing)
    }

    private func subject(_ open: OpenToken, _ standing: HoldClassifier.Standing) -> DueToken {
        DueToken(
            id: open.externalPurchaseId,
            bundleId: open.bundleId,
            type: open.type,
            createdAt: open.createdAt,
            expiresAt: open.expiresAt,
            storefront: open.storefront,
            taxCountries: open.taxCountries,
            receivedAt: open.firstSeen.time,
            isUnconfirmed: open.isUnconfirmedVisit,
            heldFor: standing.reason,
            needsReview: standing.needsReview
        )
    }

    /// A sale that is not reported; nil when it is due nowhere.
    func subject(_ open: OpenSale, blocks: HoldClassifier.Blocks = .init(), at now: Timestamp) -> DueLineItem? {
        let standing = classifier.standing(of: open, blocks: blocks, now: now)
        if standing == .closed { return nil }
        return DueLineItem(
            id: open.lineItemId,
            bundleId: open.bundleId,
            createdAt: open.occurredAt,
            settledAt: open.receivedAt,
            token: open.token?.externalPurchaseId,
            tokenKind: open.token.map { .type($0.type) } ?? .none,
            storefront: open.token?.storefront,
            taxCountry: open.taxCountry,
            receivedAt: open.receivedAt,
            heldFor: standing.reason,
            needsReview: standing.needsReview
        )
    }

    /// When the first report of a token leaves, should nothing be sold with it before (RR-72).
    func answerMoment(of stored: StoredToken) -> Timestamp {
        var moments = DueMoments(rules: rules)
        return answerMoment(of: OpenToken(stored), &moments)
    }

    /// When the first report of a token leaves, should nothing be sold with it before (RR-72).
    func answerMoment(of open: OpenToken, _ moments: inout DueMoments) -> Timestamp {
        // What its sales tell of the region is of no use here: it is about tokens without any.
        let due = moments.moment(of: subject(open, .scheduled).withoutTaxCountries)
        let moment = DueDate.sendMoment(ofTokenMadeAt: open.createdAt, due: due, lead: rules.settings.sendLead)
        guard open.isKnownFromNotificationsOnly else { return moment }
        return max(moment, open.firstSeen.time.advanced(byMilliseconds: unrecognizedWait))
    }

    /// When a sale is sent by itself, as the due list says (RR-72, OB-52); nil while something else keeps it.
    func sendMoment(of open: OpenSale, _ moments: inout DueMoments, at now: Timestamp) -> Timestamp? {
        guard let item = subject(open, at: now), item.heldFor == nil, item.token != nil,
            let settledAt = item.settledAt
        else { return nil }
        return DueDate.sendMoment(
            ofItemSettledAt: settledAt,
            due: moments.moment(of: item),
            delay: rules.settings.sendDelay
        )
    }

    /// Everything that is not reported yet, all of it in memory.
    ///
    /// - Parameters:
    ///   - bundleId: one app; nil takes all.
    ///   - now: the clock, for what waits too long.
    package func list(
        of bundleId: BundleId? = nil,
        at now: Timestamp,
        in ledger: any LedgerQueries
    ) throws(LedgerError) -> DueList {
        var tokens: [(sequence: Int64, subject: DueToken)] = []
        var items: [(sequence: Int64, subject: DueLineItem)] = []
        let blocks = try ledger.blocks()
        try ledger.eachOpenToken(of: bundleId) { token throws(LedgerError) in
            if let subject = subject(token, blocks: blocks) { tokens.append((token.sequence, subject)) }
        }
        try ledger.eachOpenSale(of: bundleId) { sale throws(LedgerError) in
            if let subject = subject(sale, blocks: blocks, at: now) { items.append((sale.sequence, subject)) }
        }
        tokens.sort { $0.sequence < $1.sequence }
        items.sort { $0.sequence < $1.sequence }
        return DueList(tokens: tokens.map(\.subject), items: items.map(\.subject), rules: rules)
    }

    /// The counts of everything that is not reported yet, and the first entries of the list that ``list(of:in:)`` makes.
    ///
    /// Every open row is read, one at a time; memory grows with the limit only.
    ///
    /// - Parameters:
    ///   - filter: which entries are counted and kept.
    ///   - limit: how many entries are kept.
    ///   - after: the place of the last entry of the page before; nil begins at the first.
    ///   - bound: keeps only what is due before it; nil keeps all.
    ///   - now: the clock, for the counts.
    package func survey(
        matching filter: ListFilter = ListFilter(),
        limit: Int,
        after: DuePlace? = nil,
        lateBy bound: Timestamp? = nil,
        at now: Timestamp,
        in ledger: any LedgerQueries
    ) throws(LedgerError) -> DueSurvey {
        let bundleId = filter[.bundleId].map { BundleId($0) }
        var survey = DueSurvey(
            rules: rules,
            at: now,
            limit: limit,
            after: after,
            lateBy: bound,
            where: filter.isEmpty ? nil : rules.inclusion(by: filter, at: now)
        )
        let blocks = try ledger.blocks()
        try ledger.eachOpenToken(of: bundleId) { token throws(LedgerError) in
            guard filter.takes(customer: token.customerId, product: nil) else { return }
            if let subject = subject(token, blocks: blocks) { survey.look(at: subject, sequence: token.sequence) }
        }
        try ledger.eachOpenSale(of: bundleId) { sale throws(LedgerError) in
            guard filter.takes(customer: sale.customerId, product: sale.productId) else { return }
            if let subject = subject(sale, blocks: blocks, at: now) {
                survey.look(at: subject, sequence: sale.sequence)
            }
        }
        return survey
    }
}

extension DueList.Entry {
    /// One entry of `GET /v1/due` and `ledger due --format json`.
    package func json(at now: Timestamp, settings: DueSettings) -> JSONValue {
        var members: [JSONObject.Member] = []
        switch subject {
        case .token(let token):
            members = [
                .init("kind", .string("token")), .init("externalPurchaseId", .string(token.id.rawValue)),
                .init("saleId", .null), .init("bundleId", .string(token.bundleId.rawValue)),
                .init("environment", .string(token.id.environment.rawValue)),
                .init("createdAt", .string(token.createdAt.description)),
            ]
        case .lineItem(let item):
            members = [
                .init("kind", .string("lineItem")),
                .init("externalPurchaseId", item.token.map { .string($0.rawValue) } ?? .null),
                .init("saleId", .string(item.id.rawValue)), .init("bundleId", .string(item.bundleId.rawValue)),
                .init("environment", item.token.map { .string($0.environment.rawValue) } ?? .null),
                .init("createdAt", .string(item.createdAt.description)),
            ]
        }
        let state = state(at: now, warnDays: settings.warnDays)
        members += [
            .init("dueAt", due.map { .string($0.moment.description) } ?? .null),
            .init("daysLeft", due.map { .integer(Int64($0.daysLeft(at: now))) } ?? .null),
            .init("state", .string(state.interfaceName)),
            .init("sendAt", sendMoment(settings).map { .string($0.description) } ?? .null),
            .init("heldFor", subject.heldFor.map { .string($0) } ?? .null),
            .init("needsReview", .bool(subject.needsReview)),
            .init("reason", .string(reason)),
            .init("escalationId", .string(subject.alertId)),
        ]
        return .object(JSONObject(members))
    }
}
