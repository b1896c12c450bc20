import ExternalPurchaseCore
import ReportRules

/// An app in one of Apple's two worlds, which never meet (SA-90).
struct World: Hashable, Sendable {
    let bundleId: BundleId
    let environment: AppStoreEnvironment
}

/// The accepted reports of one app and environment.
struct ReportBook: Sendable {
    private(set) var history = AcceptedHistory()
    /// What the newest accepted report says of each token.
    private var statuses: [ExternalPurchaseId: ReportStatus] = [:]

    subscript(requestIdentifier: RequestIdentifier) -> ReceivedReport? { history.report(requestIdentifier) }

    func status(of token: ExternalPurchaseId) -> ReportStatus? { statuses[token] }

    mutating func accept(_ report: ReceivedReport) {
        history.accept(report)
        if let token = report.externalPurchaseId { statuses[token] = report.status }
    }
}

/// What a report in process lays its hands on (SA-66).
struct SubmissionClaim: Hashable, Sendable {
    let world: World
    let externalPurchaseId: ExternalPurchaseId?
    /// The items it holds and the ones it references.
    let lineItemIds: Set<LineItemId>

    init(of report: ReceivedReport, in world: World) {
        self.world = world
        let needs = HistoryNeeds(of: report)
        externalPurchaseId = needs.externalPurchaseId
        lineItemIds = needs.lineItemIds
    }

    func meets(_ other: SubmissionClaim) -> Bool {
        guard world == other.world else { return false }
        let sharesToken = externalPurchaseId != nil && externalPurchaseId == other.externalPurchaseId
        return sharesToken || !lineItemIds.isDisjoint(with: other.lineItemIds)
    }
}
