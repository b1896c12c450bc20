public import AppConfiguration
public import ExternalPurchaseCore

extension UsableConfiguration {
    /// Takes the entries that the runtime uses from a configuration (CF-50 to CF-53).
    ///
    /// An entry with an error finding is left out, and so are links over the limit of their country, in the order of
    /// CF-52. Without evidence of music streaming one link of a country counts (CF-43). Codes with warnings stay, a withdrawn one too: that it is not supported says the pack (CF-61). Keys and
    /// entitlements that the pack lacks are left out. Under ``InvalidEntryPolicy/keep`` an entry stays when it has the
    /// right type and its URL, if it has one, can be parsed; no limit is applied then.
    ///
    /// - Parameters:
    ///   - configuration: the files of one app; the signed entitlements are preferred to the source (CF-1).
    ///   - pack: the rule pack that lists the supported regions.
    ///   - musicStreaming: whether the app qualifies for the music streaming programme.
    ///   - policy: what happens to an entry with an error finding.
    ///   - legacyAllowedRegions: whether the lists of autumn 2025 count (CF-24).
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

        var selection = Selection(policy: policy, legacy: ruleRunner.context.legacyEntitlements)
        for key in inspection.keys where selection.uses(key) {
            add(key, &selection)
        }
        if policy == .ignore {
            limit(ruleRunner, inspection)
        }
        // What stays in spite of its finding was not removed.
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

    /// Which entries are used, and the error findings that did not keep an entry out.
    private struct Selection {
        let policy: InvalidEntryPolicy
        let legacy: [Entitlement: Entitlement]
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
                legacyRegions[stoodFor] = LegacyRegions(name: entitlement, evidence: evidence, regions: regions)
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
                // A URL that stands twice counts once (CF-43).
                var seen: Set<[UInt8]> = []
                multiLinks[code] = entry.links.filter { selection.uses($0) }.compactMap { Link($0) }.filter { link in
                    seen.insert(Array(link.url.utf8)).inserted
                }
            }
        case .plistKey(.linkAccount): break
        case .plistKey(let list):
            for entry in key.lastEntries where selection.uses(entry) {
                guard let code = entry.code, regions[list]?[code] == nil else { continue }
                regions[list, default: [:]][code] = Evidence(entry.location)
            }
        }
    }

    /// Leaves out what exceeds the limit of its country: the URLs of the multi key are taken in order, then the
    /// single link (CF-52); those with an error take their place all the same (CF-42).
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

    /// True for the warning that links of a country do not count.
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
