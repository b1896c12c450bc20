import ExternalPurchaseCore
import Foundation

/// A token in the outbox, as its file holds it.
struct OutboxEntry: Hashable, Sendable {
    let token: PurchaseToken
    /// When it was stored, by the device's clock, in milliseconds since 1970.
    let storedAt: Int64
    /// Why the server refused the token; nil unless it did.
    var refusal: String?

    var name: TokenName { token.name }
}

extension OutboxEntry {
    /// The members of a file.
    ///
    /// A file without `version` 1 is of another version of this package and is left as it is.
    private struct Content: Codable {
        var version = 1
        let token: String
        let tokenType: String?
        let storefront: String?
        let customerId: String?
        let storedAt: Int64
        let refusal: String?
    }

    /// The content of the file.
    var bytes: [UInt8] {
        let content = Content(
            token: token.text,
            tokenType: token.type?.rawValue,
            storefront: token.storefront,
            customerId: token.customerId,
            storedAt: storedAt,
            refusal: refusal
        )
        return JSONFile.bytes(content)
    }

    /// Reads a file; nil if it is none of this version, or torn.
    init?(bytes: [UInt8]) {
        guard let content = JSONFile.read(Content.self, from: bytes), content.version == 1, !content.token.isEmpty
        else { return nil }
        token = PurchaseToken(
            text: content.token,
            type: content.tokenType.map { TokenType(rawValue: $0) },
            storefront: content.storefront,
            customerId: content.customerId
        )
        storedAt = content.storedAt
        refusal = content.refusal
    }
}

/// A request for a token that StoreKit makes anew at each call, noted before the call (EK-23).
struct OutboxRequest: Codable, Hashable, Sendable {
    /// The type; nil for the notice sheet.
    let tokenType: String?
    let storefront: String?
    let startedAt: Int64
}

/// The tokens that the server has, and the time of the next attempt: what saves requests, and whose loss costs only
/// requests.
struct OutboxMemory: Codable, Hashable, Sendable {
    struct Delivery: Codable, Hashable, Sendable {
        let deliveredAt: Int64
        /// Of the entry that was delivered.
        let storedAt: Int64
    }

    /// By token name; at most ``largestCount``, of about 90 bytes each in a file of at most
    /// ``OutboxFolder/largestFile``.
    var deliveries: [String: Delivery] = [:]
    /// Attempts without success since the last one that succeeded.
    var failures = 0
    /// The last attempt without success, by the device's clock, in milliseconds since 1970.
    var failedAt: Int64?
    /// The wait after it in milliseconds.
    var wait: Int64 = 0

    static let largestCount = 500

    mutating func recordDelivery(of entry: OutboxEntry, at now: Int64) {
        deliveries[entry.name.description] = Delivery(deliveredAt: now, storedAt: entry.storedAt)
        failures = 0
        failedAt = nil
        guard deliveries.count > Self.largestCount else { return }
        let oldest = deliveries.min { ($0.value.deliveredAt, $0.key) < ($1.value.deliveredAt, $1.key) }
        if let oldest { deliveries[oldest.key] = nil }
    }
}

enum JSONFile {
    static func bytes(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // These types hold strings and integers only, which always encode.
        guard let data = try? encoder.encode(value) else { return [] }
        return Array(data)
    }

    static func read<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) -> Value? {
        try? JSONDecoder().decode(type, from: Data(bytes))
    }
}
