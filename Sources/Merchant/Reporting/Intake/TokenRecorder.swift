import ExternalPurchaseCore
import Ledger
import ReportPlanning
import ReportValidation

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
        var now = moment ?? dependencies.now()
        let firstSeen = FirstSeen(source: arrival.source, time: now)
        let decoded: DecodedToken
        do {
            decoded = try ExternalPurchaseToken.decode(arrival.text)
        } catch {
            return try await quarantine(arrival, .undecodable, error.description, firstSeen)
        }
        let token = decoded.token
        // Databases may cut texts at a zero byte, which would make two different identifiers equal.
        let texts = [token.externalPurchaseId.rawValue, token.tokenType?.rawValue ?? ""]
        if texts.contains(where: { $0.utf8.contains(0) }) {
            return try await quarantine(arrival, .undecodable, "a field of the token contains U+0000", firstSeen)
        }
        guard let app = apps[token.bundleId], app.appAppleId == token.appAppleId else {
            let detail = """
                the token is of \(token.bundleId) (\(token.appAppleId)), which is none of the apps registered here: \
                \(apps.values.map { "\($0.bundleId) (\($0.appAppleId))" }.sorted().joined(separator: ", "))
                """
            return try await quarantine(arrival, .foreign, detail, firstSeen)
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
            checkoutId: arrival.checkoutId ?? CheckoutId(dependencies.uuid().uuidString.lowercased()),
            customerId: arrival.customerId,
            storefront: arrival.storefront,
            endpoint: app.environments.contains(token.environment) ? .configured : .missing,
            notes: arrival.notes
        )
        let (stored, isNew) = try await store.write { [arrival, now] ledger throws(LedgerError) in
            let kept = try keep(candidate, arrivedAs: arrival, in: ledger)
            if let link {
                try ledger.record(
                    LinkTap(
                        bundleId: token.bundleId,
                        link: link,
                        tappedAt: now,
                        externalPurchaseId: token.externalPurchaseId,
                        checkoutId: kept.0.checkoutId
                    )
                )
            }
            return kept
        }
        if isNew, link != nil { visitQuota.countToken(at: dependencies.now()) }
        return .stored(TokenReceipt(token: stored, isNew: isNew, warnings: decoded.warnings))
    }

    private func quarantine(
        _ arrival: TokenArrival,
        _ reason: QuarantinedToken.Reason,
        _ detail: String,
        _ firstSeen: FirstSeen
    ) async throws(LedgerError) -> Recorded {
        let aside = QuarantinedToken(
            text: Self.kept(arrival.text),
            reason: reason,
            detail: detail,
            firstSeen: firstSeen
        )
        let now = dependencies.now()
        if arrival.source == .website, !visitQuota.takesText(of: aside.text.utf8.count, at: now) {
            return .quarantined(aside)
        }
        let oldest = now - settings.landing.quarantineAge
        try await store.write { ledger throws(LedgerError) in
            try ledger.expireQuarantinedTokens(before: oldest)
            try ledger.quarantine(aside)
        }
        return .quarantined(aside)
    }

    /// The stored part of an undecodable text: at most the size of a token (TK-11), with zero bytes replaced.
    private static func kept(_ text: String) -> String {
        String(decoding: text.utf8.prefix(ExternalPurchaseToken.maximumBytes), as: UTF8.self)
            .replacing("\u{0}", with: "\u{FFFD}")
    }

    /// Stores a new token or completes a known one, then links the checkout to it.
    private func keep(
        _ candidate: StoredToken,
        arrivedAs arrival: TokenArrival,
        in ledger: any LedgerTransaction
    ) throws(LedgerError) -> (StoredToken, isNew: Bool) {
        let bundleId = candidate.token.bundleId
        let merged = try ledger.merge(candidate)
        var token = merged.token
        var changed = token
        // An existing link is not changed. If the checkout already has a customer, the token gets the same one.
        for checkoutId in Set([token.checkoutId, arrival.checkoutId ?? token.checkoutId]) {
            var checkout =
                try ledger.checkout(checkoutId, of: bundleId) ?? Checkout(checkoutId: checkoutId, bundleId: bundleId)
            if let other = checkout.externalPurchaseId, other != token.token.externalPurchaseId {
                changed.notes.insert(.checkoutContradiction)
            } else {
                checkout.externalPurchaseId = token.token.externalPurchaseId
                checkout.isTokenFromSale = false
            }
            let named = arrival.customerId ?? checkout.customerId
            if let named {
                if let customer = changed.customerId, customer != named {
                    changed.notes.insert(.customerContradiction)
                } else if arrival.customerId != nil {
                    changed.customerId = named
                    changed.customerSource = .stated
                } else if changed.customerId == nil {
                    changed.customerId = named
                    if checkout.isCustomerFromSale { changed.customerSource = .sales }
                }
            }
            if let customer = changed.customerId {
                if let other = checkout.customerId, other != customer {
                    changed.notes.insert(.customerContradiction)
                } else {
                    checkout.customerId = customer
                    checkout.isCustomerFromSale = changed.customerSource == .sales
                }
            }
            try ledger.put(checkout)
        }
        if changed != token {
            try ledger.update(changed)
            token = changed
        }
        // The sender finds held sales that name this token; sales that are already linked to it are planned at once.
        let keys: [PlanningKey] = [.token(token.token.externalPurchaseId)]
        try planner.replan(
            touching: keys,
            of: bundleId,
            extent: .pending,
            in: ledger,
            now: dependencies.now()
        )
        token = try ledger.token(token.token.externalPurchaseId, of: bundleId) ?? token
        return (token, isNew: merged.outcome == .new)
    }
}
