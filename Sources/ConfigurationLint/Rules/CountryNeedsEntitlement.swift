import ExternalPurchaseCore

/// A key of Info.plist lists a region that only the entitlement with allowed regions can enable.
struct CountryNeedsEntitlement: Rule {
    static let id = "country-needs-entitlement"
    static let severity = Severity.error

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        guard case .plistKey(let key) = subject.list.source, key != .linkAccount,
            context.pack.entitlements[.allowedRegions]?.codes?.contains(subject.lowercased) == true,
            !context.pack.plistKeys.values.contains(where: { $0.codes?.contains(subject.lowercased) == true })
        else { return [] }
        return finding(
            "\(key) cannot enable \(subject.code)",
            at: subject.place,
            hint: "Add \"\(subject.lowercased)\" to `\(Entitlement.allowedRegions)`."
        )
    }
}
