import ExternalPurchaseCore
import HummingbirdCore
import NIOHTTP1

extension HTTPLimits {
    /// The refusal of a head that is too large, has a text that is not stream-safe, does not name exactly one host, or has
    /// a body in a coding that is not read;
    /// nil for any other.
    ///
    /// Of two `Host` fields a proxy may take one and the server the other, so that both see another request. HTTP/1.1
    /// requires the field, HTTP/1.0 does not (RFC 9112, section 3.2).
    func refusal(of head: HTTPRequestHead) -> HeadRefusal? {
        if head.uri.utf8.count > targetBytes { return .targetTooLong }
        // Two bytes each for ": " and the line's end.
        let size = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        if size > headerBytes { return .fieldsTooLarge }
        guard head.uri.isStreamSafeTarget, head.headers.allSatisfy(\.value.isStreamSafe) else { return .notStreamSafe }
        switch head.headers["Host"].count {
        case 0: if head.version.isAtLeast11 { return .hostMissing }
        case 1: break
        default: return .hostRepeated
        }
        let codings = head.headers["Transfer-Encoding"]
        // A proxy of HTTP/1.0 does not read the field, and would take the body for the next request (RFC 9112, section 6.1).
        if !codings.isEmpty, !head.version.isAtLeast11 { return .codingBefore11 }
        return codings.isEmpty || codings.count == 1 && codings[0].lowercased() == "chunked" ? nil : .codingUnknown
    }

    /// The limits of the decoder, which holds no more than a head that is accepted.
    var decoder: HTTP1Channel.Configuration.DecoderConfiguration {
        HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: max(targetBytes, headerBytes),
            maxHeaderListSize: targetBytes + headerBytes
        )
    }
}

extension HTTPVersion {
    /// True for HTTP/1.1 and later versions.
    var isAtLeast11: Bool { (major, minor) >= (1, 1) }
}

extension HTTPRequestHead {
    /// True if the client waits for `100 Continue` before it sends the body.
    var expectsContinue: Bool {
        version == .http1_1 && headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }
}

/// Why a request is answered without being read.
enum HeadRefusal: Hashable {
    case targetTooLong, fieldsTooLarge, notStreamSafe, hostMissing, hostRepeated, codingUnknown, codingBefore11
    /// The request did not arrive completely in time.
    case timeout

    var status: HTTPResponseStatus {
        switch self {
        case .targetTooLong: .uriTooLong
        case .fieldsTooLarge: .requestHeaderFieldsTooLarge
        case .notStreamSafe, .hostMissing, .hostRepeated, .codingBefore11: .badRequest
        case .codingUnknown: .notImplemented
        case .timeout: .requestTimeout
        }
    }

    /// The body of the response (RFC 9457).
    func problem(requestId: String) -> String {
        let (kind, detail) =
            switch self {
            case .targetTooLong: ("target-too-long", "the address is longer than http.maxTargetSize")
            case .fieldsTooLarge: ("head-too-large", "the fields are larger than http.maxHeaderSize")
            case .notStreamSafe: ("text", "the address, or a field, \(StreamSafeText.refusal)")
            case .hostMissing: ("host-missing", "the request has no Host field; HTTP/1.1 requires exactly one")
            case .hostRepeated: ("host-repeated", "the request has more than one Host field; send exactly one")
            case .codingUnknown:
                ("transfer-coding-unknown", "Transfer-Encoding is not exactly chunked; no other coding is read")
            case .codingBefore11:
                ("transfer-coding-unknown", "HTTP/1.0 has no Transfer-Encoding; send the body with Content-Length")
            case .timeout: ("timeout", "the request did not arrive completely in time")
            }
        let object: JSONObject = [
            "type": .string("urn:external-purchase:problem:\(kind)"),
            "title": .string(status.reasonPhrase),
            "status": .integer(Int64(status.code)), "detail": .string(detail),
            "requestId": .string(requestId),
        ]
        return String(decoding: JSONValue.object(object).encoded(), as: UTF8.self) + "\n"
    }
}

extension String {
    /// True if a request's target is stream-safe after its escapes are decoded; invalid escapes stay as they are.
    fileprivate var isStreamSafeTarget: Bool {
        guard utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 >= 0x80 }) else { return true }
        var decoded: [UInt8] = []
        var rest = Array(utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.prefix(2).count == 2, rest.prefix(2).allSatisfy(\.isHexDigit),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                decoded.append(value)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self).isStreamSafe
    }
}
