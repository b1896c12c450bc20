import ExternalPurchaseCore

extension ConfigurationLinter {
    /// The rules in the order of the catalogue: files and keys, countries, URLs, counts, pairing, entitlements, systems.
    public static let rules: [RuleDescription] = {
        let types = Dictionary(RuleList.types.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return RuleDocs.all.compactMap { entry in
            types[entry.id].map { type in
                RuleDescription(
                    id: type.id,
                    severity: type.severity,
                    isFixable: type.isFixable,
                    summary: entry.summary,
                    explanation: entry.explanation
                )
            }
        }
    }()

    /// Returns the description of a rule, or nil for an unknown id.
    public static func rule(_ id: String) -> RuleDescription? {
        rules.first { $0.id == id }
    }

    /// Returns the rule with the id nearest to a misspelled one, for a "did you mean" message; nil when none is near.
    public static func rule(nearestTo id: String) -> RuleDescription? {
        rules.map(\.id).nearest(to: id).flatMap { rule($0) }
    }
}
