import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import NIOCore

/// The settings that change the form of an answer, not the decision behind it (CS-11).
struct AnswerSettings: Hashable, Sendable {
    /// The kinds of answer with a status and a body of their own.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case accepted, refused, malformed, notFound, unauthenticated, unknownPath, wrongMethod

        /// True where the body is a text that a setting can replace.
        var hasBody: Bool {
            switch self {
            case .malformed, .unauthenticated, .unknownPath, .wrongMethod: true
            case .accepted, .refused, .notFound: false
            }
        }
    }

    /// How many errors an answer has.
    enum ErrorCount: String, Hashable, Sendable, CaseIterable {
        case all, first
    }

    /// Whether error objects have a member.
    enum Presence: String, Hashable, Sendable, CaseIterable {
        case sent, omitted
    }

    /// The order of the errors; `answers.order`.
    var order = ErrorOrder.rules
    /// Whether all errors are sent; `answers.errors`.
    var errors = ErrorCount.all
    /// Whether errors name their line item; `answers.lineItemId`.
    var lineItemId = Presence.sent
    /// Whether errors name their field; `answers.fieldName`.
    var fieldName = Presence.sent
    /// Codes that replace others; `answers.codes`.
    var codes: [Int: Int] = [:]
    /// Statuses; `answers.status.…`.
    var statuses: [Kind: Int] = [:]
    /// Bodies; `answers.body.…`.
    var bodies: [Kind: String] = [:]

    /// The errors in the form and order of the settings.
    func shaped(_ errors: [ReportError]) -> [ReportError] {
        guard self != AnswerSettings() else { return errors }
        let sorted = order.sorted(errors)
        return (self.errors == .first ? Array(sorted.prefix(1)) : sorted).map { error in
            var error = error
            if lineItemId == .omitted { error.lineItemId = nil }
            if fieldName == .omitted { error.fieldName = nil }
            if let code = codes[error.errorCode.rawValue] { error.errorCode = ReportErrorCode(rawValue: code) }
            return error
        }
    }

    /// The response with the status and body of the settings.
    func shaped(_ response: Response, _ kind: Kind) -> Response {
        var response = response
        if let status = statuses[kind] { response.status = .init(code: status) }
        if let text = bodies[kind] {
            response.body = ResponseBody(byteBuffer: ByteBuffer(string: text))
            if text.isEmpty {
                response.headers[.contentType] = nil
            } else {
                response.headers[.contentType] = text.hasPrefix("{") ? "application/json" : "text/plain"
            }
        }
        return response
    }
}

extension AnswerSettings: NamedSettings {
    /// The settings `answers.…`.
    static let settings: [Setting<AnswerSettings>] =
        [
            Setting(
                "answers.order",
                \.order,
                "rules, code, reversed, or codes such as 12,4,5",
                text: \.text,
                parse: { ErrorOrder(setting: $0) }
            ),
            .choice("answers.errors", \.errors), .choice("answers.lineItemId", \.lineItemId),
            .choice("answers.fieldName", \.fieldName),
            Setting(
                "answers.codes",
                \.codes,
                "none or pairs of codes, such as 16=15,24=12",
                text: {
                    $0.isEmpty ? "none" : $0.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ",")
                },
                parse: codes
            ),
        ] + Kind.allCases.map(status) + Kind.allCases.filter(\.hasBody).map(body)

    /// The answer without settings, which a name without a value stands for.
    private static let standardStatuses: [Kind: Int] = [
        .accepted: 200, .refused: 400, .malformed: 400, .notFound: 400, .unauthenticated: 401, .unknownPath: 404,
        .wrongMethod: 405,
    ]

    private static func status(_ kind: Kind) -> Setting<AnswerSettings> {
        let standard = standardStatuses[kind] ?? 0
        let name = "answers.status.\(kind)"
        let expected = "a status from 200 to 599"
        return Setting(name, expected, read: { String($0.statuses[kind] ?? standard) }) {
            settings,
            text throws(SettingError) in
            guard let status = SettingText.number(text, in: 200...599) else {
                throw .unknownValue(name: name, value: text, expected: expected)
            }
            settings.statuses[kind] = status == standard ? nil : status
        }
    }

    private static func body(_ kind: Kind) -> Setting<AnswerSettings> {
        let standard = kind == .unauthenticated ? "Unauthenticated" : ""
        return Setting("answers.body.\(kind)", "any text", read: { $0.bodies[kind] ?? standard }) { settings, text in
            settings.bodies[kind] = text == standard ? nil : text
        }
    }

    @Sendable private static func codes(_ text: String) -> [Int: Int]? {
        if text == "none" { return [:] }
        var codes: [Int: Int] = [:]
        for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
            let numbers = pair.split(separator: "=", omittingEmptySubsequences: false).map { Int($0) }
            guard numbers.count == 2, let code = numbers[0], let other = numbers[1],
                codes.updateValue(other, forKey: code) == nil
            else { return nil }
        }
        return codes
    }
}
