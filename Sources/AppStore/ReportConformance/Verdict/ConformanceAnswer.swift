import ExternalPurchaseCore

/// An answer of the endpoint, expected or received.
package struct ConformanceAnswer: Hashable, Sendable {
    /// What the body is.
    enum Content: Hashable, Sendable {
        /// `{"errors": […]}`.
        case errors([ReportError])
        /// One error object by itself.
        case error(ReportError)
        /// Other JSON.
        case json(JSONValue)
        /// Anything else; the empty text for no body.
        case text(String)
    }

    /// The status.
    var status: Int
    /// The body.
    var content: Content

    /// Creates an answer.
    init(status: Int, content: Content) {
        self.status = status
        self.content = content
    }

    /// Reads a received answer.
    init(status: Int, body: [UInt8]) {
        self.status = status
        guard !body.isEmpty else {
            content = .text("")
            return
        }
        guard let value = try? JSONReader().read(body) else {
            content = .text(String(decoding: body, as: UTF8.self))
            return
        }
        if let list = value.objectValue?["errors"]?.arrayValue {
            let errors = list.compactMap(ReportError.init(json:))
            content = errors.count == list.count ? .errors(errors) : .json(value)
        } else if let error = ReportError(json: value) {
            content = .error(error)
        } else {
            content = .json(value)
        }
    }

    /// Fills the expected answer of a case, or of one of its alternatives.
    init(expected: JSONValue, values: CaseValues) throws(ConformanceDataError) {
        let filled = try Template.filled(Template.text(of: expected), with: values)
        guard let object = (try? JSONReader().read(filled))?.objectValue else {
            throw ConformanceDataError(message: "\(values.id): the expected answer is not a JSON object")
        }
        status = Int(object["status"]?.int64Value ?? 0)
        if let errors = object["errors"]?.arrayValue {
            content = .errors(errors.compactMap(Self.error))
        } else if let error = object["error"].flatMap(Self.error) {
            content = .error(error)
        } else if let json = object["json"] {
            content = .json(json)
        } else {
            content = .text(object["text"]?.stringValue ?? "")
        }
    }

    private static func error(_ json: JSONValue) -> ReportError? {
        guard let object = json.objectValue, let code = object["code"]?.int64Value else { return nil }
        return ReportError(
            errorCode: ReportErrorCode(rawValue: Int(code)),
            errorMessage: object["message"]?.stringValue ?? "",
            fieldName: object["fieldName"]?.stringValue,
            lineItemId: object["lineItemId"]?.stringValue.map(LineItemId.init(rawValue:))
        )
    }

    /// The errors, whatever their form; none for other bodies.
    var errors: [ReportError] {
        switch content {
        case .errors(let errors): errors
        case .error(let error): [error]
        case .json, .text: []
        }
    }

    /// The answer in the report of a run; `init(json:)` reads it.
    var json: JSONValue {
        var members: JSONObject = ["status": .integer(Int64(status))]
        switch content {
        case .errors(let errors): members["errors"] = .array(errors.map(\.json))
        case .error(let error): members["error"] = error.json
        case .json(let value): members["json"] = value
        case .text(let text): members["text"] = .string(text)
        }
        return .object(members)
    }

    /// Reads ``json``.
    init?(json: JSONValue?) {
        guard let object = json?.objectValue, let status = object["status"]?.int64Value else { return nil }
        self.status = Int(status)
        if let errors = object["errors"]?.arrayValue {
            content = .errors(errors.compactMap(ReportError.init(json:)))
        } else if let error = object["error"].flatMap(ReportError.init(json:)) {
            content = .error(error)
        } else if let value = object["json"] {
            content = .json(value)
        } else {
            content = .text(object["text"]?.stringValue ?? "")
        }
    }

    /// One line for people.
    package var summary: String {
        switch content {
        case .errors([]): "\(status) without errors"
        case .errors(let errors): "\(status): " + errors.map(Self.words).joined(separator: ", ")
        case .error(let error): "\(status), one error object: " + Self.words(error)
        case .json(let value):
            "\(status): " + String(decoding: value.encoded().prefix(200), as: UTF8.self)
        case .text(""): "\(status) with an empty body"
        case .text(let text): "\(status): \"\(text.prefix(120))\""
        }
    }

    static func words(_ error: ReportError) -> String {
        let place = [error.fieldName, error.lineItemId.map { "item \($0)" }].compactMap(\.self).joined(separator: ", ")
        return error.errorCode.description + (place.isEmpty ? "" : " (\(place))")
    }
}

extension ConformanceAnswer {
    /// True when both are the same answer; JSON is compared by its values, not by the order of members or the spelling
    /// of numbers (SA-72).
    func isSame(as other: ConformanceAnswer) -> Bool {
        guard status == other.status else { return false }
        if case (.json(let left), .json(let right)) = (content, other.content) { return Self.isSame(left, right) }
        return content == other.content
    }

    private static func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.object(let left), .object(let right)):
            return left.members.count == right.members.count
                && left.members.allSatisfy { member in right[member.key].map { isSame(member.value, $0) } ?? false }
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy(isSame)
        case (.number(let left), .number(let right)):
            return left == right || (left.integral == right.integral && left.integral != .fraction)
        default: return left == right
        }
    }
}
