/// What the terms of a programme ask of an app's screens, beside what StoreKit decides (SK-87 to SK-89).
///
/// ```swift
/// ProgrammeTerms.inStorefront("JPN").inAppPurchase   // .required
/// ```
public struct ProgrammeTerms: Hashable, Sendable {
    /// Whether an app offers In-App Purchase beside an external purchase (SK-87).
    public enum InAppPurchase: String, Hashable, Sendable {
        /// Always beside it, at least as prominent.
        case required
        /// As the app likes; where it stands beside, at the same time and at least as prominent.
        case allowed
        /// Not in that app, and not in place of it.
        case forbidden
    }

    /// Where a customer buys.
    public enum Flow: String, Hashable, Sendable, CaseIterable, Codable {
        /// Inside the app, with another payment provider.
        case withinApp
        /// On a website, in a marketplace or in another app.
        case outOfApp
    }

    /// What an app does for a customer of an age (SK-88).
    public enum Treatment: String, Hashable, Sendable, Comparable {
        /// It offers the purchase.
        case offered
        /// It offers the purchase, and asks a parent before the purchase begins.
        case parentalGate
        /// It does not offer the purchase.
        case notOffered

        /// Orders by strictness.
        public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .offered: 0
            case .parentalGate: 1
            case .notOffered: 2
            }
        }
    }

    /// What is asked for customers below an age.
    public struct AgeRule: Hashable, Sendable {
        /// The age in years; a customer of exactly this age is not concerned.
        public let below: Int
        /// Whether the country's age of consent counts where it is above ``below``.
        public let isRaisedToAgeOfConsent: Bool
        /// The treatment of purchases inside the app.
        public let withinApp: Treatment
        /// The treatment of purchases outside it.
        public let outOfApp: Treatment

        func treatment(of flow: Flow) -> Treatment { flow == .withinApp ? withinApp : outOfApp }

        /// The age in years below which the rule counts in a storefront.
        package func age(in storefront: String) -> Int {
            guard isRaisedToAgeOfConsent, let region = StorefrontCode(storefront)?.region else { return below }
            return max(below, RegionTables.builtIn.agesOfConsent[region] ?? 0)
        }
    }

    /// Where a fact comes from.
    public struct Source: Hashable, Sendable {
        /// How sure the fact is, and what is missing or contested.
        public let confidence: ReportingProgramme.Confidence
        /// The address of the page; nil for an assumption.
        public let page: String?
    }

    /// Whether In-App Purchase stands beside the offer; nil where nothing was found.
    public let inAppPurchase: InAppPurchase?
    /// The source of ``inAppPurchase``.
    public let inAppPurchaseSource: Source
    /// The rules for minors, the lowest age first; empty where nothing was found.
    public let minors: [AgeRule]
    /// The source of ``minors``.
    public let minorsSource: Source
    /// The platforms that the terms name; nil for all.
    public let platforms: [Platform]?
    /// Whether an app for the programme is an app of its own, which sells in no other region.
    public let isOwnApp: Bool

    /// The strictest terms of all programmes of a storefront in a rule pack.
    ///
    /// - Parameters:
    ///   - storefront: the alpha-3 code.
    ///   - pack: the rule pack.
    /// - Returns: nil for a storefront of which the tables say nothing. The United States have terms in which nothing was found.
    public static func inStorefront(_ storefront: String, pack: RulePack = .newest) -> ProgrammeTerms? {
        guard let region = StorefrontCode(storefront)?.region else { return nil }
        let ofPack = pack.programmes.filter { $0.storefronts.contains(region) }.compactMap(\.terms)
        let all = ofPack.isEmpty ? outsideOfPacks(region) : ofPack
        // Of the programmes of one storefront, those about which something is known decide.
        let order: [InAppPurchase?] = [.forbidden, .required, .allowed, nil]
        func rank(_ terms: ProgrammeTerms) -> Int { order.firstIndex(of: terms.inAppPurchase) ?? order.count }
        guard let first = all.min(by: { rank($0) < rank($1) }) else { return nil }
        let minors = all.max { $0.minors.count < $1.minors.count } ?? first
        return ProgrammeTerms(
            inAppPurchase: first.inAppPurchase,
            inAppPurchaseSource: first.inAppPurchaseSource,
            minors: minors.minors,
            minorsSource: minors.minorsSource,
            platforms: all.allSatisfy { $0.platforms != nil } ? first.platforms : nil,
            isOwnApp: all.allSatisfy(\.isOwnApp)
        )
    }

    /// The terms of a region's programmes for which StoreKit needs nothing.
    private static func outsideOfPacks(_ region: String) -> [ProgrammeTerms] {
        ReportingProgramme.all.filter { $0.clientProgrammes.isEmpty && $0.regions.contains(region) }
            .compactMap { RegionTables.builtIn.programmeTerms[$0.id] }
    }

    /// Whether an app has no In-App Purchase in a storefront, by the regions that it lists (SK-87).
    ///
    /// An app for South Korea has none, wherever its customer is. One that lists South Korea beside other regions, which review
    /// refuses (CF-26), has none there.
    package static func excludesInAppPurchase(
        listing listed: Set<String>,
        in region: String?,
        pack: RulePack = .newest
    ) -> Bool {
        let without = pack.programmes.filter { $0.terms?.inAppPurchase == .forbidden }.flatMap(\.storefronts)
        guard !listed.isDisjoint(with: without) else { return false }
        return listed.isSubset(of: without) || region.map(without.contains) == true
    }

    /// What an app does for a customer of an age in a storefront (SK-88).
    ///
    /// Of a band of ages the strictest answer counts.
    ///
    /// - Parameters:
    ///   - flow: where the customer buys.
    ///   - age: the band that the customer's age lies in.
    ///   - isKidsCategory: whether the app is in the App Store's Kids category.
    ///   - storefront: the alpha-3 code, for the country's age of consent.
    public func treatment(
        of flow: Flow,
        age: AgeBand,
        isKidsCategory: Bool = false,
        storefront: String
    ) -> Treatment {
        minors.map { rule in
            let isConcerned = age.lowest < rule.age(in: storefront) || isKidsCategory && rule == minors.first
            return isConcerned ? rule.treatment(of: flow) : .offered
        }.max() ?? .offered
    }
}

