public import AppConfiguration
public import ExternalPurchaseCore

/// Whether the app qualifies for the EEA music streaming programme (CF-43).
public enum MusicStreaming: String, Hashable, Sendable {
    /// The streaming entitlement or key determines it.
    case auto
    /// The app qualifies.
    case yes
    /// The app does not qualify.
    case no
}

/// Whether the entitlements that only the documents of autumn 2025 name are used (CF-24).
public enum LegacyAllowedRegions: String, Hashable, Sendable {
    /// They are used in the rule packs of their time.
    case byPack
    /// They are used in every pack with the Boolean entitlement that they replace.
    case on
    /// They are not used.
    case off

    /// Returns the lists that are used, each with the Boolean entitlement that it replaces in the regions it contains.
    ///
    /// - Parameter pack: the rule pack in force.
    public func entitlements(in pack: RulePack) -> [Entitlement: Entitlement] {
        switch self {
        case .byPack: pack.legacyEntitlements
        case .on: RegionTables.builtIn.legacyEntitlements.filter { pack.entitlements[$0.value] != nil }
        case .off: [:]
        }
    }
}

extension RulePack {
    /// True when the list of autumn 2025 that replaces a Boolean entitlement also replaces its key (CF-24): a key that is
    /// a list of regions itself.
    ///
    /// The link keys contain URLs and remain necessary.
    func isKeyReplaced(with entitlement: Entitlement) -> Bool {
        let keys = plistKeys.filter { $0.value.entitlements.contains(entitlement) }
        return !keys.isEmpty && keys.allSatisfy { Shape($0.value.type) == .texts }
    }

    /// True when the list that replaces a Boolean entitlement serves one of its keys (CF-24).
    ///
    /// Apple names the list of the link keys for these keys and not for custom links.
    package func legacyList(standingFor entitlement: Entitlement, serves key: PlistKey) -> Bool {
        plistKeys[key]?.entitlements.contains(entitlement) == true
            && (isKeyReplaced(with: entitlement) || plistKeys[key].flatMap { Shape($0.type) } != .texts)
    }
}

/// How the runtime treats an entry that has an error (CF-50).
public enum InvalidEntryPolicy: String, Hashable, Sendable {
    /// The entry is omitted.
    case ignore
    /// Every entry of the right type whose URL can be parsed is used.
    case keep
}

/// The entries of a configuration that the runtime uses, each with its evidence (CF-50 to CF-53).
public struct UsableConfiguration: Hashable, Sendable {
    /// The location of an entry.
    public struct Evidence: Hashable, Sendable {
        /// The path of the file as the caller gave it.
        public var file: String
        /// The position in the file, if known.
        public var position: SourcePosition?

        /// Creates a location.
        ///
        /// - Parameters:
        ///   - file: the path of the file as the caller gave it.
        ///   - position: the position in the file, if known.
        public init(file: String, position: SourcePosition? = nil) {
            self.file = file
            self.position = position
        }
    }

    /// A link of a country.
    public struct Link: Hashable, Sendable {
        /// The URL exactly as written.
        public var url: String
        /// The location of the link.
        public var evidence: Evidence

        /// Creates a link.
        ///
        /// - Parameters:
        ///   - url: the URL exactly as written.
        ///   - evidence: the location of the link.
        public init(url: String, evidence: Evidence) {
            self.url = url
            self.evidence = evidence
        }
    }

    /// The links of a region that are not used because they exceed its limit (CF-43, CF-52).
    public struct ExcessLinks: Hashable, Sendable {
        /// The excess links of `SKExternalPurchaseMultiLink`, in their order.
        public var multi: [Link]
        /// The link of `SKExternalPurchaseLink`, if it is not used either.
        public var single: Link?
        /// The lint rule of the limit, `multi-link-needs-streaming`.
        public var rule: String
        /// Why the links are not used, in one clause.
        public var reason: String
        /// How to make the links usable, or the configuration correct without them.
        public var hint: String

        /// Creates excess links.
        ///
        /// - Parameters:
        ///   - multi: the excess links of `SKExternalPurchaseMultiLink`.
        ///   - single: the link of `SKExternalPurchaseLink`.
        ///   - rule: the lint rule of the limit.
        ///   - reason: why the links are not used.
        ///   - hint: how to correct it.
        public init(multi: [Link], single: Link?, rule: String, reason: String, hint: String) {
            self.multi = multi
            self.single = single
            self.rule = rule
            self.reason = reason
            self.hint = hint
        }
    }

    /// A list of autumn 2025 that replaces a Boolean entitlement in the regions it contains (CF-24).
    public struct LegacyRegions: Hashable, Sendable {
        /// The entitlement as written.
        public var name: Entitlement
        /// The location of the list.
        public var evidence: Evidence
        /// The usable region codes.
        ///
        /// There is at least one.
        public var regions: [String: Evidence]
        /// True when the list replaces the key of Info.plist as well, because that key would list the same regions.
        public var standsAlone: Bool

        /// Creates a list.
        ///
        /// - Parameters:
        ///   - name: the entitlement as written.
        ///   - evidence: the location of the list.
        ///   - regions: the usable region codes.
        ///   - standsAlone: true when the list replaces the key of Info.plist as well.
        public init(name: Entitlement, evidence: Evidence, regions: [String: Evidence], standsAlone: Bool = false) {
            self.name = name
            self.evidence = evidence
            self.regions = regions
            self.standsAlone = standsAlone
        }
    }

    /// The bundle id of Info.plist.
    public var bundleId: BundleId?
    /// The effective entitlements: Boolean ones that are true, and lists that are arrays (CF-21).
    public var entitlements: [Entitlement: Evidence] = [:]
    /// The usable region codes of array keys.
    public var regions: [PlistKey: [String: Evidence]] = [:]
    /// The usable region codes of the allowed-regions entitlement.
    public var allowedRegions: [String: Evidence] = [:]
    /// The lists of autumn 2025 that are used, by the Boolean entitlement that they replace (CF-24).
    public var legacyRegions: [Entitlement: LegacyRegions] = [:]
    /// The usable link of each region in `SKExternalPurchaseLink`.
    public var singleLinks: [String: Link] = [:]
    /// The usable links of each region in `SKExternalPurchaseMultiLink`, without repetitions and in their order.
    ///
    /// Every region has at least one (CF-53).
    public var multiLinks: [String: [Link]] = [:]
    /// The usable links of `SKExternalLinkAccount` by region; the link of `*` is the default.
    public var accountLinks: [String: Link] = [:]
    /// The links of each region that exceed its limit.
    public var excessLinks: [String: ExcessLinks] = [:]
    /// The findings whose entries are omitted: errors, and warnings about links that are not used (CF-43).
    public var removed: [Finding] = []

    /// Creates a configuration without entries.
    public init() {}
}
