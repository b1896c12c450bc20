import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Payments
import Reporting

extension StripeSettings {
    /// Reads the secrets of the configured accounts; nil without an account.
    ///
    /// - Throws: ``CommandFailure`` for a file that cannot be read or holds no secret.
    static func reading(
        _ configuration: [ServeConfiguration.Stripe],
        http: HTTPClient
    ) throws(CommandFailure) -> StripeSettings? {
        if configuration.isEmpty { return nil }
        var entries: [Entry] = []
        for stripe in configuration {
            let secrets = try stripe.signingSecretFile.read { file throws(CommandFailure) in
                let secrets = try lines(of: file)
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
                    account: StripeAccount(
                        bundleId: stripe.bundleId,
                        account: stripe.account,
                        products: stripe.products,
                        taxCountry: stripe.taxCountry,
                        taxRates: stripe.taxRates,
                        take: stripe.take,
                        from: stripe.from
                    ),
                    signingSecrets: secrets,
                    api: try api(of: stripe, http: http)
                )
            )
        }
        return StripeSettings(entries: entries)
    }

    /// Whether a text is a signing secret that cannot be guessed: `whsec_` and at least 16 further characters.
    private static func isSigningSecret(_ text: String) -> Bool {
        let rest = text.utf8.dropFirst("whsec_".utf8.count)
        let isPlain = rest.allSatisfy { byte in
            byte.isASCIILetter || byte.isDigit || "_-+/=".utf8.contains(byte)
        }
        return text.hasPrefix("whsec_") && rest.count >= 16 && isPlain
    }

    private static func api(
        of stripe: ServeConfiguration.Stripe,
        http: HTTPClient
    ) throws(CommandFailure) -> StripeClient? {
        guard let file = stripe.apiKeyFile else { return nil }
        let key = try file.read { path throws(CommandFailure) in
            guard let key = try lines(of: path).first, key.hasPrefix("sk_") || key.hasPrefix("rk_") else {
                throw CommandFailure.input("\(path): holds no API key of Stripe; one begins with sk_ or rk_")
            }
            return key
        }
        return StripeClient(baseURL: stripe.baseURL, key: key, account: stripe.account, http: http)
    }

    private static func lines(of file: String) throws(CommandFailure) -> [String] {
        let bytes = try PrivateFile.read(file)
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
