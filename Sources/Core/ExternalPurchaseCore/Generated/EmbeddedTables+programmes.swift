// Generated from Data/programmes.json by `./run tables`. Do not edit.
// swift-format-ignore-file
extension EmbeddedTables {
    static let programmes = ##"""
{
  "schemaVersion": 1,
  "source": "Apple's terms and dated reports of them; confidence stands with each figure",
  "asOf": "2026-11-22",
  "programmes": [
    {
      "id": "eu-2026-10",
      "title": "European Union, unified terms",
      "source": "https://developer.apple.com/support/apps-using-alternative-payment-providers-in-the-eu",
      "effectiveFrom": "2026-10-01",
      "effectiveTo": null,
      "effectiveNote": "or the day the Account Holder accepted the terms, if later",
      "regions": ["@EU27"],
      "clientProgrammes": ["eu-in-app", "eea-link", "eu-custom-link"],
      "platforms": [
        {"os": "iOS", "minimum": "26.2"},
        {"os": "iPadOS", "minimum": "26.2"},
        {"os": "macOS", "minimum": "26.6"},
        {"os": "tvOS", "minimum": "26.6"},
        {"os": "watchOS", "minimum": "26.6"},
        {"os": "visionOS", "minimum": "26.6"}
      ],
      "tokenTypes": ["ACQUISITION", "SERVICES", null],
      "channel": [
        {"channel": "externalPurchaseServerAPI", "when": {"condition": "osAtLeast", "version": "26.4"}},
        {"channel": "manual", "when": {"condition": "osBelow", "version": "26.4"}}
      ],
      "mustReport": ["oneTimePurchases", "subscriptionStarts", "renewals", "changes", "refunds", "corrections", "tokensWithoutTransaction"],
      "calendar": "civilMonth",
      "deadlineDays": 15,
      "attributionWindowDays": 7,
      "attributionStart": "linkTap",
      "attributionAppliesTo": ["outOfApp"],
      "renewalsCount": true,
      "rates": [
        {
          "id": "store-iap",
          "flow": "inAppPurchase",
          "tier": "standard",
          "percent": "26",
          "base": "netOfTax",
          "when": [],
          "confidence": {"level": "secondHand", "asOf": "2026-09-05"}
        },
        {
          "id": "store-iap-reduced",
          "flow": "inAppPurchase",
          "tier": "reduced",
          "percent": "15",
          "base": "netOfTax",
          "when": [
            {
              "condition": "anyOf",
              "of": [
                {"condition": "developerProgramme", "id": "smallBusiness"},
                {"condition": "developerProgramme", "id": "miniAppsPartner"},
                {"condition": "developerProgramme", "id": "videoPartner"},
                {"condition": "subscriptionAfterDays", "days": 365}
              ]
            }
          ],
          "confidence": {"level": "secondHand", "asOf": "2026-09-05"}
        },
        {
          "id": "in-app",
          "flow": "withinApp",
          "tier": "standard",
          "percent": "20",
          "base": "netOfTax",
          "when": [],
          "confidence": {"level": "secondHand", "asOf": "2026-09-05"}
        },
        {
          "id": "in-app-reduced",
          "flow": "withinApp",
          "tier": "reduced",
          "percent": "10",
          "base": "netOfTax",
          "when": [
            {
              "condition": "anyOf",
              "of": [
                {"condition": "developerProgramme", "id": "smallBusiness"},
                {"condition": "developerProgramme", "id": "miniAppsPartner"},
                {"condition": "developerProgramme", "id": "videoPartner"},
                {"condition": "subscriptionAfterDays", "days": 365}
              ]
            }
          ],
          "confidence": {"level": "secondHand", "asOf": "2026-09-05"}
        },
        {
          "id": "link",
          "flow": "outOfApp",
          "tier": "standard",
          "percent": "15",
          "base": "netOfTax",
          "when": [{"condition": "withinDaysOf", "event": "linkTap", "days": 7}],
          "confidence": {"level": "secondHand", "asOf": "2026-09-05"}
        },
        {
          "id": "link-reduced",
          "flow": "outOfApp",
          "tier": "reduced",
          "percent": "10",
          "base": "netOfTax",
          "when": [
            {"condition": "withinDaysOf", "event": "linkTap", "days": 7},
            {
              "condition": "anyOf",
              "of": [
                {"condition": "developerProgramme", "id": "smallBusiness"},
                {"condition": "developerProgramme", "id": "miniAppsPartner"},
                {"condition": "developerProgramme", "id": "videoPartner"},
                {"condition": "subscriptionAfterDays", "days": 365}
              ]
            }
          ],
          "confidence": {"level": "secondHand", "asOf": "2026-09-05"}
        }
      ],
      "payment": {
        "invoice": "monthly",
        "payWithinDays": 30,
        "countedFrom": "invoiceDate",
        "disputeUntil": "paymentDue",
        "refundsCreditedOn": "laterInvoice",
        "taxIdRequired": "EU VAT"
      },
      "recordKeepingYears": 3,
      "recordKeepingFrom": "transmission",
      "auditNoticeDays": 30,
      "electionLockMonths": 12,
      "confidence": {
        "effectiveFrom": {"level": "secondHand", "asOf": "2026-08-18"},
        "clientProgrammes": {"level": "secondHand", "asOf": "2026-11-26", "note": "accounts disagree whether eu-in-app has its own terms and API after 2026-10-01"},
        "regions": {"level": "secondHand", "asOf": "2026-10-05", "note": "is and no appear on one page only; here they are in eea-streaming"},
        "platforms": {"level": "apple", "asOf": "2026-11-26", "note": "26.6 for macOS, tvOS, visionOS and watchOS stands verbatim on Apple's page"},
        "tokenTypes": {"level": "apple"},
        "channel": {"level": "secondHand", "asOf": "2026-09-05"},
        "calendar": {"level": "secondHand", "asOf": "2026-09-05"},
        "deadlineDays": {"level": "secondHand", "asOf": "2026-09-05"},
        "attributionWindowDays": {"level": "secondHand", "asOf": "2026-11-26", "note": "within 7 days of the tap on an actionable link, which leads to a website, a marketplace or another app; whether hours or calendar days are counted is not said, see the setting commission.window"},
        "rates": {"level": "secondHand", "asOf": "2026-09-05"},
        "payment": {"level": "secondHand", "asOf": "2026-09-05"},
        "recordKeepingYears": {"level": "secondHand", "asOf": "2026-09-05"},
        "auditNoticeDays": {"level": "secondHand", "asOf": "2026-09-05"}
      }
    },
    {
      "id": "eu-2025-06",
      "title": "European Union, terms of 26 June 2025",
      "source": "https://developer.apple.com/support/communication-and-promotion-of-offers-on-the-app-store-in-the-eu/",
      "effectiveFrom": "2025-06-26",
      "effectiveTo": "2026-09-30",
      "effectiveNote": "kept for late reports and corrections",
      "regions": ["@EU27"],
      "clientProgrammes": ["eu-in-app", "eea-link", "eu-custom-link"],
      "platforms": [
        {"os": "iOS", "minimum": "17.4"},
        {"os": "iPadOS", "minimum": "17.4"},
        {"os": "macOS", "minimum": "14.4"},
        {"os": "tvOS", "minimum": "17.4"},
        {"os": "watchOS", "minimum": "10.4"},
        {"os": "visionOS", "minimum": "1.1"}
      ],
      "tokenTypes": ["ACQUISITION", "SERVICES", null],
      "channel": [{"channel": "externalPurchaseServerAPI", "when": {"condition": "always"}}],
      "mustReport": ["oneTimePurchases", "subscriptionStarts", "renewals", "changes", "refunds", "corrections", "tokensWithoutTransaction", "salesOnAnyPlatformAfterAnOffer"],
      "calendar": "appleFiscalMonth",
      "deadlineDays": 15,
      "attributionWindowDays": null,
      "attributionStart": null,
      "attributionAppliesTo": [],
      "renewalsCount": true,
      "rates": [
        {
          "id": "initial-acquisition",
          "fee": "initialAcquisition",
          "flow": "any",
          "tier": "standard",
          "percent": "2",
          "base": "netOfTax",
          "when": [{"condition": "withinMonthsOf", "event": "firstInstall", "months": 6}],
          "confidence": {"level": "apple"}
        },
        {
          "id": "initial-acquisition-waived",
          "fee": "initialAcquisition",
          "flow": "any",
          "tier": "reduced",
          "percent": "0",
          "base": "netOfTax",
          "when": [
            {"condition": "withinMonthsOf", "event": "firstInstall", "months": 6},
            {"condition": "anyOf", "of": [{"condition": "developerProgramme", "id": "smallBusiness"}, {"condition": "subscriptionAfterDays", "days": 365}]}
          ],
          "confidence": {"level": "apple"}
        },
        {
          "id": "store-services-1",
          "flow": "any",
          "tier": "tier1",
          "percent": "5",
          "base": "netOfTax",
          "when": [{"condition": "withinMonthsOf", "event": "latestInstallUpdateOrReinstall", "months": 12}, {"condition": "developerProgramme", "id": "storeServicesTier1"}],
          "confidence": {"level": "apple"}
        },
        {
          "id": "store-services-2",
          "flow": "any",
          "tier": "tier2",
          "percent": "13",
          "base": "netOfTax",
          "when": [{"condition": "withinMonthsOf", "event": "latestInstallUpdateOrReinstall", "months": 12}],
          "confidence": {"level": "apple"}
        },
        {
          "id": "store-services-2-reduced",
          "flow": "any",
          "tier": "tier2-reduced",
          "percent": "10",
          "base": "netOfTax",
          "when": [
            {"condition": "withinMonthsOf", "event": "latestInstallUpdateOrReinstall", "months": 12},
            {"condition": "anyOf", "of": [{"condition": "developerProgramme", "id": "smallBusiness"}, {"condition": "subscriptionAfterDays", "days": 365}]}
          ],
          "confidence": {"level": "apple"}
        },
        {
          "id": "core-technology",
          "flow": "any",
          "tier": "externalPurchaseLinkAddendum",
          "percent": "5",
          "base": "netOfTax",
          "when": [{"condition": "developerProgramme", "id": "externalPurchaseLinkAddendum"}],
          "confidence": {"level": "apple", "note": "the percentage is Apple's; of apps with the addendum since 2025-06-26, in place of the fee per install of others from 2026-10-01, which was announced for 2026-01-01"},
          "adds": true
        },
        {
          "id": "alternative-terms-iap",
          "flow": "inAppPurchase",
          "tier": "alternativeTerms",
          "percent": "17",
          "base": "netOfTax",
          "when": [],
          "confidence": {"level": "apple"}
        },
        {
          "id": "alternative-terms-iap-reduced",
          "flow": "inAppPurchase",
          "tier": "alternativeTerms-reduced",
          "percent": "10",
          "base": "netOfTax",
          "when": [{"condition": "anyOf", "of": [{"condition": "developerProgramme", "id": "smallBusiness"}, {"condition": "subscriptionAfterDays", "days": 365}]}],
          "confidence": {"level": "apple"}
        },
        {
          "id": "alternative-terms-processing",
          "flow": "inAppPurchase",
          "tier": "alternativeTerms",
          "percent": "3",
          "base": "netOfTax",
          "when": [],
          "confidence": {"level": "apple"},
          "adds": true
        }
      ],
      "fixedFees": [
        {
          "id": "core-technology-fee",
          "amount": "0.50",
          "currency": "EUR",
          "per": "firstAnnualInstall",
          "above": 1000000,
          "tier": "alternativeTermsAddendum",
          "confidence": {"level": "apple", "asOf": "2026-11-26", "note": "charged until 2026-09-30; announced was 2025-12-31"}
        }
      ],
      "payment": {"invoice": "monthly, by the 15th of the following month", "payWithinDays": 30, "countedFrom": "invoiceDate"},
      "recordKeepingYears": 3,
      "recordKeepingFrom": "transmission",
      "auditNoticeDays": 30,
      "confidence": {
        "effectiveFrom": {"level": "apple"},
        "regions": {"level": "apple"},
        "platforms": {"level": "apple", "note": "first OS that issues plain tokens; custom link tokens from iOS 18.1"},
        "tokenTypes": {"level": "apple"},
        "channel": {"level": "apple"},
        "calendar": {"level": "apple"},
        "deadlineDays": {"level": "apple"},
        "attributionWindowDays": {"level": "apple", "note": "windows run from installs, see rates"},
        "rates": {"level": "apple"},
        "payment": {"level": "apple"},
        "recordKeepingYears": {"level": "assumed", "note": "taken over from the later terms"},
        "auditNoticeDays": {"level": "assumed", "note": "an audit right is stated, its notice is not"}
      }
    },
    {
      "id": "eea-streaming",
      "title": "EEA, music streaming apps",
      "source": "https://developer.apple.com/support/music-streaming-services-entitlement-eea/",
      "effectiveFrom": "2025-06-26",
      "effectiveTo": null,
      "effectiveNote": "start of its token types; since 2026-10-01 in practice Iceland and Norway for developers under the EU terms",
      "regions": ["@EEA29"],
      "clientProgrammes": ["eea-streaming", "eea-link"],
      "platforms": [{"os": "iOS", "minimum": "18.2"}, {"os": "iPadOS", "minimum": "18.2"}],
      "tokenTypes": ["ACQUISITION", "SERVICES", null],
      "channel": [{"channel": "externalPurchaseServerAPI", "when": {"condition": "always"}}],
      "mustReport": ["oneTimePurchases", "subscriptionStarts", "renewals", "changes", "refunds", "corrections", "tokensWithoutTransaction"],
      "calendar": "appleFiscalMonth",
      "deadlineDays": 15,
      "attributionWindowDays": null,
      "attributionStart": null,
      "attributionAppliesTo": [],
      "renewalsCount": true,
      "rates": [
        {"id": "streaming", "flow": "outOfApp", "tier": "standard", "percent": "27", "base": "netOfTax", "when": [], "confidence": {"level": "assumed"}},
        {
          "id": "streaming-reduced",
          "flow": "outOfApp",
          "tier": "reduced",
          "percent": "12",
          "base": "netOfTax",
          "when": [{"condition": "anyOf", "of": [{"condition": "developerProgramme", "id": "smallBusiness"}, {"condition": "subscriptionAfterDays", "days": 365}]}],
          "confidence": {"level": "assumed"}
        }
      ],
      "payment": {"invoice": "monthly", "payWithinDays": 30, "countedFrom": "invoiceDate"},
      "recordKeepingYears": 3,
      "recordKeepingFrom": "transmission",
      "auditNoticeDays": 30,
      "confidence": {
        "effectiveFrom": {"level": "assumed"},
        "clientProgrammes": {
          "level": "apple",
          "asOf": "2026-11-26",
          "source": "https://developer.apple.com/app-store/review/guidelines/",
          "note": "review guideline 3.1.1(a) of 2026-10-16 names the Music Streaming Services Entitlements beside those of external purchases"
        },
        "regions": {"level": "apple"},
        "platforms": {"level": "apple"},
        "tokenTypes": {"level": "apple"},
        "channel": {"level": "apple"},
        "calendar": {"level": "assumed"},
        "deadlineDays": {"level": "assumed"},
        "attributionWindowDays": {"level": "assumed", "note": "not found"},
        "rates": {"level": "assumed"},
        "payment": {"level": "assumed"},
        "recordKeepingYears": {"level": "assumed"},
        "auditNoticeDays": {"level": "assumed"}
      }
    },
    {
      "id": "nl-dating",
      "title": "Netherlands, dating apps",
      "source": "https://developer.apple.com/support/storekit-external-entitlement/",
      "effectiveFrom": "2024-03-05",
      "effectiveTo": null,
      "effectiveNote": "first day of the report API; older months are out of scope",
      "regions": ["nl"],
      "clientProgrammes": ["nl-dating"],
      "platforms": [{"os": "iOS", "minimum": "17.4"}, {"os": "iPadOS", "minimum": "17.4"}],
      "tokenTypes": [null],
      "channel": [{"channel": "externalPurchaseServerAPI", "when": {"condition": "tokenAvailable"}}, {"channel": "manual", "when": {"condition": "noToken"}}],
      "mustReport": ["oneTimePurchases", "subscriptionStarts", "renewals", "changes", "refunds", "corrections", "tokensWithoutTransaction"],
      "calendar": "appleFiscalMonth",
      "deadlineDays": 15,
      "attributionWindowDays": null,
      "attributionStart": null,
      "attributionAppliesTo": [],
      "renewalsCount": true,
      "rates": [{"id": "nl", "flow": "any", "tier": "standard", "percent": "27", "base": "netOfTax", "when": [], "confidence": {"level": "secondHand", "asOf": "2022"}}],
      "payment": null,
      "recordKeepingYears": 3,
      "recordKeepingFrom": "transmission",
      "auditNoticeDays": null,
      "confidence": {
        "effectiveFrom": {"level": "assumed"},
        "regions": {"level": "apple"},
        "platforms": {"level": "apple", "note": "first OS that issues plain tokens"},
        "tokenTypes": {"level": "apple"},
        "channel": {"level": "assumed", "note": "an example file for manual reports exists; use of the API not found"},
        "calendar": {"level": "secondHand", "asOf": "2022"},
        "deadlineDays": {"level": "secondHand", "asOf": "2022"},
        "attributionWindowDays": {"level": "assumed", "note": "not found"},
        "rates": {"level": "secondHand", "asOf": "2022"},
        "payment": {"level": "assumed", "note": "not found"},
        "recordKeepingYears": {"level": "assumed"},
        "auditNoticeDays": {"level": "assumed", "note": "not found"}
      }
    },
    {
      "id": "kr",
      "title": "South Korea, in-app alternative provider",
      "source": "https://developer.apple.com/support/storekit-external-entitlement-kr/",
      "effectiveFrom": "2024-03-05",
      "effectiveTo": null,
      "effectiveNote": "first day of the report API; older months are out of scope",
      "regions": ["kr"],
      "clientProgrammes": ["kr-in-app"],
      "platforms": [{"os": "iOS", "minimum": "17.4"}, {"os": "iPadOS", "minimum": "17.4"}],
      "tokenTypes": [null],
      "channel": [{"channel": "externalPurchaseServerAPI", "when": {"condition": "tokenAvailable"}}, {"channel": "manual", "when": {"condition": "noToken"}}],
      "mustReport": ["oneTimePurchases", "subscriptionStarts", "renewals", "changes", "refunds", "corrections", "tokensWithoutTransaction"],
      "calendar": "appleFiscalMonth",
      "deadlineDays": 15,
      "attributionWindowDays": null,
      "attributionStart": null,
      "attributionAppliesTo": [],
      "renewalsCount": true,
      "rates": [
        {
          "id": "kr",
          "flow": "withinApp",
          "tier": "standard",
          "percent": "26",
          "base": "grossOfTax",
          "when": [],
          "confidence": {"level": "secondHand", "asOf": "2026-09-06"}
        }
      ],
      "payment": {"invoice": "monthly", "payWithinDays": 45, "countedFrom": "fiscalMonthEnd"},
      "recordKeepingYears": 3,
      "recordKeepingFrom": "transmission",
      "auditNoticeDays": null,
      "confidence": {
        "effectiveFrom": {"level": "assumed"},
        "regions": {"level": "apple"},
        "platforms": {"level": "apple", "note": "first OS that issues tokens"},
        "tokenTypes": {"level": "apple"},
        "channel": {"level": "assumed", "note": "interface documents say API, the support page speaks of a sales report template: both are offered"},
        "calendar": {"level": "secondHand", "asOf": "2026-09-06"},
        "deadlineDays": {"level": "secondHand", "asOf": "2026-09-06"},
        "attributionWindowDays": {"level": "assumed", "note": "none: sales happen inside the app"},
        "rates": {"level": "secondHand", "asOf": "2026-09-06"},
        "payment": {"level": "secondHand", "asOf": "2026-09-06"},
        "recordKeepingYears": {"level": "assumed"},
        "auditNoticeDays": {"level": "assumed", "note": "an audit right exists"}
      }
    },
    {
      "id": "ru",
      "title": "Russia, external purchase link",
      "source": "https://developer.apple.com/contact/request/storekit-external-entitlement-ru/",
      "effectiveFrom": "2024-03-05",
      "effectiveTo": null,
      "effectiveNote": "first day of the report API; older months are out of scope",
      "regions": ["ru"],
      "clientProgrammes": ["ru-link"],
      "platforms": [{"os": "iOS", "minimum": "17.4"}, {"os": "iPadOS", "minimum": "17.4"}],
      "tokenTypes": [null],
      "channel": [{"channel": "externalPurchaseServerAPI", "when": {"condition": "always"}}],
      "mustReport": ["oneTimePurchases", "subscriptionStarts", "renewals", "changes", "refunds", "corrections", "tokensWithoutTransaction"],
      "calendar": "appleFiscalMonth",
      "deadlineDays": 15,
      "attributionWindowDays": null,
      "attributionStart": null,
      "attributionAppliesTo": [],
      "renewalsCount": true,
      "rates": [],
      "payment": null,
      "recordKeepingYears": 3,
      "recordKeepingFrom": "transmission",
      "auditNoticeDays": null,
      "confidence": {
        "effectiveFrom": {"level": "assumed"},
        "regions": {"level": "apple"},
        "platforms": {"level": "apple"},
        "tokenTypes": {"level": "apple"},
        "channel": {"level": "apple"},
        "calendar": {"level": "assumed"},
        "deadlineDays": {"level": "assumed"},
        "attributionWindowDays": {"level": "assumed", "note": "not found"},
        "rates": {"level": "assumed", "note": "not found"},
        "payment": {"level": "assumed", "note": "not found"},
        "recordKeepingYears": {"level": "assumed"},
        "auditNoticeDays": {"level": "assumed", "note": "not found"}
      }
    },
    {
      "id": "jp",
      "title": "Japan, smartphone act",
      "source": "https://developer.apple.com/support/payment-options-on-the-app-store-in-japan",
      "effectiveFrom": "2025-12-18",
      "effectiveTo": null,
      "regions": ["jp"],
      "clientProgrammes": ["jp-custom-link"],
      "platforms": [{"os": "iOS", "minimum": "26.2"}],
      "tokenTypes": ["IN_APP", "LINK_OUT"],
      "channel": [
        {"channel": "externalPurchaseServerAPI", "when": {"condition": "osAtLeast", "version": "26.4"}},
        {"channel": "manual", "when": {"condition": "osBelow", "version": "26.4"}}
      ],
      "mustReport": ["oneTimePurchases", "subscriptionStarts", "renewals", "changes", "refunds", "corrections", "tokensWithoutTransaction"],
      "calendar": "civilMonth",
      "deadlineDays": 15,
      "attributionWindowDays": 7,
      "attributionStart": "linkTap",
      "attributionAppliesTo": ["outOfApp"],
      "renewalsCount": true,
      "rates": [
        {
          "id": "store-iap",
          "flow": "inAppPurchase",
          "tier": "standard",
          "percent": "26",
          "base": "netOfTax",
          "when": [],
          "confidence": {"level": "secondHand", "asOf": "2026-09-06"}
        },
        {
          "id": "store-iap-reduced",
          "flow": "inAppPurchase",
          "tier": "reduced",
          "percent": "15",
          "base": "netOfTax",
          "when": [
            {
              "condition": "anyOf",
              "of": [
                {"condition": "developerProgramme", "id": "smallBusiness"},
                {"condition": "developerProgramme", "id": "miniAppsPartner"},
                {"condition": "developerProgramme", "id": "videoPartner"},
                {"condition": "subscriptionAfterDays", "days": 365}
              ]
            }
          ],
          "confidence": {"level": "secondHand", "asOf": "2026-11-26"}
        },
        {
          "id": "in-app",
          "flow": "withinApp",
          "tier": "standard",
          "percent": "21",
          "base": "netOfTax",
          "when": [],
          "confidence": {"level": "secondHand", "asOf": "2026-09-06"}
        },
        {
          "id": "in-app-reduced",
          "flow": "withinApp",
          "tier": "reduced",
          "percent": "10",
          "base": "netOfTax",
          "when": [
            {
              "condition": "anyOf",
              "of": [
                {"condition": "developerProgramme", "id": "smallBusiness"},
                {"condition": "developerProgramme", "id": "miniAppsPartner"},
                {"condition": "developerProgramme", "id": "videoPartner"},
                {"condition": "subscriptionAfterDays", "days": 365}
              ]
            }
          ],
          "confidence": {"level": "secondHand", "asOf": "2026-11-26"}
        },
        {
          "id": "link",
          "flow": "outOfApp",
          "tier": "standard",
          "percent": "15",
          "base": "netOfTax",
          "when": [{"condition": "withinDaysOf", "event": "linkTap", "days": 7}],
          "confidence": {"level": "secondHand", "asOf": "2026-09-06"}
        },
        {
          "id": "link-reduced",
          "flow": "outOfApp",
          "tier": "reduced",
          "percent": "10",
          "base": "netOfTax",
          "when": [
            {"condition": "withinDaysOf", "event": "linkTap", "days": 7},
            {
              "condition": "anyOf",
              "of": [
                {"condition": "developerProgramme", "id": "smallBusiness"},
                {"condition": "developerProgramme", "id": "miniAppsPartner"},
                {"condition": "developerProgramme", "id": "videoPartner"},
                {"condition": "subscriptionAfterDays", "days": 365}
              ]
            }
          ],
          "confidence": {"level": "secondHand", "asOf": "2026-11-26"}
        }
      ],
      "payment": null,
      "recordKeepingYears": 3,
      "recordKeepingFrom": "transmission",
      "auditNoticeDays": null,
      "confidence": {
        "effectiveFrom": {"level": "secondHand", "asOf": "2026-09-06"},
        "regions": {"level": "apple"},
        "platforms": {"level": "apple"},
        "tokenTypes": {"level": "apple"},
        "channel": {"level": "apple"},
        "calendar": {"level": "secondHand", "asOf": "2026-09-06"},
        "deadlineDays": {"level": "secondHand", "asOf": "2026-09-06"},
        "attributionWindowDays": {"level": "secondHand", "asOf": "2026-11-26", "note": "within 7 days of the tap; whether hours or calendar days are counted is not said, see the setting commission.window"},
        "rates": {"level": "secondHand", "asOf": "2026-11-26", "note": "the Small Business, Mini Apps Partner and Video Partner programmes have the reduced rate; tax base assumed"},
        "payment": {"level": "assumed", "note": "not found"},
        "recordKeepingYears": {"level": "assumed"},
        "auditNoticeDays": {"level": "assumed", "note": "not found"}
      }
    },
    {
      "id": "br",
      "title": "Brazil, competition settlement",
      "source": "https://developer.apple.com/support/payment-options-on-the-app-store-in-brazil",
      "effectiveFrom": "2026-07-06",
      "effectiveTo": null,
      "effectiveNote": "announced 2026-06-18; terms were to be accepted by 2026-07-06",
      "regions": ["br"],
      "clientProgrammes": ["br-custom-link"],
      "platforms": [{"os": "iOS", "minimum": "26.5"}],
      "tokenTypes": ["IN_APP", "LINK_OUT"],
      "channel": [{"channel": "externalPurchaseServerAPI", "when": {"condition": "always"}}],
      "mustReport": ["oneTimePurchases", "subscriptionStarts", "renewals", "changes", "refunds", "corrections", "tokensWithoutTransaction"],
      "calendar": "civilMonth",
      "deadlineDays": 15,
      "attributionWindowDays": 7,
      "attributionStart": "linkTap",
      "attributionAppliesTo": ["outOfApp"],
      "renewalsCount": true,
      "rates": [
        {
          "id": "in-app",
          "flow": "withinApp",
          "tier": "standard",
          "percent": "21",
          "base": "netOfTax",
          "when": [],
          "confidence": {"level": "secondHand", "asOf": "2026-07-18"}
        },
        {
          "id": "in-app-reduced",
          "flow": "withinApp",
          "tier": "reduced",
          "percent": "10",
          "base": "netOfTax",
          "when": [
            {
              "condition": "anyOf",
              "of": [
                {"condition": "developerProgramme", "id": "smallBusiness"},
                {"condition": "developerProgramme", "id": "miniAppsPartner"},
                {"condition": "developerProgramme", "id": "videoPartner"},
                {"condition": "developerProgramme", "id": "newsPartner"},
                {"condition": "subscriptionAfterDays", "days": 365}
              ]
            }
          ],
          "confidence": {"level": "secondHand", "asOf": "2026-11-26"}
        },
        {
          "id": "store-iap-processing",
          "flow": "inAppPurchase",
          "tier": "standard",
          "percent": "5",
          "base": "netOfTax",
          "when": [],
          "confidence": {"level": "secondHand", "asOf": "2026-07-18"},
          "adds": true,
          "addsTo": "in-app"
        },
        {
          "id": "link",
          "flow": "outOfApp",
          "tier": "standard",
          "percent": "15",
          "base": "netOfTax",
          "when": [{"condition": "withinDaysOf", "event": "linkTap", "days": 7}],
          "confidence": {"level": "secondHand", "asOf": "2026-07-18"}
        },
        {
          "id": "link-reduced",
          "flow": "outOfApp",
          "tier": "reduced",
          "percent": "10",
          "base": "netOfTax",
          "when": [
            {"condition": "withinDaysOf", "event": "linkTap", "days": 7},
            {
              "condition": "anyOf",
              "of": [
                {"condition": "developerProgramme", "id": "smallBusiness"},
                {"condition": "developerProgramme", "id": "miniAppsPartner"},
                {"condition": "developerProgramme", "id": "videoPartner"},
                {"condition": "developerProgramme", "id": "newsPartner"},
                {"condition": "subscriptionAfterDays", "days": 365}
              ]
            }
          ],
          "confidence": {"level": "secondHand", "asOf": "2026-11-26"}
        }
      ],
      "payment": null,
      "recordKeepingYears": 3,
      "recordKeepingFrom": "transmission",
      "auditNoticeDays": null,
      "confidence": {
        "effectiveFrom": {"level": "secondHand", "asOf": "2026-07-18"},
        "regions": {"level": "apple"},
        "platforms": {"level": "apple"},
        "tokenTypes": {"level": "apple"},
        "channel": {"level": "apple", "note": "or as the programme page says"},
        "calendar": {"level": "assumed", "note": "as Japan and the EU"},
        "deadlineDays": {"level": "assumed", "note": "as Japan and the EU"},
        "attributionWindowDays": {"level": "secondHand", "asOf": "2026-11-26", "note": "within 7 days of the tap; whether hours or calendar days are counted is not said, see the setting commission.window"},
        "rates": {"level": "secondHand", "asOf": "2026-11-26", "note": "the Small Business, Mini Apps Partner and Video Partner programmes and the News Partner programme have the reduced rate; tax base assumed"},
        "payment": {"level": "assumed", "note": "not found"},
        "recordKeepingYears": {"level": "assumed"},
        "auditNoticeDays": {"level": "assumed", "note": "not found"}
      }
    },
    {
      "id": "us-none",
      "title": "United States: no duty at present",
      "source": "https://developer.apple.com/app-store/review/guidelines/",
      "effectiveFrom": "2025-05-01",
      "effectiveTo": null,
      "regions": ["us"],
      "clientProgrammes": [],
      "platforms": [],
      "tokenTypes": [],
      "channel": [],
      "mustReport": [],
      "calendar": null,
      "deadlineDays": null,
      "attributionWindowDays": null,
      "attributionStart": null,
      "attributionAppliesTo": [],
      "renewalsCount": false,
      "rates": [],
      "payment": null,
      "recordKeepingYears": null,
      "recordKeepingFrom": null,
      "auditNoticeDays": null,
      "confidence": {
        "effectiveFrom": {"level": "assumed", "note": "about 2025-05-01"},
        "mustReport": {
          "level": "secondHand",
          "asOf": "2026-10-08",
          "note": "a stay was denied on 2026-05-06, the Supreme Court granted review on 2026-06-30, and no rate was set by 2026-10-08"
        }
      }
    },
    {
      "id": "outside-app-store",
      "title": "Apps distributed outside the App Store: core technology commission",
      "source": "https://developer.apple.com/help/app-store-connect/making-payments-to-apple/reporting-tokens-and-transactions",
      "effectiveFrom": "2025-12-18",
      "effectiveTo": null,
      "effectiveNote": "Japan from 2025-12-18, Brazil from 2026-07-06, EU from 2026-10-01, or the day of the signature if later, in place of the fee per install",
      "regions": ["@EU27", "br", "jp"],
      "regionEffectiveFrom": {
        "at": "2026-10-01",
        "be": "2026-10-01",
        "bg": "2026-10-01",
        "cy": "2026-10-01",
        "cz": "2026-10-01",
        "de": "2026-10-01",
        "dk": "2026-10-01",
        "ee": "2026-10-01",
        "es": "2026-10-01",
        "fi": "2026-10-01",
        "fr": "2026-10-01",
        "gr": "2026-10-01",
        "hr": "2026-10-01",
        "hu": "2026-10-01",
        "ie": "2026-10-01",
        "it": "2026-10-01",
        "lt": "2026-10-01",
        "lu": "2026-10-01",
        "lv": "2026-10-01",
        "mt": "2026-10-01",
        "nl": "2026-10-01",
        "pl": "2026-10-01",
        "pt": "2026-10-01",
        "ro": "2026-10-01",
        "se": "2026-10-01",
        "si": "2026-10-01",
        "sk": "2026-10-01",
        "jp": "2025-12-18",
        "br": "2026-07-06"
      },
      "clientProgrammes": [],
      "platforms": [{"os": "iOS", "minimum": "26.0"}, {"os": "iPadOS", "minimum": "26.0"}],
      "tokenTypes": ["CORE_TECHNOLOGY"],
      "channel": [{"channel": "externalPurchaseServerAPI", "when": {"condition": "always"}}],
      "mustReport": ["oneTimePurchases", "subscriptionStarts", "renewals", "changes", "refunds", "corrections", "tokensWithoutTransaction"],
      "calendar": "civilMonth",
      "deadlineDays": 15,
      "attributionWindowDays": 7,
      "attributionStart": "linkTap",
      "attributionAppliesTo": ["outOfApp"],
      "renewalsCount": true,
      "rates": [
        {
          "id": "core-technology",
          "flow": "withinApp",
          "tier": "standard",
          "percent": "5",
          "base": "netOfTax",
          "when": [],
          "confidence": {"level": "secondHand", "asOf": "2026-11-26"}
        },
        {
          "id": "core-technology-link",
          "flow": "outOfApp",
          "tier": "standard",
          "percent": "5",
          "base": "netOfTax",
          "when": [{"condition": "withinDaysOf", "event": "linkTap", "days": 7}],
          "confidence": {"level": "secondHand", "asOf": "2026-11-26"}
        },
        {
          "id": "core-technology-waived",
          "flow": "any",
          "tier": "waived",
          "percent": "0",
          "base": "netOfTax",
          "when": [{"condition": "developerProgramme", "id": "smallMarketplace"}],
          "confidence": {
            "level": "secondHand",
            "asOf": "2026-11-26",
            "note": "for a marketplace with less than EUR 10 million world-wide in 12 months and less than 1 million of its fees"
          }
        }
      ],
      "payment": null,
      "recordKeepingYears": 3,
      "recordKeepingFrom": "transmission",
      "auditNoticeDays": null,
      "confidence": {
        "effectiveFrom": {"level": "secondHand", "asOf": "2026-11-26", "note": "EU: from 2026-10-01 or the signature of the terms, the fee per install until 2026-09-30; Japan and Brazil: assumed with the terms of the region"},
        "regions": {"level": "secondHand", "asOf": "2026-09-05"},
        "platforms": {
          "level": "apple",
          "asOf": "2026-11-26",
          "source": "https://developer.apple.com/documentation/marketplacekit/transactionreporting/token(for:)",
          "note": "Apple's page says iOS and iPadOS 26.0; Epic says iOS 26.4"
        },
        "tokenTypes": {
          "level": "apple",
          "source": "https://developer.apple.com/documentation/marketplacekit/reporting-transactions-for-core-technology-commission"
        },
        "channel": {"level": "apple"},
        "calendar": {"level": "assumed"},
        "deadlineDays": {"level": "assumed"},
        "attributionWindowDays": {"level": "secondHand", "asOf": "2026-11-26", "note": "initiated within seven calendar days after the end user taps or scans; EU text, elsewhere assumed"},
        "rates": {"level": "secondHand", "asOf": "2026-11-26", "note": "net of tax are Apple's words; the waiver is the EU's"},
        "payment": {"level": "assumed", "note": "not found"},
        "recordKeepingYears": {"level": "assumed"},
        "auditNoticeDays": {"level": "assumed", "note": "not found"}
      }
    }
  ]
}
"""##
}
