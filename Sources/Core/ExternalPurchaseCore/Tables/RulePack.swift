/// A dated set of region tables that linter, runtime and server share (spec/01 section 7).
public struct RulePack: Hashable, Sendable, Identifiable {
    /// The name, `2026-10`.
    public let id: String
    /// What came with it.
    public let title: String
    /// First day in force, `2026-10-01`.
    public let effectiveFrom: String
    /// True when the allowed-regions entitlement also opens `canPresent` and `canOpen` (CF-23).
    public let widenedEntitlement: Bool
    /// True when the typed token API of OS 27.2 exists.
    public let typedTokenAPI: Bool
    /// The Info.plist keys of the pack.
    public let plistKeys: [PlistKey: KeyTable]
    /// The entitlements of the pack.
    public let entitlements: [Entitlement: EntitlementTable]
    /// The lists of autumn 2025 that the pack takes as a Boolean entitlement in the regions they name, with that
    /// entitlement; empty in later packs (CF-24).
    public let legacyEntitlements: [Entitlement: Entitlement]
    /// How many links a country may have.
    public let linkLimits: LinkLimits
    /// Where each API group looks, first listed first (SK-21).
    public let routes: [APIGroup: [Route]]
    /// Extra OS minimums (CF-62).
    public let gates: [Gate]
    /// The programmes behind the storefronts.
    public let programmes: [Programme]

    /// What a pack says about an Info.plist key.
    public struct KeyTable: Hashable, Sendable {
        /// The property list type, `dictionary<string,string>`.
        public let type: String
        /// The entitlements that pair with the key; one is enough.
        public let entitlements: [Entitlement]
        /// The region codes in lower case; nil for any country.
        public let codes: [String]?
        /// Codes that older packs had.
        public let withdrawn: [String]
        /// A key that the dictionary must hold, `*`.
        public let requiredKey: String?
    }

    /// What a pack says about an entitlement.
    public struct EntitlementTable: Hashable, Sendable {
        /// `boolean` or `array<string>`.
        public let type: String
        /// The region codes of a list, contested ones included; nil for a Boolean entitlement.
        public let codes: [String]?
        /// Those of the codes on which sources disagree (CF-22).
        public let contested: [String]
    }

    /// How many different links a country may have (CF-40).
    public struct LinkLimits: Hashable, Sendable {
        /// The limit everywhere else.
        public let standard: Int
        /// The limit for qualifying music streaming apps.
        public let musicStreaming: Int
        /// Where the streaming limit holds.
        public let musicStreamingCodes: [String]
    }

    /// An entitlement together with the place that lists its storefronts.
    public struct Route: Hashable, Sendable {
        /// The entitlement that must be there.
        public let entitlement: Entitlement
        /// The key or list in which the storefront must stand.
        public let storefrontsFrom: StorefrontList
        /// A key in which it must stand too.
        public let alsoListedIn: PlistKey?
    }

    /// Where a route's storefronts are listed.
    public enum StorefrontList: Hashable, Sendable, CustomStringConvertible {
        /// In an Info.plist key.
        case plistKey(PlistKey)
        /// In a list entitlement.
        case entitlement(Entitlement)

        /// The name of the key or entitlement.
        public var description: String {
            switch self {
            case .plistKey(let key): key.rawValue
            case .entitlement(let entitlement): entitlement.rawValue
            }
        }
    }

    /// An OS minimum of a route for some storefronts.
    public struct Gate: Hashable, Sendable {
        /// The list whose storefronts it limits.
        public let storefrontsFrom: StorefrontList
        /// The region codes; nil for every code of the list.
        public let codes: [String]?
        /// The platforms on which the route exists; nil for every platform.
        public let platforms: [Platform]?
        /// The first OS version of the API.
        public let minimumOS: OSVersion
        /// The first OS version with tokens.
        public let tokenMinimumOS: OSVersion
    }

