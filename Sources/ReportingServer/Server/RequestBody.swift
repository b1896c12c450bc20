import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import NIOCore

/// The body of a request, read within a limit and parsed strictly.
enum RequestBody {
    /// Most bytes of a body; a sale or a token needs a few thousand.
    static let maximumBytes = 262_144

    /// Most bytes that are read and thrown away beyond that.
    ///
    /// A client that closes after the answer reads it only when everything is sent; a refusal in the middle would leave it
    /// hanging.
    static let discardedBytes = 67_108_864

    /// The bytes of a body.
    ///
    /// - Throws: `HTTPError` 413 beyond ``maximumBytes``.
    static func bytes(of request: Request) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var length = 0
        for try await part in request.body {
            length += part.readableBytes
            if length <= maximumBytes {
                bytes.append(contentsOf: part.readableBytesView)
            } else if length > discardedBytes {
                break
            }
        }
        guard length <= maximumBytes else { throw HTTPError(.contentTooLarge) }
        return bytes
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
