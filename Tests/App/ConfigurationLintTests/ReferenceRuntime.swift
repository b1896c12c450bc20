private typealias T = ReferenceTables

/// The entries that the runtime uses, written only from CF-50 to CF-53 and decision 0006.
struct ReferenceRuntime: Equatable {
    var entitlements: Set<String> = []
    var regions: [String: Set<String>] = [:]
    var allowed: Set<String> = []
    var legacy: [String: Set<String>] = [:]
    var single: [String: String] = [:]
    var multi: [String: [String]] = [:]

    init() {}

    init(_ input: ReferenceCase) {
        func value(_ name: String, _ file: [ReferenceMember]?) -> ReferenceValue? {
            let found = (file ?? []).filter { $0.key == name }
            return found.count == 1 && T.exists(name, pack: input.pack) ? found[0].value : nil
        }
        func codes(_ name: String, _ file: [ReferenceMember]?) -> Set<String> {
            let elements = value(name, file)?.elements ?? []
            return Set(elements.filter { Self.isUsable($0, name, input.pack) }.compactMap(\.text))
        }
        let file = input.signed ?? input.source
        for name in T.booleans where value(name, file) == .bool(true) { entitlements.insert(name) }
        allowed = codes(T.allowed, file)
        if !allowed.isEmpty { entitlements.insert(T.allowed) }
        for name in T.dropped {
            let usable = codes(name, file)
            if !usable.isEmpty { legacy[name] = usable }
        }
        for key in [T.purchase, T.custom, T.streaming] {
            let usable = codes(key, input.info)
            if !usable.isEmpty { regions[key] = usable }
        }
        let singles = value(T.single, input.info)?.members ?? []
        let multis = value(T.multi, input.info)?.members ?? []
        let evidence = ReferenceLinter.hasStreamingEvidence(input)
        for code in Set((singles + multis).map(\.key)) where Self.isUsable(.string(code), T.single, input.pack) {
            let lists = multis.filter { $0.key == code }
            let own = singles.filter { $0.key == code }
            // CF-43: five with evidence, one without. Under `no`, more than one URL over both keys leaves none.
            let qualifies = input.streaming == .yes || input.streaming == .auto && evidence
            var limit = T.five.contains(code) && qualifies ? 5 : 1
            var all = lists.count == 1 ? lists[0].value.elements?.compactMap(\.text) ?? [] : []
            if own.count == 1, let url = own[0].value.text { all.append(url) }
            if input.streaming == .no, Set(all).count > 1 { limit = 0 }
            // The first different texts are within the limit, including invalid ones (CF-42, CF-52).
            var room: [String] = []
            if lists.count == 1, let list = lists[0].value.elements?.compactMap(\.text) {
                for url in list where !room.contains(url) && room.count < limit { room.append(url) }
                var used: [String] = []
                for url in list where room.contains(url) && !used.contains(url) && !Self.isFaulty(url) {
                    used.append(url)
                }
                if !used.isEmpty { multi[code] = used }
            }
            if own.count == 1, let url = own[0].value.text, !Self.isFaulty(url),
                room.contains(url) || room.count < limit
            {
                single[code] = url
            }
        }
    }

    /// True when a code has no error.
    ///
    /// Warnings do not exclude it (CF-50).
    private static func isUsable(_ element: ReferenceValue, _ key: String, _ pack: String) -> Bool {
        let rule = ReferenceLinter.countryRule(element, key, pack: pack)
        return rule == nil || rule == "unresolved-variable" || rule == "country-withdrawn"
    }

    private static func isFaulty(_ url: String) -> Bool {
        let harmless: Set = [
            "unresolved-variable", "link-url-fragment", "link-url-userinfo", "link-url-private-host",
            "link-url-placeholder-host",
        ]
        return !ReferenceURL.rules(url).allSatisfy(harmless.contains)
    }
}
