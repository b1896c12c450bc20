import ExternalPurchaseCore

/// The results of a run, compared with the cases and explained by settings of the emulator.
package struct ConformanceEvaluation: Sendable {
    /// A case that was played.
    package struct Verdict: Sendable {
        /// The case.
        package let item: ConformanceCase
        /// What came.
        package let result: ConformanceReport.Result
        /// What was expected.
        package let expected: ConformanceAnswer
        /// How they differ; empty for equal ones.
        package let differences: [Difference]
        /// True when the settings of the profile make the emulator answer the same.
        package let isExplained: Bool
    }

    /// The report.
    package let report: ConformanceReport
    /// The cases in the order in which they were played.
    package let verdicts: [Verdict]
    /// The settings with which the emulator answers as the endpoint did, as far as it has any.
    package let profile: EmulatorProfile

    /// Compares and explains.
    ///
    /// - Throws: an error when the report has a case that the data set does not have.
    package init(_ report: ConformanceReport, suite: ConformanceSuite) throws(ConformanceDataError) {
        self.report = report
        var observations: [Observation] = []
        for result in report.results {
            guard let item = suite[result.id] else {
                throw ConformanceDataError(message: "version \(suite.version) of the cases has no \(result.id)")
            }
            observations.append(try Observation(item, came: result.came, values: report.values(of: result)))
        }
        let settings = Diagnosis(observations).settings
        let effects = SettingEffects(settings)
        profile = EmulatorProfile(settings: settings)
        verdicts = zip(observations, report.results).map { observation, result in
            let isExplained = effects.explain(observation)
            return Verdict(
                item: observation.item,
                result: result,
                expected: observation.expected,
                differences: observation.comparison.differences.map { difference in
                    var difference = difference
                    let name = Self.setting(of: difference, observation, settings)
                    difference.setting = name.flatMap { name in
                        settings[name].map { NamedSetting(name: name, value: $0) }
                    }
                    return difference
                },
                isExplained: isExplained
            )
        }
    }

    /// The cases that differ; those that no setting explains come first.
    package var different: [Verdict] {
        let different = verdicts.filter { !$0.differences.isEmpty }
        return different.filter { !$0.isExplained } + different.filter(\.isExplained)
    }

    /// The setting that changes what a difference is about; nil when the profile has none.
    private static func setting(
        of difference: Difference,
        _ observation: Observation,
        _ settings: [String: String]
    ) -> String? {
        let code = difference.code?.rawValue ?? 0
        let measure = observation.item.measure.map(\.setting)
        let alternative = observation.alternatives.map(\.setting).first { settings[$0.name] == $0.value }?.name
        let off = settings["rules.off"]?.split(separator: ",").contains { $0 == "\(code)" } ?? false
        let codes = settings["answers.codes"]?.split(separator: ",").contains { $0.hasPrefix("\(code)=") } ?? false
        let status = observation.answerClass?.statusSetting
        let body = observation.answerClass?.bodySetting
        let candidates: [String?] =
            switch difference.kind {
            case .status: [status, measure, alternative]
            case .code: [codes ? "answers.codes" : nil]
            case .message: ["messages.\(code)"]
            case .field: ["answers.fieldName"]
            case .item: ["answers.lineItemId"]
            case .missing:
                [
                    alternative, off ? "rules.off" : nil,
                    observation.item.measure?.code?.rawValue == code ? measure : nil, "answers.errors", measure,
                ]
            case .unexpected: [alternative, measure]
            case .order: ["answers.order"]
            case .body: [alternative, body, measure, "answers.errors"]
            case .accepted: [alternative, "rules.off", measure, status]
            }
        return candidates.compactMap(\.self).first { settings[$0] != nil }
    }
}
