import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Logging
import Reporting

/// The route `GET /out/{link}`: records the token in the query, then redirects the customer to the configured shop.
///
/// Host and scheme of the target come only from the configuration, never from the request, so that it is no open
/// redirect.
struct LandingRoute<Context: RequestContext & RemoteAddressRequestContext> {
    let system: ReportingSystem
    let links: [String: LandingLink]
    /// The addresses of proxies whose `X-Forwarded-For` is trusted.
    let trustedProxies: TrustedProxies
    let limiter: RateLimiter

    func add(to router: Router<Context>) {
        router.get("out/:link", use: land)
        router.get("out/:link/**", use: land)
    }

    @Sendable private func land(_ request: Request, _ context: Context) async throws -> Response {
        let name = try context.parameters.require("link")
        guard let link = links[name] else { throw Problem.notFound("no link of this name is configured") }
        let query = request.uri.query ?? ""
        // HEAD changes nothing (RFC 9110, section 9.2.1); programs that preview links send it.
        let hasToken = request.method != .head && WebsiteURL.arrival(query: query).token != nil
        let shop = try shop(of: link, name, for: request, hasToken: hasToken)
        let outcome = await outcome(of: query, through: name, hasToken: hasToken, request, context)
        return Response(
            status: .seeOther,
            headers: [
                .location: Self.target(shop, outcome, query),
                .cacheControl: "no-store",
                .referrerPolicy: "no-referrer",
            ]
        )
    }

    private func outcome(
        of query: String,
        through link: String,
        hasToken: Bool,
        _ request: Request,
        _ context: Context
    ) async -> LandingOutcome {
        guard hasToken else { return .withoutToken }
        let address = ClientAddress.of(request, peer: context.remoteAddress, trusting: trustedProxies)
        guard limiter.admits(ClientAddress.group(of: address), at: system.now) else {
            let hint = "its token goes on to the shop unstored. If this is a proxy, name it under trustedProxies"
            context.logger.warning("visits of one address exceed landing.visitsPerMinute: \(hint)")
            return system.visits.forwardUnstored(query: query)
        }
        let outcome = await system.visits.receive(query: query, link: link)
        if case .spooled = outcome {
            context.logger.error(
                "a visit went to the spool: the store failed, or the hour's landing.tokensPerHour is used up"
            )
        }
        if case .forwarded = outcome { context.logger.error("a visit was carried on: store and spool failed") }
        return outcome
    }

    /// Returns the shop's URL for the path below the link.
    ///
    /// A visit with a token is never rejected: if the link does not allow the path, the redirect leads to the link's
    /// own URL.
    private func shop(
        of link: LandingLink,
        _ name: String,
        for request: Request,
        hasToken: Bool
    ) throws -> String {
        let path = Self.path(below: name, in: request)
        guard !path.isEmpty else { return link.url }
        if link.allowsPaths, let target = WebsiteURL.appending(path: path, to: link.url) { return target }
        guard hasToken else {
            throw Problem.notFound(
                link.allowsPaths
                    ? "a path below a link has segments of plain characters, without . and .."
                    : "the link takes no path below it; {url: …, paths: on} in its configuration does"
            )
        }
        return link.url
    }

    /// Returns the path after `/out/{link}/` as it was sent.
    private static func path(below link: String, in request: Request) -> String {
        let segments = request.uri.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
        guard segments.count == 3 else { return "" }
        return String(segments[2])
    }

    private static func target(_ shop: String, _ outcome: LandingOutcome, _ query: String) -> String {
        let own: Set<String> = [WebsiteURL.tokenParameter, WebsiteURL.bundleParameter]
        if case .forwarded(let token, let bundleId) = outcome {
            let forwarded = WebsiteURL.forwarding(query: query, without: own, to: shop)
            return WebsiteURL.appending(token: token, bundleId: bundleId ?? "", to: forwarded)
        }
        guard let checkout = outcome.checkoutId else {
            return WebsiteURL.forwarding(query: query, without: own, to: shop)
        }
        let forwarded = WebsiteURL.forwarding(query: query, without: own.union(["checkout"]), to: shop)
        return WebsiteURL.appending([("checkout", checkout.rawValue)], to: forwarded)
    }
}

extension HTTPField.Name {
    // The name is a valid token, so the fallback is never taken.
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .referer
}
