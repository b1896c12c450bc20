import CommandSupport
import ExternalPurchaseCore
import Foundation
import ReportConformance

/// Prints what a run or a recorded dialogue shows.
enum ConformanceOutput {
    /// Compares a report with the cases.
    static func evaluation(
        _ report: ConformanceReport,
        suite: ConformanceSuite
    ) throws(CommandFailure) -> ConformanceEvaluation {
        do {
            return try ConformanceEvaluation(report, suite: suite)
        } catch {
            throw .input(error.message)
        }
    }

    /// Prints the report, and writes its page.
    static func print(
        _ evaluation: ConformanceEvaluation,
        suite: ConformanceSuite,
        format: OutputFormat,
        html: String?,
        quiet: Bool
    ) throws(CommandFailure) {
        if let html {
            try PrivateFile.write(Array(ConformancePage(evaluation).html.utf8), to: html, option: "--html")
            if !quiet { StandardStreams.error("written: \(html)") }
        }
        switch format {
        case .json: StandardStreams.output(evaluation.json(program: Program.version).formatted())
        case .text: StandardStreams.output(evaluation.text(.standardOutput))
        }
    }

    /// What ended a run early, and how it continues.
    static func failure(_ stop: ConformanceStop, reportFile: String?) -> CommandFailure {
        let next =
            reportFile.map { "; the same command with --report \($0.printable) continues" }
            ?? "; with --report FILE a run can be continued"
        return switch stop {
        case .rateLimited(let until):
            .otherSide("429: too many requests" + (until.map { "; allowed again from \($0)" } ?? "") + next)
        case .unauthorized:
            .otherSide("401: the key, its id, the issuer or the bundle id is not accepted" + next)
        case .otherSide(let reason): .otherSide(reason + next)
        case .notStored(let reason): .input(reason)
        case .unusable(let error): .input(error.message)
        }
    }
}

extension ConformanceEvaluation {
    /// The report for people.
    func text(_ style: TerminalStyle) -> String {
        let count = different.count
        var lines = [
            "\(verdicts.count) of \(verdicts.count + report.notAsked.count) cases asked of \(report.endpoint.printable)"
        ]
        if !report.isComplete { lines[0] += style.yellow(", not complete") }
        lines.append(
            count == 0
                ? style.green("every answer is as expected")
                : style.red("\(count) \(count == 1 ? "answer differs" : "answers differ")")
        )
        for verdict in different { lines += Self.lines(of: verdict, style) }
        lines += omissions(style)
        if !profile.settings.isEmpty {
            lines += ["", style.bold("settings with which the emulator answers so")]
            lines += profile.sorted.map { "  \($0.name)=\($0.value)".printable }
        }
        return lines.joined(separator: "\n")
    }

    private static func lines(of verdict: Verdict, _ style: TerminalStyle) -> [String] {
        let rules = verdict.item.rules.joined(separator: ", ")
        var lines = ["", style.bold(verdict.item.id) + " (\(rules)): \(verdict.item.title)"]
        lines += verdict.differences.map { difference in
            let setting = difference.setting.map { style.cyan("  [\("\($0.name)=\($0.value)".printable)]") } ?? ""
            let words =
                "\(difference.rule) \(difference.kind.rawValue): expected \(difference.expected), came \(difference.came)"
            return "  " + words.printable + setting
        }
        if !verdict.isExplained { lines.append(style.yellow("  no setting of the emulator makes it answer the same")) }
        if verdict.result.isAccepted, verdict.item.kind != .accepted {
            lines.append(style.red("  the report is now part of the token's history"))
        }
        if verdict.result.isRetrieved { lines.append(style.dim("  the answer was lost; a retrieval shows the report")) }
        return lines
    }

    /// The cases that were not asked, by reason.
    private func omissions(_ style: TerminalStyle) -> [String] {
        guard !report.notAsked.isEmpty else { return [] }
        return ["", style.bold("not asked")] + report.notAsked.linesByReason.map { "  " + $0.printable }
    }
}

extension [ConformancePlan.Omission] {
    /// A line for each reason.
    var linesByReason: [String] {
        var reasons: [String] = []
        var ids: [String: [String]] = [:]
        for entry in self {
            if ids[entry.reason] == nil { reasons.append(entry.reason) }
            ids[entry.reason, default: []].append(entry.id)
        }
        return reasons.map { reason in
            let names = ids[reason] ?? []
            let shown = names.prefix(4).joined(separator: ", ") + (names.count > 4 ? " …" : "")
            return "\(names.count): \(reason) (\(shown))"
        }
    }
}

extension ConformancePlan {
    /// The plan for people.
    func text(_ suite: ConformanceSuite, tokens: [ConformanceToken]) -> String {
        var lines = ["\(steps.count) of \(steps.count + notAsked.count) cases would be asked, in this order"]
        for step in steps {
            guard let item = suite[step.id] else { continue }
            let token = step.token.map { " token \($0 + 1) (\(tokens[$0].kind))" } ?? " no token"
            let isPermanent = item.kind == .accepted ? ", is accepted and stays" : ""
            lines.append("  \(item.id):\(token.printable)\(isPermanent)")
        }
        if !notAsked.isEmpty { lines += ["", "not asked"] + notAsked.linesByReason.map { "  " + $0 } }
        return lines.joined(separator: "\n")
    }

    /// The plan as JSON.
    func json(_ suite: ConformanceSuite, tokens: [ConformanceToken]) -> JSONValue {
        [
            "dataSet": .string(suite.version),
            "steps": .array(
                steps.map { step in
                    [
                        "id": .string(step.id),
                        "token": step.token.map { .integer(Int64($0 + 1)) } ?? .null,
                        "accepted": .bool(suite[step.id]?.kind == .accepted),
                    ]
                }
            ),
            "notAsked": .array(
                notAsked.map { entry in
                    [
                        "id": .string(entry.id), "reason": .string(entry.reason),
                    ]
                }
            ),
        ]
    }
}
