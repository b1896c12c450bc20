/// A note about a sale for the operator, on which nothing depends; unknown notes of newer versions are preserved.
package struct SaleNote: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The sale was withdrawn before Apple accepted it.
    package static let voided = Self(rawValue: "void")
    /// Nothing is reported: a cancellation, a lapse, or a chargeback that was reversed before it was reported.
    package static let noLineItem = Self(rawValue: "no-line-item")
    /// The sale and the token or checkout it names have different customers; the first link stays.
    package static let customerContradiction = Self(rawValue: "customer-contradiction")
    /// The checkout has another token than the sale names; the named token counts.
    ///
    /// ``HoldCause/checkoutContradiction`` has the same flag: the sale names no token then.
    package static let checkoutContradiction = Self(rawValue: "checkout-contradiction")
    /// The currency was withdrawn from ISO 4217 (RR-52).
    package static let withdrawnCurrency = Self(rawValue: "withdrawn-currency")

    /// The notes that this version makes.
    package static let known = [voided, noLineItem, customerContradiction, checkoutContradiction, withdrawnCurrency]
}

/// What a person reads about a sale: the causes of a hold, the decisions about it, its origin, and notes.
///
/// ``Attribution/flags`` derives them. Nothing depends on a flag.
package struct SaleFlag: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package init(_ cause: HoldCause) {
        rawValue = cause.rawValue
    }

    package init(_ note: SaleNote) {
        rawValue = note.rawValue
    }

    package static let noToken = Self(HoldCause.noToken)
    package static let noActiveToken = Self(HoldCause.noActiveToken)
    package static let noExchangeRate = Self(HoldCause.noExchangeRate)
    package static let noTax = Self(HoldCause.noTax)
    package static let noTaxCountry = Self(HoldCause.noTaxCountry)
    package static let buyUnknown = Self(HoldCause.buyUnknown)
    package static let wrongReference = Self(HoldCause.wrongReference)
    package static let orderHeld = Self(HoldCause.orderHeld)
    package static let refundCurrencyDiffers = Self(HoldCause.refundCurrencyDiffers)
    package static let refundTooPrecise = Self(HoldCause.refundTooPrecise)
    package static let refundTaxDiffers = Self(HoldCause.refundTaxDiffers)
    package static let reversalBeforeChargeback = Self(HoldCause.reversalBeforeChargeback)
    package static let waitsForStart = Self(HoldCause.waitsForStart)
    package static let waitsForCorrection = Self(HoldCause.waitsForCorrection)
    package static let importedRefund = Self(HoldCause.importedRefund)
    package static let buyHeld = Self(HoldCause.buyHeld)
    package static let startHeld = Self(HoldCause.startHeld)
    package static let laterStartReported = Self(HoldCause.laterStartReported)
    package static let environmentContradiction = Self(HoldCause.environmentContradiction)
    package static let buyVoided = Self(HoldCause.buyVoided)
    package static let refundAboveBuy = Self(HoldCause.refundAboveBuy)
    package static let refundBeforeBuy = Self(HoldCause.refundBeforeBuy)
    package static let inFuture = Self(HoldCause.inFuture)
    package static let tooLateToReport = Self(HoldCause.tooLateToReport)
    package static let tokenUnknownToApple = Self(HoldCause.tokenUnknownToApple)
    package static let tokenNotReportable = Self(HoldCause.tokenNotReportable)
    package static let notConvertible = Self(HoldCause.notConvertible)
    package static let reportRefused = Self(HoldCause.reportRefused)
    package static let reportedAlready = Self(HoldCause.reportedAlready)
    package static let importedSubscription = Self(HoldCause.importedSubscription)
    package static let buyRetracted = Self(HoldCause.buyRetracted)
    package static let referenceClosed = Self(HoldCause.referenceClosed)

    package static let voided = Self(SaleNote.voided)
    package static let noLineItem = Self(SaleNote.noLineItem)
    package static let customerContradiction = Self(SaleNote.customerContradiction)
    package static let checkoutContradiction = Self(SaleNote.checkoutContradiction)
    package static let withdrawnCurrency = Self(SaleNote.withdrawnCurrency)

    /// See ``SaleReview/closed``.
    package static let reviewClosed = Self(rawValue: "review-closed")
    /// See ``SaleDispatch/apart``.
    package static let sentApart = Self(rawValue: "sent-apart")
    /// See ``SaleOrigin/imported``.
    package static let imported = Self(rawValue: "imported")
    /// See ``SubscriptionDecision/newSubscription``.
    package static let newSubscription = Self(rawValue: "new-subscription")

    /// The flags by which a list can be filtered: all that ``Attribution/flags`` derives.
    package static let known: [SaleFlag] = {
        let causes = HoldCause.allCases.map { SaleFlag($0) }
        // A note may have the name of a cause.
        let notes = SaleNote.known.map { SaleFlag($0) }.filter { !causes.contains($0) }
        return causes + notes + [.reviewClosed, .sentApart, .imported, .newSubscription]
    }()
}
