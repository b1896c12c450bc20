import CommandSupport
import ExternalPurchaseCore
import Foundation
import Reporting
import ReportingServer
import Yams

extension ServeConfigurationReader {
    /// The names in a list, restricted to the known ones.
    func names(
        _ node: Node?,
        _ path: String,
        of known: [String],
        what: String
    ) throws(CommandFailure) -> [String] {
        guard let node else { return [] }
        var names: [String] = []
        for element in try sequence(node, path) {
            let name = try scalar(element, path)
            guard known.contains(name) else {
                throw fail(element, "\(path): \(name.shown()) is not \(what); one of \(known.joined(separator: ", "))")
            }
            names.append(name)
        }
        return names
    }

    func app(
        _ node: Node,
        _ path: String,
        _ catalog: ProgrammeCatalog
    ) throws(CommandFailure) -> ServeConfiguration.App {
        let members = try mapping(
            node,
            path,
            keys: ["bundleId", "appAppleId", "key", "baseURL", "links", "programmes", "policy"],
            required: ["bundleId", "appAppleId", "key"]
        )
        let bundleNode = members["bundleId"] ?? node
        let bundleId = try scalar(bundleNode, "\(path).bundleId")
        if let fault = BundleId.fault(in: bundleId) { throw fail(bundleNode, "\(path).bundleId \(fault)") }
        let idNode = members["appAppleId"] ?? node
        let idText = try scalar(idNode, "\(path).appAppleId")
        guard let appAppleId = AppIdentifier.number(idText) else {
            throw fail(idNode, "\(path).appAppleId \(AppIdentifier.noNumber(idText))")
        }
        return ServeConfiguration.App(
            bundleId: BundleId(bundleId),
            appAppleId: appAppleId,
            key: try key(members["key"] ?? node, "\(path).key"),
            baseURL: try members["baseURL"].map { node throws(CommandFailure) in
                try baseURL(node, "\(path).baseURL")
            } ?? ServeConfiguration.appleBaseURL,
            links: try members["links"].map { node throws(CommandFailure) in try links(node, "\(path).links") } ?? [:],
            programmes: try names(
                members["programmes"],
                "\(path).programmes",
                of: catalog.appProgrammes,
                what: "a programme"
            ),
            policy: try members["policy"].map { node throws(CommandFailure) in
                try policy(node, "\(path).policy")
            } ?? .open
        )
    }

    private func key(_ node: Node, _ path: String) throws(CommandFailure) -> ServeConfiguration.Key {
        let names = ["file", "keyId", "issuerId"]
        let members = try mapping(node, path, keys: names, required: names)
        func identifier(
            _ name: String,
            _ fault: (String) -> String?
        ) throws(CommandFailure) -> String {
            let member = members[name] ?? node
            let text = try scalar(member, "\(path).\(name)")
            if let fault = fault(text) { throw fail(member, "\(path).\(name) \(fault)") }
            return text
        }
        return ServeConfiguration.Key(
            file: try existingFile(members["file"] ?? node, "\(path).file", isSecret: true),
            keyId: try identifier("keyId", KeyIdentifier.fault(ofKeyId:)),
            issuerId: try identifier("issuerId", KeyIdentifier.fault(ofIssuerId:))
        )
    }

    private func baseURL(_ node: Node, _ path: String) throws(CommandFailure) -> [AppStoreEnvironment: String] {
        let members = try mapping(node, path, keys: AppStoreEnvironment.allCases.map(\.rawValue))
        var addresses: [AppStoreEnvironment: String] = [:]
        for environment in AppStoreEnvironment.allCases {
            guard let node = members[environment.rawValue] else { continue }
            addresses[environment] = try baseAddress(node, "\(path).\(environment.rawValue)")
        }
        return addresses
    }

    private func links(_ node: Node, _ path: String) throws(CommandFailure) -> [String: LandingLink] {
        guard let members = node.mapping else { throw fail(node, "\(path) must be a map of names to addresses") }
        var links: [String: LandingLink] = [:]
        for (keyNode, value) in members {
            let name = try keyText(keyNode, path)
            guard !name.isEmpty, name.utf8.allSatisfy({ $0.isASCIILetter || $0.isDigit || $0 == 0x2D || $0 == 0x5F })
            else {
                throw fail(
                    keyNode,
                    "\(path): the name \(name.shown()) becomes /out/{name}; use letters, digits, - and _"
                )
            }
            // YAML takes no and "no" for different keys.
            guard links[name] == nil else { throw fail(keyNode, "\(path).\(name) stands more than once; keep one") }
            links[name] = try link(value, "\(path).\(name)")
        }
        return links
    }

    private func link(_ node: Node, _ path: String) throws(CommandFailure) -> LandingLink {
        guard node.mapping != nil else { return LandingLink(url: try landingAddress(node, path)) }
        let members = try mapping(node, path, keys: ["url", "paths"], required: ["url"])
        let url = try landingAddress(members["url"] ?? node, "\(path).url")
        guard let paths = members["paths"] else { return LandingLink(url: url) }
        let text = try scalar(paths, "\(path).paths")
        guard ["on", "off"].contains(text) else { throw fail(paths, "\(path).paths \(text.shown()) must be on or off") }
        return LandingLink(url: url, allowsPaths: text == "on")
    }

    private func landingAddress(_ node: Node, _ path: String) throws(CommandFailure) -> String {
        let text = try scalar(node, path)
        do {
            try HTTPAddress.checkLink(text, path, example: "https://shop.example.com/nl")
        } catch {
            throw fail(node, error.message ?? "\(path) is not an address")
        }
        return text
    }
}
