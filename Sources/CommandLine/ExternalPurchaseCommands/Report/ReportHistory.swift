import CommandSupport
import ExternalPurchaseCore
import ReportValidation

/// The history before a report, in the form of a recorded case's `setup` (RR-90): clock, tokens, accepted reports.
struct ReportHistory {
    /// The time of the validation; nil means the machine's time.
    let now: Timestamp?
    private let bundleId: BundleId?
    private let environment: AppStoreEnvironment?
    private let tokens: [Token]
    private var histories: [Scope: AcceptedHistory] = [:]

    private struct Token: Equatable {
        let id: ExternalPurchaseId
        let app: BundleId?
        let known: KnownToken

        init(_ fields: HistoryFields, app: BundleId?) throws(CommandFailure) {
            // `appAppleId` is in every decoded token, and no rule reads it.
            try fields.check(
                members: ["externalPurchaseId", "tokenCreationDate", "tokenType", "tokenExpirationDate", "bundleId"],
                besides: ["appAppleId"]
            )
            guard let id = try fields.string("externalPurchaseId"), let created = try fields.date("tokenCreationDate")
            else { throw .input("\(fields.path): needs externalPurchaseId and tokenCreationDate") }
            self.id = ExternalPurchaseId(rawValue: id)
            self.app = try fields.string("bundleId").map(BundleId.init(rawValue:)) ?? app
            known = KnownToken(
                creationDate: created,
                tokenType: try fields.string("tokenType").map(TokenType.init(rawValue:)),
                expirationDate: try fields.date("tokenExpirationDate")
            )
        }
    }

    /// The app, nil if none is named, and the environment (SA-90).
    private struct Scope: Hashable {
        let app: BundleId?
        let environment: AppStoreEnvironment
    }

    /// Parses a history.
    ///
    /// - Parameters:
    ///   - bytes: the JSON object.
    ///   - name: the name of the file, for messages.
    /// - Throws: the problem and its location, exit code 2.
    init(_ bytes: [UInt8], name: String) throws(CommandFailure) {
        let object = try HistoryFields.object(bytes, name: name)
        let fields = HistoryFields(object: object, path: name)
        guard let elements = try fields.objects("tokens") else {
            let isCase = object["setup"] != nil
            throw .input("\(name): has no array \"tokens\"" + (isCase ? "; give the object \"setup\" itself" : ""))
        }
        // A recorded case is a history with a name and steps.
        try fields.check(members: ["now", "tokens", "accepted", "bundleId", "environment"], besides: ["id", "steps"])
        now = try fields.date("now")
        let bundleId = try fields.string("bundleId").map(BundleId.init(rawValue:))
        self.bundleId = bundleId
        environment = try fields.environment("environment")
        var tokens: [Token] = []
        for element in elements {
            let token = try Token(element, app: bundleId)
            if let earlier = tokens.firstIndex(where: { $0.id == token.id }), tokens[earlier] != token {
                throw .input("\(element.path): states the token of tokens[\(earlier)] again, with other values")
            }
            tokens.append(token)
        }
        self.tokens = tokens
        let apps = Set(tokens.map(\.app))
        for element in try fields.objects("accepted") ?? [] {
            let report = try element.report()
            let token = tokens.first { $0.id == report.externalPurchaseId }
            if token == nil, bundleId == nil, apps.count > 1 {
                throw .input(
                    "\(element.path): its token is not in \"tokens\", which has tokens of several apps; add the token, "
                        + "or the \"bundleId\" of the caller"
                )
            }
            let app = token?.app ?? bundleId ?? apps.first ?? nil
            // A report belongs to its own environment, even if the endpoint is pinned to another one.
            let environment = report.externalPurchaseId?.environment ?? environment ?? .production
            histories[Scope(app: app, environment: environment), default: AcceptedHistory()].accept(report)
        }
    }

    private func scope(of report: ReceivedReport, app: BundleId?) -> Scope {
        Scope(app: app, environment: environment ?? report.externalPurchaseId?.environment ?? .production)
    }

