package import ExternalPurchaseCore
package import HTTPTypes
package import Reporting

/// What a client is told when a request is not carried out: `application/problem+json`, RFC 9457.
package struct Problem: Error, Hashable, Sendable {
    /// The status of the answer.
    package var status: HTTPResponse.Status
    /// The kind of problem, the end of `type`.
    package var kind: String
    /// The kind in words.
    package var title: String
    /// What is wrong here and what would be right.
    package var detail: String
    /// The wrong fields: JSON pointer and message.
    package var errors: [FieldError] = []
    /// Methods that the path takes, for 405.
    package var allow: String?
    /// True when nobody reads the answer or what follows on the connection makes no sense.
    package var closesConnection = false
    /// Members beside those of every problem.
    package var extensions: [JSONObject.Member] = []

    package init(
        _ status: HTTPResponse.Status,
        kind: String,
        title: String,
        detail: String,
        errors: [FieldError] = []
    ) {
        self.status = status
        self.kind = kind
        self.title = title
        self.detail = detail
        self.errors = errors
    }

    /// The body.
    ///
    /// - Parameter requestId: the request's id, which the log names too.
    package func json(requestId: String) -> JSONValue {
        var members: [JSONObject.Member] = [
            .init("type", .string("urn:external-purchase:problem:\(kind)")), .init("title", .string(title)),
            .init("status", .integer(Int64(status.code))), .init("detail", .string(detail)),
            .init("requestId", .string(requestId)),
        ]
        if !errors.isEmpty {
            let list = errors.map { error in
                JSONValue.object(
                    JSONObject([.init("path", .string(error.path)), .init("message", .string(error.message))])
                )
            }
            members.append(.init("errors", .array(list)))
        }
        return .object(JSONObject(members + extensions))
    }
}
