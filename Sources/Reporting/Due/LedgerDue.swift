package import ExternalPurchaseCore
package import Ledger
package import Obligations

/// What is due, from the ledger's rows (spec/05 section 10, spec/07 section 4).
package struct LedgerDue: Sendable {
    package let rules: DueRules
    /// How long a device may still deliver a token that only Apple has named, in ms (NT-65).
    package let unrecognizedWait: Int64

    package init(rules: DueRules, unrecognizedWait: Int64 = Timestamp.day) {
        self.rules = rules
        self.unrecognizedWait = unrecognizedWait
    }

    /// A token as due dates see it.
    func subject(_ stored: StoredToken, taxCountries: [String] = []) -> DueToken {
        var held: String?
        if stored.state == .unknownToApple { held = "Apple does not know the token: check app and environment" }
        if stored.flags.contains(.reportRefused) { held = "its report was refused and the matter closed" }
        if stored.flags.contains(.noBaseURL) { held = "the app has no base URL for the token's environment" }
        return DueToken(
            id: stored.token.externalPurchaseId,
            bundleId: stored.token.bundleId,
            type: stored.token.tokenType,
            createdAt: stored.token.tokenCreationDate,
            expiresAt: stored.token.tokenExpirationDate,
            storefront: stored.storefront,
            taxCountries: taxCountries,
            receivedAt: stored.firstSeen.time,
            isReported: stored.reportedAt != nil,
            heldFor: held
        )
    }

    /// A sale as due dates see it; nil for one that has no line item.
    func subject(_ stored: StoredSale, on token: StoredToken?) -> DueLineItem? {
        guard stored.standing != .recorded else { return nil }
        let isHeld = stored.standing == .held
        let why = stored.attribution.flags.map(\.rawValue).sorted().joined(separator: ", ")
        var held = isHeld ? why : nil
        if stored.reportState == .needsAttention { held = "its report was refused" }
        return DueLineItem(
            id: stored.lineItemId,
            bundleId: stored.sale.bundleId,
            createdAt: stored.sale.occurredAt,
            settledAt: stored.receivedAt,
            token: token?.token.externalPurchaseId,
            tokenKind: token.map { .type($0.token.tokenType) } ?? .none,
            storefront: token?.storefront,
            taxCountry: stored.sale.purchase?.taxCountry,
            receivedAt: stored.receivedAt,
            isReported: stored.standing == .reported || stored.standing == .handedOver,
            heldFor: held
        )
    }

    /// When the first report of a token leaves, should nothing be sold with it before (RR-72).
    func answerMoment(of stored: StoredToken) -> Timestamp? {
        let due = rules.dueDate(of: subject(stored))
        guard stored.isKnownFromNotificationsOnly else {
            return due?.sendMomentOfTokenReport(lead: rules.settings.sendLead)
        }
        let wait = stored.firstSeen.time.advanced(byMilliseconds: unrecognizedWait)
        return due.map { max($0.sendMomentOfTokenReport(lead: rules.settings.sendLead), wait) } ?? wait
    }

    /// Everything that is not reported yet.
    ///
    /// - Parameter bundleId: one app; nil takes all.
    package func list(of bundleId: BundleId? = nil, in ledger: any LedgerReading) throws(LedgerError) -> DueList {
        var tokens: [DueToken] = []
        var countries: [ExternalPurchaseId: Set<String>] = [:]
        var open: [StoredSale] = []
        try ledger.eachSale { sale throws(LedgerError) in
            guard bundleId == nil || sale.sale.bundleId == bundleId else { return }
            if let token = sale.attribution.externalPurchaseId, let country = sale.sale.purchase?.taxCountry {
                countries[token, default: []].insert(country)
            }
            if sale.standing != .reported, sale.standing != .handedOver { open.append(sale) }
        }
        try ledger.eachToken { token throws(LedgerError) in
            guard token.reportedAt == nil, bundleId == nil || token.token.bundleId == bundleId else { return }
            let known = countries[token.token.externalPurchaseId].map { $0.sorted() } ?? []
            tokens.append(subject(token, taxCountries: known))
        }
        var items: [DueLineItem] = []
        for sale in open {
            let id = sale.attribution.externalPurchaseId
            let token = id == nil ? nil : try ledger.token(id ?? "", of: sale.sale.bundleId)
            if let item = subject(sale, on: token) { items.append(item) }
        }
        return DueList(tokens: tokens, items: items, rules: rules)
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
        let state: String =
            switch due?.state(at: now, warnDays: settings.warnDays) {
            case .open: "open"
            case .warned: "warned"
            case .overdue: "overdue"
            case nil: "noDeadline"
            }
        members += [
            .init("dueAt", due.map { .string($0.moment.description) } ?? .null),
            .init("daysLeft", due.map { .integer(Int64($0.daysLeft(at: now))) } ?? .null),
            .init("state", .string(state)),
            .init("sendAt", sendMoment(settings).map { .string($0.description) } ?? .null),
            .init("heldFor", subject.heldFor.map { .string($0) } ?? .null),
            .init("reason", .string(reason)),
            .init("escalationId", .string(subject.escalationId)),
        ]
        return .object(JSONObject(members))
    }
}