/// The band that a customer's age lies in, as Apple's Declared Age Range or the app's own knowledge states it.
///
/// ```swift
/// AgeBand(from: 13, to: 15)   // 13, 14 or 15 years
/// AgeBand.adult               // 18 or more
/// ```
public struct AgeBand: Hashable, Sendable {
    /// The lowest age in years that is possible, 0 or more.
    public let lowest: Int
    /// The highest age in years that is possible; nil for no bound.
    public let highest: Int?

    /// Creates a band; bounds in the wrong order are exchanged, and negative ones are 0.
    ///
    /// - Parameters:
    ///   - lowest: the lowest age in years; nil for no bound.
    ///   - highest: the highest age in years; nil for no bound.
    public init(from lowest: Int? = nil, to highest: Int? = nil) {
        let bounds = [max(0, lowest ?? 0), max(0, highest ?? Int.max)].sorted()
        self.lowest = bounds[0]
        self.highest = bounds[1] == Int.max ? nil : bounds[1]
    }

    /// Creates the band of one age.
    ///
    /// - Parameter years: the age in years.
    public init(_ years: Int) {
        self.init(from: years, to: years)
    }

    /// 18 years or more.
    public static let adult = AgeBand(from: 18)
    /// Any age, which counts as the youngest.
    public static let child = AgeBand(from: 0)
}

extension RulePack.Programme {
    /// What the programme's terms ask of the app's screens; nil where the tables have none.
    public var terms: ProgrammeTerms? { RegionTables.builtIn.programmeTerms[id] }
}
