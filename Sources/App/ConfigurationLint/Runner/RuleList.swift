/// The rules in the order in which they are asked.
enum RuleList {
    /// Asked of each file that was read.
    static let files: [any Rule<WholeFile>] = [PlistRootNotDictionary()]

    /// Asked of each key at the root; the first hit ends them and leaves the content unchecked.
    static let rootKeys: [any Rule<RootKey>] = [
        KeyCase(), KeyInWrongFile(), KeyNotInPack(), EntitlementDropped(), KeyUnknown(),
    ]

    /// Asked of the root and of each dictionary inside a known key.
    static let keyedMembers: [any Rule<KeyedMembers>] = [PlistDuplicateKey()]

    /// Asked of each value, before those of codes and links; the first hit ends all of them (CF-34, CF-72).
    static let values: [any Rule<TypedValue>] = [
        UnresolvedVariable(), KeyWrongType(), EntitlementWrongType(), ElementWrongType(), CollectionEmpty(),
        EntitlementFalse(),
    ]

    /// Asked of each code; the first hit ends them (CF-72).
    static let codes: [any Rule<ListedCode>] = [
        CountryWhitespace(), CountryNotLowercase(), CountryAlpha3(), CountryUnknown(), CountryNeedsEntitlement(),
        CountryWithdrawn(), CountryNotSupported(),
    ]

    /// Asked of each code whatever the others say.
    static let independentOfCodes: [any Rule<ListedCode>] = [AllowedRegionsContested()]

    /// Asked of the codes of one list together.
    static let lists: [any Rule<ListedCodes>] = [CountryDuplicate()]

    /// Steps 2 to 9 of each link; the first hit ends them and those that follow (CF-34).
    static let linkSteps: [any Rule<Link>] = [
        LinkURLEmpty(), LinkURLWhitespace(), LinkURLNotASCII(), LinkURLTooLong(), LinkURLRelative(),
        LinkURLNotHTTPS(), LinkURLNoHost(), LinkURLInvalid(),
    ]

    /// Asked of each link that passed the steps, independently of each other (CF-34).
    static let linkParts: [any Rule<Link>] = [
        LinkURLHasQuery(), LinkURLEmptyQuery(), LinkURLFragment(), LinkURLUserinfo(), LinkURLPrivateHost(),
        LinkURLPlaceholderHost(),
    ]

    /// Asked of each link of `SKExternalLinkAccount`.
    static let accountLinks: [any Rule<Link>] = [LinkAccountURL()]

    /// Asked of the links of each country over both link keys.
    static let counts: [any Rule<CountryLinks>] = [
        MultiLinkDuplicate(), MultiLinkOverFive(), MultiLinkOverOne(), MultiLinkNeedsStreaming(),
        LinkUnionOverLimit(),
    ]

    /// Asked of the files of an app together.
    static let apps: [any Rule<WholeApp>] = [
        BundleIdMissing(), LinkURLChanged(), EntitlementMissing(), StreamingEntitlementMissing(),
        EntitlementWithoutKey(), LinkSingleOnly(), MultiLinkWithoutFallback(), CustomLinkBesideLink(),
        LinkAccountNoDefault(), EntitlementNotSigned(), EntitlementNotInSource(), EntitlementNotInProfile(),
        EntitlementValueDiffers(), MinimumOSUnknown(), MinimumOSBelowUse(), MinimumOSBelowTokens(),
        KeyUnavailableOnPlatform(), KeySetElsewhere(),
    ]

    /// All rules, with those that are hit before there is a file to ask.
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
    /// The findings of the first rule that has any.
    func firstHit<Subject>(_ subject: Subject, _ context: LintContext) -> [Finding]
    where Element == any Rule<Subject> {
        for rule in self {
            let findings = rule.findings(for: subject, in: context)
            if !findings.isEmpty { return findings }
        }
        return []
    }

    /// The findings of all rules.
    func allHits<Subject>(_ subject: Subject, _ context: LintContext) -> [Finding]
    where Element == any Rule<Subject> {
        flatMap { $0.findings(for: subject, in: context) }
    }
}
