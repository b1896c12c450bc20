import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Testing

@Suite("The tables of keys and entitlements, and links over both link keys")
struct GroundRuleTests {
    private static let types = [
        ReferenceTables.purchase: "array<string>", ReferenceTables.single: "dictionary<string,string>",
        ReferenceTables.multi: "dictionary<string,array<string>>", ReferenceTables.custom: "array<string>",
        ReferenceTables.streaming: "array<string>", ReferenceTables.account: "dictionary<string,string>",
    ]

    /// The entitlements of a key: those of the table, and the list that replaces the entitlement of single links since
    /// mid-2026.
    private static func entitlements(of key: String, pack: String) -> Set<String> {
        let booleans = ReferenceTables.booleans.filter { ReferenceTables.pairs[$0]?.contains(key) == true }
        return Set(booleans + (key == ReferenceTables.single && pack >= "2026-06" ? [ReferenceTables.allowed] : []))
    }

    @Test(
        "Each pack has the keys, types, codes and pairs of the tables, typed a second time (CF-10, CF-23)",
        arguments: ReferenceTables.packs
    )
    func packs(_ id: String) throws {
        let pack = try #require(RegionTables.builtIn.pack(id))
        let keys = ReferenceTables.keys.filter { ReferenceTables.exists($0, pack: id) }
        #expect(Set(pack.plistKeys.keys.map(\.rawValue)) == Set(keys))
        for key in keys {
            let table = try #require(pack.plistKeys[PlistKey(rawValue: key)])
            #expect(table.type == Self.types[key], "\(key)")
            #expect(table.codes.map { Set($0) } == ReferenceTables.codes(key, pack: id), "\(key)")
            #expect(Set(table.entitlements.map(\.rawValue)) == Self.entitlements(of: key, pack: id), "\(key)")
            #expect(table.requiredKey == (key == ReferenceTables.account ? "*" : nil), "\(key)")
        }
        let entitlements = ReferenceTables.entitlements.filter { ReferenceTables.exists($0, pack: id) }
        #expect(Set(pack.entitlements.keys.map(\.rawValue)) == Set(entitlements))
        for name in entitlements {
            let table = try #require(pack.entitlements[Entitlement(rawValue: name)])
            #expect(table.type == (ReferenceTables.isList(name) ? "array<string>" : "boolean"), "\(name)")
            #expect(table.codes.map { Set($0) } == ReferenceTables.codes(name, pack: id), "\(name)")
        }
    }

    @Test(
        "The availability of keys and entitlements agrees with the tables; the account key has that of its entitlement (CF-10)"
    )
    func availability() {
        func expected(_ name: String) -> [Platform: OSVersion] {
            var versions: [Platform: OSVersion] = [:]
            for platform in Platform.allCases {
                guard let version = ReferenceTables.availability(name, platform: platform.rawValue) else { continue }
                versions[platform] = OSVersion(version[0], version[1])
            }
            return versions
        }
        for key in ReferenceTables.keys {
            #expect(RegionTables.builtIn.plistKeyAvailability[PlistKey(rawValue: key)] == expected(key), "\(key)")
        }
        for name in ReferenceTables.entitlements {
            let actual = RegionTables.builtIn.entitlementAvailability[Entitlement(rawValue: name)]
            #expect(actual == expected(name), "\(name)")
        }
    }

    private static func url(_ letter: Character) -> String { "https://\(letter).acme.example" }

    /// Both link keys: for each country the links of the multi key and the single link, one letter each.
    private static func links(_ countries: [(code: String, multi: String, single: String)]) -> String {
        let multi = countries.map { country in
            let urls = country.multi.map { "<string>\(url($0))</string>" }.joined()
            return "<key>\(country.code)</key><array>\(urls)</array>"
        }
        let single = countries.flatMap { country in
            country.single.map { "<key>\(country.code)</key><string>\(url($0))</string>" }
        }
        return "<key>SKExternalPurchaseMultiLink</key><dict>\(multi.joined())</dict>"
            + "<key>SKExternalPurchaseLink</key><dict>\(single.joined())</dict>"
    }

    private func findings(_ configuration: AppConfiguration, _ streaming: MusicStreaming) -> [Finding] {
        ConfigurationLinter.findings(in: configuration, options: LintOptions(musicStreaming: streaming))
            .filter { $0.severity != .note }
    }

    @Test(
        "Both link keys may be combined and share links with other countries, in any order (CF-11)",
        arguments: ["abc", "acb", "bac", "bca", "cab", "cba"]
    )
    func order(_ multi: String) throws {
        let text = Self.links([("de", multi, "b"), ("se", String(multi.reversed()), "b"), ("ru", "b", "b")])
        let configuration = try ConfigurationText.read(infoPlist: text)
        #expect(findings(configuration, .yes).isEmpty)
        let usable = UsableConfiguration(configuration, pack: .newest, musicStreaming: .yes)
        #expect(usable.removed.isEmpty && usable.excessLinks.isEmpty)
        for code in ["de", "se"] {
            #expect(Set(usable.multiLinks[code]?.map(\.url) ?? []) == Set("abc".map(Self.url)))
            #expect(usable.singleLinks[code]?.url == Self.url("b"))
        }
        #expect(usable.multiLinks["ru"]?.map(\.url) == [Self.url("b")])
    }

    struct Union: Sendable, CustomTestStringConvertible {
        let code: String
        let multi: String
        let single: String
        let streaming: MusicStreaming
        let isOver: Bool
        var testDescription: String { "\(code) \(multi) + \(single), \(streaming)" }
    }

    @Test(
        "The limit counts the different links of a country over both link keys (CF-41)",
        arguments: [
            Union(code: "se", multi: "abcde", single: "c", streaming: .yes, isOver: false),
            Union(code: "se", multi: "abcde", single: "f", streaming: .yes, isOver: true),
            Union(code: "se", multi: "abcd", single: "f", streaming: .yes, isOver: false),
            Union(code: "ru", multi: "a", single: "a", streaming: .yes, isOver: false),
            Union(code: "ru", multi: "a", single: "b", streaming: .yes, isOver: true),
            Union(code: "de", multi: "a", single: "a", streaming: .no, isOver: false),
            Union(code: "de", multi: "a", single: "b", streaming: .no, isOver: true),
        ]
    )
    func union(_ row: Union) throws {
        // The links of another country do not count.
        let text = Self.links([(row.code, row.multi, row.single), ("nl", "z", "z")])
        let configuration = try ConfigurationText.read(infoPlist: text)
        let found = findings(configuration, row.streaming)
        #expect(found.map(\.rule) == (row.isOver ? ["link-union-over-limit"] : []))
        #expect(found.allSatisfy { $0.severity == .error && $0.country == row.code })
        let usable = UsableConfiguration(configuration, pack: .newest, musicStreaming: row.streaming)
        #expect((usable.singleLinks[row.code] == nil) == row.isOver)
        #expect(usable.singleLinks["nl"] != nil)
    }
}
