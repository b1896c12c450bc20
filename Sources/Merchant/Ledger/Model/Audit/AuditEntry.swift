import Crypto
package import ExternalPurchaseCore

/// An entry of the audit log, chained to the previous entry by its hash (OB-93).
package struct AuditEntry: Hashable, Sendable {
    /// The sequence number, from 1 without gaps.
    package let sequence: Int64
    package let time: Timestamp
    /// The kind of change, in kebab case.
    package let kind: String
    /// The content as canonical JSON: members sorted by key, no whitespace.
    ///
    /// Customers appear by pseudonym only (OB-92).
    package let content: String
    /// The 32-byte SHA-256 of the previous entry's hash followed by ``message``.
    package let hash: [UInt8]

    /// The hash to which the first entry is chained.
    package static let beginning = [UInt8](repeating: 0, count: 32)

    /// Creates an entry from its stored columns; ``LedgerQueries/verifyAudit(expecting:)`` checks the hash.
    package init(stored sequence: Int64, time: Timestamp, kind: String, content: String, hash: [UInt8]) {
        self.sequence = sequence
        self.time = time
        self.kind = kind
        self.content = content
        self.hash = hash
    }

    /// Creates the entry that follows another one in the chain.
    package init(after last: AuditHead?, time: Timestamp, kind: String, content: JSONValue) {
        sequence = (last?.sequence ?? 0) + 1
        self.time = time
        self.kind = kind
        self.content = String(decoding: content.canonical.encoded(), as: UTF8.self)
        hash = Self.hash(
            sequence: sequence,
            time: time,
            kind: kind,
            content: self.content,
            behind: last?.hash ?? Self.beginning
        )
    }

    /// The entry's number and hash, to which the next entry is chained.
    package var head: AuditHead { AuditHead(sequence: sequence, hash: hash) }

    /// Whether the hash is the correct one for an entry that follows the given hash.
    package func isChained(to previous: [UInt8]) -> Bool {
        Self.hash(sequence: sequence, time: time, kind: kind, content: content, behind: previous) == hash
    }

    // Line feeds separate the fields. Only the content can contain one itself, and it is the last field.
    private static func hash(
        sequence: Int64,
        time: Timestamp,
        kind: String,
        content: String,
        behind previous: [UInt8]
    ) -> [UInt8] {
        var (hasher, content) = (SHA256(), content)
        hasher.update(data: previous)
        hasher.update(data: Array("\(sequence)\n\(time.milliseconds)\n\(kind)\n".utf8))
        content.withUTF8 { hasher.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return Array(hasher.finalize())
    }
}

extension JSONValue {
    /// The same value with the members of every object sorted by the UTF-8 bytes of their keys.
    package var canonical: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.canonical))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { JSONObject.Member($0.key, $0.value.canonical) }
                        .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                )
            )
        case .null, .bool, .number, .string: self
        }
    }
}
