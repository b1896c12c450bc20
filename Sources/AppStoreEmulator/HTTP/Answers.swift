import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import NIOCore

// Every status of this server is chosen in this file.

/// What the report endpoint answers (spec/04 section 3).
enum ReportEndpointAnswer: Hashable, Sendable {
    case accepted(RequestIdentifier)
    case found(ReceivedReport)
    case rejected([ReportError])
    /// One error object that stands alone, as a retrieval's (S12).
    case rejectedBare(ReportError)
    /// 400 with an empty body (S1).
    case malformed
    case unauthenticated

    var response: Response {
        switch self {
        case .accepted(let requestIdentifier):
            .json(.object(JSONObject([.init("requestIdentifier", .string(requestIdentifier.text))])))
        case .found(let report):
            .json(.object(JSONObject([.init("report", report.json)])))
        case .rejected(let errors):
            .json(.object(JSONObject([.init("errors", .array(errors.map(\.json)))])), status: .badRequest)
        case .rejectedBare(let error):
            .json(error.json, status: .badRequest)
        case .malformed:
            Response(status: .badRequest)
        case .unauthenticated:
            .unauthenticated
        }
    }
}

extension Response {
    /// The body names no reason (SA-15).
    static let unauthenticated = Response(
        status: .unauthorized,
        headers: [.contentType: "text/plain"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: "Unauthenticated"))
    )

    /// What a fault answers: the documented body of its status, else none; 400 as for a malformed body.
    static func injected(status: Int, retryAt: Timestamp?) -> Response {
        var response =
            switch status {
            case 401: unauthenticated
            case 429: error(4_290_000, "Rate limit exceeded.", .tooManyRequests)
            case 500: error(5_000_000, "An unknown error occurred.", .internalServerError)
            default: Response(status: .init(code: status))
            }
        if let retryAt { response.headers[.retryAfter] = String(retryAt.milliseconds) }
        return response
    }

    private static func error(_ code: Int, _ message: String, _ status: HTTPResponse.Status) -> Response {
        json(ReportError(errorCode: .init(rawValue: code), errorMessage: message).json, status: status)
    }

    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: value.encoded()))
        )
    }

    /// What a control path answers to a request that it cannot take.
    static func refusal(_ error: EmulatorInputError) -> Response {
        var members: [JSONObject.Member] = [.init("error", .string(error.name))]
        if let field = error.field { members.append(.init("field", .string(field))) }
        members.append(.init("message", .string(error.message)))
        var response = json(.object(JSONObject(members)), status: error.kind.status)
        if case .wrongMethod(let allowed) = error.kind {
            response.headers[.allow] = allowed.joined(separator: ", ")
        }
        return response
    }

    /// What Apple's paths answer to a request for something else: no body (SA-2).
    static func noSuchPath(allowed: [HTTPRequest.Method]) -> Response {
        guard !allowed.isEmpty else { return Response(status: .notFound) }
        return Response(
            status: .methodNotAllowed,
            headers: [.allow: allowed.map(\.rawValue).joined(separator: ", ")]
        )
    }
}

extension EmulatorInputError.Kind {
    fileprivate var status: HTTPResponse.Status {
        switch self {
        case .invalid: .unprocessableContent
        case .conflict: .conflict
        case .unreadable: .badRequest
        case .tooLarge: .contentTooLarge
        case .wrongContentType: .unsupportedMediaType
        case .foreign: .forbidden
        case .unknownPath: .notFound
        case .wrongMethod: .methodNotAllowed
        }
    }
}
