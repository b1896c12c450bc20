import ExternalPurchaseCore
import HummingbirdCore
import NIOHTTP1

extension HTTPLimits {
    /// The status of a head that is too large or names several hosts, or nil.
    ///
    /// Of two `Host` fields a proxy may take one and the server the other, so that both see another request (RFC 9112,
    /// section 3.2).
    func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
        if head.uri.utf8.count > targetBytes { return .uriTooLong }
        // Two bytes each for ": " and the line's end.
        let size = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        if size > headerBytes { return .requestHeaderFieldsTooLarge }
        return head.headers["Host"].count > 1 ? .badRequest : nil
    }

    /// The limits of the decoder, which holds no more than a head that is accepted.
    var decoder: HTTP1Channel.Configuration.DecoderConfiguration {
        HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: max(targetBytes, headerBytes),
            maxHeaderListSize: targetBytes + headerBytes
        )
    }
}

extension HTTPRequestHead {
    /// True if the client waits for `100 Continue` before it sends the body.
    var expectsContinue: Bool {
        version == .http1_1 && headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }
}

extension HTTPResponseStatus {
    /// The body of a refusal (RFC 9457).
    func problem(requestId: String) -> String {
        let (kind, detail) =
            switch self {
            case .uriTooLong: ("target-too-long", "the address is longer than http.maxTargetSize")
            case .requestHeaderFieldsTooLarge: ("head-too-large", "the fields are larger than http.maxHeaderSize")
            case .badRequest: ("host-repeated", "the request has more than one Host field; send exactly one")
            default: ("timeout", "the request did not arrive completely in time")
            }
        let object = JSONObject([
            .init("type", .string("urn:external-purchase:problem:\(kind)")), .init("title", .string(reasonPhrase)),
            .init("status", .integer(Int64(code))), .init("detail", .string(detail)),
            .init("requestId", .string(requestId)),
        ])
        return String(decoding: JSONValue.object(object).encoded(), as: UTF8.self) + "\n"
    }
}
