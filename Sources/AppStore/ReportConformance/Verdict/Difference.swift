import ExternalPurchaseCore

/// One way in which an answer differs from the expected one.
package struct Difference: Hashable, Sendable {
    /// What differs.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The status.
        case status
        /// The code of an error.
        case code
        /// The text of an error.
        case message
        /// The field that an error names.
        case field
        /// The line item that an error names.
        case item
        /// An error that did not come.
        case missing
        /// An error that is not expected.
        case unexpected
        /// The order of the errors.
        case order
        /// The body, where errors are not expected.
        case body
        /// The report was accepted, which was not expected.
        case accepted
    }

    /// What differs.
    package let kind: Kind
    /// The rule that differs.
    package let rule: String
    /// What was expected.
    package let expected: String
    /// What came.
    package let came: String
    /// The code of the expected error, for differences of one error.
    let code: ReportErrorCode?
    /// The setting of the emulator that explains it; nil when none does.
    package internal(set) var setting: NamedSetting?

    init(
        _ kind: Kind,
        rule: String,
        expected: String,
        came: String,
        code: ReportErrorCode? = nil
    ) {
        self.kind = kind
        self.rule = rule
        self.expected = expected
        self.came = came
        self.code = code
    }
}

/// Compares an answer with the expected one, error by error.
struct AnswerComparison {
    /// The differences in the order in which they are read.
    private(set) var differences: [Difference] = []
    /// Expected errors with the errors that came for them.
    private(set) var pairs: [(expected: ReportError, came: ReportError)] = []
    /// Expected errors that did not come.
    private(set) var missing: [ReportError] = []
    /// Errors that came and were not expected.
    private(set) var unexpected: [ReportError] = []
    /// True when paired errors came in another order.
    private(set) var isReordered = false

    init(_ expected: ConformanceAnswer, _ came: ConformanceAnswer, rules: [String]) {
        guard !expected.isSame(as: came) else {
            pairs = zip(expected.errors, came.errors).map { ($0, $1) }
            return
        }
        let rule = rules.first ?? ""
        // Where no errors are expected, the body as a whole differs.
        if !expected.errors.isEmpty { compareErrors(expected.errors, came.errors) }
        let isAccepted = came.status == 200 && expected.status == 400
        if isAccepted {
            differences.append(
                Difference(.accepted, rule: rule, expected: expected.summary, came: "200, the report is accepted")
            )
        } else if expected.status != came.status {
            differences.append(
                Difference(.status, rule: rule, expected: "\(expected.status)", came: "\(came.status)")
            )
        }
        differences += errorDifferences
        if isReordered {
            differences.append(
                Difference(
                    .order,
                    rule: "RR-2",
                    expected: pairs.map { ConformanceAnswer.words($0.expected) }.joined(separator: ", "),
                    came: came.errors.map(ConformanceAnswer.words).joined(separator: ", ")
                )
            )
        }
        if !isAccepted, !Self.hasSameForm(expected.content, came.content) {
            differences.append(Difference(.body, rule: rule, expected: expected.summary, came: came.summary))
        }
    }

    private static func hasSameForm(_ left: ConformanceAnswer.Content, _ right: ConformanceAnswer.Content) -> Bool {
        switch (left, right) {
        case (.errors, .errors), (.error, .error): true
        case (.json, .json), (.text, .text):
            ConformanceAnswer(status: 0, content: left).isSame(as: ConformanceAnswer(status: 0, content: right))
        default: false
        }
    }

    private mutating func compareErrors(_ expected: [ReportError], _ came: [ReportError]) {
        var rest = Array(expected.enumerated())
        var open = Array(came.enumerated())
        var found: [(expected: Int, came: Int)] = []
        // The closest match first: all members, then the code changed, then the item, then the field.
        let ways: [(ReportError, ReportError) -> Bool] = [
            { $0.errorCode == $1.errorCode && $0.fieldName == $1.fieldName && $0.lineItemId == $1.lineItemId },
            { $0.fieldName == $1.fieldName && $0.lineItemId == $1.lineItemId },
            {
                $0.errorCode == $1.errorCode && $0.fieldName == $1.fieldName
                    && ($0.lineItemId == nil || $1.lineItemId == nil)
            },
            { $0.errorCode == $1.errorCode && $0.lineItemId == $1.lineItemId },
            { $0.errorCode == $1.errorCode && ($0.lineItemId == nil || $1.lineItemId == nil) },
        ]
        for way in ways {
            rest.removeAll { position, error in
                guard let match = open.firstIndex(where: { way(error, $0.element) }) else { return false }
                found.append((position, open[match].offset))
                open.remove(at: match)
                return true
            }
        }
        found.sort { $0.expected < $1.expected }
        pairs = found.map { (expected[$0.expected], came[$0.came]) }
        missing = rest.map(\.element)
        unexpected = open.map(\.element)
        isReordered = found.map(\.came) != found.map(\.came).sorted()
    }

    private var errorDifferences: [Difference] {
        var differences: [Difference] = []
        for (expected, came) in pairs {
            let (rule, code) = ("E\(expected.errorCode.rawValue)", expected.errorCode)
            func add(_ kind: Difference.Kind, _ left: String, _ right: String, rule other: String? = nil) {
                let place = kind == .code ? "" : "\(rule): "
                differences.append(
                    Difference(kind, rule: other ?? rule, expected: place + left, came: place + right, code: code)
                )
            }
            if expected.errorCode != came.errorCode {
                add(.code, ConformanceAnswer.words(expected), ConformanceAnswer.words(came))
            } else if expected.errorMessage != came.errorMessage {
                add(.message, "\"\(expected.errorMessage)\"", "\"\(came.errorMessage)\"")
            }
            if expected.fieldName != came.fieldName {
                add(.field, expected.fieldName ?? "no field", came.fieldName ?? "no field")
            }
            if expected.lineItemId != came.lineItemId {
                let words = { (id: LineItemId?) in id.map { "item \($0)" } ?? "no item" }
                add(.item, words(expected.lineItemId), words(came.lineItemId), rule: "SA-21")
            }
        }
        for error in missing {
            differences.append(
                Difference(
                    .missing,
                    rule: "E\(error.errorCode.rawValue)",
                    expected: ConformanceAnswer.words(error),
                    came: "no such error",
                    code: error.errorCode
                )
            )
        }
        for error in unexpected {
            differences.append(
                Difference(
                    .unexpected,
                    rule: "E\(error.errorCode.rawValue)",
                    expected: "no such error",
                    came: ConformanceAnswer.words(error),
                    code: error.errorCode
                )
            )
        }
        return differences
    }
}
