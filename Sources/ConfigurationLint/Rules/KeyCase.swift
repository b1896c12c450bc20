import ExternalPurchaseCore

/// A key equals a known key or entitlement except for upper and lower case, and is therefore not read.
struct KeyCase: Rule {
    static let id = "key-case"
    static let severity = Severity.error

    func findings(for subject: RootKey, in context: LintContext) -> [Finding] {
        let known = PlistKey.all.map(\.rawValue) + Entitlement.all.map(\.rawValue)
        let found = subject.name.lowercased()
        guard !known.contains(subject.name), let expected = known.first(where: { $0.lowercased() == found }) else {
            return []
        }
        return finding(
            "\(subject.name) is not read; the key is spelled \(expected)",
            at: subject.place,
            hint: "Rename.",
            edits: [subject.place.edit(.text, expected)]
        )
    }
}
