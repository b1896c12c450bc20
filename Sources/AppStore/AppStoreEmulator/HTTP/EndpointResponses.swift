import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import NIOCore

// This file chooses every status of the server.

/// A response of the report endpoint (spec/04 section 3).
enum ReportEndpointResponse: Hashable, Sendable {
    case accepted(RequestIdentifier)
    case found(ReceivedReport)
    case rejected([ReportError])
    /// A single error object without an array, as for a retrieval (S12).
    case rejectedBare(ReportError)
    /// 400 with an empty body (S1).
    case malformed
    case unauthenticated
    case rateLimited(retryAt: Timestamp)
    /// The report could not be stored, so it was not accepted.
    case notStored

    /// The response in the form that the settings choose.
    func response(_ answers: AnswerSettings) -> Response {
        let response = response
        return kind.map { answers.shaped(response, $0) } ?? response
    }

    private var kind: AnswerSettings.Kind? {
        switch self {
        case .accepted: .accepted
        case .rejected: .refused
        case .rejectedBare: .notFound
        case .malformed: .malformed
        case .unauthenticated: .unauthenticated
        case .found, .rateLimited, .notStored: nil
        }
    }

    var response: Response {
        switch self {
        case .rateLimited(let retryAt): .injected(status: 429, retryAt: retryAt)
        case .notStored: .injected(status: 500, retryAt: nil)
        case .accepted(let requestIdentifier):
            .json(["requestIdentifier": .string(requestIdentifier.text)])
        case .found(let report):
            .json(["report": report.json])
        case .rejected(let errors):
            .json(["errors": .array(errors.map(\.json))], status: .badRequest)
        case .rejectedBare(let error):
            .json(error.json, status: .badRequest)
        case .malformed:
            Response(status: .badRequest)
        case .unauthenticated:
            .unauthenticated
        }
    }
}

/// A response of the notification endpoints (spec/06 sections 7 and 8).
enum NotificationEndpointResponse: Sendable {
    case testRequested(String)
    case testStatus(NotificationRecord)
    case history([NotificationRecord], next: String?)
    case refused(NotificationEndpointError)
    case unauthenticated
    case rateLimited(retryAt: Timestamp)

    var response: Response {
        switch self {
        case .testRequested(let token):
            return .json(["testNotificationToken": .string(token)])
        case .testStatus(let record):
            return .json(record.historyJSON)
        case .history(let records, let next):
            var members: JSONObject = [
                "notificationHistory": .array(records.map(\.historyJSON)), "hasMore": .bool(next != nil),
            ]
            if let next { members["paginationToken"] = .string(next) }
            return .json(.object(members))
        case .refused(let error):
            let object: JSONObject = [
                "errorCode": .integer(Int64(error.code)), "errorMessage": .string(error.message),
            ]
            return .json(.object(object), status: error.isNotFound ? .notFound : .badRequest)
        case .unauthenticated:
            return .unauthenticated
        case .rateLimited(let retryAt):
            return .injected(status: 429, retryAt: retryAt)
        }
    }
}

extension Response {
    static func bytes(_ bytes: [UInt8], contentType: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    /// The body gives no reason (SA-15).
    static let unauthenticated = Response(
        status: .unauthorized,
        headers: [.contentType: "text/plain"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: "Unauthenticated"))
    )

    /// The response of an injected status, with the documented body of that status or none; 400 as for a malformed
    /// body.
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

    /// The response of a control path to an invalid request.
    static func refusal(_ error: EmulatorInputError) -> Response {
        var members: JSONObject = ["error": .string(error.name)]
        if let field = error.field { members["field"] = .string(field) }
        members["message"] = .string(error.message)
        var response = json(.object(members), status: error.kind.status)
        if case .wrongMethod(let allowed) = error.kind {
            response.headers[.allow] = allowed.joined(separator: ", ")
        }
        return response
    }

    /// The response to an unknown path or method under Apple's paths, without a body (SA-2).
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
        case .notStored: .internalServerError
        case .stopping: .serviceUnavailable
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
