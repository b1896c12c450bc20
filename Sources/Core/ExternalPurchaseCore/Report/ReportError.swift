/// One error object of the report endpoint (SA-21).
public struct ReportError: Hashable, Sendable {
    /// The code, 1 to 40 today.
    public var errorCode: ReportErrorCode
    /// Apple's text, for people; decide by the code (SA-22).
    public var errorMessage: String
    /// The member that is wrong, where the code has one.
    public var fieldName: String?
    /// The line item that is wrong, where the error belongs to one that has an id.
    public var lineItemId: LineItemId?

    /// An error with a text of its own.
    ///
    /// - Parameters:
    ///   - errorCode: the code.
    ///   - errorMessage: the text.
    ///   - fieldName: the member that is wrong.
    ///   - lineItemId: the line item that is wrong.
    public init(
        errorCode: ReportErrorCode,
        errorMessage: String,
        fieldName: String? = nil,
        lineItemId: LineItemId? = nil
    ) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
        self.fieldName = fieldName
        self.lineItemId = lineItemId
    }

    /// An error with the text of the catalogue.
    ///
    /// - Parameters:
    ///   - code: the code.
    ///   - fieldName: the member that is wrong.
    ///   - lineItemId: the line item that is wrong.
    public init(_ code: ReportErrorCode, field fieldName: String? = nil, item lineItemId: LineItemId? = nil) {
        self.init(
            errorCode: code,
            errorMessage: code.entry?.message ?? "",
            fieldName: fieldName,
            lineItemId: lineItemId
        )
    }

    /// The object as Apple writes it; members that do not apply are left out.
    public var json: JSONValue {
        var members: [JSONObject.Member] = [
            .init("errorCode", .integer(Int64(errorCode.rawValue))), .init("errorMessage", .string(errorMessage)),
        ]
        if let fieldName { members.append(.init("fieldName", .string(fieldName))) }
        if let lineItemId { members.append(.init("lineItemId", .string(lineItemId.rawValue))) }
        return .object(JSONObject(members))
    }

    /// Reads an error object, tolerating unknown members and a missing text (SA-22); nil without an integer code.
    ///
    /// - Parameter json: the object.
    public init?(json: JSONValue) {
        guard let object = json.objectValue, let code = object["errorCode"]?.int64Value else { return nil }
        self.init(
            errorCode: ReportErrorCode(rawValue: Int(code)),
            errorMessage: object["errorMessage"]?.stringValue ?? "",
            fieldName: object["fieldName"]?.stringValue,
            lineItemId: object["lineItemId"]?.stringValue.map(LineItemId.init(rawValue:))
        )
    }
}

/// The number of an error of the report endpoint; unknown numbers are kept.
public struct ReportErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: Int

    /// Takes any number.
    ///
    /// - Parameter rawValue: the number.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `E4`, as the rules are named.
    public var description: String { "E\(rawValue)" }

    /// What the catalogue says, nil for a code that it lacks.
    public var entry: ReportErrorEntry? { ReportErrorEntry.byCode[self] }

    /// DuplicateValueError.
    public static let duplicateValue = Self(rawValue: 1)
    /// ReportingCurrencyMismatchError.
    public static let reportingCurrencyMismatch = Self(rawValue: 2)
    /// NotFoundError.
    public static let notFound = Self(rawValue: 3)
    /// OmittedFieldError.
    public static let omittedField = Self(rawValue: 4)
    /// SimultaneousSubmissionError.
    public static let simultaneousSubmission = Self(rawValue: 26)
}

/// One row of the catalogue of report errors.
public struct ReportErrorEntry: Hashable, Sendable {
    /// Whether an error object carries `lineItemId`.
    public enum LineItemPresence: String, Hashable, Sendable, Codable {
        /// Always.
        case required
        /// When the item has an id.
        case optional
        /// Never.
        case absent
    }

    /// The number.
    public let code: ReportErrorCode
    /// Apple's type name, `OmittedFieldError`.
    public let name: String
    /// The literal `errorMessage`.
    public let message: String
    /// False where Apple publishes no text and this project chose one (S13).
    public let isMessagePublished: Bool
    /// The members that the error can name, in the order in which errors of one code are listed (RR-2).
    public let fieldNames: [String]
    /// Whether the error names a line item.
    public let lineItem: LineItemPresence
    /// The version of the API that brought the code.
    public let since: String

    /// The 40 entries in the order of their codes.
    public static let all: [ReportErrorEntry] = {
        let table: Table = EmbeddedTables.decode(EmbeddedTables.errors)
        return table.errors.map { row in
            ReportErrorEntry(
                code: ReportErrorCode(rawValue: row.code),
                name: row.name,
                message: row.message,
                isMessagePublished: row.messageStatus == "published",
                fieldNames: row.fieldNames,
                lineItem: row.lineItemId,
                since: row.since
            )
        }
    }()

    fileprivate static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })

    private struct Table: Decodable {
        struct Row: Decodable {
            let code: Int
            let name, message, messageStatus, since: String
            let fieldNames: [String]
            let lineItemId: LineItemPresence
        }
        let errors: [Row]
    }
}
