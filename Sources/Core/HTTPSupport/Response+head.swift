package import Hummingbird

extension Response {
    /// The answer to `HEAD` where this is the answer to `GET`: the same fields, the length of the body included, and no body
    /// (RFC 9110, section 9.3.2).
    package func withoutBody() -> Response {
        var answer = self
        answer.body = ResponseBody()
        // An answer whose length is not known beforehand names none.
        answer.headers[.contentLength] = headers[.contentLength]
        return answer
    }
}
