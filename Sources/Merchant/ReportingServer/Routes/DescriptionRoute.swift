import HTTPTypes
import Hummingbird
import Ledger
import NIOCore

/// The route `GET /openapi.json`: the OpenAPI description of the server's paths, which needs no key.
struct DescriptionRoute<Context: RequestContext> {
    func add(to group: RouterGroup<Context>) {
        group.get("openapi.json") { request, _ in
            // The document changes with the program only, and clients compare its entity tag.
            var headers: HTTPFields = [.eTag: ServerDescription.tag, .cacheControl: "no-cache"]
            guard !ServerDescription.isKnown(to: request) else {
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
    static let tag = "\"\(Array(json.utf8.sha256.prefix(16)).hexadecimal)\""

    /// Whether `If-None-Match` names the document; proxies that compress it mark the tag as weak (RFC 9110, section
    /// 13.1.2).
    fileprivate static func isKnown(to request: Request) -> Bool {
        request.headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.contains { value in
            let value = String(value.drop { $0 == " " }.prefix { $0 != " " })
            return ["*", tag, "W/\(tag)"].contains(value)
        }
    }
}
