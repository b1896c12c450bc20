/// The region tables: rule packs, availability and gates.
public struct RegionTables: Sendable {
    /// The rule packs, oldest first.
    public let packs: [RulePack]
    /// The members of the API and their first OS versions, by the name in `Data/regions.json`.
    public let members: [String: Member]
    /// The first OS versions of each Info.plist key.
    public let plistKeyAvailability: [PlistKey: [Platform: OSVersion]]
    /// The first OS versions of each entitlement.
    public let entitlementAvailability: [Entitlement: [Platform: OSVersion]]
    /// The entitlements that Apple's documents named only in 2025 (CF-24).
    public let droppedEntitlements: [Entitlement]
    /// Those of the dropped entitlements that replaced a Boolean entitlement in the regions they listed, with that
    /// entitlement (CF-24).
    public let legacyEntitlements: [Entitlement: Entitlement]
    /// What the terms of each programme ask of an app's screens, by the programme's id (SK-87 to SK-89).
    public let programmeTerms: [String: ProgrammeTerms]
    /// The ages of consent above 13 in years, by region code (SK-88).
    public let agesOfConsent: [String: Int]

    /// The availability of a member of the API.
    public struct Member: Hashable, Sendable {
        /// The first OS version on each platform.
        ///
        /// A platform without an entry lacks the member.
        public let availability: [Platform: OSVersion]
        /// The id of the first rule pack with the member.
        public let sincePack: String
        /// The kind of member: `property`, `method`, `case`, `struct` or `enum`.
        public let kind: String
        /// The version from which the member is deprecated on every platform; nil if it is not deprecated.
        public let deprecatedFrom: OSVersion?
        /// The name of its replacement in the table.
        public let replacement: String?
    }

    /// The tables of this release.
    public static let builtIn = RegionsFile(TableValue(table: EmbeddedTables.regions)).tables

    /// The newest rule pack.
    public var newestPack: RulePack { packs[packs.count - 1] }

    /// Returns the rule pack with an id, or nil for an unknown one.
    ///
    /// - Parameter id: the id, such as `2026-10`.
    public func pack(_ id: String) -> RulePack? { packs.first { $0.id == id } }

    /// Returns the newest rule pack in force on a day, or nil before the first.
    ///
    /// - Parameter day: `YYYY-MM-DD`.
    public func pack(inForceOn day: String) -> RulePack? { packs.last { $0.effectiveFrom <= day } }
}

extension RulePack {
    /// The newest rule pack.
    public static var newest: RulePack { RegionTables.builtIn.newestPack }
}

/// Reads `Data/regions.json`.
private struct RegionsFile {
    private let file: TableValue
    private let regionSets: [String: [String]]

    init(_ file: TableValue) {
        self.file = file
        regionSets = file["regionSets"].members.mapValues(\.texts)
    }

    var tables: RegionTables {
        RegionTables(
            packs: file["packs"].elements.map(pack),
            members: file["members"].members.mapValues(member),
            plistKeyAvailability: keyed(file["plistKeyAvailability"], PlistKey.init(rawValue:), versions),
            entitlementAvailability: keyed(file["entitlementAvailability"], Entitlement.init(rawValue:), versions),
            droppedEntitlements: file["droppedEntitlements"].texts.map(Entitlement.init(rawValue:)),
            legacyEntitlements: legacyEntitlements,
            programmeTerms: file["programmeTerms"].members.mapValues(terms),
            agesOfConsent: file["agesOfConsent"]["years"].members.mapValues(\.number)
        )
    }

    private func terms(_ row: TableValue) -> ProgrammeTerms {
        let (purchase, minors) = (row["inAppPurchase"], row["minors"])
        return ProgrammeTerms(
            inAppPurchase: purchase.optional("beside").map { named($0) },
            inAppPurchaseSource: source(purchase),
            minors: minors["rules"].elements.map { rule in
                ProgrammeTerms.AgeRule(
                    below: rule["below"].number,
                    isRaisedToAgeOfConsent: rule.optional("raisedToAgeOfConsent")?.flag ?? false,
                    withinApp: named(rule["withinApp"]),
                    outOfApp: named(rule["outOfApp"])
                )
            },
            minorsSource: source(minors),
            platforms: row.optional("platforms")?.texts.map(platform),
            isOwnApp: row.optional("ownApp")?.flag ?? false
        )
    }

    private func source(_ row: TableValue) -> ProgrammeTerms.Source {
        ProgrammeTerms.Source(
            confidence: ReportingProgramme.Confidence(
                level: named(row["confidence"]),
                asOf: row["asOf"].text,
                note: row.optional("note")?.text
            ),
            page: row.optional("source")?.text
        )
    }

    private func named<Value: RawRepresentable<String>>(_ row: TableValue) -> Value {
        Value(rawValue: row.text) ?? unknown(row.text)
    }

    private var legacyEntitlements: [Entitlement: Entitlement] {
        keyed(file["legacyAllowedRegions"]["standFor"], Entitlement.init(rawValue:)) { Entitlement(rawValue: $0.text) }
    }

