import ExternalPurchaseCore

extension ReportingProgramme {
    /// The expected date of payment of a month's commission (OB-80, OB-81).
    ///
    /// - Parameters:
    ///   - month: the month.
    ///   - invoicedOn: the date of Apple's invoice; nil before the invoice arrives.
    func expectedPayment(
        after month: ReportingMonth,
        invoicedOn: CalendarDate? = nil
    ) -> Reconciliation.Payment {
        guard let payment else {
            return Reconciliation.Payment(due: nil, reason: "the terms of payment of \(id) are not known")
        }
        let sureness = (confidence["payment"] ?? Confidence(level: .assumed)).words
        switch payment.countedFrom {
        case .fiscalMonthEnd:
            return Reconciliation.Payment(
                due: month.lastDay.adding(days: Int64(payment.payWithinDays)),
                reason: "\(payment.payWithinDays) days after the end of \(month), \(sureness)"
            )
        case .invoiceDate:
            return Reconciliation.Payment(
                due: invoicedOn?.adding(days: Int64(payment.payWithinDays)),
                reason: "\(payment.payWithinDays) days after Apple's invoice (\(payment.invoice)), \(sureness)"
            )
        }
    }
}
