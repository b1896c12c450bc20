import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Hummingbird
import Ledger
import Logging

/// The routes `GET /sign-in/link` and `POST /sign-in/link`.
///
/// Browsers and chat programs fetch links in advance, so `GET` shows a button and uses nothing up.
extension SignInRoutes {
    func addLinks(to group: RouterGroup<ServerContext>) {
        group.get("sign-in/link", use: link)
        group.post("sign-in/link", use: follow)
    }

    private static let linkTemplate = HTMLTemplate(WebFiles.signinlinkHTML)
    private static let refusal =
        "This link does not sign in: it was used before, it is older than 15 minutes, or the server has started anew."

    @Sendable private func link(_ request: Request, _ context: ServerContext) async throws -> Response {
        if try await !dashboard.isSignInNeeded() { return .seeOther("/") }
        let token = request.uri.queryParameters["token"].map(String.init) ?? ""
        guard let user = dashboard.access.links.user(of: token, at: dashboard.access.now()) else {
            return linkPage(context, error: Self.refusal, status: .forbidden)
        }
        return linkPage(context, user, token)
    }

    @Sendable private func follow(_ request: Request, _ context: ServerContext) async throws -> Response {
        let (access, form) = (dashboard.access, try await FormBody(request, upTo: context.bodyLimits.form))
        let token = form["token"] ?? ""
        guard useForm(form, request, context) else {
            return linkPage(
                context,
                access.links.user(of: token, at: access.now()),
                token,
                error: "The form was too old, used before or from another site.",
                status: .forbidden
            )
        }
        guard let user = access.links.use(token, at: access.now()),
            try await access.present(user.name)?.credential == user.credential
        else {
            let address = dashboard.address(of: request, context)
            context.logger.notice("a sign-in link was refused", metadata: ["address": "\(address)"])
            return linkPage(context, error: Self.refusal, status: .forbidden)
        }
        return startSession(of: user, by: .password, request, context, next: "/")
    }

    private func linkPage(
        _ context: ServerContext,
        _ user: DashboardAccess.User? = nil,
        _ token: String = "",
        error: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let (cookie, csrf) = dashboard.signInForm()
        let form = Self.linkTemplate.filled(with: [
            "errors": .texts(error),
            "forms": .list(
                user.map {
                    [
                        [
                            "name": .text(Shown.text($0.name)), "csrf": .text(csrf),
                            "token": .text(token),
                        ]
                    ]
                } ?? []
            ),
            "refusals": .condition(user == nil),
        ])
        // The address has the token.
        let html = dashboard.lonePage(form, referrer: "no-referrer")
        var response = Response(html: html, status: status)
        if user != nil { response.setCookie(dashboard.cookies(context).form(cookie)) }
        response.headers[.dashboardReferrerPolicy] = "no-referrer"
        return response
    }
}
