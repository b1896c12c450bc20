import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore

extension Explanation {
    /// The object that `explain --format json` prints; its format is stable.
    var json: JSONValue {
        var members: JSONObject = [
            "storefront": .string(engine.storefront ?? ""),
            "os": .string(os),
            "mode": .string(engine.device.mode.rawValue),
            "rulePack": .string(engine.pack.id),
            "apis": .array(evaluations.map(api)),
            "inAppPurchase": engine.inAppPurchase.map { .string($0.rawValue) } ?? .null,
        ]
        members["minors"] = engine.terms.map { minors(of: $0) } ?? .null
        if let age {
            let isKnown = engine.terms?.minors.isEmpty == false
            let flows = ProgrammeTerms.Flow.allCases.map { flow in
                JSONObject.Member(
                    flow.rawValue,
                    isKnown ? .string(engine.treatment(of: flow, age: age).rawValue) : .null
                )
            }
            members["customer"] = .object(JSONObject(flows))
        }
        members["advice"] = .string(engine.advice(forAge: age).first?.name ?? Advice.useInAppPurchase.name)
        if let availability { members["availability"] = availability.json }
        return .object(members)
    }

    /// The rules on minors, empty where nothing was found, with their source.
    private func minors(of terms: ProgrammeTerms) -> JSONValue {
        let (storefront, source) = (engine.storefront ?? "", terms.minorsSource)
        return [
            "rules": .array(
                terms.minors.map { rule in
                    [
                        "below": .integer(Int64(rule.age(in: storefront))),
                        "withinApp": .string(rule.withinApp.rawValue),
                        "outOfApp": .string(rule.outOfApp.rawValue),
                    ]
                }
            ),
            "confidence": .string(source.confidence.level.rawValue),
            "asOf": source.confidence.asOf.map { .string($0) } ?? .null,
            "source": source.page.map { .string($0) } ?? .null,
            "note": source.confidence.note.map { .string($0) } ?? .null,
            "words": .string(terms.minorsInWords(storefront: engine.storefront, age: age)),
        ]
    }

    private func api(_ evaluation: Evaluation) -> JSONValue {
        [
            "name": .string(evaluation.question.rawValue),
            "answer": engine.answer(of: evaluation),
            "failed": evaluation.failed.map { .string($0.description) } ?? .null,
            "error": evaluation.error.map { .string($0.rawValue) } ?? .null,
            "programme": evaluation.programme.map { .string($0.id) } ?? .null,
            "tokenTypes": .array(evaluation.tokenTypes.map { .string($0?.rawValue ?? "plain") }),
            "conditions": .array(evaluation.conditions.map { self.condition($0, in: evaluation) }),
            "next": .string(evaluation.next.description),
            "caveat": evaluation.caveat.map { .string($0) } ?? .null,
        ]
    }

    private func condition(_ condition: Condition, in evaluation: Evaluation) -> JSONValue {
        let place = place(of: condition, in: evaluation)
        var members: JSONObject = [
            "id": .string(condition.id.description),
            "holds": condition.holds.map { .bool($0) } ?? .null,
            "detail": .string(condition.detail),
            "file": place.map { .string($0.file) } ?? .null,
            "line": place?.position.map { .integer(Int64($0.line)) } ?? .null,
            "fix": condition.fix.map { .string($0) } ?? .null,
        ]
        if let route = condition.route { members["route"] = .string(route) }
        return .object(members)
    }
}
