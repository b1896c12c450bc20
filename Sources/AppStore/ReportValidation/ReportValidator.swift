package import ExternalPurchaseCore

/// Validates a report by the rules of the report endpoint, as a pure function of the report, its token, the accepted
/// history and the time.
///
/// The rules on the report come first, then those on its line items (RR-1). Line items are validated in stages, all
/// items in each stage, so that their order does not matter (RR-5). An error in an early stage invalidates the member
/// of that item, and no later rule reads it, so that one mistake causes one error (RR-4).
///
/// ```swift
/// let errors = ReportValidator().validate(report, history: history, now: now)
/// let isAccepted = errors.isEmpty
/// ```
package struct ReportValidator: Sendable {
    /// The limits, switches and texts.
    var settings: RuleSettings

    /// Creates a validator.
    ///
    /// - Parameter settings: the limits, switches and texts.
    package init(settings: RuleSettings = .init()) {
        self.settings = settings
    }

    /// Returns all errors of a report in the order of RR-2.
    ///
    /// The report is accepted if there are none.
    ///
    /// - Parameters:
    ///   - report: the report as received.
    ///   - history: the slice for the ``HistoryNeeds`` of the report.
    ///   - now: the time of validation.
    package func validate(_ report: ReceivedReport, history: HistorySlice, now: Timestamp) -> [ReportError] {
        var context = ValidationContext(report: report, history: history, now: now, settings: settings)
        let off = settings.off
        var errors = Self.reportRules.filter { !off.contains($0.code) }.flatMap { rule in
            rule.violations(of: context).map { error(rule.code, $0.rawValue) }
        }
        var found = Array(repeating: [Finding](), count: context.items.count)
        for stage in Stage.allCases {
            if stage == .rest { context.netViolations = NetGroup.violations(in: context) }
            let rules = Self.rulesByStage[stage.rawValue]
            for position in context.items.indices {
                var item = context.items[position]
                for entry in rules where item.isUsable(entry.reads) && !off.contains(entry.rule.code) {
                    let fields = entry.rule.violations(of: item, in: context)
                    guard !fields.isEmpty else { continue }
                    if stage.invalidatesField {
                        item.invalidated.formUnion(fields)
                        context.items[position] = item
                    }
                    found[position] += fields.map { Finding(rank: entry.rank, code: entry.rule.code, field: $0) }
                }
            }
        }
        for (position, findings) in found.enumerated() where !findings.isEmpty {
            let id = context.items[position].item.lineItemId
            for rank in Self.lineItemRules.indices {
                errors += findings.filter { $0.rank == rank }.map { error($0.code, $0.field.rawValue, item: id) }
            }
        }
        return errors
    }

    /// The stages of validation.
    ///
    /// A stage is completed for all items before the next begins (RR-5).
    enum Stage: Int, CaseIterable {
        /// Rules on an item by itself.
        case shape
        /// Rules on the identity of an item: E1, E3 of `lineItemId`, E20.
        case identity
        /// Rules on the reference of an item: E13, E3 of `referenceLineItemId`.
        case reference
        /// All other rules, which compare items.
        case rest

        /// True when an error prevents later rules from reading the member (RR-4).
        var invalidatesField: Bool { self != .rest }
    }

    /// The rules on the report in the order of their errors (RR-2).
    static let reportRules: [any ReportRule.Type] = [
        OmittedField.self, NotFound.self, DuplicateValue.self, LineItemStatusRegression.self,
        MissingLineItemsForStatus.self, LineItemsNotAllowedForStatus.self, DuplicateTokenStatusNotAllowed.self,
    ]

    /// The rules on line items in the order of their errors within an item (RR-2), with their stages (RR-5).
    static let lineItemRules: [(stage: Stage, rule: any LineItemRule.Type)] = [
        (.shape, OmittedField.self),
        (.shape, FieldNotAllowed.self),
        (.shape, MaximumLengthExceeded.self),
        (.shape, UnknownEnum.self),
        (.shape, NegativeValueNotAllowed.self),
        (.shape, PositiveValueRequired.self),
        (.shape, FutureDate.self),
        (.shape, DateTooFarInPast.self),
        (.shape, StartDateAfterEndDate.self),
        (.shape, LineItemCreationDateOutOfRange.self),
        (.shape, IncorrectAmountTaxInclusive.self),
        (.shape, ReportingCurrencyExchangeNotAllowed.self),
        (.shape, SubscriptionStartNonZeroDaysPaidService.self),
        (.shape, InvalidTaxInclusiveAmountForSubscriptionPayment.self),
        (.identity, DuplicateValue.self),
        (.identity, RestatedItemNotFound.self),
        (.identity, ErroneouslySubmittedNotRestatement.self),
        (.rest, RepeatErroneousSubmission.self),
        (.rest, RestatementCreationDateMismatch.self),
        (.rest, RestatementNotAllowedCreationDate.self),
        (.reference, SelfReference.self),
        (.reference, ReferencedItemNotFound.self),
        (.rest, ReferenceLineItemNotABuy.self),
        (.rest, ReferenceInvalidSubscriptionEvent.self),
        (.rest, ValidLineItemReferencesErroneousLineItem.self),
        (.rest, ErroneousLineItemReferencedByValidLineItem.self),
        (.rest, RefundReferencedByRefund.self),
        (.rest, NonInitialBuyReferencedByBuy.self),
        (.rest, ReferencedCreationDateIncompatible.self),
        (.rest, ReportingCurrencyMismatch.self),
        (.rest, PricingCurrencyMismatch.self),
        (.rest, ExchangeRateMismatch.self),
        (.rest, TaxCountryMismatch.self),
        (.rest, RefundNotAllowedCreationDate.self),
        (.rest, NetAmountMismatch.self),
        (.rest, IncorrectNetAmount.self),
    ]

    /// A rule with its position in ``lineItemRules`` and the members that it reads.
    private struct RankedRule: Sendable {
        let rank: Int
        let reads: LineItemFieldSet
        let rule: any LineItemRule.Type
    }

    /// The rules of each stage.
    private static let rulesByStage: [[RankedRule]] = Stage.allCases.map { stage in
        lineItemRules.enumerated().filter { $0.element.stage == stage }.map {
            RankedRule(rank: $0.offset, reads: $0.element.rule.reads, rule: $0.element.rule)
        }
    }

    private struct Finding {
        let rank: Int
        let code: ReportErrorCode
        let field: LineItemField
    }

    private func error(_ code: ReportErrorCode, _ field: String, item: LineItemId? = nil) -> ReportError {
        var error = ReportError(code, field: field, item: item)
        if let message = settings.messages[code] { error.errorMessage = message }
        return error
    }
}

extension ReportValidator {
    /// The codes of rules that need the token or the history, and are therefore not decided by the report alone.
    ///
    /// E13 depends on the history as well for an item whose id causes E1 or E3.
    package static let rulesNeedingHistory: [Int] = {
        let codes =
            reportRules.filter { $0.needsHistory }.map { $0.code }
            + lineItemRules.filter { $0.rule.needsHistory }.map { $0.rule.code }
        return Set(codes.map(\.rawValue)).sorted()
    }()
}
