public import AppConfiguration
public import ExternalPurchaseCore

extension UsableConfiguration {
    /// Selects the entries of a configuration that the runtime uses (CF-50 to CF-53).
    ///
    /// An entry with an error finding is omitted, and so are links over the limit of their country, in the order of
    /// CF-52. Without evidence of music streaming only one link of a country is used (CF-43). Codes with warnings are
    /// used, even withdrawn ones; the pack determines that they are not supported (CF-61). Keys and entitlements that
    /// the pack lacks are omitted. Under ``InvalidEntryPolicy/keep`` an entry is used if it has the right type and its
    /// URL, if any, can be parsed; no limit applies then.
    ///
    /// - Parameters:
    ///   - configuration: the files of one app. Signed entitlements take precedence over the source (CF-1).
    ///   - pack: the rule pack that lists the supported regions.
    ///   - musicStreaming: whether the app qualifies for the music streaming programme.
    ///   - policy: how an entry with an error finding is treated.
    ///   - legacyAllowedRegions: whether the lists of autumn 2025 are used (CF-24).
    public init(
        _ configuration: AppConfiguration,
        pack: RulePack,
        musicStreaming: MusicStreaming = .auto,
        policy: InvalidEntryPolicy = .ignore,
        legacyAllowedRegions: LegacyAllowedRegions = .byPack
    ) {
        self.init()
        let read = AppConfiguration(
            infoPlist: configuration.infoPlist,
            entitlements: configuration.effectiveEntitlements
        )
        var options = LintOptions(pack: pack, musicStreaming: musicStreaming)
        options.legacyAllowedRegions = legacyAllowedRegions
        let ruleRunner = RuleRunner(read, options: options)
        let inspection = ruleRunner.inspect(read)
        let files = [read.infoPlist, read.entitlements].compactMap { $0?.path }
        let findings = inspection.flattened(files: files)
        bundleId = Self.bundleId(in: read.infoPlist)

        var selection = Selection(policy: policy, legacy: ruleRunner.context.legacyEntitlements, pack: pack)
        for key in inspection.keys where selection.uses(key) {
            add(key, &selection)
        }
        if policy == .ignore {
            limit(ruleRunner, inspection)
        }
        // Findings whose entries are used despite them are not among the removed ones.
        let kept = policy == .keep ? selection.kept.union(inspection.counts) : selection.kept
        removed = findings.filter { finding in
            finding.severity == .error ? !kept.contains(finding) : leftOutLinks(finding)
        }
        dropEmpty()
    }

    private static func bundleId(in infoPlist: PropertyListFile?) -> BundleId? {
        guard case .string(let id) = infoPlist?.member("CFBundleIdentifier")?.node.value, !id.isEmpty,
            !UnresolvedVariable.isHit(id)
        else { return nil }
        return BundleId(rawValue: id)
    }

    /// The entries that are used, and the error findings that did not exclude an entry.
    private struct Selection {
        let policy: InvalidEntryPolicy
        let legacy: [Entitlement: Entitlement]
        let pack: RulePack
        var kept: Set<Finding> = []

        mutating func uses(_ key: InspectedKey) -> Bool {
            use(key.findings, unless: !key.shape.admits(key.member.node.value))
        }

        mutating func uses(_ entry: InspectedEntry) -> Bool {
            use(entry.findings, unless: !entry.hasRightType)
        }

        mutating func uses(_ link: InspectedLink) -> Bool {
            guard let url = link.url else { return false }
            let address = WebAddress(splitting: url)
            return use(link.findings, unless: address.scheme == nil || address.fault != nil)
        }

        private mutating func use(_ findings: [Finding], unless isUnusable: Bool) -> Bool {
            guard findings.hasError else { return true }
            guard policy == .keep, !isUnusable else { return false }
            kept.formUnion(findings.errors)
            return true
        }
    }

