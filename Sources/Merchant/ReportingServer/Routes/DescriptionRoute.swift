import HTTPTypes
import Hummingbird
import NIOCore

/// The route `GET /openapi.json`: the OpenAPI description of the server's paths, which needs no key.
struct DescriptionRoute<Context: RequestContext> {
    func add(to group: RouterGroup<Context>) {
        group.get("openapi.json") { request, _ in
            // The document changes with the program only, and clients compare its entity tag.
            var headers: HTTPFields = [.eTag: ServerDescription.tag.text, .cacheControl: "no-cache"]
            guard !ServerDescription.tag.isKnown(to: request) else {
                return Response(status: .notModified, headers: headers)
            }
            headers[.contentType] = "application/json"
            return Response(
                status: .ok,
                headers: headers,
                body: ResponseBody(byteBuffer: ByteBuffer(string: ServerDescription.json + "\n"))
            )
        }
    }
}

extension ServerDescription {
    /// The entity tag of the document.
    static let tag = EntityTag(of: json.utf8)
}
