import ExternalPurchaseCore

/// A key of Info.plist stands in an entitlements file, or an entitlement in Info.plist.
struct KeyInWrongFile: Rule {
    static let id = "key-in-wrong-file"
    static let severity = Severity.error

    func findings(for subject: RootKey, in context: LintContext) -> [Finding] {
        let isMisplaced =
            switch subject.kind {
            case .infoPlist: Entitlement.all.contains(Entitlement(rawValue: subject.name))
            case .entitlements: PlistKey.all.contains(PlistKey(rawValue: subject.name))
            }
        guard isMisplaced else { return [] }
        return finding(
            "\(subject.name) has no effect in \(subject.place.file)",
            at: subject.place,
            hint: subject.kind == .infoPlist ? "Move it to the `.entitlements` file." : "Move it to Info.plist."
        )
    }
}
