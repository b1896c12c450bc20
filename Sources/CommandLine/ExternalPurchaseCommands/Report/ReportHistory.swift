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

    private struct Token {
        let id: ExternalPurchaseId
        let app: BundleId?
        let known: KnownToken
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
        now = try fields.date("now")
        let bundleId = try fields.string("bundleId").map(BundleId.init(rawValue:))
        self.bundleId = bundleId
        environment = try fields.environment("environment")
        guard let elements = try fields.objects("tokens") else {
            let isCase = object["setup"] != nil
            throw .input("\(name): has no array \"tokens\"" + (isCase ? "; give the object \"setup\" itself" : ""))
        }
        var tokens: [Token] = []
        for token in elements {
            guard let id = try token.string("externalPurchaseId"), let created = try token.date("tokenCreationDate")
            else { throw .input("\(token.path): needs externalPurchaseId and tokenCreationDate") }
            let known = KnownToken(
                creationDate: created,
                tokenType: try token.string("tokenType").map(TokenType.init(rawValue:)),
                expirationDate: try token.date("tokenExpirationDate")
            )
            let app = try token.string("bundleId").map(BundleId.init(rawValue:)) ?? bundleId
            tokens.append(Token(id: ExternalPurchaseId(rawValue: id), app: app, known: known))
        }
        self.tokens = tokens
        for accepted in try fields.objects("accepted") ?? [] {
            do {
                let report = try ReceivedReport.read(accepted.object)
                let token = tokens.first { $0.id == report.externalPurchaseId }
                // A report belongs to its own environment, even if the endpoint is pinned to another one.
                let environment = report.externalPurchaseId?.environment ?? environment ?? .production
                let scope = Scope(app: token?.app ?? bundleId, environment: environment)
                histories[scope, default: AcceptedHistory()].accept(report)
            } catch {
                throw .input("\(accepted.path): is no report: \(error)")
            }
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
