import ExternalPurchaseCore
import Ledger
import ReportValidation

/// Records tokens in the ledger; repeated arrivals of a token are merged into one row (TK-66 to TK-75).
struct TokenRecorder: Sendable {
    let store: any LedgerStore
    let apps: [BundleId: RegisteredApp]
    let planner: MerchantPlanner
    let dependencies: ReportingDependencies
    let visitQuota: VisitQuota

    private var settings: ReportingSettings { planner.settings }

    enum Recorded: Hashable, Sendable {
        case stored(TokenReceipt)
        case quarantined(QuarantinedToken)
    }

    /// A text that arrived as a token, decoded and checked, before it is stored.
    enum Prepared: Sendable {
        case token(StoredToken, arrivedAs: TokenArrival, warnings: [TokenWarning])
        /// A text that is not a token of this server's apps.
        case quarantine(QuarantinedToken)

        /// The rows that are read to store it.
        var expectedRows: ExpectedRows? {
            guard case .token(let token, let arrival, _) = self else { return nil }
            let app = token.token.bundleId
            let checkouts: Set = [token.checkoutId, arrival.checkoutId ?? token.checkoutId]
            var queries: Set<ExpectedQuery> = []
            for checkout in checkouts {
                for provider in PaymentProvider.allCases {
                    queries.insert(.events(with: .checkout(checkout), of: provider))
                }
            }
            if let customer = token.customerId {
                queries.formUnion(ConnectedRecords.queries(ofCustomer: customer, of: token.token))
            }
            return ExpectedRows(
                bundleId: app,
                tokens: [token.token.externalPurchaseId],
                checkouts: checkouts,
                customers: Set([token.customerId].compactMap(\.self)),
                queries: queries
            )
        }
    }

    /// Records a text that arrived as a token.
    ///
    /// - Parameters:
    ///   - arrival: the text with its accompanying data.
    ///   - moment: the time of arrival; nil means now.
    ///   - link: the landing link of a visit, which is recorded with the token (OB-31).
    func record(
        _ arrival: TokenArrival,
        at moment: Timestamp? = nil,
        through link: String? = nil
    ) async throws(LedgerError) -> Recorded {
        let prepared = await prepare(arrival, at: moment)
        if case .quarantine(let aside) = prepared, !isTaken(aside, from: arrival) { return .quarantined(aside) }
        let recorded = try await store.write(expecting: prepared.expectedRows) { ledger throws(LedgerError) in
            let recorded = try record(prepared, in: ledger)
            if let link, case .stored(let receipt) = recorded {
                try ledger.record(
                    LinkTap(
                        bundleId: receipt.token.token.bundleId,
                        link: link,
                        tappedAt: moment ?? dependencies.now(),
                        externalPurchaseId: receipt.token.token.externalPurchaseId,
                        checkoutId: receipt.token.checkoutId
                    )
                )
            }
            return recorded
        }
        if case .stored(let receipt) = recorded, receipt.isNew, link != nil {
            visitQuota.countToken(at: dependencies.now())
        }
        return recorded
    }

    /// Decodes and checks a text that arrived as a token.
    ///
    /// - Parameters:
    ///   - arrival: the text with its accompanying data.
    ///   - moment: the time of arrival; nil means now.
    func prepare(_ arrival: TokenArrival, at moment: Timestamp? = nil) async -> Prepared {
        var now = moment ?? dependencies.now()
        func quarantine(_ reason: QuarantinedToken.Reason, _ detail: String) -> Prepared {
            .quarantine(
                QuarantinedToken(
                    text: Self.kept(arrival.text),
                    reason: reason,
                    detail: detail,
                    firstSeen: FirstSeen(source: arrival.source, time: now)
                )
            )
        }
        let decoded: DecodedToken
        do {
            decoded = try ExternalPurchaseToken.decode(arrival.text)
        } catch {
            return quarantine(.undecodable, error.description)
        }
        let token = decoded.token
        // Databases may cut texts at a zero byte, which would make two different identifiers equal.
        let texts = [token.externalPurchaseId.rawValue, token.tokenType?.rawValue ?? "", token.bundleId.rawValue]
        if texts.contains(where: { $0.utf8.contains(0) }) {
            return quarantine(.undecodable, "a field of the token contains U+0000")
        }
        guard let app = apps[token.bundleId], app.appAppleId == token.appAppleId else {
            let detail = """
                the token is of \(token.bundleId) (\(token.appAppleId)), which is none of the apps registered here: \
                \(apps.values.map { "\($0.bundleId) (\($0.appAppleId))" }.sorted().joined(separator: ", "))
                """
            return quarantine(.foreign, detail)
        }
        var arrival = arrival
        if moment == nil, token.tokenCreationDate > now + settings.rules.clockSkew {
            await dependencies.refresh()
            now = dependencies.now()
        }
        if token.tokenCreationDate > now + settings.rules.clockSkew {
            arrival.notes.insert(.suspicious)
        }
        let candidate = StoredToken(
            token: token,
            text: arrival.text,
            firstSeen: FirstSeen(source: arrival.source, time: now),
            checkoutId: arrival.checkoutId ?? CheckoutId(of: token),
            customerId: arrival.customerId,
            storefront: arrival.storefront,
            endpoint: app.environments.contains(token.environment) ? .configured : .missing,
            notes: arrival.notes
        )
        return .token(candidate, arrivedAs: arrival, warnings: decoded.warnings)
    }

