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

    /// The bundle id of Info.plist.
    public var bundleId: BundleId?
    /// The entitlements that count: Boolean ones that are true, lists that are arrays (CF-21).
    public var entitlements: [Entitlement: Evidence] = [:]
    /// The region codes of array keys that are usable.
    public var regions: [PlistKey: [String: Evidence]] = [:]
    /// The region codes of the allowed-regions entitlement that are usable.
    public var allowedRegions: [String: Evidence] = [:]
    /// The usable link of each region in `SKExternalPurchaseLink`.
    public var singleLinks: [String: Link] = [:]
    /// The usable links of each region in `SKExternalPurchaseMultiLink`, in their order; never empty (CF-53).
    public var multiLinks: [String: [Link]] = [:]
    /// The error findings whose entries were left out.
    public var removed: [Finding] = []

    /// A configuration without entries.
    public init() {}
}
