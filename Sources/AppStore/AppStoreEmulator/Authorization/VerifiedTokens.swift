/// The tokens whose signature was verified, so that a token that is sent again is not verified again.
///
/// Only the signature is remembered. It stays valid because a key id names one key for ever; the claims are checked at
/// each request. Apple asks for a new token with each request (SA-12), and servers that use one for several requests are
/// answered as Apple answers them.
struct VerifiedTokens: Sendable {
    /// The largest number of tokens.
    private static let capacity = 1_000
    /// The length of the longest token that is remembered, in bytes.
    private static let longest = 4_096

    /// Bytes and not strings: strings that differ in their bytes can be equal, such as `K` and the Kelvin sign.
    private var tokens: Set<[UInt8]> = []
    /// The tokens in the order of their verification, as a ring.
    private var ring: [[UInt8]] = []
    /// The position in the ring of the token that is forgotten next.
    private var oldest = 0

    /// Returns whether the signature of a token with exactly these bytes was verified.
    func contains(_ token: Substring) -> Bool { tokens.contains(Array(token.utf8)) }

    /// Remembers a token; the one that was verified first is forgotten when there are too many.
    mutating func insert(_ token: Substring) {
        guard token.utf8.count <= Self.longest else { return }
        let token = Array(token.utf8)
        guard tokens.insert(token).inserted else { return }
        guard ring.count == Self.capacity else { return ring.append(token) }
        tokens.remove(ring[oldest])
        ring[oldest] = token
        oldest = (oldest + 1) % Self.capacity
    }
}
