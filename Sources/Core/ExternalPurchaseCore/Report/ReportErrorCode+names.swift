extension ReportErrorCode {
    /// `FieldNotAllowedError`, code 5.
    ///
    /// The provided field is not allowed.
    public static let fieldNotAllowed = Self(rawValue: 5)
    /// `FutureDateError`, code 6.
    ///
    /// The provided date field is in the future and future values are not allowed.
    public static let futureDate = Self(rawValue: 6)
    /// `UnknownEnumError`, code 7.
    ///
    /// The provided value is unknown for an enumeration.
    public static let unknownEnum = Self(rawValue: 7)
    /// `LineItemStatusRegressionError`, code 8.
    ///
    /// Cannot mark status as NO_LINE_ITEM or UNRECOGNIZED_TOKEN after previously reporting as LINE_ITEM.
    public static let lineItemStatusRegression = Self(rawValue: 8)
    /// `MissingLineItemsForStatusError`, code 9.
    ///
    /// Missing line items for an external purchase ID that has a LINE_ITEM status.
    public static let missingLineItemsForStatus = Self(rawValue: 9)
    /// `LineItemsNotAllowedForStatusError`, code 10.
    ///
    /// A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status.
    public static let lineItemsNotAllowedForStatus = Self(rawValue: 10)
    /// `IncorrectAmountTaxInclusiveError`, code 11.
    ///
    /// The tax exclusive amount plus the tax amount does not equal the tax inclusive amount.
    public static let incorrectAmountTaxInclusive = Self(rawValue: 11)
    /// `IncorrectNetAmountError`, code 12.
    ///
    /// The net amount value does not match the expected value.
    public static let incorrectNetAmount = Self(rawValue: 12)
    /// `SelfReferenceError`, code 13.
    ///
    /// The line item may not reference itself.
    public static let selfReference = Self(rawValue: 13)
    /// `ReferenceInvalidSubscriptionEventError`, code 14.
    ///
    /// The referenced line item has no subscription event or its subscription event is not SUBSCRIPTION_START.
    public static let referenceInvalidSubscriptionEvent = Self(rawValue: 14)
    /// `NegativeValueNotAllowedError`, code 15.
    ///
    /// This field doesn't allow a negative value.
    public static let negativeValueNotAllowed = Self(rawValue: 15)
    /// `PositiveValueRequiredError`, code 16.
    ///
    /// This field requires a positive value.
    public static let positiveValueRequired = Self(rawValue: 16)
    /// `StartDateAfterEndDateError`, code 17.
    ///
    /// The start date is after the end date.
    public static let startDateAfterEndDate = Self(rawValue: 17)
    /// `ReportingCurrencyExchangeNotAllowedError`, code 18.
    ///
    /// The reporting currency, which reports a currency exchange, isn't allowed.
    public static let reportingCurrencyExchangeNotAllowed = Self(rawValue: 18)
    /// `MaximumLengthExceededError`, code 19.
    ///
    /// The field's maximum length is exceeded.
    public static let maximumLengthExceeded = Self(rawValue: 19)
    /// `ErroneouslySubmittedNotRestatementError`, code 20.
    ///
    /// Expecting restatement for an erroneously submitted line item, but line item is not a restatement.
    public static let erroneouslySubmittedNotRestatement = Self(rawValue: 20)
    /// `ReferenceLineItemNotABuyError`, code 21.
    ///
    /// The referenced line item is not a buy.
    public static let referenceLineItemNotABuy = Self(rawValue: 21)
    /// `ErroneousLineItemReferencedByValidLineItemError`, code 22.
    ///
    /// The line item has status erroneously submitted but is referenced by a non-erroneously submitted line item.
    public static let erroneousLineItemReferencedByValidLineItem = Self(rawValue: 22)
    /// `TaxCountryMismatchError`, code 23.
    ///
    /// The refund's referenced buy line item has a different tax country.
    public static let taxCountryMismatch = Self(rawValue: 23)
    /// `NetAmountMismatchError`, code 24.
    ///
    /// Two line items involved in the same net amount calculation have different net amount values.
    public static let netAmountMismatch = Self(rawValue: 24)
    /// `ValidLineItemReferencesErroneousLineItemError`, code 25.
    ///
    /// The line item references an erroneously submitted line item, but the line item itself is not erroneously
    /// submitted.
    public static let validLineItemReferencesErroneousLineItem = Self(rawValue: 25)
    /// `DateTooFarInPastError`, code 27.
    ///
    /// The provided date is too far in the past. Date must be in milliseconds.
    public static let dateTooFarInPast = Self(rawValue: 27)
    /// `RefundReferencedByRefundError`, code 28.
    ///
    /// The line item has event type REFUND but is referenced by a different line item that also has event type REFUND.
    public static let refundReferencedByRefund = Self(rawValue: 28)
    /// `NonInitialBuyReferencedByBuyError`, code 29.
    ///
    /// The line item does not have subscription event INITIAL_BUY but it is referenced by a subscription line item with
    /// event type BUY.
    public static let nonInitialBuyReferencedByBuy = Self(rawValue: 29)
    /// `RepeatErroneousSubmissionError`, code 30.
    ///
    /// The line item has status erroneously submitted but its previous version was already marked erroneously
    /// submitted.
    public static let repeatErroneousSubmission = Self(rawValue: 30)
    /// `ReferencedCreationDateIncompatibleError`, code 31.
    ///
    /// The referenced line item has a creation date after the line item's creation date.
    public static let referencedCreationDateIncompatible = Self(rawValue: 31)
    /// `PricingCurrencyMismatchError`, code 32.
    ///
    /// The refund's referenced buy line item has a different pricing currency.
    public static let pricingCurrencyMismatch = Self(rawValue: 32)
    /// `ExchangeRateMismatchError`, code 33.
    ///
    /// The refund's referenced buy line item has a different exchange rate.
    public static let exchangeRateMismatch = Self(rawValue: 33)
    /// `SubscriptionStartNonZeroDaysPaidServiceError`, code 34.
    ///
    /// The subscriptionDaysOfPaidService field must be zero for a line item with subscription event SUBSCRIPTION_START.
    public static let subscriptionStartNonZeroDaysPaidService = Self(rawValue: 34)
    /// `InvalidTaxInclusiveAmountForSubscriptionPaymentError`, code 35.
    ///
    /// The tax inclusive amount must be positive for line items with subscription event SUBSCRIPTION_PAYMENT.
    public static let invalidTaxInclusiveAmountForSubscriptionPayment = Self(rawValue: 35)
    /// `LineItemCreationDateOutOfRangeError`, code 36.
    ///
    /// The line item's creation date is outside the active range of the token. Date must be in milliseconds.
    public static let lineItemCreationDateOutOfRange = Self(rawValue: 36)
    /// `DuplicateTokenStatusNotAllowedError`, code 37.
    ///
    /// The DUPLICATE_TOKEN status is not allowed for this token type.
    public static let duplicateTokenStatusNotAllowed = Self(rawValue: 37)
    /// `RestatementCreationDateMismatchError`, code 38.
    ///
    /// The restatement's creation date does not match the original line item's creation date.
    public static let restatementCreationDateMismatch = Self(rawValue: 38)
    /// `RestatementNotAllowedCreationDateError`, code 39.
    ///
    /// Restatement is not allowed for this line item because its creation date is too far in the past.
    public static let restatementNotAllowedCreationDate = Self(rawValue: 39)
    /// `RefundNotAllowedCreationDateError`, code 40.
    ///
    /// Refund is not allowed for this line item because its creation date is too far in the past.
    public static let refundNotAllowedCreationDate = Self(rawValue: 40)
}
