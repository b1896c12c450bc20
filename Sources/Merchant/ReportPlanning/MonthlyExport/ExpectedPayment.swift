package import ExternalPurchaseCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ReportingProgramme {
    /// When the commission of a month is expected to be paid (OB-80, OB-81).
    ///
    /// - Parameters:
    ///   - month: the month.
    ///   - invoicedOn: the date of Apple's invoice, nil while it is not here.
    package func expectedPayment(
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

extension MilliUnits {
    /// An amount in the proportion of two others, rounded half up; nil when the whole is 0.
    static func share(of amount: MilliUnits, _ part: MilliUnits, _ whole: MilliUnits) -> MilliUnits? {
        guard whole.value != 0 else { return nil }
        return MilliUnits(rounding: Decimal(amount.value) * Decimal(part.value) / Decimal(whole.value))
    }
}
