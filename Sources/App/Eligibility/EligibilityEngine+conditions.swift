import ConfigurationLint
import ExternalPurchaseCore

// One function per condition, in the order of SK-20.
extension EligibilityEngine {
    /// C1.
    func memberExists(_ question: EligibilityQuestion, _ asked: String?) -> Condition {
        // The table distinguishes overloads by a suffix, `token(for:)-TokenType`.
        let name = asked.map { String($0.prefix { $0 != "-" }) } ?? question.rawValue
        guard let member = RegionTables.builtIn.members[asked ?? question.tableName] else {
            return Condition(id: .memberExists, holds: false, detail: "\(name) is not in the tables")
        }
        guard member.sincePack <= pack.id else {
            return Condition(
                id: .memberExists,
                holds: false,
                detail: "\(name) came with rule pack \(member.sincePack), the session has \(pack.id)",
                fix: "Choose rule pack \(member.sincePack) or newer."
            )
        }
        let platform = device.column.title
        guard let first = member.availability[device.column] else {
            return Condition(id: .memberExists, holds: false, detail: "\(name) does not exist on \(platform)")
        }
        let holds = device.osVersion >= first
        if holds, let sdk = sdkWithoutResult(question), sdk < first {
            return Condition(
                id: .memberExists,
                holds: false,
                detail: "\(name) needs an app built with SDK \(first), this one was built with \(sdk)",
                fix: "Build with a newer SDK; until then \(fallBack.lowercasedFirst)."
            )
        }
        return Condition(
            id: .memberExists,
            holds: holds,
            detail: holds
                ? "\(name) exists from \(platform) \(first)"
                : "\(name) needs \(platform) \(first), the device has \(device.osVersion)",
            fix: holds
                ? nil : "Guard the call with #available and \(fallBack.lowercasedFirst) below \(platform) \(first)."
        )
    }

    /// Returns the SDK of a native app if it may lack the notice result with a token (SK-43), and otherwise nil.
    ///
    /// Such an app has neither `canPresent` nor a result that StoreKit's current interface can express, so the property
    /// is false and its method fails (SK-23). In the other modes C2 checks the SDK (SK-40). `open()` does not need a
    /// result.
    private func sdkWithoutResult(_ question: EligibilityQuestion) -> OSVersion? {
        question == .canPresent && !device.runsOnForeignSystem ? device.linkedSDK : nil
    }

    /// C2 (SK-40, SK-41).
    ///
    /// Custom links are not restricted by mode (SK-45).
    func modeAllowed(_ question: EligibilityQuestion) -> Condition {
        guard device.runsOnForeignSystem, question.group != .customLink, let first = Self.firstTokens(device.column)
        else { return Condition(id: .modeAllowed, holds: true, detail: "mode \(device.mode.rawValue) is allowed") }
        if let sdk = device.linkedSDK, sdk < first {
            return Condition(
                id: .modeAllowed,
                holds: false,
                detail: "mode \(device.mode.rawValue) needs an app built with SDK \(first), this one has \(sdk)",
                fix: "Build with a newer SDK."
            )
        }
        guard device.osVersion >= first else {
            return Condition(
                id: .modeAllowed,
                holds: false,
                detail: "before \(first) \(question.family) works in native iOS and iPadOS apps only",
                fix: "\(fallBack) there."
            )
        }
        return Condition(id: .modeAllowed, holds: true, detail: "mode \(device.mode.rawValue) is allowed")
    }

    /// The first system and SDK version with tokens: iOS 17.4 and its equivalents.
    static func firstTokens(_ platform: Platform) -> OSVersion? {
        RegionTables.builtIn.members["ExternalPurchase.canPresent"]?.availability[platform]
    }

    /// C3 to C7 of one route.
    func routeConditions(_ route: RulePack.Route, for question: EligibilityQuestion) -> [Condition] {
        [
            entitled(route), storefrontKnown(), storefrontListed(route), storefrontConfigured(route),
            systemGate(route, for: question),
        ]
    }

