import CommandSupport
import ExternalPurchaseCore
import Foundation
import Yams

extension ServeConfigurationReader {
    /// Reads an entry of `stripe`; docs/stripe.md describes its members.
    func stripe(
        _ node: Node,
        _ path: String,
        _ apps: Set<BundleId>
    ) throws(CommandFailure) -> ServeConfiguration.Stripe {
        let members = try mapping(
            node,
            path,
            keys: [
                "bundleId", "account", "signingSecretFile", "apiKeyFile", "baseURL", "products", "taxCountry",
                "taxRate",
            ],
            required: ["bundleId", "signingSecretFile"]
        )
        let bundleNode = members["bundleId"] ?? node
        let bundleId = BundleId(try scalar(bundleNode, "\(path).bundleId"))
        guard apps.contains(bundleId) else {
            let known = apps.map(\.rawValue).sorted().joined(separator: ", ")
            throw fail(bundleNode, "\(path).bundleId \(bundleId.rawValue.shown()) is none of the apps: \(known)")
        }
        var entry = ServeConfiguration.Stripe(
            bundleId: bundleId,
            signingSecretFile: try existingFile(
                members["signingSecretFile"] ?? node,
                "\(path).signingSecretFile",
                isSecret: true
            )
        )
        if let node = members["account"] {
            let account = try scalar(node, "\(path).account")
            let id = account.utf8.dropFirst("acct_".utf8.count)
            guard account.hasPrefix("acct_"), !id.isEmpty,
                id.allSatisfy({ $0.isASCIILetter || $0.isDigit || $0 == 0x5F })
            else {
                throw fail(node, "\(path).account \(account.shown()) is not an account's id; one looks like acct_1Nabc")
            }
            entry.account = account
        }
        entry.apiKeyFile = try members["apiKeyFile"].map { node throws(CommandFailure) in
            try existingFile(node, "\(path).apiKeyFile", isSecret: true)
        }
        if let node = members["baseURL"] {
            entry.baseURL = try baseAddress(node, "\(path).baseURL", example: ServeConfiguration.Stripe.defaultBaseURL)
        }
        if let node = members["baseURL"], entry.apiKeyFile != nil, !HTTPAddress.isPrivate(entry.baseURL) {
            throw fail(
                node,
                "\(path).baseURL \(entry.baseURL.shown()) would carry the API key without TLS; "
                    + "only a loopback address may have http"
            )
        }
        if let node = members["products"] {
            guard let products = node.mapping else {
                throw fail(node, "\(path).products must be a map such as price_1Nabc: gems.100")
            }
            for (key, value) in products {
                let id = try scalar(key, "\(path).products")
                guard !id.isEmpty, !id.unicodeScalars.contains(where: { $0.isControlOrDirection || $0 == " " }) else {
                    throw fail(
                        key,
                        "\(path).products \(id.shown()) is not the id of a price or product, such as price_1Nabc"
                    )
                }
                let product = try scalar(value, "\(path).products.\(id.shown(in: ""))")
                guard (1...256).contains(product.unicodeScalars.count),
                    !product.unicodeScalars.contains(where: \.isControlOrDirection)
                else {
                    throw fail(
                        value,
                        "\(path).products.\(id.shown(in: "")) must have 1 to 256 characters and no control characters"
                    )
                }
                entry.products[id] = product
            }
        }
        if let node = members["taxCountry"] {
            let code = try scalar(node, "\(path).taxCountry")
            guard let country = Country.alpha3(code) ?? Country.alpha2(code) else {
                let meant = Country.meant(by: code).map { "\($0.alpha2) or \($0.alpha3) would be right" }
                let hint = meant ?? "one looks like NLD"
                throw fail(node, "\(path).taxCountry \(code.shown()) is no country of ISO 3166-1; \(hint)")
            }
            entry.taxCountry = country.alpha3
        }
        if let node = members["taxRate"] {
            let text = try scalar(node, "\(path).taxRate")
            guard let rate = DecimalText.decimal(text), (0...100).contains(rate) else {
                throw fail(node, "\(path).taxRate \(text.shown()) must be a rate in per cent, such as \"21\"")
            }
            entry.taxRate = rate
        }
        return entry
    }
}
