package import HTTPTypes

/// The ways to sign in to the dashboard beside the passwords of its users.
package struct SignInSettings: Sendable {
    /// An OpenID Connect provider, and the way to reach it.
    package struct Provider: Sendable {
        let settings: OpenIDSettings
        let transport: OpenIDTransport

        package init(_ settings: OpenIDSettings, transport: OpenIDTransport) {
            self.settings = settings
            self.transport = transport
        }
    }

    /// The header in which a trusted proxy names the user of each request; nil for none.
    package var proxyHeader: HTTPField.Name?
    package var provider: Provider?

    package init(proxyHeader: HTTPField.Name? = nil, provider: Provider? = nil) {
        self.proxyHeader = proxyHeader
        self.provider = provider
    }

    /// True if somebody else than the server says who the users are, so that pages always need a sign-in.
    var isConfigured: Bool { proxyHeader != nil || provider != nil }
}
