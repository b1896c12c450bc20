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

    /// The key's id and the issuer id.
    func identifiers(environment: [String: String]) throws(CommandFailure) -> (keyId: String, issuerId: String) {
        let key = try value(keyId, "key-id", environment: environment)
        if let fault = KeyIdentifier.fault(ofKeyId: key) { throw .input("--key-id \(fault)") }
        let issuer = try value(issuerId, "issuer-id", environment: environment)
        if let fault = KeyIdentifier.fault(ofIssuerId: issuer) { throw .input("--issuer-id \(fault)") }
        return (key, issuer)
    }

    /// The app's bundle id.
    func app(environment: [String: String]) throws(CommandFailure) -> String {
        let app = try value(bundleId, "bundle-id", environment: environment)
        if let fault = BundleId.fault(in: app) { throw .input("--bundle-id \(fault)") }
        return app
    }

    /// The base URL that replaces Apple's hosts; nil if none is given.
    func replacedBaseURL(environment: [String: String]) throws(CommandFailure) -> String? {
        guard let text = baseURL ?? environment["EXTERNAL_PURCHASE_BASE_URL"], !text.isEmpty else { return nil }
        try HTTPAddress.check(text, "--base-url")
        return text
    }
}

/// The ids that App Store Connect shows beside an In-App Purchase key.
enum KeyIdentifier {
    /// Returns what is wrong with a key's id; nil if nothing is.
    static func fault(ofKeyId text: String) -> String? {
        let isRight =
            (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isASCIILetter || $0.isDigit }
        return isRight ? nil : "\(shown(text, "is not the id of a key")); one looks like 2X9R4HXF34"
    }

    /// Returns what is wrong with a key's id beside the file of the key, which App Store Connect names by it.
    static func fault(ofKeyId text: String, file: String) -> String? {
        let name = URL(filePath: file).lastPathComponent
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
        let named = name.dropFirst("AuthKey_".count).dropLast(".p8".count)
        guard fault(ofKeyId: String(named)) == nil, named != text else { return nil }
        return "\(text.shown()) is not the id of \(name), which is \(named)"
    }

    /// Returns what is wrong with an issuer id, which is a UUID; nil if nothing is.
    static func fault(ofIssuerId text: String) -> String? {
        let isRight = text.utf8.count == 36 && UUID(uuidString: text) != nil
        return isRight
            ? nil : "\(shown(text, "is not an issuer id")); one looks like 57246542-96fe-1a63-e053-0824d011072a"
    }

    /// What is wrong, with the text, of which a long one may be a secret in the wrong place.
    private static func shown(_ text: String, _ fault: String) -> String {
        text.isEmpty ? "is empty" : "\(text.shown()) \(fault)"
    }
}

/// The ids by which App Store Connect knows an app.
enum AppIdentifier {
    /// Reads the App Store's number of an app.
    static func number(_ text: String) -> Int64? { Int64(text).flatMap { $0 > 0 ? $0 : nil } }

    /// What is wrong with a text that is no number of an app.
    static func noNumber(_ text: String) -> String {
        "\(text.shown()) is not the App Store's number of an app, such as 1234567890"
    }
}

/// HTTP addresses in options and configuration files.
enum HTTPAddress {
    /// The largest size of an address in bytes.
    static let maximumBytes = 2_048
    /// The largest size of a name of a host (RFC 1035).
    private static let maximumHostBytes = 253

    /// Validates that a text is an `http://` or `https://` URL with a host.
    ///
    /// The text is bounded before anything reads it.
    static func check(
        _ text: String,
        _ name: String,
        example: String = "http://127.0.0.1:8801"
    ) throws(CommandFailure) {
        guard text.utf8.count <= maximumBytes else {
            throw .input("\(name): an address has at most \(maximumBytes) bytes, and this one \(text.utf8.count)")
        }
        // Parsers of addresses drop some of these characters or read them as others.
        for (place, scalar) in text.unicodeScalars.enumerated()
        where scalar.isControlOrDirection || scalar.properties.isWhitespace || scalar == "\\" || !scalar.isASCII {
            let code = String(scalar.value, radix: 16, uppercase: true)
            let padded = String(repeating: "0", count: max(0, 4 - code.count)) + code
            throw .input(
                "\(name): character \(place + 1) is U+\(padded); an address has "
                    + (scalar.isASCII || scalar.isControlOrDirection || scalar.properties.isWhitespace
                        ? "no spaces, control characters or backslashes"
                        : "ASCII characters only: write a host in its xn-- form, and other characters as %XX")
            )
        }
        let components = URLComponents(string: text)
        guard let components, ["http", "https"].contains(components.scheme?.lowercased()),
            let host = components.host, !host.isEmpty, (1...65_535).contains(components.port ?? 1)
        else { throw .input("\(name) \(text.shown()) is not an address; one looks like \(example)") }
        guard host.utf8.count <= maximumHostBytes else {
            throw .input("\(name): the name of a host has at most \(maximumHostBytes) bytes")
        }
    }

    /// Validates the address by which the public reaches the server, which is printed and compared.
    static func checkPublic(_ text: String) throws(CommandFailure) {
        try check(text, "--public-address", example: "https://pay.example.com")
        guard let parts = URLComponents(string: text) else { return }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
            throw .input(
                "--public-address: name, password, query and fragment do not belong in it; one looks like "
                    + "https://pay.example.com"
            )
        }
    }

    /// Whether an address is one of Apple's hosts.
    static func isApple(_ text: String) -> Bool {
        let host = URLComponents(string: text)?.host?.lowercased() ?? ""
        return host == "apple.com" || host.hasSuffix(".apple.com")
    }

    /// The names of the query parameters that are added to a link when a customer arrives.
    private static let ownParameters = [WebsiteURL.tokenParameter, WebsiteURL.bundleParameter, "checkout"]

    /// Validates the address of a landing link, to which parameters of the visit are added.
    static func checkLink(_ text: String, _ name: String, example: String) throws(CommandFailure) {
        try check(text, name, example: example)
        guard let parts = URLComponents(string: text) else { return }
        guard parts.user == nil, parts.password == nil else {
            throw .input(
                "\(name) \(text.shown()): every customer would see name and password, and browsers refuse them; "
                    + "one looks like \(example)"
            )
        }
        let names = parts.queryItems?.map(\.name) ?? []
        if let own = ownParameters.first(where: names.containsName) {
            throw .input("\(name): the parameter \(own) is added to each visit, so the address must not have it")
        }
    }

    /// True for an address at which nobody else can read a secret on its way: https, or this machine.
    static func isPrivate(_ text: String) -> Bool {
        guard let components = URLComponents(string: text), let host = components.host else { return false }
        return components.scheme?.lowercased() == "https"
            || LoopbackHost.isLoopback(host.hasPrefix("[") ? LoopbackHost.name(ofAuthority: host) : host)
    }

    /// The address without user, password and the values of its query.
    static func shown(_ text: String) -> String { text.addressWithoutSecrets ?? text }

    /// The address up to its host; chat services have the secret of a webhook in its path.
    static func shownHost(_ text: String) -> String {
        let address = shown(text)
        guard let scheme = address.range(of: "://"), let path = address[scheme.upperBound...].firstIndex(of: "/"),
            address.index(after: path) < address.endIndex
        else { return address }
        return address[...path] + "…"
    }
}
