import ExternalPurchaseCore

/// A link key lists a region that was supported once; the entry has no effect any more (CF-60, CF-61).
struct CountryWithdrawn: Rule {
    static let id = "country-withdrawn"
    static let severity = Severity.warning

    func findings(for subject: ListedCode, in context: LintContext) -> [Finding] {
        guard case .plistKey(let key) = subject.list.source, subject.list.withdrawn.contains(subject.lowercased) else {
            return []
        }
        let since = context.tables.packs.first { pack in
            pack.plistKeys[key]?.withdrawn.contains(subject.lowercased) == true
        }
        return finding(
            "\(subject.code) left \(key) with pack \((since ?? context.pack).id); the entry has no effect",
            at: subject.place,
            hint: "Remove it; the US storefront needs no entitlement and issues no token."
        )
    }
}
