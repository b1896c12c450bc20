// Generated from docs/openapi/apple-external-purchase.json by `./run tables`. Do not edit.
// swift-format-ignore-file
enum OpenAPIDocument {
    static let json = ##"""
{
  "openapi": "3.1.0",
  "info": {
    "title": "Apple's endpoints for external purchases",
    "version": "1.2.0",
    "summary": "Reports about external purchase tokens, and the notification endpoints that go with them.",
    "description": "An unofficial description of Apple's External Purchase Server API 1.2.0 and of the notification endpoints of the App Store Server API. Apple publishes no such document: it was written from the published documentation, and where that is silent it says what the emulator of this package does, marked [house]. The emulator's answers are tested against it. Clients should ignore members and take codes that are not listed, because Apple may add some; decide by status and errorCode only. Null counts as absent and so does an empty string in a report; send neither.",
    "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}
  },
  "servers": [
    {"url": "https://api.storekit.apple.com", "description": "Production."},
    {"url": "https://api.storekit-sandbox.apple.com", "description": "Sandbox."},
    {
      "url": "http://127.0.0.1:8801",
      "description": "The emulator's usual address; it serves both environments and tells them apart by externalPurchaseId."
    }
  ],
  "tags": [
    {"name": "reports", "description": "What was sold under which token."},
    {"name": "notifications", "description": "Asking about App Store Server Notifications."}
  ],
  "security": [{"jwt": []}],
  "paths": {
    "/externalPurchase/v1/reports": {
      "put": {
        "operationId": "sendReport",
        "tags": ["reports"],
        "summary": "Send a report about one token.",
        "description": "All or nothing: 200 says that every line item was accepted. The body has at most 1 MiB.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {"$ref": "#/components/schemas/Report"},
              "examples": {
                "EX-1": {
                  "summary": "One-time buy, 21 % tax.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000001",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000a",
                    "status": "LINE_ITEM",
                    "lineItems": [
                      {
                        "lineItemId": "sale-1",
                        "creationDate": 1794906000000,
                        "eventType": "BUY",
                        "productType": "ONE_TIME_BUY",
                        "productIdentifier": "sticker.book",
                        "quantity": 1,
                        "amountTaxExclusive": 8256,
                        "taxAmount": 1734,
                        "amountTaxInclusive": 9990,
                        "netAmountTaxExclusive": 8256,
                        "pricingCurrency": "EUR",
                        "reportingCurrency": "EUR",
                        "taxCountry": "ESP"
                      }
                    ]
                  }
                },
                "EX-2": {
                  "summary": "Subscription start, paid at once.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000002",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000b",
                    "status": "LINE_ITEM",
                    "lineItems": [
                      {
                        "lineItemId": "sub-1",
                        "creationDate": 1791014400000,
                        "eventType": "BUY",
                        "productType": "SUBSCRIPTION",
                        "productIdentifier": "club.30d",
                        "quantity": 1,
                        "subscriptionEvent": "SUBSCRIPTION_START",
                        "subscriptionStartDate": 1791014400000,
                        "subscriptionEndDate": 1793606400000,
                        "subscriptionDaysOfPaidService": 0,
                        "amountTaxExclusive": 5000,
                        "taxAmount": 1000,
                        "amountTaxInclusive": 6000,
                        "netAmountTaxExclusive": 5000,
                        "pricingCurrency": "EUR",
                        "reportingCurrency": "EUR",
                        "taxCountry": "AUT"
                      }
                    ]
                  }
                },
                "EX-3": {
                  "summary": "Subscription start with a free trial: nothing charged, nothing paid.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000003",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000a",
                    "status": "LINE_ITEM",
                    "lineItems": [
                      {
                        "lineItemId": "trial-1",
                        "creationDate": 1793952000000,
                        "eventType": "BUY",
                        "productType": "SUBSCRIPTION",
                        "productIdentifier": "club.30d",
                        "quantity": 1,
                        "subscriptionEvent": "SUBSCRIPTION_START",
                        "subscriptionStartDate": 1793952000000,
                        "subscriptionEndDate": 1794556800000,
                        "subscriptionDaysOfPaidService": 0,
                        "amountTaxExclusive": 0,
                        "taxAmount": 0,
                        "amountTaxInclusive": 0,
                        "netAmountTaxExclusive": 0,
                        "pricingCurrency": "SEK",
                        "reportingCurrency": "SEK",
                        "taxCountry": "SWE"
                      }
                    ]
                  }
                },
                "EX-4": {
                  "summary": "First paid period after a trial.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000004",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000a",
                    "status": "LINE_ITEM",
                    "lineItems": [
                      {
                        "lineItemId": "trial-1-paid",
                        "creationDate": 1794556800000,
                        "eventType": "BUY",
                        "productType": "SUBSCRIPTION",
                        "productIdentifier": "club.30d",
                        "quantity": 1,
                        "subscriptionEvent": "RENEWAL",
                        "subscriptionStartDate": 1794556800000,
                        "subscriptionEndDate": 1797148800000,
                        "subscriptionDaysOfPaidService": 0,
                        "referenceLineItemId": "trial-1",
                        "amountTaxExclusive": 47200,
                        "taxAmount": 11800,
                        "amountTaxInclusive": 59000,
                        "netAmountTaxExclusive": 47200,
                        "pricingCurrency": "SEK",
                        "reportingCurrency": "SEK",
                        "taxCountry": "SWE"
                      }
                    ]
                  }
                },
                "EX-5-to-EX-7": {
                  "summary": "Renewal, change of plan and a charge inside the new period, as one report.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000005",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000b",
                    "status": "LINE_ITEM",
                    "lineItems": [
                      {
                        "lineItemId": "sub-1-r1",
                        "creationDate": 1793606400000,
                        "eventType": "BUY",
                        "productType": "SUBSCRIPTION",
                        "productIdentifier": "club.30d",
                        "quantity": 1,
                        "subscriptionEvent": "RENEWAL",
                        "subscriptionStartDate": 1793606400000,
                        "subscriptionEndDate": 1796198400000,
                        "subscriptionDaysOfPaidService": 30,
                        "referenceLineItemId": "sub-1",
                        "amountTaxExclusive": 5000,
                        "taxAmount": 1000,
                        "amountTaxInclusive": 6000,
                        "netAmountTaxExclusive": 5000,
                        "pricingCurrency": "EUR",
                        "reportingCurrency": "EUR",
                        "taxCountry": "AUT"
                      },
                      {
                        "lineItemId": "sub-1-up",
                        "creationDate": 1794470400000,
                        "eventType": "BUY",
                        "productType": "SUBSCRIPTION",
                        "productIdentifier": "club.365d",
                        "quantity": 1,
                        "subscriptionEvent": "SUBSCRIPTION_CHANGE",
                        "subscriptionStartDate": 1794470400000,
                        "subscriptionEndDate": 1826006400000,
                        "subscriptionDaysOfPaidService": 40,
                        "referenceLineItemId": "sub-1",
                        "amountTaxExclusive": 45000,
                        "taxAmount": 9000,
                        "amountTaxInclusive": 54000,
                        "netAmountTaxExclusive": 45000,
                        "pricingCurrency": "EUR",
                        "reportingCurrency": "EUR",
                        "taxCountry": "AUT"
                      },
                      {
                        "lineItemId": "sub-1-seat",
                        "creationDate": 1794902400000,
                        "eventType": "BUY",
                        "productType": "SUBSCRIPTION",
                        "productIdentifier": "club.365d",
                        "quantity": 1,
                        "subscriptionEvent": "SUBSCRIPTION_PAYMENT",
                        "subscriptionStartDate": 1794470400000,
                        "subscriptionEndDate": 1826006400000,
                        "subscriptionDaysOfPaidService": 45,
                        "referenceLineItemId": "sub-1",
                        "amountTaxExclusive": 2500,
                        "taxAmount": 500,
                        "amountTaxInclusive": 3000,
                        "netAmountTaxExclusive": 2500,
                        "pricingCurrency": "EUR",
                        "reportingCurrency": "EUR",
                        "taxCountry": "AUT"
                      }
                    ]
                  }
                },
                "EX-8": {
                  "summary": "Partial refund of EX-1; the net is what remains.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000008",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000a",
                    "status": "LINE_ITEM",
                    "lineItems": [
                      {
                        "lineItemId": "sale-1-back-1",
                        "creationDate": 1794992400000,
                        "eventType": "REFUND",
                        "referenceLineItemId": "sale-1",
                        "amountTaxExclusive": 2479,
                        "taxAmount": 521,
                        "amountTaxInclusive": 3000,
                        "netAmountTaxExclusive": 5777,
                        "pricingCurrency": "EUR",
                        "reportingCurrency": "EUR",
                        "taxCountry": "ESP"
                      }
                    ]
                  }
                },
                "EX-9-and-EX-10": {
                  "summary": "Full refund of EX-4, and a chargeback of the rest of EX-1, which is also a refund.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000009",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000a",
                    "status": "LINE_ITEM",
                    "lineItems": [
                      {
                        "lineItemId": "trial-1-back",
                        "creationDate": 1795010400000,
                        "eventType": "REFUND",
                        "referenceLineItemId": "trial-1-paid",
                        "amountTaxExclusive": 47200,
                        "taxAmount": 11800,
                        "amountTaxInclusive": 59000,
                        "netAmountTaxExclusive": 0,
                        "pricingCurrency": "SEK",
                        "reportingCurrency": "SEK",
                        "taxCountry": "SWE"
                      },
                      {
                        "lineItemId": "sale-1-dispute",
                        "creationDate": 1795014000000,
                        "eventType": "REFUND",
                        "referenceLineItemId": "sale-1",
                        "amountTaxExclusive": 5777,
                        "taxAmount": 1213,
                        "amountTaxInclusive": 6990,
                        "netAmountTaxExclusive": 0,
                        "pricingCurrency": "EUR",
                        "reportingCurrency": "EUR",
                        "taxCountry": "ESP"
                      }
                    ]
                  }
                },
                "EX-11": {
                  "summary": "Retraction of the chargeback: all data again, both flags, the net goes back up.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000011",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000a",
                    "status": "LINE_ITEM",
                    "lineItems": [
                      {
                        "lineItemId": "sale-1-dispute",
                        "restatement": true,
                        "erroneouslySubmitted": true,
                        "creationDate": 1795014000000,
                        "eventType": "REFUND",
                        "referenceLineItemId": "sale-1",
                        "amountTaxExclusive": 5777,
                        "taxAmount": 1213,
                        "amountTaxInclusive": 6990,
                        "netAmountTaxExclusive": 5777,
                        "pricingCurrency": "EUR",
                        "reportingCurrency": "EUR",
                        "taxCountry": "ESP"
                      }
                    ]
                  }
                },
                "EX-12": {
                  "summary": "Restatement of the partial refund with other amounts.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000012",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000a",
                    "status": "LINE_ITEM",
                    "lineItems": [
                      {
                        "lineItemId": "sale-1-back-1",
                        "restatement": true,
                        "creationDate": 1794992400000,
                        "eventType": "REFUND",
                        "referenceLineItemId": "sale-1",
                        "amountTaxExclusive": 2000,
                        "taxAmount": 420,
                        "amountTaxInclusive": 2420,
                        "netAmountTaxExclusive": 6256,
                        "pricingCurrency": "EUR",
                        "reportingCurrency": "EUR",
                        "taxCountry": "ESP"
                      }
                    ]
                  }
                },
                "EX-13": {
                  "summary": "Undo of the retraction EX-11, for what was left.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000013",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000a",
                    "status": "LINE_ITEM",
                    "lineItems": [
                      {
                        "lineItemId": "sale-1-dispute",
                        "restatement": true,
                        "erroneouslySubmitted": false,
                        "creationDate": 1795014000000,
                        "eventType": "REFUND",
                        "referenceLineItemId": "sale-1",
                        "amountTaxExclusive": 6256,
                        "taxAmount": 1314,
                        "amountTaxInclusive": 7570,
                        "netAmountTaxExclusive": 0,
                        "pricingCurrency": "EUR",
                        "reportingCurrency": "EUR",
                        "taxCountry": "ESP"
                      }
                    ]
                  }
                },
                "EX-14": {
                  "summary": "Billed in a currency that cannot be reported, converted.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000014",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000a",
                    "status": "LINE_ITEM",
                    "lineItems": [
                      {
                        "lineItemId": "sale-2",
                        "creationDate": 1795089600000,
                        "eventType": "BUY",
                        "productType": "ONE_TIME_BUY",
                        "productIdentifier": "sticker.book",
                        "quantity": 1,
                        "amountTaxExclusive": 8294,
                        "taxAmount": 1987,
                        "amountTaxInclusive": 10281,
                        "netAmountTaxExclusive": 8294,
                        "pricingCurrency": "ISK",
                        "reportingCurrency": "EUR",
                        "exchangeRate": 0.0069,
                        "taxCountry": "ISL"
                      }
                    ]
                  }
                },
                "EX-15": {
                  "summary": "A refreshed token of a period that another token is reported for.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000015",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000c",
                    "status": "DUPLICATE_TOKEN"
                  }
                },
                "EX-16": {
                  "summary": "A token that Apple named and our records do not have.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000016",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000d",
                    "status": "UNRECOGNIZED_TOKEN"
                  }
                },
                "EX-17": {
                  "summary": "A token of ours without a sale.",
                  "value": {
                    "requestIdentifier": "00000000-0000-4000-8000-000000000017",
                    "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000e",
                    "status": "NO_LINE_ITEM"
                  }
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "Received, met every rule, kept.",
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/SendReportSuccessResponse"},
                "examples": {
                  "EX-18": {
                    "summary": "Success of EX-1.",
                    "value": {"requestIdentifier": "00000000-0000-4000-8000-000000000001"}
                  }
                }
              }
            }
          },
          "400": {
            "description": "Nothing was kept. With a body: rules that the report breaks. With an empty body: malformed, that is over 1 MiB, not a JSON object in UTF-8, more than 1,000 line items, or a member with a value of another type, form or enumeration than the schema's.",
            "x-body-may-be-empty": true,
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/SendReportErrorResponse"},
                "examples": {
                  "EX-18": {
                    "summary": "Two errors of one line item.",
                    "value": {
                      "errors": [
                        {
                          "errorCode": 4,
                          "errorMessage": "A required field is missing.",
                          "fieldName": "taxCountry",
                          "lineItemId": "sale-9"
                        },
                        {
                          "errorCode": 12,
                          "errorMessage": "The net amount value does not match the expected value.",
                          "fieldName": "netAmountTaxExclusive",
                          "lineItemId": "sale-9"
                        }
                      ]
                    }
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthenticated"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "500": {"$ref": "#/components/responses/InternalError"}
        }
      }
    },
    "/externalPurchase/v1/reports/{requestIdentifier}": {
      "get": {
        "operationId": "retrieveReport",
        "tags": ["reports"],
        "summary": "Retrieve a report that was accepted.",
        "parameters": [
          {
            "name": "requestIdentifier",
            "in": "path",
            "required": true,
            "schema": {"$ref": "#/components/schemas/RequestIdentifier"},
            "example": "00000000-0000-4000-8000-000000000001"
          }
        ],
        "responses": {
          "200": {
            "description": "The report as it was accepted.",
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/RetrieveReportSuccessResponse"},
                "examples": {
                  "EX-1": {
                    "value": {
                      "report": {
                        "requestIdentifier": "00000000-0000-4000-8000-000000000001",
                        "externalPurchaseId": "4d3f0000-0000-4000-8000-00000000000a",
                        "status": "LINE_ITEM",
                        "lineItems": [
                          {
                            "lineItemId": "sale-1",
                            "creationDate": 1794906000000,
                            "eventType": "BUY",
                            "productType": "ONE_TIME_BUY",
                            "productIdentifier": "sticker.book",
                            "quantity": 1,
                            "amountTaxExclusive": 8256,
                            "taxAmount": 1734,
                            "amountTaxInclusive": 9990,
                            "netAmountTaxExclusive": 8256,
                            "pricingCurrency": "EUR",
                            "reportingCurrency": "EUR",
                            "taxCountry": "ESP"
                          }
                        ]
                      }
                    }
                  }
                }
              }
            }
          },
          "400": {
            "description": "Never accepted, or not a UUID. There is no 404 for an unknown report. The error stands alone, or in a list [house].",
            "content": {
              "application/json": {
                "schema": {
                  "oneOf": [
                    {"$ref": "#/components/schemas/ReportNotFoundError"},
                    {"$ref": "#/components/schemas/SendReportErrorResponse"}
                  ]
                },
                "examples": {
                  "EX-18": {
                    "value": {
                      "errorCode": 3,
                      "errorMessage": "The referenced value was not found.",
                      "fieldName": "requestIdentifier"
                    }
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthenticated"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "500": {"$ref": "#/components/responses/InternalError"}
        }
      }
    },
    "/inApps/v1/notifications/test": {
      "post": {
        "operationId": "requestTestNotification",
        "tags": ["notifications"],
        "summary": "Have a TEST notification sent to the app's address.",
        "description": "Without a body.",
        "parameters": [
          {
            "name": "environment",
            "in": "query",
            "required": false,
            "description": "Emulator only: which environment an address that serves both means; Apple's hosts tell it by their name.",
            "schema": {"type": "string", "enum": ["sandbox", "production"], "default": "sandbox"}
          }
        ],
        "responses": {
          "200": {
            "description": "The notification is under way.",
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/SendTestNotificationResponse"},
                "examples": {
                  "token": {"value": {"testNotificationToken": "00000000-0000-4000-8000-000000000001_1795176000000"}}
                }
              }
            }
          },
          "404": {
            "description": "The app has no address in that environment.",
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/ServerNotificationURLNotFoundError"},
                "examples": {
                  "4040007": {
                    "value": {
                      "errorCode": 4040007,
                      "errorMessage": "No App Store Server Notification URL found for provided app. Check that a URL is configured in App Store Connect for this environment."
                    }
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthenticated"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "500": {"$ref": "#/components/responses/InternalError"}
        }
      }
    },
    "/inApps/v1/notifications/test/{testNotificationToken}": {
      "get": {
        "operationId": "getTestNotificationStatus",
        "tags": ["notifications"],
        "summary": "See whether a TEST notification arrived.",
        "description": "The status exists once an attempt was made, for six months. Ask after 1, 2, 4, 8, 16 s.",
        "parameters": [
          {
            "name": "testNotificationToken",
            "in": "path",
            "required": true,
            "schema": {"$ref": "#/components/schemas/TestNotificationToken"},
            "example": "00000000-0000-4000-8000-000000000001_1795176000000"
          }
        ],
        "responses": {
          "200": {
            "description": "What was sent, and what came back.",
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/CheckTestNotificationResponse"},
                "examples": {
                  "delivered": {
                    "value": {
                      "signedPayload": "eyJhbGciOiJFUzI1NiJ9.e30.AA",
                      "sendAttempts": [{"attemptDate": 1795176000000, "sendAttemptResult": "SUCCESS"}]
                    }
                  }
                }
              }
            }
          },
          "400": {
            "description": "Not a token of a test notification.",
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/InvalidTestNotificationTokenError"},
                "examples": {
                  "4000020": {
                    "value": {
                      "errorCode": 4000020,
                      "errorMessage": "Invalid request. The test notification token is invalid."
                    }
                  }
                }
              }
            }
          },
          "404": {
            "description": "Unknown, of another app, expired, or not sent yet.",
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/TestNotificationNotFoundError"},
                "examples": {
                  "4040008": {
                    "value": {
                      "errorCode": 4040008,
                      "errorMessage": "Either the test notification token is expired or the notification and status are not yet available."
                    }
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthenticated"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "500": {"$ref": "#/components/responses/InternalError"}
        }
      }
    },
    "/inApps/v1/notifications/history": {
      "post": {
        "operationId": "getNotificationHistory",
        "tags": ["notifications"],
        "summary": "List the notifications of the last 180 days.",
        "parameters": [
          {
            "name": "environment",
            "in": "query",
            "required": false,
            "description": "Emulator only: which environment an address that serves both means; Apple's hosts tell it by their name.",
            "schema": {"type": "string", "enum": ["sandbox", "production"], "default": "sandbox"}
          },
          {
            "name": "paginationToken",
            "in": "query",
            "required": false,
            "description": "From the page before; valid for 24 hours [house].",
            "schema": {"type": "string", "minLength": 1}
          }
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {"$ref": "#/components/schemas/NotificationHistoryRequest"},
              "examples": {
                "failures": {
                  "summary": "UNREPORTED of one day that did not arrive.",
                  "value": {
                    "startDate": 1795089600000,
                    "endDate": 1795176000000,
                    "notificationType": "EXTERNAL_PURCHASE_TOKEN",
                    "notificationSubtype": "UNREPORTED",
                    "onlyFailures": true
                  }
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "One page.",
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/NotificationHistoryResponse"},
                "examples": {
                  "last": {
                    "value": {
                      "notificationHistory": [
                        {
                          "signedPayload": "eyJhbGciOiJFUzI1NiJ9.e30.AA",
                          "sendAttempts": [{"attemptDate": 1795176000000, "sendAttemptResult": "SUCCESS"}]
                        }
                      ],
                      "hasMore": false
                    }
                  }
                }
              }
            }
          },
          "400": {
            "description": "The question cannot be answered.",
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/NotificationHistoryBadRequestError"},
                "examples": {
                  "4000000": {"value": {"errorCode": 4000000, "errorMessage": "Bad request."}},
                  "4000012": {
                    "value": {
                      "errorCode": 4000012,
                      "errorMessage": "Invalid request. The start date is earlier than the allowed start date."
                    }
                  },
                  "4000013": {
                    "value": {
                      "errorCode": 4000013,
                      "errorMessage": "Invalid request. The end date precedes the start date or the dates are the same."
                    }
                  },
                  "4000014": {
                    "value": {
                      "errorCode": 4000014,
                      "errorMessage": "Invalid request. The pagination token is invalid."
                    }
                  },
                  "4000015": {
                    "value": {
                      "errorCode": 4000015,
                      "errorMessage": "Invalid request. The start date is not a timestamp value represented in milliseconds."
                    }
                  },
                  "4000016": {
                    "value": {
                      "errorCode": 4000016,
                      "errorMessage": "Invalid request. The end date is not a timestamp value represented in milliseconds."
                    }
                  },
                  "4000017": {
                    "value": {
                      "errorCode": 4000017,
                      "errorMessage": "Invalid request. The pagination token is expired."
                    }
                  },
                  "4000018": {
                    "value": {
                      "errorCode": 4000018,
                      "errorMessage": "Invalid request. The notification type or subtype is invalid."
                    }
                  },
                  "4000019": {
                    "value": {
                      "errorCode": 4000019,
                      "errorMessage": "Invalid request. Supply either a transaction id or a notification type, but not both."
                    }
                  }
                }
              }
            }
          },
          "404": {
            "description": "No such transaction.",
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/TransactionIdNotFoundError"},
                "examples": {"4040010": {"value": {"errorCode": 4040010, "errorMessage": "Transaction id not found."}}}
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthenticated"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "500": {"$ref": "#/components/responses/InternalError"}
        }
      }
    }
  },
  "webhooks": {
    "notification": {
      "post": {
        "operationId": "receiveNotification",
        "tags": ["notifications"],
        "summary": "What Apple sends to the app's address.",
        "description": "Production tries again after 1, 12, 24, 48 and 72 hours, sandbox does not.",
        "security": [],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NotificationBody"}}}
        },
        "responses": {"200": {"description": "Stored; any status from 200 to 206 says so. The body is ignored."}}
      }
    }
  },
  "components": {
    "securitySchemes": {
      "jwt": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A new JWT per request, signed with an In-App Purchase key of App Store Connect. Header: alg ES256, kid the key's id, typ JWT. Claims: iss the issuer id, iat and exp in whole UNIX seconds with at most an hour between, aud appstoreconnect-v1, bid the app's bundle id. The signature is 64 raw bytes."
      }
    },
    "responses": {
      "Unauthenticated": {
        "description": "The JWT is missing, wrong or not of an app that is known. The reason is not told.",
        "content": {"text/plain": {"schema": {"const": "Unauthenticated"}}}
      },
      "RateLimited": {
        "description": "Too many requests in this clock hour.",
        "headers": {
          "Retry-After": {
            "description": "When a request is allowed again, in UNIX time in milliseconds.",
            "required": false,
            "schema": {"type": "string", "pattern": "^[0-9]+$"},
            "example": "1795179600000"
          }
        },
        "content": {
          "application/json": {
            "schema": {"$ref": "#/components/schemas/RateLimitExceededError"},
            "examples": {"limit": {"value": {"errorCode": 4290000, "errorMessage": "Rate limit exceeded."}}}
          }
        }
      },
      "InternalError": {
        "description": "Something failed at Apple. Whether a report was kept is not known: retrieve it before it is sent again.",
        "content": {
          "application/json": {
            "schema": {"$ref": "#/components/schemas/InternalError"},
            "examples": {"unknown": {"value": {"errorCode": 5000000, "errorMessage": "An unknown error occurred."}}}
          }
        }
      }
    },
    "schemas": {
      "ReportErrorCode": {
        "type": "integer",
        "format": "int32",
        "description": "What is wrong with a report. Codes that are not listed may be added; decide by the code, never by the text.",
        "enum": [
          1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
          30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40
        ],
        "x-enum-varnames": [
          "DuplicateValueError", "ReportingCurrencyMismatchError", "NotFoundError", "OmittedFieldError",
          "FieldNotAllowedError", "FutureDateError", "UnknownEnumError", "LineItemStatusRegressionError",
          "MissingLineItemsForStatusError", "LineItemsNotAllowedForStatusError", "IncorrectAmountTaxInclusiveError",
          "IncorrectNetAmountError", "SelfReferenceError", "ReferenceInvalidSubscriptionEventError",
          "NegativeValueNotAllowedError", "PositiveValueRequiredError", "StartDateAfterEndDateError",
          "ReportingCurrencyExchangeNotAllowedError", "MaximumLengthExceededError",
          "ErroneouslySubmittedNotRestatementError", "ReferenceLineItemNotABuyError",
          "ErroneousLineItemReferencedByValidLineItemError", "TaxCountryMismatchError", "NetAmountMismatchError",
          "ValidLineItemReferencesErroneousLineItemError", "SimultaneousSubmissionError", "DateTooFarInPastError",
          "RefundReferencedByRefundError", "NonInitialBuyReferencedByBuyError", "RepeatErroneousSubmissionError",
          "ReferencedCreationDateIncompatibleError", "PricingCurrencyMismatchError", "ExchangeRateMismatchError",
          "SubscriptionStartNonZeroDaysPaidServiceError", "InvalidTaxInclusiveAmountForSubscriptionPaymentError",
          "LineItemCreationDateOutOfRangeError", "DuplicateTokenStatusNotAllowedError",
          "RestatementCreationDateMismatchError", "RestatementNotAllowedCreationDateError",
          "RefundNotAllowedCreationDateError"
        ],
        "x-enum-descriptions": [
          "The field's value is already submitted and a duplicate value is not expected.",
          "The refund's referenced buy line item has a different reporting currency.",
          "The referenced value was not found.", "A required field is missing.", "The provided field is not allowed.",
          "The provided date field is in the future and future values are not allowed.",
          "The provided value is unknown for an enumeration.",
          "Cannot mark status as NO_LINE_ITEM or UNRECOGNIZED_TOKEN after previously reporting as LINE_ITEM.",
          "Missing line items for an external purchase ID that has a LINE_ITEM status.",
          "A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status.",
          "The tax exclusive amount plus the tax amount does not equal the tax inclusive amount.",
          "The net amount value does not match the expected value.", "The line item may not reference itself.",
          "The referenced line item has no subscription event or its subscription event is not SUBSCRIPTION_START.",
          "This field doesn't allow a negative value.", "This field requires a positive value.",
          "The start date is after the end date.",
          "The reporting currency, which reports a currency exchange, isn't allowed.",
          "The field's maximum length is exceeded.",
          "Expecting restatement for an erroneously submitted line item, but line item is not a restatement.",
          "The referenced line item is not a buy.",
          "The line item has status erroneously submitted but is referenced by a non-erroneously submitted line item.",
          "The refund's referenced buy line item has a different tax country.",
          "Two line items involved in the same net amount calculation have different net amount values.",
          "The line item references an erroneously submitted line item, but the line item itself is not erroneously submitted.",
          "One or more simultaneous submissions of reports reference the same data.",
          "The provided date is too far in the past. Date must be in milliseconds.",
          "The line item has event type REFUND but is referenced by a different line item that also has event type REFUND.",
          "The line item does not have subscription event INITIAL_BUY but it is referenced by a subscription line item with event type BUY.",
          "The line item has status erroneously submitted but its previous version was already marked erroneously submitted.",
          "The referenced line item has a creation date after the line item's creation date.",
          "The refund's referenced buy line item has a different pricing currency.",
          "The refund's referenced buy line item has a different exchange rate.",
          "The subscriptionDaysOfPaidService field must be zero for a line item with subscription event SUBSCRIPTION_START.",
          "The tax inclusive amount must be positive for line items with subscription event SUBSCRIPTION_PAYMENT.",
          "The line item's creation date is outside the active range of the token. Date must be in milliseconds.",
          "The DUPLICATE_TOKEN status is not allowed for this token type.",
          "The restatement's creation date does not match the original line item's creation date.",
          "Restatement is not allowed for this line item because its creation date is too far in the past.",
          "Refund is not allowed for this line item because its creation date is too far in the past."
        ]
      },
      "DuplicateValueError": {
        "type": "object",
        "title": "Code 1",
        "description": "The field's value is already submitted and a duplicate value is not expected. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 1},
          "errorMessage": {"const": "The field's value is already submitted and a duplicate value is not expected."},
          "fieldName": {
            "type": "string",
            "enum": ["requestIdentifier", "lineItemId"],
            "description": "The member that is wrong."
          },
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "ReportingCurrencyMismatchError": {
        "type": "object",
        "title": "Code 2",
        "description": "The refund's referenced buy line item has a different reporting currency. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 2},
          "errorMessage": {"const": "The refund's referenced buy line item has a different reporting currency."},
          "fieldName": {"type": "string", "enum": ["reportingCurrency"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "NotFoundError": {
        "type": "object",
        "title": "Code 3",
        "description": "The referenced value was not found. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 3},
          "errorMessage": {"const": "The referenced value was not found."},
          "fieldName": {
            "type": "string",
            "enum": ["externalPurchaseId", "lineItemId", "referenceLineItemId", "requestIdentifier"],
            "description": "The member that is wrong."
          },
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "OmittedFieldError": {
        "type": "object",
        "title": "Code 4",
        "description": "A required field is missing. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 4},
          "errorMessage": {"const": "A required field is missing."},
          "fieldName": {
            "type": "string",
            "enum": [
              "requestIdentifier", "externalPurchaseId", "status", "lineItemId", "creationDate", "eventType",
              "referenceLineItemId", "productIdentifier", "productType", "subscriptionEvent", "subscriptionStartDate",
              "subscriptionEndDate", "subscriptionDaysOfPaidService", "quantity", "amountTaxExclusive",
              "amountTaxInclusive", "taxAmount", "netAmountTaxExclusive", "reportingCurrency", "exchangeRate",
              "pricingCurrency", "taxCountry"
            ],
            "description": "The member that is wrong."
          },
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "FieldNotAllowedError": {
        "type": "object",
        "title": "Code 5",
        "description": "The provided field is not allowed. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 5},
          "errorMessage": {"const": "The provided field is not allowed."},
          "fieldName": {
            "type": "string",
            "enum": [
              "productType", "productIdentifier", "subscriptionEvent", "subscriptionStartDate", "subscriptionEndDate",
              "subscriptionDaysOfPaidService", "quantity", "referenceLineItemId", "exchangeRate"
            ],
            "description": "The member that is wrong."
          },
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "FutureDateError": {
        "type": "object",
        "title": "Code 6",
        "description": "The provided date field is in the future and future values are not allowed. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 6},
          "errorMessage": {"const": "The provided date field is in the future and future values are not allowed."},
          "fieldName": {"type": "string", "enum": ["creationDate"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "UnknownEnumError": {
        "type": "object",
        "title": "Code 7",
        "description": "The provided value is unknown for an enumeration. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 7},
          "errorMessage": {"const": "The provided value is unknown for an enumeration."},
          "fieldName": {
            "type": "string",
            "enum": ["reportingCurrency", "taxCountry"],
            "description": "The member that is wrong."
          },
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "LineItemStatusRegressionError": {
        "type": "object",
        "title": "Code 8",
        "description": "Cannot mark status as NO_LINE_ITEM or UNRECOGNIZED_TOKEN after previously reporting as LINE_ITEM. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 8},
          "errorMessage": {
            "const": "Cannot mark status as NO_LINE_ITEM or UNRECOGNIZED_TOKEN after previously reporting as LINE_ITEM."
          },
          "fieldName": {"type": "string", "enum": ["status"], "description": "The member that is wrong."}
        }
      },
      "MissingLineItemsForStatusError": {
        "type": "object",
        "title": "Code 9",
        "description": "Missing line items for an external purchase ID that has a LINE_ITEM status. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 9},
          "errorMessage": {"const": "Missing line items for an external purchase ID that has a LINE_ITEM status."},
          "fieldName": {"type": "string", "enum": ["status"], "description": "The member that is wrong."}
        }
      },
      "LineItemsNotAllowedForStatusError": {
        "type": "object",
        "title": "Code 10",
        "description": "A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 10},
          "errorMessage": {
            "const": "A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status."
          },
          "fieldName": {"type": "string", "enum": ["status"], "description": "The member that is wrong."}
        }
      },
      "IncorrectAmountTaxInclusiveError": {
        "type": "object",
        "title": "Code 11",
        "description": "The tax exclusive amount plus the tax amount does not equal the tax inclusive amount. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 11},
          "errorMessage": {"const": "The tax exclusive amount plus the tax amount does not equal the tax inclusive amount."},
          "fieldName": {"type": "string", "enum": ["amountTaxInclusive"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "IncorrectNetAmountError": {
        "type": "object",
        "title": "Code 12",
        "description": "The net amount value does not match the expected value. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 12},
          "errorMessage": {"const": "The net amount value does not match the expected value."},
          "fieldName": {"type": "string", "enum": ["netAmountTaxExclusive"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "SelfReferenceError": {
        "type": "object",
        "title": "Code 13",
        "description": "The line item may not reference itself. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 13},
          "errorMessage": {"const": "The line item may not reference itself."},
          "fieldName": {"type": "string", "enum": ["referenceLineItemId"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "ReferenceInvalidSubscriptionEventError": {
        "type": "object",
        "title": "Code 14",
        "description": "The referenced line item has no subscription event or its subscription event is not SUBSCRIPTION_START. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 14},
          "errorMessage": {
            "const": "The referenced line item has no subscription event or its subscription event is not SUBSCRIPTION_START."
          },
          "fieldName": {"type": "string", "enum": ["referenceLineItemId"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "NegativeValueNotAllowedError": {
        "type": "object",
        "title": "Code 15",
        "description": "This field doesn't allow a negative value. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 15},
          "errorMessage": {"const": "This field doesn't allow a negative value."},
          "fieldName": {
            "type": "string",
            "enum": [
              "subscriptionDaysOfPaidService", "netAmountTaxExclusive", "taxAmount", "amountTaxExclusive",
              "amountTaxInclusive"
            ],
            "description": "The member that is wrong."
          },
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "PositiveValueRequiredError": {
        "type": "object",
        "title": "Code 16",
        "description": "This field requires a positive value. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 16},
          "errorMessage": {"const": "This field requires a positive value."},
          "fieldName": {"type": "string", "enum": ["quantity", "exchangeRate"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "StartDateAfterEndDateError": {
        "type": "object",
        "title": "Code 17",
        "description": "The start date is after the end date. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 17},
          "errorMessage": {"const": "The start date is after the end date."},
          "fieldName": {"type": "string", "enum": ["subscriptionEndDate"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "ReportingCurrencyExchangeNotAllowedError": {
        "type": "object",
        "title": "Code 18",
        "description": "The reporting currency, which reports a currency exchange, isn't allowed. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 18},
          "errorMessage": {"const": "The reporting currency, which reports a currency exchange, isn't allowed."},
          "fieldName": {"type": "string", "enum": ["reportingCurrency"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "MaximumLengthExceededError": {
        "type": "object",
        "title": "Code 19",
        "description": "The field's maximum length is exceeded. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 19},
          "errorMessage": {"const": "The field's maximum length is exceeded."},
          "fieldName": {
            "type": "string",
            "enum": ["referenceLineItemId", "lineItemId", "productIdentifier", "pricingCurrency", "exchangeRate"],
            "description": "The member that is wrong."
          },
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "ErroneouslySubmittedNotRestatementError": {
        "type": "object",
        "title": "Code 20",
        "description": "Expecting restatement for an erroneously submitted line item, but line item is not a restatement. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 20},
          "errorMessage": {
            "const": "Expecting restatement for an erroneously submitted line item, but line item is not a restatement."
          },
          "fieldName": {"type": "string", "enum": ["erroneouslySubmitted"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "ReferenceLineItemNotABuyError": {
        "type": "object",
        "title": "Code 21",
        "description": "The referenced line item is not a buy. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 21},
          "errorMessage": {"const": "The referenced line item is not a buy."},
          "fieldName": {"type": "string", "enum": ["referenceLineItemId"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "ErroneousLineItemReferencedByValidLineItemError": {
        "type": "object",
        "title": "Code 22",
        "description": "The line item has status erroneously submitted but is referenced by a non-erroneously submitted line item. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 22},
          "errorMessage": {
            "const": "The line item has status erroneously submitted but is referenced by a non-erroneously submitted line item."
          },
          "fieldName": {"type": "string", "enum": ["erroneouslySubmitted"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "TaxCountryMismatchError": {
        "type": "object",
        "title": "Code 23",
        "description": "The refund's referenced buy line item has a different tax country. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 23},
          "errorMessage": {"const": "The refund's referenced buy line item has a different tax country."},
          "fieldName": {"type": "string", "enum": ["taxCountry"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "NetAmountMismatchError": {
        "type": "object",
        "title": "Code 24",
        "description": "Two line items involved in the same net amount calculation have different net amount values. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 24},
          "errorMessage": {
            "const": "Two line items involved in the same net amount calculation have different net amount values."
          },
          "fieldName": {"type": "string", "enum": ["netAmountTaxExclusive"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "ValidLineItemReferencesErroneousLineItemError": {
        "type": "object",
        "title": "Code 25",
        "description": "The line item references an erroneously submitted line item, but the line item itself is not erroneously submitted. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 25},
          "errorMessage": {
            "const": "The line item references an erroneously submitted line item, but the line item itself is not erroneously submitted."
          },
          "fieldName": {"type": "string", "enum": ["erroneouslySubmitted"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "SimultaneousSubmissionError": {
        "type": "object",
        "title": "Code 26",
        "description": "One or more simultaneous submissions of reports reference the same data. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"const": 26},
          "errorMessage": {"const": "One or more simultaneous submissions of reports reference the same data."}
        }
      },
      "DateTooFarInPastError": {
        "type": "object",
        "title": "Code 27",
        "description": "The provided date is too far in the past. Date must be in milliseconds. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 27},
          "errorMessage": {"const": "The provided date is too far in the past. Date must be in milliseconds."},
          "fieldName": {
            "type": "string",
            "enum": ["creationDate", "subscriptionStartDate", "subscriptionEndDate"],
            "description": "The member that is wrong."
          },
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "RefundReferencedByRefundError": {
        "type": "object",
        "title": "Code 28",
        "description": "The line item has event type REFUND but is referenced by a different line item that also has event type REFUND. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 28},
          "errorMessage": {
            "const": "The line item has event type REFUND but is referenced by a different line item that also has event type REFUND."
          },
          "fieldName": {"type": "string", "enum": ["lineItemId"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "NonInitialBuyReferencedByBuyError": {
        "type": "object",
        "title": "Code 29",
        "description": "The line item does not have subscription event INITIAL_BUY but it is referenced by a subscription line item with event type BUY. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 29},
          "errorMessage": {
            "const": "The line item does not have subscription event INITIAL_BUY but it is referenced by a subscription line item with event type BUY."
          },
          "fieldName": {"type": "string", "enum": ["lineItemId"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "RepeatErroneousSubmissionError": {
        "type": "object",
        "title": "Code 30",
        "description": "The line item has status erroneously submitted but its previous version was already marked erroneously submitted. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 30},
          "errorMessage": {
            "const": "The line item has status erroneously submitted but its previous version was already marked erroneously submitted."
          },
          "fieldName": {"type": "string", "enum": ["erroneouslySubmitted"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "ReferencedCreationDateIncompatibleError": {
        "type": "object",
        "title": "Code 31",
        "description": "The referenced line item has a creation date after the line item's creation date. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 31},
          "errorMessage": {"const": "The referenced line item has a creation date after the line item's creation date."},
          "fieldName": {"type": "string", "enum": ["creationDate"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "PricingCurrencyMismatchError": {
        "type": "object",
        "title": "Code 32",
        "description": "The refund's referenced buy line item has a different pricing currency. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 32},
          "errorMessage": {"const": "The refund's referenced buy line item has a different pricing currency."},
          "fieldName": {"type": "string", "enum": ["pricingCurrency"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "ExchangeRateMismatchError": {
        "type": "object",
        "title": "Code 33",
        "description": "The refund's referenced buy line item has a different exchange rate. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 33},
          "errorMessage": {"const": "The refund's referenced buy line item has a different exchange rate."},
          "fieldName": {"type": "string", "enum": ["exchangeRate"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "SubscriptionStartNonZeroDaysPaidServiceError": {
        "type": "object",
        "title": "Code 34",
        "description": "The subscriptionDaysOfPaidService field must be zero for a line item with subscription event SUBSCRIPTION_START. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 34},
          "errorMessage": {
            "const": "The subscriptionDaysOfPaidService field must be zero for a line item with subscription event SUBSCRIPTION_START."
          },
          "fieldName": {
            "type": "string",
            "enum": ["subscriptionDaysOfPaidService"],
            "description": "The member that is wrong."
          },
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "InvalidTaxInclusiveAmountForSubscriptionPaymentError": {
        "type": "object",
        "title": "Code 35",
        "description": "The tax inclusive amount must be positive for line items with subscription event SUBSCRIPTION_PAYMENT. Since version 1.0.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 35},
          "errorMessage": {
            "const": "The tax inclusive amount must be positive for line items with subscription event SUBSCRIPTION_PAYMENT."
          },
          "fieldName": {"type": "string", "enum": ["amountTaxInclusive"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong, if it has an id."}
        }
      },
      "LineItemCreationDateOutOfRangeError": {
        "type": "object",
        "title": "Code 36",
        "description": "The line item's creation date is outside the active range of the token. Date must be in milliseconds. Since version 1.2.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 36},
          "errorMessage": {
            "const": "The line item's creation date is outside the active range of the token. Date must be in milliseconds."
          },
          "fieldName": {"type": "string", "enum": ["creationDate"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "DuplicateTokenStatusNotAllowedError": {
        "type": "object",
        "title": "Code 37",
        "description": "The DUPLICATE_TOKEN status is not allowed for this token type. Since version 1.2.0.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 37},
          "errorMessage": {
            "type": "string",
            "minLength": 1,
            "description": "Apple has not published this text; the example is the emulator's own.",
            "examples": ["The DUPLICATE_TOKEN status is not allowed for this token type."]
          },
          "fieldName": {"type": "string", "enum": ["status"], "description": "The member that is wrong."}
        }
      },
      "RestatementCreationDateMismatchError": {
        "type": "object",
        "title": "Code 38",
        "description": "The restatement's creation date does not match the original line item's creation date. Since version 1.1.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 38},
          "errorMessage": {
            "type": "string",
            "minLength": 1,
            "description": "Apple has not published this text; the example is the emulator's own.",
            "examples": ["The restatement's creation date does not match the original line item's creation date."]
          },
          "fieldName": {"type": "string", "enum": ["creationDate"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "RestatementNotAllowedCreationDateError": {
        "type": "object",
        "title": "Code 39",
        "description": "Restatement is not allowed for this line item because its creation date is too far in the past. Since version 1.1.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 39},
          "errorMessage": {
            "const": "Restatement is not allowed for this line item because its creation date is too far in the past."
          },
          "fieldName": {"type": "string", "enum": ["creationDate"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "RefundNotAllowedCreationDateError": {
        "type": "object",
        "title": "Code 40",
        "description": "Refund is not allowed for this line item because its creation date is too far in the past. Since version 1.1.0.",
        "required": ["errorCode", "errorMessage", "fieldName", "lineItemId"],
        "properties": {
          "errorCode": {"const": 40},
          "errorMessage": {
            "type": "string",
            "minLength": 1,
            "description": "Apple has not published this text; the example is the emulator's own.",
            "examples": ["Refund is not allowed for this line item because its creation date is too far in the past."]
          },
          "fieldName": {"type": "string", "enum": ["creationDate"], "description": "The member that is wrong."},
          "lineItemId": {"type": "string", "minLength": 1, "description": "The line item that is wrong."}
        }
      },
      "ReportError": {
        "description": "One error of a report, by its code.",
        "oneOf": [
          {"$ref": "#/components/schemas/DuplicateValueError"},
          {"$ref": "#/components/schemas/ReportingCurrencyMismatchError"},
          {"$ref": "#/components/schemas/NotFoundError"},
          {"$ref": "#/components/schemas/OmittedFieldError"},
          {"$ref": "#/components/schemas/FieldNotAllowedError"},
          {"$ref": "#/components/schemas/FutureDateError"},
          {"$ref": "#/components/schemas/UnknownEnumError"},
          {"$ref": "#/components/schemas/LineItemStatusRegressionError"},
          {"$ref": "#/components/schemas/MissingLineItemsForStatusError"},
          {"$ref": "#/components/schemas/LineItemsNotAllowedForStatusError"},
          {"$ref": "#/components/schemas/IncorrectAmountTaxInclusiveError"},
          {"$ref": "#/components/schemas/IncorrectNetAmountError"},
          {"$ref": "#/components/schemas/SelfReferenceError"},
          {"$ref": "#/components/schemas/ReferenceInvalidSubscriptionEventError"},
          {"$ref": "#/components/schemas/NegativeValueNotAllowedError"},
          {"$ref": "#/components/schemas/PositiveValueRequiredError"},
          {"$ref": "#/components/schemas/StartDateAfterEndDateError"},
          {"$ref": "#/components/schemas/ReportingCurrencyExchangeNotAllowedError"},
          {"$ref": "#/components/schemas/MaximumLengthExceededError"},
          {"$ref": "#/components/schemas/ErroneouslySubmittedNotRestatementError"},
          {"$ref": "#/components/schemas/ReferenceLineItemNotABuyError"},
          {"$ref": "#/components/schemas/ErroneousLineItemReferencedByValidLineItemError"},
          {"$ref": "#/components/schemas/TaxCountryMismatchError"},
          {"$ref": "#/components/schemas/NetAmountMismatchError"},
          {"$ref": "#/components/schemas/ValidLineItemReferencesErroneousLineItemError"},
          {"$ref": "#/components/schemas/SimultaneousSubmissionError"},
          {"$ref": "#/components/schemas/DateTooFarInPastError"},
          {"$ref": "#/components/schemas/RefundReferencedByRefundError"},
          {"$ref": "#/components/schemas/NonInitialBuyReferencedByBuyError"},
          {"$ref": "#/components/schemas/RepeatErroneousSubmissionError"},
          {"$ref": "#/components/schemas/ReferencedCreationDateIncompatibleError"},
          {"$ref": "#/components/schemas/PricingCurrencyMismatchError"},
          {"$ref": "#/components/schemas/ExchangeRateMismatchError"},
          {"$ref": "#/components/schemas/SubscriptionStartNonZeroDaysPaidServiceError"},
          {"$ref": "#/components/schemas/InvalidTaxInclusiveAmountForSubscriptionPaymentError"},
          {"$ref": "#/components/schemas/LineItemCreationDateOutOfRangeError"},
          {"$ref": "#/components/schemas/DuplicateTokenStatusNotAllowedError"},
          {"$ref": "#/components/schemas/RestatementCreationDateMismatchError"},
          {"$ref": "#/components/schemas/RestatementNotAllowedCreationDateError"},
          {"$ref": "#/components/schemas/RefundNotAllowedCreationDateError"}
        ]
      },
      "SendReportErrorResponse": {
        "type": "object",
        "description": "Every rule that the report breaks. Nothing of the report was kept: send all of it again, corrected, under the same requestIdentifier.",
        "required": ["errors"],
        "properties": {"errors": {"type": "array", "minItems": 1, "items": {"$ref": "#/components/schemas/ReportError"}}}
      },
      "ReportNotFoundError": {
        "type": "object",
        "description": "No report was accepted under that requestIdentifier.",
        "required": ["errorCode", "errorMessage", "fieldName"],
        "properties": {
          "errorCode": {"const": 3},
          "errorMessage": {"const": "The referenced value was not found."},
          "fieldName": {"const": "requestIdentifier"}
        }
      },
      "SendReportSuccessResponse": {
        "type": "object",
        "description": "The report was received, met every rule and was kept, all of it.",
        "required": ["requestIdentifier"],
        "properties": {
          "requestIdentifier": {"$ref": "#/components/schemas/RequestIdentifier", "description": "As the request spelled it."}
        }
      },
      "RetrieveReportSuccessResponse": {
        "type": "object",
        "description": "The report as it was accepted. Later restatements do not change it.",
        "required": ["report"],
        "properties": {"report": {"$ref": "#/components/schemas/Report"}}
      },
      "RequestIdentifier": {
        "type": "string",
        "format": "uuid",
        "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",
        "description": "A UUID of any version that identifies one report; compared without case. It belongs to one accepted report for ever and stays free after a failure."
      },
      "ExternalPurchaseId": {
        "type": "string",
        "minLength": 1,
        "description": "The id in an external purchase token; opaque, compared exactly. In sandbox it begins with SANDBOX."
      },
      "LineItemId": {
        "type": "string",
        "minLength": 1,
        "maxLength": 128,
        "description": "Identifies a line item, unique per app and environment; a UUID is recommended. Compared by Unicode scalars. Used again only for restatements."
      },
      "Milliseconds": {"type": "integer", "format": "int64", "description": "A moment in UNIX time, in milliseconds."},
      "CreationDate": {
        "type": "integer",
        "format": "int64",
        "description": "When the sale was authorised, for refunds when the refund was; UNIX time in milliseconds, not in the future, at most three years ago [house]."
      },
      "PeriodDate": {
        "type": "integer",
        "format": "int64",
        "minimum": 1000000000000,
        "description": "An end of the period that is paid for, in UNIX time in milliseconds."
      },
      "DaysOfPaidService": {
        "type": "integer",
        "format": "int32",
        "minimum": 0,
        "description": "Days that the customer had paid for since the subscription's start, before this event; 0 for a start."
      },
      "ProductIdentifier": {
        "type": "string",
        "minLength": 1,
        "maxLength": 256,
        "description": "The product's identifier in your records."
      },
      "Quantity": {
        "type": "integer",
        "format": "int64",
        "minimum": 1,
        "description": "How many were bought. Amounts are totals of the line and are never multiplied by it."
      },
      "Amount": {
        "type": "integer",
        "format": "int64",
        "minimum": 0,
        "description": "Thousandths of one unit of reportingCurrency: EUR 2.99 is 2990, JPY 1364 is 1364000. Never negative, also for refunds."
      },
      "PricingCurrency": {
        "type": "string",
        "pattern": "^[A-Z]{3}$",
        "description": "The currency that the customer was billed in, as ISO 4217 has it."
      },
      "ReportingCurrency": {
        "type": "string",
        "enum": [
          "AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EGP", "EUR", "GBP", "HKD",
          "HUF", "IDR", "ILS", "INR", "JPY", "KRW", "KZT", "MXN", "MYR", "NGN", "NOK", "NZD", "PEN", "PHP", "PKR",
          "PLN", "QAR", "RON", "RUB", "SAR", "SEK", "SGD", "THB", "TRY", "TWD", "TZS", "USD", "VND", "ZAR"
        ],
        "description": "The currency of the amounts."
      },
      "ExchangeRate": {
        "description": "Reporting amount divided by pricing amount. Required when the two currencies differ, forbidden when they are equal, which this schema cannot tell. A plain decimal above zero with at most 128 characters, without exponent; a number and a string of the same digits are the same rate.",
        "oneOf": [
          {"type": "number", "exclusiveMinimum": 0},
          {
            "type": "string",
            "minLength": 1,
            "maxLength": 128,
            "pattern": "^(?!0+(\\.0+)?$)[0-9]+(\\.[0-9]+)?$"
          }
        ]
      },
      "TaxCountry": {
        "type": "string",
        "enum": [
          "ABW", "AFG", "AGO", "AIA", "ALA", "ALB", "AND", "ARE", "ARG", "ARM", "ASM", "ATA", "ATF", "ATG", "AUS",
          "AUT", "AZE", "BDI", "BEL", "BEN", "BES", "BFA", "BGD", "BGR", "BHR", "BHS", "BIH", "BLM", "BLR", "BLZ",
          "BMU", "BOL", "BRA", "BRB", "BRN", "BTN", "BVT", "BWA", "CAF", "CAN", "CCK", "CHE", "CHL", "CHN", "CIV",
          "CMR", "COD", "COG", "COK", "COL", "COM", "CPV", "CRI", "CUB", "CUW", "CXR", "CYM", "CYP", "CZE", "DEU",
          "DJI", "DMA", "DNK", "DOM", "DZA", "ECU", "EGY", "ERI", "ESH", "ESP", "EST", "ETH", "FIN", "FJI", "FLK",
          "FRA", "FRO", "FSM", "GAB", "GBR", "GEO", "GGY", "GHA", "GIB", "GIN", "GLP", "GMB", "GNB", "GNQ", "GRC",
          "GRD", "GRL", "GTM", "GUF", "GUM", "GUY", "HKG", "HMD", "HND", "HRV", "HTI", "HUN", "IDN", "IMN", "IND",
          "IOT", "IRL", "IRN", "IRQ", "ISL", "ISR", "ITA", "JAM", "JEY", "JOR", "JPN", "KAZ", "KEN", "KGZ", "KHM",
          "KIR", "KNA", "KOR", "KWT", "LAO", "LBN", "LBR", "LBY", "LCA", "LIE", "LKA", "LSO", "LTU", "LUX", "LVA",
          "MAC", "MAF", "MAR", "MCO", "MDA", "MDG", "MDV", "MEX", "MHL", "MKD", "MLI", "MLT", "MMR", "MNE", "MNG",
          "MNP", "MOZ", "MRT", "MSR", "MTQ", "MUS", "MWI", "MYS", "MYT", "NAM", "NCL", "NER", "NFK", "NGA", "NIC",
          "NIU", "NLD", "NOR", "NPL", "NRU", "NZL", "OMN", "PAK", "PAN", "PCN", "PER", "PHL", "PLW", "PNG", "POL",
          "PRI", "PRK", "PRT", "PRY", "PSE", "PYF", "QAT", "REU", "ROU", "RUS", "RWA", "SAU", "SDN", "SEN", "SGP",
          "SGS", "SHN", "SJM", "SLB", "SLE", "SLV", "SMR", "SOM", "SPM", "SRB", "SSD", "STP", "SUR", "SVK", "SVN",
          "SWE", "SWZ", "SXM", "SYC", "SYR", "TCA", "TCD", "TGO", "THA", "TJK", "TKL", "TKM", "TLS", "TON", "TTO",
          "TUN", "TUR", "TUV", "TWN", "TZA", "UGA", "UKR", "UMI", "URY", "USA", "UZB", "VAT", "VCT", "VEN", "VGB",
          "VIR", "VNM", "VUT", "WLF", "WSM", "YEM", "ZAF", "ZMB", "ZWE"
        ],
        "description": "The country that collects the tax, as ISO 3166-1 alpha-3 has it."
      },
      "Restatement": {
        "type": "boolean",
        "default": false,
        "description": "True replaces an accepted line item of this lineItemId."
      },
      "ErroneouslySubmitted": {
        "type": "boolean",
        "default": false,
        "description": "True retracts an accepted line item; restatement is then true as well."
      },
      "OneTimeBuyLineItem": {
        "type": "object",
        "description": "A purchase that does not renew.",
        "additionalProperties": false,
        "required": [
          "lineItemId", "creationDate", "amountTaxExclusive", "taxAmount", "amountTaxInclusive",
          "netAmountTaxExclusive", "pricingCurrency", "reportingCurrency", "eventType", "productType",
          "productIdentifier", "quantity", "taxCountry"
        ],
        "properties": {
          "lineItemId": {"$ref": "#/components/schemas/LineItemId"},
          "creationDate": {"$ref": "#/components/schemas/CreationDate"},
          "amountTaxExclusive": {"$ref": "#/components/schemas/Amount"},
          "taxAmount": {"$ref": "#/components/schemas/Amount"},
          "amountTaxInclusive": {"$ref": "#/components/schemas/Amount", "description": "amountTaxExclusive plus taxAmount."},
          "netAmountTaxExclusive": {
            "$ref": "#/components/schemas/Amount",
            "description": "What is left of the buy's amountTaxExclusive after all its refunds."
          },
          "pricingCurrency": {"$ref": "#/components/schemas/PricingCurrency"},
          "reportingCurrency": {"$ref": "#/components/schemas/ReportingCurrency"},
          "eventType": {"const": "BUY"},
          "productType": {"const": "ONE_TIME_BUY"},
          "productIdentifier": {"$ref": "#/components/schemas/ProductIdentifier"},
          "quantity": {"$ref": "#/components/schemas/Quantity"},
          "taxCountry": {"$ref": "#/components/schemas/TaxCountry"},
          "exchangeRate": {"$ref": "#/components/schemas/ExchangeRate"},
          "restatement": {"$ref": "#/components/schemas/Restatement"},
          "erroneouslySubmitted": {"$ref": "#/components/schemas/ErroneouslySubmitted"}
        },
        "if": {"required": ["erroneouslySubmitted"], "properties": {"erroneouslySubmitted": {"const": true}}},
        "then": {"required": ["restatement"], "properties": {"restatement": {"const": true}}}
      },
      "SubscriptionStartLineItem": {
        "type": "object",
        "description": "The start of a subscription, free or paid.",
        "additionalProperties": false,
        "required": [
          "lineItemId", "creationDate", "amountTaxExclusive", "taxAmount", "amountTaxInclusive",
          "netAmountTaxExclusive", "pricingCurrency", "reportingCurrency", "eventType", "productType",
          "productIdentifier", "quantity", "subscriptionEvent", "subscriptionStartDate", "subscriptionEndDate",
          "subscriptionDaysOfPaidService", "taxCountry"
        ],
        "properties": {
          "lineItemId": {"$ref": "#/components/schemas/LineItemId"},
          "creationDate": {"$ref": "#/components/schemas/CreationDate"},
          "amountTaxExclusive": {"$ref": "#/components/schemas/Amount"},
          "taxAmount": {"$ref": "#/components/schemas/Amount"},
          "amountTaxInclusive": {"$ref": "#/components/schemas/Amount", "description": "amountTaxExclusive plus taxAmount."},
          "netAmountTaxExclusive": {
            "$ref": "#/components/schemas/Amount",
            "description": "What is left of the buy's amountTaxExclusive after all its refunds."
          },
          "pricingCurrency": {"$ref": "#/components/schemas/PricingCurrency"},
          "reportingCurrency": {"$ref": "#/components/schemas/ReportingCurrency"},
          "eventType": {"const": "BUY"},
          "productType": {"const": "SUBSCRIPTION"},
          "productIdentifier": {"$ref": "#/components/schemas/ProductIdentifier"},
          "quantity": {"$ref": "#/components/schemas/Quantity"},
          "subscriptionEvent": {"const": "SUBSCRIPTION_START"},
          "subscriptionStartDate": {"$ref": "#/components/schemas/PeriodDate", "description": "Start of the period."},
          "subscriptionEndDate": {
            "$ref": "#/components/schemas/PeriodDate",
            "description": "End of the period, not before its start; informational."
          },
          "subscriptionDaysOfPaidService": {"type": "integer", "format": "int32", "const": 0},
          "taxCountry": {"$ref": "#/components/schemas/TaxCountry"},
          "exchangeRate": {"$ref": "#/components/schemas/ExchangeRate"},
          "restatement": {"$ref": "#/components/schemas/Restatement"},
          "erroneouslySubmitted": {"$ref": "#/components/schemas/ErroneouslySubmitted"}
        },
        "if": {"required": ["erroneouslySubmitted"], "properties": {"erroneouslySubmitted": {"const": true}}},
        "then": {"required": ["restatement"], "properties": {"restatement": {"const": true}}}
      },
      "SubscriptionEventLineItem": {
        "type": "object",
        "description": "What follows a subscription's start: renewal, change of plan, payment.",
        "additionalProperties": false,
        "required": [
          "lineItemId", "creationDate", "amountTaxExclusive", "taxAmount", "amountTaxInclusive",
          "netAmountTaxExclusive", "pricingCurrency", "reportingCurrency", "eventType", "productType",
          "productIdentifier", "quantity", "subscriptionEvent", "subscriptionStartDate", "subscriptionEndDate",
          "subscriptionDaysOfPaidService", "referenceLineItemId", "taxCountry"
        ],
        "properties": {
          "lineItemId": {"$ref": "#/components/schemas/LineItemId"},
          "creationDate": {"$ref": "#/components/schemas/CreationDate"},
          "amountTaxExclusive": {"$ref": "#/components/schemas/Amount"},
          "taxAmount": {"$ref": "#/components/schemas/Amount"},
          "amountTaxInclusive": {"$ref": "#/components/schemas/Amount", "description": "amountTaxExclusive plus taxAmount."},
          "netAmountTaxExclusive": {
            "$ref": "#/components/schemas/Amount",
            "description": "What is left of the buy's amountTaxExclusive after all its refunds."
          },
          "pricingCurrency": {"$ref": "#/components/schemas/PricingCurrency"},
          "reportingCurrency": {"$ref": "#/components/schemas/ReportingCurrency"},
          "eventType": {"const": "BUY"},
          "productType": {"const": "SUBSCRIPTION"},
          "productIdentifier": {"$ref": "#/components/schemas/ProductIdentifier"},
          "quantity": {"$ref": "#/components/schemas/Quantity"},
          "subscriptionEvent": {"type": "string", "enum": ["RENEWAL", "SUBSCRIPTION_CHANGE", "SUBSCRIPTION_PAYMENT"]},
          "subscriptionStartDate": {"$ref": "#/components/schemas/PeriodDate", "description": "Start of the period."},
          "subscriptionEndDate": {
            "$ref": "#/components/schemas/PeriodDate",
            "description": "End of the period, not before its start; informational."
          },
          "subscriptionDaysOfPaidService": {"$ref": "#/components/schemas/DaysOfPaidService"},
          "referenceLineItemId": {"$ref": "#/components/schemas/LineItemId", "description": "The subscription's start."},
          "taxCountry": {"$ref": "#/components/schemas/TaxCountry"},
          "exchangeRate": {"$ref": "#/components/schemas/ExchangeRate"},
          "restatement": {"$ref": "#/components/schemas/Restatement"},
          "erroneouslySubmitted": {"$ref": "#/components/schemas/ErroneouslySubmitted"}
        },
        "if": {"required": ["erroneouslySubmitted"], "properties": {"erroneouslySubmitted": {"const": true}}},
        "then": {"required": ["restatement"], "properties": {"restatement": {"const": true}}}
      },
      "RefundLineItem": {
        "type": "object",
        "description": "A refund or chargeback of a buy, in part or whole.",
        "additionalProperties": false,
        "required": [
          "lineItemId", "creationDate", "amountTaxExclusive", "taxAmount", "amountTaxInclusive",
          "netAmountTaxExclusive", "pricingCurrency", "reportingCurrency", "eventType", "referenceLineItemId",
          "taxCountry"
        ],
        "properties": {
          "lineItemId": {"$ref": "#/components/schemas/LineItemId"},
          "creationDate": {"$ref": "#/components/schemas/CreationDate"},
          "amountTaxExclusive": {"$ref": "#/components/schemas/Amount"},
          "taxAmount": {"$ref": "#/components/schemas/Amount"},
          "amountTaxInclusive": {"$ref": "#/components/schemas/Amount", "description": "amountTaxExclusive plus taxAmount."},
          "netAmountTaxExclusive": {
            "$ref": "#/components/schemas/Amount",
            "description": "What is left of the buy's amountTaxExclusive after all its refunds."
          },
          "pricingCurrency": {"$ref": "#/components/schemas/PricingCurrency"},
          "reportingCurrency": {"$ref": "#/components/schemas/ReportingCurrency"},
          "eventType": {"const": "REFUND"},
          "referenceLineItemId": {"$ref": "#/components/schemas/LineItemId", "description": "The buy that is refunded."},
          "taxCountry": {"$ref": "#/components/schemas/TaxCountry"},
          "exchangeRate": {"$ref": "#/components/schemas/ExchangeRate"},
          "restatement": {"$ref": "#/components/schemas/Restatement"},
          "erroneouslySubmitted": {"$ref": "#/components/schemas/ErroneouslySubmitted"}
        },
        "if": {"required": ["erroneouslySubmitted"], "properties": {"erroneouslySubmitted": {"const": true}}},
        "then": {"required": ["restatement"], "properties": {"restatement": {"const": true}}}
      },
      "LineItem": {
        "description": "One transaction of a token.",
        "oneOf": [
          {"$ref": "#/components/schemas/OneTimeBuyLineItem"},
          {"$ref": "#/components/schemas/SubscriptionStartLineItem"},
          {"$ref": "#/components/schemas/SubscriptionEventLineItem"},
          {"$ref": "#/components/schemas/RefundLineItem"}
        ]
      },
      "ReportWithLineItems": {
        "type": "object",
        "description": "The token has transactions, or earlier ones are corrected.",
        "additionalProperties": false,
        "required": ["requestIdentifier", "externalPurchaseId", "status", "lineItems"],
        "properties": {
          "requestIdentifier": {"$ref": "#/components/schemas/RequestIdentifier"},
          "externalPurchaseId": {"$ref": "#/components/schemas/ExternalPurchaseId"},
          "status": {"const": "LINE_ITEM"},
          "lineItems": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1000,
            "items": {"$ref": "#/components/schemas/LineItem"}
          }
        }
      },
      "ReportWithoutLineItems": {
        "type": "object",
        "description": "The token has no transactions, is not known, or is a duplicate.",
        "additionalProperties": false,
        "required": ["requestIdentifier", "externalPurchaseId", "status"],
        "properties": {
          "requestIdentifier": {"$ref": "#/components/schemas/RequestIdentifier"},
          "externalPurchaseId": {"$ref": "#/components/schemas/ExternalPurchaseId"},
          "status": {
            "type": "string",
            "enum": ["NO_LINE_ITEM", "UNRECOGNIZED_TOKEN", "DUPLICATE_TOKEN"],
            "description": "NO_LINE_ITEM: nothing was bought with the token so far. UNRECOGNIZED_TOKEN: Apple named a token that your records do not have. DUPLICATE_TOKEN (since 1.2.0, only for tokens of type SERVICES or ACQUISITION): another token of the same customer, type and period is reported. None may follow LINE_ITEM."
          }
        }
      },
      "Report": {
        "description": "A report about one token.",
        "oneOf": [
          {"$ref": "#/components/schemas/ReportWithLineItems"},
          {"$ref": "#/components/schemas/ReportWithoutLineItems"}
        ],
        "discriminator": {
          "propertyName": "status",
          "mapping": {
            "LINE_ITEM": "#/components/schemas/ReportWithLineItems",
            "NO_LINE_ITEM": "#/components/schemas/ReportWithoutLineItems",
            "UNRECOGNIZED_TOKEN": "#/components/schemas/ReportWithoutLineItems",
            "DUPLICATE_TOKEN": "#/components/schemas/ReportWithoutLineItems"
          }
        }
      },
      "GeneralBadRequestError": {
        "type": "object",
        "title": "Code 4000000",
        "description": "Bad request.",
        "required": ["errorCode", "errorMessage"],
        "properties": {"errorCode": {"const": 4000000}, "errorMessage": {"const": "Bad request."}}
      },
      "StartDateTooFarInPastError": {
        "type": "object",
        "title": "Code 4000012",
        "description": "Invalid request. The start date is earlier than the allowed start date.",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"const": 4000012},
          "errorMessage": {"const": "Invalid request. The start date is earlier than the allowed start date."}
        }
      },
      "HistoryStartDateAfterEndDateError": {
        "type": "object",
        "title": "Code 4000013",
        "description": "Invalid request. The end date precedes the start date or the dates are the same.",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"const": 4000013},
          "errorMessage": {"const": "Invalid request. The end date precedes the start date or the dates are the same."}
        }
      },
      "InvalidPaginationTokenError": {
        "type": "object",
        "title": "Code 4000014",
        "description": "Invalid request. The pagination token is invalid.",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"const": 4000014},
          "errorMessage": {"const": "Invalid request. The pagination token is invalid."}
        }
      },
      "InvalidStartDateError": {
        "type": "object",
        "title": "Code 4000015",
        "description": "Invalid request. The start date is not a timestamp value represented in milliseconds.",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"const": 4000015},
          "errorMessage": {"const": "Invalid request. The start date is not a timestamp value represented in milliseconds."}
        }
      },
      "InvalidEndDateError": {
        "type": "object",
        "title": "Code 4000016",
        "description": "Invalid request. The end date is not a timestamp value represented in milliseconds.",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"const": 4000016},
          "errorMessage": {"const": "Invalid request. The end date is not a timestamp value represented in milliseconds."}
        }
      },
      "PaginationTokenExpiredError": {
        "type": "object",
        "title": "Code 4000017",
        "description": "Invalid request. The pagination token is expired.",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"const": 4000017},
          "errorMessage": {"const": "Invalid request. The pagination token is expired."}
        }
      },
      "InvalidNotificationTypeError": {
        "type": "object",
        "title": "Code 4000018",
        "description": "Invalid request. The notification type or subtype is invalid.",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"const": 4000018},
          "errorMessage": {"const": "Invalid request. The notification type or subtype is invalid."}
        }
      },
      "MultipleFiltersSuppliedError": {
        "type": "object",
        "title": "Code 4000019",
        "description": "Invalid request. Supply either a transaction id or a notification type, but not both.",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"const": 4000019},
          "errorMessage": {"const": "Invalid request. Supply either a transaction id or a notification type, but not both."}
        }
      },
      "InvalidTestNotificationTokenError": {
        "type": "object",
        "title": "Code 4000020",
        "description": "Invalid request. The test notification token is invalid.",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"const": 4000020},
          "errorMessage": {"const": "Invalid request. The test notification token is invalid."}
        }
      },
      "ServerNotificationURLNotFoundError": {
        "type": "object",
        "title": "Code 4040007",
        "description": "No App Store Server Notification URL found for provided app. Check that a URL is configured in App Store Connect for this environment.",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"const": 4040007},
          "errorMessage": {
            "const": "No App Store Server Notification URL found for provided app. Check that a URL is configured in App Store Connect for this environment."
          }
        }
      },
      "TestNotificationNotFoundError": {
        "type": "object",
        "title": "Code 4040008",
        "description": "Either the test notification token is expired or the notification and status are not yet available.",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"const": 4040008},
          "errorMessage": {
            "const": "Either the test notification token is expired or the notification and status are not yet available."
          }
        }
      },
      "TransactionIdNotFoundError": {
        "type": "object",
        "title": "Code 4040010",
        "description": "Transaction id not found.",
        "required": ["errorCode", "errorMessage"],
        "properties": {"errorCode": {"const": 4040010}, "errorMessage": {"const": "Transaction id not found."}}
      },
      "RateLimitExceededError": {
        "type": "object",
        "title": "Code 4290000",
        "description": "Rate limit exceeded.",
        "required": ["errorCode", "errorMessage"],
        "properties": {"errorCode": {"const": 4290000}, "errorMessage": {"const": "Rate limit exceeded."}}
      },
      "GeneralInternalError": {
        "type": "object",
        "title": "Code 5000000",
        "description": "An unknown error occurred.",
        "required": ["errorCode", "errorMessage"],
        "properties": {"errorCode": {"const": 5000000}, "errorMessage": {"const": "An unknown error occurred."}}
      },
      "GeneralInternalRetryableError": {
        "type": "object",
        "title": "Code 5000001",
        "description": "An unknown error occurred. Please try again.",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"const": 5000001},
          "errorMessage": {"const": "An unknown error occurred. Please try again."}
        }
      },
      "NotificationHistoryBadRequestError": {
        "description": "The first that holds: 4000000, 4000014, 4000017, 4000015, 4000016, 4000013, 4000012, 4000019, 4000018.",
        "oneOf": [
          {"$ref": "#/components/schemas/GeneralBadRequestError"},
          {"$ref": "#/components/schemas/StartDateTooFarInPastError"},
          {"$ref": "#/components/schemas/HistoryStartDateAfterEndDateError"},
          {"$ref": "#/components/schemas/InvalidPaginationTokenError"},
          {"$ref": "#/components/schemas/InvalidStartDateError"},
          {"$ref": "#/components/schemas/InvalidEndDateError"},
          {"$ref": "#/components/schemas/PaginationTokenExpiredError"},
          {"$ref": "#/components/schemas/InvalidNotificationTypeError"},
          {"$ref": "#/components/schemas/MultipleFiltersSuppliedError"}
        ]
      },
      "InternalError": {
        "oneOf": [
          {"$ref": "#/components/schemas/GeneralInternalError"},
          {"$ref": "#/components/schemas/GeneralInternalRetryableError"}
        ],
        "description": "The second is worth a retry."
      },
      "TestNotificationToken": {
        "type": "string",
        "description": "A UUID, an underscore and the time of the request in UNIX milliseconds [house]; opaque to clients.",
        "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}_[0-9]+$"
      },
      "SendTestNotificationResponse": {
        "type": "object",
        "required": ["testNotificationToken"],
        "properties": {"testNotificationToken": {"$ref": "#/components/schemas/TestNotificationToken"}}
      },
      "SendAttemptResult": {
        "type": "string",
        "enum": [
          "SUCCESS", "TIMED_OUT", "TLS_ISSUE", "CIRCULAR_REDIRECT", "NO_RESPONSE", "SOCKET_ISSUE",
          "UNSUPPORTED_CHARSET", "INVALID_RESPONSE", "PREMATURE_CLOSE", "UNSUCCESSFUL_HTTP_RESPONSE_CODE", "OTHER"
        ],
        "description": "SUCCESS for an HTTP status from 200 to 206."
      },
      "SendAttemptItem": {
        "type": "object",
        "required": ["attemptDate", "sendAttemptResult"],
        "properties": {
          "attemptDate": {"$ref": "#/components/schemas/Milliseconds"},
          "sendAttemptResult": {"$ref": "#/components/schemas/SendAttemptResult"}
        }
      },
      "SignedPayload": {
        "type": "string",
        "pattern": "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$",
        "description": "A JWS in three parts: header with alg ES256 and the certificates x5c (leaf, intermediate, root), a NotificationPayload, the signature. Verify the chain against a root that you configured before you believe a word."
      },
      "NotificationHistoryResponseItem": {
        "type": "object",
        "required": ["signedPayload", "sendAttempts"],
        "properties": {
          "signedPayload": {"$ref": "#/components/schemas/SignedPayload"},
          "sendAttempts": {"type": "array", "maxItems": 6, "items": {"$ref": "#/components/schemas/SendAttemptItem"}}
        }
      },
      "CheckTestNotificationResponse": {
        "type": "object",
        "required": ["signedPayload", "sendAttempts"],
        "properties": {
          "signedPayload": {"$ref": "#/components/schemas/SignedPayload"},
          "sendAttempts": {
            "type": "array",
            "minItems": 1,
            "maxItems": 6,
            "items": {"$ref": "#/components/schemas/SendAttemptItem"}
          }
        }
      },
      "HistoryDate": {
        "type": "integer",
        "format": "int64",
        "minimum": 1000000000000,
        "description": "UNIX time in milliseconds."
      },
      "NotificationHistoryRequest": {
        "type": "object",
        "description": "Which notifications: startDate ≤ time made < endDate.",
        "required": ["startDate", "endDate"],
        "properties": {
          "startDate": {"$ref": "#/components/schemas/HistoryDate", "description": "At most 180 days ago."},
          "endDate": {
            "$ref": "#/components/schemas/HistoryDate",
            "description": "After startDate; an end in the future counts as now."
          },
          "notificationType": {
            "type": "string",
            "description": "Only notifications of this type, such as EXTERNAL_PURCHASE_TOKEN or TEST. Not together with transactionId."
          },
          "notificationSubtype": {"type": "string", "description": "Only those of this subtype of the type."},
          "onlyFailures": {
            "type": "boolean",
            "default": false,
            "description": "Only notifications that were not delivered yet, those that are still tried included."
          },
          "transactionId": {
            "type": "string",
            "description": "Only notifications about this transaction; the emulator knows none."
          }
        },
        "dependentRequired": {"notificationSubtype": ["notificationType"]},
        "not": {"required": ["notificationType", "transactionId"]}
      },
      "NotificationHistoryResponse": {
        "type": "object",
        "description": "At most 20 notifications, oldest first [house].",
        "required": ["notificationHistory", "hasMore"],
        "properties": {
          "notificationHistory": {
            "type": "array",
            "maxItems": 20,
            "items": {"$ref": "#/components/schemas/NotificationHistoryResponseItem"}
          },
          "hasMore": {"type": "boolean"},
          "paginationToken": {"type": "string", "minLength": 1, "description": "For the next call, which repeats the same body."}
        },
        "if": {"required": ["hasMore"], "properties": {"hasMore": {"const": true}}},
        "then": {"required": ["paginationToken"]}
      },
      "NotificationBody": {
        "type": "object",
        "required": ["signedPayload"],
        "properties": {"signedPayload": {"$ref": "#/components/schemas/SignedPayload"}}
      },
      "ExternalPurchaseToken": {
        "type": "object",
        "required": ["externalPurchaseId", "tokenCreationDate", "appAppleId", "bundleId"],
        "properties": {
          "externalPurchaseId": {"$ref": "#/components/schemas/ExternalPurchaseId"},
          "tokenCreationDate": {"$ref": "#/components/schemas/Milliseconds"},
          "tokenExpirationDate": {"$ref": "#/components/schemas/Milliseconds", "description": "Custom link tokens only."},
          "tokenType": {"type": "string", "description": "SERVICES or ACQUISITION for custom link tokens; an open set."},
          "appAppleId": {"type": "integer", "format": "int64", "minimum": 1},
          "bundleId": {"type": "string", "minLength": 1}
        }
      },
      "NotificationData": {
        "type": "object",
        "required": ["bundleId", "environment"],
        "properties": {
          "bundleId": {"type": "string", "minLength": 1},
          "appAppleId": {"type": "integer", "format": "int64", "minimum": 1, "description": "Production only."},
          "environment": {"type": "string", "enum": ["Sandbox", "Production"]}
        }
      },
      "ExternalPurchaseTokenNotification": {
        "type": "object",
        "description": "Something about an external purchase token. Sandbox is told by externalPurchaseId.",
        "required": ["notificationType", "subtype", "notificationUUID", "version", "signedDate", "externalPurchaseToken"],
        "properties": {
          "notificationType": {"const": "EXTERNAL_PURCHASE_TOKEN"},
          "subtype": {"type": "string", "enum": ["CREATED", "ACTIVE_TOKEN_REMINDER", "UNREPORTED"]},
          "notificationUUID": {
            "type": "string",
            "minLength": 1,
            "description": "Identifies the notification; a retry repeats it."
          },
          "version": {"const": "2.0"},
          "signedDate": {"$ref": "#/components/schemas/Milliseconds"},
          "externalPurchaseToken": {"$ref": "#/components/schemas/ExternalPurchaseToken"}
        }
      },
      "TestNotification": {
        "type": "object",
        "description": "What a test request sends.",
        "required": ["notificationType", "notificationUUID", "version", "signedDate", "data"],
        "properties": {
          "notificationType": {"const": "TEST"},
          "notificationUUID": {
            "type": "string",
            "minLength": 1,
            "description": "Identifies the notification; a retry repeats it."
          },
          "version": {"const": "2.0"},
          "signedDate": {"$ref": "#/components/schemas/Milliseconds"},
          "data": {"$ref": "#/components/schemas/NotificationData"}
        }
      },
      "NotificationPayload": {
        "description": "What is signed, as far as external purchases need it; other types exist.",
        "oneOf": [
          {"$ref": "#/components/schemas/ExternalPurchaseTokenNotification"},
          {"$ref": "#/components/schemas/TestNotification"}
        ]
      }
    }
  }
}
"""##
}