    /// Whether the quota of visits allows a text to be stored in quarantine.
    func isTaken(_ aside: QuarantinedToken, from arrival: TokenArrival) -> Bool {
        arrival.source != .website || visitQuota.takesText(of: aside.text.utf8.count, at: dependencies.now())
    }

    /// Stores a prepared token as a part of a transaction.
    func record(_ prepared: Prepared, in ledger: LedgerTransaction) throws(LedgerError) -> Recorded {
        switch prepared {
        case .token(let candidate, arrivedAs: let arrival, warnings: let warnings):
            let (stored, isNew) = try keep(candidate, arrivedAs: arrival, in: ledger)
            return .stored(TokenReceipt(token: stored, isNew: isNew, warnings: warnings))
        case .quarantine(let aside):
            try ledger.expireQuarantinedTokens(before: dependencies.now() - settings.landing.quarantineAge)
            try ledger.quarantine(aside)
            return .quarantined(aside)
        }
    }

    /// The stored part of an undecodable text: at most the size of a token (TK-11), with zero bytes replaced.
    private static func kept(_ text: String) -> String {
        String(decoding: text.utf8.prefix(ExternalPurchaseToken.maximumBytes), as: UTF8.self)
            .replacing("\u{0}", with: "\u{FFFD}")
    }

    /// Stores a new token or completes a known one, then links checkout and customer to it (TK-78).
    private func keep(
        _ candidate: StoredToken,
        arrivedAs arrival: TokenArrival,
        in ledger: LedgerTransaction
    ) throws(LedgerError) -> (StoredToken, isNew: Bool) {
        let bundleId = candidate.token.bundleId
        let merged = try ledger.merge(candidate)
        var token = merged.token
        var changed = token
        var replacesClaims = false
        var keys: [PlanningKey] = [.token(token.token.externalPurchaseId)]
        let named = arrival.checkoutId ?? token.checkoutId
        for checkoutId in named == token.checkoutId ? [named] : [named, token.checkoutId] {
            // A public arrival may have chosen the first checkout of a token that an authenticated one repeats.
            let isPublic = arrival.isPublic || checkoutId != arrival.checkoutId && merged.outcome != .new
            let stored = try ledger.checkout(checkoutId, of: bundleId)
            var checkout = stored ?? Checkout(checkoutId: checkoutId, bundleId: bundleId)
            let claim = try ledger.claim(checkout: &checkout, for: token, isPublic: isPublic)
            if claim == .contested || claim == .other { changed.notes.insert(.checkoutContradiction) }
            if claim == .replaced { replacesClaims = true }
            if changed.link(to: &checkout, claim, isPublic: isPublic, arrivedAs: arrival) { replacesClaims = true }
            try ledger.put(checkout, replacing: stored)
            // A sale that names a checkout has stored it.
            if stored != nil { keys.append(.checkout(checkoutId)) }
            if stored != nil, stored != checkout {
                keys += try ledger.salesKeys(ofCheckout: checkoutId, app: bundleId)
            }
        }
        if changed != token {
            try ledger.update(changed)
        }
        if !arrival.isPublic, changed != token || merged.outcome == .new, let customer = changed.customerId {
            keys += try ledger.salesKeys(claimedFrom: customer, by: changed)
        }
        token = changed
        let now = dependencies.now()
        var opening: Set<PlanningKey> = []
        if replacesClaims {
            let changed: Set = [token.token.externalPurchaseId]
            opening = try planner.renewLinks(of: keys, after: changed, app: bundleId, in: ledger, now: now)
        }
        // The sender finds held sales that name this token; sales that are already linked to it are planned at once.
        try planner.replan(
            touching: keys,
            of: bundleId,
            extent: .pending,
            opening: opening,
            in: ledger,
            now: now
        )
        token = try ledger.token(token.token.externalPurchaseId, of: bundleId) ?? token
        return (token, isNew: merged.outcome == .new)
    }
}
