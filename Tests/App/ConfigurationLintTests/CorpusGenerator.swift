import ExternalPurchaseCore

private typealias T = ReferenceTables

/// Generates configurations from the options of section 8.
struct CorpusGenerator {
    private var random: SplitMix64
    /// One in this many choices is invalid.
    ///
    /// Small numbers give several errors at once, large ones a single error.
    private let rarity: Int

    /// The configuration of a seed.
    static func configuration(seed: UInt64) -> ReferenceCase {
        var generator = CorpusGenerator(seed: seed)
        return generator.configuration()
    }

    private init(seed: UInt64) {
        random = SplitMix64(seed: seed &* 0x2545_F491_4F6C_DD1D)
        rarity = [4, 12, 40][Int.random(in: 0..<3, using: &random)]
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func isFaulty() -> Bool { chance(rarity) }
    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    private mutating func configuration() -> ReferenceCase {
        var drawn = ReferenceCase()
        drawn.pack = chance(2) ? "2026-10" : pick(T.packs)
        drawn.streaming = pick(ReferenceStreaming.allCases)
        drawn.built = chance(4)
        if chance(3) { drawn.platform = pick(Self.platforms) }
        var keys = infoKeys()
        let present = Set(keys.map(\.key))
        for _ in 0..<2 where chance(rarity * 2) { keys.append(stray()) }
        drawn.info = chance(40) ? nil : (frame(drawn.platform) + keys).shuffled(using: &random)
        let entitlements = self.entitlements(present)
        if !chance(8) { drawn.source = entitlements }
        if chance(3) { drawn.signed = changed(entitlements) }
        if chance(3) { drawn.profile = profile(entitlements) }
        if chance(4) { drawn.reviewed = chance(3) ? drawn.info : (drawn.info.map { reviewed($0) } ?? infoKeys()) }
        return drawn
    }

    // MARK: Info.plist

    private static let platforms = ["iOS", "iPadOS", "macCatalyst", "macOS", "tvOS", "watchOS", "visionOS"]

    /// Bundle id, platform and minimum OS.
    private mutating func frame(_ option: String?) -> [ReferenceMember] {
        var frame: [ReferenceMember] = []
        if !isFaulty() {
            frame.append(ReferenceMember("CFBundleIdentifier", .string("com.acme.app")))
        } else if !chance(5) {
            let ids: [ReferenceValue] = [
                .string(""), .integer(1), .string("$(PRODUCT_BUNDLE_IDENTIFIER)"), .string("com.acme.${NAME}"),
                .array([]), .string(" "),
            ]
            frame.append(ReferenceMember("CFBundleIdentifier", pick(ids)))
        }
        let names = [
            "iPhoneOS", "iPhoneOS", "iPhoneOS", "iPhoneSimulator", "MacOSX", "AppleTVOS", "AppleTVSimulator",
            "WatchOS", "WatchSimulator", "XROS", "XRSimulator",
        ]
        let name = pick(names)
        switch number(0...9) {
        case 0...4: frame.append(ReferenceMember("CFBundleSupportedPlatforms", .array([.string(name)])))
        case 5:
            let odd: [ReferenceValue] = [
                .array([]), .array([.string("BeOS")]), .string("MacOSX"), .array([.integer(1)]),
                .array([.string("BeOS"), .string(name)]),
            ]
            frame.append(ReferenceMember("CFBundleSupportedPlatforms", pick(odd)))
        default: break
        }
        if !chance(8) { frame.append(ReferenceMember("MinimumOSVersion", minimum())) }
        if option == "macOS" || option == "macCatalyst" || name == "MacOSX" || chance(4) {
            frame.append(ReferenceMember("LSMinimumSystemVersion", minimum()))
        }
        return frame
    }

    private mutating func minimum() -> ReferenceValue {
        if isFaulty() {
            return pick([
                .string(""), .string("abc"), .string("26.5.1.2"), .string("26."), .string("26..5"), .string("-1"),
                .string("26,5"), .string(" 26.5"), .string("$(IPHONEOS_DEPLOYMENT_TARGET)"), .integer(26), .real,
                .string("026.5"), .string("99999999999999999999"), .string("+26"), .string("26.5b"),
                .string("٢٦.٥"), .array([.string("26.5")]),
            ])
        }
        if chance(2) { return .string("26.5") }
        return .string(
            pick([
                "15.3", "15.4", "15.3.9", "15", "17.3", "17.4", "17.4.1", "17.5", "16.0", "18.1", "18.2", "26", "26.1",
                "26.2", "26.3", "26.4", "26.3.9", "27.2", "1.0", "1.1", "1.2", "2.0", "2.1", "10.3", "10.4", "10.5",
                "11.1", "14.3", "14.4", "14.5", "15.0", "15.1", "12.0", "10.15", "16.4",
            ])
        )
    }

    private mutating func infoKeys() -> [ReferenceMember] {
        var keys: [ReferenceMember] = []
        for key in T.keys where chance(2) {
            keys.append(ReferenceMember(key, wellTyped(key)))
            if chance(rarity * 2) { keys.append(ReferenceMember(key, wellTyped(key))) }
        }
        return keys
    }

    private mutating func wellTyped(_ key: String) -> ReferenceValue {
        if chance(rarity * 2) { return other() }
        if chance(rarity * 3) { return key == T.purchase ? .array([]) : .dictionary([]) }
        switch key {
        case T.single: return links { .string($0.url()) }
        case T.multi: return links { $0.multi() }
        case T.account: return account()
        default: return regions(key)
        }
    }

    private mutating func regions(_ key: String) -> ReferenceValue {
        let count = chance(rarity * 2) ? 0 : number(1...5)
        return .array(
            (0..<count).map { _ in chance(rarity * 3) ? other() : .string(code(key)) }
        )
    }

    private mutating func links(_ value: (inout Self) -> ReferenceValue) -> ReferenceValue {
        var members: [ReferenceMember] = []
        for _ in 0..<(chance(rarity * 2) ? 0 : number(1...4)) {
            let code = self.code(T.single)
            if members.contains(where: { $0.key == code }), !isFaulty() { continue }
            members.append(ReferenceMember(code, isFaulty() ? other() : value(&self)))
        }
        return .dictionary(members)
    }

    private mutating func multi() -> ReferenceValue {
        let count = pick([0, 1, 1, 1, 2, 2, 3, 4, 5, 5, 6, 7, 9])
        return .array(
            (0..<(count == 0 && !isFaulty() ? 1 : count)).map { _ in chance(rarity * 4) ? other() : .string(url()) }
        )
    }

    private mutating func account() -> ReferenceValue {
        var members: [ReferenceMember] = []
        if !isFaulty() { members.append(ReferenceMember("*", .string(url()))) }
        for _ in 0..<number(0...2) {
            let code = isFaulty() ? pick(Self.odd) : pick(["jp", "nl", "us", "za", "xk"])
            members.append(ReferenceMember(code, chance(rarity * 3) ? other() : .string(url())))
        }
        return .dictionary(members)
    }

    private mutating func other() -> ReferenceValue {
        let repeated = [ReferenceMember("nl", .bool(true)), ReferenceMember("nl", .string("x"))]
        return pick([
            .string("nl"), .string("https://a.acme.example/"), .string("$(LIST)"), .integer(1), .real, .bool(true),
            .bool(false), .date, .data, .array([]), .array([.string("nl")]), .dictionary([]),
            .dictionary([ReferenceMember("nl", .string("https://a.acme.example/"))]),
            .dictionary([ReferenceMember("nl", .array([.string("https://a.acme.example/")]))]),
            .dictionary(repeated), .array([.dictionary(repeated)]),
        ])
    }

    private static let odd = [
        "NL", "De", "JP", "Br", "US", "iS", "RU", "CH", "fra", "DEU", "jpn", "Usa", "tWn", " nl", "de ", "\tit", "fr\n",
        " NL", " ", "", "el", "uk", "eu", "EL", "xx", "zz", "*", "**", "nld1", "n", "n/l", "$(CODE)", "${CODE}",
        "n$(X)l", "$(", "${X)", "$", "nl\u{A0}", "\u{212A}r", "\u{17F}e", "n\u{300}l", "ｎｌ", "nl,de",
    ]

    private mutating func code(_ key: String) -> String {
        if isFaulty() { return pick(Self.odd) }
        if chance(3) { return pick(["is", "no", "ru", "us", "kr", "jp", "br", "ch", "gb"]) }
        if chance(2) { return pick(["nl", "de", "se"]) }
        return pick(T.union.sorted())
    }

    // MARK: Links

    private mutating func url() -> String {
        if chance(3) { return pick("abcdefg".map { "https://\($0).acme.example/" }) }
        if chance(rarity) { return pick(Self.texts) }
        if chance(rarity * 2) {
            let length = pick([999, 1_000, 1_001, 1_200])
            return "https://shop.acme.example/" + String(repeating: "A", count: length - 26)
        }
        var url = isFaulty() ? pick(Self.schemes) : "https://"
        url += isFaulty() ? pick(Self.users) : ""
        url += isFaulty() ? pick(Self.hosts) : pick(["shop.acme.example", "a.acme.example"])
        url += isFaulty() ? pick(Self.ports) : ""
        url += isFaulty() ? pick(Self.paths) : pick(["/nl", "/", ""])
        url += isFaulty() ? pick(["?", "?q=1", "?q?x/y:@", "?[", "?%", "?%41", "?ü", "?a b", "??"]) : ""
        url += isFaulty() ? pick(["#", "#x", "#a#b", "#?", "#/@:", "#%g0", "#|"]) : ""
        return url
    }

    private static let texts = [
        "", " ", "nl", "/nl", "//shop.acme.example/nl", "://x", ":", "?", "#", "mailto:a@b.c", "https", "https:",
        "https:nl", "https:/", "https:/nl", "https://", "https:///nl", "https://?q", "https://#f", "https://@/",
        "https://:443", "https://u@:1/", "javascript:alert(1)", "data:,x", "a:b", "1:2", "$(URL)", "${URL}",
        "https://$(HOST)/nl", "https://${HOST/nl", "https://$(HOST", "https://$HOST/", "$()", "${}", "http://ü $(A)",
        " https://shop.acme.example", "https://shop.acme.example\n", "\thttps://shop.acme.example/",
        "https://shop.acme.example/\u{7F}", "https://shop.acme.example/a b", "https://shop.acme.example/é",
        "https://shop.acme.example/e\u{301}", "https://shop.acme.example/\u{A0}", "https://shop.acme.example/\u{85}",
        "HTTPS://SHOP.ACME.EXAMPLE/", "hTTps://shop.acme.example", "https://https://shop.acme.example/",
    ]
    private static let schemes = [
        "HTTPS://", "Https://", "http://", "HTTP://", "ftp://", "https:", "https:/", "https:///", "//", "/", "",
        "1https://", "ht+tp.s-1://", "ht_tps://", "h%74tps://", "://", ":", "https//", "https;//", "+https://",
    ]
    private static let users = [
        "app@", "u:p@", "@", ":@", "a%20b@", "a%2@", "a@b@", "u|@", "u[@", "$&'()*+,;=@", "u/p@", "u?p@",
    ]
    private static let hosts = [
        "localhost", "a.LocalHost", "mac.local", "local", "a.internal", "a.test", "b.invalid", "a.home.arpa",
        "home.arpa", "intranet", "localhost.", "mac.local.", "a.b.", "0.0.0.0", "10.1.2.3", "127.0.0.1",
        "169.254.1.1", "169.255.1.1", "172.15.0.1", "172.16.0.1", "172.31.255.255", "172.32.0.1", "192.168.1.1",
        "192.169.1.1", "11.1.2.3", "010.1.1.1", "256.0.0.1", "127.1", "127.0.0.1.", "8.8.8.8", "[::1]", "[::2]",
        "[0:0:0:0:0:0:0:1]", "[::0.0.0.1]", "[fc00::1]", "[FDFF::1]", "[fe80::1]", "[febf::1]", "[fec0::1]", "[fb00::]",
        "[2001:db8::1]", "[2001:db8::192.0.2.1]", "[::ffff:127.0.0.1]", "[::]", "[1:2:3:4:5:6:7:8]",
        "[1:2:3:4:5:6:7::]",
        "[::2:3:4:5:6:7:8]", "[1::3:4:5:6:7:8]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1::2::3]", "[:::]",
        "[1:2:3:4:5:6:7:8::]", "[::12345]", "[::g]", "[::1.2.3]", "[::1.2.3.256]", "[1.2.3.4::]", "[fe80::1%25en0]",
        "[v1.a:b]", "[V1F.~]", "[v.a]", "[v1.]", "[vG.a]", "[]", "[::1", "::1]", "[::1]x", "example.com",
        "www.Example.COM", "example.org.", "a.b.example.net", "notexample.com", "example.com.evil", "xn--mnchen-3ya.de",
        "münchen.de", "shop_1.acme.example", "shop%2Eacme.example", "shop%zz.example", "shop|acme", "shop acme", "-",
        "a..b",
        "shop.acme.example\\@evil", "a^b.c", "{host}", "!$&'()*+,;=.x", "",
    ]
    private static let ports = [
        ":443", ":", ":0", ":65535", ":65536", ":00080", ":000065536", ":99999999999999999999", ":8a", ":-1", ":+1",
        ":80:80", ":٣", ": 80",
    ]
    private static let paths = [
        "/a;b=c,d/(e)!$'*+~_-.", "/%20", "/%C3%BCb", "/%zz", "/%4", "/%", "/[a]", "/{a}", "/a|b", "/a\\b", "/ü", "/a b",
        "//x", "/@:", "/\"", "/<a>", "/^", "/`", "/$(P)", "/${P}", "/$", "/..", "/&amp;", "\\x",
    ]

    // MARK: Entitlements

    private mutating func entitlements(_ keys: Set<String>) -> [ReferenceMember] {
        let pairs = [
            (T.purchaseEntitlement, [T.purchase]), (T.linkEntitlement, [T.single, T.multi, T.custom]),
            (T.streamingEntitlement, [T.streaming]), (T.accountEntitlement, [T.account]),
        ]
        var members: [ReferenceMember] = []
        for (name, needed) in pairs where keys.isDisjoint(with: needed) ? chance(10) : !chance(6) {
            members.append(ReferenceMember(name, boolean()))
        }
        if chance(3) { members.append(ReferenceMember(T.allowed, allowed())) }
        if chance(rarity * 3), let twice = members.randomElement(using: &random) {
            members.append(ReferenceMember(twice.key, T.allowed == twice.key ? allowed() : boolean()))
        }
        if chance(rarity * 2) { members.append(stray()) }
        if chance(rarity * 2) {
            let list: ReferenceValue = chance(3) ? allowed() : .array([.string(pick(["de", "is", "kr", "ru", "ch"]))])
            members.append(ReferenceMember(pick(T.dropped), list))
        }
        return members.shuffled(using: &random)
    }

    private mutating func boolean() -> ReferenceValue {
        guard isFaulty() else { return .bool(true) }
        return pick([
            .bool(false), .bool(false), .string("true"), .string("YES"), .string("$(FLAG)"), .integer(1), .integer(0),
            .array([]), .dictionary([]), .real,
        ])
    }

    private mutating func allowed() -> ReferenceValue {
        if chance(rarity * 2) { return other() }
        return .array(
            (0..<(chance(rarity * 2) ? 0 : number(1...4))).map { _ in
                if chance(rarity * 3) { return other() }
                return .string(chance(2) ? pick(["jp", "br"]) : code(T.allowed))
            }
        )
    }

    /// A key that the linter recognises as a mistake: wrong case, wrong file, or a similar name.
    private mutating func stray() -> ReferenceMember {
        let names =
            T.keys + T.entitlements + T.dropped + [
                "SKExternalpurchase", "skexternalpurchaselink", "SKEXTERNALPURCHASEMULTILINK",
                "SKExternalLinkaccount", "SKExternalPurchaseRegions", "SKExternal", "SKExternalLinkAccounts",
                "skExternalThing", "SKexternalThing", "NSExternalThing", T.prefix + "External-Purchase",
                T.prefix + "custom-purchase-link.allowed-Regions", T.prefix + "external-purchase-links",
                T.prefix + "custom-purchase-link", T.prefix + "external-", T.prefix + "Custom-thing",
                "SKExternalPurchaseLinkURL", "SKExternalPurchaseCustomLinkRegion", "KSExternalLinkAccount",
                "SKExtrnalPurchse",
                "com.apple.developer.external-purchase", "com.apple.developer.external-purchase-lnk",
                "ExternalPurchase", "KExternalPurchaseLink", "XSKExternalPurchase", "RCExternalPurchase",
                " SKExternalPurchase\n",
                "SK_External_Purchase_Link", "com.apple.storekit.external-purchase-link",
                "com.apple.developer.externalPurchaseLinkStreaming", "storekit.custom-purchase-link.allowed_region",
                "com.acme.external-purchase", T.dropped[0] + "s", "SKExternalPurchaseMulti", "SKAdNetworkItems",
                T.prefix + "request", "com.apple.security.app-sandbox", "com.apple.developer.storekit",
                (T.dropped[0] as String).uppercased(), "COM.APPLE.DEVELOPER.STOREKIT.EXTERNAL-LINK.ACCOUNT",
            ]
        return ReferenceMember(pick(names), chance(2) ? .bool(true) : other())
    }

    private mutating func changed(_ members: [ReferenceMember]) -> [ReferenceMember] {
        guard chance(2) else { return members }
        var members = members
        if chance(3), !members.isEmpty { members.remove(at: number(0...members.count - 1)) }
        if chance(3) { members.append(ReferenceMember(pick(T.booleans), boolean())) }
        if chance(3) { members.append(ReferenceMember(T.allowed, allowed())) }
        for index in members.indices where chance(4) {
            if case .array(let codes) = members[index].value {
                members[index].value = .array(chance(2) ? codes.reversed() : Array(codes.dropLast()))
            } else {
                members[index].value = boolean()
            }
        }
        return members.shuffled(using: &random)
    }

    private mutating func profile(_ members: [ReferenceMember]) -> [ReferenceMember] {
        var members = changed(members)
        for name in T.entitlements where members.count(where: { $0.key == name }) > 1 {
            members.removeAll { $0.key == name }
        }
        for index in members.indices where members[index].key == T.allowed && chance(3) {
            members[index].value = chance(3) ? .string("*") : .array([.string("*")])
        }
        return members
    }

    /// The plist of the reviewed build: some links added, removed or changed.
    private mutating func reviewed(_ members: [ReferenceMember]) -> [ReferenceMember] {
        var members = members
        if isFaulty(), !members.isEmpty { members.remove(at: number(0...members.count - 1)) }
        for index in members.indices where [T.single, T.multi].contains(members[index].key) && chance(2) {
            guard case .dictionary(var links) = members[index].value, !links.isEmpty else { continue }
            let place = number(0...links.count - 1)
            switch (number(0...3), links[place].value) {
            case (0, _): links.remove(at: place)
            case (1, .array(let urls)): links[place].value = .array(urls.reversed())
            case (2, .array(let urls)): links[place].value = .array(urls + [.string(url())])
            case (_, .string): links[place].value = .string(url())
            default: links.append(ReferenceMember(code(T.single), links[place].value))
            }
            members[index].value = .dictionary(links)
        }
        return members
    }
}
