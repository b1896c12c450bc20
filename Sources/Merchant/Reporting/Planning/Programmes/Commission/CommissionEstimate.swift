import ExternalPurchaseCore

/// The expected commission of a line item, for the merchant's own planning; it is never sent (OB-3).
package struct CommissionEstimate: Hashable, Sendable {
    /// A rate that applies.
    struct Fee: Hashable, Sendable {
        /// The id of the rate within the programme.
        let rate: String
        /// The name of the fee.
        let name: String
        let percent: Decimal
        /// True for a rate that is added to other rates.
        let adds: Bool
        /// The amount to which the percentage applies.
        let base: ReportingProgramme.Base
        /// The fee in units of the currency, exact.
        let amount: Decimal
        let confidence: ReportingProgramme.Confidence
    }

    /// The result of an estimate.
    package enum Outcome: Hashable, Sendable {
        /// Fees apply.
        case fees
        /// No fee, because the window has ended or was opened later.
        case outsideWindow
        /// No fee, because no rate applies for another reason.
        case nothingOwed
        /// Not computed, because data are missing.
        case unknown
    }

    let id: LineItemId
    /// The id of the programme.
    let programme: String
    /// The version of the programme: the date from which its terms are in force (OB-73).
    let effectiveFrom: String
    let currency: String
    let outcome: Outcome
    let fees: [Fee]
    /// The commission in units of the currency, exact; nil if unknown.
    let exact: Decimal?
    /// The evaluated windows.
    let windows: [EventWindow]
    /// The reason for the result, as text.
    let reason: String

    /// The commission in units of the currency, rounded half up to its minor unit (RR-42); nil if unknown.
    var amount: Decimal? {
        exact.map { DecimalRounding.halfUp($0, digits: Currency.code(currency)?.exponent ?? 2) }
    }
}

extension ReportingProgramme {
    /// Estimates the commission of a line item under this programme (OB-71).
    ///
    /// - Parameters:
    ///   - subject: the line item.
    ///   - developerProgrammes: the ids of Apple's programmes in which the developer takes part.
    ///   - dayCount: how the days of windows are counted.
    func estimate(
        _ subject: EstimateSubject,
        developerProgrammes: Set<String> = [],
        dayCount: DayCount = DayCount()
    ) -> CommissionEstimate {
        // A refund takes back what the terms of its buy charged for the amount.
        var (kind, moment, isRefund) = (subject.kind, subject.createdAt, false)
        if case .refund(let bought, let boughtAt) = subject.kind { (kind, moment, isRefund) = (bought, boughtAt, true) }
        let prefix = isRefund ? "taken back from the buy of \(moment): " : ""
        func result(
            _ outcome: CommissionEstimate.Outcome,
            _ exact: Decimal?,
            _ reason: String,
            fees: [CommissionEstimate.Fee] = [],
            windows: [EventWindow] = []
        ) -> CommissionEstimate {
            CommissionEstimate(
                id: subject.id,
                programme: id,
                effectiveFrom: effectiveFrom,
                currency: subject.currency,
                outcome: outcome,
                fees: fees,
                exact: exact,
                windows: windows,
                reason: prefix + reason
            )
        }
        if rates.isEmpty { return result(.unknown, nil, "no rate of \(id) is known") }
        if case .renewal = kind, !renewalsCount {
            return result(.nothingOwed, 0, "renewals are not commissionable under \(id)")
        }
        guard let flow = subject.flow ?? onlyFlow else {
            return result(.unknown, nil, "it is not known whether the customer bought inside the app or by a link")
        }
        var facts = ConditionFacts(moment: moment, events: subject.events)
        if case .renewal(let start) = kind { facts.windowMoment = start }
        facts.developerProgrammes = developerProgrammes
        facts.dayCount = dayCount
        facts.daysOfPaidService = subject.daysOfPaidService
        facts.system = subject.system
        facts.hasToken = subject.hasToken

        let candidates = candidates(for: flow, facts)
        let applicable = candidates.filter { $0.when.allSatisfy(facts.holds) }
        let windows = candidates.flatMap(\.when).flatMap { facts.windows(in: $0) }.uniqued()
        var fees: [Rate] = []
        for name in applicable.filter({ !$0.adds }).map(\.fee).uniqued() {
            let lowest = applicable.filter { !$0.adds && $0.fee == name }.min { $0.percent < $1.percent }
            if let lowest { fees.append(lowest) }
        }
        fees += applicable.filter(\.adds)
        let windowWords = windows.map(\.reason).joined(separator: "; ")
        guard !fees.isEmpty else {
            if candidates.isEmpty { return result(.unknown, nil, "no rate of \(id) for \(flow.rawValue) is known") }
            if candidates.contains(where: { $0.when.allSatisfy(facts.mayHold) }) {
                let words = windowWords.isEmpty ? "the facts" : windowWords
                return result(.unknown, nil, "it is not known whether a rate applies: \(words)", windows: windows)
            }
            // The windows decide if some rate would apply without them.
            let isOutside = candidates.contains { rate in
                rate.when.contains { !facts.windows(in: $0).isEmpty }
                    && rate.when.allSatisfy { !facts.windows(in: $0).isEmpty || facts.holds($0) }
            }
            let reason = isOutside ? windowWords : "no rate's conditions hold"
            return result(isOutside ? .outsideWindow : .nothingOwed, 0, reason, windows: windows)
        }
        let parts = fees.map { rate in
            let tax = rate.base == .grossOfTax ? subject.tax.value : 0
            let charged = Decimal(subject.taxExclusive.value) + Decimal(tax)
            let base = isRefund ? -charged : charged
            return CommissionEstimate.Fee(
                rate: rate.id,
                name: rate.fee,
                percent: rate.percent,
                adds: rate.adds,
                base: rate.base,
                // Thousandths times per cent: five decimal places.
                amount: DecimalRounding.shifted(base * rate.percent, by: -5),
                confidence: rate.confidence
            )
        }
        let words = parts.map { fee in
            "\(fee.percent) % \(fee.name == Rate.commission ? fee.rate : fee.name)"
                + (fee.confidence.note.map { " (\($0))" } ?? "")
        }
        let reason = words.joined(separator: " + ") + (windowWords.isEmpty ? "" : "; \(windowWords)")
        return result(.fees, parts.reduce(0) { $0 + $1.amount }, reason, fees: parts, windows: windows)
    }