    /// The terms behind a group of storefronts (OV-4).
    public struct Programme: Hashable, Sendable {
        /// The name, `jp-custom-link`.
        public let id: String
        /// The name for people.
        public let title: String
        /// The region codes in lower case.
        public let storefronts: [String]
        /// The API family, `ExternalPurchaseCustomLink`.
        public let family: String
        /// Its routes.
        public let routes: [ProgrammeRoute]
        /// The types of its tokens; nil stands for the plain token.
        public let tokenTypes: [TokenType?]
        /// First OS version per platform.
        public let minimumOS: [Platform: OSVersion]
        /// First OS version with tokens per platform.
        public let tokenMinimumOS: [Platform: OSVersion]
    }

    /// A route of a programme.
    public struct ProgrammeRoute: Hashable, Sendable {
        /// The entitlement.
        public let entitlement: Entitlement
        /// The key that lists the storefronts; nil when the entitlement itself does.
        public let plistKey: PlistKey?
    }
}

/// An Info.plist key of external purchases.
public struct PlistKey: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The key as written.
    public let rawValue: String

    /// Takes any key.
    ///
    /// - Parameter rawValue: the key as written.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The key as written.
    public var description: String { rawValue }

    /// `SKExternalPurchase`: codes of the in-app family.
    public static let externalPurchase = Self(rawValue: "SKExternalPurchase")
    /// `SKExternalPurchaseLink`: one URL per code.
    public static let link = Self(rawValue: "SKExternalPurchaseLink")
    /// `SKExternalPurchaseMultiLink`: several URLs per code.
    public static let multiLink = Self(rawValue: "SKExternalPurchaseMultiLink")
    /// `SKExternalPurchaseCustomLinkRegions`: codes of custom links.
    public static let customLinkRegions = Self(rawValue: "SKExternalPurchaseCustomLinkRegions")
    /// `SKExternalPurchaseLinkStreamingRegions`: codes of music streaming.
    public static let streamingRegions = Self(rawValue: "SKExternalPurchaseLinkStreamingRegions")
    /// `SKExternalLinkAccount`: account links, linted only.
    public static let linkAccount = Self(rawValue: "SKExternalLinkAccount")

    /// The six keys.
    public static let all: [PlistKey] = [
        .externalPurchase, .link, .multiLink, .customLinkRegions, .streamingRegions, .linkAccount,
    ]
}

/// An entitlement of external purchases.
public struct Entitlement: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The key as written.
    public let rawValue: String

    /// Takes any key.
    ///
    /// - Parameter rawValue: the key as written.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The key as written.
    public var description: String { rawValue }

    /// `com.apple.developer.storekit.external-purchase`.
    public static let externalPurchase = Self(rawValue: "com.apple.developer.storekit.external-purchase")
    /// `com.apple.developer.storekit.external-purchase-link`.
    public static let link = Self(rawValue: "com.apple.developer.storekit.external-purchase-link")
    /// `com.apple.developer.storekit.external-purchase-link-streaming`.
    public static let streaming = Self(rawValue: "com.apple.developer.storekit.external-purchase-link-streaming")
    /// `com.apple.developer.storekit.custom-purchase-link.allowed-regions`.
    public static let allowedRegions = Self(
        rawValue: "com.apple.developer.storekit.custom-purchase-link.allowed-regions"
    )
    /// `com.apple.developer.storekit.external-link.account`.
    public static let linkAccount = Self(rawValue: "com.apple.developer.storekit.external-link.account")

    /// The five entitlements.
    public static let all: [Entitlement] = [.externalPurchase, .link, .streaming, .allowedRegions, .linkAccount]

    /// True for an entitlement whose value is a list of regions, of autumn 2025 too (CF-22, CF-24).
    public var isRegionList: Bool { rawValue.hasSuffix(".allowed-regions") }
}

/// A group of members that one eligibility question decides (SK-21).
public enum APIGroup: String, Hashable, Sendable, CaseIterable {
    /// `canPresent` and `presentNoticeSheet()`.
    case externalPurchase = "ExternalPurchase"
    /// `canOpen` and `open()`.
    case singleLink = "ExternalPurchaseLink.single"
    /// `eligibleURLs` and `open(url:)`.
    case multiLink = "ExternalPurchaseLink.multi"
    /// `isEligible`, `token(for:)` and `showNotice`.
    case customLink = "ExternalPurchaseCustomLink"
}
