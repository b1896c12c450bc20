// Generated from Data/regions.json by `./run tables`. Do not edit.
// swift-format-ignore-file
extension EmbeddedTables {
    static let regions = ##"""
{
  "schemaVersion": 1,
  "source": "Apple Developer Documentation as of 2026-11; the month in which a pack begins is decided by this project",
  "notes": {
    "codes": "\"@NAME\" stands for the region set of that name",
    "gates": "the most specific entry that names the storefront counts; null stands for every code or platform"
  },
  "platforms": ["iOS", "iPadOS", "macCatalyst", "macOS", "tvOS", "watchOS", "visionOS"],
  "currentPack": "2026-10",
  "regionSets": {
    "EU27": [
      "at", "be", "bg", "cy", "cz", "de", "dk", "ee", "es", "fi", "fr", "gr", "hr", "hu", "ie", "it", "lt", "lu", "lv", "mt", "nl", "pl", "pt", "ro",
      "se", "si", "sk"
    ],
    "EEA-EFTA": ["is", "no"],
    "EEA29": [
      "at", "be", "bg", "cy", "cz", "de", "dk", "ee", "es", "fi", "fr", "gr", "hr", "hu", "ie", "is", "it", "lt", "lu", "lv", "mt", "nl", "no", "pl",
      "pt", "ro", "se", "si", "sk"
    ]
  },
  "plistKeyAvailability": {
    "SKExternalPurchase": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.0"},
    "SKExternalPurchaseLink": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.0"},
    "SKExternalPurchaseMultiLink": {"iOS": "17.5", "iPadOS": "17.5", "macCatalyst": "17.5", "macOS": "14.5", "tvOS": "17.5", "watchOS": "10.5", "visionOS": "1.2"},
    "SKExternalPurchaseCustomLinkRegions": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
    "SKExternalPurchaseLinkStreamingRegions": {"iOS": "18.2", "iPadOS": "18.2"},
    "SKExternalLinkAccount": {"iOS": "15.4", "iPadOS": "15.4", "tvOS": "16.4"}
  },
  "entitlementAvailability": {
    "com.apple.developer.storekit.external-purchase": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
    "com.apple.developer.storekit.external-purchase-link": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
    "com.apple.developer.storekit.external-purchase-link-streaming": {"iOS": "18.2", "iPadOS": "18.2"},
    "com.apple.developer.storekit.custom-purchase-link.allowed-regions": {"iOS": "26.2", "iPadOS": "26.2", "macCatalyst": "26.2", "macOS": "26.2", "tvOS": "26.2", "watchOS": "26.2", "visionOS": "26.2"},
    "com.apple.developer.storekit.external-link.account": {"iOS": "15.4", "iPadOS": "15.4", "tvOS": "16.4"}
  },
  "droppedEntitlements": [
    "com.apple.developer.storekit.external-purchase.allowed-regions", "com.apple.developer.storekit.external-purchase-link.allowed-regions",
    "com.apple.developer.storekit.external-purchase-link-streaming.allowed-regions"
  ],
  "legacyAllowedRegions": {
    "packs": ["2025-07", "2026-02"],
    "standFor": {
      "com.apple.developer.storekit.external-purchase.allowed-regions": "com.apple.developer.storekit.external-purchase",
      "com.apple.developer.storekit.external-purchase-link.allowed-regions": "com.apple.developer.storekit.external-purchase-link",
      "com.apple.developer.storekit.external-purchase-link-streaming.allowed-regions": "com.apple.developer.storekit.external-purchase-link-streaming"
    }
  },
  "equivalentVersions": {
    "macOS": {"12": "15", "13": "16", "14": "17", "15": "18"},
    "visionOS": {"1.0": "17.0", "1.1": "17.4", "1.2": "17.5", "2": "18"},
    "sameFrom": "26.0",
    "basis": "house decision SK-12"
  },
  "tokenTypes": {
    "ACQUISITION": {"expires": true},
    "SERVICES": {"expires": true},
    "IN_APP": {"expires": false},
    "LINK_OUT": {"expires": false},
    "CORE_TECHNOLOGY": {"expires": false}
  },
  "programmeTerms": {
    "eu-in-app": {
      "inAppPurchase": {"beside": "allowed", "confidence": "secondHand", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/alternative-payment-options-on-the-app-store-in-the-eu/", "note": "where it stands beside, at the same time and at least as prominent; without it, an offer on the web needs an alternative in the app, viewable and selectable on the same screen"},
      "minors": {"rules": [{"below": 13, "raisedToAgeOfConsent": true, "withinApp": "parentalGate", "outOfApp": "notOffered"}, {"below": 18, "withinApp": "parentalGate", "outOfApp": "parentalGate"}], "confidence": "secondHand", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/alternative-payment-options-on-the-app-store-in-the-eu/"}
    },
    "eu-custom-link": {
      "inAppPurchase": {"beside": "allowed", "confidence": "secondHand", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/communication-and-promotion-of-offers-on-the-app-store-in-the-eu/", "note": "where it stands beside, at the same time and at least as prominent; without it, an offer on the web needs an alternative in the app, viewable and selectable on the same screen"},
      "minors": {"rules": [{"below": 13, "raisedToAgeOfConsent": true, "withinApp": "parentalGate", "outOfApp": "notOffered"}, {"below": 18, "withinApp": "parentalGate", "outOfApp": "parentalGate"}], "confidence": "secondHand", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/communication-and-promotion-of-offers-on-the-app-store-in-the-eu/"}
    },
    "eea-link": {
      "inAppPurchase": {"beside": "allowed", "confidence": "secondHand", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/communication-and-promotion-of-offers-on-the-app-store-in-the-eu/", "note": "where it stands beside, at the same time and at least as prominent; without it, an offer on the web needs an alternative in the app, viewable and selectable on the same screen"},
      "minors": {"rules": [{"below": 13, "raisedToAgeOfConsent": true, "withinApp": "parentalGate", "outOfApp": "notOffered"}, {"below": 18, "withinApp": "parentalGate", "outOfApp": "parentalGate"}], "confidence": "secondHand", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/communication-and-promotion-of-offers-on-the-app-store-in-the-eu/", "note": "taken over from the EU for Iceland and Norway"}
    },
    "eea-streaming": {
      "inAppPurchase": {"beside": "allowed", "confidence": "assumed", "asOf": "2026-11-26", "note": "taken over from the EU"},
      "minors": {"rules": [{"below": 13, "raisedToAgeOfConsent": true, "withinApp": "parentalGate", "outOfApp": "notOffered"}, {"below": 18, "withinApp": "parentalGate", "outOfApp": "parentalGate"}], "confidence": "assumed", "asOf": "2026-11-26", "note": "taken over from the EU"}
    },
    "nl-dating": {
      "inAppPurchase": {"confidence": "assumed", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/storekit-external-entitlement/", "note": "nothing was found"},
      "minors": {"rules": [], "confidence": "assumed", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/storekit-external-entitlement/", "note": "nothing was found"}
    },
    "kr-in-app": {
      "ownApp": true,
      "inAppPurchase": {"beside": "forbidden", "confidence": "secondHand", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/storekit-external-entitlement-kr/", "note": "an app of its own for Korea, without In-App Purchase"},
      "minors": {"rules": [], "confidence": "assumed", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/storekit-external-entitlement-kr/", "note": "nothing was found"}
    },
    "ru-link": {
      "inAppPurchase": {"confidence": "assumed", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/storekit-external-entitlement-ru/", "note": "nothing was found"},
      "minors": {"rules": [], "confidence": "assumed", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/storekit-external-entitlement-ru/", "note": "nothing was found"}
    },
    "jp-custom-link": {
      "platforms": ["iOS"],
      "inAppPurchase": {"beside": "required", "confidence": "secondHand", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/payment-options-on-the-app-store-in-japan/", "note": "always beside the offer, at least as prominent"},
      "minors": {"rules": [{"below": 13, "withinApp": "parentalGate", "outOfApp": "notOffered"}, {"below": 18, "withinApp": "parentalGate", "outOfApp": "parentalGate"}], "confidence": "secondHand", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/payment-options-on-the-app-store-in-japan/"}
    },
    "br-custom-link": {
      "platforms": ["iOS"],
      "inAppPurchase": {"beside": "required", "confidence": "secondHand", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/payment-options-on-the-app-store-in-brazil/", "note": "always beside offers in the app and links, at least as prominent"},
      "minors": {"rules": [{"below": 13, "withinApp": "parentalGate", "outOfApp": "notOffered"}, {"below": 18, "withinApp": "parentalGate", "outOfApp": "notOffered"}], "confidence": "secondHand", "asOf": "2026-11-26", "source": "https://developer.apple.com/support/payment-options-on-the-app-store-in-brazil/", "note": "what holds for offers inside the app was not found: as in Japan"}
    },
    "us-none": {
      "inAppPurchase": {"confidence": "assumed", "asOf": "2026-11-26", "source": "https://developer.apple.com/app-store/review/guidelines/", "note": "nothing was found"},
      "minors": {"rules": [], "confidence": "assumed", "asOf": "2026-11-26", "source": "https://developer.apple.com/app-store/review/guidelines/", "note": "nothing was found"}
    }
  },
  "agesOfConsent": {
    "source": "https://gdpr-info.eu/art-8-gdpr/",
    "asOf": "2026-11-26",
    "confidence": "secondHand",
    "note": "the countries' laws on Article 8 of Regulation (EU) 2016/679, where they raise its age above 13",
    "years": {"at": 14, "bg": 14, "cy": 14, "cz": 15, "de": 16, "dk": 15, "es": 14, "fr": 15, "gr": 15, "hr": 16, "hu": 16, "ie": 16, "it": 14, "lt": 14, "lu": 16, "nl": 16, "pl": 16, "ro": 16, "si": 15, "sk": 16}
  },
  "packs": [
    {
      "id": "2024-04",
      "title": "Link keys with several links",
      "effectiveFrom": "2024-04-01",
      "widenedEntitlement": false,
      "typedTokenAPI": false,
      "plistKeys": {
        "SKExternalPurchase": {"type": "array<string>", "entitlements": ["com.apple.developer.storekit.external-purchase"], "codes": ["@EU27", "kr"]},
        "SKExternalPurchaseLink": {
          "type": "dictionary<string,string>",
          "entitlements": ["com.apple.developer.storekit.external-purchase-link"],
          "codes": ["@EEA29", "ru", "us"],
          "withdrawn": []
        },
        "SKExternalPurchaseMultiLink": {
          "type": "dictionary<string,array<string>>",
          "entitlements": ["com.apple.developer.storekit.external-purchase-link"],
          "codes": ["@EEA29", "ru", "us"],
          "withdrawn": []
        },
        "SKExternalLinkAccount": {
          "type": "dictionary<string,string>",
          "entitlements": ["com.apple.developer.storekit.external-link.account"],
          "codes": null,
          "anyCountry": true,
          "requiredKey": "*"
        }
      },
      "entitlements": {
        "com.apple.developer.storekit.external-purchase": {"type": "boolean"},
        "com.apple.developer.storekit.external-purchase-link": {"type": "boolean"},
        "com.apple.developer.storekit.external-link.account": {"type": "boolean"}
      },
      "linkLimits": {"default": 1, "musicStreaming": {"limit": 5, "codes": ["@EEA29"]}},
      "routes": {
        "ExternalPurchase": [{"entitlement": "com.apple.developer.storekit.external-purchase", "storefrontsFrom": "SKExternalPurchase"}],
        "ExternalPurchaseLink.single": [{"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseLink"}],
        "ExternalPurchaseLink.multi": [{"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseMultiLink"}]
      },
      "gates": [],
      "programmes": [
        {
          "id": "eu-in-app",
          "title": "EU, alternative payment provider inside the app",
          "storefronts": ["@EU27"],
          "family": "ExternalPurchase",
          "routes": [{"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"}],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "eea-link",
          "title": "EEA, external purchase link",
          "storefronts": ["@EEA29"],
          "family": "ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "nl-dating",
          "title": "Netherlands, dating apps",
          "storefronts": ["nl"],
          "family": "ExternalPurchase+ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "kr-in-app",
          "title": "South Korea, third-party payment provider",
          "storefronts": ["kr"],
          "family": "ExternalPurchase",
          "routes": [{"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"}],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "ru-link",
          "title": "Russia, external purchase link",
          "storefronts": ["ru"],
          "family": "ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "us-link",
          "title": "United States, external purchase link",
          "storefronts": ["us"],
          "family": "ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        }
      ],
      "source": {
        "content": "Apple Developer Documentation, property list keys, entitlements and StoreKit",
        "asOf": "2026-11",
        "placement": "decided by this project (D10)"
      }
    },
    {
      "id": "2025-07",
      "title": "Custom links for the EU and music streaming",
      "effectiveFrom": "2025-07-01",
      "widenedEntitlement": false,
      "typedTokenAPI": false,
      "plistKeys": {
        "SKExternalPurchase": {"type": "array<string>", "entitlements": ["com.apple.developer.storekit.external-purchase"], "codes": ["@EU27", "kr"]},
        "SKExternalPurchaseLink": {
          "type": "dictionary<string,string>",
          "entitlements": ["com.apple.developer.storekit.external-purchase-link"],
          "codes": ["@EEA29", "ru"],
          "withdrawn": ["us"]
        },
        "SKExternalPurchaseMultiLink": {
          "type": "dictionary<string,array<string>>",
          "entitlements": ["com.apple.developer.storekit.external-purchase-link"],
          "codes": ["@EEA29", "ru"],
          "withdrawn": ["us"]
        },
        "SKExternalPurchaseCustomLinkRegions": {"type": "array<string>", "entitlements": ["com.apple.developer.storekit.external-purchase-link"], "codes": ["@EU27"]},
        "SKExternalPurchaseLinkStreamingRegions": {"type": "array<string>", "entitlements": ["com.apple.developer.storekit.external-purchase-link-streaming"], "codes": ["@EEA29"]},
        "SKExternalLinkAccount": {
          "type": "dictionary<string,string>",
          "entitlements": ["com.apple.developer.storekit.external-link.account"],
          "codes": null,
          "anyCountry": true,
          "requiredKey": "*"
        }
      },
      "entitlements": {
        "com.apple.developer.storekit.external-purchase": {"type": "boolean"},
        "com.apple.developer.storekit.external-purchase-link": {"type": "boolean"},
        "com.apple.developer.storekit.external-purchase-link-streaming": {"type": "boolean"},
        "com.apple.developer.storekit.external-link.account": {"type": "boolean"}
      },
      "linkLimits": {"default": 1, "musicStreaming": {"limit": 5, "codes": ["@EEA29"]}},
      "routes": {
        "ExternalPurchase": [{"entitlement": "com.apple.developer.storekit.external-purchase", "storefrontsFrom": "SKExternalPurchase"}],
        "ExternalPurchaseLink.single": [{"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseLink"}],
        "ExternalPurchaseLink.multi": [{"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseMultiLink"}],
        "ExternalPurchaseCustomLink": [
          {"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseCustomLinkRegions"},
          {
            "entitlement": "com.apple.developer.storekit.external-purchase-link-streaming",
            "storefrontsFrom": "SKExternalPurchaseLinkStreamingRegions"
          }
        ]
      },
      "gates": [
        {
          "storefrontsFrom": "SKExternalPurchaseLinkStreamingRegions",
          "codes": null,
          "platforms": ["iOS", "iPadOS"],
          "minimumOS": "18.2",
          "tokenMinimumOS": "18.2"
        }
      ],
      "programmes": [
        {
          "id": "eu-in-app",
          "title": "EU, alternative payment provider inside the app",
          "storefronts": ["@EU27"],
          "family": "ExternalPurchase",
          "routes": [{"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"}],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "eea-link",
          "title": "EEA, external purchase link",
          "storefronts": ["@EEA29"],
          "family": "ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "eu-custom-link",
          "title": "EU, communication and promotion of offers",
          "storefronts": ["@EU27"],
          "family": "ExternalPurchaseCustomLink",
          "routes": [{"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseCustomLinkRegions"}],
          "tokenTypes": ["ACQUISITION", "SERVICES"],
          "minimumOS": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
          "tokenMinimumOS": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
          "basis": "documented"
        },
        {
          "id": "eea-streaming",
          "title": "EEA, music streaming",
          "storefronts": ["@EEA29"],
          "family": "ExternalPurchaseCustomLink",
          "routes": [{"entitlement": "com.apple.developer.storekit.external-purchase-link-streaming", "plistKey": "SKExternalPurchaseLinkStreamingRegions"}],
          "tokenTypes": ["ACQUISITION", "SERVICES"],
          "minimumOS": {"iOS": "18.2", "iPadOS": "18.2"},
          "tokenMinimumOS": {"iOS": "18.2", "iPadOS": "18.2"},
          "basis": "documented"
        },
        {
          "id": "nl-dating",
          "title": "Netherlands, dating apps",
          "storefronts": ["nl"],
          "family": "ExternalPurchase+ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "kr-in-app",
          "title": "South Korea, third-party payment provider",
          "storefronts": ["kr"],
          "family": "ExternalPurchase",
          "routes": [{"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"}],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "ru-link",
          "title": "Russia, external purchase link",
          "storefronts": ["ru"],
          "family": "ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        }
      ],
      "source": {
        "content": "Apple Developer Documentation, property list keys, entitlements and StoreKit",
        "asOf": "2026-11",
        "placement": "decided by this project (D10)"
      }
    },
    {
      "id": "2026-02",
      "title": "Allowed regions: EU and Japan",
      "effectiveFrom": "2026-02-01",
      "widenedEntitlement": false,
      "typedTokenAPI": false,
      "plistKeys": {
        "SKExternalPurchase": {"type": "array<string>", "entitlements": ["com.apple.developer.storekit.external-purchase"], "codes": ["@EU27", "kr"]},
        "SKExternalPurchaseLink": {
          "type": "dictionary<string,string>",
          "entitlements": ["com.apple.developer.storekit.external-purchase-link"],
          "codes": ["@EEA29", "ru"],
          "withdrawn": ["us"]
        },
        "SKExternalPurchaseMultiLink": {
          "type": "dictionary<string,array<string>>",
          "entitlements": ["com.apple.developer.storekit.external-purchase-link"],
          "codes": ["@EEA29", "ru"],
          "withdrawn": ["us"]
        },
        "SKExternalPurchaseCustomLinkRegions": {"type": "array<string>", "entitlements": ["com.apple.developer.storekit.external-purchase-link"], "codes": ["@EU27"]},
        "SKExternalPurchaseLinkStreamingRegions": {"type": "array<string>", "entitlements": ["com.apple.developer.storekit.external-purchase-link-streaming"], "codes": ["@EEA29"]},
        "SKExternalLinkAccount": {
          "type": "dictionary<string,string>",
          "entitlements": ["com.apple.developer.storekit.external-link.account"],
          "codes": null,
          "anyCountry": true,
          "requiredKey": "*"
        }
      },
      "entitlements": {
        "com.apple.developer.storekit.external-purchase": {"type": "boolean"},
        "com.apple.developer.storekit.external-purchase-link": {"type": "boolean"},
        "com.apple.developer.storekit.external-purchase-link-streaming": {"type": "boolean"},
        "com.apple.developer.storekit.custom-purchase-link.allowed-regions": {"type": "array<string>", "codes": ["@EU27", "jp"], "contested": []},
        "com.apple.developer.storekit.external-link.account": {"type": "boolean"}
      },
      "linkLimits": {"default": 1, "musicStreaming": {"limit": 5, "codes": ["@EEA29"]}},
      "routes": {
        "ExternalPurchase": [{"entitlement": "com.apple.developer.storekit.external-purchase", "storefrontsFrom": "SKExternalPurchase"}],
        "ExternalPurchaseLink.single": [{"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseLink"}],
        "ExternalPurchaseLink.multi": [{"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseMultiLink"}],
        "ExternalPurchaseCustomLink": [
          {"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseCustomLinkRegions"},
          {
            "entitlement": "com.apple.developer.storekit.external-purchase-link-streaming",
            "storefrontsFrom": "SKExternalPurchaseLinkStreamingRegions"
          },
          {
            "entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
            "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions"
          }
        ]
      },
      "gates": [
        {
          "storefrontsFrom": "SKExternalPurchaseLinkStreamingRegions",
          "codes": null,
          "platforms": ["iOS", "iPadOS"],
          "minimumOS": "18.2",
          "tokenMinimumOS": "18.2"
        },
        {
          "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
          "codes": null,
          "platforms": null,
          "minimumOS": "26.2",
          "tokenMinimumOS": "26.2"
        },
        {
          "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
          "codes": ["jp"],
          "platforms": null,
          "minimumOS": "26.2",
          "tokenMinimumOS": "26.4"
        }
      ],
      "programmes": [
        {
          "id": "eu-in-app",
          "title": "EU, alternative payment provider inside the app",
          "storefronts": ["@EU27"],
          "family": "ExternalPurchase",
          "routes": [{"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"}],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "eea-link",
          "title": "EEA, external purchase link",
          "storefronts": ["@EEA29"],
          "family": "ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "eu-custom-link",
          "title": "EU, communication and promotion of offers",
          "storefronts": ["@EU27"],
          "family": "ExternalPurchaseCustomLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseCustomLinkRegions"},
            {
              "entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
              "plistKey": null,
              "minimumOS": {"iOS": "26.2", "iPadOS": "26.2", "macCatalyst": "26.2", "macOS": "26.2", "tvOS": "26.2", "watchOS": "26.2", "visionOS": "26.2"}
            }
          ],
          "tokenTypes": ["ACQUISITION", "SERVICES"],
          "minimumOS": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
          "tokenMinimumOS": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
          "basis": "documented"
        },
        {
          "id": "eea-streaming",
          "title": "EEA, music streaming",
          "storefronts": ["@EEA29"],
          "family": "ExternalPurchaseCustomLink",
          "routes": [{"entitlement": "com.apple.developer.storekit.external-purchase-link-streaming", "plistKey": "SKExternalPurchaseLinkStreamingRegions"}],
          "tokenTypes": ["ACQUISITION", "SERVICES"],
          "minimumOS": {"iOS": "18.2", "iPadOS": "18.2"},
          "tokenMinimumOS": {"iOS": "18.2", "iPadOS": "18.2"},
          "basis": "documented"
        },
        {
          "id": "nl-dating",
          "title": "Netherlands, dating apps",
          "storefronts": ["nl"],
          "family": "ExternalPurchase+ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "kr-in-app",
          "title": "South Korea, third-party payment provider",
          "storefronts": ["kr"],
          "family": "ExternalPurchase",
          "routes": [{"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"}],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "ru-link",
          "title": "Russia, external purchase link",
          "storefronts": ["ru"],
          "family": "ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "jp-custom-link",
          "title": "Japan",
          "storefronts": ["jp"],
          "family": "ExternalPurchaseCustomLink",
          "routes": [{"entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions", "plistKey": null}],
          "tokenTypes": ["IN_APP", "LINK_OUT"],
          "minimumOS": {"iOS": "26.2", "iPadOS": "26.2", "macCatalyst": "26.2", "macOS": "26.2", "tvOS": "26.2", "watchOS": "26.2", "visionOS": "26.2"},
          "tokenMinimumOS": {"iOS": "26.4", "iPadOS": "26.4", "macCatalyst": "26.4", "macOS": "26.4", "tvOS": "26.4", "watchOS": "26.4", "visionOS": "26.4"},
          "basis": "documented"
        }
      ],
      "source": {
        "content": "Apple Developer Documentation, property list keys, entitlements and StoreKit",
        "asOf": "2026-11",
        "placement": "decided by this project (D10)"
      }
    },
    {
      "id": "2026-06",
      "title": "Brazil; allowed regions widen canPresent and canOpen",
      "effectiveFrom": "2026-06-01",
      "widenedEntitlement": true,
      "typedTokenAPI": false,
      "plistKeys": {
        "SKExternalPurchase": {"type": "array<string>", "entitlements": ["com.apple.developer.storekit.external-purchase"], "codes": ["@EU27", "kr"]},
        "SKExternalPurchaseLink": {
          "type": "dictionary<string,string>",
          "entitlements": ["com.apple.developer.storekit.external-purchase-link", "com.apple.developer.storekit.custom-purchase-link.allowed-regions"],
          "codes": ["@EEA29", "ru"],
          "withdrawn": ["us"]
        },
        "SKExternalPurchaseMultiLink": {
          "type": "dictionary<string,array<string>>",
          "entitlements": ["com.apple.developer.storekit.external-purchase-link"],
          "codes": ["@EEA29", "ru"],
          "withdrawn": ["us"]
        },
        "SKExternalPurchaseCustomLinkRegions": {"type": "array<string>", "entitlements": ["com.apple.developer.storekit.external-purchase-link"], "codes": ["@EU27"]},
        "SKExternalPurchaseLinkStreamingRegions": {"type": "array<string>", "entitlements": ["com.apple.developer.storekit.external-purchase-link-streaming"], "codes": ["@EEA29"]},
        "SKExternalLinkAccount": {
          "type": "dictionary<string,string>",
          "entitlements": ["com.apple.developer.storekit.external-link.account"],
          "codes": null,
          "anyCountry": true,
          "requiredKey": "*"
        }
      },
      "entitlements": {
        "com.apple.developer.storekit.external-purchase": {"type": "boolean"},
        "com.apple.developer.storekit.external-purchase-link": {"type": "boolean"},
        "com.apple.developer.storekit.external-purchase-link-streaming": {"type": "boolean"},
        "com.apple.developer.storekit.custom-purchase-link.allowed-regions": {"type": "array<string>", "codes": ["@EU27", "br", "jp"], "contested": []},
        "com.apple.developer.storekit.external-link.account": {"type": "boolean"}
      },
      "linkLimits": {"default": 1, "musicStreaming": {"limit": 5, "codes": ["@EEA29"]}},
      "routes": {
        "ExternalPurchase": [
          {"entitlement": "com.apple.developer.storekit.external-purchase", "storefrontsFrom": "SKExternalPurchase"},
          {
            "entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
            "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions"
          }
        ],
        "ExternalPurchaseLink.single": [
          {"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseLink"},
          {
            "entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
            "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
            "alsoListedIn": "SKExternalPurchaseLink"
          }
        ],
        "ExternalPurchaseLink.multi": [{"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseMultiLink"}],
        "ExternalPurchaseCustomLink": [
          {"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseCustomLinkRegions"},
          {
            "entitlement": "com.apple.developer.storekit.external-purchase-link-streaming",
            "storefrontsFrom": "SKExternalPurchaseLinkStreamingRegions"
          },
          {
            "entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
            "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions"
          }
        ]
      },
      "gates": [
        {
          "storefrontsFrom": "SKExternalPurchaseLinkStreamingRegions",
          "codes": null,
          "platforms": ["iOS", "iPadOS"],
          "minimumOS": "18.2",
          "tokenMinimumOS": "18.2"
        },
        {
          "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
          "codes": null,
          "platforms": null,
          "minimumOS": "26.2",
          "tokenMinimumOS": "26.2"
        },
        {
          "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
          "codes": ["jp"],
          "platforms": null,
          "minimumOS": "26.2",
          "tokenMinimumOS": "26.4"
        },
        {
          "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
          "codes": ["br"],
          "platforms": null,
          "minimumOS": "26.5",
          "tokenMinimumOS": "26.5"
        }
      ],
      "programmes": [
        {
          "id": "eu-in-app",
          "title": "EU, alternative payment provider inside the app",
          "storefronts": ["@EU27"],
          "family": "ExternalPurchase",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"},
            {"entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions", "plistKey": null}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "eea-link",
          "title": "EEA, external purchase link",
          "storefronts": ["@EEA29"],
          "family": "ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"},
            {"entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions", "plistKey": "SKExternalPurchaseLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "eu-custom-link",
          "title": "EU, communication and promotion of offers",
          "storefronts": ["@EU27"],
          "family": "ExternalPurchaseCustomLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseCustomLinkRegions"},
            {
              "entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
              "plistKey": null,
              "minimumOS": {"iOS": "26.2", "iPadOS": "26.2", "macCatalyst": "26.2", "macOS": "26.2", "tvOS": "26.2", "watchOS": "26.2", "visionOS": "26.2"}
            }
          ],
          "tokenTypes": ["ACQUISITION", "SERVICES"],
          "minimumOS": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
          "tokenMinimumOS": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
          "basis": "documented"
        },
        {
          "id": "eea-streaming",
          "title": "EEA, music streaming",
          "storefronts": ["@EEA29"],
          "family": "ExternalPurchaseCustomLink",
          "routes": [{"entitlement": "com.apple.developer.storekit.external-purchase-link-streaming", "plistKey": "SKExternalPurchaseLinkStreamingRegions"}],
          "tokenTypes": ["ACQUISITION", "SERVICES"],
          "minimumOS": {"iOS": "18.2", "iPadOS": "18.2"},
          "tokenMinimumOS": {"iOS": "18.2", "iPadOS": "18.2"},
          "basis": "documented"
        },
        {
          "id": "nl-dating",
          "title": "Netherlands, dating apps",
          "storefronts": ["nl"],
          "family": "ExternalPurchase+ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "kr-in-app",
          "title": "South Korea, third-party payment provider",
          "storefronts": ["kr"],
          "family": "ExternalPurchase",
          "routes": [{"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"}],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "ru-link",
          "title": "Russia, external purchase link",
          "storefronts": ["ru"],
          "family": "ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "jp-custom-link",
          "title": "Japan",
          "storefronts": ["jp"],
          "family": "ExternalPurchaseCustomLink",
          "routes": [{"entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions", "plistKey": null}],
          "tokenTypes": ["IN_APP", "LINK_OUT"],
          "minimumOS": {"iOS": "26.2", "iPadOS": "26.2", "macCatalyst": "26.2", "macOS": "26.2", "tvOS": "26.2", "watchOS": "26.2", "visionOS": "26.2"},
          "tokenMinimumOS": {"iOS": "26.4", "iPadOS": "26.4", "macCatalyst": "26.4", "macOS": "26.4", "tvOS": "26.4", "watchOS": "26.4", "visionOS": "26.4"},
          "basis": "documented"
        },
        {
          "id": "br-custom-link",
          "title": "Brazil",
          "storefronts": ["br"],
          "family": "ExternalPurchaseCustomLink",
          "routes": [{"entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions", "plistKey": null}],
          "tokenTypes": ["IN_APP", "LINK_OUT"],
          "minimumOS": {"iOS": "26.5", "iPadOS": "26.5", "macCatalyst": "26.5", "macOS": "26.5", "tvOS": "26.5", "watchOS": "26.5", "visionOS": "26.5"},
          "tokenMinimumOS": {"iOS": "26.5", "iPadOS": "26.5", "macCatalyst": "26.5", "macOS": "26.5", "tvOS": "26.5", "watchOS": "26.5", "visionOS": "26.5"},
          "basis": "documented"
        }
      ],
      "source": {
        "content": "Apple Developer Documentation, property list keys, entitlements and StoreKit",
        "asOf": "2026-11",
        "placement": "decided by this project (D10)"
      }
    },
    {
      "id": "2026-10",
      "title": "One set of EU terms; typed token API",
      "effectiveFrom": "2026-10-01",
      "widenedEntitlement": true,
      "typedTokenAPI": true,
      "plistKeys": {
        "SKExternalPurchase": {"type": "array<string>", "entitlements": ["com.apple.developer.storekit.external-purchase"], "codes": ["@EU27", "kr"]},
        "SKExternalPurchaseLink": {
          "type": "dictionary<string,string>",
          "entitlements": ["com.apple.developer.storekit.external-purchase-link", "com.apple.developer.storekit.custom-purchase-link.allowed-regions"],
          "codes": ["@EEA29", "ru"],
          "withdrawn": ["us"]
        },
        "SKExternalPurchaseMultiLink": {
          "type": "dictionary<string,array<string>>",
          "entitlements": ["com.apple.developer.storekit.external-purchase-link"],
          "codes": ["@EEA29", "ru"],
          "withdrawn": ["us"]
        },
        "SKExternalPurchaseCustomLinkRegions": {"type": "array<string>", "entitlements": ["com.apple.developer.storekit.external-purchase-link"], "codes": ["@EU27"]},
        "SKExternalPurchaseLinkStreamingRegions": {"type": "array<string>", "entitlements": ["com.apple.developer.storekit.external-purchase-link-streaming"], "codes": ["@EEA29"]},
        "SKExternalLinkAccount": {
          "type": "dictionary<string,string>",
          "entitlements": ["com.apple.developer.storekit.external-link.account"],
          "codes": null,
          "anyCountry": true,
          "requiredKey": "*"
        }
      },
      "entitlements": {
        "com.apple.developer.storekit.external-purchase": {"type": "boolean"},
        "com.apple.developer.storekit.external-purchase-link": {"type": "boolean"},
        "com.apple.developer.storekit.external-purchase-link-streaming": {"type": "boolean"},
        "com.apple.developer.storekit.custom-purchase-link.allowed-regions": {"type": "array<string>", "codes": ["@EU27", "br", "jp"], "contested": ["is", "no"]},
        "com.apple.developer.storekit.external-link.account": {"type": "boolean"}
      },
      "linkLimits": {"default": 1, "musicStreaming": {"limit": 5, "codes": ["@EEA29"]}},
      "routes": {
        "ExternalPurchase": [
          {"entitlement": "com.apple.developer.storekit.external-purchase", "storefrontsFrom": "SKExternalPurchase"},
          {
            "entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
            "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions"
          }
        ],
        "ExternalPurchaseLink.single": [
          {"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseLink"},
          {
            "entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
            "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
            "alsoListedIn": "SKExternalPurchaseLink"
          }
        ],
        "ExternalPurchaseLink.multi": [{"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseMultiLink"}],
        "ExternalPurchaseCustomLink": [
          {"entitlement": "com.apple.developer.storekit.external-purchase-link", "storefrontsFrom": "SKExternalPurchaseCustomLinkRegions"},
          {
            "entitlement": "com.apple.developer.storekit.external-purchase-link-streaming",
            "storefrontsFrom": "SKExternalPurchaseLinkStreamingRegions"
          },
          {
            "entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
            "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions"
          }
        ]
      },
      "gates": [
        {
          "storefrontsFrom": "SKExternalPurchaseLinkStreamingRegions",
          "codes": null,
          "platforms": ["iOS", "iPadOS"],
          "minimumOS": "18.2",
          "tokenMinimumOS": "18.2"
        },
        {
          "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
          "codes": null,
          "platforms": null,
          "minimumOS": "26.2",
          "tokenMinimumOS": "26.2"
        },
        {
          "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
          "codes": ["jp"],
          "platforms": null,
          "minimumOS": "26.2",
          "tokenMinimumOS": "26.4"
        },
        {
          "storefrontsFrom": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
          "codes": ["br"],
          "platforms": null,
          "minimumOS": "26.5",
          "tokenMinimumOS": "26.5"
        }
      ],
      "programmes": [
        {
          "id": "eu-in-app",
          "title": "EU, alternative payment provider inside the app",
          "storefronts": ["@EU27"],
          "family": "ExternalPurchase",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"},
            {"entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions", "plistKey": null}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "eea-link",
          "title": "EEA, external purchase link",
          "storefronts": ["@EEA29"],
          "family": "ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"},
            {"entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions", "plistKey": "SKExternalPurchaseLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "eu-custom-link",
          "title": "EU, communication and promotion of offers",
          "storefronts": ["@EU27"],
          "family": "ExternalPurchaseCustomLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseCustomLinkRegions"},
            {
              "entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions",
              "plistKey": null,
              "minimumOS": {"iOS": "26.2", "iPadOS": "26.2", "macCatalyst": "26.2", "macOS": "26.2", "tvOS": "26.2", "watchOS": "26.2", "visionOS": "26.2"}
            }
          ],
          "tokenTypes": ["ACQUISITION", "SERVICES"],
          "minimumOS": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
          "tokenMinimumOS": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
          "basis": "documented"
        },
        {
          "id": "eea-streaming",
          "title": "EEA, music streaming",
          "storefronts": ["@EEA29"],
          "family": "ExternalPurchaseCustomLink",
          "routes": [{"entitlement": "com.apple.developer.storekit.external-purchase-link-streaming", "plistKey": "SKExternalPurchaseLinkStreamingRegions"}],
          "tokenTypes": ["ACQUISITION", "SERVICES"],
          "minimumOS": {"iOS": "18.2", "iPadOS": "18.2"},
          "tokenMinimumOS": {"iOS": "18.2", "iPadOS": "18.2"},
          "basis": "documented"
        },
        {
          "id": "nl-dating",
          "title": "Netherlands, dating apps",
          "storefronts": ["nl"],
          "family": "ExternalPurchase+ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "kr-in-app",
          "title": "South Korea, third-party payment provider",
          "storefronts": ["kr"],
          "family": "ExternalPurchase",
          "routes": [{"entitlement": "com.apple.developer.storekit.external-purchase", "plistKey": "SKExternalPurchase"}],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "ru-link",
          "title": "Russia, external purchase link",
          "storefronts": ["ru"],
          "family": "ExternalPurchaseLink",
          "routes": [
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseLink"},
            {"entitlement": "com.apple.developer.storekit.external-purchase-link", "plistKey": "SKExternalPurchaseMultiLink"}
          ],
          "tokenTypes": [null],
          "minimumOS": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "tokenMinimumOS": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
          "basis": "documented"
        },
        {
          "id": "jp-custom-link",
          "title": "Japan",
          "storefronts": ["jp"],
          "family": "ExternalPurchaseCustomLink",
          "routes": [{"entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions", "plistKey": null}],
          "tokenTypes": ["IN_APP", "LINK_OUT"],
          "minimumOS": {"iOS": "26.2", "iPadOS": "26.2", "macCatalyst": "26.2", "macOS": "26.2", "tvOS": "26.2", "watchOS": "26.2", "visionOS": "26.2"},
          "tokenMinimumOS": {"iOS": "26.4", "iPadOS": "26.4", "macCatalyst": "26.4", "macOS": "26.4", "tvOS": "26.4", "watchOS": "26.4", "visionOS": "26.4"},
          "basis": "documented"
        },
        {
          "id": "br-custom-link",
          "title": "Brazil",
          "storefronts": ["br"],
          "family": "ExternalPurchaseCustomLink",
          "routes": [{"entitlement": "com.apple.developer.storekit.custom-purchase-link.allowed-regions", "plistKey": null}],
          "tokenTypes": ["IN_APP", "LINK_OUT"],
          "minimumOS": {"iOS": "26.5", "iPadOS": "26.5", "macCatalyst": "26.5", "macOS": "26.5", "tvOS": "26.5", "watchOS": "26.5", "visionOS": "26.5"},
          "tokenMinimumOS": {"iOS": "26.5", "iPadOS": "26.5", "macCatalyst": "26.5", "macOS": "26.5", "tvOS": "26.5", "watchOS": "26.5", "visionOS": "26.5"},
          "basis": "documented"
        }
      ],
      "source": {
        "content": "Apple Developer Documentation, property list keys, entitlements and StoreKit",
        "asOf": "2026-11",
        "placement": "decided by this project (D10)"
      }
    }
  ],
  "members": {
    "ExternalPurchase": {
      "kind": "enum",
      "availability": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
      "sincePack": "2024-04"
    },
    "ExternalPurchase.canPresent": {
      "kind": "property",
      "availability": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
      "sincePack": "2024-04"
    },
    "ExternalPurchase.presentNoticeSheet()": {
      "kind": "method",
      "availability": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
      "sincePack": "2024-04"
    },
    "ExternalPurchase.NoticeResult": {
      "kind": "enum",
      "availability": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
      "sincePack": "2024-04"
    },
    "ExternalPurchase.NoticeResult.cancelled": {
      "kind": "case",
      "availability": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
      "sincePack": "2024-04"
    },
    "ExternalPurchase.NoticeResult.continuedWithExternalPurchaseToken(token:)": {
      "kind": "case",
      "availability": {"iOS": "17.4", "iPadOS": "17.4", "macCatalyst": "17.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
      "sincePack": "2024-04"
    },
    "ExternalPurchaseLink": {
      "kind": "enum",
      "availability": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
      "sincePack": "2024-04"
    },
    "ExternalPurchaseLink.canOpen": {
      "kind": "property",
      "availability": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
      "sincePack": "2024-04"
    },
    "ExternalPurchaseLink.open()": {
      "kind": "method",
      "availability": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "14.4", "tvOS": "17.4", "watchOS": "10.4", "visionOS": "1.1"},
      "sincePack": "2024-04"
    },
    "ExternalPurchaseLink.eligibleURLs": {
      "kind": "property",
      "availability": {"iOS": "17.5", "iPadOS": "17.5", "macCatalyst": "17.5", "macOS": "14.5", "tvOS": "17.5", "watchOS": "10.5", "visionOS": "1.2"},
      "sincePack": "2024-04"
    },
    "ExternalPurchaseLink.open(url:)": {
      "kind": "method",
      "availability": {"iOS": "17.5", "iPadOS": "17.5", "macCatalyst": "17.5", "macOS": "14.5", "tvOS": "17.5", "watchOS": "10.5", "visionOS": "1.2"},
      "sincePack": "2024-04"
    },
    "ExternalPurchaseCustomLink": {
      "kind": "enum",
      "availability": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
      "sincePack": "2025-07"
    },
    "ExternalPurchaseCustomLink.isEligible": {
      "kind": "property",
      "availability": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
      "sincePack": "2025-07"
    },
    "ExternalPurchaseCustomLink.Token": {
      "kind": "struct",
      "availability": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
      "sincePack": "2025-07"
    },
    "ExternalPurchaseCustomLink.NoticeResult": {
      "kind": "enum",
      "availability": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
      "sincePack": "2025-07"
    },
    "ExternalPurchaseCustomLink.NoticeType": {
      "kind": "enum",
      "availability": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
      "sincePack": "2025-07",
      "deprecated": {"inVersion": "27.2", "renamed": "ExternalPurchaseCustomLink.ExternalPurchaseType"}
    },
    "ExternalPurchaseCustomLink.token(for:)-String": {
      "kind": "method",
      "availability": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
      "sincePack": "2025-07",
      "deprecated": {"inVersion": "27.2", "renamed": "ExternalPurchaseCustomLink.token(for:)-TokenType"}
    },
    "ExternalPurchaseCustomLink.showNotice(type:)": {
      "kind": "method",
      "availability": {"iOS": "18.1", "iPadOS": "18.1", "macCatalyst": "18.1", "macOS": "15.1", "tvOS": "18.1", "watchOS": "11.1", "visionOS": "2.1"},
      "sincePack": "2025-07",
      "deprecated": {"inVersion": "27.2", "renamed": "ExternalPurchaseCustomLink.showNotice(for:)"}
    },
    "ExternalPurchaseCustomLink.TokenType": {
      "kind": "struct",
      "availability": {"iOS": "27.2", "iPadOS": "27.2", "macCatalyst": "27.2", "macOS": "27.2", "tvOS": "27.2", "watchOS": "27.2", "visionOS": "27.2"},
      "sincePack": "2026-10"
    },
    "ExternalPurchaseCustomLink.ExternalPurchaseType": {
      "kind": "enum",
      "availability": {"iOS": "27.2", "iPadOS": "27.2", "macCatalyst": "27.2", "macOS": "27.2", "tvOS": "27.2", "watchOS": "27.2", "visionOS": "27.2"},
      "sincePack": "2026-10"
    },
    "ExternalPurchaseCustomLink.token(for:)-TokenType": {
      "kind": "method",
      "availability": {"iOS": "27.2", "iPadOS": "27.2", "macCatalyst": "27.2", "macOS": "27.2", "tvOS": "27.2", "watchOS": "27.2", "visionOS": "27.2"},
      "sincePack": "2026-10"
    },
    "ExternalPurchaseCustomLink.showNotice(for:)": {
      "kind": "method",
      "availability": {"iOS": "27.2", "iPadOS": "27.2", "macCatalyst": "27.2", "macOS": "27.2", "tvOS": "27.2", "watchOS": "27.2", "visionOS": "27.2"},
      "sincePack": "2026-10"
    },
    "AppStore.canMakePayments": {
      "kind": "property",
      "availability": {"iOS": "15.0", "iPadOS": "15.0", "macCatalyst": "15.0", "macOS": "12.0", "tvOS": "15.0", "watchOS": "8.0", "visionOS": "1.0"},
      "sincePack": "2024-04"
    },
    "Storefront": {
      "kind": "struct",
      "availability": {"iOS": "15.0", "iPadOS": "15.0", "macCatalyst": "15.0", "macOS": "12.0", "tvOS": "15.0", "watchOS": "8.0", "visionOS": "1.0"},
      "sincePack": "2024-04"
    },
    "Storefront.currency": {
      "kind": "property",
      "availability": {"iOS": "17.0", "iPadOS": "17.0", "macCatalyst": "17.0", "macOS": "14.0", "tvOS": "17.0", "watchOS": "10.0", "visionOS": "1.0"},
      "sincePack": "2024-04"
    },
    "StoreKitError": {
      "kind": "enum",
      "availability": {"iOS": "15.0", "iPadOS": "15.0", "macCatalyst": "15.0", "macOS": "12.0", "tvOS": "15.0", "watchOS": "8.0", "visionOS": "1.0"},
      "sincePack": "2024-04"
    },
    "StoreKitError.unknown": {
      "kind": "case",
      "availability": {"iOS": "15.0", "iPadOS": "15.0", "macCatalyst": "15.0", "macOS": "12.0", "tvOS": "15.0", "watchOS": "8.0", "visionOS": "1.0"},
      "sincePack": "2024-04"
    },
    "StoreKitError.userCancelled": {
      "kind": "case",
      "availability": {"iOS": "15.0", "iPadOS": "15.0", "macCatalyst": "15.0", "macOS": "12.0", "tvOS": "15.0", "watchOS": "8.0", "visionOS": "1.0"},
      "sincePack": "2024-04"
    },
    "StoreKitError.networkError(_:)": {
      "kind": "case",
      "availability": {"iOS": "15.0", "iPadOS": "15.0", "macCatalyst": "15.0", "macOS": "12.0", "tvOS": "15.0", "watchOS": "8.0", "visionOS": "1.0"},
      "sincePack": "2024-04"
    },
    "StoreKitError.systemError(_:)": {
      "kind": "case",
      "availability": {"iOS": "15.0", "iPadOS": "15.0", "macCatalyst": "15.0", "macOS": "12.0", "tvOS": "15.0", "watchOS": "8.0", "visionOS": "1.0"},
      "sincePack": "2024-04"
    },
    "StoreKitError.notAvailableInStorefront": {
      "kind": "case",
      "availability": {"iOS": "15.0", "iPadOS": "15.0", "macCatalyst": "15.0", "macOS": "12.0", "tvOS": "15.0", "watchOS": "8.0", "visionOS": "1.0"},
      "sincePack": "2024-04"
    },
    "StoreKitError.notEntitled": {
      "kind": "case",
      "availability": {"iOS": "15.4", "iPadOS": "15.4", "macCatalyst": "15.4", "macOS": "12.3", "tvOS": "15.4", "watchOS": "8.5", "visionOS": "1.0"},
      "sincePack": "2024-04"
    },
    "StoreKitError.unsupported": {
      "kind": "case",
      "availability": {"iOS": "18.4", "iPadOS": "18.4", "macCatalyst": "18.4", "macOS": "15.4", "tvOS": "18.4", "watchOS": "11.4", "visionOS": "2.4"},
      "sincePack": "2025-07"
    },
    "StoreKitError.invalidPresentationContext": {
      "kind": "case",
      "availability": {"iOS": "27.0", "iPadOS": "27.0", "macCatalyst": "27.0", "macOS": "27.0", "tvOS": "27.0", "watchOS": "27.0", "visionOS": "27.0"},
      "sincePack": "2026-10"
    }
  }
}
"""##
}