    /// C3 to C7 when the rule pack has no route.
    func noRoute(for question: EligibilityQuestion) -> [Condition] {
        let detail = "rule pack \(pack.id) has no route for \(question.rawValue)"
        return [.entitlement, .storefrontKnown, .storefrontListed, .storefrontConfigured, .systemGate].map {
            Condition(id: $0, holds: $0 == .entitlement ? false : nil, detail: detail)
        }
    }

    private func entitled(_ route: RulePack.Route) -> Condition {
        let name = route.entitlement.rawValue
        if let evidence = configuration.entitlements[route.entitlement] {
            return Condition(id: .entitlement, holds: true, detail: "\(name) is set", evidence: evidence)
        }
        if let legacy = legacyRegions(of: route) {
            return Condition(
                id: .entitlement,
                holds: true,
                detail: "\(legacy.name) stands for \(name) in the regions it lists (rule pack \(pack.id))",
                evidence: legacy.evidence
            )
        }
        let finding = configuration.removed.first { finding in
            finding.key == name
                || RegionTables.builtIn.legacyEntitlements.contains {
                    $0.value == route.entitlement && $0.key.rawValue == finding.key
                }
        }
        return Condition(
            id: .entitlement,
            holds: false,
            detail: finding.map { "\(name) does not count: \($0.message)" } ?? "\(name) is not among the entitlements",
            evidence: finding.map { .init(file: $0.file, position: $0.position) },
            fix: finding?.hint ?? "Add it to the .entitlements file after Apple granted it."
        )
    }

    private func storefrontKnown() -> Condition {
        let detail =
            if let storefrontCode {
                "storefront \(storefrontCode)"
            } else if let storefront {
                "storefront \"\(storefront)\" is not an alpha-3 code"
            } else {
                "there is no storefront"
            }
        let suggestion = storefront.flatMap { StorefrontCode.suggestion(for: $0) }
        let holds = storefrontCode != nil
        return Condition(
            id: .storefrontKnown,
            holds: holds,
            detail: detail,
            fix: holds ? nil : suggestion.map { "Did you mean \"\($0)\"?" } ?? "Set an alpha-3 code such as \"NLD\"."
        )
    }

    /// A condition that cannot be evaluated while the storefront is unknown.
    private func notReached(_ id: ConditionID) -> Condition {
        Condition(id: id, holds: nil, detail: "not evaluated without a storefront")
    }

    private func storefrontListed(_ route: RulePack.Route) -> Condition {
        guard let storefrontCode else { return notReached(.storefrontListed) }
        for list in route.lists {
            let codes: [String]?? =
                switch list {
                case .plistKey(let key): pack.plistKeys[key].map(\.codes)
                case .entitlement(let entitlement): pack.entitlements[entitlement].map(\.codes)
                }
            // A list without codes in the pack accepts every country; a list that the pack lacks accepts none.
            let isListed = codes.map { $0.map { codes in region.map(codes.contains) ?? false } ?? true } ?? false
            guard isListed else {
                return Condition(
                    id: .storefrontListed,
                    holds: false,
                    detail: "rule pack \(pack.id) has no \(storefrontCode) for \(list)",
                    fix:
                        "External purchases of this kind are not offered in this storefront; \(fallBack.lowercasedFirst)."
                )
            }
        }
        return Condition(
            id: .storefrontListed,
            holds: true,
            detail:
                "rule pack \(pack.id) has \(storefrontCode) for \(route.lists.map(\.description).joined(separator: " and "))"
        )
    }

