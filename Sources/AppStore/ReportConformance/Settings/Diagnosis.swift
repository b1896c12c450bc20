import ExternalPurchaseCore

/// Finds the settings with which the emulator would answer as the endpoint did.
struct Diagnosis {
    private(set) var settings: [String: String] = [:]
    private let observations: [Observation]

    init(_ observations: [Observation]) {
        self.observations = observations
        findFirstOnly()
        findOmittedMembers()
        findAlternatives()
        findLimits()
        findCodes()
        findMessages()
        findRulesOff()
        findOrder()
        findStatuses()
        findBodies()
    }

    /// The pairs of errors of all answers that have the form of the expected one.
    private var pairs: [(expected: ReportError, came: ReportError)] { observations.flatMap(\.comparison.pairs) }

    /// `answers.errors`: every answer with several errors came with the first one only.
    private mutating func findFirstOnly() {
        let several = observations.filter { $0.expected.errors.count > 1 && $0.came.status == $0.expected.status }
        guard several.count > 1,
            several.allSatisfy({ observation in
                observation.came.errors.count == 1
                    && observation.came.errors[0].errorCode == observation.expected.errors[0].errorCode
            })
        else { return }
        settings["answers.errors"] = "first"
    }

    private mutating func findOmittedMembers() {
        let items = pairs.filter { $0.expected.lineItemId != nil }
        if !items.isEmpty, items.allSatisfy({ $0.came.lineItemId == nil }) {
            settings["answers.lineItemId"] = "omitted"
        }
        let fields = pairs.filter { $0.expected.fieldName != nil }
        if !fields.isEmpty, fields.allSatisfy({ $0.came.fieldName == nil }) {
            settings["answers.fieldName"] = "omitted"
        }
    }

    /// Settings with a choice, whose other values the cases state.
    private mutating func findAlternatives() {
        var votes: [NamedSetting: (yes: Int, no: Int)] = [:]
        for observation in observations {
            for alternative in observation.alternatives {
                let hasCome = Self.isAlike(alternative.answer, observation.came)
                let isExpected = Self.isAlike(observation.expected, observation.came)
                guard hasCome != isExpected else { continue }
                votes[alternative.setting, default: (0, 0)].yes += hasCome ? 1 : 0
                votes[alternative.setting, default: (0, 0)].no += hasCome ? 0 : 1
            }
        }
        for (setting, count) in votes where count.yes > 0 && count.no == 0 { settings[setting.name] = setting.value }
    }

    /// Equal but for texts.
    private static func isAlike(_ left: ConformanceAnswer, _ right: ConformanceAnswer) -> Bool {
        guard left.status == right.status else { return false }
        let key = { (error: ReportError) in [error.errorCode.description, error.fieldName, error.lineItemId?.rawValue] }
        switch (left.content, right.content) {
        case (.errors(let left), .errors(let right)): return left.map(key) == right.map(key)
        case (.error(let left), .error(let right)): return key(left) == key(right)
        default: return left.isSame(as: right)
        }
    }

    /// Windows and limits, from the values that the endpoint refuses and those that it does not.
    private mutating func findLimits() {
        let measured = Dictionary(grouping: observations.filter { !$0.points.isEmpty }) {
            $0.item.measure?.setting ?? ""
        }
        for (name, group) in measured {
            let points = group.flatMap(\.points)
            guard points.contains(where: { $0.isBeyond != $0.isExpectedBeyond }) else { continue }
            let beyond = points.filter(\.isBeyond).map(\.value).min()
            // A code that never comes is no matter of a limit.
            if beyond == nil, let code = group[0].item.measure?.code, !comes(code) { continue }
            let within = points.filter { !$0.isBeyond }.map(\.value).max()
            if let limit = LimitValue.between(within, beyond) { settings[name] = limit.text }
        }
    }

    private func comes(_ code: ReportErrorCode) -> Bool {
        observations.contains { $0.came.errors.contains { $0.errorCode == code } }
    }

    /// `answers.codes`: a code that always comes as another one.
    private mutating func findCodes() {
        var other: [Int: Set<Int>] = [:]
        for pair in pairs { other[pair.expected.errorCode.rawValue, default: []].insert(pair.came.errorCode.rawValue) }
        let changed = other.compactMap { code, came in
            came.count == 1 && came.first != code ? came.first.map { (code, $0) } : nil
        }
        guard !changed.isEmpty else { return }
        settings["answers.codes"] = changed.sorted { $0.0 < $1.0 }.map { "\($0.0)=\($0.1)" }.joined(separator: ",")
    }

    /// `messages.N`: a code that always comes with another text.
    private mutating func findMessages() {
        var texts: [Int: (expected: String, came: Set<String>)] = [:]
        for pair in pairs where pair.expected.errorCode == pair.came.errorCode {
            texts[pair.expected.errorCode.rawValue, default: (pair.expected.errorMessage, [])].came
                .insert(pair.came.errorMessage)
        }
        for (code, entry) in texts where entry.came.count == 1 && entry.came.first != entry.expected {
            settings["messages.\(code)"] = entry.came.first
        }
    }

