import ExternalPurchaseCore

/// The chosen rule pack does not have the key or entitlement yet; its content is not checked.
struct KeyNotInPack: Rule {
    static let id = "key-not-in-pack"
    static let severity = Severity.warning

    func findings(for subject: RootKey, in context: LintContext) -> [Finding] {
        guard !has(context.pack, subject.name), let since = context.tables.packs.first(where: { has($0, subject.name) })
        else { return [] }
        return finding(
            "\(subject.name) does not exist in rule pack \(context.pack.id)",
            at: subject.place,
            hint: "It came with pack \(since.id)."
        )
    }

    private func has(_ pack: RulePack, _ name: String) -> Bool {
        pack.plistKeys[PlistKey(rawValue: name)] != nil || pack.entitlements[Entitlement(rawValue: name)] != nil
    }
}
