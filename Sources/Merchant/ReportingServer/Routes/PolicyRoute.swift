import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import NIOCore
import Reporting

/// The route `GET /v1/policy`: what an app may offer, by storefront (OB-100 to OB-103).
struct PolicyRoute<Context: CallerRequestContext> {
    let system: ReportingSystem

    func add(to group: RouterGroup<Context>) {
        group.get("policy", use: policy)
    }

    @Sendable private func policy(_ request: Request, _ context: Context) async throws -> Response {
        let policy = try app(of: request, context.caller).policy
        var storefronts = policy.storefronts
        if let text = request.uri.queryParameters["storefront"] {
            let storefront = try storefront(String(text))
            storefronts = [storefront: policy[storefront]]
        }
        let now = system.now
        let end = policy.end(ofAnswerAt: now)
        let sorted = storefronts.sorted { $0.key.alpha3 < $1.key.alpha3 }
        let json: JSONValue = [
            "storefronts": .object(JSONObject(sorted.map { .init($0.key.alpha3, $0.value.json) })),
            "default": policy.standard.json,
            "until": .string(end.description),
        ]
        let bytes = json.encoded() + [UInt8(ascii: "\n")]
        let tag = EntityTag(of: bytes)
        // The answer is that of the key's app, so no cache that others share may keep it.
        let seconds = now.duration(to: end).components.seconds
        var headers: HTTPFields = [.eTag: tag.text, .cacheControl: "private, max-age=\(seconds)"]
        guard !tag.isKnown(to: request) else { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = "application/json"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The app that the query names, or the only one that the caller has access to.
    private func app(of request: Request, _ caller: Caller) throws -> RegisteredApp {
        let named = try request.bundleId(among: system.apps.keys, by: caller)
        if let app = named.flatMap({ system.apps[$0] }) { return app }
        let apps = caller.apps(among: system.apps)
        guard apps.count == 1, let app = apps.values.first else {
            throw Problem.invalid("?bundleId", "is missing; this key is for several apps")
        }
        return app
    }

    private func storefront(_ text: String) throws(Problem) -> StorefrontCode {
        if let code = StorefrontCode(text) { return code }
        let meant = StorefrontCode.suggestion(for: text).map { "did you mean \($0)?" } ?? "one looks like JPN"
        throw .invalid("?storefront", "is no storefront of the App Store; \(meant)")
    }
}

extension PurchasePolicy.Entry {
    fileprivate var json: JSONValue {
        [
            "offered": .bool(isOffered), "requestsTokens": .bool(requestsTokens),
            "message": message.map(JSONValue.string) ?? .null,
        ]
    }
}
