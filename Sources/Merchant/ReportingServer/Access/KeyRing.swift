import ExternalPurchaseCore
import Ledger
import Logging
import Reporting

/// The API keys of the ledger, read again when the copy is older than ``maximumAge``.
///
/// If the ledger cannot be read, the known keys stay in force; while none were ever read, no request is accepted.
actor KeyRing {
    /// The keys at one moment.
    struct Keys: Sendable {
        private let byDigest: [[UInt8]: StoredAPIKey]

        init(_ keys: [StoredAPIKey]) {
            byDigest = Dictionary(keys.map { ($0.digest, $0) }) { first, _ in first }
        }

        /// True until the first key is created; revoked and expired keys count.
        var isEmpty: Bool { byDigest.isEmpty }

        /// Returns the key with a text, whatever its state.
        func key(_ text: some StringProtocol) -> StoredAPIKey? {
            let digest = APIKey.digest(of: text)
            guard let key = byDigest[digest], key.digest.isEqualInConstantTime(to: digest) else { return nil }
            return key
        }

        /// Returns the key that a request shows, whatever its state; nil for another scheme.
        func key(shownBy authorization: String) -> StoredAPIKey? {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
            return key(parts[1].drop { $0 == " " })
        }
    }

    /// The age at which keys are read again; a revoked key is accepted no longer.
    static let maximumAge = Duration.seconds(2)

    private let records: AccessRecords
    private let elapsed: @Sendable () -> Duration
    private let logger: Logger
    private var keys: Keys?
    private var readAt: Duration?
    private var reading: Task<Keys?, Never>?
    private var isFailing = false

    init(_ records: AccessRecords, elapsed: @escaping @Sendable () -> Duration, logger: Logger) {
        self.records = records
        self.elapsed = elapsed
        self.logger = logger
    }

    /// Returns the present keys.
    ///
    /// - Throws: ``RequestError/notStored(_:)`` if no keys are known, because the ledger cannot be read.
    func current() async throws(RequestError) -> Keys {
        if let keys, let readAt, elapsed() - readAt < Self.maximumAge { return keys }
        // Requests that arrive during a read wait for it. The read does not end when one of them is cancelled.
        let task: Task<Keys?, Never>
        if let reading {
            task = reading
        } else {
            task = Task { await self.read() }
            reading = task
        }
        guard let keys = await task.value else { throw .notStored(.inaccessible("the API keys cannot be read")) }
        return keys
    }

    private func read() async -> Keys? {
        do throws(LedgerError) {
            keys = Keys(try await records.apiKeys())
            isFailing = false
        } catch {
            if !isFailing { logger.error("the API keys cannot be read", metadata: ["error": "\(error)"]) }
            isFailing = true
        }
        readAt = elapsed()
        reading = nil
        return keys
    }
}

extension [UInt8] {
    /// Compares bytes in a time that depends on their number only.
    fileprivate func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
