import ExternalPurchaseCore
import Hummingbird
import Reporting

/// `GET /health/live`: the process answers; `GET /health/ready`: its store answers too.
struct HealthRoutes<Context: RequestContext> {
    let merchant: MerchantSide

    func add(to router: Router<Context>) {
        router.get("health/live") { _, _ in Response(Self.ok) }
        router.get("health/ready") { _, _ in
            try await merchant.checkReady()
            return Response(Self.ok)
        }
    }

    private static var ok: JSONValue { .object(JSONObject([.init("status", .string("ok"))])) }
}
