import ExternalPurchaseCore

/// A case that was played: what was expected, what came, and what other settings would have answered.
struct Observation {
    /// A value beside a limit, and on which side of it the endpoint puts it.
    struct Point {
        let value: LimitValue
        /// The line item; nil for the case as a whole.
        let item: LineItemId?
        let isExpectedBeyond: Bool
        let isBeyond: Bool
    }

    let item: ConformanceCase
    let expected: ConformanceAnswer
    let came: ConformanceAnswer
    let comparison: AnswerComparison
    let answerClass: AnswerClass?
    let alternatives: [(setting: NamedSetting, answer: ConformanceAnswer)]
    let points: [Point]

    init(_ item: ConformanceCase, came: ConformanceAnswer, values: CaseValues) throws(ConformanceDataError) {
        self.item = item
        self.came = came
        expected = try ConformanceAnswer(expected: item.expected, values: values)
        comparison = AnswerComparison(expected, came, rules: item.rules)
        answerClass = AnswerClass(expected, of: item)
        var alternatives: [(NamedSetting, ConformanceAnswer)] = []
        for alternative in item.alternatives {
            alternatives.append(
                (alternative.setting, try ConformanceAnswer(expected: alternative.expected, values: values))
            )
        }
        self.alternatives = alternatives
        var named: [(value: LimitValue, id: LineItemId?)] = []
        for point in item.measure?.points ?? [] {
            guard let value = LimitValue(point.value) else {
                throw ConformanceDataError(message: "\(item.id): \(point.value) is no duration and no number")
            }
            var id: LineItemId?
            if let template = point.item {
                let name = template.hasPrefix("{{") ? template : "{{item.\(template)}}"
                id = LineItemId(rawValue: String(decoding: try Template.filled(name, with: values), as: UTF8.self))
            }
            named.append((value, id))
        }
        let isExpected = Self.beyond(named, expected, item.measure?.code)
        let hasCome = Self.beyond(named, came, item.measure?.code)
        points = named.indices.map { index in
            Point(
                value: named[index].value,
                item: named[index].id,
                isExpectedBeyond: isExpected.contains(index),
                isBeyond: hasCome.contains(index)
            )
        }
    }

    /// The positions of the values that an answer refuses: by an error of their item, or by a refusal of the request as a
    /// whole, which has none of the codes.
    private static func beyond(
        _ points: [(value: LimitValue, id: LineItemId?)],
        _ answer: ConformanceAnswer,
        _ code: ReportErrorCode?
    ) -> Set<Int> {
        let isWhole = answer.status != 200 && !answer.errors.contains { $0.errorCode.entry != nil }
        let errors = answer.errors.filter { $0.errorCode == code }
        guard !errors.isEmpty, errors.allSatisfy({ $0.lineItemId == nil }) else {
            return Set(
                points.indices.filter { index in
                    points[index].id.map { id in errors.contains { $0.lineItemId == id } } ?? isWhole
                }
            )
        }
        // Without ids of line items the number of errors tells how many of the largest values are refused.
        let largest = points.indices.sorted { points[$0].value > points[$1].value }
        return Set(largest.prefix(errors.count))
    }
}

/// A limit as text: a duration, or a number.
struct LimitValue: Hashable, Comparable {
    let amount: Int64
    let isDuration: Bool

    init(amount: Int64, isDuration: Bool) {
        self.amount = amount
        self.isDuration = isDuration
    }

    init?(_ text: String) {
        if let number = Int64(text) {
            self.init(amount: number, isDuration: false)
        } else if let duration = SettingText.duration(text) {
            self.init(amount: duration.wholeMilliseconds, isDuration: true)
        } else {
            return nil
        }
    }

    static func < (left: LimitValue, right: LimitValue) -> Bool { left.amount < right.amount }

    /// The value as the emulator reads it.
    var text: String { isDuration ? SettingText.text(of: .milliseconds(amount)) : String(amount) }

    /// A limit that puts one value on each side: for durations half-way, so that a clock that differs does not matter.
    ///
    /// - Parameters:
    ///   - within: the largest value that is not refused; nil when every value is refused.
    ///   - beyond: the smallest value that is refused; nil when none is.
    static func between(_ within: LimitValue?, _ beyond: LimitValue?) -> LimitValue? {
        switch (within, beyond) {
        case (let within?, let beyond?):
            guard within < beyond else { return nil }
            let middle = within.amount + (beyond.amount - within.amount) / 2
            return LimitValue(amount: within.isDuration ? middle : within.amount, isDuration: within.isDuration)
        case (let within?, nil): return LimitValue(amount: within.amount * 2, isDuration: within.isDuration)
        case (nil, let beyond?):
            return LimitValue(amount: max(beyond.amount / 2, beyond.isDuration ? 0 : 1), isDuration: beyond.isDuration)
        case (nil, nil): return nil
        }
    }
}
