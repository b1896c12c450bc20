package import ExternalPurchaseCore

extension LedgerQueries {
    /// The value of ``OpenToken/isUnconfirmedVisit`` for one token; false for an unknown token.
    package func isUnconfirmedVisit(
        _ id: ExternalPurchaseId,
        of bundleId: BundleId
    ) throws(LedgerError) -> Bool {
        guard let token = try token(id, of: bundleId), token.reportedAt == nil, token.state == .unconfirmed,
            token.firstSeen.source == .website
        else { return false }
        guard try observations(of: id, app: bundleId).allSatisfy({ $0.seen.source == .website }) else { return false }
        return try sales(.token(id, of: bundleId), LedgerPage(limit: 1)).isEmpty
    }
}
