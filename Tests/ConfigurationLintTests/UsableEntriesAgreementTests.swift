import AppConfiguration
import ConfigurationLint
import ExternalPurchaseCore
import Testing

/// Random configurations are judged a second time from what was generated, with tables of the test's own.
struct UsableEntriesAgreementTests {
    @Test("Four thousand random configurations are judged alike, entry by entry (CF-50 to CF-53)", arguments: 0..<8)
    func agreement(seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        for _ in 0..<500 {
            let model = Model(&random)
            let usable = UsableConfiguration(
                try ConfigurationText.read(infoPlist: model.infoPlist, entitlements: model.entitlements),
                pack: .newest,
                musicStreaming: model.musicStreaming
            )
            let expected = model.judged()
            let actual = Judged(
                purchase: Set(usable.regions[.externalPurchase, default: [:]].keys),
                custom: Set(usable.regions[.customLinkRegions, default: [:]].keys),
                streaming: Set(usable.regions[.streamingRegions, default: [:]].keys),
                allowed: Set(usable.allowedRegions.keys),
                single: usable.singleLinks.mapValues(\.url),
                multi: usable.multiLinks.mapValues { $0.map(\.url) }
            )
            try #require(actual == expected, "\(model.infoPlist) \(model.entitlements) \(model.musicStreaming)")
        }
    }
}

private struct Judged: Equatable {
    var purchase: Set<String> = []
    var custom: Set<String> = []
    var streaming: Set<String> = []
    var allowed: Set<String> = []
    var single: [String: String] = [:]
    var multi: [String: [String]] = [:]
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

private let union: Set<String> = [
    "at", "be", "bg", "cy", "cz", "de", "dk", "ee", "es", "fi", "fr", "gr", "hr", "hu", "ie", "it", "lt", "lu", "lv",
    "mt", "nl", "pl", "pt", "ro", "se", "si", "sk",
]
private let codes = [
    "nl", "de", "se", "gr", "is", "no", "ru", "us", "kr", "jp", "br", "ch", "NL", "Jp", "fra", "DEU", " nl", "el", "",
    "$(CODE)",
]
private let goodURLs = "abcdefg".map { "https://\($0).acme.example/" } + ["https://localhost/", "https://u@a.b:1/#f"]
private let badURLs = [
    "", "http://a.acme.example/", "https://a.acme.example/?q", "https://a.acme.example/?", "//a.acme.example",
    "https:///",
    " https://a.acme.example/", "https://ä.example/", "https://a.acme.example/%", "https://a.acme.example:70000/",
]

/// The members of one configuration; nil stands for a value of the wrong type.
private struct Model {
    let purchase: [[String?]?]
    let custom: [[String?]?]
    let streaming: [[String?]?]
    let allowed: [[String?]?]
    let single: [[(String, String?)]?]
    let multi: [[(String, [String?]?)]?]
    let musicStreaming: MusicStreaming

    init(_ random: inout SplitMix) {
        // A key is mostly there once, sometimes missing, twice, or of the wrong type.
        func key<Value>(_ value: (inout SplitMix) -> Value) -> [Value?] {
            switch Int.random(in: 0..<20, using: &random) {
            case 0: []
            case 1: [value(&random), value(&random)]
            case 2: [nil]
            default: [value(&random)]
            }
        }
        func pick(_ random: inout SplitMix, _ values: [String]) -> String {
            values[Int.random(in: 0..<values.count, using: &random)]
        }
        func list(_ random: inout SplitMix) -> [String?] {
            (0..<Int.random(in: 0...6, using: &random)).map { _ in
                Int.random(in: 0..<12, using: &random) == 0 ? nil : pick(&random, codes)
            }
        }
        func url(_ random: inout SplitMix) -> String? {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: nil
            case 1, 2: pick(&random, badURLs)
            default: pick(&random, goodURLs)
            }
        }
        purchase = key(list)
        custom = key(list)
        streaming = key(list)
        allowed = key(list)
        single = key { random in
            (0..<Int.random(in: 0...6, using: &random)).map { _ in (pick(&random, codes), url(&random)) }
        }
        multi = key { random in
            (0..<Int.random(in: 0...6, using: &random)).map { _ in
                let isList = Int.random(in: 0..<10, using: &random) > 0
                let count = Int.random(in: 0...8, using: &random)
                return (pick(&random, codes), isList ? (0..<count).map { _ in url(&random) } : nil)
            }
        }
        musicStreaming = [.auto, .yes, .no][Int.random(in: 0..<3, using: &random)]
    }

    var infoPlist: String {
        Self.text("SKExternalPurchase", purchase.map(Self.array))
            + Self.text("SKExternalPurchaseCustomLinkRegions", custom.map(Self.array))
            + Self.text("SKExternalPurchaseLinkStreamingRegions", streaming.map(Self.array))
            + Self.text("SKExternalPurchaseLink", single.map { Self.dictionary($0?.map { ($0.0, Self.string($0.1)) }) })
            + Self.text(
                "SKExternalPurchaseMultiLink",
                multi.map { Self.dictionary($0?.map { ($0.0, Self.array($0.1)) }) }
            )
    }

    var entitlements: String { Self.text(Entitlement.allowedRegions.rawValue, allowed.map(Self.array)) }

    private static func text(_ key: String, _ values: [String]) -> String {
        values.map { "<key>\(key)</key>\($0)" }.joined()
    }

    private static func string(_ text: String?) -> String { text.map { "<string>\($0)</string>" } ?? "<real>1</real>" }

    private static func array(_ elements: [String?]?) -> String {
        elements.map { "<array>\($0.map(string).joined())</array>" } ?? "<string>nl</string>"
    }

    private static func dictionary(_ members: [(String, String)]?) -> String {
        members.map { "<dict>\($0.map { "<key>\($0)</key>\($1)" }.joined())</dict>" } ?? "<array><true/></array>"
    }

    func judged() -> Judged {
        let variable: Set = ["$(CODE)"]
        let linkCodes = union.union(["is", "no", "ru", "us"]).union(variable)
        func regions(_ key: [[String?]?], _ supported: Set<String>) -> Set<String> {
            guard key.count == 1, let list = key[0] else { return [] }
            return supported.union(variable).intersection(list.compactMap { $0 })
        }
        var judged = Judged(
            purchase: regions(purchase, union.union(["kr"])),
            custom: regions(custom, union),
            streaming: regions(streaming, union.union(["is", "no"])),
            allowed: regions(allowed, union.union(["jp", "br", "is", "no"]))
        )
        let singles = single.count == 1 ? single[0] ?? [] : []
        let multis = multi.count == 1 ? multi[0] ?? [] : []
        for code in linkCodes {
            let ownSingle = singles.filter { $0.0 == code }
            let ownMulti = multis.filter { $0.0 == code }
            let limit = musicStreaming != .no && union.union(["is", "no"]).contains(code) ? 5 : 1
            var room: [String] = []
            if ownMulti.count == 1 {
                for url in (ownMulti[0].1 ?? []).compactMap({ $0 }) where !room.contains(url) && room.count < limit {
                    room.append(url)
                }
                let kept = (ownMulti[0].1 ?? []).compactMap { $0 }.filter { room.contains($0) && goodURLs.contains($0) }
                if !kept.isEmpty { judged.multi[code] = kept }
            }
            if ownSingle.count == 1, let url = ownSingle[0].1, goodURLs.contains(url),
                room.contains(url) || room.count < limit
            {
                judged.single[code] = url
            }
        }
        return judged
    }
}
