import ExternalPurchaseCore
import Ledger

extension MemoryTransaction {
    func token(_ id: ExternalPurchaseId, of bundleId: BundleId) -> StoredToken? {
        ledger.tokenPlaces[AppKey(bundleId, id)].map { ledger.tokens[$0] }
    }

    func tokens(withId id: ExternalPurchaseId) -> [StoredToken] {
        (ledger.tokenPlacesById[id] ?? []).map { ledger.tokens[$0] }
    }

    func tokens(of customer: CustomerId, app bundleId: BundleId) -> [StoredToken] {
        (ledger.tokenPlacesByCustomer[AppKey(bundleId, customer)] ?? []).sorted().map { ledger.tokens[$0] }
    }

    func claimedTokens(of customer: CustomerId, app bundleId: BundleId) -> [StoredToken] {
        tokens(of: customer, app: bundleId).filter {
            $0.isCustomerClaimed && $0.customerSource == .stated && $0.state != .unconfirmed
        }
    }

    func tokens(
        _ query: CustomerTokenQuery,
        of customer: CustomerId,
        app bundleId: BundleId
    ) -> [StoredToken] {
        let all = tokens(of: customer, app: bundleId)
        guard query == .imported else { return all.matching(query) }
        return all.filter { token in
            let seen = observations(of: token.token.externalPurchaseId, app: bundleId)
            return token.firstSeen.source == .imported || seen.contains { $0.seen.source == .imported }
        }
    }

    func tokens(matching filter: ListFilter, _ page: LedgerPage) -> [StoredToken] {
        slice(ledger.tokens, page) { StoredToken.listFields.matches($0, filter) }
    }

    func tokensUnreported(in scope: ReportingScope, madeBefore: Timestamp, _ page: TimePage) -> [StoredToken] {
        slice(ledger.tokens, page, by: \.placeByCreation) {
            $0.scope == scope && $0.reportedAt == nil && $0.state != .unknownToApple
                && $0.token.tokenCreationDate < madeBefore
        }
    }

    func eachOpenToken(
        of bundleId: BundleId?,
        _ body: (OpenToken) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        for place in ledger.tokens.indices where bundleId == nil || ledger.tokens[place].token.bundleId == bundleId {
            if let token = openToken(at: place) { try body(token) }
        }
    }

    /// The token at an index if no accepted report names it; otherwise nil.
    func openToken(at place: Int) -> OpenToken? {
        let stored = ledger.tokens[place]
        guard stored.reportedAt == nil else { return nil }
        let (id, bundleId) = (stored.token.externalPurchaseId, stored.token.bundleId)
        let sales = ledger.salePlacesByToken[AppKey(bundleId, id)] ?? []
        let isUnconfirmedVisit =
            sales.isEmpty && stored.state == .unconfirmed && stored.firstSeen.source == .website
            && observations(of: id, app: bundleId).allSatisfy { $0.seen.source == .website }
        let countries = Set(sales.compactMap { ledger.sales[$0].sale.purchase.flatMap(\.taxCountry) })
        let reports = ledger.reportPlacesByToken[AppKey(bundleId, id)] ?? []
        return OpenToken(
            stored,
            isUnconfirmedVisit: isUnconfirmedVisit,
            taxCountries: countries.sorted(),
            hasRefusedReport: reports.contains { ledger.reports[$0].state == .needsAttention }
        )
    }

    func tokens(
        in scope: ReportingScope,
        madeFrom: Timestamp,
        until: Timestamp,
        _ page: TimePage
    ) -> [StoredToken] {
        slice(ledger.tokens, page, by: \.placeByCreation) {
            $0.scope == scope && $0.token.tokenCreationDate >= madeFrom && $0.token.tokenCreationDate < until
        }
    }

    func observations(of id: ExternalPurchaseId, app bundleId: BundleId) -> [TokenObservation] {
        (ledger.observationPlaces[AppKey(bundleId, id)] ?? []).map { ledger.observations[$0] }
    }

    func quarantinedTokens(_ page: LedgerPage) -> [QuarantinedToken] { slice(ledger.quarantinedTokens, page) }

    func isQuarantined(_ text: String, as reason: QuarantinedToken.Reason) -> Bool {
        ledger.quarantinedTokens.contains { $0.text.utf8.elementsEqual(text.utf8) && $0.reason == reason }
    }

