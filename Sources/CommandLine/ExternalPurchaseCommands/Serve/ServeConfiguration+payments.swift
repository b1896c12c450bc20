import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Payments
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
            keys: ["bundleId", "account", "signingSecretFile", "apiKeyFile", "baseURL"] + Self.termKeys,
            required: ["bundleId", "signingSecretFile"]
        )
        var entry = ServeConfiguration.Stripe(
            bundleId: try paymentApp(members["bundleId"] ?? node, path, apps),
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
        entry.terms = try paymentTerms(members, path, example: "price_1Nabc")
        return entry
    }

    /// Reads the reported name of a product; what is meant to say that nothing is reported is not taken for a name.
    private func product(_ node: Node, _ path: String) throws(CommandFailure) -> String {
        let excluded = PaymentAccount.excluded
        guard node.null == nil, node.scalar?.style != .plain || node.bool == nil else {
            let shown = node.null == nil ? "true or false" : "null"
            throw fail(
                node,
                "\(path) must be the product's name for Apple, not \(shown); \(excluded) leaves it out, and a name that YAML "
                    + "takes for something else stands in quotes"
            )
        }
        let product = try scalar(node, path)
        guard (1...256).contains(product.unicodeScalars.count),
            !product.unicodeScalars.contains(where: \.isControlOrDirection)
        else {
            throw fail(node, "\(path) must have 1 to 256 characters and no control characters")
        }
        guard product == excluded || product.trimmingBlanks.lowercased() != excluded else {
            throw fail(node, "\(path) \(product.shown()) is no product; \(excluded), in small letters, leaves it out")
        }
        return product
    }

    /// Reads the members that every provider's entry has.
    private func paymentTerms(
        _ members: [String: Node],
        _ path: String,
        example: String
    ) throws(CommandFailure) -> ServeConfiguration.PaymentTerms {
        var terms = ServeConfiguration.PaymentTerms()
        if let node = members["products"] {
            guard let products = node.mapping else {
                throw fail(node, "\(path).products must be a map such as \(example): gems.100")
            }
            for (key, value) in products {
                let id = try keyText(key, "\(path).products")
                guard !id.isEmpty, !id.unicodeScalars.contains(where: { $0.isControlOrDirection || $0 == " " }) else {
                    throw fail(
                        key,
                        "\(path).products \(id.shown()) is not the id of a price or product, such as \(example)"
                    )
                }
                let product = try product(value, "\(path).products.\(id.shown(in: ""))")
                guard terms.products.updateValue(product, forKey: id) == nil else {
                    throw fail(key, "\(path).products.\(id.shown(in: "")) stands more than once; keep one")
                }
            }
        }
        if let node = members["take"] {
            let text = try scalar(node, "\(path).take")
            guard let take = PaymentAccount.Take(rawValue: text) else {
                throw fail(node, "\(path).take \(text.shown()) is neither referenced nor all")
            }
            terms.take = take
        }
        if let node = members["from"] {
            let text = try scalar(node, "\(path).from")
            guard let from = Timestamp(rfc3339: text.utf8.count == 10 ? "\(text)T00:00:00Z" : text) else {
                throw fail(node, "\(path).from \(text.shown()) is not a date such as 2026-10-01")
            }
            terms.from = from
        }
        if let node = members["taxCountry"] { terms.taxCountry = try country(node, "\(path).taxCountry") }
        if let node = members["taxRates"] {
            guard let rates = node.mapping else {
                throw fail(node, "\(path).taxRates must be a map such as NLD: \"21\"")
            }
            for (key, value) in rates {
                let code = try country(key, "\(path).taxRates")
                guard terms.taxRates[code] == nil else { throw fail(key, "\(path).taxRates has \(code) twice") }
                terms.taxRates[code] = try taxRate(value, "\(path).taxRates.\(code)")
            }
        }
        if let node = members["taxRate"] {
            let rate = try taxRate(node, "\(path).taxRate")
            guard let country = terms.taxCountry else {
                throw fail(
                    node,
                    "\(path).taxRate is the rate of \(path).taxCountry, which is missing; taxRates has one for each country"
                )
            }
            guard terms.taxRates[country] == nil else {
                throw fail(node, "\(path).taxRate and \(path).taxRates both have the rate of \(country)")
            }
            terms.taxRates[country] = rate
        }
        return terms
    }

    /// Reads an entry of `payments`; docs/payments.md describes its members.
    func payment(
        _ node: Node,
        _ path: String,
        _ apps: Set<BundleId>
    ) throws(CommandFailure) -> ServeConfiguration.Payment {
        let members = try mapping(
            node,
            path,
            keys: ["provider", "bundleId", "secretFile", "environment"] + Self.termKeys,
            required: ["provider", "bundleId", "secretFile"]
        )
        let providerNode = members["provider"] ?? node
        let name = try scalar(providerNode, "\(path).provider")
        guard let provider = PaymentProvider(rawValue: name), provider != .stripe else {
            let advice = name == "stripe" ? "; an account of Stripe is an entry of 'stripe'" : ""
            throw fail(providerNode, "\(path).provider \(name.shown()) is neither paddle nor custom\(advice)")
        }
        var environment = AppStoreEnvironment.production
        if let node = members["environment"] {
            let text = try scalar(node, "\(path).environment")
            guard provider == .paddle else {
                throw fail(node, "\(path).environment belongs to paddle; a body of custom names its own")
            }
            guard let named = AppStoreEnvironment(rawValue: text) else {
                throw fail(node, "\(path).environment \(text.shown()) is neither production nor sandbox")
            }
            environment = named
        }
        return ServeConfiguration.Payment(
            provider: provider,
            bundleId: try paymentApp(members["bundleId"] ?? node, path, apps),
            secretFile: try existingFile(members["secretFile"] ?? node, "\(path).secretFile", isSecret: true),
            environment: environment,
            terms: try paymentTerms(members, path, example: provider == .paddle ? "pri_01abc" : "gems")
        )
    }

    private static let termKeys = ["products", "taxCountry", "taxRate", "taxRates", "take", "from"]

    /// Reads the app of an entry.
    private func paymentApp(_ node: Node, _ path: String, _ apps: Set<BundleId>) throws(CommandFailure) -> BundleId {
        let bundleId = BundleId(try scalar(node, "\(path).bundleId"))
        guard apps.contains(bundleId) else {
            let known = apps.map(\.rawValue).sorted().joined(separator: ", ")
            throw fail(node, "\(path).bundleId \(bundleId.rawValue.shown()) is none of the apps: \(known)")
        }
        return bundleId
    }

    private func country(_ node: Node, _ path: String) throws(CommandFailure) -> String {
        let code = try scalar(node, path)
        guard let country = Country.alpha3(code) ?? Country.alpha2(code) else {
            let meant = Country.meant(by: code).map { "\($0.alpha2) or \($0.alpha3) would be right" }
            throw fail(node, "\(path) \(code.shown()) is no country of ISO 3166-1; \(meant ?? "one looks like NLD")")
        }
        return country.alpha3
    }

    private func taxRate(_ node: Node, _ path: String) throws(CommandFailure) -> Decimal {
        let text = try scalar(node, path)
        guard let rate = DecimalText.decimal(text), (0...100).contains(rate) else {
            throw fail(node, "\(path) \(text.shown()) must be a rate in per cent, such as \"21\"")
        }
        return rate
    }
}
