import AppConfiguration
import ConfigurationLint
import Eligibility
import ExternalPurchaseCore

extension Explanation {
    /// The object that `explain --format json` prints; its format is stable.
    var json: JSONValue {
        var members: [JSONObject.Member] = [
            .init("storefront", .string(engine.storefront ?? "")),
            .init("os", .string(os)),
            .init("mode", .string(engine.device.mode.rawValue)),
            .init("rulePack", .string(engine.pack.id)),
            .init("apis", .array(evaluations.map(api))),
            .init("advice", .string(engine.advice.first?.name ?? Advice.useInAppPurchase.name)),
        ]
        if let availability { members.append(.init("availability", availability.json)) }
        return .object(JSONObject(members))
    }

    private func api(_ evaluation: Evaluation) -> JSONValue {
        .object(
            JSONObject([
                .init("name", .string(evaluation.question.rawValue)),
                .init("answer", engine.answer(of: evaluation)),
                .init("failed", evaluation.failed.map { .string($0.description) } ?? .null),
                .init("error", evaluation.error.map { .string($0.rawValue) } ?? .null),
                .init("programme", evaluation.programme.map { .string($0.id) } ?? .null),
                .init("tokenTypes", .array(evaluation.tokenTypes.map { .string($0?.rawValue ?? "plain") })),
                .init("conditions", .array(evaluation.conditions.map { self.condition($0, in: evaluation) })),
                .init("next", .string(evaluation.next.description)),
            ])
        )
    }

    private func condition(_ condition: Condition, in evaluation: Evaluation) -> JSONValue {
        let place = place(of: condition, in: evaluation)
        var members: [JSONObject.Member] = [
            .init("id", .string(condition.id.description)),
            .init("holds", condition.holds.map { .bool($0) } ?? .null),
            .init("detail", .string(condition.detail)),
            .init("file", place.map { .string($0.file) } ?? .null),
            .init("line", place?.position.map { .integer(Int64($0.line)) } ?? .null),
            .init("fix", condition.fix.map { .string($0) } ?? .null),
        ]
        if let route = condition.route { members.append(.init("route", .string(route))) }
        return .object(JSONObject(members))
    }
}
