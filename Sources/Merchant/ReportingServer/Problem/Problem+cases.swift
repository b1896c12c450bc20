import AppStoreNotifications
import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

// This file chooses every error status of the server.

extension Problem {
    /// Creates a 400 response: the body is not JSON.
    static func unreadable(_ detail: String) -> Problem {
        Problem(.badRequest, kind: "unreadable", title: "The body cannot be read", detail: detail)
    }

    /// Creates a 404 response: the resource does not exist.
    static func notFound(_ detail: String) -> Problem {
        Problem(.notFound, kind: "not-found", title: "Not found", detail: detail)
    }

    /// Creates a 403 response: the request is for another host.
    static func foreignHost(_ host: String) -> Problem {
        Problem(
            .forbidden,
            kind: "foreign-host",
            title: "Not meant for this server",
            detail: "'\(host.clipped().printable)' is not this machine; "
                + "without API keys the interface answers loopback addresses only"
        )
    }

    /// Creates a 400 response: the signature of a delivery is wrong.
    static func wrongSignature(_ detail: String) -> Problem {
        Problem(.badRequest, kind: "wrong-signature", title: "The signature is wrong", detail: detail)
    }

    /// The 415 response: the body is not declared as JSON.
    static let notDeclaredAsJSON = Problem(
        .unsupportedMediaType,
        kind: "unsupported-media-type",
        title: "The body must be JSON",
        detail: "send Content-Type: application/json"
    )

    /// Creates a 422 response: a field is wrong.
    static func invalid(_ path: String, _ message: String) -> Problem {
        invalid([FieldError(path, message)])
    }

    /// Creates a 422 response with the first errors and the number of the others.
    static func invalid(_ all: [FieldError]) -> Problem {
        let errors = FieldError.bounded(all)
        // The text shows ten errors; `errors` contains all.
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

    /// Lists the errors of an item of a batch only while the answer may list as many.
    ///
    /// - Parameter budget: the number of errors that the answer may still list.
    func shortened(within budget: inout Int) -> Problem {
        if errors.count <= budget {
            budget -= errors.count
            return self
        }
        var short = self
        let first = errors.first.map { "\($0.path.isEmpty ? "the body" : $0.path): \($0.message)" } ?? detail
        short.detail = first.clipped(to: 200) + (errors.count > 1 ? "; and more" : "")
        short.errors = []
        return short
    }

    /// Creates a 422, 409, 404 or 503 response, depending on the error.
    ///
    /// Details of store errors are written to the log and not sent to the client.
    init(_ refusal: RequestError) {
        switch refusal {
        case .invalid(let errors):
            self = .invalid(errors)
        case .foreignApp(let named, let own):
            self.init(foreignApp: named, of: own)
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
            headers[.retryAfter] = "1"
        }
    }

    /// Creates a 503 response: the server cannot store requests at the moment.
    init(notReady readiness: Readiness) {
        self.init(
            .serviceUnavailable,
            kind: "not-ready",
            title: "The server is not ready",
            detail: readiness.problems.map(\.detail).joined(separator: "; ")
        )
        extensions = [readiness.member]
    }

    /// The 503 response of a server that was asked to end: a load balancer sends further requests elsewhere.
    static let stopping = Problem(
        .serviceUnavailable,
        kind: "stopping",
        title: "The server ends",
        detail: "requests in progress are answered; send further ones to another server"
    )

    /// Creates a 409 response: a correction differs from its dry run or cannot be sent now.
    ///
    /// The response contains the newest dry run.
    init(stale detail: String, _ dryRun: CorrectionDryRun) {
        self.init(.conflict, kind: "correction-stale", title: "The correction was not confirmed", detail: detail)
        extensions = dryRun.members
    }

    /// Creates the response to a refused notification (NT-37).
    ///
    /// The status is 400 if the notification is not genuine or not for this server, and 503 if a repetition may be
    /// accepted.
    init(_ refusal: NotificationRefusal) {
        self.init(
            refusal.failure.mayPassLater ? .serviceUnavailable : .badRequest,
            kind: refusal.failure.rawValue,
            title: "The notification was not taken",
            detail: refusal.message
        )
    }

    /// Creates a 405 response: the path exists with other methods.
    init(notAllowed method: HTTPRequest.Method, allowed: [HTTPRequest.Method]) {
        let list = allowed.map(\.rawValue).joined(separator: ", ")
        self.init(
            .methodNotAllowed,
            kind: "method-not-allowed",
            title: "Another method",
            detail: "this path takes \(list)"
        )
        headers[.allow] = list
    }

    /// Creates a 413 or 400 response: the body is too long or malformed.
    ///
    /// - Parameter limit: the limit of the body, which the response names; nil if it is not known.
    init(_ fault: BodyFault, _ limit: BodyLimits.Limit? = nil) {
        switch fault {
        case .tooLong:
            self.init(HTTPError(.contentTooLarge))
            if let limit { detail = "the body has more than \(limit.bytes) bytes, the limit of \(limit.name)" }
        case .malformed: self = .unreadable("the body's chunks or its length contradict HTTP")
        case .brokenOff: self = .unreadable("the body ended before its length")
        }
        closesConnection = fault != .tooLong
    }

    /// Creates the response to an error of the HTTP library, such as an unknown path or a body that is too large.
    init(_ error: HTTPError) {
        switch error.status {
        case .notFound:
            self = .notFound("there is nothing at this path")
        case .contentTooLarge:
            self.init(
                error.status,
                kind: "too-large",
                title: "The body is too large",
                detail: "the body is larger than this path accepts; docs/settings.md has the limits"
            )
        default:
            self.init(error.status, kind: "http", title: "The request was refused", detail: error.body ?? "")
        }
    }

    /// The 500 response: a defect of the server; the log contains the cause with the id of the request.
    static let `internal` = Problem(
        .internalServerError,
        kind: "internal",
        title: "The server failed",
        detail: "the log names the cause under this requestId"
    )
}

extension FieldError {
    /// The largest number of errors in a response.
    ///
    /// Otherwise a request of nothing but errors would cause a response many times its size.
    static let most = 50
    private static let longestPath = 200
    private static let longestMessage = 2_000

    /// The first ``most`` errors, each of limited length, and one with the number of the others.
    fileprivate static func bounded(_ errors: [FieldError]) -> [FieldError] {
        // A request decoder has added the number of the others.
        let kept =
            errors.count > most + 1
            ? errors.prefix(most) + [FieldError("", "and \(errors.count - most) more")] : errors[...]
        return kept.map { error in
            FieldError(error.path.clipped(to: longestPath), error.message.clipped(to: longestMessage))
        }
    }
}
