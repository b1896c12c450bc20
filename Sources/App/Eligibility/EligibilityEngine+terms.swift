import ConfigurationLint
public import ExternalPurchaseCore

/// What is answered on a platform that a programme's terms do not name (SK-44).
public enum UnnamedPlatformPolicy: String, Hashable, Sendable, CaseIterable {
    /// The same as on those that they name, with a caveat.
    case allow
    /// That the system is not supported: condition C7 fails.
    case refuse
}

// What the terms of the storefront's programmes ask, beside what StoreKit decides.
extension EligibilityEngine {
    /// What the programmes of the storefront ask of the app's screens; nil without a programme.
    public var terms: ProgrammeTerms? { storefront.flatMap { ProgrammeTerms.inStorefront($0, pack: pack) } }

    /// Whether In-App Purchase stands beside external purchases (SK-87); nil where no programme says so.
    ///
    /// `forbidden` holds for an app that lists the storefront; another one sells there by In-App Purchase. In an app that lists
    /// no other region it holds in every storefront, because the app has none.
    public var inAppPurchase: ProgrammeTerms.InAppPurchase? {
        guard !excludesInAppPurchase else { return .forbidden }
        let rule = terms?.inAppPurchase
        return rule == .forbidden ? nil : rule
    }

    /// True for an app that lists the storefront of a programme without In-App Purchase, and for one that lists nothing else.
    package var excludesInAppPurchase: Bool {
        ProgrammeTerms.excludesInAppPurchase(listing: listedRegions, in: region, pack: pack)
    }

    /// The source of ``inAppPurchase``: where the app has no In-App Purchase, the programme that forbids it, and otherwise the
    /// storefront's terms; nil without either.
    package var inAppPurchaseSource: ProgrammeTerms.Source? {
        guard excludesInAppPurchase else { return terms?.inAppPurchaseSource }
        let forbidding = pack.programmes.first { programme in
            programme.terms?.inAppPurchase == .forbidden && !listedRegions.isDisjoint(with: programme.storefronts)
        }
        return forbidding?.terms?.inAppPurchaseSource
    }

    /// The regions of all keys and entitlements.
    var listedRegions: Set<String> {
        let links = configuration.singleLinks.keys.map { $0 } + configuration.multiLinks.keys.map { $0 }
        let lists =
            configuration.regions.values.flatMap(\.keys) + configuration.legacyRegions.values.flatMap(\.regions.keys)
        return Set(lists + links + configuration.allowedRegions.keys)
    }

    /// What an app does where an external purchase is not available.
    var fallBack: String { excludesInAppPurchase ? "Offer nothing" : "Offer In-App Purchase" }

    /// What the app does for a customer of an age (SK-88); `offered` where no rule was found.
    ///
    /// - Parameters:
    ///   - flow: where the customer buys.
    ///   - age: the band that the customer's age lies in.
    public func treatment(of flow: ProgrammeTerms.Flow, age: AgeBand) -> ProgrammeTerms.Treatment {
        guard let storefront, let terms else { return .offered }
        return terms.treatment(of: flow, age: age, storefront: storefront)
    }

    /// The platforms that the terms behind an answer name, if the device's is not among them.
    func platformsNamed(by question: EligibilityQuestion, _ route: RulePack.Route) -> [Platform]? {
        guard let named = programme(for: question, route: route)?.terms?.platforms, !named.contains(device.column)
        else {
            return nil
        }
        return named
    }
}

extension Evaluation {
    /// What is uncertain of a yes: the terms do not name the device's platform (SK-44); nil for nothing.
    public var caveat: String? {
        guard isEligible, let programme, let named = programme.terms?.platforms, !named.contains(device.column) else {
            return nil
        }
        return "The terms of \(programme.title) name \(named.map(\.title).joined(separator: ", ")) only; "
            + "\(device.column.title) may answer differently."
    }
}

extension String {
    var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
