import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// The body of a request, read within a limit and parsed strictly.
enum RequestBody {
    /// Most bytes of a body; a sale or a token needs a few thousand.
    static let maximumBytes = 262_144

    /// The bytes of a body.
    ///
    /// - Throws: `BodyFault` for one that is longer than ``maximumBytes``, malformed or broken off.
    static func bytes(of request: Request) async throws(BodyFault) -> [UInt8] {
        try await request.bytes(upTo: maximumBytes)
    }

    static func json(of request: Request) async throws -> JSONValue {
        // A web page can send other types to this machine without asking, this one not.
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
        guard type?.trimmingBlanks() == "application/json" else { throw Problem.notDeclaredAsJSON }
        let bytes = try await bytes(of: request)
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
        if let repeated = firstRepeatedKey(value) {
            throw Problem.unreadable("'\(repeated)' stands more than once in one object")
        }
        return value
    }

    /// Readers disagree about which of two equal keys counts, so a body with them is refused.
    private static func firstRepeatedKey(_ value: JSONValue) -> String? {
        switch value {
        case .object(let object):
            object.repeatedKeys.first ?? object.members.lazy.compactMap { firstRepeatedKey($0.value) }.first
        case .array(let elements):
            elements.lazy.compactMap(firstRepeatedKey).first
        default:
            nil
        }
    }
}

extension StringProtocol {
    fileprivate func trimmingBlanks() -> String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
