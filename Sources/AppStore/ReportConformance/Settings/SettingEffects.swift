import ExternalPurchaseCore

/// What settings of the emulator change in an answer.
///
/// A diagnosis is checked with it: a setting explains a case only if the expected answer, changed by all settings of
/// the profile, is the answer that came.
struct SettingEffects {
    let settings: [String: String]
    private let off: Set<Int>
    private let codes: [Int: Int]

    init(_ settings: [String: String]) {
        self.settings = settings
        off = Set(Self.numbers(settings["rules.off"]))
        codes = Dictionary(
            (settings["answers.codes"] ?? "").split(separator: ",").compactMap { pair in
                let numbers = pair.split(separator: "=").compactMap { Int($0) }
                return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
            }
        ) { $1 }
    }

    private static func numbers(_ text: String?) -> [Int] { (text ?? "").split(separator: ",").compactMap { Int($0) } }

    /// True when the settings turn the expected answer into the one that came.
    func explain(_ observation: Observation) -> Bool {
        if let isBeyond = wholeCaseIsBeyond(observation) {
            let point = observation.points[0]
            if isBeyond != point.isExpectedBeyond { return point.isBeyond == isBeyond }
        }
        return applied(to: observation).isSame(as: observation.came)
    }

    /// The side of the limit on which the settings put a case; nil for a case without one.
    private func wholeCaseIsBeyond(_ observation: Observation) -> Bool? {
        guard let measure = observation.item.measure, let point = observation.points.first, point.item == nil,
            let limit = settings[measure.setting].flatMap({ LimitValue($0) })
        else { return nil }
        return point.value > limit
    }

    /// The expected answer under the settings.
    private func applied(to observation: Observation) -> ConformanceAnswer {
        var answer = observation.expected
        if let other = observation.alternatives.first(where: { settings[$0.setting.name] == $0.setting.value }) {
            answer = other.answer
        }
        if case .errors(var errors) = answer.content {
            move(&errors, observation)
            errors.removeAll { off.contains($0.errorCode.rawValue) }
            if errors.isEmpty, case .json = observation.came.content {
                // Whatever an accepted report is answered with.
                return observation.came.status == 200 ? observation.came : answer
            }
            answer.content = .errors(shaped(errors))
        } else if case .error(let error) = answer.content, let shaped = shaped([error]).first {
            answer.content = .error(shaped)
        }
        guard let answerClass = observation.answerClass else { return answer }
        if let status = settings[answerClass.statusSetting].flatMap({ Int($0) }) { answer.status = status }
        if let name = answerClass.bodySetting, let text = settings[name] {
            answer = ConformanceAnswer(status: answer.status, body: Array(text.utf8))
        }
        return answer
    }

    /// Adds and removes the errors of line items that another limit puts on its other side.
    private func move(_ errors: inout [ReportError], _ observation: Observation) {
        guard let measure = observation.item.measure, let code = measure.code,
            let limit = settings[measure.setting].flatMap({ LimitValue($0) })
        else { return }
        let isMeasured = { (error: ReportError) in
            error.errorCode == code && observation.points.contains { $0.item == error.lineItemId }
        }
        guard let position = errors.firstIndex(where: isMeasured) else { return }
        var model = errors[position]
        errors.removeAll(where: isMeasured)
        let beyond = observation.points.filter { $0.value > limit }.map { point in
            model.lineItemId = point.item
            return model
        }
        errors.insert(contentsOf: beyond, at: min(position, errors.count))
    }

    /// The errors with their codes, texts, members and order as the settings say.
    private func shaped(_ errors: [ReportError]) -> [ReportError] {
        var errors = errors.map { error in
            var error = error
            if let text = settings["messages.\(error.errorCode.rawValue)"] { error.errorMessage = text }
            return error
        }
        errors = ErrorOrder(settings["answers.order"]).sorted(errors)
        if settings["answers.errors"] == "first" { errors = Array(errors.prefix(1)) }
        return errors.map { error in
            var error = error
            if settings["answers.lineItemId"] == "omitted" { error.lineItemId = nil }
            if settings["answers.fieldName"] == "omitted" { error.fieldName = nil }
            if let code = codes[error.errorCode.rawValue] { error.errorCode = ReportErrorCode(rawValue: code) }
            return error
        }
    }
}
