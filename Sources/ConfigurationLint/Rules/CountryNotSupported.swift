import ExternalPurchaseCore

/// The rule pack does not list the region for this key or entitlement.
struct CountryNotSupported: Rule {
    static let id = "country-not-supported"
    static let severity = Severity.error

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        guard !subject.list.lists(subject.lowercased) else { return [] }
        let keys = PlistKey.all.filter { context.pack.plistKeys[$0]?.codes?.contains(subject.lowercased) == true }
        let entitlements = Entitlement.all.filter {
            context.pack.entitlements[$0]?.codes?.contains(subject.lowercased) == true
        }
        let names = keys.map(\.rawValue) + entitlements.map(\.rawValue)
        return finding(
            "\(subject.list.name) does not support \(subject.code)",
            at: subject.place,
            hint: "Lists that do: \(names.isEmpty ? "none" : names.joined(separator: ", "))."
        )
    }
}
