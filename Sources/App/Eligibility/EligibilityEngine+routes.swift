package import ExternalPurchaseCore

extension RulePack.Route {
    /// The entitlement and the lists, `external-purchase-link + SKExternalPurchaseLink`.
    package var name: String {
        var parts = [entitlement.shortName]
        if case .plistKey(let key) = storefrontsFrom { parts.append(key.rawValue) }
        if let alsoListedIn { parts.append(alsoListedIn.rawValue) }
        return parts.joined(separator: " + ")
    }

    /// True for the routes that the widening of CF-23 added.
    func isWidened(in group: APIGroup) -> Bool {
        entitlement == .allowedRegions && (group == .externalPurchase || group == .singleLink)
    }

    /// The Info.plist keys in which the app lists the storefront.
    var plistKeys: [PlistKey] {
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
    /// Returns the routes of a group in the order of the pack, with the setting of SK-24 applied.
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

    /// Returns the applicable gate: the most specific one that contains the storefront (CF-62).
    func gate(of route: RulePack.Route) -> RulePack.Gate? {
        let gates = pack.gates.filter { gate in
            gate.storefrontsFrom == route.storefrontsFrom
                && (gate.codes.map { codes in region.map(codes.contains) ?? false } ?? true)
        }
        return gates.last { $0.codes != nil } ?? gates.last
    }

    /// Returns the programme of an answer.
    ///
    /// The programme is that of the route, family and storefront; otherwise that of the family and storefront;
    /// otherwise that of the entitlement and storefront.
    func programme(for question: EligibilityQuestion, route: RulePack.Route) -> RulePack.Programme? {
        guard let region else { return nil }
        let here = pack.programmes.filter { $0.storefronts.contains(region) }
        let sameFamily = here.filter { $0.belongs(to: question.family) }
        return sameFamily.first { $0.names(route) } ?? sameFamily.first
            ?? here.first { $0.routes.contains { $0.entitlement == route.entitlement } }
    }

    /// The token types of custom links in the storefront (SK-60).
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
    /// True when the programme's families, separated by `+`, include this one.
    func belongs(to family: String) -> Bool { self.family.split(separator: "+").contains { $0 == family } }

    func names(_ route: RulePack.Route) -> Bool {
        routes.contains { $0.entitlement == route.entitlement && $0.plistKey == route.plistKeys.first }
    }
}