    private func member(_ row: TableValue) -> RegionTables.Member {
        let deprecated = row.optional("deprecated")
        return RegionTables.Member(
            availability: versions(row["availability"]),
            sincePack: row["sincePack"].text,
            kind: row["kind"].text,
            deprecatedFrom: deprecated.map { version($0["inVersion"]) },
            replacement: deprecated?.optional("renamed")?.text
        )
    }

    private func pack(_ row: TableValue) -> RulePack {
        let hasLegacy = file["legacyAllowedRegions"]["packs"].texts.contains(row["id"].text)
        let streaming = row["linkLimits"]["musicStreaming"]
        return RulePack(
            id: row["id"].text,
            title: row["title"].text,
            effectiveFrom: row["effectiveFrom"].text,
            widenedEntitlement: row["widenedEntitlement"].flag,
            typedTokenAPI: row["typedTokenAPI"].flag,
            plistKeys: keyed(row["plistKeys"], PlistKey.init(rawValue:)) { key in
                RulePack.KeyTable(
                    type: key["type"].text,
                    entitlements: key["entitlements"].texts.map(Entitlement.init(rawValue:)),
                    codes: key.optional("codes").map(codes),
                    withdrawn: key.optional("withdrawn")?.texts ?? [],
                    requiredKey: key.optional("requiredKey")?.text
                )
            },
            entitlements: keyed(row["entitlements"], Entitlement.init(rawValue:)) { entitlement in
                let contested = entitlement.optional("contested")?.texts ?? []
                return RulePack.EntitlementTable(
                    type: entitlement["type"].text,
                    codes: entitlement.optional("codes").map { codes($0) + contested },
                    contested: contested
                )
            },
            legacyEntitlements: hasLegacy ? legacyEntitlements : [:],
            linkLimits: RulePack.LinkLimits(
                standard: row["linkLimits"]["default"].number,
                musicStreaming: streaming["limit"].number,
                musicStreamingCodes: codes(streaming["codes"])
            ),
            routes: keyed(row["routes"], { APIGroup(rawValue: $0) ?? unknown($0) }) { $0.elements.map(route) },
            gates: row["gates"].elements.map(gate),
            programmes: row["programmes"].elements.map(programme)
        )
    }

    private func route(_ row: TableValue) -> RulePack.Route {
        RulePack.Route(
            entitlement: Entitlement(rawValue: row["entitlement"].text),
            storefrontsFrom: list(row["storefrontsFrom"]),
            alsoListedIn: row.optional("alsoListedIn").map { PlistKey(rawValue: $0.text) }
        )
    }

    private func gate(_ row: TableValue) -> RulePack.Gate {
        RulePack.Gate(
            storefrontsFrom: list(row["storefrontsFrom"]),
            codes: row.optional("codes").map(codes),
            platforms: row.optional("platforms")?.texts.map(platform),
            minimumOS: version(row["minimumOS"]),
            tokenMinimumOS: version(row["tokenMinimumOS"])
        )
    }

    private func programme(_ row: TableValue) -> RulePack.Programme {
        RulePack.Programme(
            id: row["id"].text,
            title: row["title"].text,
            storefronts: codes(row["storefronts"]),
            family: row["family"].text,
            routes: row["routes"].elements.map { route in
                RulePack.ProgrammeRoute(
                    entitlement: Entitlement(rawValue: route["entitlement"].text),
                    plistKey: route.optional("plistKey").map { PlistKey(rawValue: $0.text) }
                )
            },
            tokenTypes: row["tokenTypes"].optionalTexts.map { $0.map(TokenType.init(rawValue:)) },
            minimumOS: versions(row["minimumOS"]),
            tokenMinimumOS: versions(row["tokenMinimumOS"])
        )
    }

    private func list(_ name: TableValue) -> RulePack.StorefrontList {
        name.text.hasPrefix("SK")
            ? .plistKey(PlistKey(rawValue: name.text)) : .entitlement(Entitlement(rawValue: name.text))
    }

    /// The codes of a row.
    ///
    /// `@NAME` is replaced by the codes of that set.
    private func codes(_ row: TableValue) -> [String] {
        row.texts.flatMap { code in
            code.hasPrefix("@") ? regionSets[String(code.dropFirst())] ?? unknown(code) : [code]
        }
    }

    private func versions(_ row: TableValue) -> [Platform: OSVersion] { keyed(row, platform, version) }

    private func platform(_ name: String) -> Platform { Platform(rawValue: name) ?? unknown(name) }

    private func version(_ row: TableValue) -> OSVersion { OSVersion(row.text) ?? unknown(row.text) }

    private func unknown<Value>(_ name: String) -> Value {
        preconditionFailure("Data/regions.json: \(name) is not understood")
    }

    private func keyed<Key: Hashable, Value>(
        _ rows: TableValue,
        _ key: (String) -> Key,
        _ value: (TableValue) -> Value
    ) -> [Key: Value] {
        Dictionary(uniqueKeysWithValues: rows.members.map { (key($0.key), value($0.value)) })
    }
}
