package import ExternalPurchaseCore

/// An API key as the ledger stores it, without its secret.
///
/// Keys are never deleted; a revoked key keeps its row.
package struct StoredAPIKey: Hashable, Sendable {
    /// The sequence number in order of creation, from 1; 0 before the row is stored.
    package var sequence: Int64
    package let keyId: APIKeyId
    package let scope: KeyScope
    /// The only app that the key gives access to; nil for all apps.
    package let bundleId: BundleId?
    /// The name that a person gave the key.
    package let name: String?
    /// ``APIKey/digest``.
    package let digest: [UInt8]
    package let createdAt: Timestamp
    package let createdBy: String
    /// The key is valid before this time; nil for a key without an end.
    package let expiresAt: Timestamp?
    package var revocation: Revocation?

    /// The end of a key by a person's decision.
    package struct Revocation: Hashable, Sendable {
        package let at: Timestamp
        package let by: String

        package init(at: Timestamp, by: String) {
            self.at = at
            self.by = by
        }
    }

    /// Whether a key is accepted.
    package enum State: String, Hashable, Sendable, CaseIterable {
        case valid
        case expired
        case revoked
    }

    package init(
        sequence: Int64,
        keyId: APIKeyId,
        scope: KeyScope,
        bundleId: BundleId?,
        name: String?,
        digest: [UInt8],
        createdAt: Timestamp,
        createdBy: String,
        expiresAt: Timestamp?,
        revocation: Revocation?
    ) {
        self.sequence = sequence
        self.keyId = keyId
        self.scope = scope
        self.bundleId = bundleId
        self.name = name
        self.digest = digest
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.expiresAt = expiresAt
        self.revocation = revocation
    }

    /// Creates a new key.
    package init(
        _ key: APIKey,
        keyId: APIKeyId,
        bundleId: BundleId? = nil,
        name: String? = nil,
        createdAt: Timestamp,
        createdBy: String,
        expiresAt: Timestamp? = nil
    ) {
        self.init(
            sequence: 0,
            keyId: keyId,
            scope: key.scope,
            bundleId: bundleId,
            name: name,
            digest: key.digest,
            createdAt: createdAt,
            createdBy: createdBy,
            expiresAt: expiresAt,
            revocation: nil
        )
    }

    /// Returns whether the key is accepted at a time.
    package func state(at now: Timestamp) -> State {
        if revocation != nil { return .revoked }
        if let expiresAt, expiresAt <= now { return .expired }
        return .valid
    }

    /// The name of the key in records: the given name, or the id.
    package var author: String { name ?? keyId.rawValue }
}

extension StoredAPIKey {
    /// The fields of a key, with their name in each record form; the digest is in none of them.
    package static let fields = RecordFields<StoredAPIKey>([
        .init([.audit: "keyId", .list: "id"]) { .text($0.keyId.rawValue) },
        .init("scope", in: .audit, .list) { .text($0.scope.rawValue) },
        .init("bundleId", in: .audit, .list) { .text($0.bundleId?.rawValue) },
        .init("name", in: .audit, .list) { .text($0.name) },
        .init("createdAt", in: .list) { .time($0.createdAt) },
        .init([.audit: "by", .list: "createdBy"]) { .text($0.createdBy) },
        .init("expiresAt", in: .audit, .list) { .time($0.expiresAt) },
        .init("revokedAt", in: .list) { .time($0.revocation?.at) },
        .init("revokedBy", in: .list) { .text($0.revocation?.by) },
    ])
}
