/// One error object of the report endpoint (SA-21).
public struct ReportError: Hashable, Sendable {
    /// The code.
    ///
    /// Apple documents 1 to 40.
    public var errorCode: ReportErrorCode
    /// Apple's text, for people.
    ///
    /// Programs decide by the code (SA-22).
    public var errorMessage: String
    /// The member that is wrong, if the code names one.
    public var fieldName: String?
    /// The line item that is wrong, if the error belongs to an item that has an id.
    public var lineItemId: LineItemId?

    /// Creates an error with a custom text.
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

    /// Creates an error with the text of the catalogue.
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

    /// The object as Apple writes it, without members that do not apply.
    public var json: JSONValue {
        var members: JSONObject = [
            "errorCode": .integer(Int64(errorCode.rawValue)), "errorMessage": .string(errorMessage),
        ]
        if let fieldName { members["fieldName"] = .string(fieldName) }
        if let lineItemId { members["lineItemId"] = .string(lineItemId.rawValue) }
        return .object(members)
    }

    /// Reads an error object; nil without an integer code.
    ///
    /// Unknown members and a missing text are tolerated (SA-22).
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

/// The number of an error of the report endpoint.
///
/// Unknown numbers are preserved.
public struct ReportErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: Int

    /// Creates a code from any number.
    ///
    /// - Parameter rawValue: the number.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The name of the rule, `E4`.
    public var description: String { "E\(rawValue)" }

    /// The entry of the catalogue, or nil for a code that the catalogue lacks.
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
        /// The object always names a line item.
        case required
        /// The object names a line item when the item has an id.
        case optional
        /// The object never names a line item.
        case absent
    }

    /// The number.
    public let code: ReportErrorCode
    /// Apple's type name, `OmittedFieldError`.
    public let name: String
    /// The exact `errorMessage`.
    public let message: String
    /// False when Apple publishes no text and this project chose one (S13).
    public let isMessagePublished: Bool
    /// The members that the error can name, in the order in which errors of one code are listed (RR-2).
    public let fieldNames: [String]
    /// Whether the error names a line item.
    public let lineItem: LineItemPresence
    /// The version of the API that introduced the code.
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
