/// The region tables: rule packs, availability and gates.
public struct RegionTables: Sendable {
    /// The rule packs, oldest first.
    public let packs: [RulePack]
    /// First OS version of each member of the API, by the name of `Data/regions.json`.
    public let members: [String: Member]
    /// First OS version of each Info.plist key.
    public let plistKeyAvailability: [PlistKey: [Platform: OSVersion]]
    /// First OS version of each entitlement.
    public let entitlementAvailability: [Entitlement: [Platform: OSVersion]]
    /// Entitlements that documents named in 2025 only (CF-24).
    public let droppedEntitlements: [Entitlement]

    /// Where and since when a member of the API exists.
    public struct Member: Hashable, Sendable {
        /// First OS version per platform; a platform that is missing lacks the member.
        public let availability: [Platform: OSVersion]
        /// The id of the first rule pack with the member.
        public let sincePack: String
    }

    /// The tables of this release.
    public static let builtIn: RegionTables = {
        let file: RegionsFile = EmbeddedTables.decode(EmbeddedTables.regions)
        return file.tables()
    }()

    /// The newest rule pack.
    public var newestPack: RulePack { packs[packs.count - 1] }

    /// The rule pack of that name, nil for an unknown one.
    ///
    /// - Parameter id: `2026-10`.
    public func pack(_ id: String) -> RulePack? { packs.first { $0.id == id } }

    /// The newest rule pack in force on a day, nil before the first.
    ///
    /// - Parameter day: `YYYY-MM-DD`.
    public func pack(inForceOn day: String) -> RulePack? { packs.last { $0.effectiveFrom <= day } }
}

extension RulePack {
    /// The newest rule pack.
    public static var newest: RulePack { RegionTables.builtIn.newestPack }
}

// The JSON of Data/regions.json, as it is written.
private struct RegionsFile: Decodable {
    struct Pack: Decodable {
        struct Key: Decodable {
            let type: String
            let entitlements: [String]
            let codes: [String]?
            let withdrawn: [String]?
            let requiredKey: String?
        }
        struct EntitlementRow: Decodable {
            let type: String
            let codes: [String]?
            let contested: [String]?
        }
        struct Limits: Decodable {
            struct Streaming: Decodable {
                let limit: Int
                let codes: [String]
            }
            let `default`: Int
            let musicStreaming: Streaming
        }
        struct RouteRow: Decodable {
            let entitlement: String
            let storefrontsFrom: String
            let alsoListedIn: String?
        }
        struct GateRow: Decodable {
            let storefrontsFrom: String
            let codes: [String]?
            let platforms: [Platform]?
            let minimumOS: String
            let tokenMinimumOS: String
        }
        struct ProgrammeRow: Decodable {
            struct RouteRow: Decodable {
                let entitlement: String
                let plistKey: String?
            }
            let id, title, family: String
            let storefronts: [String]
            let routes: [RouteRow]
            let tokenTypes: [String?]
            let minimumOS, tokenMinimumOS: [Platform: String]
        }
        let id, title, effectiveFrom: String
        let widenedEntitlement, typedTokenAPI: Bool
        let plistKeys: [String: Key]
        let entitlements: [String: EntitlementRow]
        let linkLimits: Limits
        let routes: [String: [RouteRow]]
        let gates: [GateRow]
        let programmes: [ProgrammeRow]
    }
    struct MemberRow: Decodable {
        let availability: [Platform: String]
        let sincePack: String
    }
    let regionSets: [String: [String]]
    let plistKeyAvailability: [String: [Platform: String]]
    let entitlementAvailability: [String: [Platform: String]]
    let droppedEntitlements: [String]
    let packs: [Pack]
    let members: [String: MemberRow]

    func tables() -> RegionTables {
        RegionTables(
            packs: packs.map(pack),
            members: members.mapValues {
                RegionTables.Member(availability: versions($0.availability), sincePack: $0.sincePack)
            },
            plistKeyAvailability: keyed(plistKeyAvailability, PlistKey.init(rawValue:), versions),
            entitlementAvailability: keyed(entitlementAvailability, Entitlement.init(rawValue:), versions),
            droppedEntitlements: droppedEntitlements.map(Entitlement.init(rawValue:))
        )
    }

