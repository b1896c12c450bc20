// Generated from Data/errors.json by `./run tables`. Do not edit.
// swift-format-ignore-file
extension EmbeddedTables {
    static let errors = ##"""
{
  "schemaVersion": 1,
  "source": "External Purchase Server API 1.2.0, 2025-06-26; messageStatus house: the text is not published",
  "pages": ["https://developer.apple.com/documentation/externalpurchaseserverapi"],
  "asOf": "2026-11",
  "errors": [
    {
      "code": 1,
      "name": "DuplicateValueError",
      "message": "The field's value is already submitted and a duplicate value is not expected.",
      "messageStatus": "published",
      "fieldNames": ["requestIdentifier", "lineItemId"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 2,
      "name": "ReportingCurrencyMismatchError",
      "message": "The refund's referenced buy line item has a different reporting currency.",
      "messageStatus": "published",
      "fieldNames": ["reportingCurrency"],
      "lineItemId": "required",
      "since": "1.0.0"
    },
    {
      "code": 3,
      "name": "NotFoundError",
      "message": "The referenced value was not found.",
      "messageStatus": "published",
      "fieldNames": ["externalPurchaseId", "lineItemId", "referenceLineItemId", "requestIdentifier"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 4,
      "name": "OmittedFieldError",
      "message": "A required field is missing.",
      "messageStatus": "published",
      "fieldNames": [
        "requestIdentifier", "externalPurchaseId", "status", "lineItemId", "creationDate", "eventType", "referenceLineItemId", "productIdentifier", "productType", "subscriptionEvent",
        "subscriptionStartDate", "subscriptionEndDate", "subscriptionDaysOfPaidService", "quantity", "amountTaxExclusive", "amountTaxInclusive", "taxAmount", "netAmountTaxExclusive",
        "reportingCurrency", "exchangeRate", "pricingCurrency", "taxCountry"
      ],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 5,
      "name": "FieldNotAllowedError",
      "message": "The provided field is not allowed.",
      "messageStatus": "published",
      "fieldNames": ["productType", "productIdentifier", "subscriptionEvent", "subscriptionStartDate", "subscriptionEndDate", "subscriptionDaysOfPaidService", "quantity", "referenceLineItemId", "exchangeRate"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 6,
      "name": "FutureDateError",
      "message": "The provided date field is in the future and future values are not allowed.",
      "messageStatus": "published",
      "fieldNames": ["creationDate"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 7,
      "name": "UnknownEnumError",
      "message": "The provided value is unknown for an enumeration.",
      "messageStatus": "published",
      "fieldNames": ["reportingCurrency", "taxCountry"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 8,
      "name": "LineItemStatusRegressionError",
      "message": "Cannot mark status as NO_LINE_ITEM or UNRECOGNIZED_TOKEN after previously reporting as LINE_ITEM.",
      "messageStatus": "published",
      "fieldNames": ["status"],
      "lineItemId": "absent",
      "since": "1.0.0"
    },
    {
      "code": 9,
      "name": "MissingLineItemsForStatusError",
      "message": "Missing line items for an external purchase ID that has a LINE_ITEM status.",
      "messageStatus": "published",
      "fieldNames": ["status"],
      "lineItemId": "absent",
      "since": "1.0.0"
    },
    {
      "code": 10,
      "name": "LineItemsNotAllowedForStatusError",
      "message": "A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status.",
      "messageStatus": "published",
      "fieldNames": ["status"],
      "lineItemId": "absent",
      "since": "1.0.0"
    },
    {
      "code": 11,
      "name": "IncorrectAmountTaxInclusiveError",
      "message": "The tax exclusive amount plus the tax amount does not equal the tax inclusive amount.",
      "messageStatus": "published",
      "fieldNames": ["amountTaxInclusive"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 12,
      "name": "IncorrectNetAmountError",
      "message": "The net amount value does not match the expected value.",
      "messageStatus": "published",
      "fieldNames": ["netAmountTaxExclusive"],
      "lineItemId": "required",
      "since": "1.0.0"
    },
    {
      "code": 13,
      "name": "SelfReferenceError",
      "message": "The line item may not reference itself.",
      "messageStatus": "published",
      "fieldNames": ["referenceLineItemId"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 14,
      "name": "ReferenceInvalidSubscriptionEventError",
      "message": "The referenced line item has no subscription event or its subscription event is not SUBSCRIPTION_START.",
      "messageStatus": "published",
      "fieldNames": ["referenceLineItemId"],
      "lineItemId": "required",
      "since": "1.0.0"
    },
    {
      "code": 15,
      "name": "NegativeValueNotAllowedError",
      "message": "This field doesn't allow a negative value.",
      "messageStatus": "published",
      "fieldNames": ["subscriptionDaysOfPaidService", "netAmountTaxExclusive", "taxAmount", "amountTaxExclusive", "amountTaxInclusive"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 16,
      "name": "PositiveValueRequiredError",
      "message": "This field requires a positive value.",
      "messageStatus": "published",
      "fieldNames": ["quantity", "exchangeRate"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 17,
      "name": "StartDateAfterEndDateError",
      "message": "The start date is after the end date.",
      "messageStatus": "published",
      "fieldNames": ["subscriptionEndDate"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 18,
      "name": "ReportingCurrencyExchangeNotAllowedError",
      "message": "The reporting currency, which reports a currency exchange, isn't allowed.",
      "messageStatus": "published",
      "fieldNames": ["reportingCurrency"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 19,
      "name": "MaximumLengthExceededError",
      "message": "The field's maximum length is exceeded.",
      "messageStatus": "published",
      "fieldNames": ["referenceLineItemId", "lineItemId", "productIdentifier", "pricingCurrency", "exchangeRate"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 20,
      "name": "ErroneouslySubmittedNotRestatementError",
      "message": "Expecting restatement for an erroneously submitted line item, but line item is not a restatement.",
      "messageStatus": "published",
      "fieldNames": ["erroneouslySubmitted"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 21,
      "name": "ReferenceLineItemNotABuyError",
      "message": "The referenced line item is not a buy.",
      "messageStatus": "published",
      "fieldNames": ["referenceLineItemId"],
      "lineItemId": "required",
      "since": "1.0.0"
    },
    {
      "code": 22,
      "name": "ErroneousLineItemReferencedByValidLineItemError",
      "message": "The line item has status erroneously submitted but is referenced by a non-erroneously submitted line item.",
      "messageStatus": "published",
      "fieldNames": ["erroneouslySubmitted"],
      "lineItemId": "required",
      "since": "1.0.0"
    },
    {
      "code": 23,
      "name": "TaxCountryMismatchError",
      "message": "The refund's referenced buy line item has a different tax country.",
      "messageStatus": "published",
      "fieldNames": ["taxCountry"],
      "lineItemId": "required",
      "since": "1.0.0"
    },
    {
      "code": 24,
      "name": "NetAmountMismatchError",
      "message": "Two line items involved in the same net amount calculation have different net amount values.",
      "messageStatus": "published",
      "fieldNames": ["netAmountTaxExclusive"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 25,
      "name": "ValidLineItemReferencesErroneousLineItemError",
      "message": "The line item references an erroneously submitted line item, but the line item itself is not erroneously submitted.",
      "messageStatus": "published",
      "fieldNames": ["erroneouslySubmitted"],
      "lineItemId": "required",
      "since": "1.0.0"
    },
    {
      "code": 26,
      "name": "SimultaneousSubmissionError",
      "message": "One or more simultaneous submissions of reports reference the same data.",
      "messageStatus": "published",
      "fieldNames": [],
      "lineItemId": "absent",
      "since": "1.0.0"
    },
    {
      "code": 27,
      "name": "DateTooFarInPastError",
      "message": "The provided date is too far in the past. Date must be in milliseconds.",
      "messageStatus": "published",
      "fieldNames": ["creationDate", "subscriptionStartDate", "subscriptionEndDate"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 28,
      "name": "RefundReferencedByRefundError",
      "message": "The line item has event type REFUND but is referenced by a different line item that also has event type REFUND.",
      "messageStatus": "published",
      "fieldNames": ["lineItemId"],
      "lineItemId": "required",
      "since": "1.0.0"
    },
    {
      "code": 29,
      "name": "NonInitialBuyReferencedByBuyError",
      "message": "The line item does not have subscription event INITIAL_BUY but it is referenced by a subscription line item with event type BUY.",
      "messageStatus": "published",
      "fieldNames": ["lineItemId"],
      "lineItemId": "required",
      "since": "1.0.0"
    },
    {
      "code": 30,
      "name": "RepeatErroneousSubmissionError",
      "message": "The line item has status erroneously submitted but its previous version was already marked erroneously submitted.",
      "messageStatus": "published",
      "fieldNames": ["erroneouslySubmitted"],
      "lineItemId": "required",
      "since": "1.0.0"
    },
    {
      "code": 31,
      "name": "ReferencedCreationDateIncompatibleError",
      "message": "The referenced line item has a creation date after the line item's creation date.",
      "messageStatus": "published",
      "fieldNames": ["creationDate"],
      "lineItemId": "required",
      "since": "1.0.0"
    },
    {
      "code": 32,
      "name": "PricingCurrencyMismatchError",
      "message": "The refund's referenced buy line item has a different pricing currency.",
      "messageStatus": "published",
      "fieldNames": ["pricingCurrency"],
      "lineItemId": "required",
      "since": "1.0.0"
    },
    {
      "code": 33,
      "name": "ExchangeRateMismatchError",
      "message": "The refund's referenced buy line item has a different exchange rate.",
      "messageStatus": "published",
      "fieldNames": ["exchangeRate"],
      "lineItemId": "required",
      "since": "1.0.0"
    },
    {
      "code": 34,
      "name": "SubscriptionStartNonZeroDaysPaidServiceError",
      "message": "The subscriptionDaysOfPaidService field must be zero for a line item with subscription event SUBSCRIPTION_START.",
      "messageStatus": "published",
      "fieldNames": ["subscriptionDaysOfPaidService"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 35,
      "name": "InvalidTaxInclusiveAmountForSubscriptionPaymentError",
      "message": "The tax inclusive amount must be positive for line items with subscription event SUBSCRIPTION_PAYMENT.",
      "messageStatus": "published",
      "fieldNames": ["amountTaxInclusive"],
      "lineItemId": "optional",
      "since": "1.0.0"
    },
    {
      "code": 36,
      "name": "LineItemCreationDateOutOfRangeError",
      "message": "The line item's creation date is outside the active range of the token. Date must be in milliseconds.",
      "messageStatus": "published",
      "fieldNames": ["creationDate"],
      "lineItemId": "required",
      "since": "1.2.0"
    },
    {
      "code": 37,
      "name": "DuplicateTokenStatusNotAllowedError",
      "message": "The DUPLICATE_TOKEN status is not allowed for this token type.",
      "messageStatus": "house",
      "fieldNames": ["status"],
      "lineItemId": "absent",
      "since": "1.2.0"
    },
    {
      "code": 38,
      "name": "RestatementCreationDateMismatchError",
      "message": "The restatement's creation date does not match the original line item's creation date.",
      "messageStatus": "house",
      "fieldNames": ["creationDate"],
      "lineItemId": "required",
      "since": "1.1.0"
    },
    {
      "code": 39,
      "name": "RestatementNotAllowedCreationDateError",
      "message": "Restatement is not allowed for this line item because its creation date is too far in the past.",
      "messageStatus": "published",
      "fieldNames": ["creationDate"],
      "lineItemId": "required",
      "since": "1.1.0"
    },
    {
      "code": 40,
      "name": "RefundNotAllowedCreationDateError",
      "message": "Refund is not allowed for this line item because its creation date is too far in the past.",
      "messageStatus": "house",
      "fieldNames": ["creationDate"],
      "lineItemId": "required",
      "since": "1.1.0"
    }
  ]
}
"""##
}
