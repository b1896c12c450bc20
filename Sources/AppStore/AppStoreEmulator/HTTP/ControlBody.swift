import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// The JSON object of a control request.
///
/// Unknown members are refused by name.
struct ControlBody: Sendable {
    private let object: JSONObject

    static let maximumBytes = 1_048_576

    /// Reads the body.
    ///
    /// - Parameters:
    ///   - request: a request with the content type `application/json`, which no form of a web page can send.
    ///   - known: the members that the path accepts; nil accepts any.
    ///   - maximum: the maximum size of the body in bytes.
    init(
        _ request: Request,
        known: [String]?,
        upTo maximum: Int = maximumBytes
    ) async throws(EmulatorInputError) {
        guard Self.isJSON(request.headers[.contentType]) else {
            throw EmulatorInputError(
                "content-type",
                field: "Content-Type",
                kind: .wrongContentType,
                "a body needs Content-Type: application/json"
            )
        }
        try self.init(await Self.bytes(of: request, upTo: maximum), known: known)
    }

    /// Reads a body that is a document of the emulator's own format, of at most 1 GiB.
    static func document(_ request: Request) async throws(EmulatorInputError) -> [UInt8] {
        guard isJSON(request.headers[.contentType]) else {
            throw EmulatorInputError(
                "content-type",
                field: "Content-Type",
                kind: .wrongContentType,
                "a body needs Content-Type: application/json"
            )
        }
        return try await bytes(of: request, upTo: 1 << 30)
    }

    private init(_ bytes: [UInt8], known: [String]?) throws(EmulatorInputError) {
        let value: JSONValue
        do {
            value = try JSONReader().read(bytes)
        } catch {
            throw EmulatorInputError("not-json", kind: .unreadable, "the body \(error.message(in: bytes))")
        }
        guard let object = value.objectValue else {
            throw EmulatorInputError("not-an-object", kind: .unreadable, "the body is not a JSON object")
        }
        try self.init(object, known: known)
    }

    private init(_ object: JSONObject, known: [String]?) throws(EmulatorInputError) {
        if let key = object.repeatedKeys.first?.clipped() {
            throw EmulatorInputError("repeated-field", field: key, kind: .unreadable, "\(key) occurs more than once")
        }
        if let known, let key = object.members.map(\.key).first(where: { !known.containsName($0) }) {
            let names = known.joined(separator: ", ")
            let name = key.clipped()
            throw EmulatorInputError(
                "unknown-field",
                field: name,
                "there is no member \(name) here; known are \(names)"
            )
        }
        self.object = object
    }

    private static func isJSON(_ contentType: String?) -> Bool {
        let type = contentType?.prefix { $0 != ";" } ?? ""
        return type.lowercased().split(separator: " ").first == "application/json"
    }

    private static func bytes(of request: Request, upTo maximum: Int) async throws(EmulatorInputError) -> [UInt8] {
        do {
            return try await request.bytes(upTo: maximum)
        } catch {
            switch error {
            case .tooLong:
                throw EmulatorInputError("body-too-large", kind: .tooLarge, "the body has more than \(maximum) bytes")
            case .malformed:
                throw EmulatorInputError(
                    "body-malformed",
                    kind: .unreadable,
                    "the body's chunks or length contradict HTTP"
                )
            case .brokenOff:
                throw EmulatorInputError("body-broken-off", kind: .unreadable, "the body broke off")
            }
        }
    }

    /// The members in the order of the text.
    var members: [JSONObject.Member] { object.members }

    /// True when the member is present, even if it is null.
    func names(_ key: String) -> Bool { object[key] != nil }

    /// The value of a member.
    ///
    /// Null counts as absent.
    func value(_ key: String) -> JSONValue? {
        let value = object[key]
        return value == .null ? nil : value
    }

    func string(_ key: String) throws(EmulatorInputError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.stringValue, !text.isEmpty else { throw wrongType(key, "a text that is not empty") }
        return text
    }

    func integer(_ key: String) throws(EmulatorInputError) -> Int64? {
        guard let value = value(key) else { return nil }
        guard let number = value.int64Value else { throw wrongType(key, "a whole number") }
        return number
    }

    func bool(_ key: String) throws(EmulatorInputError) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let flag = value.boolValue else { throw wrongType(key, "true or false") }
        return flag
    }

    /// A nested object; nil when it is absent.
    func object(_ key: String, known: [String]) throws(EmulatorInputError) -> ControlBody? {
        guard let value = value(key) else { return nil }
        guard let object = value.objectValue else { throw wrongType(key, "an object") }
        return try ControlBody(object, known: known)
    }

    /// A moment in UNIX ms, as in tokens and reports.
    func milliseconds(_ key: String) throws(EmulatorInputError) -> Timestamp? {
        guard let number = try integer(key) else { return nil }
        guard (1...EmulatorClock.end.milliseconds).contains(number) else {
            throw wrongType(key, "UNIX time in milliseconds from 1 to \(EmulatorClock.end.milliseconds)")
        }
        return Timestamp(milliseconds: number)
    }

    func required<Value>(_ key: String, _ value: Value?, such form: String) throws(EmulatorInputError) -> Value {
        guard let value else {
            throw EmulatorInputError("missing-field", field: key, "\(key) is missing; it is \(form)")
        }
        return value
    }

    func wrongType(_ key: String, _ form: String) -> EmulatorInputError {
        EmulatorInputError("invalid-field", field: key, "\(key) has an invalid value; it is \(form)")
    }
}
