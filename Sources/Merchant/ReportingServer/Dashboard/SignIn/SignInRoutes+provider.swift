import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import Ledger

/// The routes `GET /sign-in/provider`, which leads to the provider, and `GET /sign-in/provider/callback`, to which it
/// sends the browser back.
extension SignInRoutes {
    static let providerPath = "/sign-in/provider"
    static let callbackPath = "/sign-in/provider/callback"

    func addProvider(to group: RouterGroup<ServerContext>) {
        group.get("sign-in/provider", use: begin)
        group.get("sign-in/provider/callback", use: finish)
    }

    private func provider() throws -> OpenIDProvider {
        guard let provider = dashboard.provider else { throw Problem.notFound("signIn.oidc is not configured") }
        return provider
    }

    @Sendable private func begin(_ request: Request, _ context: ServerContext) async throws -> Response {
        let provider = try provider()
        let next = Self.localPath(request.uri.queryParameters["next"].map(String.init))
        let metadata = try await provider.metadata(at: dashboard.access.now())
        let flow = dashboard.flows.begin(dashboard.access.randomBytes(32), next: next, at: dashboard.access.now())
        let query = PagePath.query(
            "",
            [
                ("response_type", "code"), ("client_id", provider.settings.clientId),
                ("redirect_uri", try redirect(request, context)), ("scope", metadata.scopes.joined(separator: " ")),
                ("state", flow.state), ("nonce", flow.nonce), ("code_challenge", flow.challenge),
                ("code_challenge_method", "S256"),
            ]
        )
        let separator = metadata.authorization.contains("?") ? "&" : "?"
        var response = Response.seeOther(metadata.authorization + separator + query.dropFirst())
        response.setCookie(dashboard.cookies(context).flow(flow.cookie))
        // The address has the state.
        response.headers[.dashboardReferrerPolicy] = "no-referrer"
        return response
    }

    @Sendable private func finish(_ request: Request, _ context: ServerContext) async throws -> Response {
        // HEAD changes nothing (RFC 9110, section 9.2.1): it uses up neither the state nor the code.
        if request.method == .head { return Response(status: .ok) }
        let provider = try provider()
        let parameters = try request.formQuery()
        func parameter(_ name: String) -> String? {
            let values = parameters.filter { $0.name.hasSameScalars(as: name) }.map(\.value)
            return values.count == 1 ? values[0] : nil
        }
        let cookie = request.cookies[dashboard.cookies(context).flowName]?.value ?? ""
        let (flows, now) = (dashboard.flows, dashboard.access.now)
        guard let flow = flows.flow(ofCookie: cookie, state: parameter("state") ?? "", at: now()) else {
            throw SignInRefusal(reason: .stateUnknown)
        }
        guard flows.end(flow, at: now()) else { throw SignInRefusal(reason: .stateUsed) }
        if let issuer = parameter("iss"), !issuer.hasSameScalars(as: provider.settings.issuer) {
            throw SignInRefusal(reason: .answerIssuer)
        }
        if let error = parameter("error") {
            throw SignInRefusal(reason: .providerError, detail: OpenIDAddress.word(error))
        }
        if try await provider.metadata(at: now()).namesIssuer, parameter("iss") == nil {
            throw SignInRefusal(reason: .answerIssuer)
        }
        guard let code = parameter("code"), !code.isEmpty else { throw SignInRefusal(reason: .codeMissing) }
        let user = try await provider.user(
            ofCode: code,
            verifier: flow.verifier,
            redirect: try redirect(request, context),
            nonce: flow.nonce,
            now: now
        )
        var response = startSession(of: user, by: .provider, request, context, next: Self.localPath(flow.next))
        response.setCookie(dashboard.cookies(context).flow(nil))
        response.headers[.dashboardReferrerPolicy] = "no-referrer"
        return response
    }

    /// The address of this server to which the provider sends the browser, by the name under which the browser knows it.
    private func redirect(_ request: Request, _ context: ServerContext) throws -> String {
        let authority = request.head.authority ?? ""
        let isName = authority.utf8.allSatisfy { byte in
            byte.isASCIILetter || byte.isDigit || "-.:[]".utf8.contains(byte)
        }
        guard isName, !authority.isEmpty else { throw SignInRefusal(reason: .hostUnusable) }
        return (context.isSecure ? "https://" : "http://") + authority + Self.callbackPath
    }
}
