import AppConfiguration
import ExternalPurchaseCore

extension [Finding] {
    /// Returns the findings without the edits that could change what the app declares (CF-73).
    ///
    /// A person must decide on those findings.
    ///
    /// Such an edit gives a key a name that its dictionary already contains, or that another edit gives to a second
    /// key, now or after further edits (` NL` beside `nl`). Or it makes links of the multi key usable that displace a
    /// usable link of `SKExternalPurchaseLink` (CF-52).
    ///
    /// - Parameters:
    ///   - configuration: the files that the findings are about.
    ///   - options: the settings of the linter.
    func withoutUnsafeEdits(in configuration: AppConfiguration, options: LintOptions) -> [Finding] {
        guard contains(where: { !$0.edits.isEmpty }) else { return self }
        let files = [configuration.infoPlist, configuration.entitlements, configuration.signedEntitlements]
            .compactMap { $0 }
        var names = KeyNames()
        let wanted = Set(flatMap(\.edits).compactMap(\.position))
        for file in files { names.add(file, wanted) }
        let displacement = LinkDisplacement(configuration, of: self, options: options)
        return map { finding in
            guard !finding.edits.isEmpty, names.clash(with: finding) || displacement.follows(finding) else {
                return finding
            }
            var finding = finding
            finding.edits = []
            return finding
        }
    }
}

/// The current and future names of the keys of each dictionary.
private struct KeyNames {
    private struct Spot: Hashable {
        let file: String
        let position: SourcePosition
    }

    /// The dictionary of each key that is edited: its number and whether it is a root.
    private var dictionaries: [Spot: (number: Int, isRoot: Bool, name: String)] = [:]
    private var counts: [[String: Int]] = []

    mutating func add(_ file: PropertyListFile, _ wanted: Set<SourcePosition>) {
        guard case .dictionary(let members) = file.root.value else { return }
        add(members, isRoot: true, file: file.path, wanted)
        // The country codes of a key are one level below the root.
        for member in members {
            if case .dictionary(let inner) = member.node.value { add(inner, isRoot: false, file: file.path, wanted) }
        }
    }

    private mutating func add(
        _ members: [PropertyListMember],
        isRoot: Bool,
        file: String,
        _ wanted: Set<SourcePosition>
    ) {
        var isWanted = false
        for member in members {
            guard let position = member.keyPosition, wanted.contains(position) else { continue }
            isWanted = true
            dictionaries[Spot(file: file, position: position)] = (counts.count, isRoot, member.key)
        }
        guard isWanted else { return }
        counts.append(Dictionary(members.map { (Self.settled($0.key, isRoot: isRoot), 1) }, uniquingKeysWith: +))
    }

    func clash(with finding: Finding) -> Bool {
        finding.edits.contains { edit in
            guard edit.extent == .text, let position = edit.position,
                let dictionary = dictionaries[Spot(file: finding.file, position: position)]
            else { return false }
            let name = Self.settled(edit.replacement, isRoot: dictionary.isRoot)
            let isOwn = name == Self.settled(dictionary.name, isRoot: dictionary.isRoot)
            return counts[dictionary.number][name, default: 0] > (isOwn ? 1 : 0)
        }
    }

    /// The name after all possible edits.
    private static func settled(_ name: String, isRoot: Bool) -> String {
        isRoot ? name.lowercased() : name.settledCode
    }
}

extension String {
    /// The code after all fixes of codes.
    fileprivate var settledCode: String {
        let inner = trimmingWhitespace
        return Country.alpha3(inner.uppercased())?.region ?? inner.lowercased()
    }
}

/// Links of the multi key that an edit would make usable and that would push a usable single link over the limit
/// (CF-52).
private struct LinkDisplacement {
    private let limits: LintContext
    private let singles: [String: UsableConfiguration.Link]
    /// The positions of countries whose links would displace a single link, by the root key as written.
    ///
    /// The position of the root key represents all of them.
    private var displacing: [String: Set<SourcePosition>] = [:]

    init(_ configuration: AppConfiguration, of findings: [Finding], options: LintOptions) {
        limits = RuleRunner(configuration, options: options).context
        let members = (configuration.infoPlist?.members ?? []).filter {
            $0.key.lowercased() == PlistKey.multiLink.rawValue.lowercased()
        }
        // A second check of the configuration takes as long as the first.
        let isEdited = findings.contains { finding in
            !finding.edits.isEmpty && members.contains { $0.key == finding.key }
        }
        guard isEdited else {
            singles = [:]
            return
        }
        let usable = UsableConfiguration(
            configuration,
            pack: options.pack,
            musicStreaming: options.musicStreaming,
            legacyAllowedRegions: options.legacyAllowedRegions
        )
        singles = Dictionary(usable.singleLinks.map { ($0.key.settledCode, $0.value) }, uniquingKeysWith: { $1 })
        guard !singles.isEmpty else { return }
        for member in members where displacing[member.key] == nil {
            guard case .dictionary(let countries) = member.node.value else { continue }
            var locations: Set<SourcePosition> = []
            for country in countries where displaces(country) {
                locations.formUnion([member.keyPosition, country.keyPosition, country.node.position].compactMap { $0 })
            }
            displacing[member.key] = locations
        }
    }

    func follows(_ finding: Finding) -> Bool {
        guard let locations = finding.key.flatMap({ displacing[$0] }), !locations.isEmpty else { return false }
        return finding.edits.contains { $0.position.map(locations.contains) == true }
    }

    private func displaces(_ country: PropertyListMember) -> Bool {
        let code = country.key.settledCode
        guard let single = singles[code] else { return false }
        let urls = country.node.links + [single.url]
        let limit = limits.usableCount(of: code, different: Set(urls.map { Array($0.utf8) }).count)
        var taken: Set<[UInt8]> = []
        for url in country.node.links where taken.count < limit { taken.insert(Array(url.utf8)) }
        return taken.count >= limit && !taken.contains(Array(single.url.utf8))
    }
}

extension PropertyListNode {
    /// The strings of an array, or a string in place of one.
    fileprivate var links: [String] {
        switch value {
        case .string(let lone): [lone]
        case .array(let elements): elements.compactMap(\.text)
        default: []
        }
    }

    private var text: String? {
        if case .string(let text) = value { text } else { nil }
    }
}
