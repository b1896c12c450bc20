import ExternalPurchaseCore
import ExternalPurchaseKit
import Foundation

extension MemberReader {
    /// Reads an object whose other members depend on its kind.
    init(kindOf value: JSONValue, at path: String) throws(BridgeError) {
        guard let object = value.objectValue else {
            throw BridgeError(.invalidValue, "\(path) is no object.", at: path)
        }
        try self.init(object, at: path, members: object.members.map(\.key))
    }
}

/// The parameters of a method that has none.
struct NoParameters: Sendable {
    init(_ value: JSONValue, at path: String) throws(BridgeError) {
        _ = try MemberReader(value, at: path, members: [])
    }
}

/// The parameters of `openLink`.
struct OpenLinkParameters: Sendable {
    /// One of the eligible links; nil for the first one.
    let url: String?

    init(_ value: JSONValue, at path: String) throws(BridgeError) {
        url = try MemberReader(value, at: path, members: ["url"]).optionalText("url", atMost: 2_048)
    }
}

/// The parameters of `purchaseWithCustomLink`.
struct CustomLinkParameters: Sendable {
    let destination: ExternalPurchaseDestination

    init(_ value: JSONValue, at path: String) throws(BridgeError) {
        let reader = try MemberReader(value, at: path, members: ["destination"])
        let destination = try reader.required("destination")
        self.destination = try Self.destination(destination, at: reader.path(of: "destination"))
    }

    private static func destination(
        _ value: JSONValue,
        at path: String
    ) throws(BridgeError) -> ExternalPurchaseDestination {
        let kind = try MemberReader(kindOf: value, at: path).kind("kind", of: ["outOfApp", "withinApp"])
        guard kind == "outOfApp" else {
            _ = try MemberReader(value, at: path, members: ["kind"])
            return .withinApp
        }
        let reader = try MemberReader(value, at: path, members: ["kind", "url"])
        _ = try reader.required("url")
        return .outOfApp(destinationURL: reader.optional("url") == nil ? nil : try reader.address("url"))
    }
}

/// The parameters of `setCustomer`.
struct CustomerParameters: Sendable {
    let customerId: String?

    init(_ value: JSONValue, at path: String) throws(BridgeError) {
        let reader = try MemberReader(value, at: path, members: ["customerId"])
        _ = try reader.required("customerId")
        customerId = try reader.optionalText("customerId", atMost: 128)
    }
}

/// The parameters of `setGates`.
struct GatesParameters: Sendable {
    let decisions: [String: PurchaseGate.Decision]

    /// - Parameter gates: the names that `configure` listed.
    init(_ value: JSONValue, at path: String, gates: [String]) throws(BridgeError) {
        let reader = try MemberReader(value, at: path, members: ["gates"])
        let all = try reader.required("gates")
        let map = try MemberReader(
            mapOf: all,
            at: reader.path(of: "gates"),
            atMost: GateName.largestCount,
            named: GateName.isName
        )
        var decisions: [String: PurchaseGate.Decision] = [:]
        for member in map.object.members {
            decisions[member.key] = try Self.decision(member.value, at: map.path(of: member.key))
        }
        self.decisions = decisions
        // After the form of the whole request, so that nothing of it is carried out.
        for member in map.object.members where !gates.containsName(member.key) {
            let place = map.path(of: member.key)
            throw BridgeError(.unknownGate, "\(place) is no gate that configure named.", at: place)
        }
    }

    private static func decision(_ value: JSONValue, at path: String) throws(BridgeError) -> PurchaseGate.Decision {
        let isOpen = try MemberReader(kindOf: value, at: path).bool("isOpen")
        guard !isOpen else {
            _ = try MemberReader(value, at: path, members: ["isOpen"])
            return .open
        }
        let reader = try MemberReader(value, at: path, members: ["isOpen", "reason"])
        return .closed(reason: try reader.text("reason", atMost: 500))
    }
}
