import ExternalPurchaseCore

/// A rule on the report as a whole.
protocol ReportRule: Sendable {
    /// The code of its errors.
    static var code: ReportErrorCode { get }
    /// True when the report alone does not decide the rule: it also reads the token or what was accepted before.
    static var needsHistory: Bool { get }
    /// The members of the report that break the rule.
    static func violations(of context: ValidationContext) -> [ReportField]
}

/// A member of a report, by its name on the wire.
enum ReportField: String, Hashable, Sendable, CaseIterable {
    case requestIdentifier, externalPurchaseId, status
}

/// A rule on one line item, alone or beside others.
protocol LineItemRule: Sendable {
    /// The code of its errors.
    static var code: ReportErrorCode { get }
    /// True when the report alone does not decide the rule: it also reads the token or what was accepted before.
    static var needsHistory: Bool { get }
    /// What the rule reads on the item: it is skipped when one of these is invalidated (RR-4).
    static var reads: Set<LineItemField> { get }
    /// The members of the item that break the rule.
    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField]
}

/// A rule that judges an item by the item that it references (RR-8).
protocol TargetRule: LineItemRule {
    /// What the rule reads on the target, beside its id and kind.
    static var readsOfTarget: Set<LineItemField> { get }
    /// The member of the item that breaks the rule; both items have a known kind (RR-6).
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
    static var readsOfTarget: Set<LineItemField> { [] }

    static func violations(of item: ValidatedLineItem, in context: ValidationContext) -> [LineItemField] {
        guard item.isUsable([.lineItemId, .referenceLineItemId]), let kind = item.kind,
            let target = context.target(of: item), target.isUsable(readsOfTarget.union([.lineItemId])),
            let targetKind = target.kind,
            let field = violation(of: item.item, kind, target: target.item, targetKind, in: context)
        else { return [] }
        return [field]
    }
}

/// A rule that a refund and the buy that it refunds must agree in one member.
protocol RefundAgreesRule: TargetRule {
    /// The member.
    static var field: LineItemField { get }
    /// True when both say the same.
    static func agree(_ refund: ReceivedLineItem, _ buy: ReceivedLineItem) -> Bool
}

extension RefundAgreesRule {
    static var reads: Set<LineItemField> { [field] }
    static var readsOfTarget: Set<LineItemField> { [field] }

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
