/// A dated set of region tables that linter, runtime and server share (spec/01 section 7).
public struct RulePack: Hashable, Sendable, Identifiable {
    /// The name, `2026-10`.
    public let id: String
    /// What the pack introduced.
    public let title: String
    /// The first day in force, `2026-10-01`.
    public let effectiveFrom: String
    /// True when the allowed-regions entitlement also opens `canPresent` and `canOpen` (CF-23).
    public let widenedEntitlement: Bool
    /// True when the typed token API of OS 27.2 exists.
    public let typedTokenAPI: Bool
    /// The Info.plist keys of the pack.
    public let plistKeys: [PlistKey: KeyTable]
    /// The entitlements of the pack.
    public let entitlements: [Entitlement: EntitlementTable]
    /// The region lists of autumn 2025 that the pack treats like a Boolean entitlement in the regions they list, with
    /// that entitlement.
    ///
    /// Empty in later packs (CF-24).
    public let legacyEntitlements: [Entitlement: Entitlement]
    /// The number of links that a country may have.
    public let linkLimits: LinkLimits
    /// The routes of each API group, in the order in which they are tried (SK-21).
    public let routes: [APIGroup: [Route]]
    /// Additional OS minimums (CF-62).
    public let gates: [Gate]
    /// The programmes of the storefronts.
    public let programmes: [Programme]

    /// The entry of a pack for an Info.plist key.
    public struct KeyTable: Hashable, Sendable {
        /// The property list type, `dictionary<string,string>`.
        public let type: String
        /// The entitlements of which the key requires at least one.
        public let entitlements: [Entitlement]
        /// The region codes in lower case; nil if any country is allowed.
        public let codes: [String]?
        /// Codes that only older packs contain.
        public let withdrawn: [String]
        /// A key that the dictionary must contain, `*`.
        public let requiredKey: String?
    }

    /// The entry of a pack for an entitlement.
    public struct EntitlementTable: Hashable, Sendable {
        /// `boolean` or `array<string>`.
        public let type: String
        /// The region codes of a list, including contested ones; nil for a Boolean entitlement.
        public let codes: [String]?
        /// The codes on which sources disagree (CF-22).
        public let contested: [String]
    }

    /// The number of different links that a country may have (CF-40).
    public struct LinkLimits: Hashable, Sendable {
        /// The limit in all other cases.
        public let standard: Int
        /// The limit for qualifying music streaming apps.
        public let musicStreaming: Int
        /// The codes for which the streaming limit applies.
        public let musicStreamingCodes: [String]
    }

    /// An entitlement together with the key or list that contains its storefronts.
    public struct Route: Hashable, Sendable {
        /// The required entitlement.
        public let entitlement: Entitlement
        /// The key or list that must contain the storefront.
        public let storefrontsFrom: StorefrontList
        /// A further key that must contain the storefront.
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
        /// The list that contains the storefronts.
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

    /// The terms that apply to a group of storefronts (OV-4).
    public struct Programme: Hashable, Sendable {
        /// The name, `jp-custom-link`.
        public let id: String
        /// The name for people.
        public let title: String
        /// The region codes in lower case.
        public let storefronts: [String]
        /// The API family, `ExternalPurchaseCustomLink`.
        public let family: String
        /// The routes of the programme.
        public let routes: [ProgrammeRoute]
        /// The types of the programme's tokens; nil is the plain token.
        public let tokenTypes: [TokenType?]
        /// The first OS version on each platform.
        public let minimumOS: [Platform: OSVersion]
        /// The first OS version with tokens on each platform.
        public let tokenMinimumOS: [Platform: OSVersion]
    }

    /// A route of a programme.
    public struct ProgrammeRoute: Hashable, Sendable {
        /// The entitlement.
        public let entitlement: Entitlement
        /// The key that lists the storefronts; nil when the entitlement lists them itself.
        public let plistKey: PlistKey?
    }
}

/// An Info.plist key of external purchases.
public struct PlistKey: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The key as written.
    public let rawValue: String

    /// Creates a key from any text.
    ///
    /// - Parameter rawValue: the key as written.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The key as written.
    public var description: String { rawValue }

    /// `SKExternalPurchase`: region codes for purchases in the app.
    public static let externalPurchase = Self(rawValue: "SKExternalPurchase")
    /// `SKExternalPurchaseLink`: one URL per code.
    public static let link = Self(rawValue: "SKExternalPurchaseLink")
    /// `SKExternalPurchaseMultiLink`: several URLs per code.
    public static let multiLink = Self(rawValue: "SKExternalPurchaseMultiLink")
    /// `SKExternalPurchaseCustomLinkRegions`: region codes for custom links.
    public static let customLinkRegions = Self(rawValue: "SKExternalPurchaseCustomLinkRegions")
    /// `SKExternalPurchaseLinkStreamingRegions`: region codes for music streaming.
    public static let streamingRegions = Self(rawValue: "SKExternalPurchaseLinkStreamingRegions")
    /// `SKExternalLinkAccount`: account links.
    ///
    /// Only the linter reads it.
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

    /// Creates an entitlement from any key.
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

    /// True for an entitlement whose value is a list of regions, including those of autumn 2025 (CF-22, CF-24).
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
