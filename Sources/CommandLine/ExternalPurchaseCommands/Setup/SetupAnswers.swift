import AppStoreNotifications
import AppStoreServerClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import LintCommands

/// What `setup` was told.
struct SetupAnswers {
    var bundleId: String
    var appAppleId: String
    var key: String
    var keyId: String
    var issuerId: String
    var root: String
    var publicAddress: String
    var stripeSecret: String?
    var baseURL: String?
    /// The pages of the shop by the name of their link, in order.
    var shop: [(name: String, url: String)] = []

    /// Reads `NAME=URL`.
    static func pages(_ texts: [String]) throws(CommandFailure) -> [(name: String, url: String)] {
        var pages: [(name: String, url: String)] = []
        for text in texts {
            guard let equals = text.firstIndex(of: "="), !text[..<equals].contains(":") else {
                throw .input("--shop \(text.shown()): is not NAME=URL; one looks like nl=https://shop.example.com/nl")
            }
            let (name, url) = (String(text[..<equals]), String(text[text.index(after: equals)...]))
            guard !pages.contains(where: { $0.name == name }) else {
                throw .input("--shop: \(name.shown()) stands more than once; keep one")
            }
            pages.append((name, url))
        }
        return pages
    }

    /// The public address without a slash at its end.
    var address: String { publicAddress.hasSuffix("/") ? String(publicAddress.dropLast()) : publicAddress }

    /// The landing address for each country of the offer: that of its own page, else of the first one.
    func landingAddresses(of offer: AppOffer) -> [String] {
        offer.countries.map { country in
            let name = shop.first { $0.name == country }?.name ?? shop.first?.name ?? ""
            return "\(country)=\(address)/out/\(name)"
        }
    }

    /// Checks what the configuration itself does not show; the texts are checked by its reader.
    func check() throws(CommandFailure) {
        try HTTPAddress.check(publicAddress, "--public-address", example: "https://pay.example.com")
        guard address.hasPrefix("https://") || HTTPAddress.isPrivate(address) else {
            throw .input(
                "--public-address \(address.shown()): Apple and visitors need https; one looks like https://pay.example.com"
            )
        }
        for (flag, file) in [("--key", key), ("--root", root)] + (stripeSecret.map { [("--stripe-secret", $0)] } ?? [])
        {
            do throws(CommandFailure) {
                _ = try InputFile.read(file, name: NamedFile.shown(secretFile: file))
            } catch {
                throw error.prefixed(by: flag)
            }
        }
        let text = try SecretFile.text(of: key, warn: { _ in })
        do {
            _ = try PrivateKey(p8: text)
        } catch {
            throw .input("--key \(NamedFile.shown(secretFile: key)): \(error)")
        }
        if let stripeSecret {
            let secret = try SecretFile.text(of: stripeSecret, warn: { _ in })
            guard secret.hasPrefix("whsec_") else {
                throw .input(
                    "--stripe-secret \(NamedFile.shown(secretFile: stripeSecret)): its first line must be the endpoint's "
                        + "signing secret, whsec_…"
                )
            }
        }
        do {
            _ = try TrustedRoot.read(try InputFile.read(root))
        } catch {
            throw .input("--root \(root): \((error as? CommandFailure)?.message ?? "\(error)")")
        }
    }
}
