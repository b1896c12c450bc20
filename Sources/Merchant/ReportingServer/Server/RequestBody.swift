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
        try await sizedJSON(of: request, upTo: limit).value
    }

    /// The value of a body, with the number of its bytes.
    static func sizedJSON(
        of request: Request,
        upTo limit: BodyLimits.Limit
    ) async throws -> (value: JSONValue, size: Int) {
        // A web page can send other content types without a CORS preflight request, but not this one.
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
        guard type?.trimmingBlanks() == "application/json" else { throw Problem.notDeclaredAsJSON }
        let bytes = try await bytes(of: request, upTo: limit)
        let value: JSONValue
        do {
            value = try JSONReader().read(bytes)
        } catch {
            throw Problem.unreadable("the body \(error.message(in: bytes))")
        }
        // Parsers disagree about which value of a repeated member counts.
        if let repeated = value.firstRepeatedKey {
            throw Problem.unreadable("'\(repeated.clipped())' stands more than once in one object")
        }
        return (value, bytes.count)
    }
}

extension StringProtocol {
    fileprivate func trimmingBlanks() -> String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
