import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger
import Logging
import Reporting

/// `GET /out/{link}`: records the token of the query, then sends the customer to the configured shop.
///
/// The target comes from the configuration alone, never from the request: no open redirect.
struct LandingRoute<Context: RequestContext> {
    let merchant: MerchantSide
    /// The shop's address of each link.
    let links: [String: String]

    func add(to router: Router<Context>) {
        router.get("out/:link", use: land)
    }

    @Sendable private func land(_ request: Request, _ context: Context) async throws -> Response {
        let link = try context.parameters.require("link")
        guard let shop = links[link] else {
            throw Problem.notFound("no link of this name is configured")
        }
        // HEAD changes nothing (RFC 9110, section 9.2.1): programs that preview links send it.
        let isVisit = request.method != .head
        let outcome =
            isVisit ? await merchant.takeVisit(query: request.uri.query ?? "", link: link) : .withoutToken
        if case .spooled = outcome { context.logger.error("a visit went to the spool: the store failed") }
        if case .carriedOn = outcome { context.logger.error("a visit was carried on: store and spool failed") }
        return Response(
            status: .seeOther,
            headers: [
                .location: Self.target(shop, outcome),
                .cacheControl: "no-store",
                .referrerPolicy: "no-referrer",
            ]
        )
    }

    private static func target(_ shop: String, _ outcome: LandingOutcome) -> String {
        if case .carriedOn(let token, let bundleId) = outcome {
            return WebsiteURL.appending(token: token, bundleId: bundleId ?? "", to: shop)
        }
        guard let checkout = outcome.checkoutId else { return shop }
        return WebsiteURL.appending([("checkout", checkout.rawValue)], to: shop)
    }
}

extension HTTPField.Name {
    // The name is a valid token, so the fallback is never taken.
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .referer
}
