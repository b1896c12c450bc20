import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Logging
import NIOCore

/// The routes `GET /sign-in`, `POST /sign-in` and `POST /sign-out`.
struct SignInRoutes {
    let dashboard: Dashboard

    private var access: DashboardAccess { dashboard.access }

    func add(to group: RouterGroup<ServerContext>) {
        group.get("sign-in", use: form)
        group.post("sign-in", use: signIn)
        group.post("sign-out", use: signOut)
        addLinks(to: group)
        addProvider(to: group)
    }

    private static let template = HTMLTemplate(WebFiles.signinHTML)

    @Sendable private func form(_ request: Request, _ context: ServerContext) async throws -> Response {
        let next = Self.localPath(request.uri.queryParameters["next"].map(String.init))
        if try await !dashboard.isSignInNeeded() { return .seeOther(next) }
        if try await dashboard.session(of: request, context) != nil {
            return .seeOther(next)
        }
        return await page(context, next: next)
    }

    /// Returns the page with a new cookie for its form.
    private func page(
        _ context: ServerContext,
        next: String,
        name: String = "",
        error: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async -> Response {
        // Nobody learns more than that there is no user: neither the ledger's place nor its keys.
        let hint: HTMLTemplate.Values = [
            "text": "There is no user yet. Whoever runs this server makes the first one on its machine:",
            "command": "external-purchase users set-password NAME",
        ]
        let hasUsers = (try? await access.hasUsers()) ?? true
        let (cookie, token) = dashboard.signInForm()
        let form = Self.template.filled(with: [
            "errors": .texts(error),
            "hints": .list(hasUsers ? [] : [hint]), "csrf": .text(token), "next": .text(next),
            "name": .text(name),
            "providers": .list(
                dashboard.provider.map { provider in
                    [
                        [
                            "name": .text(OpenIDAddress.host(of: provider.settings.issuer)),
                            "href": .text(PagePath.query(Self.providerPath, next == "/" ? [] : [("next", next)])),
                        ]
                    ]
                } ?? []
            ),
        ])
        var response = Response(html: dashboard.lonePage(form), status: status)
        response.setCookie(dashboard.cookies(context).form(cookie))
        return response
    }

    @Sendable private func signIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        let form = try await FormBody(request, upTo: context.bodyLimits.form)
        let next = Self.localPath(form["next"])
        guard useForm(form, request, context) else {
            return await page(
                context,
                next: next,
                error: "The form was too old, used before or from another site; sign in again.",
                status: .forbidden
            )
        }
        let name = form["name"] ?? ""
        let password = form["password"] ?? ""
        let address = dashboard.address(of: request, context)
        guard !name.isEmpty, name.unicodeScalars.count <= 128, !password.isEmpty, password.utf8.count <= 4_096 else {
            return await page(context, next: next, error: "Name or password is wrong.", status: .unauthorized)
        }
        // Before the attempt counts: a password that nobody checks is not a wrong one.
        guard dashboard.checks.begin(from: address) else {
            var response = await page(
                context,
                next: next,
                name: name,
                error: "The server is busy with other sign-ins. Try again.",
                status: .serviceUnavailable
            )
            response.headers[.retryAfter] = "2"
            return response
        }
        defer { dashboard.checks.end(from: address) }
        if let wait = dashboard.limiter.attempt(name, from: address, at: access.now()) {
            context.logger.warning("sign-in is locked after repeated failures", metadata: ["address": "\(address)"])
            let seconds = max(1, wait.components.seconds + 1)
            var response = await page(
                context,
                next: next,
                name: name,
                error: "Too many attempts failed. Try again in \(Shown.duration(.seconds(seconds))).",
                status: .tooManyRequests
            )
            response.headers[.retryAfter] = String(seconds)
            return response
        }
        let found: DashboardAccess.User?
        do {
            found = try await access.user(name, password)
        } catch {
            dashboard.limiter.notChecked(name, from: address)
            throw error
        }
        guard let user = found else {
            context.logger.notice("a sign-in failed", metadata: ["address": "\(address)"])
            return await page(
                context,
                next: next,
                name: name,
                error: "Name or password is wrong.",
                status: .unauthorized
            )
        }
        dashboard.limiter.succeeded(name, from: address)
        return startSession(of: user, by: .password, request, context, next: next)
    }

    /// Uses a form up; true if it has the token of the cookie that its page set, and was not used before.
    func useForm(_ form: FormBody, _ request: Request, _ context: ServerContext) -> Bool {
        guard let cookie = request.cookies[dashboard.cookies(context).formName]?.value, let token = form["csrf"] else {
            return false
        }
        return dashboard.signInForms.use(cookie: cookie, token: token, at: access.now())
    }

    /// Starts a session in place of the request's own one, and leads to a path of this server.
    func startSession(
        of user: DashboardAccess.User,
        by way: DashboardSession.Way,
        _ request: Request,
        _ context: ServerContext,
        next: String
    ) -> Response {
        if let old = request.cookies[dashboard.cookies(context).sessionName]?.value { dashboard.sessions.end(old) }
        let id = access.randomBytes(32).hexadecimal
        dashboard.sessions.start(
            id,
            of: user,
            by: way,
            csrf: access.randomBytes(32).hexadecimal,
            at: access.now()
        )
        var response = Response.seeOther(next)
        response.setCookie(dashboard.cookies(context).session(id))
        response.setCookie(dashboard.cookies(context).form(nil))
        return response
    }

    @Sendable private func signOut(_ request: Request, _ context: ServerContext) async throws -> Response {
        let session = try await dashboard.session(of: request, context)
        if let session {
            let form = try await FormBody(request, upTo: context.bodyLimits.form)
            guard form["csrf"]?.isEqualInConstantTime(to: session.csrf) == true else { throw Problem.forgedForm }
        }
        if let id = request.cookies[dashboard.cookies(context).sessionName]?.value { dashboard.sessions.end(id) }
        // Whoever a proxy names is signed in again by the next request.
        var response = session?.way == .proxy ? signedInByProxy : Response.seeOther("/sign-in")
        response.setCookie(dashboard.cookies(context).session(nil))
        return response
    }

    private static let proxyTemplate = HTMLTemplate(WebFiles.signedinHTML)

    /// The page for who signs out while a proxy names the user.
    private var signedInByProxy: Response {
        Response(html: dashboard.lonePage(Self.proxyTemplate.filled(with: [:]), title: "Sign out"))
    }

    /// Returns a path of this server for the way back after the sign-in; `/` for every other text.
    ///
    /// A browser reads `//host` and `/\host` as another site and drops tabs and line breaks.
    static func localPath(_ text: String?) -> String {
        guard let text, text.utf8.count <= 2_048, text.hasPrefix("/"), !text.hasPrefix("//"), !text.contains("\\"),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.hasPrefix("/sign-")
        else { return "/" }
        return text
    }
}
