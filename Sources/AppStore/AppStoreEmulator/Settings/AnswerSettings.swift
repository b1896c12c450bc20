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

extension AnswerSettings {
    /// The names of all settings.
    static let names: [String] =
        ["answers.order", "answers.errors", "answers.lineItemId", "answers.fieldName", "answers.codes"]
        + Kind.allCases.map { "answers.status.\($0)" }
        + Kind.allCases.filter(\.hasBody).map { "answers.body.\($0)" }

    /// The answer without settings, which a name without a value stands for.
    private static let standardStatuses: [Kind: Int] = [
        .accepted: 200, .refused: 400, .malformed: 400, .notFound: 400, .unauthenticated: 401, .unknownPath: 404,
        .wrongMethod: 405,
    ]

    private static func kind(_ name: String, after prefix: String) -> Kind? {
        name.hasPrefix(prefix) ? Kind.named(name.dropFirst(prefix.count)) : nil
    }

    /// Returns the value of a setting as text; nil for a name that is not one of ``names``.
    func text(of name: String) -> String? {
        if let kind = Self.kind(name, after: "answers.status.") {
            return String(statuses[kind] ?? Self.standardStatuses[kind] ?? 0)
        }
        if let kind = Self.kind(name, after: "answers.body."), kind.hasBody {
            return bodies[kind] ?? (kind == .unauthenticated ? "Unauthenticated" : "")
        }
        return switch name {
        case "answers.order": order.text
        case "answers.errors": errors.rawValue
        case "answers.lineItemId": lineItemId.rawValue
        case "answers.fieldName": fieldName.rawValue
        case "answers.codes":
            codes.isEmpty ? "none" : codes.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ",")
        default: nil
        }
    }

    /// Sets a setting from a text.
    mutating func set(_ name: String, to text: String) throws(SettingError) {
        if let kind = Self.kind(name, after: "answers.status.") {
            guard text.utf8.allSatisfy(\.isDigit), let status = Int(text), (200...599).contains(status) else {
                throw .unknownValue(name: name, value: text, expected: "a status from 200 to 599")
            }
            statuses[kind] = status == Self.standardStatuses[kind] ? nil : status
        } else if let kind = Self.kind(name, after: "answers.body."), kind.hasBody {
            bodies[kind] = text == (kind == .unauthenticated ? "Unauthenticated" : "") ? nil : text
        } else {
            switch name {
            case "answers.order":
                guard let order = ErrorOrder(setting: text) else {
                    throw .unknownValue(
                        name: name,
                        value: text,
                        expected: "rules, code, reversed, or codes such as 12,4,5"
                    )
                }
                self.order = order
            case "answers.errors": errors = try SettingText.choice(text, of: name)
            case "answers.lineItemId": lineItemId = try SettingText.choice(text, of: name)
            case "answers.fieldName": fieldName = try SettingText.choice(text, of: name)
            case "answers.codes": codes = try Self.codes(text, of: name)
            default: throw .unknownName(name)
            }
        }
    }

    private static func codes(_ text: String, of name: String) throws(SettingError) -> [Int: Int] {
        if text == "none" { return [:] }
        var codes: [Int: Int] = [:]
        for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
            let numbers = pair.split(separator: "=", omittingEmptySubsequences: false).map { Int($0) }
            guard numbers.count == 2, let code = numbers[0], let other = numbers[1],
                codes.updateValue(other, forKey: code) == nil
            else {
                throw .unknownValue(name: name, value: text, expected: "none or pairs of codes, such as 16=15,24=12")
            }
        }
        return codes
    }
}