    private func pack(_ row: Pack) -> RulePack {
        RulePack(
            id: row.id,
            title: row.title,
            effectiveFrom: row.effectiveFrom,
            widenedEntitlement: row.widenedEntitlement,
            typedTokenAPI: row.typedTokenAPI,
            plistKeys: keyed(row.plistKeys, PlistKey.init(rawValue:)) { key in
                RulePack.KeyTable(
                    type: key.type,
                    entitlements: key.entitlements.map(Entitlement.init(rawValue:)),
                    codes: key.codes.map(expand),
                    withdrawn: key.withdrawn ?? [],
                    requiredKey: key.requiredKey
                )
            },
            entitlements: keyed(row.entitlements, Entitlement.init(rawValue:)) { entitlement in
                RulePack.EntitlementTable(
                    type: entitlement.type,
                    codes: entitlement.codes.map { expand($0) + (entitlement.contested ?? []) },
                    contested: entitlement.contested ?? []
                )
            },
            linkLimits: RulePack.LinkLimits(
                standard: row.linkLimits.default,
                musicStreaming: row.linkLimits.musicStreaming.limit,
                musicStreamingCodes: expand(row.linkLimits.musicStreaming.codes)
            ),
            routes: keyed(row.routes, { APIGroup(rawValue: $0) ?? unknown($0) }) { $0.map(route) },
            gates: row.gates.map { gate in
                RulePack.Gate(
                    storefrontsFrom: list(gate.storefrontsFrom),
                    codes: gate.codes.map(expand),
                    platforms: gate.platforms,
                    minimumOS: version(gate.minimumOS),
                    tokenMinimumOS: version(gate.tokenMinimumOS)
                )
            },
            programmes: row.programmes.map(programme)
        )
    }

    private func route(_ row: Pack.RouteRow) -> RulePack.Route {
        RulePack.Route(
            entitlement: Entitlement(rawValue: row.entitlement),
            storefrontsFrom: list(row.storefrontsFrom),
            alsoListedIn: row.alsoListedIn.map(PlistKey.init(rawValue:))
        )
    }

    private func programme(_ row: Pack.ProgrammeRow) -> RulePack.Programme {
        RulePack.Programme(
            id: row.id,
            title: row.title,
            storefronts: expand(row.storefronts),
            family: row.family,
            routes: row.routes.map {
                RulePack.ProgrammeRoute(
                    entitlement: Entitlement(rawValue: $0.entitlement),
                    plistKey: $0.plistKey.map(PlistKey.init(rawValue:))
                )
            },
            tokenTypes: row.tokenTypes.map { $0.map(TokenType.init(rawValue:)) },
            minimumOS: versions(row.minimumOS),
            tokenMinimumOS: versions(row.tokenMinimumOS)
        )
    }

    private func list(_ name: String) -> RulePack.StorefrontList {
        name.hasPrefix("SK")
            ? .plistKey(PlistKey(rawValue: name)) : .entitlement(Entitlement(rawValue: name))
    }

    private func expand(_ codes: [String]) -> [String] {
        codes.flatMap { code in code.hasPrefix("@") ? regionSets[String(code.dropFirst())] ?? unknown(code) : [code] }
    }

    private func versions(_ row: [Platform: String]) -> [Platform: OSVersion] { row.mapValues(version) }

    private func version(_ text: String) -> OSVersion { OSVersion(text) ?? unknown(text) }

    private func unknown<Value>(_ name: String) -> Value {
        preconditionFailure("Data/regions.json: \(name) is not understood")
    }

    private func keyed<Key: Hashable, Row, Value>(
        _ rows: [String: Row],
        _ key: (String) -> Key,
        _ value: (Row) -> Value
    ) -> [Key: Value] {
        Dictionary(uniqueKeysWithValues: rows.map { (key($0.key), value($0.value)) })
    }
}
