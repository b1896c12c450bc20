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

    /// The description of a rule; nil for an unknown id.
    public static func rule(_ id: String) -> RuleDescription? {
        rules.first { $0.id == id }
    }

    /// The rule that somebody meant who wrote an unknown id; nil when none is near.
    public static func rule(nearestTo id: String) -> RuleDescription? {
        rules.map(\.id).nearest(to: id).flatMap { rule($0) }
    }
}
