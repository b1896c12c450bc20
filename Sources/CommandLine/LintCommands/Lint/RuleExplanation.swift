import CommandSupport
import ConfigurationLint
import ExternalPurchaseCore

/// Implements `--explain`, and finds rules by id.
enum RuleExplanation {
    static func of(_ id: String, format: LintFormat) throws(CommandFailure) -> String {
        let rule = try rule(id, named: "--explain")
        switch format {
        case .text: return rule.explanation
        case .json:
            let value =
                JSONValue.object([
                    "id": .string(rule.id),
                    "severity": .string(rule.severity.rawValue),
                    "fixable": .bool(rule.isFixable),
                    "summary": .string(rule.summary),
                    "explanation": .string(rule.explanation),
                ])
            return String(decoding: value.encoded(), as: UTF8.self)
        case .sarif, .github, .junit:
            throw .input("--explain prints --format text or json")
        }
    }

    /// Returns the rule of that id.
    ///
    /// - Throws: an error for an unknown id, with the most similar one.
    static func rule(_ id: String, named source: String) throws(CommandFailure) -> RuleDescription {
        let rules = ConfigurationLinter.rules
        if let rule = rules.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) { return rule }
        let hint =
            rules.map(\.id).nearest(to: id).map { "did you mean '\($0)'?" }
            ?? "the ids stand in brackets after findings"
        throw .input("\(source) \(id.shown()) is not a rule; \(hint)")
    }
}
