extension ReportErrorCode {
    /// FieldNotAllowedError.
    public static let fieldNotAllowed = Self(rawValue: 5)
    /// FutureDateError.
    public static let futureDate = Self(rawValue: 6)
    /// UnknownEnumError.
    public static let unknownEnum = Self(rawValue: 7)
    /// LineItemStatusRegressionError.
    public static let lineItemStatusRegression = Self(rawValue: 8)
    /// MissingLineItemsForStatusError.
    public static let missingLineItemsForStatus = Self(rawValue: 9)
    /// LineItemsNotAllowedForStatusError.
    public static let lineItemsNotAllowedForStatus = Self(rawValue: 10)
    /// IncorrectAmountTaxInclusiveError.
    public static let incorrectAmountTaxInclusive = Self(rawValue: 11)
    /// IncorrectNetAmountError.
    public static let incorrectNetAmount = Self(rawValue: 12)
    /// SelfReferenceError.
    public static let selfReference = Self(rawValue: 13)
    /// ReferenceInvalidSubscriptionEventError.
    public static let referenceInvalidSubscriptionEvent = Self(rawValue: 14)
    /// NegativeValueNotAllowedError.
    public static let negativeValueNotAllowed = Self(rawValue: 15)
    /// PositiveValueRequiredError.
    public static let positiveValueRequired = Self(rawValue: 16)
    /// StartDateAfterEndDateError.
    public static let startDateAfterEndDate = Self(rawValue: 17)
    /// ReportingCurrencyExchangeNotAllowedError.
    public static let reportingCurrencyExchangeNotAllowed = Self(rawValue: 18)
    /// MaximumLengthExceededError.
    public static let maximumLengthExceeded = Self(rawValue: 19)
    /// ErroneouslySubmittedNotRestatementError.
    public static let erroneouslySubmittedNotRestatement = Self(rawValue: 20)
    /// ReferenceLineItemNotABuyError.
    public static let referenceLineItemNotABuy = Self(rawValue: 21)
    /// ErroneousLineItemReferencedByValidLineItemError.
    public static let erroneousLineItemReferencedByValidLineItem = Self(rawValue: 22)
    /// TaxCountryMismatchError.
    public static let taxCountryMismatch = Self(rawValue: 23)
    /// NetAmountMismatchError.
    public static let netAmountMismatch = Self(rawValue: 24)
    /// ValidLineItemReferencesErroneousLineItemError.
    public static let validLineItemReferencesErroneousLineItem = Self(rawValue: 25)
    /// DateTooFarInPastError.
    public static let dateTooFarInPast = Self(rawValue: 27)
    /// RefundReferencedByRefundError.
    public static let refundReferencedByRefund = Self(rawValue: 28)
    /// NonInitialBuyReferencedByBuyError.
    public static let nonInitialBuyReferencedByBuy = Self(rawValue: 29)
    /// RepeatErroneousSubmissionError.
    public static let repeatErroneousSubmission = Self(rawValue: 30)
    /// ReferencedCreationDateIncompatibleError.
    public static let referencedCreationDateIncompatible = Self(rawValue: 31)
    /// PricingCurrencyMismatchError.
    public static let pricingCurrencyMismatch = Self(rawValue: 32)
    /// ExchangeRateMismatchError.
    public static let exchangeRateMismatch = Self(rawValue: 33)
    /// SubscriptionStartNonZeroDaysPaidServiceError.
    public static let subscriptionStartNonZeroDaysPaidService = Self(rawValue: 34)
    /// InvalidTaxInclusiveAmountForSubscriptionPaymentError.
    public static let invalidTaxInclusiveAmountForSubscriptionPayment = Self(rawValue: 35)
    /// LineItemCreationDateOutOfRangeError.
    public static let lineItemCreationDateOutOfRange = Self(rawValue: 36)
    /// DuplicateTokenStatusNotAllowedError.
    public static let duplicateTokenStatusNotAllowed = Self(rawValue: 37)
    /// RestatementCreationDateMismatchError.
    public static let restatementCreationDateMismatch = Self(rawValue: 38)
    /// RestatementNotAllowedCreationDateError.
    public static let restatementNotAllowedCreationDate = Self(rawValue: 39)
    /// RefundNotAllowedCreationDateError.
    public static let refundNotAllowedCreationDate = Self(rawValue: 40)
}