    /// The flow that all rates share; nil if they differ or do not state one.
    private var onlyFlow: Flow? {
        let flows = Set(rates.map(\.flow)).subtracting([.inAppPurchase])
        return flows.count == 1 ? flows.first : nil
    }

    /// The rates of a flow, with those included by additional rates of other flows.
    private func candidates(for flow: Flow, _ facts: ConditionFacts) -> [Rate] {
        var flows: Set<Flow> = [flow, .any]
        for rate in rates where rate.adds && flows.contains(rate.flow) && rate.when.allSatisfy(facts.holds) {
            if let target = rate.addsTo, let base = rates.first(where: { $0.id == target }) { flows.insert(base.flow) }
        }
        return rates.filter { flows.contains($0.flow) }
    }
}

extension ConditionFacts {
    /// The windows in a condition.
    fileprivate func windows(in condition: ReportingProgramme.Condition) -> [EventWindow] {
        switch condition {
        case .withinDaysOf(let event, let days): window(.days(days), of: event).map { [$0] } ?? []
        case .withinMonthsOf(let event, let months): window(.months(months), of: event).map { [$0] } ?? []
        case .anyOf(let alternatives): alternatives.flatMap { windows(in: $0) }
        default: []
        }
    }
}

extension Sequence where Element: Hashable {
    /// The elements without repetitions, in order of first occurrence.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

/// Rounds amounts in units of a currency.
enum DecimalRounding {
    /// Rounds half away from zero (RR-42).
    static func halfUp(_ value: Decimal, digits: Int) -> Decimal {
        let negative = value < 0
        let magnitude = shifted(negative ? -value : value, by: digits)
        // Adding a half and truncating the text is exact; `Decimal` has no rounding method of its own here.
        let moved = magnitude + Decimal(sign: .plus, exponent: -1, significand: 5)
        let whole = Decimal(string: String(moved.description.prefix { $0 != "." })) ?? 0
        let rounded = shifted(whole, by: -digits)
        return negative ? -rounded : rounded
    }

    /// Returns the value multiplied by a power of ten, exactly.
    static func shifted(_ value: Decimal, by digits: Int) -> Decimal {
        value * Decimal(sign: .plus, exponent: digits, significand: 1)
    }
}
