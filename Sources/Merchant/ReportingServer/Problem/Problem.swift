import ExternalPurchaseCore
import HTTPTypes
import Reporting

/// An error response: `application/problem+json`, RFC 9457.
struct Problem: Error, Hashable, Sendable {
    /// The status of the response.
    var status: HTTPResponse.Status
    /// The kind of problem, which is the last part of `type`.
    var kind: String
    /// A title for the kind of problem.
    var title: String
    /// The problem of this request, and what would be valid; at most ``longestDetail`` characters of it are kept.
    var detail: String
    /// The wrong fields, each with JSON pointer and message.
    var errors: [FieldError] = []
    /// Further headers of the response, such as `Allow` for 405.
    var headers: HTTPFields = [:]
    /// True if the connection is closed, because the client is gone or further bytes cannot be interpreted.
    var closesConnection = false
    /// Additional members of the JSON object.
    var extensions: [JSONObject.Member] = []

    /// Requests choose names and values that problems repeat.
    private static let longestDetail = 4_000

    init(
        _ status: HTTPResponse.Status,
        kind: String,
        title: String,
        detail: String,
        errors: [FieldError] = []
    ) {
        self.status = status
        self.kind = kind
        self.title = title
        self.detail = detail.clipped(to: Self.longestDetail)
        self.errors = errors
    }

    /// Returns the body of the response.
    ///
    /// - Parameter requestId: the id of the request, which the log also contains.
    func json(requestId: String) -> JSONValue {
        var members: [JSONObject.Member] = [
            .init("type", .string("urn:external-purchase:problem:\(kind)")), .init("title", .string(title)),
            .init("status", .integer(Int64(status.code))), .init("detail", .string(detail)),
            .init("requestId", .string(requestId)),
        ]
        if !errors.isEmpty {
            let list = errors.map { error in
                JSONValue.object(["path": .string(error.path), "message": .string(error.message)])
            }
            members.append(.init("errors", .array(list)))
        }
        return .object(JSONObject(members + extensions))
    }
}
