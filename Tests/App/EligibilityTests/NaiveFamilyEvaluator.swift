/// A second, deliberately simple implementation of the rules for the notice sheet and for custom links.
///
/// It implements SK-20, SK-21, SK-24, SK-40, SK-41, SK-45, SK-46 and SK-47 with the tables of CF-21 and CF-22, and
/// shares neither code nor tables with the engine.
struct NaiveFamilyEvaluator {
    struct Situation: Hashable, Sendable {
        var platform: String
        var major: Int
        var minor: Int
        var mode: String
        var oldSDK: Bool
        var storefront: String
        var pack: String
        /// The letters of the truth table's configurations.
        var samples: String
        var entitled: Bool
        var payments: Bool
        var person: Bool

        var version: (Int, Int) { (major, minor) }
        var column: String { mode == "native" ? platform : mode == "catalyst" ? "Catalyst" : "iOS" }
    }

    static let alpha2 = [
        "DEU": "de", "FRA": "fr", "KOR": "kr", "ISL": "is", "RUS": "ru", "USA": "us", "JPN": "jp", "BRA": "br",
        "CHE": "ch",
    ]
    static let eu = NaiveLinkEvaluator.eu

    static func canPresent(_ s: Situation) -> String {
        let first = [
            "iOS": (17, 4), "iPadOS": (17, 4), "Catalyst": (17, 4), "macOS": (14, 4), "tvOS": (17, 4),
            "watchOS": (10, 4), "visionOS": (1, 1),
        ]
        guard let start = first[s.column], s.version >= start else { return "C1" }
        // The old SDK is 17.2 in the numbering of the column. An app that lacks the result lacks the property (SK-43).
        if s.oldSDK, s.mode != "native" || (17, 2) < start { return s.mode == "native" ? "C1" : "C2" }
        var outcomes = [outcome(s, has: "P", listed: eu.union(["kr"]), configured: ["de", "kr"], gate: nil)]
        if s.pack >= "2026-06" { outcomes.append(allowedRegions(s, forTokens: false)) }
        return verdict(s, outcomes)
    }

    static func isEligible(_ s: Situation) -> String { customLink(s, forTokens: false) }

    static func token(_ s: Situation) -> String { customLink(s, forTokens: true) }

    private static func customLink(_ s: Situation, forTokens: Bool) -> String {
        let first = [
            "iOS": (18, 1), "iPadOS": (18, 1), "Catalyst": (18, 1), "macOS": (15, 1), "tvOS": (18, 1),
            "watchOS": (11, 1), "visionOS": (2, 1),
        ]
        guard let start = first[s.column], s.version >= start, s.pack >= "2025-07" else { return "C1" }
        // L, M and C have the same entitlement; only C contains custom links.
        let hasLink = s.entitled && s.samples.contains { "LMC".contains($0) }
        let regions: Set<String> = s.samples.contains("C") ? ["de"] : []
        let isPhone = s.column == "iOS" || s.column == "iPadOS"
        return verdict(
            s,
            [
                outcome(s, entitled: hasLink, listed: eu, configured: regions, gate: nil),
                outcome(
                    s,
                    has: "S",
                    listed: eu.union(["is", "no"]),
                    configured: ["de", "is"],
                    gate: isPhone ? (18, 2) : (999, 0)
                ),
                s.pack >= "2026-02" ? allowedRegions(s, forTokens: forTokens) : 3,
            ]
        )
    }

    /// The list entitlement with the gates of the EU, Japan and Brazil.
    private static func allowedRegions(_ s: Situation, forTokens: Bool) -> Int? {
        var listed: Set<String> = ["jp"]
        listed.formUnion(eu)
        if s.pack >= "2026-06" { listed.insert("br") }
        if s.pack == "2026-10" { listed.formUnion(["is", "no"]) }
        let gate: (Int, Int) =
            switch s.storefront {
            case "JPN": forTokens ? (26, 4) : (26, 2)
            case "BRA": (26, 5)
            default: (26, 2)
            }
        return outcome(s, has: "A", listed: listed, configured: ["br", "de", "jp"], gate: gate)
    }

    private static func outcome(
        _ s: Situation,
        has sample: Character,
        listed: Set<String>,
        configured: Set<String>,
        gate: (Int, Int)?
    ) -> Int? {
        outcome(
            s,
            entitled: s.entitled && s.samples.contains(sample),
            listed: listed,
            configured: configured,
            gate: gate
        )
    }

    /// The number of the first of C3 to C7 that fails, nil when all hold.
    private static func outcome(
        _ s: Situation,
        entitled: Bool,
        listed: Set<String>,
        configured: Set<String>,
        gate: (Int, Int)?
    ) -> Int? {
        if !entitled { return 3 }
        guard let code = alpha2[s.storefront] else { return 4 }
        if !listed.contains(code) { return 5 }
        if !configured.contains(code) { return 6 }
        return gate.map { s.version < $0 } ?? false ? 7 : nil
    }

    /// The furthest route determines the result, then C8 and C9.
    private static func verdict(_ s: Situation, _ outcomes: [Int?]) -> String {
        if !outcomes.contains(nil) { return "C\(outcomes.compactMap { $0 }.max() ?? 0)" }
        if !s.payments { return "C8" }
        return s.person ? "yes" : "C9"
    }
}