    func add(_ token: StoredToken) throws(LedgerError) -> Int64 {
        let key = AppKey(token.token.bundleId, token.token.externalPurchaseId)
        guard ledger.tokenPlaces[key] == nil else { throw .conflict("the app has a token of that id") }
        guard token.text != nil || [.notification, .imported].contains(token.firstSeen.source) else {
            throw .conflict("a token that was delivered has a text")
        }
        let place = ledger.tokens.count
        var token = token
        token.sequence = Int64(place + 1)
        token.reportedAt = nil
        set(\.tokenPlaces, key, place)
        add(place, to: \.tokenPlacesById, under: token.token.externalPurchaseId)
        if let customer = token.customerId {
            add(place, to: \.tokenPlacesByCustomer, under: AppKey(key.bundleId, customer))
        }
        return append(token, to: \.tokens)
    }

    func change(_ token: StoredToken) throws(LedgerError) {
        let key = AppKey(token.token.bundleId, token.token.externalPurchaseId)
        guard let place = ledger.tokenPlaces[key] else { throw .conflict("no such token") }
        let stored = ledger.tokens[place]
        if stored.customerId != token.customerId {
            if let old = stored.customerId.map({ AppKey(key.bundleId, $0) }) {
                set(\.tokenPlacesByCustomer, old, ledger.tokenPlacesByCustomer[old]?.filter { $0 != place })
            }
            if let customer = token.customerId {
                add(place, to: \.tokenPlacesByCustomer, under: AppKey(key.bundleId, customer))
            }
        }
        // The arrived values and those maintained by the store stay.
        var changed = token
        changed.sequence = stored.sequence
        changed.token = stored.token
        changed.text = stored.text
        changed.reportedAt = stored.reportedAt
        replace(place, in: \.tokens, by: changed)
    }

    func complete(_ token: StoredToken) throws(LedgerError) {
        let key = AppKey(token.token.bundleId, token.token.externalPurchaseId)
        guard let place = ledger.tokenPlaces[key], ledger.tokens[place].text == nil else {
            throw .conflict("no such token without a text")
        }
        var completed = ledger.tokens[place]
        completed.text = token.text
        completed.token = ExternalPurchaseToken(
            appAppleId: completed.token.appAppleId,
            bundleId: completed.token.bundleId,
            tokenCreationDate: completed.token.tokenCreationDate,
            externalPurchaseId: completed.token.externalPurchaseId,
            tokenType: completed.token.tokenType ?? token.token.tokenType,
            tokenExpirationDate: completed.token.tokenExpirationDate ?? token.token.tokenExpirationDate
        )
        replace(place, in: \.tokens, by: completed)
        try change(token)
    }

    func add(_ observation: TokenObservation) throws(LedgerError) -> Int64 {
        guard token(observation.externalPurchaseId, of: observation.bundleId) != nil else {
            throw .conflict("the token that was seen is not stored")
        }
        var observation = observation
        observation.sequence = Int64(ledger.observations.count + 1)
        add(
            ledger.observations.count,
            to: \.observationPlaces,
            under: AppKey(observation.bundleId, observation.externalPurchaseId)
        )
        return append(observation, to: \.observations)
    }

    func add(_ text: QuarantinedToken) -> Int64 {
        var text = text
        text.sequence = ledger.lastQuarantinedToken + 1
        set(\.lastQuarantinedToken, to: text.sequence)
        _ = append(text, to: \.quarantinedTokens)
        return text.sequence
    }

    func removeQuarantinedTokens(through sequence: Int64) {
        set(\.quarantinedTokens, to: ledger.quarantinedTokens.filter { $0.sequence > sequence })
    }

    /// Records the first accepted report of a token.
    func markReported(_ report: StoredReport) {
        let key = AppKey(report.scope.bundleId, report.externalPurchaseId)
        guard let place = ledger.tokenPlaces[key], ledger.tokens[place].reportedAt == nil else { return }
        var token = ledger.tokens[place]
        token.reportedAt = report.changedAt
        replace(place, in: \.tokens, by: token)
    }
}

extension StoredToken {
    fileprivate var placeByCreation: TimePage.Position {
        TimePage.Position(time: token.tokenCreationDate, sequence: sequence)
    }
}
