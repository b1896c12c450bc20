import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads and strictly parses the body of a request up to a size limit.
enum RequestBody {
    /// Reads the bytes of a body.
    ///
    /// - Throws: ``Problem`` 413 that names the limit, or 400 if the body is malformed or incomplete.
    static func bytes(of request: Request, upTo limit: BodyLimits.Limit) async throws(Problem) -> [UInt8] {
        do throws(BodyFault) {
            return try await request.bytes(upTo: limit.bytes)
        } catch {
            throw Problem(error, limit)
        }
    }

    static func json(of request: Request, upTo limit: BodyLimits.Limit) async throws -> JSONValue {
        // A web page can send other content types without a CORS preflight request, but not this one.
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
        guard type?.trimmingBlanks() == "application/json" else { throw Problem.notDeclaredAsJSON }
        let bytes = try await bytes(of: request, upTo: limit)
        let value: JSONValue
        do {
            value = try JSONReader().read(bytes)
        } catch {
            switch error {
            case .notUTF8: throw Problem.unreadable("the body is not UTF-8")
            case .notJSON(let offset): throw Problem.unreadable("the body is not JSON at byte \(offset)")
            case .tooDeep(let offset): throw Problem.unreadable("the body is nested too deep at byte \(offset)")
            }
        }
        // Parsers disagree about which value of a repeated member counts.
        if let repeated = value.firstRepeatedKey {
            throw Problem.unreadable("'\(repeated)' stands more than once in one object")
        }
        return value
    }

    /// Reads and parses a body whose member `bundleId` names an app.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: the largest size of the body.
    ///   - caller: the sender; another app than that of its key is refused with 403.
    ///   - member: the member that gets the app of the caller's key where the body lacks it; nil adds none.
    static func json(
        of request: Request,
        upTo limit: BodyLimits.Limit,
        by caller: Caller,
        naming member: String? = nil
    ) async throws -> JSONValue {
        let body = try await json(of: request, upTo: limit)
        guard let own = caller.bundleId, case .object(var object) = body else { return body }
        try caller.check(object["bundleId"]?.stringValue.map { BundleId($0) })
        if let member, object[member] == nil { object.members.append(.init(member, .string(own.rawValue))) }
        return .object(object)
    }
}

extension StringProtocol {
    fileprivate func trimmingBlanks() -> String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
