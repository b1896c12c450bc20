import AppConfiguration
import ExternalPurchaseCore

/// All files of an app, after each was inspected.
struct WholeApp {
    let configuration: AppConfiguration
    let inspection: Inspection
    let deployment: Deployment
}

/// A known key or entitlement in a file.
struct DeclaredKey<Name> {
    let name: Name
    let value: PropertyListValue
    let location: Location
}

extension AppConfiguration {
    /// True when a file has a known key or entitlement of its kind.
    package var isConcerned: Bool {
        PlistKey.all.contains { infoPlist?.member($0.rawValue) != nil }
            || Entitlement.all.contains {
                entitlements?.member($0.rawValue) != nil || signedEntitlements?.member($0.rawValue) != nil
            }
    }
}

extension WholeApp {
    /// True when a file has a known key or entitlement of its kind.
    ///
    /// These rules do not apply to other apps.
    var isConcerned: Bool { configuration.isConcerned }

    /// The source of the entitlements, or otherwise the signed ones: the file to which a missing entitlement would be
    /// added.
    var editableEntitlements: PropertyListFile? { configuration.entitlements ?? configuration.signedEntitlements }

    /// Returns a key of Info.plist; the last copy when it is repeated.
    func key(_ key: PlistKey) -> DeclaredKey<PlistKey>? {
        guard let file = configuration.infoPlist, let member = file.member(key.rawValue) else { return nil }
        return DeclaredKey(name: key, value: member.node.value, location: Location(of: member, in: file))
    }

    /// Returns the keys of Info.plist that the pack contains, in the order of its table.
    func keys(in pack: RulePack) -> [DeclaredKey<PlistKey>] {
        PlistKey.all.compactMap { pack.plistKeys[$0] == nil ? nil : key($0) }
    }

    /// Returns an entitlement of a file; the last copy when it is repeated.
    func entitlement(_ entitlement: Entitlement, in file: PropertyListFile?) -> DeclaredKey<Entitlement>? {
        guard let file, let member = file.member(entitlement.rawValue) else { return nil }
        return DeclaredKey(name: entitlement, value: member.node.value, location: Location(of: member, in: file))
    }

    /// Returns the entitlements that the runtime uses and that the pack contains (CF-1, CF-21).
    func usedEntitlements(in pack: RulePack) -> [DeclaredKey<Entitlement>] {
        Entitlement.all.compactMap { name in
            guard pack.entitlements[name] != nil else { return nil }
            return entitlement(name, in: configuration.effectiveEntitlements).flatMap { $0.counts ? $0 : nil }
        }
    }

    /// Returns the entries of a key or of the effective allowed regions; none if the key as a whole has an error.
    func entries(of list: RulePack.StorefrontList) -> [InspectedEntry] {
        let isSigned = configuration.signedEntitlements != nil
        let key = inspection.keys.first { key in
            switch (key.source, list) {
            case (.plistKey(let name), .plistKey(let wanted)): name == wanted
            case (.entitlement(let name), .entitlement(let wanted)): name == wanted && key.isSigned == isSigned
            default: false
            }
        }
        return key.flatMap { $0.findings.hasError ? nil : $0.lastEntries } ?? []
    }
}

extension DeclaredKey<Entitlement> {
    /// True unless the entitlement has no effect (CF-21).
    var counts: Bool {
        guard name.isRegionList else { return value == .bool(true) }
        if case .array = value { return true }
        return false
    }
}

extension LintContext {
    /// The known entitlements that the pack contains, and the lists of autumn 2025 that are used.
    ///
    /// Others are not compared.
    var entitlements: [Entitlement] {
        Entitlement.all.filter { pack.entitlements[$0] != nil }
            + tables.droppedEntitlements.filter { legacyEntitlements[$0] != nil }
    }

    /// Returns the region codes of the pack for the keys of a Boolean entitlement.
    func codes(pairingWith entitlement: Entitlement) -> [String] {
        let keys = PlistKey.all.filter { pack.plistKeys[$0]?.entitlements.contains(entitlement) == true }
        return Set(keys.flatMap { pack.plistKeys[$0]?.codes ?? [] }).sorted()
    }

    /// Returns the keys of Info.plist of which an entitlement needs one; none if it stands alone (CF-24).
    func keys(neededBy entitlement: Entitlement) -> [PlistKey] {
        guard let stoodFor = legacyEntitlements[entitlement] else { return keys(pairingWith: entitlement) }
        guard !pack.isKeyReplaced(with: stoodFor) else { return [] }
        return keys(pairingWith: stoodFor).filter { pack.legacyList(standingFor: stoodFor, serves: $0) }
    }

    /// True for a description in JSON or YAML.
    func isDescription(_ file: String) -> Bool { formats[file] == .json || formats[file] == .yaml }

    /// The name of the place of entitlements, for an app with this file.
    func entitlementsPlace(for file: String) -> String {
        switch formats[file] {
        case .json: "`expo.ios.entitlements`"
        case .yaml: "`entitlements.properties` of the target"
        default: "the `.entitlements` file"
        }
    }

    /// An entitlement with a value, as it is written in a file.
    func fragment(of entitlement: Entitlement, in file: String) -> String {
        let shape = pack.entitlements[entitlement].flatMap { Shape($0.type) } ?? .boolean
        guard !isDescription(file) else {
            return "\"\(entitlement)\": \(shape.example(codes: ["jp"], isLink: false, isJSON: true))"
        }
        return "<key>\(entitlement)</key>\(shape.example(codes: ["jp"], isLink: false))"
    }

    /// Returns the keys of Info.plist that require an entitlement in any pack.
    func keys(pairingWith entitlement: Entitlement) -> [PlistKey] {
        PlistKey.all.filter { key in
            tables.packs.contains { $0.plistKeys[key]?.entitlements.contains(entitlement) == true }
        }
    }
}

extension PropertyListFile {
    /// Returns where an entitlement is missing: its own location if it is present without effect, otherwise the root.
    func locationOfMissing(_ entitlement: Entitlement) -> RelatedLocation {
        guard let member = member(entitlement.rawValue) else {
            guard format != .buildSettings else {
                return Location(rootOf: self).related(
                    "the target has no entitlements: no setting names a file that is there"
                )
            }
            return Location(rootOf: self).related("\(entitlement) is not in \(whole: path)")
        }
        return Location(of: member, in: self).related("\(entitlement) has no effect here")
    }
}
