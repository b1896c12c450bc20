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
    var stripeKey: String?
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
        try Self.check(publicAddress: publicAddress)
        try Self.check(key: key)
        try Self.check(keyId: keyId, of: key)
        try Self.check(root: root, baseURL: baseURL)
        if let stripeSecret {
            try Self.check(
                line: "whsec_",
                of: stripeSecret,
                "--stripe-secret",
                "the endpoint's signing secret, whsec_…"
            )
        }
        if let stripeKey {
            guard stripeSecret != nil else {
                throw .input("--stripe-key needs --stripe-secret, the signing secret of Stripe's endpoint")
            }
            let start = try Self.firstLine(of: stripeKey, "--stripe-key").hasPrefix("sk_") ? "sk_" : "rk_"
            try Self.check(line: start, of: stripeKey, "--stripe-key", "an API key of Stripe, rk_… or sk_…")
        }
    }

    static func check(publicAddress: String) throws(CommandFailure) {
        try HTTPAddress.checkPublic(publicAddress)
        guard publicAddress.lowercased().hasPrefix("https://") || HTTPAddress.isPrivate(publicAddress) else {
            throw .input(
                "--public-address \(publicAddress.shown()): Apple and visitors need https; one looks like "
                    + "https://pay.example.com"
            )
        }
    }

    static func check(key: String) throws(CommandFailure) {
        let text = try text(of: key, "--key")
        do {
            _ = try PrivateKey(p8: text)
        } catch {
            throw .input("--key \(NamedFile.shown(secretFile: key)): \(error)")
        }
    }

    static func check(keyId: String, of key: String) throws(CommandFailure) {
        let fault = KeyIdentifier.fault(ofKeyId: keyId) ?? KeyIdentifier.fault(ofKeyId: keyId, file: key)
        if let fault { throw .input("--key-id \(fault)") }
    }

    /// - Parameter baseURL: an emulator's address, whose root is another than Apple's.
    static func check(root: String, baseURL: String?) throws(CommandFailure) {
        let bytes: [UInt8]
        do throws(CommandFailure) {
            bytes = try InputFile.read(root, name: NamedFile.shown(secretFile: root))
        } catch {
            throw error.prefixed(by: "--root")
        }
        let roots: [TrustedRoot]
        do {
            roots = try TrustedRoot.read(bytes)
        } catch {
            throw .input("--root \(root): \(error)")
        }
        guard baseURL != nil || roots.contains(where: \.isApple) else {
            throw .input(
                "--root \(root): is not Apple Root CA - G3, so that no notification of Apple would be taken; download "
                    + "AppleRootCA-G3.cer from Apple PKI, or name an emulator with --base-url"
            )
        }
    }

    private static func check(
        line start: String,
        of file: String,
        _ flag: String,
        _ what: String
    ) throws(CommandFailure) {
        guard try firstLine(of: file, flag).hasPrefix(start) else {
            throw .input("\(flag) \(NamedFile.shown(secretFile: file)): its first line must be \(what)")
        }
    }

    private static func firstLine(of file: String, _ flag: String) throws(CommandFailure) -> Substring {
        try text(of: file, flag).prefix { !$0.isNewline }
    }

    private static func text(of file: String, _ flag: String) throws(CommandFailure) -> String {
        do throws(CommandFailure) {
            return try SecretFile.text(of: file, warn: { _ in })
        } catch {
            throw error.prefixed(by: flag)
        }
    }
}
