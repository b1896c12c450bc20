import ExternalPurchaseCore
import Ledger

/// The content of an import file.
///
/// For example `{"tokens": ["…"], "reports": [{…}], "subscriptions": {"order-1": "sub-7"}}`. Reports are in the order
/// in which Apple accepted them. `subscriptions` maps the identifier of a line item to the merchant's name of its
/// subscription.
struct ImportFile {
    var tokens: [String] = []
    var reports: [[UInt8]] = []
    var subscriptions: [(LineItemId, SubscriptionId)] = []

    static func read(_ bytes: [UInt8]) throws(ImportRefusal) -> ImportFile {
        let value: JSONValue
        do {
            value = try JSONReader().read(bytes)
        } catch {
            throw .unreadable(error.message(in: bytes))
        }
        guard let object = value.objectValue else { throw .unreadable("is not a JSON object") }
        var file = ImportFile()
        for member in object.members {
            if member.key == "subscriptions" {
                try file.readSubscriptions(member.value)
                continue
            }
            guard let elements = member.value.arrayValue else { throw .unreadable("\(member.key): is not an array") }
            switch member.key {
            case "tokens":
                for (index, element) in elements.enumerated() {
                    guard let text = element.stringValue else {
                        throw .unreadable("tokens[\(index)]: is not the text of a token")
                    }
                    file.tokens.append(text)
                }
            case "reports": file.reports += elements.map { $0.encoded() }
            default: throw .unreadable("\(member.key): is not known here; known are tokens, reports, subscriptions")
            }
        }
        return file
    }
    private mutating func readSubscriptions(_ value: JSONValue) throws(ImportRefusal) {
        guard let object = value.objectValue else { throw .unreadable("subscriptions: is not a JSON object") }
        for member in object.members {
            guard let name = member.value.stringValue, (1...128).contains(name.count) else {
                throw .unreadable("subscriptions.\(member.key): is not a subscriptionId of 1 to 128 characters")
            }
            subscriptions.append((LineItemId(member.key), SubscriptionId(name)))
        }
    }
}
