/// A second, deliberately simple implementation of the rules for the two link groups.
///
/// It implements SK-20, SK-21, SK-24, SK-40, SK-41, CF-22, CF-52, CF-61 and CF-62, and shares neither code nor tables with the
/// engine.
struct NaiveLinkEvaluator {
    struct Situation: Hashable, Sendable {
        var platform: String
        var version: (major: Int, minor: Int) { (major, minor) }
        var major: Int
        var minor: Int
        var mode: String
        var oldSDK: Bool
        var storefront: String
        var pack: String
        var hasLinkEntitlement: Bool
        var hasAllowedRegions: Bool
        var singleRegions: Set<String>
        var multiRegions: Set<String>
        /// The regions whose single link exceeds the limit because the multi key has another one.
        var conflicts: Set<String>
        var allowedRegions: Set<String>
        var payments: Bool
        var person: Bool
    }

    static let alpha2 = [
        "DEU": "de", "NLD": "nl", "ISL": "is", "RUS": "ru", "USA": "us", "JPN": "jp", "BRA": "br", "CHE": "ch",
        "GRC": "gr", "XKS": "",
    ]
    static let eu = Set(
        "at be bg cy cz de dk ee es fi fr gr hr hu ie it lt lu lv mt nl pl pt ro se si sk".split(separator: " ").map(
            String.init
        )
    )

    static func canOpen(_ s: Situation) -> String {
        common(
            s,
            first: [
                "iOS": (15, 4), "Catalyst": (15, 4), "macOS": (14, 4), "tvOS": (17, 4), "watchOS": (10, 4),
                "visionOS": (1, 1),
            ]
        ) {
            var outcomes = [boolean(s, regions: usedSingle(s))]
            if s.pack >= "2026-06" { outcomes.append(widened(s)) }
            return outcomes
        }
    }

    /// The first systems that know the multi key and its members.
    private static let firstWithMultiKey = [
        "iOS": (17, 5), "Catalyst": (17, 5), "macOS": (14, 5), "tvOS": (17, 5), "watchOS": (10, 5), "visionOS": (1, 2),
    ]

    private static func column(_ s: Situation) -> String {
        s.mode == "native" ? s.platform : s.mode == "catalyst" ? "Catalyst" : "iOS"
    }

    /// The regions of the single key that the system uses.
    private static func usedSingle(_ s: Situation) -> Set<String> {
        guard let start = firstWithMultiKey[column(s)], s.version < start else {
            return s.singleRegions.subtracting(s.conflicts)
        }
        return s.singleRegions
    }

    static func eligibleURLs(_ s: Situation) -> String {
        common(s, first: firstWithMultiKey) {
            [boolean(s, regions: s.multiRegions)]
        }
    }

    /// C1, C2, the routes' C3 to C7, C8, C9.
    private static func common(
        _ s: Situation,
        first: [String: (Int, Int)],
        routes: () -> [Int?]
    ) -> String {
        guard let start = first[column(s)], s.version >= start else { return "C1" }
        if s.mode != "native", s.oldSDK || s.version < (17, 4) { return "C2" }
        let outcomes = routes()
        if !outcomes.contains(nil) { return "C\(outcomes.compactMap { $0 }.max() ?? 0)" }
        if !s.payments { return "C8" }
        return s.person ? "yes" : "C9"
    }

    /// Entitlement and link key.
    private static func boolean(_ s: Situation, regions: Set<String>) -> Int? {
        if !s.hasLinkEntitlement { return 3 }
        guard let code = alpha2[s.storefront] else { return 4 }
        var listed = eu.union(["is", "no", "ru"])
        if s.pack == "2024-04" { listed.insert("us") }
        if !listed.contains(code) { return 5 }
        return regions.contains(code) ? nil : 6
    }

    /// Allowed-regions list and `SKExternalPurchaseLink`.
    private static func widened(_ s: Situation) -> Int? {
        if !s.hasAllowedRegions { return 3 }
        guard let code = alpha2[s.storefront] else { return 4 }
        let inLinkKey = eu.union(["is", "no", "ru"]).contains(code)
        let inAllowed = eu.union(s.pack == "2026-10" ? ["jp", "br", "is", "no"] : ["jp", "br"]).contains(code)
        if !inLinkKey || !inAllowed { return 5 }
        if !s.allowedRegions.contains(code) || !usedSingle(s).contains(code) { return 6 }
        // Japan and Brazil are never reached here, because no link key lists them.
        return s.version < (26, 2) ? 7 : nil
    }
}
