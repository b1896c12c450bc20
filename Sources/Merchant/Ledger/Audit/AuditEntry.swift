package import ExternalPurchaseCore

/// One entry of the audit log, chained to the one before by its hash (OB-93).
package struct AuditEntry: Hashable, Sendable {
    /// From 1, without gaps.
    package let sequence: Int64
    package let time: Timestamp
    /// What was done, in kebab case.
    package let kind: String
    /// Canonical JSON, with the members sorted by key and without blanks.
    ///
    /// Customers stand in it by pseudonym only (OB-92).
    package let content: String
    /// 32 bytes: SHA-256 of ``message`` behind the hash of the entry before.
    package let hash: [UInt8]

    /// The hash that the first entry is chained to.
    package static let beginning = [UInt8](repeating: 0, count: 32)

    /// An entry as it was stored, which ``LedgerQueries/verifyAudit(expecting:)`` judges.
    package init(stored sequence: Int64, time: Timestamp, kind: String, content: String, hash: [UInt8]) {
        self.sequence = sequence
        self.time = time
        self.kind = kind
        self.content = content
        self.hash = hash
    }

    /// The next entry of a chain.
    package init(after last: AuditEntry?, time: Timestamp, kind: String, content: JSONValue) {
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

    /// True when the hash is the one that belongs behind another.
    package func isChained(to previous: [UInt8]) -> Bool {
        Self.hash(sequence: sequence, time: time, kind: kind, content: content, behind: previous) == hash
    }

    // Lines keep the fields apart; only the content, which comes last, could hold a line feed.
    private static func hash(
        sequence: Int64,
        time: Timestamp,
        kind: String,
        content: String,
        behind previous: [UInt8]
    ) -> [UInt8] {
        (previous + Array("\(sequence)\n\(time.milliseconds)\n\(kind)\n\(content)".utf8)).sha256
    }
}

extension JSONValue {
    /// The same value with the members of every object sorted by the bytes of their keys.
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
