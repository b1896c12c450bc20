package import ExternalPurchaseCore

/// Judges a report by the rules of the report endpoint: a pure function of the report, its token, the accepted
/// history and the time.
///
/// The rules of the report come first, then those of its line items (RR-1). Line items are validated stage by stage, all
/// items in each, so that their order does not matter (RR-5). What a rule of an early stage finds invalidates the member
/// on that item, and no later rule reads it, so that one mistake draws one error (RR-4).
package struct ReportValidator: Sendable {
    /// Limits, switches and texts.
    package var settings: RuleSettings

    /// A judge.
    ///
    /// - Parameter settings: limits, switches and texts.
    package init(settings: RuleSettings = .init()) {
        self.settings = settings
    }

    /// All errors of a report in the order of RR-2; none means that it is accepted.
    ///
    /// - Parameters:
    ///   - report: the report as received.
    ///   - history: what ``HistoryNeeds`` of the report name.
    ///   - now: the time of the judgement.
    package func validate(_ report: ReceivedReport, history: HistorySlice, now: Timestamp) -> [ReportError] {
        var context = ValidationContext(report: report, history: history, now: now, settings: settings)
        var errors = Self.reportRules.flatMap { rule in
            rule.violations(of: context).map { error(rule.code, $0.rawValue) }
        }
        var found = Array(repeating: [Finding](), count: context.items.count)
        for stage in Stage.allCases {
            if stage == .rest { context.netViolations = NetGroup.violations(in: context) }
            for position in context.items.indices {
                for (rank, entry) in Self.lineItemRules.enumerated() where entry.stage == stage {
                    let item = context.items[position]
                    guard item.isUsable(entry.rule.reads) else { continue }
                    let fields = entry.rule.violations(of: item, in: context)
                    if stage.invalidatesField { context.items[position].invalidated.formUnion(fields) }
                    found[position] += fields.map { Finding(rank: rank, code: entry.rule.code, field: $0) }
                }
            }
        }
        for (position, findings) in found.enumerated() {
            let id = context.items[position].item.lineItemId
            for rank in Self.lineItemRules.indices {
                errors += findings.filter { $0.rank == rank }.map { error($0.code, $0.field.rawValue, item: id) }
            }
        }
        return errors
    }

    /// What is judged together before anything later is (RR-5).
    enum Stage: CaseIterable {
        /// One item alone.
        case shape
        /// Which item it is: E1, E3 of `lineItemId`, E20.
        case identity
        /// What it references: E13, E3 of `referenceLineItemId`.
        case reference
        /// Everything else beside other items.
        case rest

        /// True when an error keeps later rules from the member (RR-4).
        var invalidatesField: Bool { self != .rest }
    }

    /// The rules of the report in the order of their errors (RR-2).
    static let reportRules: [any ReportRule.Type] = [
        OmittedField.self, NotFound.self, DuplicateValue.self, LineItemStatusRegression.self,
        MissingLineItemsForStatus.self, LineItemsNotAllowedForStatus.self, DuplicateTokenStatusNotAllowed.self,
    ]

    /// The rules of line items in the order of their errors within an item (RR-2), and when each is judged (RR-5).
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
    /// The codes that the report alone does not decide: without token and history they stay open (so does E13 for an item
    /// whose id draws E1 or E3).
    package static let rulesNeedingHistory: [Int] = {
        let codes =
            reportRules.filter { $0.needsHistory }.map { $0.code }
            + lineItemRules.filter { $0.rule.needsHistory }.map { $0.rule.code }
        return Set(codes.map(\.rawValue)).sorted()
    }()
}
