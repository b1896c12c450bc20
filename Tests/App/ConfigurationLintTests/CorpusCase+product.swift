import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Testing

/// The linter's side of a generated configuration.
extension ReferenceCase {
    static let paths = ["I": "Info.plist", "E": "App.entitlements", "B": "signed", "P": "profile"]

    /// The files as the package reads them from XML.
    func read() throws(ConfigurationReadError) -> AppConfiguration {
        func bytes(_ members: [ReferenceMember]?) -> [UInt8]? {
            members.map { Array("<plist version=\"1.0\">\(ReferenceValue.dictionary($0).xml)</plist>".utf8) }
        }
        func file(_ members: [ReferenceMember]?, _ path: String) throws(ConfigurationReadError) -> PropertyListFile? {
            guard let bytes = bytes(members) else { return nil }
            return try PropertyListFile.parse(bytes, path: path)
        }
        var configuration = try AppConfiguration.parse(infoPlist: bytes(info), entitlements: bytes(source))
        configuration.signedEntitlements = try file(signed, "signed")
        configuration.profileEntitlements = try file(profile, "profile")
        configuration.reviewedInfoPlist = try file(reviewed, "reviewed")
        return configuration
    }

    func options() throws -> LintOptions {
        LintOptions(
            pack: try #require(RegionTables.builtIn.pack(pack)),
            musicStreaming: try #require(MusicStreaming(rawValue: streaming.rawValue)),
            built: built,
            platform: platform.flatMap(Platform.init(rawValue:))
        )
    }
}

extension ReferenceFinding {
    // These rules concern several keys. Section 8 identifies their findings by country, not by path.
    private static let byCountry: Set = [
        "link-url-changed", "multi-link-needs-streaming", "link-union-over-limit", "custom-link-beside-link",
    ]

    /// A finding of the linter in the terms of the reference.
    init(_ finding: Finding) {
        rule = finding.rule
        severity = finding.severity.rawValue
        role = ReferenceCase.paths.first { $0.value == finding.file }?.key ?? finding.file
        switch finding.rule {
        case _ where Self.byCountry.contains(finding.rule): subject = finding.country ?? "?"
        case "bundle-id-missing", "minimum-os-unknown", "other-file-missing": subject = ""
        case "country-duplicate": subject = finding.key ?? "?"
        case "multi-link-duplicate": subject = "\(finding.key ?? "?")/\(finding.country ?? "?")"
        default: subject = finding.path ?? "?"
        }
    }
}

extension ReferenceRuntime {
    init(_ usable: UsableConfiguration) {
        self.init()
        entitlements = Set(usable.entitlements.keys.map(\.rawValue))
        regions = Dictionary(
            uniqueKeysWithValues: usable.regions.map { ($0.key.rawValue, Set($0.value.keys)) }
        )
        allowed = Set(usable.allowedRegions.keys)
        legacy = Dictionary(
            uniqueKeysWithValues: usable.legacyRegions.values.map { ($0.name.rawValue, Set($0.regions.keys)) }
        )
        single = usable.singleLinks.mapValues(\.url)
        multi = usable.multiLinks.mapValues { $0.map(\.url) }
    }

    /// Each used entry in one word.
    var names: Set<String> {
        var names: Set<String> = []
        for (key, codes) in regions { names.formUnion(codes.map { "\(key) \($0)" }) }
        names.formUnion(allowed.map { "\(ReferenceTables.allowed) \($0)" })
        for (code, url) in single { names.insert("\(ReferenceTables.single) \(code) \(url)") }
        for (code, urls) in multi { names.formUnion(urls.map { "\(ReferenceTables.multi) \(code) \($0)" }) }
        return names
    }
}

/// A generated entry, with the positions whose errors exclude it.
struct DrawnEntry {
    var name: String
    var places: [String]
    var mayExceedLimit = false
}

extension ReferenceCase {
    /// The entries of the right type whose keys the pack contains, without repetitions.
    ///
    /// A country with so many links that the limit may exclude some is marked.
    var entries: [DrawnEntry] {
        typealias T = ReferenceTables
        var entries: [DrawnEntry] = []
        let file = signed ?? source ?? []
        let path = signed == nil ? "App.entitlements" : "signed"
        let lists =
            [T.purchase, T.custom, T.streaming].map { ($0, info ?? [], "Info.plist") } + [(T.allowed, file, path)]
        for (key, members, path) in lists where T.exists(key, pack: pack) {
            for member in members where member.key == key {
                for (index, element) in (member.value.elements ?? []).enumerated() {
                    guard let code = element.text else { continue }
                    entries.append(
                        DrawnEntry(name: "\(key) \(code)", places: ["\(path) \(key)", "\(path) \(key)/\(index)"])
                    )
                }
            }
        }
        let links = [T.single, T.multi].flatMap { key in (info ?? []).filter { $0.key == key } }
        for member in links {
            for entry in member.value.members ?? [] {
                let place = "Info.plist \(member.key)/\(entry.key)"
                let urls = member.key == T.multi ? entry.value.elements ?? [] : [entry.value]
                let all = links.flatMap { $0.value.members ?? [] }.filter { $0.key == entry.key }
                let texts = Set(
                    all.flatMap { $0.value.elements?.compactMap(\.text) ?? [$0.value.text].compactMap { $0 } }
                )
                for (index, url) in urls.enumerated() {
                    guard let text = url.text else { continue }
                    let own = member.key == T.multi ? ["\(place)/\(index)"] : []
                    entries.append(
                        DrawnEntry(
                            name: "\(member.key) \(entry.key) \(text)",
                            places: ["Info.plist \(member.key)", place] + own,
                            mayExceedLimit: texts.count > 1
                        )
                    )
                }
            }
        }
        return entries
    }
}
