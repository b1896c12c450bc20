package import Hummingbird

extension Response {
    /// The response to `HEAD` for a response to `GET`: the same fields, including the length of the body, without the
    /// body (RFC 9110, section 9.3.2).
    package func withoutBody() -> Response {
        var answer = self
        answer.body = ResponseBody()
        // A response of unknown length has no `Content-Length`.
        answer.headers[.contentLength] = headers[.contentLength]
        return answer
    }
}
