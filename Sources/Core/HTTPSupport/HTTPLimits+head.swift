import ExternalPurchaseCore
import HummingbirdCore
import NIOHTTP1

extension HTTPLimits {
    /// The refusal of a head that is too large, or does not name exactly one host; nil for any other.
    ///
    /// Of two `Host` fields a proxy may take one and the server the other, so that both see another request. HTTP/1.1
    /// requires the field, HTTP/1.0 does not (RFC 9112, section 3.2).
    func refusal(of head: HTTPRequestHead) -> HeadRefusal? {
        if head.uri.utf8.count > targetBytes { return .targetTooLong }
        // Two bytes each for ": " and the line's end.
        let size = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        if size > headerBytes { return .fieldsTooLarge }
        switch head.headers["Host"].count {
        case 0: return (head.version.major, head.version.minor) >= (1, 1) ? .hostMissing : nil
        case 1: return nil
        default: return .hostRepeated
        }
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

/// Why a request is answered without being read.
enum HeadRefusal: Hashable {
    case targetTooLong, fieldsTooLarge, hostMissing, hostRepeated
    /// The request did not arrive completely in time.
    case timeout

    var status: HTTPResponseStatus {
        switch self {
        case .targetTooLong: .uriTooLong
        case .fieldsTooLarge: .requestHeaderFieldsTooLarge
        case .hostMissing, .hostRepeated: .badRequest
        case .timeout: .requestTimeout
        }
    }

    /// The body of the response (RFC 9457).
    func problem(requestId: String) -> String {
        let (kind, detail) =
            switch self {
            case .targetTooLong: ("target-too-long", "the address is longer than http.maxTargetSize")
            case .fieldsTooLarge: ("head-too-large", "the fields are larger than http.maxHeaderSize")
            case .hostMissing: ("host-missing", "the request has no Host field; HTTP/1.1 requires exactly one")
            case .hostRepeated: ("host-repeated", "the request has more than one Host field; send exactly one")
            case .timeout: ("timeout", "the request did not arrive completely in time")
            }
        let object = JSONObject([
            .init("type", .string("urn:external-purchase:problem:\(kind)")),
            .init("title", .string(status.reasonPhrase)),
            .init("status", .integer(Int64(status.code))), .init("detail", .string(detail)),
            .init("requestId", .string(requestId)),
        ])
        return String(decoding: JSONValue.object(object).encoded(), as: UTF8.self) + "\n"
    }
}
