import Crypto
import ExternalPurchaseCore
import Synchronization

/// Caches chains that passed NT-26 to NT-32 for 15 minutes (NT-39).
///
/// The validity period is not part of the cached result, because the time to check differs between messages (NT-37).
final class VerifiedChains: Sendable {
    /// The cache key: a digest of leaf and intermediate.
    struct Key: Hashable {
        let digest: SHA256.Digest

        init(leaf: [UInt8], intermediate: [UInt8]) {
            // Each certificate is hashed separately, so that different pairs cannot result in the same input.
            var hash = SHA256()
            hash.update(data: Array(SHA256.hash(data: leaf)))
            hash.update(data: Array(SHA256.hash(data: intermediate)))
            digest = hash.finalize()
        }
    }

    private struct Entry {
        let chain: CertificateChain
        let key: P256.Signing.PublicKey
        let since: Timestamp
        let until: Timestamp
    }

    /// How long a chain is cached.
    static let duration = Duration.minutes(15)
    /// The maximum number of chains.
    ///
    /// Apple uses one or two at a time.
    static let capacity = 32

    private let entries = Mutex<[Key: Entry]>([:])

    /// Returns the cached chain and its signing key.
    func chain(_ key: Key, at now: Timestamp) -> (CertificateChain, P256.Signing.PublicKey)? {
        entries.withLock { entries in
            guard let entry = entries[key] else { return nil }
            guard entry.since <= now, now <= entry.until else {
                entries[key] = nil
                return nil
            }
            return (entry.chain, entry.key)
        }
    }

    /// Caches a chain, unless one of its certificates has expired.
    func remember(_ chain: CertificateChain, _ signingKey: P256.Signing.PublicKey, as key: Key, at now: Timestamp) {
        let until = min(now + Self.duration, chain.end)
        guard now <= until else { return }
        entries.withLock { entries in
            if entries[key] == nil, entries.count >= Self.capacity,
                let oldest = entries.min(by: { $0.value.since < $1.value.since })
            {
                entries[oldest.key] = nil
            }
            entries[key] = Entry(chain: chain, key: signingKey, since: now, until: until)
        }
    }

    /// The number of cached chains.
    var count: Int { entries.withLock(\.count) }
}
