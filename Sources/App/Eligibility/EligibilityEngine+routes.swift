package import ExternalPurchaseCore

extension RulePack.Route {
    /// The entitlement and the lists, `external-purchase-link + SKExternalPurchaseLink`.
    package var name: String {
        var parts = [entitlement.shortName]
        if case .plistKey(let key) = storefrontsFrom { parts.append(key.rawValue) }
        if let alsoListedIn { parts.append(alsoListedIn.rawValue) }
        return parts.joined(separator: " + ")
    }

    /// True for the routes that came with the widening of CF-23.
    func isWidened(in group: APIGroup) -> Bool {
        entitlement == .allowedRegions && (group == .externalPurchase || group == .singleLink)
    }

    /// The Info.plist keys in which the app lists the storefront.
    package var plistKeys: [PlistKey] {
        var keys: [PlistKey] = []
        if case .plistKey(let key) = storefrontsFrom { keys.append(key) }
        if let alsoListedIn { keys.append(alsoListedIn) }
        return keys
    }
}

extension Entitlement {
    /// The last part of the name.
    var shortName: String { rawValue.split(separator: ".").last.map(String.init) ?? rawValue }
}

extension EligibilityEngine {
    /// The routes of a group in the pack, first listed first, with the setting of SK-24 applied.
    package func routes(of group: APIGroup) -> [RulePack.Route] {
        let listed = pack.routes[group] ?? []
        switch widenedEntitlement {
        case .byPack:
            return listed
        case .off:
            return listed.filter { !$0.isWidened(in: group) }
        case .on:
            guard !listed.contains(where: { $0.isWidened(in: group) }) else { return listed }
            let packs = RegionTables.builtIn.packs
            let widening = packs.first(where: \.widenedEntitlement)?.routes[group] ?? []
            return listed + widening.filter { $0.isWidened(in: group) }
        }
    }

    /// The gate that counts: the most specific one that names the storefront (CF-62).
    func gate(of route: RulePack.Route) -> RulePack.Gate? {
        let gates = pack.gates.filter { gate in
            gate.storefrontsFrom == route.storefrontsFrom
                && (gate.codes.map { codes in region.map(codes.contains) ?? false } ?? true)
        }
        return gates.last { $0.codes != nil } ?? gates.last
    }

    /// The programme behind an answer: that of route, family and storefront, else of family and storefront, else of
    /// entitlement and storefront.
    func programme(for question: EligibilityQuestion, route: RulePack.Route) -> RulePack.Programme? {
        guard let region else { return nil }
        let here = pack.programmes.filter { $0.storefronts.contains(region) }
        let sameFamily = here.filter { $0.belongs(to: question.family) }
        return sameFamily.first { $0.names(route) } ?? sameFamily.first
            ?? here.first { $0.routes.contains { $0.entitlement == route.entitlement } }
    }

    /// The token types that custom links have in the storefront (SK-60).
    package var customLinkTokenTypes: [TokenType] {
        guard let region else { return [] }
        var types: [TokenType] = []
        for programme in pack.programmes
        where programme.belongs(to: "ExternalPurchaseCustomLink") && programme.storefronts.contains(region) {
            types += programme.tokenTypes.compactMap(\.self).filter { !types.contains($0) }
        }
        return types
    }
}

extension RulePack.Programme {
    /// True when the family is one of the programme's, whose names `+` joins.
    func belongs(to family: String) -> Bool { self.family.split(separator: "+").contains { $0 == family } }

    func names(_ route: RulePack.Route) -> Bool {
        routes.contains { $0.entitlement == route.entitlement && $0.plistKey == route.plistKeys.first }
    }
}
