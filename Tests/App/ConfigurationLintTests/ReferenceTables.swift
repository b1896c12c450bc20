/// The tables of sections 2, 3 and 7, written a second time so that errors in the package's tables are found.
enum ReferenceTables {
    static let packs = ["2024-04", "2025-07", "2026-02", "2026-06", "2026-10"]

    static let prefix = "com.apple.developer.storekit."
    static let purchase = "SKExternalPurchase"
    static let single = "SKExternalPurchaseLink"
    static let multi = "SKExternalPurchaseMultiLink"
    static let custom = "SKExternalPurchaseCustomLinkRegions"
    static let streaming = "SKExternalPurchaseLinkStreamingRegions"
    static let account = "SKExternalLinkAccount"
    static let keys = [purchase, single, multi, custom, streaming, account]

    static let purchaseEntitlement = prefix + "external-purchase"
    static let linkEntitlement = prefix + "external-purchase-link"
    static let streamingEntitlement = prefix + "external-purchase-link-streaming"
    static let allowed = prefix + "custom-purchase-link.allowed-regions"
    static let accountEntitlement = prefix + "external-link.account"
    static let booleans = [purchaseEntitlement, linkEntitlement, streamingEntitlement, accountEntitlement]
    static let entitlements = booleans + [allowed]
    /// The keys of each Boolean entitlement.
    static let pairs = [
        purchaseEntitlement: [purchase], linkEntitlement: [single, multi, custom], streamingEntitlement: [streaming],
        accountEntitlement: [account], dropped[1]: [single, multi],
    ]
    /// The keys whose entitlement a dropped list replaces; for the first and the last it replaces the key as well.
    static let replaced = [dropped[0]: [purchase], dropped[1]: [single, multi], dropped[2]: [streaming]]
    static let dropped = [
        purchaseEntitlement + ".allowed-regions", linkEntitlement + ".allowed-regions",
        streamingEntitlement + ".allowed-regions",
    ]
    /// The Boolean entitlements that the dropped lists replace, in the packs that use them (CF-24).
    static func dropped(in pack: String) -> [String] { ["2025-07", "2026-02"].contains(pack) ? dropped : [] }
    static let standsFor = [
        dropped[0]: purchaseEntitlement, dropped[1]: linkEntitlement, dropped[2]: streamingEntitlement,
    ]
    static func isList(_ entitlement: String) -> Bool { entitlement == allowed || dropped.contains(entitlement) }

    static let union: Set<String> = [
        "at", "be", "bg", "cy", "cz", "de", "dk", "ee", "es", "fi", "fr", "gr", "hr", "hu", "ie", "it", "lt", "lu",
        "lv", "mt", "nl", "pl", "pt", "ro", "se", "si", "sk",
    ]
    static let five = union.union(["is", "no"])

    /// The codes of a pack for a key or list entitlement; nil when the pack lacks it or any country is allowed.
    static func codes(_ name: String, pack: String) -> Set<String>? { lists[pack]?[name] }

    private static let lists: [String: [String: Set<String>]] = Dictionary(
        uniqueKeysWithValues: packs.map { pack in
            let named = (keys + entitlements + dropped(in: pack)).compactMap { name in
                list(name, pack: pack).map { (name, $0) }
            }
            return (pack, Dictionary(uniqueKeysWithValues: named))
        }
    )

    private static func list(_ name: String, pack: String) -> Set<String>? {
        switch name {
        case purchase: union.union(["kr"])
        case single, multi: union.union(pack == "2024-04" ? ["is", "no", "ru", "us"] : ["is", "no", "ru"])
        case custom where pack >= "2025-07": union
        case streaming where pack >= "2025-07": union.union(["is", "no"])
        case dropped[0]: union.union(["kr"])
        case dropped[1]: union.union(["is", "no", "ru"])
        case dropped[2]: union.union(["is", "no"])
        case allowed where pack >= "2026-10": union.union(["jp", "br", "is", "no"])
        case allowed where pack >= "2026-06": union.union(["jp", "br"])
        case allowed where pack >= "2026-02": union.union(["jp"])
        default: nil
        }
    }

    static func exists(_ name: String, pack: String) -> Bool {
        switch name {
        case custom, streaming, streamingEntitlement: pack >= "2025-07"
        case allowed: pack >= "2026-02"
        case dropped[0], dropped[1], dropped[2]: !dropped(in: pack).isEmpty
        default: true
        }
    }

