package import ExternalPurchaseCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What a line item probably costs: for the merchant's own planning, never sent (OB-3).
package struct CommissionEstimate: Hashable, Sendable {
    /// A rate that counts.
    package struct Fee: Hashable, Sendable {
        /// The rate's id within the programme.
        package let rate: String
        /// The fee's name.
        package let name: String
        package let percent: Decimal
        /// True for a rate that comes on top.
        package let adds: Bool
        /// What the percentage is taken of.
        package let base: ReportingProgramme.Base
        /// Units of the currency, exact.
        package let amount: Decimal
        package let confidence: ReportingProgramme.Confidence
    }

    /// What came out.
    package enum Outcome: Hashable, Sendable {
        /// Fees apply.
        case fees
        /// The window was over, or never opened: nothing is owed.
        case outsideWindow
        /// No rate applies, for another reason.
        case nothingOwed
        /// Not computed: a figure is missing.
        case unknown
    }

    package let id: LineItemId
    /// The id of the programme.
    package let programme: String
    /// The version of the programme: since when its terms are in force (OB-73).
    package let effectiveFrom: String
    package let currency: String
    package let outcome: Outcome
    package let fees: [Fee]
    /// Units of the currency, exact; nil when it is unknown.
    package let exact: Decimal?
    /// The windows that were judged.
    package let windows: [EventWindow]
    /// The outcome in plain words.
    package let reason: String

    /// Units of the currency in its minor unit, rounded half up once (RR-42); nil when it is unknown.
    package var amount: Decimal? {
        exact.map { DecimalRounding.halfUp($0, digits: Currency.code(currency)?.exponent ?? 2) }
    }
}

extension ReportingProgramme {
    /// What a line item probably costs under this programme (OB-71).
    ///
    /// - Parameters:
    ///   - subject: the line item.
    ///   - developerProgrammes: the programmes of Apple's that the developer takes part in.
    package func estimate(_ subject: EstimateSubject, developerProgrammes: Set<String> = []) -> CommissionEstimate {
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
                reason: reason
            )
        }
        if case .refund = subject.kind {
            return result(.nothingOwed, 0, "a refund lowers the net amount of its buy, which carries the estimate")
        }
        if rates.isEmpty { return result(.unknown, nil, "no rate of \(id) is known") }
        if case .renewal = subject.kind, !renewalsCount {
            return result(.nothingOwed, 0, "renewals are not commissionable under \(id)")
        }
        guard let flow = subject.flow ?? onlyFlow else {
            return result(.unknown, nil, "it is not known whether the customer bought inside the app or by a link")
        }
        var facts = ConditionFacts(moment: subject.createdAt, events: subject.events)
        if case .renewal(let start) = subject.kind { facts.windowMoment = start }
        facts.developerProgrammes = developerProgrammes
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
            // Without its windows some rate would have held: then it is the windows that decide.
            let isOutside = candidates.contains { rate in
                rate.when.contains { !facts.windows(in: $0).isEmpty }
                    && rate.when.allSatisfy { !facts.windows(in: $0).isEmpty || facts.holds($0) }
            }
            let reason = isOutside ? windowWords : "no rate's conditions hold"
            return result(isOutside ? .outsideWindow : .nothingOwed, 0, reason, windows: windows)
        }
        let parts = fees.map { rate in
            let tax = rate.base == .grossOfTax ? subject.netTax.value : 0
            let base = Decimal(subject.netTaxExclusive.value) + Decimal(tax)
            return CommissionEstimate.Fee(
                rate: rate.id,
                name: rate.fee,
                percent: rate.percent,
                adds: rate.adds,
                base: rate.base,
                // Per cent of thousandths.
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

    /// The flow that all rates share; nil when they do not, or say nothing of it.
    private var onlyFlow: Flow? {
        let flows = Set(rates.map(\.flow)).subtracting([.inAppPurchase])
        return flows.count == 1 ? flows.first : nil
    }

    /// The rates of a flow, and those that a rate on top of another flow's brings along.
    private func candidates(for flow: Flow, _ facts: ConditionFacts) -> [Rate] {
        var flows: Set<Flow> = [flow, .any]
        for rate in rates where rate.adds && flows.contains(rate.flow) && rate.when.allSatisfy(facts.holds) {
            if let target = rate.addsTo, let base = rates.first(where: { $0.id == target }) { flows.insert(base.flow) }
        }
        return rates.filter { flows.contains($0.flow) }
    }
}

extension ConditionFacts {
    /// The windows that a condition asks about.
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
    /// The elements without repetitions, in their order.
    func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

/// Rounding of money in units of a currency.
enum DecimalRounding {
    /// Rounds half up, away from zero below zero (RR-42).
    static func halfUp(_ value: Decimal, digits: Int) -> Decimal {
        let negative = value < 0
        let magnitude = shifted(negative ? -value : value, by: digits)
        // Adding a half and cutting the fraction off is exact in text; `Decimal` has no rounding of its own here.
        let moved = magnitude + Decimal(sign: .plus, exponent: -1, significand: 5)
        let whole = Decimal(string: String(moved.description.prefix { $0 != "." })) ?? 0
        let rounded = shifted(whole, by: -digits)
        return negative ? -rounded : rounded
    }

    /// The value times a power of ten, exactly.
    static func shifted(_ value: Decimal, by digits: Int) -> Decimal {
        value * Decimal(sign: .plus, exponent: digits, significand: 1)
    }
}
