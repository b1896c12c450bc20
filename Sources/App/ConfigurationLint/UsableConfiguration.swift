public import AppConfiguration
public import ExternalPurchaseCore

/// Whether the app qualifies for the EEA music streaming programme (CF-43).
public enum MusicStreaming: String, Hashable, Sendable {
    /// Judged by the streaming entitlement or key.
    case auto
    /// Qualifies.
    case yes
    /// Does not qualify.
    case no
}

/// Whether the entitlements that only the documents of autumn 2025 named count (CF-24).
public enum LegacyAllowedRegions: String, Hashable, Sendable {
    /// In the rule packs of their time.
    case byPack
    /// In every pack that has the Boolean entitlement they stand for.
    case on
    /// In none.
    case off

    /// The lists that count, each with the Boolean entitlement that it stands for in the regions it names.
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

/// What the runtime does with an entry that has an error (CF-50).
public enum InvalidEntryPolicy: String, Hashable, Sendable {
    /// Leaves it out.
    case ignore
    /// Uses every entry of the right type whose URL can be parsed.
    case keep
}

/// The entries of a configuration that the runtime uses, each with its evidence (CF-50 to CF-53).
public struct UsableConfiguration: Hashable, Sendable {
    /// Where an entry stands.
    public struct Evidence: Hashable, Sendable {
        /// The path of the file as the caller gave it.
        public var file: String
        /// The place in the file, where known.
        public var position: SourcePosition?

        /// A place.
        ///
        /// - Parameters:
        ///   - file: the path of the file as the caller gave it.
        ///   - position: the place in the file, where known.
        public init(file: String, position: SourcePosition? = nil) {
            self.file = file
            self.position = position
        }
    }

    /// A link of a country.
    public struct Link: Hashable, Sendable {
        /// The URL byte for byte as written.
        public var url: String
        /// Where it stands.
        public var evidence: Evidence

        /// A link.
        ///
        /// - Parameters:
        ///   - url: the URL byte for byte as written.
        ///   - evidence: where it stands.
        public init(url: String, evidence: Evidence) {
            self.url = url
            self.evidence = evidence
        }
    }

    /// Links of a region that do not count because it has more than it may (CF-43, CF-52).
    public struct ExcessLinks: Hashable, Sendable {
        /// Those of `SKExternalPurchaseMultiLink`, in their order.
        public var multi: [Link]
        /// The one of `SKExternalPurchaseLink`, when it does not count either.
        public var single: Link?
        /// The lint rule that says so, `multi-link-needs-streaming`.
        public var rule: String
        /// Why they do not count, in one clause.
        public var reason: String
        /// What makes them count, or the configuration right without them.
        public var hint: String

        /// Links that do not count.
        ///
        /// - Parameters:
        ///   - multi: those of `SKExternalPurchaseMultiLink`.
        ///   - single: the one of `SKExternalPurchaseLink`.
        ///   - rule: the lint rule that says so.
        ///   - reason: why they do not count.
        ///   - hint: what would be right.
        public init(multi: [Link], single: Link?, rule: String, reason: String, hint: String) {
            self.multi = multi
            self.single = single
            self.rule = rule
            self.reason = reason
            self.hint = hint
        }
    }

    /// A list of autumn 2025 that stands for a Boolean entitlement in the regions it names (CF-24).
    public struct LegacyRegions: Hashable, Sendable {
        /// The entitlement as written.
        public var name: Entitlement
        /// Where it stands.
        public var evidence: Evidence
        /// The usable region codes; never empty.
        public var regions: [String: Evidence]

        /// A list.
        ///
        /// - Parameters:
        ///   - name: the entitlement as written.
        ///   - evidence: where it stands.
        ///   - regions: the usable region codes.
        public init(name: Entitlement, evidence: Evidence, regions: [String: Evidence]) {
            self.name = name
            self.evidence = evidence
            self.regions = regions
        }
    }

    /// The bundle id of Info.plist.
    public var bundleId: BundleId?
    /// The entitlements that count: Boolean ones that are true, lists that are arrays (CF-21).
    public var entitlements: [Entitlement: Evidence] = [:]
    /// The region codes of array keys that are usable.
    public var regions: [PlistKey: [String: Evidence]] = [:]
    /// The region codes of the allowed-regions entitlement that are usable.
    public var allowedRegions: [String: Evidence] = [:]
    /// The lists of autumn 2025 that count, by the Boolean entitlement that they stand for (CF-24).
    public var legacyRegions: [Entitlement: LegacyRegions] = [:]
    /// The usable link of each region in `SKExternalPurchaseLink`.
    public var singleLinks: [String: Link] = [:]
    /// The usable links of each region in `SKExternalPurchaseMultiLink`, each once, in their order; never empty (CF-53).
    public var multiLinks: [String: [Link]] = [:]
    /// The links of each region that its limit leaves out.
    public var excessLinks: [String: ExcessLinks] = [:]
    /// The findings whose entries were left out: errors, and warnings about links that do not count (CF-43).
    public var removed: [Finding] = []

    /// A configuration without entries.
    public init() {}
}
