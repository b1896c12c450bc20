import ExternalPurchaseCore
import HTTPSupport
import ReportConformance

/// The report as one self-contained page without a script; `Web/conformance.html` is its template.
struct ConformancePage {
    private let evaluation: ConformanceEvaluation

    init(_ evaluation: ConformanceEvaluation) { self.evaluation = evaluation }

    private static let template = HTMLTemplate(WebFiles.conformanceHTML)

    /// The complete page.
    var html: String {
        let report = evaluation.report
        let different = evaluation.different
        let same = evaluation.verdicts.filter { $0.differences.isEmpty }
        return Self.template.filled(with: [
            "endpoint": .text(report.endpoint),
            "dataSet": .text(report.dataSet),
            "startedAt": .text(report.startedAt.description),
            "asked": .text("\(evaluation.verdicts.count)"),
            "same": .text("\(same.count)"),
            "different": .text("\(different.count)"),
            "notAsked": .text("\(report.notAsked.count)"),
            "isIncomplete": .condition(!report.isComplete),
            "isSame": .condition(different.isEmpty),
            "isDifferent": .condition(!different.isEmpty),
            "hasProfile": .condition(!evaluation.profile.settings.isEmpty),
            "settings": .list(
                evaluation.profile.sorted.map { ["name": .text($0.name), "value": .text($0.value)] }
            ),
            "differences": .list(different.map(Self.values)),
            "hasOmissions": .condition(!report.notAsked.isEmpty),
            "omissions": .list(report.notAsked.linesByReason.map { ["line": .text($0)] }),
            "groups": .list(groups(of: same)),
            "style": .markup(WebFiles.conformanceCSS),
        ]) + "\n"
    }

    private static func values(_ verdict: ConformanceEvaluation.Verdict) -> HTMLTemplate.Values {
        [
            "id": .text(verdict.item.id),
            "title": .text(verdict.item.title),
            "rules": .text(verdict.item.rules.joined(separator: ", ")),
            "expected": .text(verdict.expected.summary),
            "came": .text(verdict.result.came.summary),
            "isUnexplained": .condition(!verdict.isExplained),
            "isPermanent": .condition(verdict.result.isAccepted && verdict.item.kind != .accepted),
            "rows": .list(
                verdict.differences.map { difference in
                    [
                        "rule": .text(difference.rule),
                        "kind": .text(difference.kind.rawValue),
                        "expected": .text(difference.expected),
                        "came": .text(difference.came),
                        "setting": .text(difference.setting.map { "\($0.name)=\($0.value)" } ?? "none"),
                    ]
                }
            ),
        ]
    }

    private func groups(of verdicts: [ConformanceEvaluation.Verdict]) -> [HTMLTemplate.Values] {
        ConformanceSuite.published.groups.compactMap { group in
            let members = verdicts.filter { $0.item.group == group }
            guard !members.isEmpty else { return nil }
            return [
                "title": .text(group), "count": .text("\(members.count)"),
                "cases": .list(
                    members.map { verdict in
                        [
                            "id": .text(verdict.item.id), "title": .text(verdict.item.title),
                            "rules": .text(verdict.item.rules.joined(separator: ", ")),
                        ]
                    }
                ),
            ]
        }
    }
}
