import ExternalPurchaseCore

extension ExportSale {
    /// Estimates the commission of the sale's own line item, so that a month's estimates go by the dates of its items.
    ///
    /// A refund is estimated under the terms of its buy, also where these are of another programme or version.
    ///
    /// - Parameters:
    ///   - programme: the programme of the sale.
    ///   - origin: the origin of the sale, which a refund shares with its buy.
    ///   - rules: the rules that give a buy its programme.
    ///   - developerProgrammes: the ids of Apple's programmes in which the developer takes part.
    ///   - dayUnit: the unit of the days of windows, which are those of the rules' time zone.
    /// - Returns: nil while the amounts of the line item are not known.
    func estimate(
        under programme: ReportingProgramme,
        _ origin: ObligationOrigin,
        rules: DeadlineRules,
        developerProgrammes: Set<String>,
        dayUnit: DayCount.Unit
    ) -> CommissionEstimate? {
        guard let amounts else { return nil }
        var terms = programme
        if case .refund(_, let boughtAt) = estimate.kind {
            terms = rules.programme(for: origin, at: boughtAt) ?? programme
        }
        let subject = EstimateSubject(
            id: lineItemId,
            kind: estimate.kind,
            createdAt: createdAt,
            flow: estimate.flow,
            taxExclusive: amounts.taxExclusive,
            tax: amounts.tax,
            currency: amounts.reportingCurrency,
            daysOfPaidService: estimate.daysOfPaidService,
            system: system,
            hasToken: token != nil,
            events: estimate.events
        )
        return terms.estimate(
            subject,
            developerProgrammes: developerProgrammes,
            dayCount: DayCount(unit: dayUnit, zone: rules.settings.timeZone)
        )
    }
}
