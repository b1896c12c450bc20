import CommandSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import Payments
import Reporting
import Yams

extension ServeConfiguration {
    /// A receiver of events.
    struct EventReceiver: Equatable {
        var name: String
        var url: String
        /// The secret on the first line; a second one is being rotated out.
        var secretFile: ConfiguredFile
        /// Names of events and patterns such as `sale.*`; empty for all.
        var types: [String] = []
        /// Empty for all.
        var apps: [BundleId] = []
        var allowsPrivate = false

        /// - Throws: ``CommandFailure`` for a file that cannot be read or holds no secret.
        func poster() throws(CommandFailure) -> EventPoster {
            let secrets = try secretFile.read { file throws(CommandFailure) in
                try WebhookEntry.secrets(of: file, .custom)
            }
            return EventPoster(url: url, secrets: secrets, allowsPrivate: allowsPrivate)
        }
    }

    /// The receivers of events.
    ///
    /// - Throws: ``CommandFailure`` for a file that cannot be read or holds no secret.
    func eventWebhooks() throws(CommandFailure) -> [EventWebhook] {
        var webhooks: [EventWebhook] = []
        for receiver in eventReceivers {
            let poster = try receiver.poster()
            let types = receiver.types.isEmpty ? ["*"] : receiver.types
            webhooks.append(
                EventWebhook(
                    name: receiver.name,
                    types: types.reduce(into: []) { $0.formUnion(ChangeType.matching($1)) },
                    apps: receiver.apps.isEmpty ? nil : Set(receiver.apps),
                    deliver: { body, eventId in await poster.post(body, eventId: eventId) }
                )
            )
        }
        return webhooks
    }
}

extension ServeConfigurationReader {
    /// Reads `webhooks`; docs/webhooks.md describes its members.
    func eventReceivers(_ node: Node, _ apps: Set<BundleId>) throws(CommandFailure) -> [ServeConfiguration
        .EventReceiver]
    {
        var receivers: [ServeConfiguration.EventReceiver] = []
        for (index, entry) in try sequence(node, "webhooks").enumerated() {
            let receiver = try eventReceiver(entry, "webhooks[\(index)]", apps)
            guard !receivers.contains(where: { $0.name == receiver.name }) else {
                throw fail(entry, "webhooks[\(index)]: the name \(receiver.name.shown()) stands more than once")
            }
            receivers.append(receiver)
        }
        return receivers
    }

    private func eventReceiver(
        _ node: Node,
        _ path: String,
        _ apps: Set<BundleId>
    ) throws(CommandFailure) -> ServeConfiguration.EventReceiver {
        let members = try mapping(
            node,
            path,
            keys: ["name", "url", "secretFile", "types", "apps", "allowPrivate"],
            required: ["name", "url", "secretFile"]
        )
        let nameNode = members["name"] ?? node
        let name = try scalar(nameNode, "\(path).name")
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy(\.isOfWebhookName) else {
            throw fail(nameNode, "\(path).name \(name.shown()) must be 1 to 64 letters, digits, '-' and '_'")
        }
        let urlNode = members["url"] ?? node
        var receiver = ServeConfiguration.EventReceiver(
            name: name,
            url: try webhookAddress(urlNode, "\(path).url", example: "https://erp.example.com/external-purchase"),
            secretFile: try existingFile(members["secretFile"] ?? node, "\(path).secretFile", isSecret: true)
        )
        if let node = members["allowPrivate"] {
            guard let value = node.bool else { throw fail(node, "\(path).allowPrivate must be true or false") }
            receiver.allowsPrivate = value
        }
        guard receiver.allowsPrivate || receiver.url.lowercased().hasPrefix("https://") else {
            throw fail(urlNode, "\(path).url must be https; http is for addresses with allowPrivate: true")
        }
        if let node = members["types"] {
            for element in try listed(node, "\(path).types") {
                let type = try scalar(element, "\(path).types")
                guard !ChangeType.matching(type).isEmpty else {
                    let known = ChangeType.allCases.map(\.rawValue).joined(separator: ", ")
                    throw fail(
                        element,
                        "\(path).types: \(type.shown()) is no event; events are \(known), or sale.* and the like"
                    )
                }
                receiver.types.append(type)
            }
        }
        if let node = members["apps"] {
            for element in try listed(node, "\(path).apps") {
                let app = BundleId(try scalar(element, "\(path).apps"))
                guard apps.contains(app) else {
                    let known = apps.map(\.rawValue).sorted().joined(separator: ", ")
                    throw fail(element, "\(path).apps: \(app.rawValue.shown()) is none of the apps: \(known)")
                }
                receiver.apps.append(app)
            }
        }
        return receiver
    }

    /// The elements of a list that selects.
    ///
    /// An empty one would select nothing, where one that is left out selects everything.
    private func listed(_ node: Node, _ path: String) throws(CommandFailure) -> [Node] {
        let elements = try sequence(node, path)
        guard !elements.isEmpty else {
            throw fail(node, "\(path) is empty: name at least one, or leave it out for all")
        }
        return elements
    }
}

extension UInt8 {
    fileprivate var isOfWebhookName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
