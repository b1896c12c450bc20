import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Payments
import Reporting

extension ServeConfiguration {
    /// The payment providers of the configuration, with the secrets of their accounts.
    ///
    /// - Throws: ``CommandFailure`` for a file that cannot be read or holds no secret.
    func paymentSources(http: HTTPClient) throws(CommandFailure) -> [any PaymentSource] {
        var sources: [any PaymentSource] = []
        if let stripe = try StripeSource.reading(stripe, http: http) { sources.append(stripe) }
        for provider in Set(payments.map(\.provider)).sorted(by: { $0.rawValue < $1.rawValue }) {
            var entries: [WebhookEntry] = []
            for payment in payments where payment.provider == provider {
                let secrets = try payment.secretFile.read { file throws(CommandFailure) in
                    try WebhookEntry.secrets(of: file, provider)
                }
                let account = payment.terms.account(payment.bundleId)
                let isLive = payment.environment == .production
                entries.append(WebhookEntry(account: account, secrets: secrets, isLive: isLive))
            }
            switch provider {
            case .custom: sources.append(CustomSource(entries: entries))
            case .paddle: sources.append(PaddleSource(entries: entries))
            case .stripe: break
            }
        }
        return sources
    }
}

extension WebhookEntry {
    /// Reads the secrets of an endpoint.
    static func secrets(of file: String, _ provider: PaymentProvider) throws(CommandFailure) -> [String] {
        let secrets = try SecretFile.lines(of: file)
        let lengths = SecretFile.leastLength...1_024
        guard (1...2).contains(secrets.count), secrets.allSatisfy({ lengths.contains($0.utf8.count) }) else {
            throw .input(
                "\(file): must hold the endpoint's secret of at least 16 characters on the first line, and nothing else but "
                    + "one that is being rotated out on the second"
            )
        }
        if provider == .custom,
            secrets.contains(where: { (StandardWebhookSignature.key(of: $0)?.count ?? 0) < SecretFile.leastLength })
        {
            throw .input(
                "\(file): after whsec_ stands Base64 of at least \(SecretFile.leastLength) bytes, such as "
                    + "`openssl rand -base64 24` prints"
            )
        }
        return secrets
    }
}

extension StripeSource {
    /// Reads the secrets of the configured accounts; nil without an account.
    ///
    /// - Throws: ``CommandFailure`` for a file that cannot be read or holds no secret.
    static func reading(
        _ configuration: [ServeConfiguration.Stripe],
        http: HTTPClient
    ) throws(CommandFailure) -> StripeSource? {
        if configuration.isEmpty { return nil }
        var entries: [Entry] = []
        for stripe in configuration {
            let secrets = try stripe.signingSecretFile.read { file throws(CommandFailure) in
                let secrets = try SecretFile.lines(of: file)
                guard (1...2).contains(secrets.count), secrets.allSatisfy(isSigningSecret) else {
                    throw CommandFailure.input(
                        "\(file): must hold the endpoint's signing secret, whsec_…, on the first line, "
                            + "and nothing else but one that is being rotated out on the second"
                    )
                }
                return secrets
            }
            entries.append(
                Entry(
                    account: stripe.terms.account(stripe.bundleId, stripe.account),
                    signingSecrets: secrets,
                    api: try api(of: stripe, http: http)
                )
            )
        }
        return StripeSource(entries: entries)
    }

    /// Whether a text is a signing secret that cannot be guessed: `whsec_` and at least 16 further characters.
    private static func isSigningSecret(_ text: String) -> Bool {
        let rest = text.utf8.dropFirst("whsec_".utf8.count)
        let isPlain = rest.allSatisfy { byte in
            byte.isASCIILetter || byte.isDigit || "_-+/=".utf8.contains(byte)
        }
        return text.hasPrefix("whsec_") && rest.count >= SecretFile.leastLength && isPlain
    }

    static func api(
        of stripe: ServeConfiguration.Stripe,
        http: HTTPClient
    ) throws(CommandFailure) -> StripeClient? {
        guard let file = stripe.apiKeyFile else { return nil }
        let key = try file.read { path throws(CommandFailure) in
            guard let key = try SecretFile.lines(of: path).first, key.hasPrefix("sk_") || key.hasPrefix("rk_") else {
                throw CommandFailure.input("\(path): holds no API key of Stripe; one begins with sk_ or rk_")
            }
            return key
        }
        return StripeClient(baseURL: stripe.baseURL, key: key, account: stripe.account, http: http)
    }
}
