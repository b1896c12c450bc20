import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Reporting

/// Adds the headers that every page has, refuses forms of other sites, and shows errors as pages.
struct DashboardMiddleware: RouterMiddleware {
    let dashboard: Dashboard

    private static let template = HTMLTemplate(WebFiles.problemHTML)
    private static let main = HTMLTemplate(WebFiles.mainHTML)

    /// What a page may load and where its forms go: only this server, and nothing inline.
    static let contentSecurityPolicy =
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'"

    func handle(
        _ request: Request,
        context: ServerContext,
        next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            if request.method == .post, Self.isFromAnotherSite(request) { throw Problem.forgedForm }
            response = try await next(request, context)
        } catch {
            let problem: Problem
            var back: String?
            if let refusal = error as? SignInRefusal {
                refusal.log(context.logger, address: dashboard.address(of: request, context))
                problem = refusal.problem
                back = "/sign-in"
            } else {
                problem = Problem(catching: error, logger: context.logger)
            }
            response = await page(problem, back: back, request, context)
            if problem.closesConnection { response.headers[.connection] = "close" }
        }
        response.headers[.contentSecurityPolicy] = Self.contentSecurityPolicy
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.headers[.dashboardReferrerPolicy] == nil {
            response.headers[.dashboardReferrerPolicy] = "same-origin"
        }
        response.headers[.xFrameOptions] = "DENY"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        return response
    }

    /// Whether a browser says that another site sent the request.
    ///
    /// `Sec-Fetch-Site` counts alone where a browser sends it: it compares the addresses that the browser knows, while
    /// a proxy may forward the request under another `Host` than that of `Origin`.
    private static func isFromAnotherSite(_ request: Request) -> Bool {
        if let site = request.headers[.secFetchSite] { return site != "same-origin" && site != "none" }
        guard let origin = request.headers[.origin] else { return false }
        guard let host = origin.split(separator: "/", maxSplits: 2).last, origin.contains("://") else { return true }
        return host.lowercased() != request.head.authority?.lowercased()
    }

    /// - Parameter back: the path that a person tries next; nil for the overview.
    private func page(
        _ problem: Problem,
        back: String?,
        _ request: Request,
        _ context: ServerContext
    ) async -> Response {
        // The path is the one of this request, so it leads nowhere else.
        let isForm = request.method == .post
        let html = Self.template.filled(with: [
            "title": .text(problem.title), "detail": .text(Shown.text(problem.detail)),
            "hasErrors": .condition(problem.errors.count > 1),
            "errors": .list(
                problem.errors.map {
                    ["path": .text(Shown.text($0.path)), "message": .text(Shown.text($0.message))]
                }
            ),
            "back": .text(back ?? "/"),
            "backLabel": .text(
                back != nil
                    ? "To the sign-in"
                    : isForm ? "To the overview. Your browser's way back leads to the form." : "To the overview"
            ),
            "status": .text("\(problem.status.code)"), "requestId": .text(context.id),
        ])
        // Who is not signed in sees no menu, which has figures of the ledger.
        guard await (try? dashboard.isSignInNeeded()) ?? true else {
            return await dashboard.page(problem.title, at: nil, html, request, context, status: problem.status)
        }
        guard let session = try? await dashboard.session(of: request, context) else {
            let main = Self.main.filled(with: ["content": .markup(html)])
            return Response(html: dashboard.lonePage(main, title: problem.title), status: problem.status)
        }
        var context = context
        context.session = session
        return await AppLimit.of(session.user) { [context] in
            await dashboard.page(problem.title, at: nil, html, request, context, status: problem.status)
        }
    }
}

/// Leads to the sign-in where one is needed; without one, only a loopback host name is answered.
///
/// This prevents web pages from using the pages through a domain name that resolves to this machine (DNS rebinding).
struct SignInMiddleware: RouterMiddleware {
    let dashboard: Dashboard

    func handle(
        _ request: Request,
        context: ServerContext,
        next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        guard try await dashboard.isSignInNeeded() else {
            let host = request.head.authority ?? ""
            guard LoopbackHost.isLoopback(LoopbackHost.name(ofAuthority: host)) else { throw Problem.foreignHost(host) }
            return try await next(request, context)
        }
        guard let session = try await dashboard.session(of: request, context) else {
            let isRead = request.method == .get || request.method == .head
            let target = isRead ? request.uri.string : "/"
            return .seeOther(target == "/" ? "/sign-in" : PagePath.query("/sign-in", [("next", target)]))
        }
        // A page that the list of endpoints lacks is nobody's but the administrator's.
        let needed = Endpoint.of(request, context)?.role ?? .admin
        guard session.user.role >= needed else {
            throw Problem(
                missing: needed,
                of: session.user.role,
                for: request.method == .post ? "this form" : "this page"
            )
        }
        var context = context
        context.session = session
        context.caller = .user(session.user)
        return try await AppLimit.of(session.user) { [context] in
            try await next(request, context)
        }
    }
}

extension HTTPField.Name {
    // The names are valid tokens, so the fallbacks are never taken.
    static let dashboardReferrerPolicy = HTTPField.Name("Referrer-Policy") ?? .referer
    fileprivate static let xFrameOptions = HTTPField.Name("X-Frame-Options") ?? .via
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .via
}