    /// The part of the history that the report's validation needs.
    ///
    /// Without `bundleId`, the caller is the app of the report's token, otherwise that of the first token, so that a
    /// wrong id is reported together with the other errors.
    func slice(for report: ReceivedReport) -> HistorySlice {
        let named = tokens.first { $0.id == report.externalPurchaseId }
        let scope = scope(of: report, app: bundleId ?? (named ?? tokens.first)?.app)
        let token = tokens.first { token in
            token.id == report.externalPurchaseId && token.app == scope.app
                && token.id.environment == scope.environment
        }
        return (histories[scope] ?? AcceptedHistory()).slice(for: HistoryNeeds(of: report), token: token?.known)
    }
}

/// Reads the members of one object of a history, with their location for errors.
private struct HistoryFields {
    let object: JSONObject
    let path: String

    static func object(_ bytes: [UInt8], name: String) throws(CommandFailure) -> JSONObject {
        do {
            if let object = try JSONReader().read(bytes).objectValue { return object }
        } catch {
            throw .input("\(name): \(error.message(in: bytes))")
        }
        throw .input(#"\#(name): is not an object such as {"now":…,"tokens":[…],"accepted":[…]}"#)
    }

    private func place(_ key: String) -> String { path + ": " + key }

    private func value(_ key: String) -> JSONValue? {
        let value = object[key]
        return value == .null ? nil : value
    }

    func string(_ key: String) throws(CommandFailure) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.stringValue else { throw .input("\(place(key)) must be a string") }
        return text.isEmpty ? nil : text
    }

    func date(_ key: String) throws(CommandFailure) -> Timestamp? {
        guard let value = value(key) else { return nil }
        // Limited to the range of calendars, so that no sum of dates overflows.
        guard let milliseconds = value.int64Value, (0...253_402_300_799_999).contains(milliseconds) else {
            throw .input("\(place(key)) must be a time in UNIX milliseconds, such as 1795176000000")
        }
        return Timestamp(milliseconds: milliseconds)
    }

    func environment(_ key: String) throws(CommandFailure) -> AppStoreEnvironment? {
        guard let text = try string(key) else { return nil }
        guard let environment = AppStoreEnvironment.named(text) else {
            throw .input("\(place(key)) must be production or sandbox, not \"\(text)\"")
        }
        return environment
    }

    /// Refuses a member that means nothing here, because a misspelt one would leave out what it states.
    func check(members: [String], besides others: [String]) throws(CommandFailure) {
        for name in object.members.map(\.key) where !members.contains(name) && !others.contains(name) {
            throw .input("\(path): has no member \(name.shown()); known are \(members.joined(separator: ", "))")
        }
    }

    /// Reads an accepted report, by itself or as the member `report` of Apple's answer to a request for it (SA-23).
    func report() throws(CommandFailure) -> ReceivedReport {
        guard let value = value("report") else { return try readReport() }
        try check(members: ["report"], besides: [])
        guard let object = value.objectValue else { throw .input("\(place("report")) must be an object") }
        return try HistoryFields(object: object, path: place("report")).readReport()
    }

    private func readReport() throws(CommandFailure) -> ReceivedReport {
        let report: ReceivedReport
        do {
            report = try ReceivedReport.read(object)
        } catch {
            throw .input("\(path): is no report: \(error)")
        }
        // Without these, Apple accepts no report (E4, E9), and the history would not have what it states.
        var missing: [String] = []
        if report.requestIdentifier == nil { missing.append("requestIdentifier") }
        if report.externalPurchaseId == nil { missing.append("externalPurchaseId") }
        if report.status == nil { missing.append("status") }
        if report.status == .lineItem, report.lineItems?.isEmpty ?? true { missing.append("lineItems") }
        for (index, item) in (report.lineItems ?? []).enumerated() where item.lineItemId == nil {
            missing.append("lineItems[\(index)].lineItemId")
        }
        guard missing.isEmpty else {
            throw .input("\(path): is no accepted report: it has no \(missing.prefix(4).joined(separator: ", "))")
        }
        return report
    }

    func objects(_ key: String) throws(CommandFailure) -> [HistoryFields]? {
        guard let value = value(key) else { return nil }
        guard let elements = value.arrayValue else { throw .input("\(place(key)) must be an array") }
        var fields: [HistoryFields] = []
        for (index, element) in elements.enumerated() {
            guard let object = element.objectValue else {
                throw .input("\(place(key))[\(index)] must be an object")
            }
            fields.append(HistoryFields(object: object, path: "\(place(key))[\(index)]"))
        }
        return fields
    }
}
