// Generated from Data/sales-profiles by `./run tables`. Do not edit.
// swift-format-ignore-file
enum SalesProfileFiles {
    static let adyenSettlement = ##"""
{
  "$schema": "../../docs/sales-profile.schema.json",
  "description": "Adyen, Settlement details report (CSV), standard or all columns. Amounts are those of the shopper (gross).",
  "numbers": {
    "decimal": "."
  },
  "times": {
    "ambiguousHour": "earlier"
  },
  "type": {
    "column": "Type",
    "words": {
      "Settled": "purchase",
      "SettledBulk": {
        "refuse": "one row stands for many payments; take the report without bulk settlement"
      },
      "Refunded": "refund",
      "RefundedBulk": {
        "refuse": "one row stands for many refunds"
      },
      "RefundedExternally": "refund",
      "SettledExternally": "purchase",
      "SettledInInstallments": {
        "refuse": "an instalment is a part of a purchase"
      },
      "Chargeback": "chargeback",
      "ChargebackExternally": "chargeback",
      "SecondChargeback": {
        "refuse": "it takes the reversal of the first chargeback back"
      },
      "ChargebackReversed": "chargebackReversal",
      "ChargebackReversedExternally": "chargebackReversal",
      "RefundedReversed": {
        "refuse": "a refund that came back never reached the customer"
      },
      "SettledReversed": {
        "refuse": "the payment was taken back as a whole"
      },
      "PaidOutReversed": "leave-out",
      "PaidOut": "leave-out",
      "Fee": "leave-out",
      "PaymentCost": "leave-out",
      "MerchantPayout": "leave-out",
      "MerchantPayin": "leave-out",
      "InvoiceDeduction": "leave-out",
      "MiscCosts": "leave-out",
      "AdvancementCommissionAuthorised": "leave-out",
      "AuthorisationSchemeFee": "leave-out",
      "ManualCorrected": "leave-out",
      "DepositCorrection": "leave-out",
      "Balancetransfer": "leave-out",
      "InternalCompanyPayout": "leave-out",
      "ReserveAdjustment": "leave-out",
      "ReserveRelease": "leave-out",
      "ReserveBalanceAdjustment": "leave-out",
      "Payout": "leave-out",
      "Converted": "leave-out",
      "AcquirerPayout": "leave-out",
      "ExternallyWithInfo": "leave-out",
      "BankInstructionReturned": "leave-out",
      "EpaPaid": "leave-out",
      "Unpaid": "leave-out",
      "Advancement": "leave-out",
      "Capital": "leave-out",
      "CashOut": "leave-out",
      "CaptureFailed": "leave-out",
      "DisputeCost": "leave-out",
      "Other": "leave-out",
      "PlatformPayment": "leave-out",
      "TransferIn": "leave-out",
      "TransferOut": "leave-out",
      "MatchedStatement": "leave-out",
      "InterimRisk": "leave-out"
    }
  },
  "values": {
    "quantity": "1"
  },
  "fields": {
    "saleId": {
      "column": "Psp Reference",
      "further": "Modification Reference"
    },
    "occurredAt": {
      "column": "Creation Date",
      "zone": "TimeZone"
    },
    "checkoutId": {
      "column": "Merchant Reference",
      "optional": true
    }
  },
  "money": [
    {
      "inclusive": {
        "credit": "Gross Credit (GC)",
        "debit": "Gross Debit (GC)"
      },
      "currency": "Gross Currency"
    }
  ],
  "ofType": {
    "refund": {
      "saleId": "Modification Reference",
      "refundOf": "Psp Reference"
    },
    "chargeback": {
      "saleId": {
        "text": "{Psp Reference}/chargeback"
      },
      "refundOf": "Psp Reference"
    },
    "chargebackReversal": {
      "saleId": {
        "text": "{Psp Reference}/chargeback/reversed"
      },
      "reversalOf": {
        "text": "{Psp Reference}/chargeback"
      }
    }
  },
  "ignored": [
    "Company Account",
    "Merchant Account",
    "Payment Method",
    "Payment Method Variant",
    "Modification Reference",
    "Modification Merchant Reference",
    "Exchange Rate",
    "Net Currency",
    "Net Debit (NC)",
    "Net Credit (NC)",
    "Commission (NC)",
    "Markup (NC)",
    "Scheme Fees (NC)",
    "Interchange (NC)",
    "Payment Fees (NC)",
    "Batch Number",
    "DCC Markup (NC)",
    "Surcharge Amount",
    "Merchant Order Reference",
    "Advanced (NC)",
    "Advancement Code",
    "Advancement Batch",
    "Advancement *",
    "Booking *",
    "Creation Date (AMS)",
    "Additional *",
    "Installments",
    "Issuer Country",
    "Shopper *",
    "Clearing Network",
    "Terminal ID",
    "Unique Terminal ID",
    "Store",
    "Acquirer Reference",
    "Payable *",
    "Platform *",
    "Split *",
    "Bank/Card Commission (NC)",
    "AcquirerReference",
    "Reserved*"
  ]
}
"""##
    static let paddleTransactions = ##"""
{
  "$schema": "../../docs/sales-profile.schema.json",
  "description": "Paddle Billing, Reports > Transactions. Amounts are in minor units, as in Paddle's API. Refunds are in Paddle's report of adjustments, which this profile does not read.",
  "rows": [
    {
      "column": "status",
      "words": {
        "completed": "take",
        "paid": "take",
        "billed": "leave-out",
        "draft": "leave-out",
        "ready": "leave-out",
        "past_due": "leave-out",
        "canceled": "leave-out"
      }
    },
    {
      "column": "origin",
      "optional": true,
      "words": {
        "subscription_payment_method_change": "leave-out",
        "*": "take",
        "": "take"
      }
    },
    {
      "column": "total",
      "words": {
        "0": "leave-out",
        "*": "take",
        "": "take"
      }
    },
    {
      "column": [
        "price_ids",
        "price_id"
      ],
      "optional": true,
      "words": {
        "*pri_*pri_*": {
          "refuse": "its one amount is of several products; send the order to POST /v1/sales with an amount for each of its lines, as Paddle's report of transaction line items has them"
        },
        "*": "take",
        "": "take"
      }
    }
  ],
  "type": "purchase",
  "values": {
    "quantity": "1"
  },
  "fields": {
    "saleId": [
      "id",
      "transaction_id"
    ],
    "occurredAt": [
      "billed_at",
      "completed_at",
      "created_at"
    ],
    "taxCountry": [
      "address_country_code",
      "country_code"
    ],
    "productId": [
      "price_ids",
      "price_id"
    ],
    "customerId": {
      "column": "customer_id",
      "optional": true
    }
  },
  "money": [
    {
      "inclusiveMinor": "total",
      "taxMinor": "tax",
      "currency": "currency_code"
    },
    {
      "inclusiveMinor": "total",
      "taxMinor": "tax",
      "currency": "currency"
    }
  ],
  "ignored": [
    "invoice_number",
    "customer_*",
    "address_*",
    "business_*",
    "price_ids",
    "discount_ids",
    "discount_*",
    "subscription_id",
    "created_at",
    "updated_at",
    "billed_at",
    "captured_at",
    "paid_at",
    "balance_updated_at",
    "completed_at",
    "payment_*",
    "origin",
    "collection_mode",
    "custom_data",
    "purchase_order_number",
    "enable_checkout",
    "billing_*",
    "currency_code",
    "subtotal",
    "discount",
    "credit",
    "credit_to_balance",
    "grand_total",
    "fee",
    "earnings",
    "balance_*",
    "exchange_rate",
    "payout_*"
  ]
}
"""##
    static let paypalActivity = ##"""
{
  "$schema": "../../docs/sales-profile.schema.json",
  "description": "PayPal, Activity > Download (Activity report), CSV in English with dates as 12/31/2026, balance affecting. For dates as 31/12/2026 write a profile with this base and times.formats [\"dd/MM/yyyy HH:mm:ss\"].",
  "numbers": {
    "decimal": ".",
    "thousands": ","
  },
  "times": {
    "formats": [
      "M/d/yyyy HH:mm:ss"
    ],
    "zones": {
      "PST": "-08:00",
      "PDT": "-07:00",
      "CST": "-06:00",
      "CDT": "-05:00",
      "BST": "+01:00",
      "IST": "+05:30"
    },
    "ambiguousHour": "earlier"
  },
  "rows": [
    {
      "column": "Status",
      "words": {
        "Completed": "take",
        "Partially Refunded": "take",
        "Refunded": "take",
        "Cleared": "take",
        "Reversed": "take",
        "Pending": "leave-out",
        "Denied": "leave-out",
        "Failed": "leave-out",
        "Expired": "leave-out",
        "Canceled": "leave-out",
        "Cancelled": "leave-out",
        "Removed": "leave-out",
        "Placed": "leave-out",
        "Held": "leave-out",
        "Unclaimed": "leave-out",
        "Voided": "leave-out",
        "Processing": "leave-out",
        "Returned": "leave-out",
        "Paid": "take",
        "Active": "leave-out",
        "Uncleared": "leave-out"
      }
    },
    {
      "column": "Balance Impact",
      "optional": true,
      "words": {
        "Credit": "take",
        "Debit": "take",
        "": "take",
        "Memo": "leave-out"
      }
    }
  ],
  "type": {
    "column": "Type",
    "words": {
      "Express Checkout Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "Website Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "General Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "Mobile Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "Subscription Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "Invoice Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "PreApproved Payment Bill User Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "Shopping Cart Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "Direct Credit Card Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "Direct Payment API": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "Virtual Terminal Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "Payment Review Release": "leave-out",
      "eBay Auction Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "Web Accept Payment Received": "purchase",
      "Express Checkout Payment Received": "purchase",
      "Recurring Payment Received": "purchase",
      "Subscription Payment Received": "purchase",
      "Shopping Cart Payment Received": "purchase",
      "Mobile Express Checkout Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "Pay in 4 Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "PayPal Checkout Payment": {
        "plus": "purchase",
        "minus": "leave-out"
      },
      "Payment Refund": {
        "plus": "leave-out",
        "minus": "refund"
      },
      "Refund": {
        "plus": "leave-out",
        "minus": "refund"
      },
      "Payment Reversal": {
        "plus": "leave-out",
        "minus": "chargeback"
      },
      "Chargeback": {
        "plus": "chargebackReversal",
        "minus": "chargeback"
      },
      "Chargeback Reversal": {
        "plus": "chargebackReversal",
        "minus": "leave-out"
      },
      "Chargeback Re-presentment": {
        "plus": "chargebackReversal",
        "minus": "leave-out"
      },
      "Cancellation of Payment Reversal": {
        "plus": "chargebackReversal",
        "minus": "leave-out"
      },
      "General Currency Conversion": "leave-out",
      "General Withdrawal": "leave-out",
      "User Initiated Withdrawal": "leave-out",
      "General Withdrawal - Bank Account": "leave-out",
      "Auto-sweep": "leave-out",
      "Bank Deposit to PP Account": "leave-out",
      "General Card Deposit": "leave-out",
      "User Initiated Currency Conversion": "leave-out",
      "Mass Pay Payment": "leave-out",
      "Mass Payment": "leave-out",
      "Transfer to Bank": "leave-out",
      "Payout": "leave-out",
      "Payout Refund": "leave-out",
      "General Credit Card Withdrawal": "leave-out",
      "General Credit Card Deposit": "leave-out",
      "Payment Fee": "leave-out",
      "Fee": "leave-out",
      "Partner Fee": "leave-out",
      "Chargeback Fee": "leave-out",
      "Fee Reversal": "leave-out",
      "Fee Refund": "leave-out",
      "Tax collected by partner": "leave-out",
      "Other": {
        "refuse": "the name of the type does not say what it is"
      },
      "Account Hold for Open Authorization": "leave-out",
      "Reversal of General Account Hold": "leave-out",
      "General Account Hold": "leave-out",
      "General Authorization": "leave-out",
      "Authorization": "leave-out",
      "Void of Authorization": "leave-out",
      "Reauthorization": "leave-out",
      "Order": "leave-out",
      "Hold on Balance for Dispute Investigation": "leave-out",
      "Cancellation of Hold for Dispute Resolution": "leave-out",
      "Temporary Hold": "leave-out",
      "Payment Hold": "leave-out",
      "Payment Release": "leave-out",
      "Payment Review Hold": "leave-out",
      "Reserve Hold": "leave-out",
      "Reserve Release": "leave-out",
      "Hold on Available Balance": "leave-out",
      "Release of Hold on Available Balance": "leave-out",
      "BML Credit": "leave-out",
      "BML Withdrawal": "leave-out",
      "PayPal Buyer Credit Payment Funding": "leave-out",
      "Debit Card Cash Advance": "leave-out",
      "PayPal Debit Card Transaction": "leave-out",
      "General Bonus": "leave-out",
      "Donation Payment": "leave-out",
      "Dividend": "leave-out",
      "Buyer Credit Payment": "leave-out",
      "Bill Pay": "leave-out",
      "Adjustment": {
        "refuse": "the note of an adjustment says what it is"
      },
      "Account Correction": {
        "refuse": "the note of a correction says what it is"
      }
    }
  },
  "values": {
    "quantity": "1"
  },
  "fields": {
    "saleId": "Transaction ID",
    "occurredAt": {
      "date": "Date",
      "time": "Time",
      "zone": [
        "TimeZone",
        "Time Zone"
      ]
    },
    "productId": [
      "Item ID",
      "Item Title"
    ],
    "checkoutId": {
      "column": [
        "Custom Number"
      ],
      "optional": true
    },
    "quantity": {
      "column": "Quantity",
      "optional": true
    }
  },
  "money": [
    {
      "inclusive": "Gross",
      "currency": "Currency"
    }
  ],
  "ofType": {
    "refund": {
      "refundOf": "Reference Txn ID"
    },
    "chargeback": {
      "saleId": {
        "text": "{Reference Txn ID}/chargeback"
      },
      "refundOf": "Reference Txn ID"
    },
    "chargebackReversal": {
      "reversalOf": {
        "text": "{Reference Txn ID}/chargeback"
      }
    }
  },
  "ignored": [
    "Name",
    "Fee",
    "Net",
    "From Email Address",
    "To Email Address",
    "CounterParty Status",
    "Counterparty Status",
    "Shipping Address",
    "Address Status",
    "Item Title",
    "Item ID",
    "Shipping and Handling Amount",
    "Insurance Amount",
    "Sales Tax",
    "VAT",
    "Option * Name",
    "Option * Value",
    "Escrow Id",
    "Reference Txn ID",
    "Invoice Number",
    "Custom Number",
    "Receipt ID",
    "Balance",
    "Address Line *",
    "Town/City",
    "State/Province*",
    "Zip/Postal Code",
    "Country",
    "Country Code",
    "Contact Phone Number",
    "Subject",
    "Note",
    "Payment Source",
    "Payment Tracking ID",
    "Bank Reference ID",
    "Transaction Event Code",
    "Transaction Buyer Country Code",
    "Item Details",
    "Coupons",
    "Special Offers",
    "Loyalty Card Number",
    "Authorization Review Status",
    "Protection Eligibility",
    "Buyer Wallet",
    "Custom Field",
    "Card Type",
    "Consumer ID",
    "Transactional Status",
    "Comment",
    "Auction Site",
    "Buyer ID",
    "Item URL",
    "Closing Date",
    "Tip",
    "Discount",
    "Seller ID",
    "Risk Filter",
    "Credit Transactional Fee",
    "Credit Promotional Fee",
    "Credit Term",
    "Original Invoice ID",
    "Payment Source Type",
    "Campaign Fee",
    "Campaign Name",
    "Campaign Discount",
    "Campaign Discount Currency",
    "Decline Code",
    "Fastlane Checkout Transaction",
    "Reward Points",
    "Country (metadata)"
  ]
}
"""##
    static let shopifyPayments = ##"""
{
  "$schema": "../../docs/sales-profile.schema.json",
  "description": "Shopify, Finances > Payouts > Transactions > Export. The amount is the one that the customer paid (Presentment Amount).",
  "numbers": {
    "decimal": ".",
    "thousands": ",",
    "symbols": [
      "$",
      "€",
      "£",
      "¥"
    ]
  },
  "type": {
    "column": "Type",
    "words": {
      "charge": "purchase",
      "refund": "refund",
      "chargeback": "chargeback",
      "chargeback won": "chargebackReversal",
      "dispute": "chargeback",
      "dispute won": "chargebackReversal",
      "refund failure": {
        "refuse": "a refund that failed never reached the customer"
      },
      "refund_failure": {
        "refuse": "a refund that failed never reached the customer"
      },
      "adjustment": "leave-out",
      "payout": "leave-out",
      "payout failure": "leave-out",
      "payout cancelled": "leave-out",
      "transfer": "leave-out",
      "chargeback fee": "leave-out",
      "chargeback fee refund": "leave-out",
      "application fee": "leave-out",
      "tax adjustment": "leave-out",
      "reserve": "leave-out",
      "reserved funds": "leave-out",
      "balance adjustment": "leave-out",
      "shop cash credit": "leave-out",
      "marketplace tax": "leave-out",
      "advance": "leave-out",
      "advance funding": "leave-out",
      "debit": "leave-out",
      "credit": "leave-out",
      "billing debit": "leave-out",
      "seller protection credit": "leave-out"
    }
  },
  "values": {
    "quantity": "1"
  },
  "fields": {
    "saleId": {
      "column": "Order",
      "further": true
    },
    "occurredAt": "Transaction Date"
  },
  "money": [
    {
      "inclusive": "Presentment Amount",
      "currency": "Presentment Currency"
    },
    {
      "inclusive": "Amount",
      "currency": "Currency"
    }
  ],
  "ofType": {
    "refund": {
      "saleId": {
        "text": "{Order}/refund/{Transaction Date}/{Amount}"
      },
      "refundOf": "Order"
    },
    "chargeback": {
      "saleId": {
        "text": "{Order}/chargeback"
      },
      "refundOf": "Order"
    },
    "chargebackReversal": {
      "saleId": {
        "text": "{Order}/chargeback/won"
      },
      "reversalOf": {
        "text": "{Order}/chargeback"
      }
    }
  },
  "ignored": [
    "Card Brand",
    "Card Source",
    "Payout Status",
    "Payout Date",
    "Payout ID",
    "Available On",
    "Amount",
    "Currency",
    "Fee",
    "Net",
    "Checkout",
    "Payment Method Name",
    "Payment Method",
    "VAT",
    "Business Entity Name",
    "Business Entity ID",
    "Presentment Amount",
    "Presentment Currency"
  ]
}
"""##
    static let stripeBalance = ##"""
{
  "$schema": "../../docs/sales-profile.schema.json",
  "description": "Stripe, Dashboard > Balances > All activity > Export, and the report 'Balance change from activity', itemized. Take the columns payment_intent_id and charge_id into the export: refunds and disputes name their purchase by them.",
  "numbers": {
    "decimal": ".",
    "thousands": ","
  },
  "times": {
    "zone": "UTC"
  },
  "type": {
    "column": [
      "reporting_category",
      "Type"
    ],
    "words": {
      "charge": "purchase",
      "payment": "purchase",
      "refund": "refund",
      "payment_refund": "refund",
      "partial_capture_reversal": {
        "refuse": "what was authorised and not captured is no refund, and the row of the charge has the authorised amount; remove both rows, and send what was captured by request, or take it from Stripe's events"
      },
      "dispute": "chargeback",
      "dispute_reversal": "chargebackReversal",
      "payment_reversal": "chargeback",
      "charge_failure": {
        "refuse": "a payment that failed after it was told takes it back as a whole"
      },
      "payment_failure_refund": {
        "refuse": "a payment that failed after it was told takes it back as a whole"
      },
      "refund_failure": {
        "refuse": "a refund that failed never reached the customer"
      },
      "adjustment": {
        "refuse": "an adjustment is a dispute, its reversal or a correction of Stripe's; the description says which"
      },
      "other_adjustment": {
        "refuse": "the description says what the adjustment is"
      },
      "payout": "leave-out",
      "payout_cancel": "leave-out",
      "payout_failure": "leave-out",
      "payout_reversal": "leave-out",
      "payout_minimum_balance_hold": "leave-out",
      "payout_minimum_balance_release": "leave-out",
      "stripe_fee": "leave-out",
      "stripe_fx_fee": "leave-out",
      "tax_fee": "leave-out",
      "fee": "leave-out",
      "network_cost": "leave-out",
      "application_fee": "leave-out",
      "application_fee_refund": "leave-out",
      "platform_earning": "leave-out",
      "platform_earning_refund": "leave-out",
      "transfer": "leave-out",
      "transfer_cancel": "leave-out",
      "transfer_failure": "leave-out",
      "transfer_refund": "leave-out",
      "transfer_reversal": "leave-out",
      "connect_collection_transfer": "leave-out",
      "connect_reserved_funds": "leave-out",
      "reserve_transaction": "leave-out",
      "reserved_funds": "leave-out",
      "reserve_hold": "leave-out",
      "reserve_release": "leave-out",
      "risk_reserved_funds": "leave-out",
      "topup": "leave-out",
      "topup_reversal": "leave-out",
      "advance": "leave-out",
      "advance_funding": "leave-out",
      "advance_repayment": "leave-out",
      "anticipation_repayment": "leave-out",
      "financing_paydown": "leave-out",
      "financing_paydown_reversal": "leave-out",
      "financing_payout": "leave-out",
      "financing_payout_reversal": "leave-out",
      "contribution": "leave-out",
      "climate_order_purchase": "leave-out",
      "climate_order_refund": "leave-out",
      "issuing_authorization_hold": "leave-out",
      "issuing_authorization_release": "leave-out",
      "issuing_transaction": "leave-out",
      "issuing_dispute": "leave-out",
      "issuing_disbursement": "leave-out",
      "issuing_transaction_refund": "leave-out",
      "obligation_inbound": "leave-out",
      "obligation_outbound": "leave-out",
      "obligation_payout": "leave-out",
      "obligation_payout_failure": "leave-out",
      "stripe_balance_payment_debit": "leave-out",
      "stripe_balance_payment_debit_reversal": "leave-out",
      "fee_credit_funding": "leave-out"
    }
  },
  "values": {
    "quantity": "1",
    "paymentProvider": "stripe"
  },
  "fields": {
    "saleId": [
      "payment_intent_id",
      "PaymentIntent ID",
      "charge_id",
      "source_id",
      "Source"
    ],
    "occurredAt": [
      "created_utc",
      "Created (UTC)"
    ],
    "productId": [
      "payment_metadata[external_purchase_product]",
      "external_purchase_product (metadata)"
    ],
    "customerId": {
      "column": [
        "payment_metadata[external_purchase_customer]",
        "external_purchase_customer (metadata)"
      ],
      "optional": true
    },
    "checkoutId": {
      "column": [
        "payment_metadata[external_purchase_checkout]",
        "external_purchase_checkout (metadata)"
      ],
      "optional": true
    },
    "paymentId": [
      "payment_intent_id",
      "PaymentIntent ID",
      "charge_id",
      "source_id",
      "Source"
    ]
  },
  "money": [
    {
      "inclusive": "customer_facing_amount",
      "currency": "customer_facing_currency"
    },
    {
      "inclusive": "Customer Facing Amount",
      "currency": "Customer Facing Currency"
    },
    {
      "inclusive": "gross",
      "currency": "currency"
    },
    {
      "inclusive": "Amount",
      "currency": "Currency"
    }
  ],
  "ofType": {
    "refund": {
      "saleId": [
        "source_id",
        "Source"
      ],
      "refundOf": {
        "column": [
          "payment_intent_id",
          "PaymentIntent ID",
          "charge_id"
        ],
        "optional": true
      }
    },
    "chargeback": {
      "saleId": [
        "source_id",
        "Source"
      ],
      "refundOf": {
        "column": [
          "payment_intent_id",
          "PaymentIntent ID",
          "charge_id"
        ],
        "optional": true
      }
    },
    "chargebackReversal": {
      "saleId": {
        "text": "{source_id}/reversal",
        "optional": true
      },
      "reversalOf": {
        "column": [
          "source_id",
          "Source"
        ]
      }
    }
  },
  "ignored": [
    "id",
    "balance_transaction_id",
    "balance_transaction_created*",
    "Type",
    "created*",
    "Created*",
    "available_on*",
    "Available On*",
    "fee",
    "Fee",
    "net",
    "Net",
    "gross",
    "Amount",
    "description",
    "Description",
    "currency",
    "Currency",
    "Source",
    "source_id",
    "Destination Platform Fee*",
    "Transfer*",
    "transfer_*",
    "charge_*",
    "payment_*",
    "PaymentIntent ID",
    "refund_*",
    "card_*",
    "customer_*",
    "Customer *",
    "shipping_*",
    "automatic_payout_*",
    "payout_*",
    "connected_account*",
    "connect_account*",
    "destination_payment_*",
    "dispute_*",
    "invoice_*",
    "subscription_*",
    "statement_descriptor",
    "trace_id*",
    "regulatory_tag",
    "is_link",
    "charge_created*",
    "order_*",
    "status",
    "Status",
    "reporting_category",
    "* (metadata)",
    "*_metadata[*]",
    "application_fee*",
    "fee_*",
    "destination_*",
    "account_*",
    "item_*"
  ]
}
"""##
    static let stripePayments = ##"""
{
  "$schema": "../../docs/sales-profile.schema.json",
  "description": "Stripe, Dashboard > Transactions > Payments > Export, default or all columns. Amount Refunded makes a refund of its own.",
  "numbers": {
    "decimal": ".",
    "thousands": ","
  },
  "times": {
    "zone": "UTC"
  },
  "rows": [
    {
      "column": "Status",
      "words": {
        "Paid": "take",
        "succeeded": "take",
        "Refunded": "take",
        "Partially Refunded": "take",
        "Disputed": {
          "refuse": "this export does not say when money went back and how much of it; import the payment and its dispute with the profile stripe-balance, or take them from Stripe's events"
        },
        "Partial Refund": "take",
        "Failed": "leave-out",
        "Blocked": "leave-out",
        "Canceled": "leave-out",
        "Cancelled": "leave-out",
        "Incomplete": "leave-out",
        "Pending": "leave-out",
        "Uncaptured": "leave-out",
        "Expired": "leave-out",
        "requires_payment_method": "leave-out",
        "requires_action": "leave-out",
        "requires_confirmation": "leave-out",
        "requires_capture": "leave-out",
        "processing": "leave-out"
      }
    },
    {
      "column": "Captured",
      "optional": true,
      "words": {
        "true": "take",
        "false": "leave-out",
        "": "take"
      }
    },
    {
      "column": [
        "Dispute Status",
        "Disputed Amount"
      ],
      "optional": true,
      "words": {
        "": "take",
        "0": "take",
        "0.00": "take",
        "0.000": "take",
        "warning_*": "take",
        "won": "take",
        "charge_refunded": "take",
        "*": {
          "refuse": "this export does not say when money went back and how much of it; import the payment and its dispute with the profile stripe-balance, or take them from Stripe's events"
        }
      }
    }
  ],
  "type": "purchase",
  "values": {
    "quantity": "1",
    "paymentProvider": "stripe"
  },
  "fields": {
    "saleId": [
      "PaymentIntent ID",
      "id"
    ],
    "occurredAt": [
      "Created date (UTC)",
      "Created (UTC)"
    ],
    "productId": [
      "external_purchase_product (metadata)"
    ],
    "customerId": {
      "column": [
        "external_purchase_customer (metadata)"
      ],
      "optional": true
    },
    "checkoutId": {
      "column": [
        "external_purchase_checkout (metadata)"
      ],
      "optional": true
    },
    "environment": {
      "column": "Mode",
      "optional": true,
      "words": {
        "Test": "sandbox",
        "Live": "production"
      }
    },
    "paymentId": [
      "PaymentIntent ID",
      "id"
    ]
  },
  "money": [
    {
      "inclusive": "Amount",
      "currency": "Currency",
      "refundedTotal": "Amount Refunded"
    }
  ],
  "refund": {
    "fields": {
      "saleId": {
        "text": "{id}/refunded/{Amount Refunded}"
      },
      "occurredAt": {
        "column": [
          "Refunded date (UTC)"
        ],
        "optional": true
      }
    }
  },
  "ignored": [
    "id",
    "PaymentIntent ID",
    "Description",
    "Seller Message",
    "Created*",
    "Converted *",
    "Fee",
    "Tax",
    "Taxes On Fee",
    "Application *",
    "Mode",
    "Is Link",
    "Link Funding",
    "Statement Descriptor*",
    "Customer *",
    "Card *",
    "Captured",
    "Decline Reason",
    "Disputed Amount",
    "Dispute *",
    "Invoice *",
    "Payment Source Type",
    "Payment Method*",
    "Destination*",
    "Transfer*",
    "Interchange Costs",
    "Merchant Service Charge",
    "Checkout *",
    "Client Reference ID",
    "Refunded date (UTC)",
    "Shipping *",
    "Name",
    "User Agent",
    "Receipt *",
    "Payment Link*",
    "Subscription*",
    "Order*",
    "Trace ID*",
    "* (metadata)"
  ]
}
"""##
    static let all: [(name: String, json: String)] = [("adyen-settlement", adyenSettlement), ("paddle-transactions", paddleTransactions), ("paypal-activity", paypalActivity), ("shopify-payments", shopifyPayments), ("stripe-balance", stripeBalance), ("stripe-payments", stripePayments)]
}
