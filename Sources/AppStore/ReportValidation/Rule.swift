import ExternalPurchaseCore

/// A rule on the report as a whole.
protocol ReportRule: Sendable {
    /// The code of the rule's errors.
    static var code: ReportErrorCode { get }
    /// True when the rule also reads the token or earlier accepted reports.
    static var needsHistory: Bool { get }
    /// Returns the members of the report that violate the rule.
    static func violations(of context: ValidationContext) -> [ReportField]
}

/// A member of a report by its name on the wire.
enum ReportField: String, Hashable, Sendable, CaseIterable {
    case requestIdentifier, externalPurchaseId, status
}

/// A rule on one line item, by itself or in comparison with others.
protocol LineItemRule: Sendable {
    /// The code of the rule's errors.
    static var code: ReportErrorCode { get }
    /// True when the rule also reads the token or earlier accepted reports.
    static var needsHistory: Bool { get }
    /// The members that the rule reads.
    ///
    /// The rule is skipped when one of them is invalidated (RR-4).
    static var reads: LineItemFieldSet { get }
    /// Returns the members of the item that violate the rule.
    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField]
}

/// A rule that compares an item with the item that it references (RR-8).
protocol TargetRule: LineItemRule {
    /// The members of the target that the rule reads, in addition to its id and kind.
    static var readsOfTarget: LineItemFieldSet { get }
    /// Returns the member of the item that violates the rule, or nil.
    ///
    /// Both items have a known kind (RR-6).
    static func violation(
        of item: ReceivedLineItem,
        _ kind: LineItemKind,
        target: ReceivedLineItem,
        _ targetKind: LineItemKind,
        in context: ValidationContext
    ) -> LineItemField?
}

extension TargetRule {
    static var needsHistory: Bool { true }
    static var readsOfTarget: LineItemFieldSet { [] }

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard item.isUsable([.lineItemId, .referenceLineItemId]), let kind = item.kind,
            let target = context.target(of: item), target.isUsable(readsOfTarget.union([.lineItemId])),
            let targetKind = target.kind,
            let field = violation(of: item.item, kind, target: target.item, targetKind, in: context)
        else { return [] }
        return [field]
    }
}

/// A rule that requires a refund and the refunded buy to agree in one member.
protocol RefundAgreesRule: TargetRule {
    /// The member.
    static var field: LineItemField { get }
    /// True when both items agree.
    static func agree(_ refund: ReceivedLineItem, _ buy: ReceivedLineItem) -> Bool
}

extension RefundAgreesRule {
    static var reads: LineItemFieldSet { [field] }
    static var readsOfTarget: LineItemFieldSet { [field] }

    static func violation(
        of item: ReceivedLineItem,
        _ kind: LineItemKind,
        target: ReceivedLineItem,
        _ targetKind: LineItemKind,
        in context: ValidationContext
    ) -> LineItemField? {
        kind == .refund && targetKind.isBuy && !agree(item, target) ? field : nil
    }
}
