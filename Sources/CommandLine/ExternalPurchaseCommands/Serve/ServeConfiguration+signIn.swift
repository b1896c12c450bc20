import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import HTTPSupport
import HTTPTypes
import Ledger
import ReportingServer
import Yams

extension ServeConfigurationReader {
    /// Reads who signs users of the dashboard in beside their passwords.
    ///
    /// - Parameter proxies: the proxies that may name a user.
    func signIn(
        _ node: Node,
        _ path: String,
        trusting proxies: TrustedProxies
    ) throws(CommandFailure) -> ServeConfiguration.SignIn {
        let members = try mapping(node, path, keys: ["proxyHeader", "oidc"])
        var signIn = ServeConfiguration.SignIn()
        if let node = members["proxyHeader"] {
            let text = try scalar(node, "\(path).proxyHeader")
            // Proxies drop names with other characters, which a secret that was pasted here has, or it is longer.
            let isName =
                text.utf8.count <= 40 && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            guard isName, HTTPField.Name(text) != nil else {
                throw fail(
                    node,
                    "\(path).proxyHeader \(text.shown()) is not the name of a header, such as X-Forwarded-User"
                )
            }
            guard !proxies.texts.isEmpty else {
                throw fail(node, "\(path).proxyHeader needs trustedProxies: from anybody else the header is ignored")
            }
            if let network = proxies.strangers.first {
                throw fail(
                    node,
                    "\(path).proxyHeader: trustedProxies has \(network), and anybody in it could sign in as any user; name "
                        + "the proxy's own address, such as 127.0.0.1, or a network of yours, such as 10.0.0.0/8"
                )
            }
            signIn.proxyHeader = text
        }
        signIn.oidc = try members["oidc"].map { node throws(CommandFailure) in try oidc(node, "\(path).oidc") }
        return signIn
    }

    private func oidc(_ node: Node, _ path: String) throws(CommandFailure) -> ServeConfiguration.OpenID {
        let names = ["issuer", "clientId", "clientSecretFile", "roles"]
        let members = try mapping(node, path, keys: names, required: names)
        let issuerNode = members["issuer"] ?? node
        let issuer = try baseAddress(issuerNode, "\(path).issuer", example: "https://login.example.com")
        guard OpenIDAddress.isSafe(issuer) else {
            throw fail(issuerNode, "\(path).issuer \(issuer.shown()) must be an address by https, or on this machine")
        }
        let idNode = members["clientId"] ?? node
        let clientId = try scalar(idNode, "\(path).clientId")
        guard !clientId.isEmpty else { throw fail(idNode, "\(path).clientId is empty") }
        let rolesNode = members["roles"] ?? node
        guard let pairs = rolesNode.mapping, !pairs.isEmpty else {
            throw fail(rolesNode, "\(path).roles must be a map of groups to roles, such as accounting: finance")
        }
        var roles: [String: UserRole] = [:]
        for (key, value) in pairs {
            let group = try keyText(key, "a group of \(path).roles")
            let text = try scalar(value, "\(path).roles.\(group.shown(in: ""))")
            guard let role = UserRole(rawValue: text) else {
                let known = UserRole.allCases.map(\.rawValue).joined(separator: ", ")
                throw fail(
                    value,
                    "\(path).roles.\(group.shown(in: "")): \(text.shown()) is not a role; one of \(known)"
                )
            }
            roles[group] = role
        }
        return ServeConfiguration.OpenID(
            issuer: issuer,
            clientId: clientId,
            clientSecretFile: try existingFile(
                members["clientSecretFile"] ?? node,
                "\(path).clientSecretFile",
                isSecret: true
            ),
            roles: roles
        )
    }
}

extension ServeConfiguration {
    /// Returns the ways to sign in as the server takes them.
    ///
    /// - Throws: ``CommandFailure`` for a secret that cannot be read.
    func signInSettings(http: HTTPClient) throws(CommandFailure) -> SignInSettings {
        SignInSettings(
            proxyHeader: signIn.proxyHeader.flatMap { HTTPField.Name($0) },
            provider: try signIn.oidc.map { oidc throws(CommandFailure) in
                SignInSettings.Provider(
                    OpenIDSettings(
                        issuer: oidc.issuer,
                        clientId: oidc.clientId,
                        clientSecret: try oidc.clientSecret(),
                        roles: oidc.roles
                    ),
                    transport: OpenIDTransport(http: http)
                )
            }
        )
    }
}

extension ServeConfiguration.OpenID {
    /// Reads the secret, which is the first line of its file.
    fileprivate func clientSecret() throws(CommandFailure) -> String {
        try clientSecretFile.read { path throws(CommandFailure) in
            guard let secret = try SecretFile.lines(of: path).first else {
                throw CommandFailure.input("\(path): must hold the client secret of the provider on the first line")
            }
            return secret
        }
    }
}