    /// `rules.off`: a code that came nowhere, although the answers without it have what else is expected.
    private mutating func findRulesOff() {
        guard settings["answers.errors"] == nil else { return }
        var expected: Set<Int> = []
        for observation in observations {
            expected.formUnion(observation.expected.errors.map(\.errorCode.rawValue))
        }
        let missing = Set(observations.flatMap { $0.comparison.missing.map(\.errorCode.rawValue) })
        let paired = Set(pairs.map(\.expected.errorCode.rawValue))
        let off = expected.intersection(missing).subtracting(paired)
            .filter { !comes(ReportErrorCode(rawValue: $0)) }
            .filter { code in !isCoveredByAlternative(code) }
        guard !off.isEmpty else { return }
        settings["rules.off"] = off.sorted().map(String.init).joined(separator: ",")
    }

    /// True when every missing error of a code is explained by a setting with a choice.
    private func isCoveredByAlternative(_ code: Int) -> Bool {
        observations.allSatisfy { observation in
            !observation.comparison.missing.contains { $0.errorCode.rawValue == code }
                || observation.alternatives.contains { settings[$0.setting.name] == $0.setting.value }
        }
    }

    private mutating func findOrder() {
        let comparable = observations.filter {
            $0.comparison.pairs.count > 1 && $0.comparison.missing.isEmpty && $0.comparison.unexpected.isEmpty
        }
        guard comparable.contains(where: \.comparison.isReordered) else { return }
        let candidates: [ErrorOrder] = [.code, .reversed] + [Self.order(of: comparable)].compactMap(\.self)
        for candidate in candidates
        where comparable.allSatisfy({
            candidate.sorted($0.comparison.pairs.map(\.expected)).map(\.errorCode) == Self.codes(of: $0)
        }) {
            settings["answers.order"] = candidate.text
            return
        }
    }

    /// The expected codes in the order in which their errors came.
    private static func codes(of observation: Observation) -> [ReportErrorCode] {
        var rest = observation.comparison.pairs
        return observation.came.errors.compactMap { error in
            guard let match = rest.firstIndex(where: { $0.came == error }) else { return nil }
            return rest.remove(at: match).expected.errorCode
        }
    }

    /// An order of the codes that change places, in which each answer has them; nil if there is none.
    private static func order(of observations: [Observation]) -> ErrorOrder? {
        var moved: Set<Int> = []
        var after: [Int: Set<Int>] = [:]
        for observation in observations {
            let came = codes(of: observation).map(\.rawValue)
            let expected = observation.comparison.pairs.map(\.expected)
            var items: [LineItemId?: (expected: [Int], came: [Int])] = [:]
            for error in expected {
                items[error.lineItemId, default: ([], [])].expected.append(error.errorCode.rawValue)
            }
            var rest = observation.comparison.pairs
            for (error, code) in zip(observation.came.errors, came) {
                guard let match = rest.firstIndex(where: { $0.came == error }) else { continue }
                items[rest.remove(at: match).expected.lineItemId, default: ([], [])].came.append(code)
            }
            for entry in items.values {
                if entry.expected != entry.came { moved.formUnion(entry.came) }
                for (position, code) in entry.came.enumerated() {
                    after[code, default: []].formUnion(entry.came[(position + 1)...].filter { $0 != code })
                }
            }
        }
        var order: [Int] = []
        var rest = moved
        while let next = rest.sorted().first(where: { code in
            rest.allSatisfy { other in other == code || !(after[other]?.contains(code) ?? false) }
        }) {
            order.append(next)
            rest.remove(next)
        }
        return rest.isEmpty && order.count > 1 ? .codes(order) : nil
    }

    /// `answers.status.…`: every answer of a class came with another status and the same body.
    private mutating func findStatuses() {
        for (answerClass, group) in classes {
            let formed = group.filter {
                Self.hasForm(of: $0.expected, $0.came) && $0.points.allSatisfy { $0.item != nil }
            }
            let statuses = Set(formed.map(\.came.status))
            guard let status = statuses.first, statuses.count == 1, status != formed[0].expected.status else {
                continue
            }
            settings[answerClass.statusSetting] = String(status)
        }
    }

    private var classes: [AnswerClass: [Observation]] {
        Dictionary(grouping: observations.filter { $0.answerClass != nil }) { $0.answerClass ?? .refused }
    }

    private static func hasForm(of expected: ConformanceAnswer, _ came: ConformanceAnswer) -> Bool {
        switch (expected.content, came.content) {
        case (.errors, .errors), (.error, .error), (.json, .json): true
        case (.text, _): came.status != 200
        default: false
        }
    }

    /// `answers.body.…`: every answer of a class came with one other body.
    private mutating func findBodies() {
        for (answerClass, group) in classes {
            guard let name = answerClass.bodySetting else { continue }
            let bodies = Set(group.filter { $0.points.isEmpty }.map(\.came.content))
            guard let body = bodies.first, bodies.count == 1, body != group[0].expected.content else { continue }
            settings[name] = Self.text(of: body)
        }
    }

    private static func text(of content: ConformanceAnswer.Content) -> String {
        switch content {
        case .text(let text): text
        case .json(let value): String(decoding: value.encoded(), as: UTF8.self)
        case .error(let error): String(decoding: error.json.encoded(), as: UTF8.self)
        case .errors(let errors):
            String(
                decoding: JSONValue.object(["errors": .array(errors.map(\.json))]).encoded(),
                as: UTF8.self
            )
        }
    }
}
