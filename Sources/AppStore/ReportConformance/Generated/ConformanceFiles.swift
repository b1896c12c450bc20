// Generated from Conformance by `./run tables`. Do not edit.
// swift-format-ignore-file
enum ConformanceFiles {
    static let suite = ##"""
{
  "version": "1.0.0",
  "api": "External Purchase Server API 1.2.0",
  "asOf": "2026-11",
  "files": [
    "01-requests.json",
    "02-authorization.json",
    "03-malformed.json",
    "04-report.json",
    "05-line-item.json",
    "06-line-items.json",
    "07-statuses.json",
    "08-sales.json",
    "09-subscriptions.json"
  ],
  "unreached": [
    {
      "code": 26,
      "reason": "two requests must be in process at the same moment, which no client can arrange; one of them would be accepted"
    }
  ]
}
"""##
    static let requests = ##"""
{
  "title": "Requests: paths, methods, retrieval",
  "cases": [
    {
      "id": "get-unknown",
      "title": "a report that was never accepted",
      "rules": ["SA-20", "SA-21", "E3"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}"},
      "expected": {"status": 400, "error": {"code": 3, "message": "The referenced value was not found.", "fieldName": "requestIdentifier"}},
      "alternatives": [
        {"setting": "answers.getNotFound", "value": "wrapped", "expected": {"status": 400, "errors": [{"code": 3, "message": "The referenced value was not found.", "fieldName": "requestIdentifier"}]}}
      ]
    },
    {
      "id": "get-not-a-uuid",
      "title": "a retrieval whose identifier is not a UUID",
      "rules": ["SA-20"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/not-a-uuid"},
      "expected": {"status": 400, "error": {"code": 3, "message": "The referenced value was not found.", "fieldName": "requestIdentifier"}},
      "alternatives": [
        {"setting": "answers.getNotFound", "value": "wrapped", "expected": {"status": 400, "errors": [{"code": 3, "message": "The referenced value was not found.", "fieldName": "requestIdentifier"}]}}
      ]
    },
    {
      "id": "path-unknown",
      "title": "a path that the API does not have",
      "rules": ["SA-2"],
      "kind": "transport",
      "tokens": [],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/report",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "SANDBOX_00000000-0000-4000-8000-000000000000", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{now-1h}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {"status": 404, "text": ""}
    },
    {
      "id": "path-with-slash",
      "title": "the path of reports with a slash at its end",
      "rules": ["SA-2"],
      "kind": "transport",
      "tokens": [],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports/",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "SANDBOX_00000000-0000-4000-8000-000000000000", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{now-1h}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {"status": 404, "text": ""}
    },
    {
      "id": "method-post",
      "title": "POST in place of PUT",
      "rules": ["SA-2"],
      "kind": "transport",
      "tokens": [],
      "request": {
        "method": "POST", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "SANDBOX_00000000-0000-4000-8000-000000000000", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{now-1h}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {"status": 405, "text": ""}
    },
    {
      "id": "method-delete",
      "title": "DELETE of a report",
      "rules": ["SA-2"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "DELETE", "path": "/externalPurchase/v1/reports/{{request}}"},
      "expected": {"status": 405, "text": ""}
    },
    {
      "id": "content-type-text",
      "title": "a body with the content type text/plain",
      "rules": ["SA-2"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports", "headers": {"Content-Type": "text/plain"},
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      }
    },
    {
      "id": "content-type-none",
      "title": "a body without a content type",
      "rules": ["SA-2"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports", "headers": {"Content-Type": null},
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      }
    }
  ]
}
"""##
    static let authorization = ##"""
{
  "title": "Authorisation: each row of SA-15 that a client can produce",
  "cases": [
    {
      "id": "auth-missing",
      "title": "no Authorization header",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"omit": true}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-not-bearer",
      "title": "another scheme than Bearer",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"scheme": "Basic"}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-scheme-lower-case",
      "title": "the scheme in lower case",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"scheme": "bearer"}},
      "expected": {"status": 400, "error": {"code": 3, "message": "The referenced value was not found.", "fieldName": "requestIdentifier"}},
      "alternatives": [
        {"setting": "answers.getNotFound", "value": "wrapped", "expected": {"status": 400, "errors": [{"code": 3, "message": "The referenced value was not found.", "fieldName": "requestIdentifier"}]}}
      ]
    },
    {
      "id": "auth-not-three-parts",
      "title": "a text that is no JWT",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"text": "not-a-token"}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-header-unreadable",
      "title": "a JWT whose header is not JSON",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"text": "bm90IGpzb24.e30.AAAA"}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-algorithm-none",
      "title": "alg is none, without a signature",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"header": {"alg": "none"}, "signature": "none"}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-algorithm-hs256",
      "title": "alg is HS256",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"header": {"alg": "HS256"}}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-type-wrong",
      "title": "typ is not JWT",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"header": {"typ": "JOSE"}}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-critical-unknown",
      "title": "a critical extension that nobody knows",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"header": {"crit": ["conformance"], "conformance": true}}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-key-missing",
      "title": "no kid",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"header": {"kid": null}}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-key-unknown",
      "title": "a kid that no key has",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"header": {"kid": "CONFORMANC"}}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-signature-damaged",
      "title": "a signature with one byte changed",
      "rules": ["SA-13", "SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"signature": "damaged"}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-signature-der",
      "title": "a signature in DER",
      "rules": ["SA-13", "SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"signature": "der"}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-issuer-wrong",
      "title": "iss of another account",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"iss": "00000000-0000-4000-8000-000000000000"}}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-audience-wrong",
      "title": "another aud",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"aud": "appstoreconnect-v2"}}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-bundle-missing",
      "title": "no bid",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"bid": null}}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-bundle-unknown",
      "title": "a bid that the account does not have",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"bid": "invalid.conformance.unknown"}}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-issued-at-missing",
      "title": "no iat",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"iat": null}}},
      "expected": {"status": 400, "error": {"code": 3, "message": "The referenced value was not found.", "fieldName": "requestIdentifier"}},
      "alternatives": [
        {"setting": "answers.getNotFound", "value": "wrapped", "expected": {"status": 400, "errors": [{"code": 3, "message": "The referenced value was not found.", "fieldName": "requestIdentifier"}]}},
        {"setting": "auth.requireIssuedAt", "value": "on", "expected": {"status": 401, "text": "Unauthenticated"}}
      ]
    },
    {
      "id": "auth-issued-soon",
      "title": "iat 30 s in the future",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"iat": "{{seconds+30s}}", "exp": "{{seconds+300s}}"}}},
      "expected": {"status": 400, "error": {"code": 3, "message": "The referenced value was not found.", "fieldName": "requestIdentifier"}},
      "alternatives": [
        {"setting": "answers.getNotFound", "value": "wrapped", "expected": {"status": 400, "errors": [{"code": 3, "message": "The referenced value was not found.", "fieldName": "requestIdentifier"}]}}
      ],
      "measures": {
        "setting": "auth.issuedAtSkew",
        "points": [
          {"value": "30s"}
        ]
      }
    },
    {
      "id": "auth-issued-later",
      "title": "iat 90 s in the future",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"iat": "{{seconds+90s}}", "exp": "{{seconds+300s}}"}}},
      "expected": {"status": 401, "text": "Unauthenticated"},
      "measures": {
        "setting": "auth.issuedAtSkew",
        "points": [
          {"value": "90s"}
        ]
      }
    },
    {
      "id": "auth-issued-much-later",
      "title": "iat 10 min in the future",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"iat": "{{seconds+10min}}", "exp": "{{seconds+15min}}"}}},
      "expected": {"status": 401, "text": "Unauthenticated"},
      "measures": {
        "setting": "auth.issuedAtSkew",
        "points": [
          {"value": "10min"}
        ]
      }
    },
    {
      "id": "auth-expiry-missing",
      "title": "no exp",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"exp": null}}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-expiry-before-issue",
      "title": "exp before iat",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"iat": "{{seconds-10s}}", "exp": "{{seconds-20s}}"}}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    },
    {
      "id": "auth-lifetime-longest",
      "title": "a lifetime of 60 min",
      "rules": ["SA-11", "SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"iat": "{{seconds-5s}}", "exp": "{{seconds+3595s}}"}}},
      "expected": {"status": 400, "error": {"code": 3, "message": "The referenced value was not found.", "fieldName": "requestIdentifier"}},
      "alternatives": [
        {"setting": "answers.getNotFound", "value": "wrapped", "expected": {"status": 400, "errors": [{"code": 3, "message": "The referenced value was not found.", "fieldName": "requestIdentifier"}]}}
      ],
      "measures": {
        "setting": "auth.maximumLifetime",
        "points": [
          {"value": "60min"}
        ]
      }
    },
    {
      "id": "auth-lifetime-too-long",
      "title": "a lifetime of 61 min",
      "rules": ["SA-11", "SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"iat": "{{seconds-5s}}", "exp": "{{seconds+3655s}}"}}},
      "expected": {"status": 401, "text": "Unauthenticated"},
      "measures": {
        "setting": "auth.maximumLifetime",
        "points": [
          {"value": "61min"}
        ]
      }
    },
    {
      "id": "auth-lifetime-much-too-long",
      "title": "a lifetime of 3 h",
      "rules": ["SA-11", "SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"iat": "{{seconds-5s}}", "exp": "{{seconds+10795s}}"}}},
      "expected": {"status": 401, "text": "Unauthenticated"},
      "measures": {
        "setting": "auth.maximumLifetime",
        "points": [
          {"value": "180min"}
        ]
      }
    },
    {
      "id": "auth-expired",
      "title": "a JWT that has expired",
      "rules": ["SA-15"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request}}", "authorization": {"claims": {"iat": "{{seconds-30min}}", "exp": "{{seconds-20min}}"}}},
      "expected": {"status": 401, "text": "Unauthenticated"}
    }
  ]
}
"""##
    static let malformed = ##"""
{
  "title": "Malformed bodies; each has a mistake in an item too, so that no reading of it can be accepted",
  "cases": [
    {
      "id": "malformed-empty",
      "title": "no body",
      "rules": ["SA-51"],
      "kind": "transport",
      "tokens": [],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "body": ""},
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-cut-off",
      "title": "a body that ends in the middle",
      "rules": ["SA-51"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "body": "{\"requestIdentifier\":\"{{request}}\",\"externalPurchaseId\":\"{{token}}\",\"status\":\"LINE_ITEM\",\"lineItems\":[{\"lineItemId\":\"{{item.sentinel}}\",\"creationDate\":\"{{created+1s}}\",\"eventType\":\"BUY\",\"productType\":\"ONE_TIME_BUY\",\"productIdentifier\":\"sticker.book\",\"quantity\":1,\"amountTaxExclusive\":10000,\"taxAmount\":2000,\"amountTaxInclusive\":12000,\"netAmountTaxExclusive\":10000,\"pricingCurrency\":\"EUR\",\"reportingCurrency\":\"EUR\"}"},
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-text-after",
      "title": "text after the JSON value",
      "rules": ["SA-51"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "body": "{\"requestIdentifier\":\"{{request}}\",\"externalPurchaseId\":\"{{token}}\",\"status\":\"LINE_ITEM\",\"lineItems\":[{\"lineItemId\":\"{{item.sentinel}}\",\"creationDate\":\"{{created+1s}}\",\"eventType\":\"BUY\",\"productType\":\"ONE_TIME_BUY\",\"productIdentifier\":\"sticker.book\",\"quantity\":1,\"amountTaxExclusive\":10000,\"taxAmount\":2000,\"amountTaxInclusive\":12000,\"netAmountTaxExclusive\":10000,\"pricingCurrency\":\"EUR\",\"reportingCurrency\":\"EUR\"}]} x"},
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-array",
      "title": "an array in place of the report",
      "rules": ["SA-51"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "body": "[{\"requestIdentifier\":\"{{request}}\",\"externalPurchaseId\":\"{{token}}\",\"status\":\"LINE_ITEM\",\"lineItems\":[{\"lineItemId\":\"{{item.sentinel}}\",\"creationDate\":\"{{created+1s}}\",\"eventType\":\"BUY\",\"productType\":\"ONE_TIME_BUY\",\"productIdentifier\":\"sticker.book\",\"quantity\":1,\"amountTaxExclusive\":10000,\"taxAmount\":2000,\"amountTaxInclusive\":12000,\"netAmountTaxExclusive\":10000,\"pricingCurrency\":\"EUR\",\"reportingCurrency\":\"EUR\"}]}]"},
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-repeated-key",
      "title": "a repeated key",
      "rules": ["SA-51"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "body": "{\"requestIdentifier\":\"{{request}}\",\"externalPurchaseId\":\"{{token}}\",\"status\":\"LINE_ITEM\",\"lineItems\":[{\"lineItemId\":\"{{item.sentinel}}\",\"creationDate\":\"{{created+1s}}\",\"eventType\":\"BUY\",\"productType\":\"ONE_TIME_BUY\",\"productIdentifier\":\"sticker.book\",\"quantity\":1,\"amountTaxExclusive\":10000,\"taxAmount\":2000,\"amountTaxInclusive\":12000,\"netAmountTaxExclusive\":10000,\"pricingCurrency\":\"EUR\",\"reportingCurrency\":\"EUR\"}],\"status\":\"LINE_ITEM\"}"},
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-repeated-unknown-key",
      "title": "a repeated key that the API does not know",
      "rules": ["SA-51"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "body": "{\"requestIdentifier\":\"{{request}}\",\"externalPurchaseId\":\"{{token}}\",\"status\":\"LINE_ITEM\",\"lineItems\":[{\"lineItemId\":\"{{item.sentinel}}\",\"creationDate\":\"{{created+1s}}\",\"eventType\":\"BUY\",\"productType\":\"ONE_TIME_BUY\",\"productIdentifier\":\"sticker.book\",\"quantity\":1,\"amountTaxExclusive\":10000,\"taxAmount\":2000,\"amountTaxInclusive\":12000,\"netAmountTaxExclusive\":10000,\"pricingCurrency\":\"EUR\",\"reportingCurrency\":\"EUR\"}],\"note\":1,\"note\":2}"},
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-not-utf8",
      "title": "a byte that is not UTF-8",
      "rules": ["SA-51"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "body": "{\"requestIdentifier\":\"{{request}}\",\"externalPurchaseId\":\"{{token}}\",\"status\":\"LINE_ITEM\",\"lineItems\":[{\"lineItemId\":\"{{item.sentinel}}\",\"creationDate\":\"{{created+1s}}\",\"eventType\":\"BUY\",\"productType\":\"ONE_TIME_BUY\",\"productIdentifier\":\"sticker.book\",\"quantity\":1,\"amountTaxExclusive\":10000,\"taxAmount\":2000,\"amountTaxInclusive\":12000,\"netAmountTaxExclusive\":10000,\"pricingCurrency\":\"EUR\",\"reportingCurrency\":\"EUR\"}],\"note\":\"{{byte.FF}}\"}"},
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-status-number",
      "title": "status is a number",
      "rules": ["SA-52"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": 1,
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-line-items-object",
      "title": "lineItems is an object",
      "rules": ["SA-52"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "report": {"requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM", "lineItems": {}}},
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-line-item-text",
      "title": "an element of lineItems is a text",
      "rules": ["SA-52"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            "x"
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-quantity-text",
      "title": "quantity is a text",
      "rules": ["SA-52"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": "1", "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-restatement-text",
      "title": "restatement is a text",
      "rules": ["SA-52"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": "true"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-amount-fraction",
      "title": "an amount with a fraction",
      "rules": ["SA-53"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000.5, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-amount-too-large",
      "title": "an amount above 64 bits",
      "rules": ["SA-53"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 9223372036854775808, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-days-too-large",
      "title": "paid days above 32 bits",
      "rules": ["SA-53"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.s}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 2147483648, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-request-identifier",
      "title": "requestIdentifier is not a UUID",
      "rules": ["SA-54"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "not-a-uuid", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-status-unknown",
      "title": "an unknown status",
      "rules": ["SA-55"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "SOLD",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-status-lower-case",
      "title": "a status in lower case",
      "rules": ["SA-55"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "line_item",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-event-type-unknown",
      "title": "an unknown eventType",
      "rules": ["SA-55"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "SALE", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-product-type-unknown",
      "title": "an unknown productType",
      "rules": ["SA-55"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "RENTAL", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-subscription-event-unknown",
      "title": "an unknown subscriptionEvent",
      "rules": ["SA-55"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.s}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "INITIAL_BUY", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-pricing-currency",
      "title": "pricingCurrency in lower case",
      "rules": ["SA-56"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "eur", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-rate-exponent",
      "title": "exchangeRate with an exponent",
      "rules": ["SA-57"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.f}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": "6.9e-3", "taxCountry": "ISL"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-rate-plus",
      "title": "exchangeRate with a plus sign",
      "rules": ["SA-57"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.f}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": "+0.0069", "taxCountry": "ISL"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-rate-comma",
      "title": "exchangeRate with a comma",
      "rules": ["SA-57"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.f}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": "0,0069", "taxCountry": "ISL"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "malformed-rate-no-digit",
      "title": "exchangeRate without a digit before the point",
      "rules": ["SA-57"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.f}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": ".0069", "taxCountry": "ISL"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""}
    },
    {
      "id": "reads-unknown-members",
      "title": "members that the API does not know",
      "rules": ["SA-58"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM", "note": "x",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "note": {"a": [1]}}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      }
    },
    {
      "id": "reads-null-and-empty",
      "title": "null and empty texts count as absent",
      "rules": ["SA-58", "E4"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": null},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": ""},
            {"lineItemId": "{{item.c}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "referenceLineItemId": null},
            {"lineItemId": "{{item.d}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "exchangeRate": ""},
            {"lineItemId": "{{item.e}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": null, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.a}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.b}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "quantity", "lineItemId": "{{item.e}}"}
        ]
      }
    },
    {
      "id": "reads-number-forms",
      "title": "10.0 and 1e1 are the integer 10",
      "rules": ["SA-53"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{item.a}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 10.0, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1e1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      }
    },
    {
      "id": "malformed-size-small",
      "title": "a body of 256 KiB",
      "rules": ["SA-4", "SA-51"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports", "padTo": 262144,
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "measures": {
        "setting": "limits.bodyBytes",
        "points": [
          {"value": "262144"}
        ]
      }
    },
    {
      "id": "malformed-size-largest",
      "title": "a body of 1 MiB",
      "rules": ["SA-4", "SA-51"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports", "padTo": 1048576,
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "measures": {
        "setting": "limits.bodyBytes",
        "points": [
          {"value": "1048576"}
        ]
      }
    },
    {
      "id": "malformed-size-too-large",
      "title": "a body of one byte more than 1 MiB",
      "rules": ["SA-4", "SA-51"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports", "padTo": 1048577,
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""},
      "measures": {
        "setting": "limits.bodyBytes",
        "points": [
          {"value": "1048577"}
        ]
      }
    },
    {
      "id": "malformed-size-much-too-large",
      "title": "a body of 3 MiB",
      "rules": ["SA-4", "SA-51"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports", "padTo": 3145728,
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {"status": 400, "text": ""},
      "measures": {
        "setting": "limits.bodyBytes",
        "points": [
          {"value": "3145728"}
        ]
      }
    },
    {
      "id": "malformed-items-100",
      "title": "100 line items",
      "rules": ["SA-4", "SA-52"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"repeat": 99, "item": {"lineItemId": "{{item.n{{index}}}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "measures": {
        "setting": "limits.lineItems",
        "points": [
          {"value": "100"}
        ]
      }
    },
    {
      "id": "malformed-items-most",
      "title": "1,000 line items",
      "rules": ["SA-4", "SA-52"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"repeat": 999, "item": {"lineItemId": "{{item.n{{index}}}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "measures": {
        "setting": "limits.lineItems",
        "points": [
          {"value": "1000"}
        ]
      }
    },
    {
      "id": "malformed-items-too-many",
      "title": "1,001 line items",
      "rules": ["SA-4", "SA-52"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"repeat": 1000, "item": {"lineItemId": "{{item.n{{index}}}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}}
          ]
        }
      },
      "expected": {"status": 400, "text": ""},
      "measures": {
        "setting": "limits.lineItems",
        "points": [
          {"value": "1001"}
        ]
      }
    },
    {
      "id": "malformed-items-much-too-many",
      "title": "1,500 line items",
      "rules": ["SA-4", "SA-52"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"repeat": 1499, "item": {"lineItemId": "{{item.n{{index}}}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}}
          ]
        }
      },
      "expected": {"status": 400, "text": ""},
      "measures": {
        "setting": "limits.lineItems",
        "points": [
          {"value": "1500"}
        ]
      }
    }
  ]
}
"""##
    static let report = ##"""
{
  "title": "Rules on the report",
  "cases": [
    {
      "id": "E4-request-identifier",
      "title": "a report without requestIdentifier",
      "rules": ["E4r"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "requestIdentifier"}
        ]
      }
    },
    {
      "id": "E4-external-purchase-id",
      "title": "a report without externalPurchaseId",
      "rules": ["E4r"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "externalPurchaseId"}
        ]
      }
    },
    {
      "id": "E4-status",
      "title": "a report without status",
      "rules": ["E4r", "RR-3"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "status"}
        ]
      }
    },
    {
      "id": "E4-report-all",
      "title": "a report without any member",
      "rules": ["E4r"],
      "kind": "refused",
      "tokens": [],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "report": {}},
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "requestIdentifier"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "externalPurchaseId"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "status"}
        ]
      }
    },
    {
      "id": "E3-token-unknown",
      "title": "a token that Apple never made",
      "rules": ["E3r"],
      "kind": "refused",
      "tokens": [],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "report": {"requestIdentifier": "{{request}}", "externalPurchaseId": "SANDBOX_00000000-0000-4000-8000-000000000000", "status": "NO_LINE_ITEM"}},
      "expected": {
        "status": 400,
        "errors": [
          {"code": 3, "message": "The referenced value was not found.", "fieldName": "externalPurchaseId"}
        ]
      }
    },
    {
      "id": "E3-token-of-other-environment",
      "title": "an id without the prefix of the sandbox",
      "rules": ["E3r", "SA-91"],
      "kind": "refused",
      "tokens": [],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "report": {"requestIdentifier": "{{request}}", "externalPurchaseId": "00000000-0000-4000-8000-000000000000", "status": "NO_LINE_ITEM"}},
      "expected": {
        "status": 400,
        "errors": [
          {"code": 3, "message": "The referenced value was not found.", "fieldName": "externalPurchaseId"}
        ]
      }
    },
    {
      "id": "E3-token-unknown-items-validated",
      "title": "an unknown token does not stop the validation of items",
      "rules": ["E3r", "RR-3"],
      "kind": "refused",
      "tokens": [],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "SANDBOX_00000000-0000-4000-8000-000000000000", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{now-1h}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 3, "message": "The referenced value was not found.", "fieldName": "externalPurchaseId"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      }
    },
    {
      "id": "E9-absent",
      "title": "LINE_ITEM without line items",
      "rules": ["E9"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "report": {"requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM"}},
      "expected": {
        "status": 400,
        "errors": [
          {"code": 9, "message": "Missing line items for an external purchase ID that has a LINE_ITEM status.", "fieldName": "status"}
        ]
      }
    },
    {
      "id": "E9-empty",
      "title": "LINE_ITEM with an empty array",
      "rules": ["E9"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "report": {"requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM", "lineItems": []}},
      "expected": {
        "status": 400,
        "errors": [
          {"code": 9, "message": "Missing line items for an external purchase ID that has a LINE_ITEM status.", "fieldName": "status"}
        ]
      }
    },
    {
      "id": "E10-no-line-item",
      "title": "NO_LINE_ITEM with a line item",
      "rules": ["E10"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "unreported": true,
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "NO_LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 10, "message": "A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status.", "fieldName": "status"}
        ]
      }
    },
    {
      "id": "E10-unrecognized-token",
      "title": "UNRECOGNIZED_TOKEN with a line item",
      "rules": ["E10"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "unreported": true,
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "UNRECOGNIZED_TOKEN",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 10, "message": "A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status.", "fieldName": "status"}
        ]
      }
    },
    {
      "id": "E10-duplicate-token",
      "title": "DUPLICATE_TOKEN with a line item",
      "rules": ["E10"],
      "kind": "refused",
      "tokens": ["SERVICES", "ACQUISITION"],
      "unreported": true,
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "DUPLICATE_TOKEN",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 10, "message": "A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status.", "fieldName": "status"}
        ]
      }
    },
    {
      "id": "E10-items-not-validated",
      "title": "line items are only counted with another status than LINE_ITEM",
      "rules": ["E10", "RR-3"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "unreported": true,
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "NO_LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 10, "message": "A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status.", "fieldName": "status"}
        ]
      }
    },
    {
      "id": "E37",
      "title": "DUPLICATE_TOKEN on a token without a period",
      "rules": ["E37"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY"],
      "unreported": true,
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "report": {"requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "DUPLICATE_TOKEN"}},
      "expected": {
        "status": 400,
        "errors": [
          {"code": 37, "message": "The DUPLICATE_TOKEN status is not allowed for this token type.", "fieldName": "status"}
        ]
      }
    },
    {
      "id": "E37-with-item",
      "title": "DUPLICATE_TOKEN with a line item on a token without a period",
      "rules": ["E37", "E10", "RR-2"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY"],
      "unreported": true,
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "DUPLICATE_TOKEN",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 10, "message": "A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status.", "fieldName": "status"},
          {"code": 37, "message": "The DUPLICATE_TOKEN status is not allowed for this token type.", "fieldName": "status"}
        ]
      }
    }
  ]
}
"""##
    static let lineItem = ##"""
{
  "title": "Rules on one line item",
  "cases": [
    {
      "id": "E4-one-time-buy",
      "title": "every required field of a one-time buy, one missing in each item",
      "rules": ["E4"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.f0}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f1}}", "creationDate": "{{created+1s}}", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f2}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f3}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f4}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f5}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f6}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f7}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f8}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f9}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f10}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f11}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "creationDate", "lineItemId": "{{item.f0}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "eventType", "lineItemId": "{{item.f1}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "productType", "lineItemId": "{{item.f2}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "productIdentifier", "lineItemId": "{{item.f3}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "quantity", "lineItemId": "{{item.f4}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "amountTaxExclusive", "lineItemId": "{{item.f5}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxAmount", "lineItemId": "{{item.f6}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "amountTaxInclusive", "lineItemId": "{{item.f7}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.f8}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "pricingCurrency", "lineItemId": "{{item.f9}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "reportingCurrency", "lineItemId": "{{item.f10}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.f11}}"}
        ]
      }
    },
    {
      "id": "E4-line-item-id",
      "title": "an item without lineItemId",
      "rules": ["E4", "SA-21"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "lineItemId"}
        ]
      }
    },
    {
      "id": "E4-subscription",
      "title": "every required field of a subscription, one missing in each item",
      "rules": ["E4"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.f0}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f1}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f2}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f3}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+30d}}", "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "subscriptionEvent", "lineItemId": "{{item.f0}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "subscriptionStartDate", "lineItemId": "{{item.f1}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "subscriptionEndDate", "lineItemId": "{{item.f2}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "subscriptionDaysOfPaidService", "lineItemId": "{{item.f3}}"}
        ]
      }
    },
    {
      "id": "E4-references",
      "title": "an event and a refund without their reference",
      "rules": ["E4", "SA-41"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.w}}", "creationDate": "{{created+2s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "RENEWAL", "subscriptionStartDate": "{{created+2s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 30, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "referenceLineItemId", "lineItemId": "{{item.w}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "referenceLineItemId", "lineItemId": "{{item.r}}"}
        ]
      }
    },
    {
      "id": "E4-exchange-rate",
      "title": "no rate with two currencies",
      "rules": ["E4", "SA-40"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.f}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "taxCountry": "ISL"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "exchangeRate", "lineItemId": "{{item.f}}"}
        ]
      }
    },
    {
      "id": "E5-exchange-rate",
      "title": "a rate with one currency",
      "rules": ["E5", "SA-40"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "exchangeRate": 1}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 5, "message": "The provided field is not allowed.", "fieldName": "exchangeRate", "lineItemId": "{{item.o}}"}
        ]
      }
    },
    {
      "id": "E5-one-time-buy",
      "title": "fields of a subscription on a one-time buy",
      "rules": ["E5"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+2s}}", "subscriptionDaysOfPaidService": 0, "referenceLineItemId": "{{item.x}}"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 5, "message": "The provided field is not allowed.", "fieldName": "subscriptionEvent", "lineItemId": "{{item.o}}"},
          {"code": 5, "message": "The provided field is not allowed.", "fieldName": "subscriptionStartDate", "lineItemId": "{{item.o}}"},
          {"code": 5, "message": "The provided field is not allowed.", "fieldName": "subscriptionEndDate", "lineItemId": "{{item.o}}"},
          {"code": 5, "message": "The provided field is not allowed.", "fieldName": "subscriptionDaysOfPaidService", "lineItemId": "{{item.o}}"},
          {"code": 5, "message": "The provided field is not allowed.", "fieldName": "referenceLineItemId", "lineItemId": "{{item.o}}"}
        ]
      }
    },
    {
      "id": "E5-start",
      "title": "a reference on a subscription start",
      "rules": ["E5", "SA-41"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.s}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "referenceLineItemId": "{{item.x}}"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 5, "message": "The provided field is not allowed.", "fieldName": "referenceLineItemId", "lineItemId": "{{item.s}}"}
        ]
      }
    },
    {
      "id": "E5-refund",
      "title": "fields of a buy on a refund",
      "rules": ["E5"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 5, "message": "The provided field is not allowed.", "fieldName": "productType", "lineItemId": "{{item.r}}"},
          {"code": 5, "message": "The provided field is not allowed.", "fieldName": "productIdentifier", "lineItemId": "{{item.r}}"},
          {"code": 5, "message": "The provided field is not allowed.", "fieldName": "quantity", "lineItemId": "{{item.r}}"}
        ]
      }
    },
    {
      "id": "E19-line-item-id",
      "title": "a lineItemId of 128 and of 129 characters",
      "rules": ["E19", "SA-45"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{x*128}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{x*129}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"},
          {"code": 19, "message": "The field's maximum length is exceeded.", "fieldName": "lineItemId", "lineItemId": "{{x*129}}"}
        ]
      },
      "measures": {
        "setting": "limits.textLength", "code": 19,
        "points": [
          {"item": "{{x*128}}", "value": "128"},
          {"item": "{{x*129}}", "value": "129"}
        ]
      }
    },
    {
      "id": "E19-reference",
      "title": "a referenceLineItemId of 129 characters, which names an item",
      "rules": ["E19"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"},
            {"lineItemId": "{{x*129}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{x*129}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"},
          {"code": 19, "message": "The field's maximum length is exceeded.", "fieldName": "lineItemId", "lineItemId": "{{x*129}}"},
          {"code": 19, "message": "The field's maximum length is exceeded.", "fieldName": "referenceLineItemId", "lineItemId": "{{item.r}}"}
        ]
      },
      "measures": {
        "setting": "limits.textLength", "code": 19,
        "points": [
          {"item": "{{x*129}}", "value": "129"},
          {"item": "r", "value": "129"}
        ]
      }
    },
    {
      "id": "E19-product-identifier",
      "title": "a productIdentifier of 256 and of 257 characters",
      "rules": ["E19"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "{{x*256}}", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "{{x*257}}", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.c}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "{{x*1000}}", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 19, "message": "The field's maximum length is exceeded.", "fieldName": "productIdentifier", "lineItemId": "{{item.b}}"},
          {"code": 19, "message": "The field's maximum length is exceeded.", "fieldName": "productIdentifier", "lineItemId": "{{item.c}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "measures": {
        "setting": "limits.productIdentifierLength", "code": 19,
        "points": [
          {"item": "a", "value": "256"},
          {"item": "b", "value": "257"},
          {"item": "c", "value": "1000"}
        ]
      }
    },
    {
      "id": "E19-pricing-currency",
      "title": "a pricingCurrency of 129 characters",
      "rules": ["E19", "SA-56"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "{{X*129}}", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 19, "message": "The field's maximum length is exceeded.", "fieldName": "pricingCurrency", "lineItemId": "{{item.o}}"}
        ]
      },
      "measures": {
        "setting": "limits.textLength", "code": 19,
        "points": [
          {"item": "o", "value": "129"}
        ]
      }
    },
    {
      "id": "E19-exchange-rate",
      "title": "an exchangeRate of 129 characters",
      "rules": ["E19"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.f}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": "0.{{1*127}}", "taxCountry": "ISL"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 19, "message": "The field's maximum length is exceeded.", "fieldName": "exchangeRate", "lineItemId": "{{item.f}}"}
        ]
      },
      "measures": {
        "setting": "limits.textLength", "code": 19,
        "points": [
          {"item": "f", "value": "129"}
        ]
      }
    },
    {
      "id": "E7-tax-country",
      "title": "a taxCountry of two letters, in lower case and of no country",
      "rules": ["E7"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "aut"},
            {"lineItemId": "{{item.c}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "ZZZ"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 7, "message": "The provided value is unknown for an enumeration.", "fieldName": "taxCountry", "lineItemId": "{{item.a}}"},
          {"code": 7, "message": "The provided value is unknown for an enumeration.", "fieldName": "taxCountry", "lineItemId": "{{item.b}}"},
          {"code": 7, "message": "The provided value is unknown for an enumeration.", "fieldName": "taxCountry", "lineItemId": "{{item.c}}"}
        ]
      }
    },
    {
      "id": "E7-reporting-currency",
      "title": "a reportingCurrency in lower case and one that is not reportable",
      "rules": ["E7", "RR-50"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "eur", "taxCountry": "AUT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "ISK", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 7, "message": "The provided value is unknown for an enumeration.", "fieldName": "reportingCurrency", "lineItemId": "{{item.a}}"},
          {"code": 7, "message": "The provided value is unknown for an enumeration.", "fieldName": "reportingCurrency", "lineItemId": "{{item.b}}"}
        ]
      }
    },
    {
      "id": "E15",
      "title": "a negative value of each field",
      "rules": ["E15"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": -1, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": -1, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.c}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": -1, "amountTaxInclusive": 9999, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.d}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": -1, "taxAmount": 1, "amountTaxInclusive": 0, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.e}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 0, "taxAmount": 0, "amountTaxInclusive": -1, "netAmountTaxExclusive": 0, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 15, "message": "This field doesn't allow a negative value.", "fieldName": "subscriptionDaysOfPaidService", "lineItemId": "{{item.a}}"},
          {"code": 15, "message": "This field doesn't allow a negative value.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.b}}"},
          {"code": 15, "message": "This field doesn't allow a negative value.", "fieldName": "taxAmount", "lineItemId": "{{item.c}}"},
          {"code": 15, "message": "This field doesn't allow a negative value.", "fieldName": "amountTaxExclusive", "lineItemId": "{{item.d}}"},
          {"code": 15, "message": "This field doesn't allow a negative value.", "fieldName": "amountTaxInclusive", "lineItemId": "{{item.e}}"}
        ]
      }
    },
    {
      "id": "E16-quantity",
      "title": "a quantity of zero and below",
      "rules": ["E16"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 0, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": -1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 16, "message": "This field requires a positive value.", "fieldName": "quantity", "lineItemId": "{{item.a}}"},
          {"code": 16, "message": "This field requires a positive value.", "fieldName": "quantity", "lineItemId": "{{item.b}}"}
        ]
      }
    },
    {
      "id": "E16-exchange-rate",
      "title": "a rate of zero and below",
      "rules": ["E16"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": 0, "taxCountry": "ISL"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": "-0.0069", "taxCountry": "ISL"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 16, "message": "This field requires a positive value.", "fieldName": "exchangeRate", "lineItemId": "{{item.a}}"},
          {"code": 16, "message": "This field requires a positive value.", "fieldName": "exchangeRate", "lineItemId": "{{item.b}}"}
        ]
      }
    },
    {
      "id": "E6-window",
      "title": "refunds dated up to 25 h in the future",
      "rules": ["E6"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.a}}", "creationDate": "{{now+1min}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 500, "taxAmount": 100, "amountTaxInclusive": 600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{now+4min}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 500, "taxAmount": 100, "amountTaxInclusive": 600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.c}}", "creationDate": "{{now+6min}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 500, "taxAmount": 100, "amountTaxInclusive": 600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.d}}", "creationDate": "{{now+15min}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 500, "taxAmount": 100, "amountTaxInclusive": 600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.e}}", "creationDate": "{{now+2h}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 500, "taxAmount": 100, "amountTaxInclusive": 600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.f}}", "creationDate": "{{now+25h}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 500, "taxAmount": 100, "amountTaxInclusive": 600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 6, "message": "The provided date field is in the future and future values are not allowed.", "fieldName": "creationDate", "lineItemId": "{{item.c}}"},
          {"code": 6, "message": "The provided date field is in the future and future values are not allowed.", "fieldName": "creationDate", "lineItemId": "{{item.d}}"},
          {"code": 6, "message": "The provided date field is in the future and future values are not allowed.", "fieldName": "creationDate", "lineItemId": "{{item.e}}"},
          {"code": 6, "message": "The provided date field is in the future and future values are not allowed.", "fieldName": "creationDate", "lineItemId": "{{item.f}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "measures": {
        "setting": "rules.clockSkew", "code": 6,
        "points": [
          {"item": "a", "value": "1min"},
          {"item": "b", "value": "4min"},
          {"item": "c", "value": "6min"},
          {"item": "d", "value": "15min"},
          {"item": "e", "value": "2h"},
          {"item": "f", "value": "25h"}
        ]
      }
    },
    {
      "id": "E27-window",
      "title": "buys dated up to 3,000 days in the past",
      "rules": ["E27"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{now-500d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{now-1094d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.c}}", "creationDate": "{{now-1096d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.d}}", "creationDate": "{{now-1500d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.e}}", "creationDate": "{{now-3000d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 27, "message": "The provided date is too far in the past. Date must be in milliseconds.", "fieldName": "creationDate", "lineItemId": "{{item.c}}"},
          {"code": 27, "message": "The provided date is too far in the past. Date must be in milliseconds.", "fieldName": "creationDate", "lineItemId": "{{item.d}}"},
          {"code": 27, "message": "The provided date is too far in the past. Date must be in milliseconds.", "fieldName": "creationDate", "lineItemId": "{{item.e}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "measures": {
        "setting": "rules.creationDateLimit", "code": 27,
        "points": [
          {"item": "a", "value": "500d"},
          {"item": "b", "value": "1094d"},
          {"item": "c", "value": "1096d"},
          {"item": "d", "value": "1500d"},
          {"item": "e", "value": "3000d"}
        ]
      }
    },
    {
      "id": "E27-seconds",
      "title": "dates in seconds",
      "rules": ["E27"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{seconds-1h}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{seconds-1h}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.c}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{seconds+1h}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 27, "message": "The provided date is too far in the past. Date must be in milliseconds.", "fieldName": "creationDate", "lineItemId": "{{item.a}}"},
          {"code": 27, "message": "The provided date is too far in the past. Date must be in milliseconds.", "fieldName": "subscriptionStartDate", "lineItemId": "{{item.b}}"},
          {"code": 27, "message": "The provided date is too far in the past. Date must be in milliseconds.", "fieldName": "subscriptionEndDate", "lineItemId": "{{item.c}}"}
        ]
      }
    },
    {
      "id": "E27-period-window",
      "title": "subscription periods that began up to 6,000 days ago",
      "rules": ["E27"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{now-1000d}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{now-3649d}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.c}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{now-3651d}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.d}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{now-4500d}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.e}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{now-6000d}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 27, "message": "The provided date is too far in the past. Date must be in milliseconds.", "fieldName": "subscriptionStartDate", "lineItemId": "{{item.c}}"},
          {"code": 27, "message": "The provided date is too far in the past. Date must be in milliseconds.", "fieldName": "subscriptionStartDate", "lineItemId": "{{item.d}}"},
          {"code": 27, "message": "The provided date is too far in the past. Date must be in milliseconds.", "fieldName": "subscriptionStartDate", "lineItemId": "{{item.e}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "measures": {
        "setting": "rules.periodDateLimit", "code": 27,
        "points": [
          {"item": "a", "value": "1000d"},
          {"item": "b", "value": "3649d"},
          {"item": "c", "value": "3651d"},
          {"item": "d", "value": "4500d"},
          {"item": "e", "value": "6000d"}
        ]
      }
    },
    {
      "id": "E17",
      "title": "a period that ends before it begins",
      "rules": ["E17"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+0ms}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+1s}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 17, "message": "The start date is after the end date.", "fieldName": "subscriptionEndDate", "lineItemId": "{{item.a}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      }
    },
    {
      "id": "E36-before",
      "title": "a buy dated before its token",
      "rules": ["E36"],
      "kind": "refused",
      "tokens": ["SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{created-1ms}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+0ms}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 36, "message": "The line item's creation date is outside the active range of the token. Date must be in milliseconds.", "fieldName": "creationDate", "lineItemId": "{{item.a}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      }
    },
    {
      "id": "E36-after",
      "title": "a buy dated after the expiration of its token",
      "rules": ["E36"],
      "kind": "refused",
      "tokens": ["SERVICES", "ACQUISITION"],
      "expired": true,
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{expires+1ms}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{expires+0ms}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 36, "message": "The line item's creation date is outside the active range of the token. Date must be in milliseconds.", "fieldName": "creationDate", "lineItemId": "{{item.a}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      }
    },
    {
      "id": "E36-refund",
      "title": "a refund dated after the expiration of its token",
      "rules": ["E36"],
      "kind": "refused",
      "tokens": ["SERVICES", "ACQUISITION"],
      "expired": true,
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.r}}", "creationDate": "{{expires+1ms}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "alternatives": [
        {"setting": "rules.activeRangeForRefunds", "value": "on", "expected": {"status": 400, "errors": [{"code": 36, "message": "The line item's creation date is outside the active range of the token. Date must be in milliseconds.", "fieldName": "creationDate", "lineItemId": "{{item.r}}"}, {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}]}}
      ]
    },
    {
      "id": "E36-plain",
      "title": "a buy dated before a token without a period",
      "rules": ["E36"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{created-25h}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "alternatives": [
        {"setting": "rules.plainTokenRange", "value": "on", "expected": {"status": 400, "errors": [{"code": 36, "message": "The line item's creation date is outside the active range of the token. Date must be in milliseconds.", "fieldName": "creationDate", "lineItemId": "{{item.a}}"}, {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}]}}
      ]
    },
    {
      "id": "E11",
      "title": "amounts that do not add up",
      "rules": ["E11"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 11999, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 11, "message": "The tax exclusive amount plus the tax amount does not equal the tax inclusive amount.", "fieldName": "amountTaxInclusive", "lineItemId": "{{item.o}}"}
        ]
      }
    },
    {
      "id": "E18-listed",
      "title": "a reportable currency that is exchanged",
      "rules": ["E18", "RR-51"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.f}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "NOK", "reportingCurrency": "EUR", "exchangeRate": 0.0069, "taxCountry": "ISL"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 18, "message": "The reporting currency, which reports a currency exchange, isn't allowed.", "fieldName": "reportingCurrency", "lineItemId": "{{item.f}}"}
        ]
      }
    },
    {
      "id": "E18-unlisted",
      "title": "a currency that is exchanged into another than EUR and USD",
      "rules": ["E18", "RR-51"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK", "reportingCurrency": "GBP", "exchangeRate": 0.0069, "taxCountry": "ISL"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK", "reportingCurrency": "USD", "exchangeRate": 0.0069, "taxCountry": "ISL"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 18, "message": "The reporting currency, which reports a currency exchange, isn't allowed.", "fieldName": "reportingCurrency", "lineItemId": "{{item.a}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      }
    },
    {
      "id": "E34",
      "title": "a start with paid days",
      "rules": ["E34", "RR-15"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.s}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 30, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 34, "message": "The subscriptionDaysOfPaidService field must be zero for a line item with subscription event SUBSCRIPTION_START.", "fieldName": "subscriptionDaysOfPaidService", "lineItemId": "{{item.s}}"}
        ]
      }
    },
    {
      "id": "E35",
      "title": "a payment of nothing",
      "rules": ["E35"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.s}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.w}}", "creationDate": "{{created+2s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_PAYMENT", "subscriptionStartDate": "{{created+2s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 30, "referenceLineItemId": "{{item.s}}", "amountTaxExclusive": 0, "taxAmount": 0, "amountTaxInclusive": 0, "netAmountTaxExclusive": 0, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 35, "message": "The tax inclusive amount must be positive for line items with subscription event SUBSCRIPTION_PAYMENT.", "fieldName": "amountTaxInclusive", "lineItemId": "{{item.w}}"}
        ]
      }
    },
    {
      "id": "RR-4-one-error",
      "title": "a mistake causes one error, and no later rule reads the field",
      "rules": ["RR-4"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AT"},
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.a}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "DEU"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK", "reportingCurrency": "XXX", "exchangeRate": 0.0069, "taxCountry": "ISL"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 7, "message": "The provided value is unknown for an enumeration.", "fieldName": "taxCountry", "lineItemId": "{{item.a}}"},
          {"code": 7, "message": "The provided value is unknown for an enumeration.", "fieldName": "reportingCurrency", "lineItemId": "{{item.b}}"}
        ]
      }
    },
    {
      "id": "RR-2-order",
      "title": "the errors of a report and of two items in their order",
      "rules": ["RR-2"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{now+2h}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "{{x*257}}", "amountTaxExclusive": 10000, "taxAmount": -1, "amountTaxInclusive": 9999, "netAmountTaxExclusive": 9999, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AT", "exchangeRate": 1},
            {"lineItemId": "{{item.b}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 0, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+0ms}}", "subscriptionDaysOfPaidService": 30, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 5999, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "erroneouslySubmitted": true}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "requestIdentifier"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "quantity", "lineItemId": "{{item.a}}"},
          {"code": 5, "message": "The provided field is not allowed.", "fieldName": "exchangeRate", "lineItemId": "{{item.a}}"},
          {"code": 19, "message": "The field's maximum length is exceeded.", "fieldName": "productIdentifier", "lineItemId": "{{item.a}}"},
          {"code": 7, "message": "The provided value is unknown for an enumeration.", "fieldName": "taxCountry", "lineItemId": "{{item.a}}"},
          {"code": 15, "message": "This field doesn't allow a negative value.", "fieldName": "taxAmount", "lineItemId": "{{item.a}}"},
          {"code": 6, "message": "The provided date field is in the future and future values are not allowed.", "fieldName": "creationDate", "lineItemId": "{{item.a}}"},
          {"code": 12, "message": "The net amount value does not match the expected value.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.a}}"},
          {"code": 16, "message": "This field requires a positive value.", "fieldName": "quantity", "lineItemId": "{{item.b}}"},
          {"code": 17, "message": "The start date is after the end date.", "fieldName": "subscriptionEndDate", "lineItemId": "{{item.b}}"},
          {"code": 11, "message": "The tax exclusive amount plus the tax amount does not equal the tax inclusive amount.", "fieldName": "amountTaxInclusive", "lineItemId": "{{item.b}}"},
          {"code": 34, "message": "The subscriptionDaysOfPaidService field must be zero for a line item with subscription event SUBSCRIPTION_START.", "fieldName": "subscriptionDaysOfPaidService", "lineItemId": "{{item.b}}"},
          {"code": 20, "message": "Expecting restatement for an erroneously submitted line item, but line item is not a restatement.", "fieldName": "erroneouslySubmitted", "lineItemId": "{{item.b}}"}
        ]
      },
      "measures": {
        "setting": "limits.productIdentifierLength", "code": 19,
        "points": [
          {"item": "a", "value": "257"}
        ]
      }
    }
  ]
}
"""##
    static let lineItems = ##"""
{
  "title": "Rules that compare line items of one report",
  "cases": [
    {
      "id": "E1-in-report",
      "title": "two items with one id",
      "rules": ["E1"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 1, "message": "The field's value is already submitted and a duplicate value is not expected.", "fieldName": "lineItemId", "lineItemId": "{{item.o}}"}
        ]
      }
    },
    {
      "id": "E3-restated",
      "title": "a restatement of an item that was never accepted",
      "rules": ["E3"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 3, "message": "The referenced value was not found.", "fieldName": "lineItemId", "lineItemId": "{{item.o}}"}
        ]
      }
    },
    {
      "id": "E3-reference",
      "title": "a refund of an item that does not exist",
      "rules": ["E3"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 3, "message": "The referenced value was not found.", "fieldName": "referenceLineItemId", "lineItemId": "{{item.r}}"}
        ]
      }
    },
    {
      "id": "E20",
      "title": "erroneouslySubmitted without restatement",
      "rules": ["E20"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "erroneouslySubmitted": true}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 20, "message": "Expecting restatement for an erroneously submitted line item, but line item is not a restatement.", "fieldName": "erroneouslySubmitted", "lineItemId": "{{item.o}}"}
        ]
      }
    },
    {
      "id": "E13",
      "title": "a refund that references itself",
      "rules": ["E13"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.r}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 13, "message": "The line item may not reference itself.", "fieldName": "referenceLineItemId", "lineItemId": "{{item.r}}"}
        ]
      }
    },
    {
      "id": "E21-E28",
      "title": "a refund of a refund, seen from both ends",
      "rules": ["E21", "E28", "RR-2"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.r2}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.r}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 28, "message": "The line item has event type REFUND but is referenced by a different line item that also has event type REFUND.", "fieldName": "lineItemId", "lineItemId": "{{item.r}}"},
          {"code": 21, "message": "The referenced line item is not a buy.", "fieldName": "referenceLineItemId", "lineItemId": "{{item.r2}}"}
        ]
      }
    },
    {
      "id": "E14-E29",
      "title": "a renewal of a one-time buy, seen from both ends",
      "rules": ["E14", "E29", "RR-2"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.w}}", "creationDate": "{{created+2s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "RENEWAL", "subscriptionStartDate": "{{created+2s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 30, "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 29, "message": "The line item does not have subscription event INITIAL_BUY but it is referenced by a subscription line item with event type BUY.", "fieldName": "lineItemId", "lineItemId": "{{item.o}}"},
          {"code": 14, "message": "The referenced line item has no subscription event or its subscription event is not SUBSCRIPTION_START.", "fieldName": "referenceLineItemId", "lineItemId": "{{item.w}}"}
        ]
      }
    },
    {
      "id": "E14-E29-renewal",
      "title": "a renewal that references a renewal",
      "rules": ["E14", "E29"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.s}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.w}}", "creationDate": "{{created+2s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "RENEWAL", "subscriptionStartDate": "{{created+2s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 30, "referenceLineItemId": "{{item.s}}", "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.w2}}", "creationDate": "{{created+2s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "RENEWAL", "subscriptionStartDate": "{{created+2s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 30, "referenceLineItemId": "{{item.w}}", "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 29, "message": "The line item does not have subscription event INITIAL_BUY but it is referenced by a subscription line item with event type BUY.", "fieldName": "lineItemId", "lineItemId": "{{item.w}}"},
          {"code": 14, "message": "The referenced line item has no subscription event or its subscription event is not SUBSCRIPTION_START.", "fieldName": "referenceLineItemId", "lineItemId": "{{item.w2}}"}
        ]
      }
    },
    {
      "id": "E31",
      "title": "a refund dated before its buy",
      "rules": ["E31"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+999ms}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 31, "message": "The referenced line item has a creation date after the line item's creation date.", "fieldName": "creationDate", "lineItemId": "{{item.r}}"}
        ]
      }
    },
    {
      "id": "E31-equal",
      "title": "a refund dated as its buy",
      "rules": ["E31"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+1s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      }
    },
    {
      "id": "E2",
      "title": "a refund in another reporting currency",
      "rules": ["E2"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.f}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 7294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": 0.0069, "taxCountry": "ISL"},
            {"lineItemId": "{{item.g}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.f}}", "amountTaxExclusive": 1000, "taxAmount": 240, "amountTaxInclusive": 1240, "netAmountTaxExclusive": 7294, "pricingCurrency": "ISK", "reportingCurrency": "USD", "exchangeRate": 0.0069, "taxCountry": "ISL"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 2, "message": "The refund's referenced buy line item has a different reporting currency.", "fieldName": "reportingCurrency", "lineItemId": "{{item.g}}"}
        ]
      }
    },
    {
      "id": "E32",
      "title": "a refund in another pricing currency",
      "rules": ["E32"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.f}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 7294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": 0.0069, "taxCountry": "ISL"},
            {"lineItemId": "{{item.g}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.f}}", "amountTaxExclusive": 1000, "taxAmount": 240, "amountTaxInclusive": 1240, "netAmountTaxExclusive": 7294, "pricingCurrency": "UAH", "reportingCurrency": "EUR", "exchangeRate": 0.0069, "taxCountry": "ISL"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 32, "message": "The refund's referenced buy line item has a different pricing currency.", "fieldName": "pricingCurrency", "lineItemId": "{{item.g}}"}
        ]
      }
    },
    {
      "id": "E33",
      "title": "a refund with another exchange rate",
      "rules": ["E33"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.f}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 7294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": 0.0069, "taxCountry": "ISL"},
            {"lineItemId": "{{item.g}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.f}}", "amountTaxExclusive": 1000, "taxAmount": 240, "amountTaxInclusive": 1240, "netAmountTaxExclusive": 7294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": 0.007, "taxCountry": "ISL"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 33, "message": "The refund's referenced buy line item has a different exchange rate.", "fieldName": "exchangeRate", "lineItemId": "{{item.g}}"}
        ]
      }
    },
    {
      "id": "E33-equal",
      "title": "a refund with the same exchange rate in another spelling",
      "rules": ["E33", "SA-59"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.f}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 7294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": 0.0069, "taxCountry": "ISL"},
            {"lineItemId": "{{item.g}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.f}}", "amountTaxExclusive": 1000, "taxAmount": 240, "amountTaxInclusive": 1240, "netAmountTaxExclusive": 7294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": "0.00690", "taxCountry": "ISL"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      }
    },
    {
      "id": "E23",
      "title": "a refund with another tax country",
      "rules": ["E23"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "DEU"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 23, "message": "The refund's referenced buy line item has a different tax country.", "fieldName": "taxCountry", "lineItemId": "{{item.r}}"}
        ]
      }
    },
    {
      "id": "E40-window",
      "title": "refunds of buys that are up to 700 days older",
      "rules": ["E40", "RR-9"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.oa}}", "creationDate": "{{created-180d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.ra}}", "creationDate": "{{created+0ms}}", "eventType": "REFUND", "referenceLineItemId": "{{item.oa}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.ob}}", "creationDate": "{{created-365d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.rb}}", "creationDate": "{{created+0ms}}", "eventType": "REFUND", "referenceLineItemId": "{{item.ob}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.oc}}", "creationDate": "{{created-31536000001ms}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.rc}}", "creationDate": "{{created+0ms}}", "eventType": "REFUND", "referenceLineItemId": "{{item.oc}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.od}}", "creationDate": "{{created-400d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.rd}}", "creationDate": "{{created+0ms}}", "eventType": "REFUND", "referenceLineItemId": "{{item.od}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.oe}}", "creationDate": "{{created-700d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.re}}", "creationDate": "{{created+0ms}}", "eventType": "REFUND", "referenceLineItemId": "{{item.oe}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 40, "message": "Refund is not allowed for this line item because its creation date is too far in the past.", "fieldName": "creationDate", "lineItemId": "{{item.rc}}"},
          {"code": 40, "message": "Refund is not allowed for this line item because its creation date is too far in the past.", "fieldName": "creationDate", "lineItemId": "{{item.rd}}"},
          {"code": 40, "message": "Refund is not allowed for this line item because its creation date is too far in the past.", "fieldName": "creationDate", "lineItemId": "{{item.re}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "measures": {
        "setting": "rules.refundWindow", "code": 40,
        "points": [
          {"item": "ra", "value": "180d"},
          {"item": "rb", "value": "365d"},
          {"item": "rc", "value": "31536000001ms"},
          {"item": "rd", "value": "400d"},
          {"item": "re", "value": "700d"}
        ]
      }
    },
    {
      "id": "E40-now",
      "title": "a refund within a year of its buy that is reported later",
      "rules": ["E40"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{now-370d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.r}}", "creationDate": "{{now-6d}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "alternatives": [
        {"setting": "rules.refundWindowEnd", "value": "now", "expected": {"status": 400, "errors": [{"code": 40, "message": "Refund is not allowed for this line item because its creation date is too far in the past.", "fieldName": "creationDate", "lineItemId": "{{item.r}}"}, {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}]}}
      ]
    },
    {
      "id": "E24",
      "title": "a buy and its refund with different nets",
      "rules": ["E24", "RR-21"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 24, "message": "Two line items involved in the same net amount calculation have different net amount values.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.o}}"},
          {"code": 24, "message": "Two line items involved in the same net amount calculation have different net amount values.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.r}}"}
        ]
      }
    },
    {
      "id": "E12-buy",
      "title": "a buy whose net is not its amount",
      "rules": ["E12"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 9999, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 12, "message": "The net amount value does not match the expected value.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.o}}"}
        ]
      }
    },
    {
      "id": "E12-group",
      "title": "a buy and its refund with one wrong net",
      "rules": ["E12", "RR-21"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 6999, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 6999, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 12, "message": "The net amount value does not match the expected value.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.o}}"},
          {"code": 12, "message": "The net amount value does not match the expected value.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.r}}"}
        ]
      }
    },
    {
      "id": "E12-above",
      "title": "refunds above the buy: no net passes",
      "rules": ["E12", "RR-23"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 0, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 12000, "taxAmount": 2400, "amountTaxInclusive": 14400, "netAmountTaxExclusive": 0, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 12, "message": "The net amount value does not match the expected value.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.o}}"},
          {"code": 12, "message": "The net amount value does not match the expected value.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.r}}"}
        ]
      }
    },
    {
      "id": "RR-5-any-order",
      "title": "references reach items that follow",
      "rules": ["RR-5", "SA-64"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.w}}", "creationDate": "{{created+2s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "RENEWAL", "subscriptionStartDate": "{{created+2s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 30, "referenceLineItemId": "{{item.s}}", "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.s}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      }
    },
    {
      "id": "RR-2-order-refund",
      "title": "the errors of a refund that differs in everything",
      "rules": ["RR-2"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.f}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": 0.0069, "taxCountry": "ISL"},
            {"lineItemId": "{{item.g}}", "creationDate": "{{created+999ms}}", "eventType": "REFUND", "referenceLineItemId": "{{item.f}}", "amountTaxExclusive": 1000, "taxAmount": 240, "amountTaxInclusive": 1240, "netAmountTaxExclusive": 7294, "pricingCurrency": "UAH", "reportingCurrency": "USD", "exchangeRate": 0.007, "taxCountry": "DEU"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 24, "message": "Two line items involved in the same net amount calculation have different net amount values.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.f}}"},
          {"code": 31, "message": "The referenced line item has a creation date after the line item's creation date.", "fieldName": "creationDate", "lineItemId": "{{item.g}}"},
          {"code": 2, "message": "The refund's referenced buy line item has a different reporting currency.", "fieldName": "reportingCurrency", "lineItemId": "{{item.g}}"},
          {"code": 32, "message": "The refund's referenced buy line item has a different pricing currency.", "fieldName": "pricingCurrency", "lineItemId": "{{item.g}}"},
          {"code": 33, "message": "The refund's referenced buy line item has a different exchange rate.", "fieldName": "exchangeRate", "lineItemId": "{{item.g}}"},
          {"code": 23, "message": "The refund's referenced buy line item has a different tax country.", "fieldName": "taxCountry", "lineItemId": "{{item.g}}"},
          {"code": 24, "message": "Two line items involved in the same net amount calculation have different net amount values.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.g}}"}
        ]
      }
    }
  ]
}
"""##
    static let statuses = ##"""
{
  "title": "Statuses that are accepted",
  "cases": [
    {
      "id": "accepted-no-line-item",
      "title": "a token without a sale",
      "rules": ["SA-30", "EX-17"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "unreported": true,
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "report": {"requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "NO_LINE_ITEM"}},
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "accepted-unrecognized-token",
      "title": "a token that the merchant does not know",
      "rules": ["SA-30", "EX-16"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "unreported": true,
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "report": {"requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "UNRECOGNIZED_TOKEN"}},
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "accepted-duplicate-token",
      "title": "another token of the same period",
      "rules": ["SA-30", "EX-15", "E37"],
      "kind": "accepted",
      "tokens": ["SERVICES", "ACQUISITION"],
      "unreported": true,
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "report": {"requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "DUPLICATE_TOKEN"}},
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "accepted-empty-line-items",
      "title": "NO_LINE_ITEM with an empty array",
      "rules": ["SA-31"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "unreported": true,
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "report": {"requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "NO_LINE_ITEM", "lineItems": []}},
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    }
  ]
}
"""##
    static let sales = ##"""
{
  "title": "Sales and refunds that are accepted, and what must be refused after them",
  "cases": [
    {
      "id": "accepted-buy",
      "title": "a one-time buy",
      "rules": ["SA-30", "EX-1"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "get-accepted",
      "title": "the report as it was accepted",
      "rules": ["SA-23", "EX-18"],
      "kind": "transport",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy"],
      "request": {"method": "GET", "path": "/externalPurchase/v1/reports/{{request@accepted-buy}}"},
      "expected": {"status": 200, "json": {"report": {"requestIdentifier": "{{request@accepted-buy}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM", "lineItems": [{"lineItemId": "{{item.o@accepted-buy}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}]}}}
    },
    {
      "id": "E1-request-identifier",
      "title": "the requestIdentifier of an accepted report",
      "rules": ["E1r", "SA-61"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request@accepted-buy}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.new}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 1, "message": "The field's value is already submitted and a duplicate value is not expected.", "fieldName": "requestIdentifier"}
        ]
      }
    },
    {
      "id": "E1-word-for-word",
      "title": "an accepted report word for word",
      "rules": ["E1r", "E1", "SA-62"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request@accepted-buy}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o@accepted-buy}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 1, "message": "The field's value is already submitted and a duplicate value is not expected.", "fieldName": "requestIdentifier"},
          {"code": 1, "message": "The field's value is already submitted and a duplicate value is not expected.", "fieldName": "lineItemId", "lineItemId": "{{item.o@accepted-buy}}"}
        ]
      }
    },
    {
      "id": "E1-accepted",
      "title": "a new item under an accepted id",
      "rules": ["E1", "SA-63"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o@accepted-buy}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 1, "message": "The field's value is already submitted and a duplicate value is not expected.", "fieldName": "lineItemId", "lineItemId": "{{item.o@accepted-buy}}"}
        ]
      }
    },
    {
      "id": "E38",
      "title": "a restatement with another date",
      "rules": ["E38", "RR-81"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o@accepted-buy}}", "creationDate": "{{created+2s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 38, "message": "The restatement's creation date does not match the original line item's creation date.", "fieldName": "creationDate", "lineItemId": "{{item.o@accepted-buy}}"}
        ]
      }
    },
    {
      "id": "E8-no-line-item",
      "title": "NO_LINE_ITEM after line items",
      "rules": ["E8"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy"],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "report": {"requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "NO_LINE_ITEM"}},
      "expected": {
        "status": 400,
        "errors": [
          {"code": 8, "message": "Cannot mark status as NO_LINE_ITEM or UNRECOGNIZED_TOKEN after previously reporting as LINE_ITEM.", "fieldName": "status"}
        ]
      }
    },
    {
      "id": "E8-unrecognized-token",
      "title": "UNRECOGNIZED_TOKEN after line items",
      "rules": ["E8"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy"],
      "request": {"method": "PUT", "path": "/externalPurchase/v1/reports", "report": {"requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "UNRECOGNIZED_TOKEN"}},
      "expected": {
        "status": 400,
        "errors": [
          {"code": 8, "message": "Cannot mark status as NO_LINE_ITEM or UNRECOGNIZED_TOKEN after previously reporting as LINE_ITEM.", "fieldName": "status"}
        ]
      }
    },
    {
      "id": "E8-E10-order",
      "title": "NO_LINE_ITEM with a line item after line items",
      "rules": ["E8", "E10", "RR-2"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "NO_LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.new}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 8, "message": "Cannot mark status as NO_LINE_ITEM or UNRECOGNIZED_TOKEN after previously reporting as LINE_ITEM.", "fieldName": "status"},
          {"code": 10, "message": "A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status.", "fieldName": "status"}
        ]
      }
    },
    {
      "id": "E8-duplicate-token",
      "title": "DUPLICATE_TOKEN with a line item after line items",
      "rules": ["E8", "E10"],
      "kind": "refused",
      "tokens": ["SERVICES", "ACQUISITION"],
      "after": ["accepted-buy"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "DUPLICATE_TOKEN",
          "lineItems": [
            {"lineItemId": "{{item.new}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 8, "message": "Cannot mark status as NO_LINE_ITEM or UNRECOGNIZED_TOKEN after previously reporting as LINE_ITEM.", "fieldName": "status"},
          {"code": 10, "message": "A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status.", "fieldName": "status"}
        ]
      },
      "alternatives": [
        {"setting": "rules.statusRegressionForDuplicate", "value": "off", "expected": {"status": 400, "errors": [{"code": 10, "message": "A line item was provided for an external purchase ID that has a NO_LINE_ITEM or UNRECOGNIZED_TOKEN status.", "fieldName": "status"}]}}
      ]
    },
    {
      "id": "E3-restated-on-another-token",
      "title": "a restatement on another token than the item",
      "rules": ["E3"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy"],
      "anotherToken": true,
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o@accepted-buy}}", "creationDate": "{{created+1s@accepted-buy}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 3, "message": "The referenced value was not found.", "fieldName": "lineItemId", "lineItemId": "{{item.o@accepted-buy}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "alternatives": [
        {"setting": "rules.restatementAcrossTokens", "value": "allow", "expected": {"status": 400, "errors": [{"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}]}}
      ]
    },
    {
      "id": "SA-64-reference-to-another-token",
      "title": "a refund on another token than its buy",
      "rules": ["SA-64"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy"],
      "anotherToken": true,
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.r}}", "creationDate": "{{now+0ms}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o@accepted-buy}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      }
    },
    {
      "id": "accepted-refund",
      "title": "a partial refund",
      "rules": ["EX-8", "E12"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o@accepted-buy}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "E12-cumulative",
      "title": "a second refund that states the sum of both",
      "rules": ["E12", "RR-15"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy", "accepted-refund"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.r2}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o@accepted-buy}}", "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 12, "message": "The net amount value does not match the expected value.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.r2}}"}
        ]
      }
    },
    {
      "id": "E21-accepted",
      "title": "a refund of an accepted refund",
      "rules": ["E21"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy", "accepted-refund"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.r2}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.r@accepted-refund}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 21, "message": "The referenced line item is not a buy.", "fieldName": "referenceLineItemId", "lineItemId": "{{item.r2}}"}
        ]
      }
    },
    {
      "id": "E22",
      "title": "a buy retracted while its refund stands",
      "rules": ["E22"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy", "accepted-refund"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o@accepted-buy}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 0, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true, "erroneouslySubmitted": true}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 22, "message": "The line item has status erroneously submitted but is referenced by a non-erroneously submitted line item.", "fieldName": "erroneouslySubmitted", "lineItemId": "{{item.o@accepted-buy}}"}
        ]
      }
    },
    {
      "id": "accepted-restatement",
      "title": "a buy restated to other amounts",
      "rules": ["RR-20", "RR-80"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy", "accepted-refund"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o@accepted-buy}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8000, "taxAmount": 1600, "amountTaxInclusive": 9600, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "accepted-retracted-refund",
      "title": "a retracted refund: the net goes back up",
      "rules": ["EX-11", "RR-20"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy", "accepted-refund", "accepted-restatement"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.r@accepted-refund}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o@accepted-buy}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 8000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true, "erroneouslySubmitted": true}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "accepted-foreign-currency",
      "title": "a buy billed in a currency that is not reportable",
      "rules": ["EX-14", "E18"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.f}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 8294, "taxAmount": 1987, "amountTaxInclusive": 10281, "netAmountTaxExclusive": 8294, "pricingCurrency": "ISK", "reportingCurrency": "EUR", "exchangeRate": 0.0069, "taxCountry": "ISL"}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "accepted-buy-and-refund",
      "title": "a buy and its refund in one report",
      "rules": ["SA-64", "E24"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 7000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "accepted-buy-to-retract",
      "title": "a buy that is retracted later",
      "rules": ["RR-80"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "accepted-retraction",
      "title": "a retracted buy",
      "rules": ["E20", "RR-80"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy-to-retract"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o@accepted-buy-to-retract}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 0, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true, "erroneouslySubmitted": true}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "E30",
      "title": "a retraction sent twice",
      "rules": ["E30"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy-to-retract", "accepted-retraction"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o@accepted-buy-to-retract}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 0, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true, "erroneouslySubmitted": true}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 30, "message": "The line item has status erroneously submitted but its previous version was already marked erroneously submitted.", "fieldName": "erroneouslySubmitted", "lineItemId": "{{item.o@accepted-buy-to-retract}}"}
        ]
      }
    },
    {
      "id": "E25",
      "title": "a refund of a retracted buy",
      "rules": ["E25"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy-to-retract", "accepted-retraction"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.o@accepted-buy-to-retract}}", "amountTaxExclusive": 3000, "taxAmount": 600, "amountTaxInclusive": 3600, "netAmountTaxExclusive": 0, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 25, "message": "The line item references an erroneously submitted line item, but the line item itself is not erroneously submitted.", "fieldName": "erroneouslySubmitted", "lineItemId": "{{item.r}}"}
        ]
      }
    },
    {
      "id": "accepted-undo",
      "title": "a retraction undone",
      "rules": ["E30", "EX-13"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-buy-to-retract", "accepted-retraction"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.o@accepted-buy-to-retract}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "accepted-old-buys",
      "title": "buys dated up to 900 days in the past",
      "rules": ["E27", "E39"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a}}", "creationDate": "{{now-90d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.b}}", "creationDate": "{{now-364d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.c}}", "creationDate": "{{now-366d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.d}}", "creationDate": "{{now-500d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.e}}", "creationDate": "{{now-900d}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "E39-window",
      "title": "restatements of items that are up to 900 days old",
      "rules": ["E39"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY"],
      "after": ["accepted-old-buys"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.a@accepted-old-buys}}", "creationDate": "{{now-90d@accepted-old-buys}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true},
            {"lineItemId": "{{item.b@accepted-old-buys}}", "creationDate": "{{now-364d@accepted-old-buys}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true},
            {"lineItemId": "{{item.c@accepted-old-buys}}", "creationDate": "{{now-366d@accepted-old-buys}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true},
            {"lineItemId": "{{item.d@accepted-old-buys}}", "creationDate": "{{now-500d@accepted-old-buys}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true},
            {"lineItemId": "{{item.e@accepted-old-buys}}", "creationDate": "{{now-900d@accepted-old-buys}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true},
            {"lineItemId": "{{item.sentinel}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "ONE_TIME_BUY", "productIdentifier": "sticker.book", "quantity": 1, "amountTaxExclusive": 10000, "taxAmount": 2000, "amountTaxInclusive": 12000, "netAmountTaxExclusive": 10000, "pricingCurrency": "EUR", "reportingCurrency": "EUR"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 39, "message": "Restatement is not allowed for this line item because its creation date is too far in the past.", "fieldName": "creationDate", "lineItemId": "{{item.c@accepted-old-buys}}"},
          {"code": 39, "message": "Restatement is not allowed for this line item because its creation date is too far in the past.", "fieldName": "creationDate", "lineItemId": "{{item.d@accepted-old-buys}}"},
          {"code": 39, "message": "Restatement is not allowed for this line item because its creation date is too far in the past.", "fieldName": "creationDate", "lineItemId": "{{item.e@accepted-old-buys}}"},
          {"code": 4, "message": "A required field is missing.", "fieldName": "taxCountry", "lineItemId": "{{item.sentinel}}"}
        ]
      },
      "measures": {
        "setting": "rules.restatementWindow", "code": 39,
        "points": [
          {"item": "{{item.a@accepted-old-buys}}", "value": "90d"},
          {"item": "{{item.b@accepted-old-buys}}", "value": "364d"},
          {"item": "{{item.c@accepted-old-buys}}", "value": "366d"},
          {"item": "{{item.d@accepted-old-buys}}", "value": "500d"},
          {"item": "{{item.e@accepted-old-buys}}", "value": "900d"}
        ]
      }
    }
  ]
}
"""##
    static let subscriptions = ##"""
{
  "title": "Subscriptions that are accepted, and what must be refused after them",
  "cases": [
    {
      "id": "accepted-trial",
      "title": "the start of a free trial",
      "rules": ["EX-3", "RR-32"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.s}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 0, "taxAmount": 0, "amountTaxInclusive": 0, "netAmountTaxExclusive": 0, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "E12-trial",
      "title": "a refund of a trial that cost nothing",
      "rules": ["E12"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-trial"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.r}}", "creationDate": "{{created+2s}}", "eventType": "REFUND", "referenceLineItemId": "{{item.s@accepted-trial}}", "amountTaxExclusive": 100, "taxAmount": 20, "amountTaxInclusive": 120, "netAmountTaxExclusive": 0, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 12, "message": "The net amount value does not match the expected value.", "fieldName": "netAmountTaxExclusive", "lineItemId": "{{item.r}}"}
        ]
      }
    },
    {
      "id": "accepted-start",
      "title": "the start of a subscription",
      "rules": ["EX-2"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.s}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "accepted-renewal",
      "title": "a renewal of an accepted start",
      "rules": ["EX-5", "E14"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-start"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.w}}", "creationDate": "{{created+2s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "RENEWAL", "subscriptionStartDate": "{{created+2s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 30, "referenceLineItemId": "{{item.s@accepted-start}}", "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "E29-accepted",
      "title": "a start with a renewal restated as a renewal",
      "rules": ["E29", "E14", "E13"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-start", "accepted-renewal"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.s@accepted-start}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "RENEWAL", "subscriptionStartDate": "{{created+2s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 30, "referenceLineItemId": "{{item.s@accepted-start}}", "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT", "restatement": true}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 13, "message": "The line item may not reference itself.", "fieldName": "referenceLineItemId", "lineItemId": "{{item.s@accepted-start}}"},
          {"code": 29, "message": "The line item does not have subscription event INITIAL_BUY but it is referenced by a subscription line item with event type BUY.", "fieldName": "lineItemId", "lineItemId": "{{item.s@accepted-start}}"}
        ]
      }
    },
    {
      "id": "E14-accepted",
      "title": "a renewal that references an accepted renewal",
      "rules": ["E14"],
      "kind": "refused",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-start", "accepted-renewal"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.w2}}", "creationDate": "{{created+2s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "RENEWAL", "subscriptionStartDate": "{{created+2s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 30, "referenceLineItemId": "{{item.w@accepted-renewal}}", "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {
        "status": 400,
        "errors": [
          {"code": 14, "message": "The referenced line item has no subscription event or its subscription event is not SUBSCRIPTION_START.", "fieldName": "referenceLineItemId", "lineItemId": "{{item.w2}}"}
        ]
      }
    },
    {
      "id": "accepted-change-and-payment",
      "title": "a change of plan and a payment within the period",
      "rules": ["EX-6", "EX-7", "RR-32"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "after": ["accepted-start"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.c}}", "creationDate": "{{created+2s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.365d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_CHANGE", "subscriptionStartDate": "{{created+2s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 40, "referenceLineItemId": "{{item.s@accepted-start}}", "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.p}}", "creationDate": "{{created+2s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.365d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_PAYMENT", "subscriptionStartDate": "{{created+2s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 45, "referenceLineItemId": "{{item.s@accepted-start}}", "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    },
    {
      "id": "accepted-start-and-renewal",
      "title": "a start and its renewal in one report",
      "rules": ["SA-64"],
      "kind": "accepted",
      "tokens": ["plain", "IN_APP", "LINK_OUT", "CORE_TECHNOLOGY", "SERVICES", "ACQUISITION"],
      "request": {
        "method": "PUT", "path": "/externalPurchase/v1/reports",
        "report": {
          "requestIdentifier": "{{request}}", "externalPurchaseId": "{{token}}", "status": "LINE_ITEM",
          "lineItems": [
            {"lineItemId": "{{item.s}}", "creationDate": "{{created+1s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "SUBSCRIPTION_START", "subscriptionStartDate": "{{created+1s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 0, "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"},
            {"lineItemId": "{{item.w}}", "creationDate": "{{created+2s}}", "eventType": "BUY", "productType": "SUBSCRIPTION", "productIdentifier": "club.30d", "quantity": 1, "subscriptionEvent": "RENEWAL", "subscriptionStartDate": "{{created+2s}}", "subscriptionEndDate": "{{created+30d}}", "subscriptionDaysOfPaidService": 30, "referenceLineItemId": "{{item.s}}", "amountTaxExclusive": 5000, "taxAmount": 1000, "amountTaxInclusive": 6000, "netAmountTaxExclusive": 5000, "pricingCurrency": "EUR", "reportingCurrency": "EUR", "taxCountry": "AUT"}
          ]
        }
      },
      "expected": {"status": 200, "json": {"requestIdentifier": "{{request}}"}}
    }
  ]
}
"""##
    static let cases = [("01-requests.json", requests), ("02-authorization.json", authorization), ("03-malformed.json", malformed), ("04-report.json", report), ("05-line-item.json", lineItem), ("06-line-items.json", lineItems), ("07-statuses.json", statuses), ("08-sales.json", sales), ("09-subscriptions.json", subscriptions)]
}
