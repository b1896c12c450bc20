import Crypto
import ExternalPurchaseCore
import Synchronization

/// Chains that passed NT-26 to NT-32, remembered for a quarter of an hour (NT-39).
///
/// Validity at the time that counts is not remembered, because each message brings its own (NT-37).
final class VerifiedChains: Sendable {
    /// What names a chain: the digest of leaf and intermediate.
    struct Key: Hashable {
        let digest: SHA256.Digest

        init(leaf: [UInt8], intermediate: [UInt8]) {
            // Each certificate is digested by itself, so that no other pair of texts joins to the same bytes.
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

    /// How long a chain is remembered, 15 minutes in milliseconds.
    static let duration: Int64 = 900_000
    /// Most chains; Apple uses one or two at a time.
    static let capacity = 32

    private let entries = Mutex<[Key: Entry]>([:])

    /// The remembered chain and its signing key.
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

    /// Remembers a chain, unless one of its certificates has ended.
    func remember(_ chain: CertificateChain, _ signingKey: P256.Signing.PublicKey, as key: Key, at now: Timestamp) {
        let until = min(now.advanced(byMilliseconds: Self.duration), chain.end)
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

    /// How many chains are remembered.
    var count: Int { entries.withLock(\.count) }
}