    private mutating func add(_ key: InspectedKey, _ selection: inout Selection) {
        let evidence = Evidence(key.location)
        switch key.source {
        case .entitlement(.allowedRegions):
            for entry in key.lastEntries where selection.uses(entry) {
                guard let code = entry.code, allowedRegions[code] == nil else { continue }
                allowedRegions[code] = Evidence(entry.location)
            }
            if !allowedRegions.isEmpty { entitlements[.allowedRegions] = evidence }
        case .entitlement(let entitlement) where selection.legacy[entitlement] != nil:
            var regions: [String: Evidence] = [:]
            for entry in key.lastEntries where selection.uses(entry) {
                guard let code = entry.code, regions[code] == nil else { continue }
                regions[code] = Evidence(entry.location)
            }
            if let stoodFor = selection.legacy[entitlement], !regions.isEmpty {
                legacyRegions[stoodFor] = LegacyRegions(
                    name: entitlement,
                    evidence: evidence,
                    regions: regions,
                    standsAlone: selection.pack.isKeyReplaced(with: stoodFor)
                )
            }
        case .entitlement(let entitlement):
            if key.member.node.value == .bool(true) { entitlements[entitlement] = evidence }
        case .plistKey(.link):
            for entry in key.lastEntries where selection.uses(entry) {
                guard let code = entry.code, let link = entry.links.first, selection.uses(link) else { continue }
                singleLinks[code] = Link(link)
            }
        case .plistKey(.multiLink):
            for entry in key.lastEntries where selection.uses(entry) {
                guard let code = entry.code else { continue }
                // A repeated URL counts once (CF-43).
                var seen: Set<[UInt8]> = []
                multiLinks[code] = entry.links.filter { selection.uses($0) }.compactMap { Link($0) }.filter { link in
                    seen.insert(Array(link.url.utf8)).inserted
                }
            }
        case .plistKey(.linkAccount):
            for entry in key.lastEntries where selection.uses(entry) {
                guard let code = entry.code, let link = entry.links.first, selection.uses(link) else { continue }
                accountLinks[code] = Link(link)
            }
        case .plistKey(let list):
            for entry in key.lastEntries where selection.uses(entry) {
                guard let code = entry.code, regions[list]?[code] == nil else { continue }
                regions[list, default: [:]][code] = Evidence(entry.location)
            }
        }
    }

    /// Excludes links over the limit of their country.
    ///
    /// The URLs of the multi key count in their order, then the single link (CF-52). URLs with an error count as well
    /// (CF-42).
    private mutating func limit(_ ruleRunner: RuleRunner, _ inspection: Inspection) {
        for links in ruleRunner.countedLinks(in: inspection) {
            let limit = ruleRunner.context.usableLimit(of: links)
            var taken: Set<[UInt8]> = []
            for url in links.multi where taken.count < limit.count { taken.insert(Array(url.utf8)) }
            let country = links.country
            let excess = multiLinks[country]?.filter { !taken.contains(Array($0.url.utf8)) } ?? []
            if !excess.isEmpty { multiLinks[country]?.removeAll { !taken.contains(Array($0.url.utf8)) } }
            var excessSingle: Link?
            if let single = singleLinks[country], taken.count >= limit.count, !taken.contains(Array(single.url.utf8)) {
                excessSingle = single
                singleLinks[country] = nil
            }
            guard !excess.isEmpty || excessSingle != nil else { continue }
            excessLinks[country] = ExcessLinks(
                multi: excess,
                single: excessSingle,
                rule: limit.rule,
                reason: limit.reason,
                hint: limit.hint
            )
        }
    }

    /// True for the warning that links of a country are not used.
    private func leftOutLinks(_ finding: Finding) -> Bool {
        finding.rule == MultiLinkNeedsStreaming.id && finding.country.map { excessLinks[$0] != nil } == true
    }

    private mutating func dropEmpty() {
        multiLinks = multiLinks.filter { !$0.value.isEmpty }
    }
}

extension UsableConfiguration.Evidence {
    fileprivate init(_ location: Location) {
        self.init(file: location.file, position: location.position)
    }
}

extension UsableConfiguration.Link {
    fileprivate init?(_ link: InspectedLink) {
        guard let url = link.url else { return nil }
        self.init(url: url, evidence: UsableConfiguration.Evidence(link.location))
    }
}
