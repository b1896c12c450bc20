import AppConfiguration
import ExternalPurchaseCore

/// The limits of a file that describes an app for another tool.
enum DescriptionLimit {
    static let bytes = 2 * 1024 * 1024
    static let depth = 64
    static let values = 50_000
    /// The largest size of a key in bytes, as in property lists.
    static let keyBytes = 512

    /// Why a text cannot be used; nil if it can.
    static func refusal(ofKey key: String) -> String? {
        key.utf8.count > keyBytes ? "a key has more than \(keyBytes) bytes: \"\(key.clipped())\"" : nil
    }
}

/// An error in a description, with its position.
struct DescriptionFault: Error, Hashable {
    let reason: String
    let position: SourcePosition?

    init(_ reason: String, at position: SourcePosition?) {
        self.reason = reason
        self.position = position
    }

    func error(in file: String) -> ConfigurationReadError {
        ConfigurationReadError(cause: .notDescription, file: file, position: position, reason: reason)
    }
}

// Access to the values of a description.
extension PropertyListNode {
    /// The members of a dictionary; nil for another value.
    var members: [PropertyListMember]? {
        guard case .dictionary(let members) = value else { return nil }
        return members
    }

    /// The elements of an array; nil for another value.
    var elements: [PropertyListNode]? {
        guard case .array(let elements) = value else { return nil }
        return elements
    }

    /// A string; nil for another value.
    var text: String? {
        guard case .string(let text) = value else { return nil }
        return text
    }

    /// A string, number or Boolean as a build setting; nil for a dictionary, date or data.
    var setting: String? {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .bool(let isTrue): isTrue ? "YES" : "NO"
        case .array(let elements): elements.compactMap(\.setting).joined(separator: " ")
        default: nil
        }
    }

    /// The value of a key; the last one when it is repeated, nil when there is none.
    subscript(key: String) -> PropertyListNode? { member(key)?.node }

    /// The member with a key; the last one when it is repeated.
    func member(_ key: String) -> PropertyListMember? {
        members?.last { $0.key.utf8.elementsEqual(key.utf8) }
    }
}
