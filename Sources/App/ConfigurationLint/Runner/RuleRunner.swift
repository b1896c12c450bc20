import AppConfiguration
import ExternalPurchaseCore

/// Applies the rules to their subjects in the files of a configuration.
struct RuleRunner {
    let context: LintContext

    init(_ configuration: AppConfiguration, options: LintOptions) {
        let legacy = options.legacyAllowedRegions.entitlements(in: options.pack)
        context = LintContext(
            options: options,
            tables: .builtIn,
            hasStreamingEvidence: Self.hasStreamingEvidence(configuration, legacy),
            legacyEntitlements: legacy,
            formats: Dictionary(
                [configuration.infoPlist, configuration.entitlements].compactMap { $0.map { ($0.path, $0.format) } },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }

    func inspect(_ configuration: AppConfiguration) -> Inspection {
        var inspection = Inspection()
        if let file = configuration.infoPlist { inspect(WholeFile(kind: .infoPlist, file: file), into: &inspection) }
        if let file = configuration.entitlements {
            inspect(WholeFile(kind: .entitlements, file: file), into: &inspection)
        }
        if let file = configuration.signedEntitlements {
            inspect(WholeFile(kind: .entitlements, file: file, isSigned: true), into: &inspection)
        }
        count(in: &inspection)
        return inspection
    }

    // A streaming entitlement that is true, a list that replaces it, or a key with at least one entry (CF-21, CF-24,
    // CF-43, CF-53).
    private static func hasStreamingEvidence(
        _ configuration: AppConfiguration,
        _ legacy: [Entitlement: Entitlement]
    ) -> Bool {
        let entitlements = configuration.effectiveEntitlements
        for (name, stoodFor) in legacy where stoodFor == .streaming {
            if case .array(let regions) = entitlements?.member(name.rawValue)?.node.value, !regions.isEmpty {
                return true
            }
        }
        if entitlements?.member(Entitlement.streaming.rawValue)?.node.value == .bool(true) { return true }
        guard let key = configuration.infoPlist?.member(PlistKey.streamingRegions.rawValue),
            case .array(let regions) = key.node.value
        else { return false }
        return !regions.isEmpty
    }

    // MARK: Files and keys

    private func inspect(_ file: WholeFile, into inspection: inout Inspection) {
        inspection.findings += RuleList.files.allHits(file, context)
        var keys: [InspectedKey] = []
        var known: [(name: String, location: Location)] = []
        var names: [(name: String, findings: [Finding])] = []
        for member in file.file.members {
            let location = Location(of: member, in: file.file)
            if isKnown(member.key) { known.append((member.key, location)) }
            let root = RootKey(kind: file.kind, name: member.key, location: location)
            let findings = RuleList.rootKeys.firstHit(root, context)
            names.append((member.key, findings))
            if findings.isEmpty, let key = inspect(member, of: file, at: location) { keys.append(key) }
        }
        inspection.findings += Self.withoutCollidingNames(names).flatMap(\.self)
        let repeated = RuleList.keyedMembers.allHits(KeyedMembers(format: file.file.format, keys: known), context)
        let last = Dictionary(keys.enumerated().map { ($0.element.source, $0.offset) }, uniquingKeysWith: { $1 })
        let repetitions = Dictionary(grouping: repeated, by: \.key)
        for (index, key) in keys.enumerated() {
            if last[key.source] != index {
                inspection.superseded += key.allFindings
            } else {
                inspection.keys.append(key)
                inspection.keys[inspection.keys.count - 1].findings += repetitions[key.member.key] ?? []
            }
        }
        // A repeated key that is not read has a finding as well.
        let read = Set(keys.map(\.member.key))
        inspection.findings += repeated.filter { finding in finding.key.map(read.contains) != true }
    }

    private func isKnown(_ name: String) -> Bool {
        PlistKey.all.contains(PlistKey(rawValue: name)) || Entitlement.all.contains(Entitlement(rawValue: name))
            || context.legacyEntitlements[Entitlement(rawValue: name)] != nil
    }

    private func inspect(_ member: PropertyListMember, of file: WholeFile, at location: Location) -> InspectedKey? {
        let list: RegionList
        let shape: Shape?
        switch file.kind {
        case .infoPlist:
            let key = PlistKey(rawValue: member.key)
            guard let table = context.pack.plistKeys[key] else { return nil }
            shape = Shape(table.type)
            list = RegionList(
                source: .plistKey(key),
                codes: table.codes,
                withdrawn: table.withdrawn,
                contested: []
            )
        case .entitlements:
            let entitlement = Entitlement(rawValue: member.key)
            if let stoodFor = context.legacyEntitlements[entitlement] {
                shape = .texts
                list = RegionList(
                    source: .entitlement(entitlement),
                    codes: context.codes(pairingWith: stoodFor),
                    withdrawn: [],
                    contested: []
                )
            } else if let table = context.pack.entitlements[entitlement] {
                shape = Shape(table.type)
                list = RegionList(
                    source: .entitlement(entitlement),
                    codes: table.codes ?? [],
                    withdrawn: [],
                    contested: table.contested
                )
            } else {
                return nil
            }
        }
        guard let shape else { return nil }
        var inspected = InspectedKey(
            source: list.source,
            member: member,
            shape: shape,
            location: location,
            isSigned: file.isSigned
        )
        let value = TypedValue(
            role: file.kind == .infoPlist ? .plistKey : .entitlement,
            node: member.node,
            shape: shape,
            location: location
        )
        inspected.findings = RuleList.values.firstHit(value, context)
        guard inspected.findings.isEmpty else { return inspected }
        switch member.node.value {
        case .array(let elements):
            inspected.entries = entries(of: elements, in: list, at: location)
        case .dictionary(let members):
            inspected.entries = entries(of: members, shape, in: list, format: file.file.format, at: location)
        default: break
        }
        return inspected
    }

    // MARK: Codes

    private func entries(of elements: [PropertyListNode], in list: RegionList, at location: Location)
        -> [InspectedEntry]
    {
        var codes: [ListedCode] = []
        var entries: [InspectedEntry] = []
        for (index, element) in elements.enumerated() {
            var location = location.inside("\(index)", at: element.position)
            let value = TypedValue(role: .element, node: element, shape: .text, location: location)
            guard case .string(let code) = element.value else {
                let findings = RuleList.values.firstHit(value, context)
                entries.append(InspectedEntry(code: nil, location: location, findings: findings, hasRightType: false))
                continue
            }
            location.country = code
            let listed = ListedCode(code: code, list: list, location: location)
            codes.append(listed)
            entries.append(InspectedEntry(code: code, location: location, findings: findings(about: listed)))
        }
        attach(RuleList.lists.allHits(ListedCodes(codes: codes, isArray: true), context), to: &entries)
        return entries
    }

    private func entries(
        of members: [PropertyListMember],
        _ shape: Shape,
        in list: RegionList,
        format: PropertyListFile.Format,
        at location: Location
    ) -> [InspectedEntry] {
        var codes: [ListedCode] = []
        var names: [(name: String, findings: [Finding])] = []
        var entries: [InspectedEntry] = []
        for member in members {
            var location = location.inside(member.key, at: member.keyPosition)
            location.country = member.key
            let listed = ListedCode(code: member.key, list: list, location: location)
            codes.append(listed)
            names.append((member.key, findings(about: listed)))
            var entry = InspectedEntry(code: member.key, location: location)
            inspectValue(of: member, shape == .textsByCode ? .texts : .text, in: list, into: &entry)
            entries.append(entry)
        }
        for (index, findings) in Self.withoutCollidingNames(names).enumerated() {
            entries[index].findings.insert(contentsOf: findings, at: 0)
        }
        let keys = codes.map { (name: $0.code, location: $0.location) }
        attach(RuleList.keyedMembers.allHits(KeyedMembers(format: format, keys: keys), context), to: &entries)
        attach(RuleList.lists.allHits(ListedCodes(codes: codes, isArray: false), context), to: &entries)
        return entries
    }

    private func findings(about code: ListedCode) -> [Finding] {
        // The default link of account linking is not a country code.
        if code.list.source == .plistKey(.linkAccount), code.code == "*" { return [] }
        let node = PropertyListNode(.string(code.code), at: code.location.position)
        let value = TypedValue(role: .element, node: node, shape: .text, location: code.location)
        let first = RuleList.values.firstHit(value, context)
        return (first.isEmpty ? RuleList.codes.firstHit(code, context) : first)
            + RuleList.independentOfCodes.allHits(code, context)
    }

    /// Removes the edits of findings whose new name another key of the dictionary has or gets, because the result would
    /// be a repeated key (CF-73).
    private static func withoutCollidingNames(_ names: [(name: String, findings: [Finding])]) -> [[Finding]] {
        guard names.contains(where: { $0.findings.contains { !$0.edits.isEmpty } }) else {
            return names.map(\.findings)
        }
        var counts: [String: Int] = [:]
        for (name, findings) in names {
            let target = findings.lazy.compactMap(\.fix).first
            counts[target ?? name, default: 0] += 1
        }
        return names.map { _, findings in
            findings.map { finding in
                guard let fix = finding.fix, counts[fix, default: 0] > 1 else { return finding }
                var finding = finding
                finding.edits = []
                return finding
            }
        }
    }

    private struct Spot: Hashable {
        let path: String?
        let position: SourcePosition?

        init(_ path: String?, _ position: SourcePosition?) {
            self.path = path
            self.position = position
        }
    }

    /// Assigns findings about several entries to the entry at their position.
    private func attach(_ findings: [Finding], to entries: inout [InspectedEntry]) {
        guard !findings.isEmpty else { return }
        // Copies of a code in a binary file have the same path and no position. The last one counts.
        let indices = Dictionary(
            entries.enumerated().map { (Spot($0.element.location.path, $0.element.location.position), $0.offset) },
            uniquingKeysWith: { $1 }
        )
        for finding in findings {
            if let index = indices[Spot(finding.path, finding.position)] { entries[index].findings.append(finding) }
        }
    }

    // MARK: Links

    private func inspectValue(
        of member: PropertyListMember,
        _ shape: Shape,
        in list: RegionList,
        into entry: inout InspectedEntry
    ) {
        var location = entry.location
        location.position = member.node.position
        let isLinkKey = list.source == .plistKey(.link) || list.source == .plistKey(.multiLink)
        let rules: LinkRules = isLinkKey ? .linkKeys : .accountLinks
        entry.hasRightType = shape.admits(member.node.value)
        let value = TypedValue(role: .element, node: member.node, shape: shape, location: location)
        if case .string(let url) = member.node.value, shape == .text {
            let findings = findings(about: url, value, rules)
            entry.links = [InspectedLink(url: url, location: location, findings: findings)]
            return
        }
        let findings = RuleList.values.firstHit(value, context)
        entry.findings += findings
        guard findings.isEmpty, case .array(let elements) = member.node.value else { return }
        for (index, element) in elements.enumerated() {
            let value = TypedValue(
                role: .element,
                node: element,
                shape: .text,
                location: location.inside("\(index)", at: element.position)
            )
            var url: String?
            if case .string(let text) = element.value { url = text }
            let findings = self.findings(about: url, value, rules)
            entry.links.append(InspectedLink(url: url, location: value.location, findings: findings))
        }
    }

    private enum LinkRules {
        case linkKeys
        case accountLinks
    }

    private func findings(about url: String?, _ value: TypedValue, _ rules: LinkRules) -> [Finding] {
        let first = RuleList.values.firstHit(value, context)
        guard first.isEmpty, let url else { return first }
        let link = Link(url: url, country: value.location.country ?? "", location: value.location)
        guard rules == .linkKeys else { return RuleList.accountLinks.firstHit(link, context) }
        let step = RuleList.linkSteps.firstHit(link, context)
        return step.isEmpty ? RuleList.linkParts.allHits(link, context) : step
    }

    // MARK: Files together

    /// Returns the findings about several files, and those in one file that concern the whole app.
    func together(_ configuration: AppConfiguration, _ inspection: Inspection) -> [Finding] {
        let app = WholeApp(
            configuration: configuration,
            inspection: inspection,
            deployment: Deployment(
                configuration.infoPlist,
                generated: configuration.generatedInfoPlist,
                platform: context.options.platform
            )
        )
        return RuleList.apps.allHits(app, context) + variableInBundleId(app)
    }

    // A source file may leave the bundle id to the build, but a built bundle is final (CF-75).
    private func variableInBundleId(_ app: WholeApp) -> [Finding] {
        guard context.options.built, app.isConcerned, let file = app.configuration.infoPlist,
            let member = file.member("CFBundleIdentifier")
        else { return [] }
        var location = Location(of: member, in: file)
        location.position = member.node.position
        let value = TypedValue(role: .element, node: member.node, shape: .text, location: location)
        return UnresolvedVariable().findings(for: value, in: context)
    }

    // MARK: Counts

    private func count(in inspection: inout Inspection) {
        inspection.counts = countedLinks(in: inspection).flatMap { RuleList.counts.allHits($0, context) }
        // A repeated link is reported under an invalid code as well. If it were reported only after the code is fixed,
        // a fixed file would have further findings to fix (CF-73).
        let multi = inspection.keys.first { $0.source == .plistKey(.multiLink) && !$0.findings.hasError }
        for entry in multi?.lastEntries ?? [] where entry.findings.hasError {
            let links = countryLinks(entry.code ?? "", multi: entry, single: nil)
            inspection.counts += MultiLinkDuplicate().findings(for: links, in: context)
        }
    }

    /// Returns the links of each country over both link keys, in the order of the multi key.
    func countedLinks(in inspection: Inspection) -> [CountryLinks] {
        let multi = Self.countedEntries(.multiLink, in: inspection)
        let single = Self.countedEntries(.link, in: inspection)
        let multiByCode = Dictionary(multi.map { ($0.code, $0) }, uniquingKeysWith: { $1 })
        let singleByCode = Dictionary(single.map { ($0.code, $0) }, uniquingKeysWith: { $1 })
        let codes = multi.map(\.code) + single.map(\.code).filter { multiByCode[$0] == nil }
        return codes.compactMap { $0 }.map { code in
            countryLinks(code, multi: multiByCode[code], single: singleByCode[code])
        }
    }

    /// Returns the entries of a link key whose links are counted: those without an error of their own, regardless of
    /// errors in their links (CF-42).
    private static func countedEntries(_ key: PlistKey, in inspection: Inspection) -> [InspectedEntry] {
        let inspected = inspection.keys.first { $0.source == .plistKey(key) && !$0.findings.hasError }
        return inspected?.lastEntries.filter { !$0.findings.hasError } ?? []
    }

    private func countryLinks(_ country: String, multi: InspectedEntry?, single: InspectedEntry?) -> CountryLinks {
        let isStreamingCode = context.pack.linkLimits.musicStreamingCodes.contains(country)
        return CountryLinks(
            country: country,
            multiLinks: multi?.links.filter { $0.url != nil } ?? [],
            multiLocation: multi?.location,
            single: single?.links.first?.url,
            singleLocation: single?.location,
            isStreamingCode: isStreamingCode,
            isSingleCode: !isStreamingCode && context.pack.plistKeys[.multiLink]?.codes?.contains(country) == true
        )
    }
}

extension InspectedKey {
    /// The entries, without those that a later copy of the same code replaces.
    var lastEntries: [InspectedEntry] {
        guard shape != .texts else { return entries }
        var seen: Set<String?> = []
        return entries.reversed().filter { seen.insert($0.code).inserted }.reversed()
    }
}
