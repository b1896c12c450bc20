import ExternalPurchaseCore

/// One case: a request to the report endpoint, and the answer that the rules demand.
package struct ConformanceCase: Hashable, Sendable {
    /// What an answer as expected does to the token.
    package enum Kind: String, Hashable, Sendable {
        /// The report is refused with errors; the token stays as it was.
        case refused
        /// The report is accepted and cannot be taken back.
        case accepted
        /// The request is answered before the rules on reports; nothing is accepted.
        case transport
    }

    /// An answer under another value of a setting of the emulator.
    struct Alternative: Hashable, Sendable {
        let setting: NamedSetting
        let expected: JSONValue
    }

    /// A setting whose value follows from which line items, or which of several cases, are refused.
    struct Measure: Hashable, Sendable {
        /// A value on one side of the limit.
        struct Point: Hashable, Sendable {
            /// The template of the line item; nil when the case as a whole is refused.
            let item: String?
            /// The value as text, a duration or a number.
            let value: String
        }

        let setting: String
        /// The code that items beyond the limit draw.
        let code: ReportErrorCode?
        let points: [Point]
    }

    /// The id, which no other case has and no later version gives to another case.
    package let id: String
    /// What the case is about.
    package let title: String
    /// The title of its file.
    package let group: String
    /// The numbers of the rules that it checks.
    package let rules: [String]
    /// What the answer does to the token.
    package let kind: Kind
    /// The kinds of token with which it can be played; empty when it needs none.
    let tokens: [String]
    /// The cases that were accepted before, in their order, on the same token.
    let after: [String]
    /// True when the earlier cases were accepted on another token.
    let needsAnotherToken: Bool
    /// True when no `LINE_ITEM` report of the token may have been accepted.
    let needsUnreported: Bool
    /// True when the token must have expired.
    let needsExpired: Bool
    let request: JSONObject
    let expected: JSONValue
    let alternatives: [Alternative]
    let measure: Measure?

    init(_ json: JSONObject, group: String) throws(ConformanceDataError) {
        func texts(_ key: String) -> [String] { (json[key]?.arrayValue ?? []).compactMap(\.stringValue) }
        func isSet(_ key: String) -> Bool { json[key]?.boolValue ?? false }
        guard let id = json["id"]?.stringValue, let title = json["title"]?.stringValue,
            let kind = json["kind"]?.stringValue.flatMap(Kind.init), let request = json["request"]?.objectValue,
            let expected = json["expected"]
        else { throw ConformanceDataError(message: "\(json["id"]?.stringValue ?? "a case"): a member is missing") }
        self.id = id
        self.title = title
        self.group = group
        self.kind = kind
        self.request = request
        self.expected = expected
        rules = texts("rules")
        tokens = texts("tokens")
        after = texts("after")
        needsAnotherToken = isSet("anotherToken")
        needsUnreported = isSet("unreported")
        needsExpired = isSet("expired")
        alternatives = (json["alternatives"]?.arrayValue ?? []).compactMap(\.objectValue).compactMap { entry in
            guard let name = entry["setting"]?.stringValue, let value = entry["value"]?.stringValue,
                let expected = entry["expected"]
            else { return nil }
            return Alternative(setting: NamedSetting(name: name, value: value), expected: expected)
        }
        measure = json["measures"]?.objectValue.map { entry in
            Measure(
                setting: entry["setting"]?.stringValue ?? "",
                code: entry["code"]?.int64Value.map { ReportErrorCode(rawValue: Int($0)) },
                points: (entry["points"]?.arrayValue ?? []).compactMap(\.objectValue).map { point in
                    Measure.Point(item: point["item"]?.stringValue, value: point["value"]?.stringValue ?? "")
                }
            )
        }
    }

    /// The status of its report; nil when it has no report.
    var reportStatus: String? { request["report"]?.objectValue?["status"]?.stringValue }

    /// True when an answer 200 means that a report was accepted.
    var sendsReport: Bool {
        request["method"]?.stringValue == "PUT" && request["path"]?.stringValue == Self.reportPath
    }

    /// The path of reports.
    static let reportPath = "/externalPurchase/v1/reports"
}

/// A setting of the emulator with a value, as `rules.clockSkew` and `300s`.
package struct NamedSetting: Hashable, Sendable {
    /// The name.
    package let name: String
    /// The value as the emulator reads it.
    package let value: String
}
