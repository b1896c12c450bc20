import AppStoreNotifications
import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
package import Hummingbird
import Ledger
package import Reporting

// Every status of the server is chosen in this file.

extension Problem {
    /// 400: the body is not JSON.
    static func unreadable(_ detail: String) -> Problem {
        Problem(.badRequest, kind: "unreadable", title: "The body cannot be read", detail: detail)
    }

    /// 404: nothing is there.
    static func notFound(_ detail: String) -> Problem {
        Problem(.notFound, kind: "not-found", title: "Not found", detail: detail)
    }

    /// 403: the request was not meant for this server.
    static func foreignHost(_ host: String) -> Problem {
        Problem(
            .forbidden,
            kind: "foreign-host",
            title: "Not meant for this server",
            detail: "'\(host)' is not this machine; without API keys the interface answers loopback addresses only"
        )
    }

    /// 415: the body is not declared as JSON.
    static let notDeclaredAsJSON = Problem(
        .unsupportedMediaType,
        kind: "unsupported-media-type",
        title: "The body must be JSON",
        detail: "send Content-Type: application/json"
    )

    /// 422: a field is wrong.
    static func invalid(_ path: String, _ message: String) -> Problem {
        invalid([FieldError(path, message)])
    }

    static func invalid(_ errors: [FieldError]) -> Problem {
        // `errors` has the rest.
        let told = errors.prefix(10).map { "\($0.path.isEmpty ? "the body" : $0.path): \($0.message)" }
        let detail = told.joined(separator: "; ") + (errors.count > 10 ? "; …" : "")
        return Problem(
            .unprocessableContent,
            kind: "invalid",
            title: errors.count == 1 ? "A field is wrong" : "Some fields are wrong",
            detail: detail,
            errors: errors
        )
    }

    /// 422, 409, 404 or 503 by cause.
    ///
    /// What the store said goes to the log, not to the client.
    package init(_ refusal: RequestError) {
        switch refusal {
        case .invalid(let errors):
            self = .invalid(errors)
        case .conflict(let detail):
            self.init(.conflict, kind: "conflict", title: "The id is known with other content", detail: detail)
        case .unknown(let detail):
            self = .notFound(detail)
        case .impossible(let detail):
            self.init(.conflict, kind: "impossible", title: "Not possible as things stand", detail: detail)
        case .needsCorrection(let detail, let dryRuns):
            self.init(.conflict, kind: "needs-correction", title: "Apple accepted the sale", detail: detail)
            extensions = dryRuns.members
        case .unanswered(let detail):
            self.init(.serviceUnavailable, kind: "unanswered", title: "Apple gave no answer", detail: detail)
        case .notStored:
            self.init(
                .serviceUnavailable,
                kind: "not-stored",
                title: "Not stored",
                detail: "nothing of the request was stored; send it again"
            )
        }
    }

    /// 503: requests cannot be stored at the moment.
    init(notReady readiness: Readiness) {
        self.init(
            .serviceUnavailable,
            kind: "not-ready",
            title: "The server is not ready",
            detail: readiness.problems.map(\.detail).joined(separator: "; ")
        )
        extensions = [readiness.member]
    }

    /// 409: a correction is not what its dry run showed, or cannot be sent now; the newest dry run comes with it.
    init(stale detail: String, _ dryRun: CorrectionDryRun) {
        self.init(.conflict, kind: "correction-stale", title: "The correction was not confirmed", detail: detail)
        extensions = dryRun.members
    }

    /// 400 for a notification that is not genuine or not for this server, 503 for one that may pass later (NT-37).
    init(_ refusal: NotificationRefusal) {
        self.init(
            refusal.failure.mayPassLater ? .serviceUnavailable : .badRequest,
            kind: refusal.failure.rawValue,
            title: "The notification was not taken",
            detail: refusal.message
        )
    }

    /// 405: the path exists, and takes other methods.
    init(notAllowed method: HTTPRequest.Method, allowed: [HTTPRequest.Method]) {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        self.init(
            .methodNotAllowed,
            kind: "method-not-allowed",
            title: "Another method",
            detail: "this path takes \(list)"
        )
        allow = list
    }

    /// 413 or 400: the body cannot be used.
    init(_ fault: BodyFault) {
        switch fault {
        case .tooLong: self.init(HTTPError(.contentTooLarge))
        case .malformed: self = .unreadable("the body's chunks or its length contradict HTTP")
        case .brokenOff: self = .unreadable("the body ended before its length")
        }
        closesConnection = fault != .tooLong
    }

    /// What the HTTP library refused: a path that does not exist, a body that is too large.
    package init(_ error: HTTPError) {
        switch error.status {
        case .notFound:
            self = .notFound("there is nothing at this path")
        case .contentTooLarge:
            self.init(
                error.status,
                kind: "too-large",
                title: "The body is too large",
                detail: "at most \(RequestBody.maximumBytes) bytes are read"
            )
        default:
            self.init(error.status, kind: "http", title: "The request was refused", detail: error.body ?? "")
        }
    }

    /// 500: a defect of ours; the log has the cause under the request's id.
    static let `internal` = Problem(
        .internalServerError,
        kind: "internal",
        title: "The server failed",
        detail: "the log names the cause under this requestId"
    )
}