    private func storefrontConfigured(_ route: RulePack.Route) -> Condition {
        guard storefrontCode != nil else { return notReached(.storefrontConfigured) }
        guard let region else {
            return Condition(id: .storefrontConfigured, holds: false, detail: "no entry can name this storefront")
        }
        if let legacy = legacyRegions(of: route), legacy.standsAlone, let place = legacy.regions[region] {
            let detail = "\(legacy.name) has an entry for \(region), so no key needs one"
            return Condition(id: .storefrontConfigured, holds: true, detail: detail, evidence: place)
        }
        if let missing = missingLegacyRegion(of: region, route) { return missing }
        var evidence: UsableConfiguration.Evidence?
        for list in route.lists {
            guard let found = entry(of: region, in: list) else {
                let detail = "\(list) has no usable entry for \(region)"
                let finding = configuration.removed.first { finding in
                    finding.severity == .error && finding.concerns(region, in: list.description)
                }
                if finding == nil, let (excess, link) = excessLink(of: region, in: list) {
                    return Condition(
                        id: .storefrontConfigured,
                        holds: false,
                        detail: "\(detail): \(excess.reason) (\(excess.rule))",
                        evidence: link.evidence,
                        fix: excess.hint
                    )
                }
                return Condition(
                    id: .storefrontConfigured,
                    holds: false,
                    detail: finding.map { "\(detail): \($0.message) (\($0.rule))" } ?? detail,
                    evidence: finding.map { .init(file: $0.file, position: $0.position) },
                    fix: finding?.hint ?? fix(adding: region, to: list.description)
                )
            }
            evidence = found
        }
        let lists = route.lists.map(\.description).joined(separator: " and ")
        var detail = "\(lists) has an entry for \(region)"
        if let since = firstWithMultiLink, !readsMultiLink, route.lists.contains(.plistKey(.link)),
            configuration.excessLinks[region]?.single != nil
        {
            detail += "; before \(device.column.title) \(since) \(PlistKey.multiLink) is not read"
        }
        let excess = route.lists.contains(.plistKey(.multiLink)) ? configuration.excessLinks[region] : nil
        guard let excess, !excess.multi.isEmpty else {
            return Condition(id: .storefrontConfigured, holds: true, detail: detail, evidence: evidence)
        }
        let count = excess.multi.count
        return Condition(
            id: .storefrontConfigured,
            holds: true,
            detail: detail + "; \(count) more \(count == 1 ? "link does" : "links do") not count: "
                + "\(excess.reason) (\(excess.rule))",
            evidence: evidence,
            fix: excess.hint
        )
    }

    /// The list of autumn 2025 that replaces the entitlement of a route (CF-24); nil when there is none for its key.
    func legacyRegions(of route: RulePack.Route) -> UsableConfiguration.LegacyRegions? {
        guard let legacy = configuration.legacyRegions[route.entitlement],
            case .plistKey(let key) = route.storefrontsFrom,
            pack.legacyList(standingFor: route.entitlement, serves: key)
        else { return nil }
        return legacy
    }

    /// C6 when a region list of autumn 2025 replaces the entitlement and does not contain the region (CF-24).
    private func missingLegacyRegion(of region: String, _ route: RulePack.Route) -> Condition? {
        guard configuration.entitlements[route.entitlement] == nil,
            let legacy = legacyRegions(of: route), legacy.regions[region] == nil
        else { return nil }
        let finding = configuration.removed.first { $0.concerns(region, in: legacy.name.rawValue) }
        let detail = "\(legacy.name) has no usable entry for \(region)"
        return Condition(
            id: .storefrontConfigured,
            holds: false,
            detail: finding.map { "\(detail): \($0.message) (\($0.rule))" } ?? detail,
            evidence: finding.map { .init(file: $0.file, position: $0.position) } ?? legacy.evidence,
            fix: finding?.hint ?? fix(adding: region, to: legacy.name.rawValue)
        )
    }

    /// The remedy for a region that is not listed; for one that the app may not list beside the others, an app of its own.
    private func fix(adding region: String, to list: String) -> String {
        let listed = listedRegions.sorted()
        // Of regions that stand beside each other already, the linter says so.
        let refusal = OwnAppRegion.refusal(of: listed) == nil ? OwnAppRegion.refusal(of: [region] + listed) : nil
        return refusal?.hint ?? "Add \(region) to \(list)."
    }

    /// A link of the region in a link key that exceeds the limit, with the reason (CF-43, CF-52).
    private func excessLink(
        of region: String,
        in list: RulePack.StorefrontList
    ) -> (UsableConfiguration.ExcessLinks, UsableConfiguration.Link)? {
        guard let excess = configuration.excessLinks[region] else { return nil }
        let link: UsableConfiguration.Link? =
            switch list {
            case .plistKey(.link): excess.single
            case .plistKey(.multiLink): excess.multi.first
            default: nil
            }
        return link.map { (excess, $0) }
    }