    /// The first system version with a key or entitlement, by platform; nil when the platform lacks it.
    static func availability(_ name: String, platform: String) -> [Int]? {
        let column = ["iOS": 0, "iPadOS": 0, "macCatalyst": 1, "macOS": 2, "tvOS": 3, "watchOS": 4, "visionOS": 5]
        let row: [[Int]?] =
            switch name {
            case purchase, single: [[15, 4], [17, 4], [14, 4], [17, 4], [10, 4], [1, 0]]
            case multi: [[17, 5], [17, 5], [14, 5], [17, 5], [10, 5], [1, 2]]
            case custom: [[18, 1], [18, 1], [15, 1], [18, 1], [11, 1], [2, 1]]
            case streaming, streamingEntitlement: [[18, 2], nil, nil, nil, nil, nil]
            case account, accountEntitlement: [[15, 4], nil, nil, [16, 4], nil, nil]
            case allowed: [[26, 2], [26, 2], [26, 2], [26, 2], [26, 2], [26, 2]]
            default: [[15, 4], [17, 4], [14, 4], [17, 4], [10, 4], [1, 1]]
            }
        return column[platform].flatMap { row[$0] }
    }

    /// ISO 3166-1, two letters to three.
    static let countries: [String: String] = Dictionary(
        uniqueKeysWithValues: countryText.split(whereSeparator: \.isWhitespace).map { pair in
            (String(pair.prefix(2)), String(pair.suffix(3)))
        }
    )
    static let twoLetters = Set(countries.keys)
    static let threeLetters = Set(countries.values)

    private static let countryText = """
        ad:and ae:are af:afg ag:atg ai:aia al:alb am:arm ao:ago aq:ata ar:arg as:asm at:aut au:aus aw:abw ax:ala az:aze
        ba:bih bb:brb bd:bgd be:bel bf:bfa bg:bgr bh:bhr bi:bdi bj:ben bl:blm bm:bmu bn:brn bo:bol bq:bes br:bra bs:bhs
        bt:btn bv:bvt bw:bwa by:blr bz:blz ca:can cc:cck cd:cod cf:caf cg:cog ch:che ci:civ ck:cok cl:chl cm:cmr cn:chn
        co:col cr:cri cu:cub cv:cpv cw:cuw cx:cxr cy:cyp cz:cze de:deu dj:dji dk:dnk dm:dma do:dom dz:dza ec:ecu ee:est
        eg:egy eh:esh er:eri es:esp et:eth fi:fin fj:fji fk:flk fm:fsm fo:fro fr:fra ga:gab gb:gbr gd:grd ge:geo gf:guf
        gg:ggy gh:gha gi:gib gl:grl gm:gmb gn:gin gp:glp gq:gnq gr:grc gs:sgs gt:gtm gu:gum gw:gnb gy:guy hk:hkg hm:hmd
        hn:hnd hr:hrv ht:hti hu:hun id:idn ie:irl il:isr im:imn in:ind io:iot iq:irq ir:irn is:isl it:ita je:jey jm:jam
        jo:jor jp:jpn ke:ken kg:kgz kh:khm ki:kir km:com kn:kna kp:prk kr:kor kw:kwt ky:cym kz:kaz la:lao lb:lbn lc:lca
        li:lie lk:lka lr:lbr ls:lso lt:ltu lu:lux lv:lva ly:lby ma:mar mc:mco md:mda me:mne mf:maf mg:mdg mh:mhl mk:mkd
        ml:mli mm:mmr mn:mng mo:mac mp:mnp mq:mtq mr:mrt ms:msr mt:mlt mu:mus mv:mdv mw:mwi mx:mex my:mys mz:moz na:nam
        nc:ncl ne:ner nf:nfk ng:nga ni:nic nl:nld no:nor np:npl nr:nru nu:niu nz:nzl om:omn pa:pan pe:per pf:pyf pg:png
        ph:phl pk:pak pl:pol pm:spm pn:pcn pr:pri ps:pse pt:prt pw:plw py:pry qa:qat re:reu ro:rou rs:srb ru:rus rw:rwa
        sa:sau sb:slb sc:syc sd:sdn se:swe sg:sgp sh:shn si:svn sj:sjm sk:svk sl:sle sm:smr sn:sen so:som sr:sur ss:ssd
        st:stp sv:slv sx:sxm sy:syr sz:swz tc:tca td:tcd tf:atf tg:tgo th:tha tj:tjk tk:tkl tl:tls tm:tkm tn:tun to:ton
        tr:tur tt:tto tv:tuv tw:twn tz:tza ua:ukr ug:uga um:umi us:usa uy:ury uz:uzb va:vat vc:vct ve:ven vg:vgb vi:vir
        vn:vnm vu:vut wf:wlf ws:wsm ye:yem yt:myt za:zaf zm:zmb zw:zwe
        """
}
