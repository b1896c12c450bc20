import HTTPTypes
import Hummingbird
import NIOCore

/// The device page: a simulated phone in the browser next to the state of Apple's side.
enum DevicePage {
    enum ContentType: String {
        case html = "text/html; charset=utf-8"
        case css = "text/css; charset=utf-8"
        case javaScript = "text/javascript; charset=utf-8"
    }

    /// The content security policy: only the page's own files, and no embedding in frames.
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

    static func response(_ text: String, _ type: ContentType) -> Response {
        var headers: HTTPFields = [.contentType: type.rawValue, .cacheControl: "no-cache"]
        headers[.contentSecurityPolicy] = policy
        headers[.xContentTypeOptions] = "nosniff"
        if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
