import ExternalPurchaseCore

/// A line item in validation, with the members that errors have invalidated so far.
struct ValidatedLineItem: Sendable {
    /// An item with what several rules ask of it; an object, because a copy of an item's twenty members costs more than
    /// a rule.
    private final class Content: Sendable {
        let item: ReceivedLineItem
        let kind: LineItemKind?
        let presentFields: LineItemFieldSet
        let requirements: FieldRequirements

        init(_ item: ReceivedLineItem) {
            self.item = item
            kind = LineItemKind(of: item)
            presentFields = item.presentFields
            requirements = FieldRequirements(of: item, kind: kind)
        }
    }

    private let content: Content
    /// The position in the report; nil for an item that was accepted earlier.
    let position: Int?
    /// The members that no further rule may read (RR-4).
    var invalidated: LineItemFieldSet = []

    init(_ item: ReceivedLineItem, position: Int?) {
        content = Content(item)
        self.position = position
    }

    /// The item.
    var item: ReceivedLineItem { content.item }

    /// The kind; nil for an unknown one (RR-6).
    var kind: LineItemKind? { content.kind }

    /// The members that are present.
    var presentFields: LineItemFieldSet { content.presentFields }

    /// The members that the item must and must not contain.
    var requirements: FieldRequirements { content.requirements }

    /// True when no error has invalidated the member.
    func isUsable(_ field: LineItemField) -> Bool { !invalidated.contains(field) }

    /// True when no error has invalidated any of the members.
    func isUsable(_ fields: LineItemFieldSet) -> Bool { invalidated.isDisjoint(with: fields) }
}

/// The input of a rule: the report, the accepted history, the time and the settings.
struct ValidationContext: Sendable {
    let report: ReceivedReport
    let history: HistorySlice
    let now: Timestamp
    let settings: RuleSettings

    /// The items to validate.
    ///
    /// There are none unless the status is `LINE_ITEM` (RR-3).
    var items: [ValidatedLineItem]
    /// The violations of the net groups by position in the report.
    ///
    /// They are computed after the last stage that invalidates members (RR-20…23).
    var netViolations: [Int: ReportErrorCode] = [:]
    /// The position of the first item with each id.
    let firstPosition: [LineItemId: Int]
    /// True when two items of the report have the same id.
    let hasCopies: Bool
    /// True when an item of the report or of the overlay references another one.
    let hasReferences: Bool

    private enum Member {
        case reported(Int)
        case accepted(LineItemId)
    }
    /// The items of the overlay by their reference (RR-7).
    private let overlayByReference: [LineItemId: [Member]]

    init(report: ReceivedReport, history: HistorySlice, now: Timestamp, settings: RuleSettings) {
        self.report = report
        self.history = history
        self.now = now
        self.settings = settings
        let received = report.status == .lineItem ? report.lineItems ?? [] : []
        items = received.enumerated().map { ValidatedLineItem($0.element, position: $0.offset) }
        var first: [LineItemId: Int] = [:]
        first.reserveCapacity(received.count)
        var byReference: [LineItemId: [Member]] = [:]
        var hasCopies = false
        for (position, item) in received.enumerated() {
            guard let id = item.lineItemId else { continue }
            if let earlier = first.updateValue(position, forKey: id) {
                first[id] = earlier
                hasCopies = true
            } else if let reference = item.referenceLineItemId {
                byReference[reference, default: []].append(.reported(position))
            }
        }
        for (id, accepted) in history.newest where first[id] == nil {
            if let reference = accepted.item.referenceLineItemId {
                byReference[reference, default: []].append(.accepted(id))
            }
        }
        firstPosition = first
        self.hasCopies = hasCopies
        hasReferences = !byReference.isEmpty || received.contains { $0.referenceLineItemId != nil }
        overlayByReference = byReference
    }

    /// Returns the newest accepted version of the item (RR-7).
    func accepted(_ item: ValidatedLineItem) -> AcceptedLineItem? {
        item.item.lineItemId.flatMap { history.newest[$0] }
    }

    /// Returns the item with that id in the overlay: the one of this report, or otherwise the accepted one (RR-7).
    func overlay(_ id: LineItemId) -> ValidatedLineItem? {
        if let position = firstPosition[id] { return items[position] }
        return history.newest[id].map { ValidatedLineItem($0.item, position: nil) }
    }

    /// Returns the item that the item references (RR-7).
    func target(of item: ValidatedLineItem) -> ValidatedLineItem? {
        item.item.referenceLineItemId.flatMap(overlay)
    }

    /// Returns all items of the overlay that reference that id, of any kind.
    func overlay(referencing id: LineItemId) -> [ValidatedLineItem] {
        overlayByReference[id, default: []].compactMap { member in
            switch member {
            case .reported(let position): items[position]
            case .accepted(let id): history.newest[id].map { ValidatedLineItem($0.item, position: nil) }
            }
        }
    }

    /// Returns the kinds of the other live items that reference the item (RR-7).
    func referrers(of item: ValidatedLineItem) -> Set<LineItemKind> {
        guard let id = item.item.lineItemId else { return [] }
        return Set(
            overlay(referencing: id).compactMap { other in
                other.item.lineItemId != id && other.item.isLive
                    && other.isUsable([.lineItemId, .referenceLineItemId, .erroneouslySubmitted]) ? other.kind : nil
            }
        )
    }
}
