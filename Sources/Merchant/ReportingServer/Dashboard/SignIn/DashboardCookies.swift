import Hummingbird

/// The cookies of the dashboard.
struct DashboardCookies: Sendable {
    /// True if the browser reaches the server by HTTPS (``ServerContext/isSecure``).
    let isSecure: Bool

    /// The prefix binds a cookie to this host and to TLS.
    var sessionName: String { isSecure ? "__Host-external-purchase" : "external-purchase" }
    var flowName: String { isSecure ? "__Host-external-purchase-flow" : "external-purchase-flow" }
    var formName: String { isSecure ? "__Host-external-purchase-form" : "external-purchase-form" }

    /// The session's cookie; nil deletes it.
    ///
    /// It is sent when a link of another site, such as a message about an alert, leads to a page. Forms carry a token
    /// besides.
    func session(_ id: String?) -> Cookie {
        Cookie(
            name: sessionName,
            value: id ?? "",
            maxAge: id == nil ? 0 : Int(SessionStore.lifetime.components.seconds),
            path: "/",
            secure: isSecure,
            httpOnly: true,
            sameSite: .lax
        )
    }

    /// The cookie of a sign-in at the provider; nil deletes it.
    ///
    /// The provider is another site that leads back to this one, so the cookie is not `SameSite=Strict`.
    func flow(_ value: String?) -> Cookie {
        Cookie(
            name: flowName,
            value: value ?? "",
            maxAge: value == nil ? 0 : Int(OpenIDFlows.lifetime.components.seconds),
            path: "/",
            secure: isSecure,
            httpOnly: true,
            sameSite: .lax
        )
    }

    /// The cookie of the form for the sign-in; nil deletes it.
    func form(_ value: String?) -> Cookie {
        Cookie(
            name: formName,
            value: value ?? "",
            maxAge: value == nil ? 0 : 3_600,
            path: "/",
            secure: isSecure,
            httpOnly: true,
            sameSite: .strict
        )
    }
}
