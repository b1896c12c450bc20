import ExternalPurchaseCore
import Ledger

/// Accepts visits of landing addresses (TK-64 to TK-68); it never fails, because the customer must be redirected.
package struct VisitIntake: Sendable {
    let apps: [BundleId: RegisteredApp]
    let recorder: TokenRecorder
    let spool: LandingSpool?
    let dependencies: ReportingDependencies
    let signals: SenderSignals

    /// Records a visit.
    ///
    /// - Parameters:
    ///   - query: the raw query of the request.
    ///   - link: the name of the landing link, which is recorded with the token (OB-31); nil records no tap.
    package func receive(query: String, link: String? = nil) async -> LandingOutcome {
        let checkoutId = CheckoutId(dependencies.uuid().uuidString.lowercased())
        let visit = LandingVisit(query: query, checkoutId: checkoutId, at: dependencies.now(), link: link)
        guard let arrival = visit.arrival else { return .withoutToken }
        // Anybody can forge tokens, so visits above the quota are spooled to a file of limited size, not stored as
        // rows.
        if !recorder.visitQuota.admitsToken(at: visit.at), isOfAnApp(arrival) { return await spooled(visit, arrival) }
        do {
            switch try await recorder.record(arrival, at: visit.at, through: link) {
            case .stored(let receipt):
                signals.tokenStored()
                return .recorded(receipt)
            case .quarantined:
                return .quarantined
            }
        } catch {
            return await spooled(visit, arrival)
        }
    }

    /// Handles a visit above the rate limit of its client address: nothing is stored, and the shop gets the parameters.
    package func forwardUnstored(query: String) -> LandingOutcome {
        let found = WebsiteURL.arrival(query: query)
        guard let token = found.token else { return .withoutToken }
        return .forwarded(token: token, bundleId: found.bundleId)
    }

    private func spooled(_ visit: LandingVisit, _ arrival: TokenArrival) async -> LandingOutcome {
        if let spool, await spool.append(visit) { return .spooled(visit.checkoutId) }
        return .forwarded(token: arrival.text, bundleId: WebsiteURL.arrival(query: visit.query).bundleId)
    }

    /// True if the text decodes to a token of a registered app.
    private func isOfAnApp(_ arrival: TokenArrival) -> Bool {
        guard let token = try? ExternalPurchaseToken.decode(arrival.text).token else { return false }
        return apps[token.bundleId]?.appAppleId == token.appAppleId
    }
}
