import AppStoreServerClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import ReportConformance

/// The endpoint and the tokens of a run, checked before anything is sent.
struct ConformanceInputs {
    /// The address of the endpoint, without a slash at its end.
    let baseURL: String
    /// The app.
    let bundleId: String
    /// The tokens in the order of the options.
    let tokens: [ConformanceToken]

    private static let sandbox = "https://api.storekit-sandbox.apple.com"
    private static let productionHosts = ["api.storekit.apple.com", "api.storekit.itunes.apple.com"]

    init(
        tokens texts: [String],
        keys: KeyOptions,
        allowProduction: Bool,
        environment: [String: String]
    ) throws(CommandFailure) {
        var address = try keys.replacedBaseURL(environment: environment) ?? Self.sandbox
        while address.hasSuffix("/") { address.removeLast() }
        let host = URLComponents(string: address)?.host?.lowercased() ?? ""
        if Self.productionHosts.contains(host), !allowProduction {
            throw .input(
                "--base-url \(HTTPAddress.shown(address)) is Apple's production host, where reports are real;"
                    + " leave it out for the sandbox, or add --allow-production"
            )
        }
        bundleId = try keys.app(environment: environment)
        var tokens: [ConformanceToken] = []
        for (index, text) in texts.enumerated() {
            let place = texts.count == 1 ? "--token" : "--token, number \(index + 1)"
            let token = try Self.token(text, place: place)
            if token.environment == .production, !allowProduction {
                throw .input(
                    "\(place): is a production token, whose reports are real; use a token of the sandbox,"
                        + " or add --allow-production"
                )
            }
            guard token.bundleId.rawValue == bundleId else {
                throw .input("\(place): is of \(token.bundleId.rawValue.printable), not of --bundle-id \(bundleId)")
            }
            let entry = ConformanceToken(token)
            guard !tokens.contains(where: { $0.externalPurchaseId == entry.externalPurchaseId }) else {
                throw .input("\(place): was given before; each token is given once")
            }
            tokens.append(entry)
        }
        if Set(tokens.map(\.externalPurchaseId.environment)).count > 1 {
            throw .input("--token: some tokens are of the sandbox and some of production; give those of one")
        }
        baseURL = address
        self.tokens = tokens
    }

    private static func token(_ text: String, place: String) throws(CommandFailure) -> ExternalPurchaseToken {
        var source = text
        if let start = text.firstIndex(of: "?"), text.lowercased().hasPrefix("http") {
            let query = text[text.index(after: start)...].prefix { $0 != "#" }
            guard let token = WebsiteURL.arrival(query: String(query)).token else {
                throw .input("\(place): the URL has no query parameter \(WebsiteURL.tokenParameter)")
            }
            source = token
        }
        do {
            return try ExternalPurchaseToken.decode(source, mode: .lenient).token
        } catch {
            throw .input("\(place): \(error.name.rawValue): \(error.message)")
        }
    }

    /// The key that signs the requests.
    func credentials(_ keys: KeyOptions) throws(CommandFailure) -> APICredentials {
        let environment = ProcessInfo.processInfo.environment
        let file = try keys.value(keys.key, "key", environment: environment)
        let (keyId, issuerId) = try keys.identifiers(environment: environment)
        let text = String(decoding: try PrivateFile.read(file), as: UTF8.self)
        do {
            return APICredentials(
                privateKey: try PrivateKey(p8: text),
                keyId: keyId,
                issuerId: issuerId,
                bundleId: BundleId(bundleId)
            )
        } catch {
            throw .input("\(file): \(error)")
        }
    }
}
