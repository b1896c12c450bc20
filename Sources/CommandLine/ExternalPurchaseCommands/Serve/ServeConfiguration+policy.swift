import CommandSupport
import ExternalPurchaseCore
import Reporting
import Yams

extension ServeConfigurationReader {
    /// Reads `policy` of an app; docs/configuration.md describes its members.
    func policy(_ node: Node, _ path: String) throws(CommandFailure) -> PurchasePolicy {
        let members = try mapping(node, path, keys: ["storefronts", "default", "maxAge"], required: ["default"])
        var policy = PurchasePolicy(standard: try entry(members["default"] ?? node, "\(path).default"))
        if let node = members["storefronts"] {
            guard let storefronts = node.mapping else {
                throw fail(node, "\(path).storefronts must be a map such as JPN: {offered: true}")
            }
            for (key, value) in storefronts {
                let code = try storefront(key, "\(path).storefronts")
                guard policy.storefronts[code] == nil else { throw fail(key, "\(path).storefronts has \(code) twice") }
                policy.storefronts[code] = try entry(value, "\(path).storefronts.\(code)")
            }
        }
        if let node = members["maxAge"] {
            let text = try scalar(node, "\(path).maxAge")
            guard let age = SettingText.duration(text), PurchasePolicy.maxAges.contains(age) else {
                throw fail(node, "\(path).maxAge \(text.shown()) must be a duration from 1min to 7d, such as 1h")
            }
            policy.maxAge = age
        }
        return policy
    }

    private func entry(_ node: Node, _ path: String) throws(CommandFailure) -> PurchasePolicy.Entry {
        let members = try mapping(
            node,
            path,
            keys: ["offered", "requestsTokens", "message"],
            required: ["offered"]
        )
        func flag(_ name: String) throws(CommandFailure) -> Bool? {
            guard let member = members[name] else { return nil }
            guard let value = member.bool else { throw fail(member, "\(path).\(name) must be true or false") }
            return value
        }
        let isOffered = try flag("offered") ?? false
        var entry = PurchasePolicy.Entry(
            isOffered: isOffered,
            requestsTokens: try flag("requestsTokens") ?? isOffered
        )
        if let member = members["message"], member.null == nil {
            let text = try scalar(member, "\(path).message")
            guard (1...500).contains(text.unicodeScalars.count),
                !text.unicodeScalars.contains(where: \.isControlOrDirection)
            else {
                throw fail(member, "\(path).message must have 1 to 500 characters and no control characters")
            }
            entry.message = text
        }
        return entry
    }

    private func storefront(_ node: Node, _ path: String) throws(CommandFailure) -> StorefrontCode {
        let text = try scalar(node, path)
        if let code = StorefrontCode(text) ?? Country.alpha2(text).flatMap({ StorefrontCode($0.alpha3) }) {
            return code
        }
        let meant = StorefrontCode.suggestion(for: text).map { "did you mean \($0)?" } ?? "one looks like JPN"
        throw fail(node, "\(path): \(text.shown()) is no storefront of the App Store; \(meant)")
    }
}
