import ExternalPurchaseCore
import ExternalPurchaseKit
import Foundation

/// The parameters of `configure`.
struct ConfigureParameters: Sendable {
    /// How tokens reach the server.
    enum Delivery: Sendable {
        /// By the transport of the app, which gets address and key.
        case server(ExternalPurchaseBridge.Server)
        /// By the host, which is asked with each token.
        case host
    }

    /// The server whose policy the offers follow (EK-70).
    struct Policy: Sendable {
        let server: ExternalPurchaseBridge.Server
        /// What holds while no answer was ever received.
        let unknown: PolicyClient.Unknown
    }

    let delivery: Delivery
    /// Nil where the server's policy is not asked for.
    let policy: Policy?
    let gates: [String]
    let showsDisclosure: Bool
    let opensURL: Bool
    let tokenSchemes: [String: TokenScheme]
    let customerId: String?

    init(_ value: JSONValue, at path: String) throws(BridgeError) {
        let reader = try MemberReader(
            value,
            at: path,
            members: ["delivery", "policy", "gates", "showsDisclosure", "opensURL", "tokenSchemes", "customerId"]
        )
        delivery = try Delivery(try reader.required("delivery"), at: reader.path(of: "delivery"))
        policy = try reader.optional("policy").map { value throws(BridgeError) in
            try Policy(value, at: reader.path(of: "policy"))
        }
        gates = try Self.gates(reader)
        showsDisclosure = try reader.bool("showsDisclosure", or: false)
        opensURL = try reader.bool("opensURL", or: false)
        tokenSchemes = try Self.tokenSchemes(reader)
        customerId = try reader.optionalText("customerId", atMost: 128)
    }

    private static func gates(_ reader: MemberReader) throws(BridgeError) -> [String] {
        guard reader.object["gates"] != nil else { return [] }
        var names: [String] = []
        for element in try reader.array("gates", atMost: GateName.largestCount) {
            guard let name = element.stringValue, GateName.isName(name), !names.contains(name) else {
                throw reader.invalid("gates", "a list of different names such as age")
            }
            names.append(name)
        }
        return names
    }

    private static func tokenSchemes(_ reader: MemberReader) throws(BridgeError) -> [String: TokenScheme] {
        guard let value = reader.object["tokenSchemes"] else { return [:] }
        let map = try MemberReader(mapOf: value, at: reader.path(of: "tokenSchemes"), atMost: 300) {
            $0.wholeMatch(of: #/[A-Z]{3}/#) != nil
        }
        var schemes: [String: TokenScheme] = [:]
        for member in map.object.members {
            schemes[member.key] = try TokenScheme(member.value, at: map.path(of: member.key))
        }
        return schemes
    }
}

/// The names of gates.
enum GateName {
    static let largestCount = 32

    static func isName(_ text: String) -> Bool { text.wholeMatch(of: #/[A-Za-z0-9._\-]{1,64}/#) != nil }
}

extension ConfigureParameters.Delivery {
    fileprivate init(_ value: JSONValue, at path: String) throws(BridgeError) {
        let kind = try MemberReader(kindOf: value, at: path).kind("kind", of: ["server", "host"])
        guard kind == "server" else {
            _ = try MemberReader(value, at: path, members: ["kind"])
            self = .host
            return
        }
        let reader = try MemberReader(value, at: path, members: ["kind", "url", "publishableKey"])
        self = .server(try ExternalPurchaseBridge.Server(reader))
    }
}

extension ConfigureParameters.Policy {
    fileprivate init(_ value: JSONValue, at path: String) throws(BridgeError) {
        let reader = try MemberReader(value, at: path, members: ["url", "publishableKey", "whileUnknown"])
        server = try ExternalPurchaseBridge.Server(reader)
        guard reader.object["whileUnknown"] != nil else {
            unknown = .closed
            return
        }
        unknown = try reader.kind("whileUnknown", of: ["closed", "open"]) == "open" ? .open : .closed
    }
}

extension ExternalPurchaseBridge.Server {
    fileprivate init(_ reader: MemberReader) throws(BridgeError) {
        url = try reader.address("url")
        publishableKey = try reader.text("publishableKey", atMost: 512)
    }
}

extension TokenScheme {
    fileprivate init(_ value: JSONValue, at path: String) throws(BridgeError) {
        let kind = try MemberReader(kindOf: value, at: path).kind("kind", of: ["periods", "transaction"])
        if kind == "periods" {
            let reader = try MemberReader(value, at: path, members: ["kind", "types"])
            var types: [TokenType] = []
            for element in try reader.array("types", atMost: 8) {
                guard let text = element.stringValue, Self.isType(text) else {
                    throw reader.invalid("types", "a list of types such as SERVICES")
                }
                types.append(TokenType(rawValue: text))
            }
            self = .periods(types)
        } else {
            let reader = try MemberReader(value, at: path, members: ["kind", "withinApp", "outOfApp"])
            let withinApp = try Self.type("withinApp", reader)
            self = .transaction(withinApp: withinApp, outOfApp: try Self.type("outOfApp", reader))
        }
    }

    private static func type(_ name: String, _ reader: MemberReader) throws(BridgeError) -> TokenType {
        let text = try reader.text(name, atMost: 64)
        guard isType(text) else { throw reader.invalid(name, "a type such as IN_APP") }
        return TokenType(rawValue: text)
    }

    private static func isType(_ text: String) -> Bool { text.wholeMatch(of: #/[A-Z_]{1,64}/#) != nil }
}
