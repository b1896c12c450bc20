// Generated from docs/openapi/external-purchase-server.json by `./run tables`. Do not edit.
// swift-format-ignore-file
enum ServerDescription {
    static let json = ##"""
{
  "openapi": "3.1.0",
  "info": {
    "title": "External Purchase: the merchant's server",
    "version": "1",
    "description": "Takes external purchase tokens and sales, reports them to Apple, and shows what became of each. docs/paths.md lists the paths, and docs/serve.md has a page for each task.\n\n- **Keys.** While there are no API keys, the server answers requests to loopback names and needs none. From the first key on, every path below `/v1` needs one. `x-scopes` lists the scopes of a path; keys of the scope `admin` may call every path, and a key of one app sees that app only.\n- **Money** is decimal text in units of the currency. Times are RFC 3339.\n- **Requests.** A member with the value `null` counts as absent. Unknown members and unknown query parameters below `/v1` are refused.\n- **Errors** are `application/problem+json` (RFC 9457). Every path with `GET` takes `HEAD`; another method is 405 with `Allow`. A request that is too slow is 408, an address or header that is too long 414 or 431, and a defect of the server 500. `X-Request-Id` is in every answer.\n- **Changes.** Answers may get new members.\n\nThe dashboard's pages for people are not part of this document."
  },
  "servers": [{"url": "/"}],
  "security": [{"key": []}],
  "tags": [
    {"name": "Tokens"},
    {"name": "Sales"},
    {"name": "Reports"},
    {"name": "Corrections"},
    {"name": "Review"},
    {"name": "Notifications"},
    {"name": "Payment events"},
    {"name": "Exports"},
    {"name": "Policy"},
    {"name": "Landing address"},
    {"name": "Operations"}
  ],
  "paths": {
    "/v1/tokens": {
      "post": {
        "operationId": "sendToken",
        "tags": ["Tokens"],
        "summary": "Take a token",
        "x-scopes": ["publishable", "intake", "sales"],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TokenRequest"}}}
        },
        "responses": {
          "200": {
            "description": "The token was known; what the request adds is stored.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TokenReceipt"}}}
          },
          "201": {
            "description": "The token is stored; to a publishable key also if it was known.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TokenReceipt"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "415": {"$ref": "#/components/responses/NotJSON"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      },
      "get": {
        "operationId": "listTokens",
        "tags": ["Tokens"],
        "summary": "List tokens",
        "description": "`from` and `until` go by `tokenCreationDate`; `kind` is the `tokenType`, or `none`.",
        "x-scopes": ["read"],
        "parameters": [
          {"$ref": "#/components/parameters/limit"},
          {"$ref": "#/components/parameters/after"},
          {"$ref": "#/components/parameters/bundleId"},
          {"$ref": "#/components/parameters/environment"},
          {"name": "state", "in": "query", "schema": {"$ref": "#/components/schemas/TokenState"}},
          {
            "name": "kind",
            "in": "query",
            "schema": {
              "type": "string",
              "enum": ["ACQUISITION", "SERVICES", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "none"]
            }
          },
          {"$ref": "#/components/parameters/externalPurchaseId"},
          {"$ref": "#/components/parameters/customerId"},
          {
            "name": "flag",
            "in": "query",
            "schema": {
              "type": "string",
              "enum": [
                "customer-contradiction", "checkout-contradiction", "content-contradiction", "bundle-mismatch",
                "repeated-parameter", "suspicious", "customer-from-sale", "chosen-for-period", "report-refused",
                "no-base-url"
              ]
            }
          },
          {"$ref": "#/components/parameters/checkoutId"},
          {"$ref": "#/components/parameters/from"},
          {"$ref": "#/components/parameters/until"}
        ],
        "responses": {
          "200": {
            "description": "A page of the list.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": ["tokens", "next"],
                  "properties": {
                    "tokens": {"type": "array", "items": {"$ref": "#/components/schemas/Token"}},
                    "next": {"$ref": "#/components/schemas/Next"}
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/tokens/{externalPurchaseId}": {
      "get": {
        "operationId": "getToken",
        "tags": ["Tokens"],
        "summary": "One token",
        "x-scopes": ["read"],
        "parameters": [
          {
            "name": "externalPurchaseId",
            "in": "path",
            "required": true,
            "schema": {"type": "string", "minLength": 1, "examples": ["SANDBOX_7b1e6c1a-3f52-4d0b-9c77-5a2e8d4f1b60"]}
          },
          {"$ref": "#/components/parameters/bundleId"}
        ],
        "responses": {
          "200": {
            "description": "The token.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Token"}}}
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/tokens/{externalPurchaseId}/customer": {
      "post": {
        "operationId": "setTokenCustomer",
        "tags": ["Tokens"],
        "summary": "Set the customer of a token",
        "x-scopes": ["admin"],
        "parameters": [
          {
            "name": "externalPurchaseId",
            "in": "path",
            "required": true,
            "schema": {"type": "string", "minLength": 1, "examples": ["SANDBOX_7b1e6c1a-3f52-4d0b-9c77-5a2e8d4f1b60"]}
          }
        ],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TokenCustomerRequest"}}}
        },
        "responses": {
          "200": {
            "description": "The token with its customer.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Token"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "409": {"$ref": "#/components/responses/Conflict"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "415": {"$ref": "#/components/responses/NotJSON"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/sales": {
      "post": {
        "operationId": "sendSale",
        "tags": ["Sales"],
        "summary": "Take, complete or amend a sale",
        "x-scopes": ["sales"],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SaleRequest"}}}
        },
        "responses": {
          "200": {
            "description": "The sale was known, and is completed or amended where the request says so.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SaleReceipt"}}}
          },
          "201": {
            "description": "The sale is stored.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SaleReceipt"}}}
          },
          "202": {
            "description": "The change waits: a report with the sale is on its way.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SaleReceipt"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "409": {"$ref": "#/components/responses/Conflict"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "415": {"$ref": "#/components/responses/NotJSON"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      },
      "get": {
        "operationId": "listSales",
        "tags": ["Sales"],
        "summary": "List sales",
        "description": "`from` and `until` go by `occurredAt`; `kind` is the `type`.",
        "x-scopes": ["read"],
        "parameters": [
          {"$ref": "#/components/parameters/limit"},
          {"$ref": "#/components/parameters/after"},
          {"$ref": "#/components/parameters/bundleId"},
          {"$ref": "#/components/parameters/environment"},
          {"name": "state", "in": "query", "schema": {"$ref": "#/components/schemas/SaleFilterState"}},
          {"name": "standing", "in": "query", "schema": {"$ref": "#/components/schemas/SaleStanding"}},
          {"name": "kind", "in": "query", "schema": {"$ref": "#/components/schemas/SaleType"}},
          {"$ref": "#/components/parameters/externalPurchaseId"},
          {"$ref": "#/components/parameters/customerId"},
          {"$ref": "#/components/parameters/checkoutId"},
          {"$ref": "#/components/parameters/productId"},
          {
            "name": "flag",
            "in": "query",
            "schema": {
              "type": "string",
              "enum": [
                "no-token", "no-active-token", "no-exchange-rate", "no-tax", "no-tax-country", "buy-unknown",
                "wrong-reference", "order-held", "refund-currency-differs", "refund-too-precise", "refund-tax-differs",
                "reversal-before-chargeback", "waits-for-start", "waits-for-correction", "buy-held", "start-held",
                "later-start-reported",
                "environment-contradiction", "void", "buy-voided", "refund-above-buy", "refund-before-buy",
                "no-line-item", "in-future", "too-late-to-report", "token-unknown-to-apple", "token-not-reportable",
                "customer-contradiction", "checkout-contradiction", "not-convertible", "report-refused", "review-closed",
                "sent-apart", "imported", "imported-refund", "imported-subscription", "new-subscription",
                "buy-retracted", "withdrawn-currency", "reference-closed", "reported-already"
              ]
            }
          },
          {"$ref": "#/components/parameters/from"},
          {"$ref": "#/components/parameters/until"}
        ],
        "responses": {
          "200": {
            "description": "A page of the list.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": ["sales", "next"],
                  "properties": {
                    "sales": {"type": "array", "items": {"$ref": "#/components/schemas/ListedSale"}},
                    "next": {"$ref": "#/components/schemas/Next"}
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/sales/{saleId}": {
      "get": {
        "operationId": "getSale",
        "tags": ["Sales"],
        "summary": "One sale with its versions and figures",
        "x-scopes": ["read"],
        "parameters": [
          {
            "name": "saleId",
            "in": "path",
            "required": true,
            "description": "A slash in an id is `%2F`.",
            "schema": {"type": "string", "minLength": 1, "examples": ["order-1001"]}
          },
          {"$ref": "#/components/parameters/bundleId"}
        ],
        "responses": {
          "200": {
            "description": "The sale.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SaleDetail"}}}
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/sales/{saleId}/void": {
      "post": {
        "operationId": "voidSale",
        "tags": ["Sales"],
        "summary": "Void a sale",
        "x-scopes": ["sales"],
        "parameters": [
          {
            "name": "saleId",
            "in": "path",
            "required": true,
            "description": "A slash in an id is `%2F`.",
            "schema": {"type": "string", "minLength": 1, "examples": ["order-1001"]}
          }
        ],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/VoidRequest"}}}
        },
        "responses": {
          "200": {
            "description": "The sale is void.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SaleReceipt"}}}
          },
          "202": {
            "description": "The void waits: a report with the sale is on its way.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SaleReceipt"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "409": {"$ref": "#/components/responses/Conflict"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "415": {"$ref": "#/components/responses/NotJSON"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/batch": {
      "post": {
        "operationId": "sendBatch",
        "tags": ["Sales"],
        "summary": "Take tokens and sales in one commit",
        "description": "The body may have 4 MiB.",
        "x-scopes": ["intake", "sales"],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/BatchRequest"}}}
        },
        "responses": {
          "200": {
            "description": "Each item's result.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/BatchAnswer"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "415": {"$ref": "#/components/responses/NotJSON"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/reports": {
      "get": {
        "operationId": "listReports",
        "tags": ["Reports"],
        "summary": "List reports",
        "description": "`from` and `until` go by `writtenAt`; `kind` is the `status`.",
        "x-scopes": ["read"],
        "parameters": [
          {"$ref": "#/components/parameters/limit"},
          {"$ref": "#/components/parameters/after"},
          {"$ref": "#/components/parameters/bundleId"},
          {"$ref": "#/components/parameters/environment"},
          {"name": "state", "in": "query", "schema": {"$ref": "#/components/schemas/ReportState"}},
          {
            "name": "kind",
            "in": "query",
            "schema": {
              "type": "string",
              "enum": ["LINE_ITEM", "NO_LINE_ITEM", "UNRECOGNIZED_TOKEN", "DUPLICATE_TOKEN"]
            }
          },
          {"$ref": "#/components/parameters/externalPurchaseId"},
          {"$ref": "#/components/parameters/customerId"},
          {"$ref": "#/components/parameters/checkoutId"},
          {"$ref": "#/components/parameters/from"},
          {"$ref": "#/components/parameters/until"}
        ],
        "responses": {
          "200": {
            "description": "A page of the list.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": ["reports", "next"],
                  "properties": {
                    "reports": {"type": "array", "items": {"$ref": "#/components/schemas/Report"}},
                    "next": {"$ref": "#/components/schemas/Next"}
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/due": {
      "get": {
        "operationId": "listDue",
        "tags": ["Reports"],
        "summary": "List what is due",
        "description": "Sorted by urgency. `from` and `until` go by `dueAt`; what has no deadline is in no span.",
        "x-scopes": ["read"],
        "parameters": [
          {"$ref": "#/components/parameters/limit"},
          {
            "name": "after",
            "in": "query",
            "description": "The `next` of the page before.",
            "schema": {"type": "string", "minLength": 1}
          },
          {"$ref": "#/components/parameters/bundleId"},
          {"$ref": "#/components/parameters/environment"},
          {
            "name": "state",
            "in": "query",
            "schema": {"type": "string", "enum": ["open", "warned", "overdue", "noDeadline", "unconfirmed"]}
          },
          {"name": "kind", "in": "query", "schema": {"type": "string", "enum": ["token", "lineItem"]}},
          {"$ref": "#/components/parameters/externalPurchaseId"},
          {"$ref": "#/components/parameters/saleId"},
          {"$ref": "#/components/parameters/customerId"},
          {"$ref": "#/components/parameters/productId"},
          {"$ref": "#/components/parameters/from"},
          {"$ref": "#/components/parameters/until"}
        ],
        "responses": {
          "200": {
            "description": "A page of the list.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": ["due", "next"],
                  "properties": {
                    "due": {"type": "array", "items": {"$ref": "#/components/schemas/DueEntry"}},
                    "next": {"$ref": "#/components/schemas/Next"}
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/corrections": {
      "post": {
        "operationId": "correct",
        "tags": ["Corrections"],
        "summary": "Dry run of a correction, or its confirmation",
        "x-scopes": ["admin"],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "oneOf": [
                  {"$ref": "#/components/schemas/CorrectionRequest"},
                  {"$ref": "#/components/schemas/CorrectionConfirmation"}
                ]
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The dry run; of a confirmation: it was confirmed before.",
            "content": {
              "application/json": {
                "schema": {
                  "oneOf": [
                    {"$ref": "#/components/schemas/CorrectionDryRun"},
                    {"$ref": "#/components/schemas/CorrectionConfirmed"}
                  ]
                }
              }
            }
          },
          "201": {
            "description": "The reports are in the outbox, in the order of sending.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CorrectionConfirmed"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "409": {"$ref": "#/components/responses/Conflict"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "415": {"$ref": "#/components/responses/NotJSON"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      },
      "get": {
        "operationId": "listCorrections",
        "tags": ["Corrections"],
        "summary": "List corrections",
        "description": "`from` and `until` go by `requestedAt`.",
        "x-scopes": ["read"],
        "parameters": [
          {"$ref": "#/components/parameters/limit"},
          {"$ref": "#/components/parameters/after"},
          {"$ref": "#/components/parameters/bundleId"},
          {"name": "state", "in": "query", "schema": {"type": "string", "enum": ["planned", "confirmed", "closed"]}},
          {"$ref": "#/components/parameters/saleId"},
          {"$ref": "#/components/parameters/from"},
          {"$ref": "#/components/parameters/until"}
        ],
        "responses": {
          "200": {
            "description": "A page of the list.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": ["corrections", "next"],
                  "properties": {
                    "corrections": {"type": "array", "items": {"$ref": "#/components/schemas/Correction"}},
                    "next": {"$ref": "#/components/schemas/Next"}
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/notifications": {
      "post": {
        "operationId": "takeNotification",
        "tags": ["Notifications"],
        "summary": "Take a notification of Apple",
        "description": "Apple calls it; the signature in the body is verified.",
        "security": [],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NotificationRequest"}}}
        },
        "responses": {
          "200": {"description": "The notification is stored."},
          "400": {"$ref": "#/components/responses/Unreadable"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      },
      "get": {
        "operationId": "listNotifications",
        "tags": ["Notifications"],
        "summary": "List notifications",
        "description": "`from` and `until` go by `receivedAt`; `kind` is the `notificationType`.",
        "x-scopes": ["read"],
        "parameters": [
          {"$ref": "#/components/parameters/limit"},
          {"$ref": "#/components/parameters/after"},
          {"$ref": "#/components/parameters/bundleId"},
          {"$ref": "#/components/parameters/environment"},
          {"name": "state", "in": "query", "schema": {"type": "string", "enum": ["waiting", "done"]}},
          {"name": "kind", "in": "query", "schema": {"type": "string", "minLength": 1}},
          {"name": "subtype", "in": "query", "schema": {"type": "string", "minLength": 1}},
          {"$ref": "#/components/parameters/externalPurchaseId"},
          {"$ref": "#/components/parameters/customerId"},
          {"$ref": "#/components/parameters/checkoutId"},
          {"$ref": "#/components/parameters/from"},
          {"$ref": "#/components/parameters/until"}
        ],
        "responses": {
          "200": {
            "description": "A page of the list.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": ["notifications", "next"],
                  "properties": {
                    "notifications": {"type": "array", "items": {"$ref": "#/components/schemas/Notification"}},
                    "next": {"$ref": "#/components/schemas/Next"}
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/webhooks/stripe": {
      "post": {
        "operationId": "takeStripeEvent",
        "tags": ["Payment events"],
        "summary": "Take an event of Stripe",
        "description": "Stripe calls it; the body may have 1 MiB. Where no account is configured, it is 404.",
        "security": [],
        "parameters": [
          {
            "name": "Stripe-Signature",
            "in": "header",
            "required": true,
            "description": "Time and HMAC-SHA256 of the body.",
            "schema": {
              "type": "string",
              "examples": ["t=1795176000,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"]
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/StripeEvent"}}}
        },
        "responses": {
          "200": {
            "description": "The event is stored.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PaymentEventReceipt"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/webhooks/paddle": {
      "post": {
        "operationId": "takePaddleEvent",
        "tags": ["Payment events"],
        "summary": "Take an event of Paddle",
        "description": "Paddle calls it; the body may have 1 MiB. Where no account is configured, it is 404.",
        "security": [],
        "parameters": [
          {
            "name": "Paddle-Signature",
            "in": "header",
            "required": true,
            "description": "Time and HMAC-SHA256 of the body.",
            "schema": {
              "type": "string",
              "examples": ["ts=1795176000;h1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"]
            }
          }
        ],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PaddleEvent"}}}
        },
        "responses": {
          "200": {
            "description": "The event is stored.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PaymentEventReceipt"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/webhooks/custom": {
      "post": {
        "operationId": "takeCustomPayment",
        "tags": ["Payment events"],
        "summary": "Take a payment from the shop",
        "description": "The shop calls it with the payment as it stands now; the body may have 1 MiB. The state with the highest version counts. Where no entry is configured, it is 404.",
        "security": [],
        "parameters": [
          {
            "name": "webhook-id",
            "in": "header",
            "required": true,
            "description": "The id of the message, as Standard Webhooks has it.",
            "schema": {"type": "string", "examples": ["msg_2KWPBgLlAfxdpx2AI54pPJ85f4W"]}
          },
          {
            "name": "webhook-timestamp",
            "in": "header",
            "required": true,
            "description": "UNIX seconds.",
            "schema": {"type": "string", "examples": ["1795176000"]}
          },
          {
            "name": "webhook-signature",
            "in": "header",
            "required": true,
            "description": "HMAC-SHA256 of id, timestamp and body, joined by periods, in Base64; several are separated by spaces.",
            "schema": {"type": "string", "examples": ["v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="]}
          }
        ],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/CustomPayment"}}}
        },
        "responses": {
          "200": {
            "description": "The state is stored, or it is known.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PaymentEventReceipt"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "409": {"$ref": "#/components/responses/Conflict"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/events": {
      "get": {
        "operationId": "listEvents",
        "tags": ["Payment events"],
        "summary": "List payment events",
        "description": "`from` and `until` go by `receivedAt`; `kind` is the provider's type.",
        "x-scopes": ["read"],
        "parameters": [
          {"$ref": "#/components/parameters/limit"},
          {"$ref": "#/components/parameters/after"},
          {"$ref": "#/components/parameters/bundleId"},
          {"name": "state", "in": "query", "schema": {"$ref": "#/components/schemas/PaymentEventState"}},
          {"name": "kind", "in": "query", "schema": {"type": "string", "minLength": 1}},
          {"$ref": "#/components/parameters/saleId"},
          {"$ref": "#/components/parameters/from"},
          {"$ref": "#/components/parameters/until"}
        ],
        "responses": {
          "200": {
            "description": "A page of the list.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": ["events", "next"],
                  "properties": {
                    "events": {"type": "array", "items": {"$ref": "#/components/schemas/PaymentEvent"}},
                    "next": {"$ref": "#/components/schemas/Next"}
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/events/{eventId}": {
      "get": {
        "operationId": "getEvent",
        "tags": ["Payment events"],
        "summary": "One payment event with its content",
        "x-scopes": ["read"],
        "parameters": [
          {
            "name": "eventId",
            "in": "path",
            "required": true,
            "schema": {"type": "string", "minLength": 1, "examples": ["evt_1NG8Du2eZvKYlo2CUI79vXWy"]}
          }
        ],
        "responses": {
          "200": {
            "description": "The event.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PaymentEventDetail"}}}
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/events/{eventId}/apply": {
      "post": {
        "operationId": "applyEvent",
        "tags": ["Payment events"],
        "summary": "Apply a payment event again",
        "x-scopes": ["admin"],
        "parameters": [
          {
            "name": "eventId",
            "in": "path",
            "required": true,
            "schema": {"type": "string", "minLength": 1, "examples": ["evt_1NG8Du2eZvKYlo2CUI79vXWy"]}
          }
        ],
        "responses": {
          "200": {
            "description": "The event with its new result.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PaymentEvent"}}}
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/events/{eventId}/dismiss": {
      "post": {
        "operationId": "dismissEvent",
        "tags": ["Payment events"],
        "summary": "Set a payment event aside",
        "description": "An event that is held or waits counts nowhere any more, until it is applied again.",
        "x-scopes": ["admin"],
        "parameters": [
          {
            "name": "eventId",
            "in": "path",
            "required": true,
            "schema": {"type": "string", "minLength": 1, "examples": ["evt_1NG8Du2eZvKYlo2CUI79vXWy"]}
          }
        ],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PaymentEventDismissal"}}}
        },
        "responses": {
          "200": {
            "description": "The event with its new result.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/PaymentEvent"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "409": {"$ref": "#/components/responses/Conflict"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "415": {"$ref": "#/components/responses/NotJSON"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/exports/{file}": {
      "get": {
        "operationId": "exportMonth",
        "tags": ["Exports"],
        "summary": "A month, as 2026-10.csv or 2026-10.json",
        "x-scopes": ["read"],
        "parameters": [
          {
            "name": "file",
            "in": "path",
            "required": true,
            "description": "The month and the format.",
            "schema": {
              "type": "string",
              "pattern": "^[0-9]{4}-[0-9]{2}\\.(csv|json)$",
              "examples": ["2026-11.json", "2026-11.csv"]
            }
          },
          {"$ref": "#/components/parameters/bundleId"},
          {"$ref": "#/components/parameters/programme"},
          {"$ref": "#/components/parameters/environment"}
        ],
        "responses": {
          "200": {
            "description": "The export as a file.",
            "headers": {"Content-Disposition": {"required": true, "schema": {"type": "string"}}},
            "content": {
              "application/json": {
                "schema": {
                  "oneOf": [
                    {"$ref": "#/components/schemas/MonthExport"},
                    {"$ref": "#/components/schemas/MonthExports"}
                  ]
                }
              },
              "text/csv": {"schema": {"type": "string"}}
            }
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/exports": {
      "get": {
        "operationId": "listSubmissions",
        "tags": ["Exports"],
        "summary": "List manual submissions",
        "description": "`from` and `until` go by `madeAt`.",
        "x-scopes": ["read"],
        "parameters": [
          {"$ref": "#/components/parameters/limit"},
          {"$ref": "#/components/parameters/after"},
          {"$ref": "#/components/parameters/bundleId"},
          {"name": "state", "in": "query", "schema": {"type": "string", "enum": ["made", "handedIn", "withdrawn"]}},
          {"$ref": "#/components/parameters/programme"},
          {"$ref": "#/components/parameters/month"},
          {"$ref": "#/components/parameters/from"},
          {"$ref": "#/components/parameters/until"}
        ],
        "responses": {
          "200": {
            "description": "A page of the list.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": ["exports", "next"],
                  "properties": {
                    "exports": {"type": "array", "items": {"$ref": "#/components/schemas/ManualExport"}},
                    "next": {"$ref": "#/components/schemas/Next"}
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/exports/{file}/submitted": {
      "post": {
        "operationId": "submitExport",
        "tags": ["Exports"],
        "summary": "Record a manual submission",
        "x-scopes": ["admin"],
        "parameters": [
          {
            "name": "file",
            "in": "path",
            "required": true,
            "description": "The month.",
            "schema": {"$ref": "#/components/schemas/Month"}
          }
        ],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SubmissionRequest"}}}
        },
        "responses": {
          "200": {
            "description": "It was recorded before.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ManualExport"}}}
          },
          "201": {
            "description": "It is recorded.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ManualExport"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "409": {"$ref": "#/components/responses/Conflict"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "415": {"$ref": "#/components/responses/NotJSON"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/exports/{file}/withdrawn": {
      "post": {
        "operationId": "withdrawExport",
        "tags": ["Exports"],
        "summary": "Withdraw a manual submission",
        "x-scopes": ["admin"],
        "parameters": [
          {
            "name": "file",
            "in": "path",
            "required": true,
            "description": "The month.",
            "schema": {"$ref": "#/components/schemas/Month"}
          }
        ],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/WithdrawalRequest"}}}
        },
        "responses": {
          "200": {
            "description": "It is withdrawn.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ManualExport"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "409": {"$ref": "#/components/responses/Conflict"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "415": {"$ref": "#/components/responses/NotJSON"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/policy": {
      "get": {
        "operationId": "getPolicy",
        "tags": ["Policy"],
        "summary": "What an app may offer",
        "description": "By storefront: whether the app offers external purchases and requests tokens. Without `storefront` every one that the policy names.",
        "x-scopes": ["publishable", "read"],
        "parameters": [
          {
            "name": "storefront",
            "in": "query",
            "description": "Alpha-3, or XKS for Kosovo.",
            "schema": {"type": "string", "pattern": "^[A-Z]{3}$"},
            "example": "JPN"
          },
          {"$ref": "#/components/parameters/bundleId"},
          {"name": "If-None-Match", "in": "header", "schema": {"type": "string"}}
        ],
        "responses": {
          "200": {
            "description": "The policy of the app.",
            "headers": {
              "ETag": {"required": true, "schema": {"type": "string"}},
              "Cache-Control": {"required": true, "schema": {"type": "string"}}
            },
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/Policy"},
                "example": {
                  "storefronts": {"JPN": {"offered": true, "requestsTokens": true, "message": null}},
                  "default": {"offered": false, "requestsTokens": false, "message": "Not in your country yet."},
                  "until": "2026-11-27T00:00:00Z"
                }
              }
            }
          },
          "304": {"description": "The policy has the `ETag` that `If-None-Match` names."},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/invoices": {
      "post": {
        "operationId": "enterInvoice",
        "tags": ["Exports"],
        "summary": "Enter an invoice of Apple",
        "x-scopes": ["admin"],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/InvoiceRequest"}}}
        },
        "responses": {
          "200": {
            "description": "It was entered before.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Invoice"}}}
          },
          "201": {
            "description": "It is entered.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Invoice"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "409": {"$ref": "#/components/responses/Conflict"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "415": {"$ref": "#/components/responses/NotJSON"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      },
      "get": {
        "operationId": "compareInvoices",
        "tags": ["Exports"],
        "summary": "Compare the invoices of a month",
        "x-scopes": ["read"],
        "parameters": [
          {"name": "month", "in": "query", "required": true, "schema": {"$ref": "#/components/schemas/Month"}},
          {"$ref": "#/components/parameters/bundleId"},
          {"$ref": "#/components/parameters/programme"}
        ],
        "responses": {
          "200": {
            "description": "The comparison.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/InvoiceAccount"}}}
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/erasures": {
      "post": {
        "operationId": "eraseCustomer",
        "tags": ["Operations"],
        "summary": "Erase the id of a customer",
        "x-scopes": ["admin"],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErasureRequest"}}}
        },
        "responses": {
          "200": {
            "description": "The id is erased from all records.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Erasure"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "415": {"$ref": "#/components/responses/NotJSON"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/review": {
      "get": {
        "operationId": "listReview",
        "tags": ["Review"],
        "summary": "List what waits for a person",
        "description": "`from` and `until` go by `openedAt`; only open ones without `state=resolved`.",
        "x-scopes": ["read"],
        "parameters": [
          {"$ref": "#/components/parameters/limit"},
          {"$ref": "#/components/parameters/after"},
          {"$ref": "#/components/parameters/bundleId"},
          {"name": "state", "in": "query", "schema": {"type": "string", "enum": ["open", "resolved"]}},
          {
            "name": "kind",
            "in": "query",
            "schema": {
              "type": "string",
              "enum": [
                "report-refused", "sale-held", "key-refused", "contradiction", "unreported-but-accepted",
                "subscription-figures", "payment-event", "payment-waiting", "payments-unreferenced",
                "sale-changed", "webhook-parked"
              ]
            }
          },
          {"$ref": "#/components/parameters/externalPurchaseId"},
          {"$ref": "#/components/parameters/saleId"},
          {"$ref": "#/components/parameters/from"},
          {"$ref": "#/components/parameters/until"}
        ],
        "responses": {
          "200": {
            "description": "A page of the list.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": ["review", "next"],
                  "properties": {
                    "review": {"type": "array", "items": {"$ref": "#/components/schemas/ReviewItem"}},
                    "next": {"$ref": "#/components/schemas/Next"}
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/review/{sequence}": {
      "post": {
        "operationId": "decideReview",
        "tags": ["Review"],
        "summary": "Decide about a review item",
        "x-scopes": ["admin"],
        "parameters": [
          {
            "name": "sequence",
            "in": "path",
            "required": true,
            "schema": {"type": "integer", "format": "int64", "minimum": 1, "examples": [1]}
          }
        ],
        "requestBody": {
          "required": true,
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ReviewDecision"}}}
        },
        "responses": {
          "200": {
            "description": "The effect of the decision.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ReviewOutcome"}}}
          },
          "400": {"$ref": "#/components/responses/Unreadable"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "409": {"$ref": "#/components/responses/Conflict"},
          "413": {"$ref": "#/components/responses/TooLarge"},
          "415": {"$ref": "#/components/responses/NotJSON"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/audit": {
      "get": {
        "operationId": "listAudit",
        "tags": ["Operations"],
        "summary": "List the audit log",
        "description": "`from` and `until` go by the entry's time. Entries about keys and users need a key of scope `admin`.",
        "x-scopes": ["read"],
        "parameters": [
          {"$ref": "#/components/parameters/limit"},
          {"$ref": "#/components/parameters/after"},
          {"$ref": "#/components/parameters/bundleId"},
          {
            "name": "kind",
            "in": "query",
            "schema": {
              "type": "string",
              "enum": [
                "attention-opened", "attention-resolved", "checkout-claimed", "checkout-tied", "correction-changed",
                "correction-reported",
                "correction-requested", "customer-erased", "customer-seen", "customer-settled", "escalated",
                "escalation-delivered", "export-handed-in", "export-made", "export-withdrawn", "history-read",
                "invoice-entered", "key-created", "key-revoked", "link-tapped", "notification-done",
                "notification-set-aside", "notification-stored",
                "payment-event-changed", "payment-event-stored", "payment-object-fetched", "records-purged",
                "report-changed", "report-imported", "report-written", "sale-attributed", "sale-change-asked",
                "sale-change-closed", "sale-corrected", "sale-stored", "token-changed", "token-completed", "token-seen",
                "token-set-aside", "token-stored", "tokens-set-aside-expired", "user-password-set", "user-removed",
                "user-role-set", "webhook-redelivered"
              ]
            }
          },
          {"$ref": "#/components/parameters/externalPurchaseId"},
          {"$ref": "#/components/parameters/saleId"},
          {"$ref": "#/components/parameters/from"},
          {"$ref": "#/components/parameters/until"}
        ],
        "responses": {
          "200": {
            "description": "A page of the list.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": ["audit", "next"],
                  "properties": {
                    "audit": {"type": "array", "items": {"$ref": "#/components/schemas/AuditEntry"}},
                    "next": {"$ref": "#/components/schemas/Next"}
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/changes": {
      "get": {
        "operationId": "listChanges",
        "tags": ["Operations"],
        "summary": "Follow the changes",
        "description": "Every change of tokens, sales, reports and corrections in commit order, complete from the first day: docs/changes.md.",
        "x-scopes": ["read"],
        "parameters": [
          {"$ref": "#/components/parameters/limit"},
          {
            "name": "after",
            "in": "query",
            "description": "The `next` of the page before, or the `cursor` of a change; the feed starts without it.",
            "schema": {"type": "string", "pattern": "^(0|[0-9]+\\.[0-9]+\\.[0-9a-f]{8})$"}
          }
        ],
        "responses": {
          "200": {
            "description": "Changes in commit order. With `Accept: application/x-ndjson` each one is a line.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": ["changes", "next"],
                  "properties": {
                    "changes": {"type": "array", "items": {"$ref": "#/components/schemas/Change"}},
                    "next": {
                      "description": "The value of `after` for the next page, also at the end of the feed.",
                      "type": "string"
                    }
                  }
                }
              },
              "application/x-ndjson": {"schema": {"$ref": "#/components/schemas/Change"}}
            }
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/deliveries": {
      "get": {
        "operationId": "listDeliveries",
        "tags": ["Operations"],
        "summary": "List the events sent to webhooks",
        "x-scopes": ["read"],
        "parameters": [
          {"$ref": "#/components/parameters/limit"},
          {"$ref": "#/components/parameters/after"},
          {
            "name": "webhook",
            "in": "query",
            "description": "Only those of the webhook with this name.",
            "schema": {"type": "string"}
          },
          {"name": "state", "in": "query", "schema": {"$ref": "#/components/schemas/DeliveryState"}}
        ],
        "responses": {
          "200": {
            "description": "A page of the list, in the order of the changes.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": ["deliveries", "next"],
                  "properties": {
                    "deliveries": {"type": "array", "items": {"$ref": "#/components/schemas/Delivery"}},
                    "next": {"$ref": "#/components/schemas/Next"}
                  }
                }
              }
            }
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/v1/deliveries/{id}/redeliver": {
      "post": {
        "operationId": "redeliver",
        "tags": ["Operations"],
        "summary": "Have an event sent again",
        "description": "The event goes out at once under the same id, also one that was accepted or parked. The audit log has an entry with the caller's name. 409 when the configuration has no webhook of its name, or one that does not take the event any more.",
        "x-scopes": ["admin"],
        "parameters": [
          {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "minLength": 1, "examples": ["17"]}}
        ],
        "responses": {
          "200": {
            "description": "The delivery, which waits again.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Delivery"}}}
          },
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "409": {"$ref": "#/components/responses/Conflict"},
          "422": {"$ref": "#/components/responses/Invalid"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/out/{link}": {
      "get": {
        "operationId": "land",
        "tags": ["Landing address"],
        "summary": "The landing address",
        "security": [],
        "parameters": [
          {
            "name": "link",
            "in": "path",
            "required": true,
            "description": "The name of the link in the configuration.",
            "schema": {"type": "string", "minLength": 1, "examples": ["nl"]}
          },
          {
            "name": "externalPurchaseToken",
            "in": "query",
            "description": "The token that the system appends.",
            "schema": {"type": "string"}
          },
          {
            "name": "bundleId",
            "in": "query",
            "description": "The app that the system appends.",
            "schema": {"type": "string"}
          }
        ],
        "responses": {
          "303": {
            "description": "To the shop, with the parameter `checkout`; other parameters of the visit are kept.",
            "headers": {
              "Location": {"required": true, "schema": {"type": "string"}},
              "Cache-Control": {"schema": {"const": "no-store"}},
              "Referrer-Policy": {"schema": {"const": "no-referrer"}}
            }
          },
          "404": {"$ref": "#/components/responses/NotFound"}
        }
      }
    },
    "/out/{link}/{path}": {
      "get": {
        "operationId": "landBelow",
        "tags": ["Landing address"],
        "summary": "The landing address with a path of the shop",
        "security": [],
        "parameters": [
          {
            "name": "link",
            "in": "path",
            "required": true,
            "description": "The name of the link in the configuration.",
            "schema": {"type": "string", "minLength": 1, "examples": ["nl"]}
          },
          {
            "name": "path",
            "in": "path",
            "required": true,
            "description": "One or several segments.",
            "schema": {"type": "string", "minLength": 1, "examples": ["products/7"]}
          },
          {
            "name": "externalPurchaseToken",
            "in": "query",
            "description": "The token that the system appends.",
            "schema": {"type": "string"}
          },
          {
            "name": "bundleId",
            "in": "query",
            "description": "The app that the system appends.",
            "schema": {"type": "string"}
          }
        ],
        "responses": {
          "303": {
            "description": "To the shop, with the parameter `checkout`; other parameters of the visit are kept.",
            "headers": {
              "Location": {"required": true, "schema": {"type": "string"}},
              "Cache-Control": {"schema": {"const": "no-store"}},
              "Referrer-Policy": {"schema": {"const": "no-referrer"}}
            }
          },
          "404": {"$ref": "#/components/responses/NotFound"}
        },
        "x-route": "/out/{link}/**"
      }
    },
    "/health/live": {
      "get": {
        "operationId": "isLive",
        "tags": ["Operations"],
        "summary": "Whether the process runs",
        "security": [],
        "responses": {
          "200": {
            "description": "It runs.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Health"}}}
          }
        }
      }
    },
    "/health/ready": {
      "get": {
        "operationId": "isReady",
        "tags": ["Operations"],
        "summary": "Whether requests are stored",
        "description": "Needs no key. Apps are named to a key of scope `read` of these apps only.",
        "security": [],
        "responses": {
          "200": {
            "description": "They are.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Health"}}}
          },
          "503": {
            "description": "They are not, or the server ends.",
            "headers": {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}},
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ReadinessProblem"}}}
          }
        }
      }
    },
    "/metrics": {
      "get": {
        "operationId": "getMetrics",
        "tags": ["Operations"],
        "summary": "Metrics for Prometheus",
        "description": "Needs no key where `metrics.open` is `on`, and else one of all apps.",
        "x-scopes": ["read"],
        "responses": {
          "200": {"description": "The metrics.", "content": {"text/plain": {"schema": {"type": "string"}}}},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "429": {"$ref": "#/components/responses/TooMany"},
          "503": {"$ref": "#/components/responses/NotStored"}
        }
      }
    },
    "/openapi.json": {
      "get": {
        "operationId": "getDescription",
        "tags": ["Operations"],
        "summary": "The description of these paths",
        "security": [],
        "parameters": [{"name": "If-None-Match", "in": "header", "schema": {"type": "string"}}],
        "responses": {
          "200": {
            "description": "OpenAPI 3.1.",
            "headers": {"ETag": {"required": true, "schema": {"type": "string"}}},
            "content": {"application/json": {"schema": {"type": "object"}}}
          },
          "304": {"description": "The document has the `ETag` that `If-None-Match` names."}
        }
      }
    }
  },
  "components": {
    "securitySchemes": {
      "key": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "epk_<scope>_<secret>",
        "description": "An API key, made with `external-purchase keys create --scope …`. Scopes: `admin` everything; `read` every GET below `/v1`, and `/metrics`; `sales` tokens, sales, amendments and voids; `intake` tokens; `publishable` only `POST /v1/tokens` and `GET /v1/policy`, for keys that are part of an app."
      }
    },
    "headers": {"RequestId": {"description": "The id of the request.", "required": true, "schema": {"type": "string"}}},
    "parameters": {
      "limit": {
        "name": "limit",
        "in": "query",
        "description": "The largest number of rows of the page.",
        "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
      },
      "after": {
        "name": "after",
        "in": "query",
        "description": "The `next` of the page before.",
        "schema": {"type": "string", "pattern": "^[0-9]+$"}
      },
      "from": {
        "name": "from",
        "in": "query",
        "description": "Only rows from this time on; the description of the list says which time of a row counts.",
        "schema": {"type": "string", "format": "date-time"}
      },
      "until": {
        "name": "until",
        "in": "query",
        "description": "Only rows before this time.",
        "schema": {"type": "string", "format": "date-time"}
      },
      "bundleId": {
        "name": "bundleId",
        "in": "query",
        "description": "Only this app.",
        "schema": {"$ref": "#/components/schemas/BundleId"}
      },
      "environment": {"name": "environment", "in": "query", "schema": {"$ref": "#/components/schemas/Environment"}},
      "externalPurchaseId": {"name": "externalPurchaseId", "in": "query", "schema": {"type": "string", "minLength": 1}},
      "saleId": {"name": "saleId", "in": "query", "schema": {"type": "string", "minLength": 1}},
      "customerId": {"name": "customerId", "in": "query", "schema": {"type": "string", "minLength": 1}},
      "checkoutId": {"name": "checkoutId", "in": "query", "schema": {"type": "string", "minLength": 1}},
      "productId": {"name": "productId", "in": "query", "schema": {"type": "string", "minLength": 1}},
      "programme": {"name": "programme", "in": "query", "schema": {"type": "string", "minLength": 1}},
      "month": {
        "name": "month",
        "in": "query",
        "description": "A month such as 2026-10.",
        "schema": {"type": "string", "minLength": 1}
      }
    },
    "responses": {
      "Unreadable": {
        "description": "The body cannot be read.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}},
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
      },
      "Unauthorized": {
        "description": "No key, or one that is wrong, expired or revoked.",
        "headers": {
          "X-Request-Id": {"$ref": "#/components/headers/RequestId"},
          "WWW-Authenticate": {"schema": {"const": "Bearer"}}
        },
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
      },
      "Forbidden": {
        "description": "The key has another scope or is of another app; without keys, the request names another host than this machine.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}},
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
      },
      "NotFound": {
        "description": "There is no such record, or the key has no access to it.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}},
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
      },
      "Conflict": {
        "description": "The request contradicts what is stored.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}},
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ConflictProblem"}}}
      },
      "TooLarge": {
        "description": "The body is larger than the setting that `detail` names: `http.maxBodySize` (256 KiB), or the path's own limit.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}},
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
      },
      "NotJSON": {
        "description": "The body is not declared as `application/json`.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}},
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
      },
      "Invalid": {
        "description": "A field or parameter is wrong.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}},
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/InvalidProblem"}}}
      },
      "TooMany": {
        "description": "Over a limit of requests.",
        "headers": {
          "X-Request-Id": {"$ref": "#/components/headers/RequestId"},
          "Retry-After": {"description": "In seconds.", "required": true, "schema": {"type": "integer", "minimum": 1}}
        },
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
      },
      "NotStored": {
        "description": "Nothing was stored, or the records cannot be read now: send the request again.",
        "headers": {
          "X-Request-Id": {"$ref": "#/components/headers/RequestId"},
          "Retry-After": {"description": "In seconds.", "schema": {"type": "integer", "minimum": 1}}
        },
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
      }
    },
    "schemas": {
      "Amount": {
        "description": "What was paid: `inclusive` or `inclusiveMinor`, and one of `tax`, `taxMinor` and `taxRate` or none.",
        "type": "object",
        "required": ["currency"],
        "properties": {
          "currency": {"$ref": "#/components/schemas/Currency"},
          "inclusive": {
            "anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}],
            "description": "The amount with tax."
          },
          "inclusiveMinor": {
            "anyOf": [{"$ref": "#/components/schemas/MinorUnits"}, {"type": "null"}],
            "description": "Instead of `inclusive`."
          },
          "tax": {
            "anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}],
            "description": "The tax, at most `inclusive`."
          },
          "taxMinor": {
            "anyOf": [{"$ref": "#/components/schemas/MinorUnits"}, {"type": "null"}],
            "description": "Instead of `tax`."
          },
          "taxRate": {
            "anyOf": [{"$ref": "#/components/schemas/TaxRate"}, {"type": "null"}],
            "description": "Instead of `tax`."
          },
          "taxCountry": {"anyOf": [{"$ref": "#/components/schemas/Country"}, {"type": "null"}]},
          "exchangeRate": {"anyOf": [{"$ref": "#/components/schemas/ExchangeRate"}, {"type": "null"}]}
        },
        "additionalProperties": false,
        "anyOf": [{"required": ["inclusive"]}, {"required": ["inclusiveMinor"]}]
      },
      "AuditEntry": {
        "type": "object",
        "required": ["sequence", "at", "kind", "content", "hash"],
        "properties": {
          "sequence": {"type": "integer", "format": "int64", "minimum": 1},
          "at": {"type": "string", "format": "date-time"},
          "kind": {"type": "string"},
          "content": {"type": ["object", "string", "null"]},
          "hash": {"type": "string", "pattern": "^[0-9a-f]{64}$"}
        }
      },
      "BatchAnswer": {
        "type": "object",
        "required": ["results"],
        "properties": {
          "results": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["status"],
              "properties": {
                "status": {
                  "description": "The status of the single request.",
                  "type": "integer",
                  "format": "int32",
                  "enum": [200, 201, 202, 400, 403, 404, 409, 422, 503]
                },
                "body": {
                  "anyOf": [
                    {"$ref": "#/components/schemas/TokenReceipt"},
                    {"$ref": "#/components/schemas/SaleReceipt"},
                    {"$ref": "#/components/schemas/InvalidProblem"},
                    {"$ref": "#/components/schemas/ConflictProblem"}
                  ]
                }
              }
            },
            "description": "One for each item, in their order. Together they list at most 51 wrong fields; the problem of a further item has no `errors`, and its `detail` names the first wrong field. All problems together have at most twice the bytes of the request and 16 KiB; a further one has its `status` only, and the item sent alone tells it."
          }
        }
      },
      "BatchRequest": {
        "description": "An item that is wrong is refused alone, in its result.",
        "type": "object",
        "required": ["items"],
        "properties": {
          "items": {
            "type": "array",
            "items": {
              "oneOf": [
                {
                  "type": "object",
                  "required": ["token"],
                  "properties": {"token": {"$ref": "#/components/schemas/TokenRequest"}},
                  "additionalProperties": false
                },
                {
                  "type": "object",
                  "required": ["sale"],
                  "properties": {"sale": {"$ref": "#/components/schemas/SaleRequest"}},
                  "additionalProperties": false
                }
              ]
            },
            "minItems": 1,
            "maxItems": 1000
          }
        },
        "additionalProperties": false,
        "examples": [
          {
            "items": [
              {
                "sale": {
                  "saleId": "order-1001",
                  "bundleId": "com.example.shop",
                  "occurredAt": "2026-11-20T12:00:00Z",
                  "type": "purchase",
                  "checkoutId": "basket-1",
                  "productId": "gems.100",
                  "quantity": 1,
                  "amount": {"currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"}
                }
              }
            ]
          }
        ]
      },
      "BundleId": {
        "type": "string",
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
        "examples": ["com.example.shop"],
        "description": "The bundle id of a registered app."
      },
      "Cancellation": {
        "description": "The end of a subscription.",
        "type": "object",
        "required": ["saleId", "type", "occurredAt", "subscriptionId"],
        "properties": {
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"},
          "type": {"const": "cancellation"},
          "occurredAt": {"type": "string", "format": "date-time"},
          "subscriptionId": {"$ref": "#/components/schemas/SubscriptionId"},
          "effectiveAt": {"type": ["string", "null"], "format": "date-time", "description": "When service ends later."},
          "customerId": {"anyOf": [{"$ref": "#/components/schemas/CustomerId"}, {"type": "null"}]},
          "checkoutId": {"anyOf": [{"$ref": "#/components/schemas/CheckoutId"}, {"type": "null"}]},
          "externalPurchaseId": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "The token of the sale, or a token of its customer."
          },
          "environment": {"anyOf": [{"$ref": "#/components/schemas/Environment"}, {"type": "null"}]},
          "amends": {
            "type": "boolean",
            "description": "True replaces the stored sale by this one, all fields as given."
          },
          "by": {
            "examples": ["kim"],
            "description": "Who amends; only beside `amends`. A text of 1 to 256 characters, required while there are no API keys; ignored with one."
          },
          "reason": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 2000,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "Why; only beside `amends`."
          }
        },
        "additionalProperties": false
      },
      "Change": {
        "description": "A change of the ledger, and what a webhook tells.",
        "type": "object",
        "required": ["cursor", "at", "type", "bundleId", "subject", "data"],
        "properties": {
          "cursor": {"description": "The position behind the change, for `after`.", "type": "string"},
          "at": {"type": "string", "format": "date-time"},
          "type": {"$ref": "#/components/schemas/ChangeType"},
          "bundleId": {"description": "Null for a change of all apps.", "type": ["string", "null"]},
          "subject": {
            "type": "object",
            "required": ["type", "id"],
            "properties": {
              "type": {
                "type": "string",
                "enum": [
                  "token", "sale", "report", "correction", "review", "payment", "export", "customer", "ledger"
                ]
              },
              "id": {"type": "string"}
            }
          },
          "data": {
            "description": "The subject as it is when the change is read, with the members of its list and the pseudonym of its customer; null for one that a purge removed.",
            "type": ["object", "null"]
          }
        }
      },
      "ChangeType": {
        "type": "string",
        "enum": [
          "token.stored", "token.changed", "sale.planned", "sale.held", "sale.recorded", "sale.reported",
          "sale.corrected", "sale.changed", "report.written", "report.sending", "report.unknown", "report.accepted",
          "report.refused", "report.withdrawn", "correction.requested", "correction.confirmed", "correction.reported",
          "correction.closed", "review.opened", "review.closed", "deadline.near", "deadline.missed", "payment.waiting",
          "export.ready", "export.submitted", "export.withdrawn", "customer.erased", "ledger.purged"
        ]
      },
      "Chargeback": {
        "description": "Money that the payment provider takes back after a dispute.",
        "type": "object",
        "required": ["saleId", "type", "occurredAt", "refundOf", "amount"],
        "properties": {
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"},
          "type": {"const": "chargeback"},
          "occurredAt": {"type": "string", "format": "date-time"},
          "refundOf": {"$ref": "#/components/schemas/SaleId"},
          "amount": {"$ref": "#/components/schemas/ChargebackAmount"},
          "customerId": {"anyOf": [{"$ref": "#/components/schemas/CustomerId"}, {"type": "null"}]},
          "checkoutId": {"anyOf": [{"$ref": "#/components/schemas/CheckoutId"}, {"type": "null"}]},
          "externalPurchaseId": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "The token of the sale, or a token of its customer."
          },
          "environment": {"anyOf": [{"$ref": "#/components/schemas/Environment"}, {"type": "null"}]},
          "amends": {
            "type": "boolean",
            "description": "True replaces the stored sale by this one, all fields as given."
          },
          "by": {
            "examples": ["kim"],
            "description": "Who amends; only beside `amends`. A text of 1 to 256 characters, required while there are no API keys; ignored with one."
          },
          "reason": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 2000,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "Why; only beside `amends`."
          }
        },
        "additionalProperties": false
      },
      "ChargebackAmount": {
        "type": "object",
        "properties": {
          "currency": {
            "anyOf": [{"$ref": "#/components/schemas/Currency"}, {"type": "null"}],
            "description": "The purchase's, if left out."
          },
          "inclusive": {"anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}], "description": "Above 0."},
          "inclusiveMinor": {
            "anyOf": [{"$ref": "#/components/schemas/MinorUnits"}, {"type": "null"}],
            "description": "Instead of `inclusive`."
          },
          "tax": {
            "anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}],
            "description": "Left out, the refund has its share of the purchase's tax."
          },
          "taxMinor": {
            "anyOf": [{"$ref": "#/components/schemas/MinorUnits"}, {"type": "null"}],
            "description": "Instead of `tax`."
          }
        },
        "additionalProperties": false,
        "anyOf": [{"required": ["inclusive"]}, {"required": ["inclusiveMinor"]}]
      },
      "ChargebackReversal": {
        "description": "A chargeback was taken back: its refund is retracted.",
        "type": "object",
        "required": ["saleId", "type", "occurredAt"],
        "properties": {
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"},
          "type": {"const": "chargebackReversal"},
          "occurredAt": {"type": "string", "format": "date-time"},
          "reversalOf": {
            "anyOf": [{"$ref": "#/components/schemas/SaleId"}, {"type": "null"}],
            "description": "The `saleId` of the chargeback."
          },
          "refundOf": {
            "anyOf": [{"$ref": "#/components/schemas/SaleId"}, {"type": "null"}],
            "description": "Instead of `reversalOf`."
          },
          "amount": {
            "anyOf": [{"$ref": "#/components/schemas/ReturnedAmount"}, {"type": "null"}],
            "description": "What came back; another amount than that of the chargeback, which must be known, is 422."
          },
          "customerId": {"anyOf": [{"$ref": "#/components/schemas/CustomerId"}, {"type": "null"}]},
          "checkoutId": {"anyOf": [{"$ref": "#/components/schemas/CheckoutId"}, {"type": "null"}]},
          "externalPurchaseId": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "The token of the sale, or a token of its customer."
          },
          "environment": {"anyOf": [{"$ref": "#/components/schemas/Environment"}, {"type": "null"}]},
          "amends": {
            "type": "boolean",
            "description": "True replaces the stored sale by this one, all fields as given."
          },
          "by": {
            "examples": ["kim"],
            "description": "Who amends; only beside `amends`. A text of 1 to 256 characters, required while there are no API keys; ignored with one."
          },
          "reason": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 2000,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "Why; only beside `amends`."
          }
        },
        "additionalProperties": false,
        "anyOf": [{"required": ["reversalOf"]}, {"required": ["refundOf"]}]
      },
      "CheckoutId": {
        "type": "string",
        "minLength": 1,
        "maxLength": 128,
        "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
        "examples": ["basket-1"],
        "description": "The id of a checkout, which links a token to a sale."
      },
      "ConflictProblem": {
        "description": "The request contradicts what is stored. Where Apple accepted the sale, the dry run of a correction is part of the answer.",
        "type": "object",
        "required": ["type", "title", "status", "detail", "requestId"],
        "properties": {
          "type": {
            "description": "The kind of problem: `urn:external-purchase:problem:` and its name.",
            "type": "string",
            "pattern": "^urn:external-purchase:problem:[a-z0-9-]+$"
          },
          "title": {"type": "string"},
          "status": {"type": "integer", "format": "int32", "minimum": 400, "maximum": 599},
          "detail": {"type": "string", "description": "The problem of this request, and what would be valid."},
          "requestId": {
            "type": "string",
            "description": "The id of the request, which the header `X-Request-Id` and the log have too."
          },
          "correctionId": {
            "type": "string",
            "description": "The dry run of the only correction, which `POST /v1/corrections` confirms."
          },
          "allowed": {"type": "boolean"},
          "plan": {"$ref": "#/components/schemas/CorrectionPlan"},
          "corrections": {
            "type": "array",
            "items": {"$ref": "#/components/schemas/CorrectionDryRun"},
            "description": "Each correction that would make the change; of a sale with lines one for each line that changes."
          }
        }
      },
      "CorrectedFields": {
        "description": "What is right instead.",
        "type": "object",
        "properties": {
          "currency": {"anyOf": [{"$ref": "#/components/schemas/Currency"}, {"type": "null"}]},
          "inclusive": {"anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}]},
          "taxExclusive": {
            "anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}],
            "description": "Instead of `inclusive`, beside `tax`."
          },
          "tax": {"anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}]},
          "taxRate": {
            "anyOf": [{"$ref": "#/components/schemas/TaxRate"}, {"type": "null"}],
            "description": "Instead of `tax`."
          },
          "taxCountry": {
            "type": ["string", "null"],
            "pattern": "^[A-Z]{3}$",
            "description": "A country of ISO 3166-1 alpha-3."
          },
          "exchangeRate": {"anyOf": [{"$ref": "#/components/schemas/ExchangeRate"}, {"type": "null"}]},
          "productId": {"anyOf": [{"$ref": "#/components/schemas/ProductId"}, {"type": "null"}]},
          "quantity": {"anyOf": [{"$ref": "#/components/schemas/Quantity"}, {"type": "null"}]},
          "event": {"anyOf": [{"$ref": "#/components/schemas/SubscriptionEvent"}, {"type": "null"}]},
          "periodStart": {"type": ["string", "null"], "format": "date-time"},
          "periodEnd": {"type": ["string", "null"], "format": "date-time"},
          "daysOfPaidService": {"type": ["integer", "null"], "format": "int32", "minimum": 0, "maximum": 2147483647},
          "occurredAt": {"type": ["string", "null"], "format": "date-time", "description": "Only of a move."},
          "externalPurchaseId": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "Only of a move."
          }
        },
        "additionalProperties": false
      },
      "CorrectedItem": {
        "type": "object",
        "required": ["lineItemId", "action", "changes", "net"],
        "properties": {
          "lineItemId": {"type": "string"},
          "action": {"type": "string", "enum": ["restate", "retract", "undo", "report"]},
          "changes": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["field", "old", "new"],
              "properties": {
                "field": {"type": "string"},
                "old": {"description": "Null where it is absent."},
                "new": {}
              }
            }
          },
          "net": {
            "type": "object",
            "required": ["old", "new"],
            "properties": {
              "old": {"type": ["integer", "null"], "format": "int64"},
              "new": {"type": "integer", "format": "int64"}
            }
          },
          "comesAlongWith": {"type": "string"},
          "replaces": {"type": "string"},
          "setAsideFor": {"type": "string"}
        }
      },
      "Correction": {
        "type": "object",
        "required": [
          "correctionId", "bundleId", "requestedBy", "reason", "requestedAt", "request", "plan", "confirmed", "closed",
          "reports"
        ],
        "properties": {
          "correctionId": {"type": "string"},
          "bundleId": {"$ref": "#/components/schemas/BundleId"},
          "requestedBy": {"type": "string"},
          "reason": {"type": "string"},
          "requestedAt": {"type": "string", "format": "date-time"},
          "request": {"type": "object", "description": "The request without person and reason."},
          "plan": {"anyOf": [{"$ref": "#/components/schemas/CorrectionPlan"}, {"type": "null"}]},
          "confirmed": {"anyOf": [{"$ref": "#/components/schemas/CorrectionStep"}, {"type": "null"}]},
          "closed": {"anyOf": [{"$ref": "#/components/schemas/CorrectionStep"}, {"type": "null"}]},
          "reports": {"type": "array", "items": {"$ref": "#/components/schemas/RequestIdentifier"}}
        }
      },
      "CorrectionConfirmation": {
        "description": "Confirms a dry run.",
        "type": "object",
        "required": ["correctionId", "confirm"],
        "properties": {
          "correctionId": {
            "type": "string",
            "minLength": 1,
            "maxLength": 128,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "confirm": {"const": true},
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"},
          "confirmedBy": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          }
        },
        "additionalProperties": false,
        "examples": [{"correctionId": "c-1", "confirm": true, "confirmedBy": "otto"}]
      },
      "CorrectionConfirmed": {
        "type": "object",
        "required": ["correctionId", "reports"],
        "properties": {
          "correctionId": {"type": "string"},
          "reports": {"type": "array", "items": {"$ref": "#/components/schemas/RequestIdentifier"}}
        }
      },
      "CorrectionDryRun": {
        "type": "object",
        "required": ["correctionId", "allowed", "plan"],
        "properties": {
          "correctionId": {"type": "string"},
          "allowed": {"type": "boolean", "description": "True if the correction can be confirmed."},
          "plan": {"$ref": "#/components/schemas/CorrectionPlan"}
        }
      },
      "CorrectionPlan": {
        "description": "The reports of a correction in their order, with the errors that Apple would answer.",
        "type": "object",
        "required": ["allowed", "refusals", "warnings", "reports"],
        "properties": {
          "allowed": {"type": "boolean"},
          "refusals": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["code", "reason"],
              "properties": {
                "code": {"type": "string"},
                "reason": {"type": "string"},
                "lineItemId": {"type": "string"},
                "errorCode": {"type": "integer", "format": "int32"}
              }
            }
          },
          "warnings": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["code", "reason"],
              "properties": {
                "code": {"type": "string"},
                "reason": {"type": "string"},
                "lineItemId": {"type": "string"}
              }
            }
          },
          "reports": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["externalPurchaseId", "accepted", "errors", "items"],
              "properties": {
                "externalPurchaseId": {"$ref": "#/components/schemas/ExternalPurchaseId"},
                "accepted": {"type": "boolean"},
                "errors": {"type": "array", "items": {"$ref": "#/components/schemas/ReportError"}},
                "items": {"type": "array", "items": {"$ref": "#/components/schemas/CorrectedItem"}}
              }
            }
          }
        }
      },
      "CorrectionRequest": {
        "description": "Asks for a dry run.",
        "type": "object",
        "required": ["saleId", "action", "reason"],
        "properties": {
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"},
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "action": {"type": "string", "enum": ["restate", "retract", "undo", "move", "recount"]},
          "reason": {
            "type": "string",
            "minLength": 1,
            "maxLength": 2000,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "fields": {
            "anyOf": [{"$ref": "#/components/schemas/CorrectedFields"}, {"type": "null"}],
            "description": "Required of `restate` and `move`; none of `retract` and `recount`."
          },
          "requestedBy": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          }
        },
        "additionalProperties": false,
        "examples": [
          {
            "bundleId": "com.example.shop",
            "saleId": "order-1001",
            "action": "restate",
            "fields": {"inclusive": "12.10"},
            "requestedBy": "maria",
            "reason": "wrong price"
          }
        ]
      },
      "CorrectionStep": {
        "type": "object",
        "required": ["at", "by", "note"],
        "properties": {
          "at": {"type": "string", "format": "date-time"},
          "by": {"type": "string"},
          "note": {"type": "string"}
        }
      },
      "Country": {
        "description": "A country of ISO 3166-1, as alpha-3 or alpha-2 code.",
        "type": "string",
        "pattern": "^[A-Z]{2,3}$",
        "examples": ["NLD"]
      },
      "Currency": {
        "description": "A currency of ISO 4217.",
        "type": "string",
        "pattern": "^[A-Z]{3}$",
        "examples": ["EUR"]
      },
      "CustomerId": {
        "type": "string",
        "minLength": 1,
        "maxLength": 128,
        "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
        "examples": ["c-1"],
        "description": "The caller's own id of a customer, without a meaning outside the caller's system."
      },
      "Decimal": {
        "description": "A decimal number as text, exact and without an exponent.",
        "type": "string",
        "pattern": "^-?[0-9]+(\\.[0-9]+)?$",
        "examples": ["9.99"]
      },
      "Delivery": {
        "description": "An event that is sent to a webhook until it is accepted.",
        "type": "object",
        "required": [
          "id", "webhook", "eventId", "type", "bundleId", "subject", "state", "madeAt", "nextAt", "settledAt", "attempts"
        ],
        "properties": {
          "id": {"type": "string"},
          "webhook": {"type": "string"},
          "eventId": {"description": "The header `webhook-id`, the same at each attempt.", "type": "string"},
          "type": {"$ref": "#/components/schemas/ChangeType"},
          "bundleId": {"type": ["string", "null"]},
          "subject": {
            "type": "object",
            "required": ["type", "id"],
            "properties": {"type": {"type": "string"}, "id": {"type": "string"}}
          },
          "state": {"$ref": "#/components/schemas/DeliveryState"},
          "madeAt": {"type": "string", "format": "date-time"},
          "nextAt": {"description": "The time of the next attempt.", "type": ["string", "null"], "format": "date-time"},
          "settledAt": {
            "description": "When it was accepted or parked.",
            "type": ["string", "null"],
            "format": "date-time"
          },
          "attempts": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["at", "status", "error"],
              "properties": {
                "at": {"type": "string", "format": "date-time"},
                "status": {"description": "Null without a response.", "type": ["integer", "null"]},
                "error": {"description": "Null for an accepted attempt.", "type": ["string", "null"]}
              }
            }
          }
        }
      },
      "DeliveryState": {"type": "string", "enum": ["waiting", "delivered", "parked"]},
      "DueEntry": {
        "type": "object",
        "required": [
          "kind", "externalPurchaseId", "saleId", "bundleId", "environment", "createdAt", "dueAt", "daysLeft", "state",
          "sendAt", "heldFor", "needsReview", "reason", "escalationId"
        ],
        "properties": {
          "kind": {"type": "string", "enum": ["token", "lineItem"]},
          "externalPurchaseId": {"anyOf": [{"$ref": "#/components/schemas/ExternalPurchaseId"}, {"type": "null"}]},
          "saleId": {"anyOf": [{"$ref": "#/components/schemas/SaleId"}, {"type": "null"}]},
          "bundleId": {"$ref": "#/components/schemas/BundleId"},
          "environment": {
            "description": "Of the token; a sale without one counts in the environment of the token that it names, else in its own, else in production.",
            "$ref": "#/components/schemas/Environment"
          },
          "createdAt": {"type": "string", "format": "date-time"},
          "dueAt": {"type": ["string", "null"], "format": "date-time"},
          "daysLeft": {"type": ["integer", "null"], "format": "int64"},
          "state": {"type": "string", "enum": ["open", "warned", "overdue", "noDeadline", "unconfirmed"]},
          "sendAt": {"type": ["string", "null"], "format": "date-time"},
          "heldFor": {"type": ["string", "null"]},
          "needsReview": {"type": "boolean"},
          "reason": {"type": "string"},
          "escalationId": {"type": "string", "description": "The first part of the ids of its alerts."}
        }
      },
      "Environment": {"type": "string", "enum": ["sandbox", "production"]},
      "Erasure": {
        "type": "object",
        "required": ["bundleId", "pseudonym", "erasedAt"],
        "properties": {
          "bundleId": {"$ref": "#/components/schemas/BundleId"},
          "pseudonym": {"type": "string"},
          "erasedAt": {"type": ["string", "null"], "format": "date-time"}
        }
      },
      "ErasureRequest": {
        "type": "object",
        "required": ["customerId"],
        "properties": {
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"},
          "customerId": {"$ref": "#/components/schemas/CustomerId"}
        },
        "additionalProperties": false,
        "examples": [{"bundleId": "com.example.shop", "customerId": "c-1"}]
      },
      "ExchangeRate": {
        "description": "A quoted rate, for a currency that Apple does not accept. It leads into EUR for a tax country in the EEA and into USD elsewhere, or into the currency of the setting `reporting.foreignCurrency`.",
        "type": "object",
        "required": ["rate", "source", "asOf"],
        "properties": {
          "rate": {"type": "string", "pattern": "^0*[0-9]{1,9}(\\.[0-9]{1,12})?$", "examples": ["0.0069"]},
          "source": {
            "type": "string",
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "asOf": {"type": "string", "format": "date-time", "description": "At most 48 hours away from the sale."},
          "to": {
            "type": ["string", "null"],
            "enum": ["EUR", "USD", null],
            "description": "The currency into which the rate leads; 422 if the sale is reported in another one. Without it, the answer has the one that was used as `reportingCurrency`."
          }
        },
        "additionalProperties": false
      },
      "ExportSums": {
        "type": "object",
        "required": ["count", "money"],
        "properties": {
          "count": {"type": "object", "additionalProperties": {"type": "integer", "format": "int64", "minimum": 0}},
          "money": {
            "type": "array",
            "items": {
              "type": "object",
              "required": [
                "currency", "bought", "refunded", "net", "reportedNet", "notReported", "refundsOfOthers",
                "refundedElsewhere", "estimate", "unknownEstimates"
              ],
              "properties": {
                "currency": {"$ref": "#/components/schemas/Currency"},
                "bought": {"$ref": "#/components/schemas/Decimal"},
                "refunded": {"$ref": "#/components/schemas/Decimal"},
                "net": {"$ref": "#/components/schemas/Decimal", "description": "`bought` less `refunded`."},
                "reportedNet": {
                  "$ref": "#/components/schemas/Decimal",
                  "description": "What Apple has of the purchases, less all their refunds; `net` is `reportedNet` + `notReported` − `refundsOfOthers` + `refundedElsewhere`."
                },
                "notReported": {
                  "$ref": "#/components/schemas/Decimal",
                  "description": "The part of `net` that no accepted report has."
                },
                "refundsOfOthers": {
                  "$ref": "#/components/schemas/Decimal",
                  "description": "The part of `refunded` that takes back purchases of another month, or day."
                },
                "refundedElsewhere": {
                  "$ref": "#/components/schemas/Decimal",
                  "description": "What refunds of another month, or day, take away from `reportedNet`."
                },
                "estimate": {"anyOf": [{"$ref": "#/components/schemas/Decimal"}, {"type": "null"}]},
                "unknownEstimates": {"type": "integer", "format": "int64", "minimum": 0}
              }
            }
          }
        }
      },
      "ExternalPurchaseId": {
        "type": "string",
        "minLength": 1,
        "examples": ["SANDBOX_7b1e6c1a-3f52-4d0b-9c77-5a2e8d4f1b60"],
        "description": "The id of a token, as Apple made it."
      },
      "FieldError": {
        "type": "object",
        "required": ["path", "message"],
        "properties": {
          "path": {
            "type": "string",
            "description": "A JSON pointer into the body, such as `/amount/tax`; `?name` for a query parameter."
          },
          "message": {"type": "string"}
        }
      },
      "Health": {
        "description": "`degraded`: requests are stored, and something needs a person.",
        "type": "object",
        "required": ["status"],
        "properties": {
          "status": {"type": "string", "enum": ["ok", "degraded"]},
          "now": {
            "type": "string",
            "format": "date-time",
            "description": "The server's clock, by which it decides what lies in the future; of `/health/ready` only."
          },
          "problems": {"type": "array", "items": {"$ref": "#/components/schemas/HealthProblem"}, "minItems": 1},
          "leases": {"$ref": "#/components/schemas/HealthLeases"}
        }
      },
      "HealthLeases": {
        "description": "Which work this server does of those that share the ledger; absent where a ledger has one server.",
        "type": "object",
        "required": ["server", "held", "servers"],
        "properties": {
          "server": {"type": "string", "description": "The name of this run of the server."},
          "held": {
            "type": "array",
            "description": "`maintenance`, or `reports/`, the environment, `/` and the bundle id.",
            "items": {"type": "string"}
          },
          "servers": {
            "type": "array",
            "description": "The servers that were present when this one last renewed its leases.",
            "items": {"type": "string"}
          }
        }
      },
      "HealthProblem": {
        "type": "object",
        "required": ["check", "detail"],
        "properties": {
          "check": {"type": "string", "enum": ["store", "space", "clock", "leases", "rates", "key", "apple", "apps"]},
          "detail": {"type": "string"},
          "bundleId": {"$ref": "#/components/schemas/BundleId"}
        }
      },
      "InvalidProblem": {
        "description": "An error with the wrong fields: the first 50, and the number of the others.",
        "type": "object",
        "required": ["type", "title", "status", "detail", "requestId", "errors"],
        "properties": {
          "type": {
            "description": "The kind of problem: `urn:external-purchase:problem:` and its name.",
            "type": "string",
            "pattern": "^urn:external-purchase:problem:[a-z0-9-]+$"
          },
          "title": {"type": "string"},
          "status": {"type": "integer", "format": "int32", "minimum": 400, "maximum": 599},
          "detail": {"type": "string", "description": "The problem of this request, and what would be valid."},
          "requestId": {
            "type": "string",
            "description": "The id of the request, which the header `X-Request-Id` and the log have too."
          },
          "errors": {"type": "array", "items": {"$ref": "#/components/schemas/FieldError"}, "minItems": 1}
        }
      },
      "Invoice": {
        "type": "object",
        "required": [
          "invoiceId", "bundleId", "programme", "month", "issuedOn", "dueOn", "purchaseOrder", "currency", "amount",
          "surcharge", "tax", "total", "by", "enteredAt"
        ],
        "properties": {
          "invoiceId": {"type": "string"},
          "bundleId": {"$ref": "#/components/schemas/BundleId"},
          "programme": {"type": "string"},
          "month": {"$ref": "#/components/schemas/Month"},
          "issuedOn": {"type": "string", "format": "date"},
          "dueOn": {"type": ["string", "null"], "format": "date"},
          "purchaseOrder": {"type": ["string", "null"]},
          "currency": {"$ref": "#/components/schemas/Currency"},
          "amount": {"$ref": "#/components/schemas/Decimal"},
          "surcharge": {"anyOf": [{"$ref": "#/components/schemas/Decimal"}, {"type": "null"}]},
          "tax": {"anyOf": [{"$ref": "#/components/schemas/Decimal"}, {"type": "null"}]},
          "total": {
            "$ref": "#/components/schemas/Decimal",
            "description": "The sum of commission, surcharge and tax."
          },
          "by": {"type": "string"},
          "enteredAt": {"type": "string", "format": "date-time"}
        }
      },
      "InvoiceAccount": {
        "type": "object",
        "required": ["bundleId", "programme", "effectiveFrom", "month", "money", "payment", "invoices"],
        "properties": {
          "bundleId": {"$ref": "#/components/schemas/BundleId"},
          "programme": {"type": "string"},
          "effectiveFrom": {"type": "string"},
          "month": {"$ref": "#/components/schemas/Month"},
          "money": {
            "type": "array",
            "items": {
              "type": "object",
              "required": [
                "currency", "reportedNet", "estimate", "unknownEstimates", "invoiced", "difference", "surcharge", "tax",
                "total"
              ],
              "properties": {
                "currency": {"$ref": "#/components/schemas/Currency"},
                "reportedNet": {"$ref": "#/components/schemas/Decimal"},
                "estimate": {"anyOf": [{"$ref": "#/components/schemas/Decimal"}, {"type": "null"}]},
                "unknownEstimates": {"type": "integer", "format": "int64", "minimum": 0},
                "invoiced": {
                  "anyOf": [{"$ref": "#/components/schemas/Decimal"}, {"type": "null"}],
                  "description": "The commission of the invoices."
                },
                "difference": {
                  "anyOf": [{"$ref": "#/components/schemas/Decimal"}, {"type": "null"}],
                  "description": "The invoiced commission minus the estimate; null while one of them is not complete."
                },
                "surcharge": {"anyOf": [{"$ref": "#/components/schemas/Decimal"}, {"type": "null"}]},
                "tax": {"anyOf": [{"$ref": "#/components/schemas/Decimal"}, {"type": "null"}]},
                "total": {"anyOf": [{"$ref": "#/components/schemas/Decimal"}, {"type": "null"}]}
              }
            }
          },
          "payment": {"$ref": "#/components/schemas/Payment"},
          "invoices": {"type": "array", "items": {"$ref": "#/components/schemas/Invoice"}}
        }
      },
      "InvoiceRequest": {
        "type": "object",
        "required": ["invoiceId", "month", "issuedOn", "currency", "amount"],
        "properties": {
          "invoiceId": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "month": {"$ref": "#/components/schemas/Month"},
          "issuedOn": {"type": "string", "format": "date"},
          "currency": {"$ref": "#/components/schemas/Currency"},
          "amount": {
            "description": "A credit has a minus.",
            "type": "string",
            "maxLength": 32,
            "pattern": "^-?[0-9]+(\\.[0-9]+)?$",
            "examples": ["128.40"]
          },
          "surcharge": {
            "description": "Beside the commission, such as that of a digital services tax.",
            "type": ["string", "null"],
            "maxLength": 32,
            "pattern": "^-?[0-9]+(\\.[0-9]+)?$"
          },
          "tax": {"type": ["string", "null"], "maxLength": 32, "pattern": "^-?[0-9]+(\\.[0-9]+)?$"},
          "total": {
            "description": "Must be the sum of `amount`, `surcharge` and `tax`.",
            "type": ["string", "null"],
            "maxLength": 32,
            "pattern": "^-?[0-9]+(\\.[0-9]+)?$"
          },
          "dueOn": {
            "description": "The day by which it is to be paid; not before `issuedOn`.",
            "type": ["string", "null"],
            "format": "date"
          },
          "purchaseOrder": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "programme": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"},
          "by": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          }
        },
        "additionalProperties": false,
        "examples": [
          {
            "invoiceId": "I-17",
            "programme": "eu-2026-10",
            "month": "2026-11",
            "issuedOn": "2026-12-10",
            "currency": "EUR",
            "amount": "128.40",
            "by": "kim"
          }
        ]
      },
      "Lapse": {
        "description": "A payment of a subscription failed; paid days stop until it is recovered.",
        "type": "object",
        "required": ["saleId", "type", "occurredAt", "subscriptionId"],
        "properties": {
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"},
          "type": {"const": "lapse"},
          "occurredAt": {"type": "string", "format": "date-time"},
          "subscriptionId": {"$ref": "#/components/schemas/SubscriptionId"},
          "customerId": {"anyOf": [{"$ref": "#/components/schemas/CustomerId"}, {"type": "null"}]},
          "checkoutId": {"anyOf": [{"$ref": "#/components/schemas/CheckoutId"}, {"type": "null"}]},
          "externalPurchaseId": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "The token of the sale, or a token of its customer."
          },
          "environment": {"anyOf": [{"$ref": "#/components/schemas/Environment"}, {"type": "null"}]},
          "amends": {
            "type": "boolean",
            "description": "True replaces the stored sale by this one, all fields as given."
          },
          "by": {
            "examples": ["kim"],
            "description": "Who amends; only beside `amends`. A text of 1 to 256 characters, required while there are no API keys; ignored with one."
          },
          "reason": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 2000,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "Why; only beside `amends`."
          }
        },
        "additionalProperties": false
      },
      "LineItem": {
        "description": "A line item of a report to Apple; amounts are in thousandths of the reporting currency.",
        "type": "object",
        "properties": {
          "lineItemId": {"type": "string"},
          "creationDate": {"type": "integer", "format": "int64"},
          "eventType": {"type": "string"},
          "productType": {"type": "string"},
          "productIdentifier": {"type": "string"},
          "quantity": {"type": "integer", "format": "int64"},
          "subscriptionEvent": {"type": "string"},
          "subscriptionStartDate": {"type": "integer", "format": "int64"},
          "subscriptionEndDate": {"type": "integer", "format": "int64"},
          "subscriptionDaysOfPaidService": {"type": "integer", "format": "int32"},
          "referenceLineItemId": {"type": "string"},
          "amountTaxExclusive": {"type": "integer", "format": "int64"},
          "taxAmount": {"type": "integer", "format": "int64"},
          "amountTaxInclusive": {"type": "integer", "format": "int64"},
          "netAmountTaxExclusive": {"type": "integer", "format": "int64"},
          "pricingCurrency": {"type": "string"},
          "reportingCurrency": {"type": "string"},
          "exchangeRate": {"type": ["string", "number"]},
          "taxCountry": {"type": "string"},
          "restatement": {"type": "boolean"},
          "erroneouslySubmitted": {"type": "boolean"}
        }
      },
      "ListedSale": {
        "type": "object",
        "required": [
          "saleId", "lineItemId", "externalPurchaseId", "state", "standing", "reportingCurrency", "flags", "reasons",
          "version", "requestIdentifier", "receivedAt", "sale", "needsReview"
        ],
        "properties": {
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "lineItemId": {"type": "string", "description": "The id of the first line item."},
          "externalPurchaseId": {"anyOf": [{"$ref": "#/components/schemas/ExternalPurchaseId"}, {"type": "null"}]},
          "state": {"$ref": "#/components/schemas/SaleState"},
          "standing": {"$ref": "#/components/schemas/SaleStanding"},
          "reportingCurrency": {"anyOf": [{"$ref": "#/components/schemas/Currency"}, {"type": "null"}]},
          "flags": {"type": "array", "items": {"type": "string"}},
          "reasons": {"type": "array", "items": {"type": "string"}, "description": "The flags in words."},
          "version": {"type": "integer", "format": "int64", "minimum": 1},
          "requestIdentifier": {"anyOf": [{"$ref": "#/components/schemas/RequestIdentifier"}, {"type": "null"}]},
          "receivedAt": {"type": "string", "format": "date-time"},
          "sale": {"$ref": "#/components/schemas/Sale"},
          "needsReview": {"type": "boolean", "description": "True if a person must act before the sale is reported."},
          "lineItems": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The ids of all line items of a sale with lines."
          }
        }
      },
      "ManualExport": {
        "description": "A manual submission.",
        "type": "object",
        "required": ["exportId", "bundleId", "programme", "month", "madeAt", "handedIn", "withdrawn", "sales"],
        "properties": {
          "exportId": {"type": "string"},
          "bundleId": {"$ref": "#/components/schemas/BundleId"},
          "programme": {"type": "string"},
          "month": {"$ref": "#/components/schemas/Month"},
          "madeAt": {"type": "string", "format": "date-time"},
          "handedIn": {
            "type": ["object", "null"],
            "required": ["on", "by", "reference"],
            "properties": {
              "on": {"type": "string", "format": "date"},
              "by": {"type": "string"},
              "reference": {"type": "string"}
            }
          },
          "withdrawn": {
            "type": ["object", "null"],
            "required": ["at", "by", "reason"],
            "properties": {
              "at": {"type": "string", "format": "date-time"},
              "by": {"type": "string"},
              "reason": {"type": "string"}
            }
          },
          "sales": {"type": "array", "items": {"$ref": "#/components/schemas/SaleId"}}
        }
      },
      "MinorUnits": {
        "description": "An amount in minor units of the currency by ISO 4217: 999 is EUR 9.99.",
        "type": "integer",
        "format": "int64",
        "minimum": 0,
        "maximum": 9999999999999999,
        "examples": [999]
      },
      "Money": {
        "description": "An amount in units of the currency, below 10^12, with no more decimal places than the currency has. JSON numbers are refused, because many writers round them.",
        "type": "string",
        "pattern": "^0*[0-9]{1,12}(\\.[0-9]{1,4})?$",
        "examples": ["9.99"]
      },
      "Month": {
        "description": "A month of the programme's calendar.",
        "type": "string",
        "pattern": "^[0-9]{4}-[0-9]{2}$",
        "examples": ["2026-11"]
      },
      "MonthExport": {
        "type": "object",
        "required": ["schemaVersion", "bundleId", "programme", "month", "rows", "reconciliation"],
        "properties": {
          "schemaVersion": {"const": 1},
          "hint": {"description": "Only without any record: where the other environment has some of the month.", "type": "string"},
          "bundleId": {"$ref": "#/components/schemas/BundleId"},
          "programme": {
            "type": "object",
            "required": ["id", "title", "effectiveFrom"],
            "properties": {
              "id": {"type": "string"},
              "title": {"type": "string"},
              "effectiveFrom": {"type": "string"},
              "effectiveNote": {"type": "string"},
              "effectiveFromConfidence": {"type": "string"},
              "calendarConfidence": {"type": "string"},
              "deadlineDaysConfidence": {"type": "string"},
              "ratesConfidence": {"type": "string"},
              "paymentConfidence": {"type": "string"}
            }
          },
          "month": {
            "type": "object",
            "required": ["id", "calendar", "title", "firstDay", "lastDay"],
            "properties": {
              "id": {"$ref": "#/components/schemas/Month"},
              "calendar": {"type": "string"},
              "title": {"type": "string"},
              "firstDay": {"type": "string", "format": "date"},
              "lastDay": {"type": "string", "format": "date"}
            }
          },
          "rows": {
            "type": "array",
            "items": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
            "description": "One for each sale; the setting `exports.columns` names the members."
          },
          "reconciliation": {
            "type": "object",
            "required": ["sales", "days", "tokens", "reports", "deadline", "payment", "differences"],
            "properties": {
              "sales": {"$ref": "#/components/schemas/ExportSums"},
              "days": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": ["day", "sales"],
                  "properties": {
                    "day": {"type": "string", "format": "date"},
                    "sales": {"$ref": "#/components/schemas/ExportSums"}
                  }
                }
              },
              "tokens": {
                "type": "object",
                "required": ["made", "reported", "reportedByHand", "notReported"],
                "properties": {
                  "made": {"type": "integer", "format": "int64", "minimum": 0},
                  "reported": {
                    "type": "object",
                    "additionalProperties": {"type": "integer", "format": "int64", "minimum": 0}
                  },
                  "reportedByHand": {"type": "integer", "format": "int64", "minimum": 0},
                  "notReported": {"type": "integer", "format": "int64", "minimum": 0}
                }
              },
              "reports": {"type": "integer", "format": "int64", "minimum": 0},
              "deadline": {"type": ["string", "null"], "format": "date-time"},
              "payment": {"$ref": "#/components/schemas/Payment"},
              "differences": {
                "type": "array",
                "items": {
                  "type": "object",
                  "required": ["kind", "name", "message"],
                  "properties": {"kind": {"type": "string"}, "name": {"type": "string"}, "message": {"type": "string"}}
                }
              }
            }
          }
        }
      },
      "MonthExports": {
        "description": "The exports of several programmes.",
        "type": "object",
        "required": ["schemaVersion", "bundleId", "month", "exports"],
        "properties": {
          "schemaVersion": {"const": 1},
          "hint": {"description": "Only without any record: where the other environment has some of the month.", "type": "string"},
          "bundleId": {"$ref": "#/components/schemas/BundleId"},
          "month": {"$ref": "#/components/schemas/Month"},
          "exports": {"type": "array", "items": {"$ref": "#/components/schemas/MonthExport"}}
        }
      },
      "Next": {
        "description": "The value of `after` for the next page; null on the last one.",
        "type": ["string", "null"]
      },
      "Notification": {
        "type": "object",
        "required": [
          "notificationUUID", "notificationType", "subtype", "bundleId", "environment", "externalPurchaseId",
          "signedDate", "arrival", "receivedAt", "effect"
        ],
        "properties": {
          "notificationUUID": {"type": "string"},
          "notificationType": {"type": "string"},
          "subtype": {"type": ["string", "null"]},
          "bundleId": {"anyOf": [{"$ref": "#/components/schemas/BundleId"}, {"type": "null"}]},
          "environment": {"anyOf": [{"$ref": "#/components/schemas/Environment"}, {"type": "null"}]},
          "externalPurchaseId": {"anyOf": [{"$ref": "#/components/schemas/ExternalPurchaseId"}, {"type": "null"}]},
          "signedDate": {"type": "string", "format": "date-time"},
          "arrival": {"type": "string", "enum": ["delivered", "history"]},
          "receivedAt": {"type": "string", "format": "date-time"},
          "effect": {"type": ["string", "null"]}
        }
      },
      "NotificationRequest": {
        "description": "An App Store Server Notification V2.",
        "type": "object",
        "required": ["signedPayload"],
        "properties": {"signedPayload": {"type": "string"}},
        "examples": [{"signedPayload": "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl"}]
      },
      "Order": {
        "description": "A purchase of several products in one currency; each line is a line item.",
        "type": "object",
        "required": ["saleId", "type", "occurredAt", "lines"],
        "properties": {
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"},
          "type": {"const": "purchase"},
          "occurredAt": {"type": "string", "format": "date-time"},
          "lines": {
            "type": "array",
            "items": {"$ref": "#/components/schemas/SaleLine"},
            "minItems": 1,
            "maxItems": 100
          },
          "productId": {"type": "null"},
          "quantity": {"type": "null"},
          "amount": {"type": "null"},
          "refundedTotal": {
            "anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}],
            "description": "What the provider says was refunded of it so far. It is compared and not reported: less than a known refund states as the total is 422."
          },
          "customerId": {"anyOf": [{"$ref": "#/components/schemas/CustomerId"}, {"type": "null"}]},
          "checkoutId": {"anyOf": [{"$ref": "#/components/schemas/CheckoutId"}, {"type": "null"}]},
          "externalPurchaseId": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "The token of the sale, or a token of its customer."
          },
          "environment": {"anyOf": [{"$ref": "#/components/schemas/Environment"}, {"type": "null"}]},
          "payment": {"anyOf": [{"$ref": "#/components/schemas/SalePayment"}, {"type": "null"}]},
          "system": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 64,
            "description": "The customer's system where it made no token, such as iOS 26.3: the sale is reported by hand."
          },
          "amends": {
            "type": "boolean",
            "description": "True replaces the stored sale by this one, all fields as given."
          },
          "by": {
            "examples": ["kim"],
            "description": "Who amends; only beside `amends`. A text of 1 to 256 characters, required while there are no API keys; ignored with one."
          },
          "reason": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 2000,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "Why; only beside `amends`."
          }
        },
        "additionalProperties": false,
        "examples": [
          {
            "saleId": "order-2",
            "bundleId": "com.example.shop",
            "occurredAt": "2026-11-20T12:00:00Z",
            "type": "purchase",
            "lines": [
              {
                "productId": "gems.100",
                "quantity": 1,
                "amount": {"currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"}
              },
              {
                "productId": "map",
                "quantity": 2,
                "amount": {"currency": "EUR", "inclusive": "4.00", "taxRate": "21", "taxCountry": "NLD"}
              }
            ]
          }
        ]
      },
      "Payment": {
        "type": "object",
        "required": ["due", "reason"],
        "properties": {"due": {"type": ["string", "null"], "format": "date"}, "reason": {"type": "string"}}
      },
      "PaymentEvent": {
        "type": "object",
        "required": [
          "eventId", "provider", "bundleId", "type", "isLive", "createdAt", "arrival", "receivedAt", "state", "detail",
          "sales", "decidedAt", "reference", "payment", "interpretation"
        ],
        "properties": {
          "eventId": {"type": "string"},
          "provider": {"type": "string", "enum": ["stripe", "paddle", "custom"]},
          "bundleId": {"anyOf": [{"$ref": "#/components/schemas/BundleId"}, {"type": "null"}]},
          "type": {"type": "string"},
          "isLive": {"type": "boolean"},
          "createdAt": {"type": "string", "format": "date-time"},
          "arrival": {"type": "string", "enum": ["delivered", "fetched"]},
          "receivedAt": {"type": "string", "format": "date-time"},
          "state": {"$ref": "#/components/schemas/PaymentEventState"},
          "detail": {"type": ["string", "null"]},
          "sales": {"type": "array", "items": {"$ref": "#/components/schemas/SaleId"}},
          "decidedAt": {"type": ["string", "null"], "format": "date-time"},
          "reference": {"$ref": "#/components/schemas/PaymentEventReference"},
          "payment": {"$ref": "#/components/schemas/PaymentEventPayment"},
          "interpretation": {
            "type": ["integer", "null"],
            "description": "The version of the server's interpretation that decided; null before the first one."
          }
        }
      },
      "SalePayment": {
        "type": "object",
        "additionalProperties": false,
        "required": ["provider", "id"],
        "description": "The payment of a provider that the sale is. Its events give no sale of their own, and what they tell is given back is that of this sale.",
        "properties": {
          "provider": {"type": "string", "enum": ["stripe", "paddle", "custom"]},
          "id": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "description": "Of the payment intent, charge or invoice.",
            "examples": ["pi_3Nabc"]
          }
        }
      },
      "PaymentEventReference": {
        "type": ["string", "null"],
        "enum": ["referenced", "waiting", "unreferenced", null],
        "description": "Whether the payment belongs to an external purchase; `waiting` while no token has named its checkout; null for an event that is about no payment."
      },
      "PaymentEventPayment": {
        "type": ["object", "null"],
        "description": "What the customer paid; null for every event of a payment but one.",
        "required": ["id", "currency", "amount"],
        "properties": {
          "id": {"type": "string", "examples": ["pi_3Nabc"]},
          "currency": {"type": "string", "examples": ["EUR"]},
          "amount": {"type": "string", "examples": ["9.99"]}
        }
      },
      "PaymentEventDetail": {
        "type": "object",
        "required": [
          "eventId", "provider", "bundleId", "type", "isLive", "createdAt", "arrival", "receivedAt", "state", "detail",
          "sales", "decidedAt", "reference", "payment", "interpretation", "content"
        ],
        "properties": {
          "eventId": {"type": "string"},
          "provider": {"type": "string", "enum": ["stripe", "paddle", "custom"]},
          "bundleId": {"anyOf": [{"$ref": "#/components/schemas/BundleId"}, {"type": "null"}]},
          "type": {"type": "string"},
          "isLive": {"type": "boolean"},
          "createdAt": {"type": "string", "format": "date-time"},
          "arrival": {"type": "string", "enum": ["delivered", "fetched"]},
          "receivedAt": {"type": "string", "format": "date-time"},
          "state": {"$ref": "#/components/schemas/PaymentEventState"},
          "detail": {"type": ["string", "null"]},
          "sales": {"type": "array", "items": {"$ref": "#/components/schemas/SaleId"}},
          "decidedAt": {"type": ["string", "null"], "format": "date-time"},
          "reference": {"$ref": "#/components/schemas/PaymentEventReference"},
          "payment": {"$ref": "#/components/schemas/PaymentEventPayment"},
          "interpretation": {
            "type": ["integer", "null"],
            "description": "The version of the server's interpretation that decided; null before the first one."
          },
          "content": {"type": "object", "description": "The members that the server uses, without personal data."}
        }
      },
      "PaymentEventDismissal": {
        "type": "object",
        "additionalProperties": false,
        "required": ["reason"],
        "properties": {
          "reason": {"type": "string", "minLength": 1, "maxLength": 500, "examples": ["a gift card of the shop"]},
          "by": {"type": "string", "minLength": 1, "maxLength": 128, "description": "Who; with an API key its name counts."}
        }
      },
      "PaymentEventReceipt": {
        "type": "object",
        "required": ["eventId", "isNew", "state"],
        "properties": {
          "eventId": {"type": "string"},
          "isNew": {"type": "boolean"},
          "state": {"$ref": "#/components/schemas/PaymentEventState"}
        }
      },
      "PaymentEventState": {"type": "string", "enum": ["received", "applied", "waiting", "not-used", "held", "dismissed"]},
      "Period": {
        "type": "object",
        "required": ["start", "end"],
        "properties": {
          "start": {"type": "string", "format": "date-time"},
          "end": {"type": "string", "format": "date-time", "description": "Not before the start."}
        },
        "additionalProperties": false
      },
      "Policy": {
        "type": "object",
        "required": ["storefronts", "default", "until"],
        "properties": {
          "storefronts": {
            "type": "object",
            "description": "By storefront, alpha-3.",
            "additionalProperties": {"$ref": "#/components/schemas/PolicyEntry"}
          },
          "default": {"$ref": "#/components/schemas/PolicyEntry"},
          "until": {"type": "string", "format": "date-time", "description": "The answer counts until then."}
        }
      },
      "PolicyEntry": {
        "type": "object",
        "required": ["offered", "requestsTokens", "message"],
        "properties": {
          "offered": {"type": "boolean", "description": "Whether the app offers external purchases."},
          "requestsTokens": {"type": "boolean", "description": "Whether the app requests tokens."},
          "message": {"type": ["string", "null"], "description": "For customers who may not buy."}
        }
      },
      "Problem": {
        "description": "An error, by RFC 9457.",
        "type": "object",
        "required": ["type", "title", "status", "detail", "requestId"],
        "properties": {
          "type": {
            "description": "The kind of problem: `urn:external-purchase:problem:` and its name.",
            "type": "string",
            "pattern": "^urn:external-purchase:problem:[a-z0-9-]+$"
          },
          "title": {"type": "string"},
          "status": {"type": "integer", "format": "int32", "minimum": 400, "maximum": 599},
          "detail": {"type": "string", "description": "The problem of this request, and what would be valid."},
          "requestId": {
            "type": "string",
            "description": "The id of the request, which the header `X-Request-Id` and the log have too."
          }
        }
      },
      "ProductId": {
        "type": "string",
        "minLength": 1,
        "maxLength": 256,
        "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
        "examples": ["gems.100"],
        "description": "The caller's own id of a product."
      },
      "Purchase": {
        "description": "A purchase of one product.",
        "type": "object",
        "required": ["saleId", "type", "occurredAt", "productId", "quantity", "amount"],
        "properties": {
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"},
          "type": {"const": "purchase"},
          "occurredAt": {"type": "string", "format": "date-time"},
          "productId": {"$ref": "#/components/schemas/ProductId"},
          "quantity": {"$ref": "#/components/schemas/Quantity"},
          "amount": {"$ref": "#/components/schemas/Amount"},
          "lines": {"type": "null"},
          "refundedTotal": {
            "anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}],
            "description": "What the provider says was refunded of it so far. It is compared and not reported: less than a known refund states as the total is 422."
          },
          "customerId": {"anyOf": [{"$ref": "#/components/schemas/CustomerId"}, {"type": "null"}]},
          "checkoutId": {"anyOf": [{"$ref": "#/components/schemas/CheckoutId"}, {"type": "null"}]},
          "externalPurchaseId": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "The token of the sale, or a token of its customer."
          },
          "environment": {"anyOf": [{"$ref": "#/components/schemas/Environment"}, {"type": "null"}]},
          "payment": {"anyOf": [{"$ref": "#/components/schemas/SalePayment"}, {"type": "null"}]},
          "system": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 64,
            "description": "The customer's system where it made no token, such as iOS 26.3: the sale is reported by hand."
          },
          "amends": {
            "type": "boolean",
            "description": "True replaces the stored sale by this one, all fields as given."
          },
          "by": {
            "examples": ["kim"],
            "description": "Who amends; only beside `amends`. A text of 1 to 256 characters, required while there are no API keys; ignored with one."
          },
          "reason": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 2000,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "Why; only beside `amends`."
          }
        },
        "additionalProperties": false,
        "examples": [
          {
            "saleId": "order-1001",
            "bundleId": "com.example.shop",
            "occurredAt": "2026-11-20T12:00:00Z",
            "type": "purchase",
            "checkoutId": "basket-1",
            "productId": "gems.100",
            "quantity": 1,
            "amount": {"currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"}
          }
        ]
      },
      "Quantity": {"type": "integer", "format": "int64", "minimum": 1, "maximum": 1000000000},
      "ReadinessProblem": {
        "description": "The server cannot store requests, or it ends.",
        "type": "object",
        "required": ["type", "title", "status", "detail", "requestId"],
        "properties": {
          "type": {
            "description": "The kind of problem: `urn:external-purchase:problem:` and its name.",
            "type": "string",
            "pattern": "^urn:external-purchase:problem:[a-z0-9-]+$"
          },
          "title": {"type": "string"},
          "status": {"type": "integer", "format": "int32", "minimum": 400, "maximum": 599},
          "detail": {"type": "string", "description": "The problem of this request, and what would be valid."},
          "requestId": {
            "type": "string",
            "description": "The id of the request, which the header `X-Request-Id` and the log have too."
          },
          "problems": {"type": "array", "items": {"$ref": "#/components/schemas/HealthProblem"}, "minItems": 1}
        }
      },
      "Refund": {
        "description": "A partial or full refund of a purchase or charge: `amount`, or the total refunded so far.",
        "type": "object",
        "required": ["saleId", "type", "occurredAt", "refundOf"],
        "properties": {
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"},
          "type": {"const": "refund"},
          "occurredAt": {"type": "string", "format": "date-time"},
          "refundOf": {"$ref": "#/components/schemas/SaleId"},
          "amount": {"anyOf": [{"$ref": "#/components/schemas/RefundAmount"}, {"type": "null"}]},
          "refundedTotal": {
            "anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}],
            "description": "The sum refunded of the purchase so far, this refund included and chargebacks left out; instead of `amount`."
          },
          "refundedTotalMinor": {
            "anyOf": [{"$ref": "#/components/schemas/MinorUnits"}, {"type": "null"}],
            "description": "Instead of `refundedTotal`."
          },
          "customerId": {"anyOf": [{"$ref": "#/components/schemas/CustomerId"}, {"type": "null"}]},
          "checkoutId": {"anyOf": [{"$ref": "#/components/schemas/CheckoutId"}, {"type": "null"}]},
          "externalPurchaseId": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "The token of the sale, or a token of its customer."
          },
          "environment": {"anyOf": [{"$ref": "#/components/schemas/Environment"}, {"type": "null"}]},
          "amends": {
            "type": "boolean",
            "description": "True replaces the stored sale by this one, all fields as given."
          },
          "by": {
            "examples": ["kim"],
            "description": "Who amends; only beside `amends`. A text of 1 to 256 characters, required while there are no API keys; ignored with one."
          },
          "reason": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 2000,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "Why; only beside `amends`."
          }
        },
        "additionalProperties": false,
        "anyOf": [{"required": ["amount"]}, {"required": ["refundedTotal"]}, {"required": ["refundedTotalMinor"]}],
        "examples": [
          {
            "saleId": "refund-1",
            "bundleId": "com.example.shop",
            "occurredAt": "2026-11-20T12:00:00Z",
            "type": "refund",
            "refundOf": "order-1001",
            "amount": {"inclusive": "3.00"}
          }
        ]
      },
      "RefundAmount": {
        "type": "object",
        "properties": {
          "currency": {
            "anyOf": [{"$ref": "#/components/schemas/Currency"}, {"type": "null"}],
            "description": "The purchase's, if left out."
          },
          "inclusive": {"anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}], "description": "Above 0."},
          "inclusiveMinor": {
            "anyOf": [{"$ref": "#/components/schemas/MinorUnits"}, {"type": "null"}],
            "description": "Instead of `inclusive`."
          },
          "tax": {
            "anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}],
            "description": "Left out, the refund has its share of the purchase's tax."
          },
          "taxMinor": {
            "anyOf": [{"$ref": "#/components/schemas/MinorUnits"}, {"type": "null"}],
            "description": "Instead of `tax`."
          },
          "refundedTotal": {
            "anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}],
            "description": "As beside `amount`."
          },
          "refundedTotalMinor": {
            "anyOf": [{"$ref": "#/components/schemas/MinorUnits"}, {"type": "null"}],
            "description": "Instead of `refundedTotal`."
          }
        },
        "additionalProperties": false,
        "anyOf": [
          {"required": ["inclusive"]},
          {"required": ["inclusiveMinor"]},
          {"required": ["refundedTotal"]},
          {"required": ["refundedTotalMinor"]}
        ]
      },
      "Report": {
        "type": "object",
        "required": [
          "requestIdentifier", "bundleId", "environment", "externalPurchaseId", "status", "state", "writtenAt",
          "changedAt", "attempts", "answer", "report"
        ],
        "properties": {
          "requestIdentifier": {"$ref": "#/components/schemas/RequestIdentifier"},
          "bundleId": {"$ref": "#/components/schemas/BundleId"},
          "environment": {"$ref": "#/components/schemas/Environment"},
          "externalPurchaseId": {"$ref": "#/components/schemas/ExternalPurchaseId"},
          "status": {"type": "string"},
          "state": {"$ref": "#/components/schemas/ReportState"},
          "writtenAt": {"type": "string", "format": "date-time"},
          "changedAt": {"type": "string", "format": "date-time"},
          "attempts": {"type": "integer", "format": "int64", "minimum": 0},
          "answer": {
            "type": ["object", "null"],
            "required": ["status", "receivedAt", "conclusion"],
            "properties": {
              "status": {"type": ["integer", "null"], "format": "int32"},
              "receivedAt": {"type": "string", "format": "date-time"},
              "conclusion": {"type": "string"}
            }
          },
          "report": {
            "type": ["object", "string"],
            "description": "The report as it is sent; docs/openapi/apple-external-purchase.json describes it."
          },
          "errors": {"type": "array", "items": {"$ref": "#/components/schemas/ReportError"}}
        }
      },
      "ReportError": {
        "description": "An error as Apple writes it, with the sale that it is about.",
        "type": "object",
        "required": ["errorCode", "errorMessage"],
        "properties": {
          "errorCode": {"type": "integer", "format": "int32"},
          "errorMessage": {"type": "string"},
          "fieldName": {"type": "string"},
          "lineItemId": {"type": "string"},
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "local": {"type": "boolean", "description": "True for an error of the server's own check: nothing was sent."}
        }
      },
      "ReportState": {
        "type": "string",
        "enum": ["written", "sending", "unknown", "accepted", "needsAttention", "withdrawn"]
      },
      "RequestedApp": {
        "description": "The app that the request is for. Left out, it is the app of the key; sales, corrections and erasures of a key of all apps name it, and other requests where several apps have the record.",
        "type": "string",
        "minLength": 1,
        "maxLength": 255,
        "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
        "examples": ["com.example.shop"]
      },
      "RequestIdentifier": {"description": "The UUID of a report.", "type": "string", "format": "uuid"},
      "RequestOfSale": {
        "description": "A request that touched a sale. `requestId` and `requestIdentifier` are not both null.",
        "type": "object",
        "required": ["requestId", "requestIdentifier", "at", "changes"],
        "properties": {
          "requestId": {
            "type": ["string", "null"],
            "description": "The id of the request to this server, which its answer's `X-Request-Id` and its log line have; null for work of the server's own, such as sending a report."
          },
          "requestIdentifier": {
            "anyOf": [{"$ref": "#/components/schemas/RequestIdentifier"}, {"type": "null"}],
            "description": "The report that was written, sent or changed; its log lines have it as `report`."
          },
          "at": {"type": "string", "format": "date-time", "description": "The time of the first change."},
          "changes": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The kinds of the entries of the audit log, each once, such as `sale-stored`."
          }
        }
      },
      "ReturnedAmount": {
        "type": "object",
        "properties": {
          "currency": {
            "anyOf": [{"$ref": "#/components/schemas/Currency"}, {"type": "null"}],
            "description": "The chargeback's, if left out."
          },
          "inclusive": {"anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}]},
          "inclusiveMinor": {
            "anyOf": [{"$ref": "#/components/schemas/MinorUnits"}, {"type": "null"}],
            "description": "Instead of `inclusive`."
          }
        },
        "additionalProperties": false,
        "anyOf": [{"required": ["inclusive"]}, {"required": ["inclusiveMinor"]}]
      },
      "ReviewDecision": {
        "type": "object",
        "required": ["action"],
        "properties": {
          "action": {
            "type": "string",
            "enum": ["accepted", "retry", "resolve"],
            "description": "`accepted`: Apple has what it refused (E1); it counts as accepted from then on."
          },
          "by": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 128,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "note": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 1000,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "Required of `resolve`."
          },
          "requestIdentifier": {
            "description": "Only of `accepted`: the report with which Apple accepted it, whose copy is taken over.",
            "type": ["string", "null"],
            "format": "uuid"
          }
        },
        "additionalProperties": false,
        "examples": [
          {"action": "accepted", "by": "maria", "note": "reported before the restore"},
          {"action": "resolve", "by": "maria", "note": "submitted by hand"}
        ]
      },
      "ReviewItem": {
        "type": "object",
        "required": ["sequence", "bundleId", "kind", "about", "id", "detail", "openedAt"],
        "properties": {
          "sequence": {"type": "integer", "format": "int64", "minimum": 1},
          "bundleId": {"$ref": "#/components/schemas/BundleId"},
          "kind": {"type": "string"},
          "about": {"type": "string", "enum": ["app", "token", "sale", "report", "notification"]},
          "id": {"type": "string"},
          "detail": {"type": "string"},
          "openedAt": {"type": "string", "format": "date-time"},
          "correctionId": {"type": "string"},
          "resolvedAt": {"type": "string", "format": "date-time"},
          "resolvedBy": {"type": "string"},
          "note": {"type": "string"}
        }
      },
      "ReviewOutcome": {
        "type": "object",
        "required": ["item", "outcome"],
        "properties": {"item": {"$ref": "#/components/schemas/ReviewItem"}, "outcome": {"type": "string"}}
      },
      "Sale": {
        "description": "A stored sale with the members of its type.",
        "type": "object",
        "required": ["saleId", "bundleId", "type", "occurredAt"],
        "properties": {
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "bundleId": {"$ref": "#/components/schemas/BundleId"},
          "type": {"$ref": "#/components/schemas/SaleType"},
          "occurredAt": {"type": "string", "format": "date-time"},
          "customerId": {"$ref": "#/components/schemas/CustomerId"},
          "checkoutId": {"$ref": "#/components/schemas/CheckoutId"},
          "externalPurchaseId": {"$ref": "#/components/schemas/ExternalPurchaseId"},
          "environment": {"$ref": "#/components/schemas/Environment"},
          "payment": {"$ref": "#/components/schemas/SalePayment"},
          "system": {"type": "string", "examples": ["iOS 26.3"]},
          "productId": {"$ref": "#/components/schemas/ProductId"},
          "quantity": {"$ref": "#/components/schemas/StoredQuantity"},
          "amount": {"$ref": "#/components/schemas/StoredAmount"},
          "lines": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["productId", "quantity", "amount"],
              "properties": {
                "productId": {"$ref": "#/components/schemas/ProductId"},
                "quantity": {"$ref": "#/components/schemas/StoredQuantity"},
                "amount": {"$ref": "#/components/schemas/StoredAmount"}
              }
            }
          },
          "subscriptionId": {"$ref": "#/components/schemas/SubscriptionId"},
          "period": {"$ref": "#/components/schemas/Period"},
          "event": {"$ref": "#/components/schemas/SubscriptionEvent"},
          "effectiveAt": {"type": "string", "format": "date-time"},
          "refundOf": {"$ref": "#/components/schemas/SaleId"},
          "reversalOf": {"$ref": "#/components/schemas/SaleId"}
        }
      },
      "SaleDetail": {
        "type": "object",
        "required": [
          "saleId", "lineItemId", "externalPurchaseId", "state", "standing", "reportingCurrency", "flags", "reasons",
          "version", "requestIdentifier", "receivedAt", "sale", "versions", "items", "requests"
        ],
        "properties": {
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "lineItemId": {"type": "string", "description": "The id of the first line item."},
          "externalPurchaseId": {"anyOf": [{"$ref": "#/components/schemas/ExternalPurchaseId"}, {"type": "null"}]},
          "state": {"$ref": "#/components/schemas/SaleState"},
          "standing": {"$ref": "#/components/schemas/SaleStanding"},
          "reportingCurrency": {"anyOf": [{"$ref": "#/components/schemas/Currency"}, {"type": "null"}]},
          "flags": {"type": "array", "items": {"type": "string"}},
          "reasons": {"type": "array", "items": {"type": "string"}, "description": "The flags in words."},
          "version": {"type": "integer", "format": "int64", "minimum": 1},
          "requestIdentifier": {"anyOf": [{"$ref": "#/components/schemas/RequestIdentifier"}, {"type": "null"}]},
          "receivedAt": {"type": "string", "format": "date-time"},
          "sale": {"$ref": "#/components/schemas/Sale"},
          "versions": {"type": "array", "items": {"$ref": "#/components/schemas/SaleVersion"}},
          "items": {"type": "array", "items": {"$ref": "#/components/schemas/SaleItem"}},
          "requests": {
            "description": "The requests that touched the sale, oldest first, at most the last 500.",
            "type": "array",
            "items": {"$ref": "#/components/schemas/RequestOfSale"}
          },
          "lineItems": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The ids of all line items of a sale with lines."
          }
        }
      },
      "SaleFilterState": {"type": "string", "enum": ["planned", "held", "recorded", "void"]},
      "SaleId": {
        "type": "string",
        "minLength": 1,
        "maxLength": 100,
        "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
        "examples": ["order-1001"],
        "description": "The caller's own id of a sale, unique per app."
      },
      "SaleItem": {
        "type": "object",
        "required": [
          "saleId", "lineItemId", "state", "standing", "externalPurchaseId", "flags", "reason", "figures", "report"
        ],
        "properties": {
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "lineItemId": {"type": "string"},
          "state": {"type": "string", "enum": ["planned", "held", "recorded", "void"]},
          "standing": {"$ref": "#/components/schemas/SaleStanding"},
          "externalPurchaseId": {"anyOf": [{"$ref": "#/components/schemas/ExternalPurchaseId"}, {"type": "null"}]},
          "flags": {"type": "array", "items": {"type": "string"}},
          "reason": {"type": "string"},
          "figures": {
            "anyOf": [{"$ref": "#/components/schemas/LineItem"}, {"type": "null"}],
            "description": "As they were or will be sent; null if they cannot be computed."
          },
          "report": {
            "type": ["object", "null"],
            "required": ["requestIdentifier", "externalPurchaseId", "state", "writtenAt"],
            "properties": {
              "requestIdentifier": {"$ref": "#/components/schemas/RequestIdentifier"},
              "externalPurchaseId": {"$ref": "#/components/schemas/ExternalPurchaseId"},
              "state": {"$ref": "#/components/schemas/ReportState"},
              "writtenAt": {"type": "string", "format": "date-time"}
            }
          }
        }
      },
      "SaleLine": {
        "type": "object",
        "required": ["productId", "quantity", "amount"],
        "properties": {
          "productId": {"$ref": "#/components/schemas/ProductId"},
          "quantity": {"$ref": "#/components/schemas/Quantity"},
          "amount": {"$ref": "#/components/schemas/Amount"}
        },
        "additionalProperties": false
      },
      "SaleReceipt": {
        "type": "object",
        "required": [
          "saleId", "lineItemId", "externalPurchaseId", "state", "standing", "reportingCurrency", "flags", "reasons"
        ],
        "properties": {
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "lineItemId": {"type": "string", "description": "The id of the first line item."},
          "reportingCurrency": {
            "anyOf": [{"$ref": "#/components/schemas/Currency"}, {"type": "null"}],
            "description": "The currency in which the sale is reported: the currency billed, or the one into which its exchange rate leads. Null while it is not known, for lines with different ones, and for a sale without an amount of its own, such as a refund."
          },
          "externalPurchaseId": {"anyOf": [{"$ref": "#/components/schemas/ExternalPurchaseId"}, {"type": "null"}]},
          "state": {"$ref": "#/components/schemas/SaleState"},
          "standing": {"$ref": "#/components/schemas/SaleStanding"},
          "flags": {"type": "array", "items": {"type": "string"}},
          "reasons": {"type": "array", "items": {"type": "string"}, "description": "The flags in words."},
          "lineItems": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The ids of all line items of a sale with lines."
          }
        }
      },
      "SaleRequest": {
        "description": "A sale by its `type`: what the merchant tells the server.",
        "oneOf": [
          {"$ref": "#/components/schemas/Purchase"},
          {"$ref": "#/components/schemas/Order"},
          {"$ref": "#/components/schemas/SubscriptionCharge"},
          {"$ref": "#/components/schemas/Cancellation"},
          {"$ref": "#/components/schemas/Lapse"},
          {"$ref": "#/components/schemas/Refund"},
          {"$ref": "#/components/schemas/Chargeback"},
          {"$ref": "#/components/schemas/ChargebackReversal"}
        ]
      },
      "SaleStanding": {
        "type": "string",
        "enum": ["planned", "held", "inReport", "reported", "handedOver", "recorded", "retracted", "void"]
      },
      "SaleState": {"type": "string", "enum": ["planned", "held", "recorded", "void", "waiting"]},
      "SaleType": {
        "type": "string",
        "enum": ["purchase", "subscription", "cancellation", "lapse", "refund", "chargeback", "chargebackReversal"]
      },
      "SaleVersion": {
        "type": "object",
        "required": ["version", "change", "at", "by", "reason", "correctionId", "lineItemId", "sale"],
        "properties": {
          "version": {"type": "integer", "format": "int64", "minimum": 1},
          "change": {"type": "string", "enum": ["arrived", "restated", "retracted", "restored"]},
          "at": {"type": "string", "format": "date-time"},
          "by": {"type": ["string", "null"]},
          "reason": {"type": ["string", "null"]},
          "correctionId": {"type": ["string", "null"]},
          "lineItemId": {"type": "string"},
          "sale": {"$ref": "#/components/schemas/Sale"}
        }
      },
      "StoredAmount": {
        "type": "object",
        "properties": {
          "currency": {"$ref": "#/components/schemas/Currency"},
          "inclusive": {"$ref": "#/components/schemas/Decimal"},
          "tax": {"$ref": "#/components/schemas/Decimal"},
          "taxRate": {"$ref": "#/components/schemas/Decimal"},
          "taxCountry": {"$ref": "#/components/schemas/Country"},
          "exchangeRate": {
            "type": "object",
            "required": ["rate", "source", "asOf"],
            "properties": {
              "rate": {"type": "string"},
              "source": {"type": "string"},
              "asOf": {"type": "string", "format": "date-time"},
              "to": {"$ref": "#/components/schemas/Currency"}
            }
          },
          "refundedTotal": {"$ref": "#/components/schemas/Decimal"},
          "stated": {"$ref": "#/components/schemas/Decimal", "description": "The amount as the caller stated it."},
          "share": {"type": "boolean", "description": "True while the amount is a share that is not final."}
        }
      },
      "StoredQuantity": {
        "description": "At most that of `Quantity` in a sale that arrives; one that Apple accepted before has its own.",
        "type": "integer",
        "format": "int64",
        "minimum": 1
      },
      "Storefront": {
        "description": "An App Store country of ISO 3166-1, as alpha-3 code.",
        "type": "string",
        "pattern": "^[A-Z]{3}$",
        "examples": ["NLD"]
      },
      "StripeEvent": {
        "description": "An event of Stripe in the version of its API that the webhook uses.",
        "type": "object",
        "examples": [{"id": "evt_1NG8Du2eZvKYlo2CUI79vXWy", "object": "event", "type": "customer.created"}]
      },
      "PaddleEvent": {
        "description": "An event of Paddle Billing.",
        "type": "object",
        "examples": [{"event_id": "evt_01hv8x29kz0t586xy6zn1a62ny", "event_type": "customer.created"}]
      },
      "CustomPayment": {
        "description": "A payment as it stands now.",
        "type": "object",
        "required": ["bundleId", "id", "version", "occurredAt", "currency", "lines"],
        "additionalProperties": false,
        "properties": {
          "bundleId": {"$ref": "#/components/schemas/BundleId"},
          "id": {"type": "string", "minLength": 1, "maxLength": 64},
          "version": {"type": "integer", "minimum": 0, "maximum": 9007199254740991},
          "occurredAt": {"type": "string", "format": "date-time"},
          "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
          "environment": {"type": "string", "enum": ["production", "sandbox"], "default": "production"},
          "checkoutId": {"type": "string", "minLength": 1, "maxLength": 128},
          "customerId": {"type": "string", "minLength": 1, "maxLength": 128},
          "externalPurchaseId": {"type": "string", "minLength": 1, "maxLength": 256},
          "lines": {
            "type": "array",
            "minItems": 1,
            "maxItems": 100,
            "items": {
              "type": "object",
              "required": ["id", "productId", "quantity", "inclusive"],
              "additionalProperties": false,
              "properties": {
                "id": {"type": "string", "minLength": 1, "maxLength": 64},
                "productId": {"type": "string", "minLength": 1, "maxLength": 256},
                "quantity": {"type": "integer", "minimum": 1, "maximum": 1000000000},
                "inclusive": {"type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?$", "examples": ["9.99"]},
                "tax": {"type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?$", "examples": ["9.99"]},
                "taxRate": {"type": "string", "examples": ["21"]},
                "taxCountry": {"type": "string", "examples": ["NLD"]},
                "subscriptionId": {"type": "string", "minLength": 1, "maxLength": 128},
                "period": {
                  "type": "object",
                  "required": ["start", "end"],
                  "additionalProperties": false,
                  "properties": {
                    "start": {"type": "string", "format": "date-time"},
                    "end": {"type": "string", "format": "date-time"}
                  }
                }
              }
            }
          },
          "refunds": {
            "type": "array",
            "maxItems": 100,
            "items": {
              "type": "object",
              "required": ["id", "occurredAt", "inclusive"],
              "additionalProperties": false,
              "properties": {
                "id": {"type": "string", "minLength": 1, "maxLength": 64},
                "occurredAt": {"type": "string", "format": "date-time"},
                "inclusive": {"type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?$", "examples": ["9.99"]},
                "line": {"type": "string", "minLength": 1, "maxLength": 64}
              }
            }
          },
          "disputes": {
            "type": "array",
            "maxItems": 20,
            "items": {
              "type": "object",
              "required": ["id", "occurredAt", "taken", "returned"],
              "additionalProperties": false,
              "properties": {
                "id": {"type": "string", "minLength": 1, "maxLength": 64},
                "occurredAt": {"type": "string", "format": "date-time"},
                "taken": {"type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?$", "examples": ["9.99"]},
                "returned": {"type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?$", "examples": ["9.99"]}
              }
            }
          }
        }
      },
      "SubmissionRequest": {
        "type": "object",
        "required": ["on", "reference"],
        "properties": {
          "on": {"type": "string", "format": "date", "description": "The day of the submission: not to come, and not before the latest of the sales."},
          "reference": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "programme": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "by": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"}
        },
        "additionalProperties": false,
        "examples": [{"programme": "eu-2026-10", "on": "2026-12-10", "by": "kim", "reference": "case 17"}]
      },
      "SubscriptionCharge": {
        "description": "A charge of a subscription. Start, renewal, change of plan and paid days follow from its history.",
        "type": "object",
        "required": ["saleId", "type", "occurredAt", "subscriptionId", "period", "productId", "amount"],
        "properties": {
          "saleId": {"$ref": "#/components/schemas/SaleId"},
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"},
          "type": {"const": "subscription"},
          "occurredAt": {"type": "string", "format": "date-time"},
          "subscriptionId": {"$ref": "#/components/schemas/SubscriptionId"},
          "period": {"$ref": "#/components/schemas/Period"},
          "productId": {"$ref": "#/components/schemas/ProductId"},
          "amount": {"$ref": "#/components/schemas/Amount"},
          "event": {
            "anyOf": [{"$ref": "#/components/schemas/SubscriptionEvent"}, {"type": "null"}],
            "description": "Where products and periods mislead."
          },
          "quantity": {
            "anyOf": [{"$ref": "#/components/schemas/Quantity"}, {"type": "null"}],
            "description": "1 by default."
          },
          "refundedTotal": {
            "anyOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}],
            "description": "What the provider says was refunded of it so far. It is compared and not reported: less than a known refund states as the total is 422."
          },
          "customerId": {"anyOf": [{"$ref": "#/components/schemas/CustomerId"}, {"type": "null"}]},
          "checkoutId": {"anyOf": [{"$ref": "#/components/schemas/CheckoutId"}, {"type": "null"}]},
          "externalPurchaseId": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "The token of the sale, or a token of its customer."
          },
          "environment": {"anyOf": [{"$ref": "#/components/schemas/Environment"}, {"type": "null"}]},
          "payment": {"anyOf": [{"$ref": "#/components/schemas/SalePayment"}, {"type": "null"}]},
          "system": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 64,
            "description": "The customer's system where it made no token, such as iOS 26.3: the sale is reported by hand."
          },
          "amends": {
            "type": "boolean",
            "description": "True replaces the stored sale by this one, all fields as given."
          },
          "by": {
            "examples": ["kim"],
            "description": "Who amends; only beside `amends`. A text of 1 to 256 characters, required while there are no API keys; ignored with one."
          },
          "reason": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 2000,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
            "description": "Why; only beside `amends`."
          }
        },
        "additionalProperties": false,
        "examples": [
          {
            "saleId": "sub-1-1",
            "bundleId": "com.example.shop",
            "occurredAt": "2026-11-20T12:00:00Z",
            "type": "subscription",
            "subscriptionId": "sub-1",
            "period": {"start": "2026-11-20T12:00:00Z", "end": "2026-12-20T12:00:00Z"},
            "productId": "plus.monthly",
            "amount": {"currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"}
          }
        ]
      },
      "SubscriptionEvent": {"type": "string", "enum": ["renewal", "change", "payment"]},
      "SubscriptionId": {
        "type": "string",
        "minLength": 1,
        "maxLength": 128,
        "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$",
        "examples": ["sub-1"],
        "description": "The caller's own id of a subscription."
      },
      "TaxRate": {
        "description": "A tax rate in per cent, below 1000.",
        "type": "string",
        "pattern": "^0*[0-9]{1,3}(\\.[0-9]{1,6})?$",
        "examples": ["21"]
      },
      "Token": {
        "type": "object",
        "required": [
          "externalPurchaseId", "bundleId", "appAppleId", "environment", "family", "tokenType", "tokenCreationDate",
          "tokenExpirationDate", "state", "flags", "checkoutId", "customerId", "storefront", "firstSeen"
        ],
        "properties": {
          "externalPurchaseId": {"$ref": "#/components/schemas/ExternalPurchaseId"},
          "bundleId": {"$ref": "#/components/schemas/BundleId"},
          "appAppleId": {"type": "integer", "format": "int64"},
          "environment": {"$ref": "#/components/schemas/Environment"},
          "family": {"$ref": "#/components/schemas/TokenFamily"},
          "tokenType": {"type": ["string", "null"]},
          "tokenCreationDate": {"type": "integer", "format": "int64", "description": "In milliseconds since 1970."},
          "tokenExpirationDate": {"type": ["integer", "null"], "format": "int64"},
          "state": {"$ref": "#/components/schemas/TokenState"},
          "flags": {"type": "array", "items": {"type": "string"}},
          "checkoutId": {"$ref": "#/components/schemas/CheckoutId"},
          "customerId": {"anyOf": [{"$ref": "#/components/schemas/CustomerId"}, {"type": "null"}]},
          "storefront": {"anyOf": [{"$ref": "#/components/schemas/Storefront"}, {"type": "null"}]},
          "firstSeen": {
            "type": "object",
            "required": ["source", "at"],
            "properties": {
              "source": {"type": "string", "enum": ["app", "website", "notification", "imported"]},
              "at": {"type": "string", "format": "date-time"}
            }
          }
        }
      },
      "TokenCustomerRequest": {
        "type": "object",
        "required": ["customerId"],
        "properties": {
          "customerId": {
            "anyOf": [{"$ref": "#/components/schemas/CustomerId"}, {"type": "null"}],
            "description": "Null is nobody's."
          },
          "by": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "reason": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 2000,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"}
        },
        "additionalProperties": false,
        "examples": [{"customerId": "c-17", "by": "maria", "reason": "sold on the phone of her brother"}]
      },
      "TokenFamily": {"type": "string", "enum": ["plain", "customLink", "perTransaction", "unknown"]},
      "TokenReceipt": {
        "type": "object",
        "required": [
          "externalPurchaseId", "checkoutId", "environment", "family", "tokenType", "state", "flags", "warnings"
        ],
        "properties": {
          "externalPurchaseId": {"$ref": "#/components/schemas/ExternalPurchaseId"},
          "checkoutId": {"$ref": "#/components/schemas/CheckoutId"},
          "environment": {"$ref": "#/components/schemas/Environment"},
          "family": {"$ref": "#/components/schemas/TokenFamily"},
          "tokenType": {"type": ["string", "null"]},
          "state": {"$ref": "#/components/schemas/TokenState"},
          "flags": {"type": "array", "items": {"type": "string"}},
          "warnings": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["name", "field"],
              "properties": {"name": {"type": "string"}, "field": {"type": ["string", "null"]}}
            }
          }
        }
      },
      "TokenRequest": {
        "description": "A token from an app or a website.",
        "type": "object",
        "required": ["token"],
        "properties": {
          "token": {"type": "string", "description": "The text of the external purchase token."},
          "customerId": {"anyOf": [{"$ref": "#/components/schemas/CustomerId"}, {"type": "null"}]},
          "checkoutId": {
            "anyOf": [{"$ref": "#/components/schemas/CheckoutId"}, {"type": "null"}],
            "description": "Your own id of the checkout; left out, the server makes one."
          },
          "storefront": {"anyOf": [{"$ref": "#/components/schemas/Storefront"}, {"type": "null"}]}
        },
        "additionalProperties": false,
        "examples": [
          {
            "token": "eyJhcHBBcHBsZUlkIjoxMjM0NTY3ODkwLCJidW5kbGVJZCI6ImNvbS5leGFtcGxlLnNob3AiLCJ0b2tlbkNyZWF0aW9uRGF0ZSI6MTc5MDAwMDAwMDAwMCwiZXh0ZXJuYWxQdXJjaGFzZUlkIjoiU0FOREJPWF83YjFlNmMxYS0zZjUyLTRkMGItOWM3Ny01YTJlOGQ0ZjFiNjAifQ",
            "customerId": "c-1",
            "storefront": "NLD"
          }
        ]
      },
      "TokenState": {"type": "string", "enum": ["unconfirmed", "confirmed", "unknownToApple"]},
      "VoidRequest": {
        "type": "object",
        "required": ["reason"],
        "properties": {
          "reason": {
            "type": "string",
            "minLength": 1,
            "maxLength": 2000,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "by": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 256,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"}
        },
        "additionalProperties": false,
        "examples": [{"by": "maria", "reason": "never paid"}]
      },
      "WithdrawalRequest": {
        "type": "object",
        "required": ["exportId", "reason"],
        "properties": {
          "exportId": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "reason": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1000,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "by": {
            "type": ["string", "null"],
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[^\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200E\\u200F\\u2028-\\u202E\\u2066-\\u2069]*$"
          },
          "bundleId": {"$ref": "#/components/schemas/RequestedApp"}
        },
        "additionalProperties": false,
        "examples": [{"exportId": "eu-2026-10-2026-11-1", "by": "kim", "reason": "wrong month"}]
      }
    }
  }
}
"""##
}
