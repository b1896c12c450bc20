import AppStoreServerClient
import ArgumentParser
import CommandSupport
import ExternalPurchaseCore
import Foundation
import HTTPSupport

/// The In-App Purchase key that signs requests, from options or the environment variables named in their help.
struct KeyOptions: ParsableArguments {
    @Option(help: "The key's .p8 file [EXTERNAL_PURCHASE_KEY].")
    var key: String?

    @Option(help: "The key's id [EXTERNAL_PURCHASE_KEY_ID].")
    var keyId: String?

    @Option(help: "The issuer id [EXTERNAL_PURCHASE_ISSUER_ID].")
    var issuerId: String?

    @Option(help: "Bundle id of the app [EXTERNAL_PURCHASE_BUNDLE_ID].")
    var bundleId: String?

    @Option(help: "Address that replaces Apple's hosts [EXTERNAL_PURCHASE_BASE_URL].")
    var baseURL: String?

    func value(
        _ option: String?,
        _ name: String,
        environment: [String: String]
    ) throws(CommandFailure) -> String {
        let variable = "EXTERNAL_PURCHASE_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
        guard let value = option ?? environment[variable], !value.isEmpty else {
            throw .input("--\(name) is missing; give it or set \(variable)")
        }
        return value
    }

    /// The base URL that replaces Apple's hosts; nil if none is given.
    func replacedBaseURL(environment: [String: String]) throws(CommandFailure) -> String? {
        guard let text = baseURL ?? environment["EXTERNAL_PURCHASE_BASE_URL"], !text.isEmpty else { return nil }
        try HTTPAddress.check(text, "--base-url")
        return text
    }
}

/// HTTP addresses in options and configuration files.
enum HTTPAddress {
    /// Validates that a text is an `http://` or `https://` URL with a host.
    static func check(
        _ text: String,
        _ name: String,
        example: String = "http://127.0.0.1:8801"
    ) throws(CommandFailure) {
        let components = URLComponents(string: text)
        guard let components, ["http", "https"].contains(components.scheme?.lowercased()),
            let host = components.host, !host.isEmpty, (components.port ?? 1) <= 65_535
        else { throw .input("\(name) '\(shown(text))' is not an address; one looks like \(example)") }
    }

    /// True for an address at which nobody else can read a secret on its way: https, or this machine.
    static func isPrivate(_ text: String) -> Bool {
        guard let components = URLComponents(string: text), let host = components.host else { return false }
        return components.scheme?.lowercased() == "https"
            || LoopbackHost.isLoopback(host.hasPrefix("[") ? LoopbackHost.name(ofAuthority: host) : host)
    }

    /// The address for messages, without user, password and the values of its query.
    static func shown(_ text: String) -> String {
        let place = text.range(of: "//")?.upperBound ?? text.startIndex
        let query = text[place...].firstIndex { $0 == "?" || $0 == "#" }
        let address = query.map { text[..<$0] } ?? text[...]
        let path = address[place...].firstIndex(of: "/") ?? address.endIndex
        // In an invalid address, the password may contain a slash.
        let end = address[path...].contains("@") ? address.endIndex : path
        var shown = String(address)
        if let sign = address[place..<end].lastIndex(of: "@") {
            shown = String(address[..<place]) + "…" + String(address[sign...])
        }
        return query == nil ? shown : shown + "?…"
    }
}
