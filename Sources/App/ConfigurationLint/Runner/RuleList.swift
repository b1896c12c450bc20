/// The rules in the order in which they are applied.
enum RuleList {
    /// Rules on each file.
    static let files: [any Rule<WholeFile>] = [PlistRootNotDictionary()]

    /// Rules on each key at the root.
    ///
    /// After the first violation the content of the key is not checked.
    static let rootKeys: [any Rule<RootKey>] = [
        KeyCase(), KeyInWrongFile(), KeyNotInPack(), EntitlementDropped(), KeyUnknown(),
    ]

    /// Rules on the root and on each dictionary in a known key.
    static let keyedMembers: [any Rule<KeyedMembers>] = [PlistDuplicateKey()]

    /// Rules on each value.
    ///
    /// They precede those on codes and links; the first violation ends all of them (CF-34, CF-72).
    static let values: [any Rule<TypedValue>] = [
        UnresolvedVariable(), KeyWrongType(), EntitlementWrongType(), ElementWrongType(), CollectionEmpty(),
        EntitlementFalse(),
    ]

    /// Rules on each code.
    ///
    /// The first violation ends them (CF-72).
    static let codes: [any Rule<ListedCode>] = [
        CountryWhitespace(), CountryNotLowercase(), CountryAlpha3(), CountryUnknown(), CountryNeedsEntitlement(),
        CountryWithdrawn(), CountryNotSupported(),
    ]

    /// Rules on each code that do not depend on the other rules.
    static let independentOfCodes: [any Rule<ListedCode>] = [AllowedRegionsContested()]

    /// Rules on all codes of a list.
    static let lists: [any Rule<ListedCodes>] = [CountryDuplicate()]

    /// Steps 2 to 9 for each link.
    ///
    /// The first violation ends them and the later rules (CF-34).
    static let linkSteps: [any Rule<Link>] = [
        LinkURLEmpty(), LinkURLWhitespace(), LinkURLNotASCII(), LinkURLTooLong(), LinkURLRelative(),
        LinkURLNotHTTPS(), LinkURLNoHost(), LinkURLInvalid(),
    ]

    /// Rules on each link that passed the steps, independent of each other (CF-34).
    static let linkParts: [any Rule<Link>] = [
        LinkURLHasQuery(), LinkURLEmptyQuery(), LinkURLFragment(), LinkURLUserinfo(), LinkURLPrivateHost(),
        LinkURLPlaceholderHost(),
    ]

    /// Rules on each link of `SKExternalLinkAccount`.
    static let accountLinks: [any Rule<Link>] = [LinkAccountURL()]

    /// Rules on the links of each country over both link keys.
    static let counts: [any Rule<CountryLinks>] = [
        MultiLinkDuplicate(), MultiLinkOverFive(), MultiLinkOverOne(), MultiLinkNeedsStreaming(),
        LinkUnionOverLimit(),
    ]

    /// Rules on all files of an app.
    static let apps: [any Rule<WholeApp>] = [
        BundleIdMissing(), LinkURLChanged(), EntitlementMissing(), StreamingEntitlementMissing(),
        EntitlementWithoutKey(), LinkSingleOnly(), MultiLinkWithoutFallback(), CustomLinkBesideLink(),
        LinkAccountNoDefault(), KoreaNeedsOwnApp(), OtherFileMissing(), EntitlementNotSigned(),
        EntitlementNotInSource(), EntitlementNotInProfile(),
        EntitlementValueDiffers(), MinimumOSUnknown(), MinimumOSBelowUse(), MinimumOSBelowTokens(),
        KeyUnavailableOnPlatform(), KeySetElsewhere(),
    ]

    /// All rules, including those that reading a file triggers.
    static var types: [any CataloguedRule.Type] {
        func types<Subject>(_ rules: [any Rule<Subject>]) -> [any CataloguedRule.Type] { rules.map { type(of: $0) } }
        let asked =
            types(files) + types(rootKeys) + types(keyedMembers) + types(values) + types(codes)
            + types(independentOfCodes) + types(lists) + types(linkSteps) + types(linkParts) + types(accountLinks)
            + types(counts) + types(apps)
        return [PlistUnreadable.self, ArtifactUnreadable.self] + asked
    }

    /// The ids of all rules.
    static var ids: [String] { types.map { $0.id } }
}

extension Array {
    /// Returns the findings of the first rule that has any.
    func firstHit<Subject>(_ subject: Subject, _ context: LintContext) -> [Finding]
    where Element == any Rule<Subject> {
        for rule in self {
            let findings = rule.findings(for: subject, in: context)
            if !findings.isEmpty { return findings }
        }
        return []
    }

    /// Returns the findings of all rules.
    func allHits<Subject>(_ subject: Subject, _ context: LintContext) -> [Finding]
    where Element == any Rule<Subject> {
        flatMap { $0.findings(for: subject, in: context) }
    }
}
