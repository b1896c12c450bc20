import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Logging
import NIOCore

/// Gives every request an id, which is in its log lines, in the response, in problems, and in the entries of the audit log
/// that the request causes.
///
/// A trusted proxy may name the request in `X-Request-Id`; from other peers the field is ignored, because anybody could
/// write into the log by it.
struct RequestIdMiddleware<Context: RemoteAddressRequestContext>: RouterMiddleware {
    let trustedProxies: TrustedProxies

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        if trustedProxies.contains(IPAddress(context.remoteAddress)),
            let id = request.headers[.xRequestId], Self.isAccepted(id)
        {
            context.logger[metadataKey: "hb.request.id"] = .string(id)
        }
        var response = try await LedgerRequest.$id.withValue(context.id) { try await next(request, context) }
        response.headers[.xRequestId] = context.id
        return response
    }

    /// True for 1 to 128 letters, digits, hyphens, underscores and points.
    private static func isAccepted(_ id: String) -> Bool {
        (1...128).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

extension HTTPField.Name {
    // The name is a valid token, so the fallback is never taken.
    fileprivate static let xRequestId = HTTPField.Name("X-Request-Id") ?? .via
}