    private func entry(of region: String, in list: RulePack.StorefrontList) -> UsableConfiguration.Evidence? {
        switch list {
        case .plistKey(.link), .plistKey(.multiLink):
            links(in: list).first?.evidence
        case .plistKey(let key):
            configuration.regions[key]?[region]
        case .entitlement:
            configuration.allowedRegions[region]
        }
    }

    /// The links of the storefront in a link key, without those that cannot be parsed as URLs.
    func links(in list: RulePack.StorefrontList) -> [UsableConfiguration.Link] {
        guard let region else { return [] }
        let links: [UsableConfiguration.Link] =
            switch list {
            case .plistKey(.link): singleLink(of: region).map { [$0] } ?? []
            case .plistKey(.multiLink): configuration.multiLinks[region] ?? []
            default: []
            }
        return links.filter { URL(exactly: $0.url) != nil }
    }

    /// The link of `SKExternalPurchaseLink`.
    ///
    /// A system that does not read the multi key has nothing to count it against (CF-52).
    private func singleLink(of region: String) -> UsableConfiguration.Link? {
        configuration.singleLinks[region] ?? (readsMultiLink ? nil : configuration.excessLinks[region]?.single)
    }

    /// The first system version that reads `SKExternalPurchaseMultiLink`; nil if the platform never does.
    private var firstWithMultiLink: OSVersion? {
        RegionTables.builtIn.plistKeyAvailability[.multiLink]?[device.column]
    }

    /// Whether the system reads `SKExternalPurchaseMultiLink`.
    var readsMultiLink: Bool { firstWithMultiLink.map { device.osVersion >= $0 } ?? false }

    private func systemGate(_ route: RulePack.Route, for question: EligibilityQuestion) -> Condition {
        guard let storefrontCode else { return notReached(.systemGate) }
        guard let gate = gate(of: route) else {
            return Condition(id: .systemGate, holds: true, detail: "no gate beyond that of the member")
        }
        let platform = device.column
        if let platforms = gate.platforms, !platforms.contains(platform) {
            return Condition(
                id: .systemGate,
                holds: false,
                detail: "\(route.name) exists on \(platforms.map(\.title).joined(separator: ", ")) only",
                fix: "\(fallBack) on \(platform.title)."
            )
        }
        if unnamedPlatforms == .refuse, let named = platformsNamed(by: question, route) {
            return Condition(
                id: .systemGate,
                holds: false,
                detail: "the terms of \(storefrontCode) name \(named.map(\.title).joined(separator: ", ")) only",
                fix: "\(fallBack) on \(platform.title)."
            )
        }
        let isToken = question == .token
        let first = isToken ? gate.tokenMinimumOS : gate.minimumOS
        let holds = device.osVersion >= first
        let what = "\(isToken ? "tokens" : route.name) in \(storefrontCode)"
        return Condition(
            id: .systemGate,
            holds: holds,
            detail: holds
                ? "\(what): from \(first)" : "\(what): from \(first), the device has \(device.osVersion)",
            fix: holds
                ? nil
                : isToken && device.osVersion >= gate.minimumOS
                    ? "Sales on this system are reported by hand." : "\(fallBack) below \(first)."
        )
    }

    /// C8 (SK-6).
    func paymentsAllowed() -> Condition {
        Condition(
            id: .canMakePayments,
            holds: canMakePayments,
            detail: canMakePayments ? "the device may pay" : "payments are restricted on this device",
            fix: canMakePayments ? nil : "Offer neither external purchases nor In-App Purchase."
        )
    }

    /// C9.
    func personAllowed() -> Condition {
        Condition(
            id: .personEligible,
            holds: isPersonEligible,
            detail: isPersonEligible ? "the person is eligible" : "the person is not eligible for external purchases",
            fix: isPersonEligible ? nil : "\(fallBack)."
        )
    }
}

extension RulePack.Route {
    /// The lists that must contain the storefront.
    var lists: [RulePack.StorefrontList] {
        [storefrontsFrom] + (alsoListedIn.map { [.plistKey($0)] } ?? [])
    }
}

extension Finding {
    /// True when the finding removed the entry of the region or the whole list.
    func concerns(_ region: String, in list: String) -> Bool {
        guard key == list else { return false }
        guard let country = country?.lowercased() else { return true }
        return country == region || StorefrontCode.suggestion(for: country)?.region == region
    }
}
