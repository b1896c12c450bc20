import ExternalPurchaseCore
import Ledger
import Reporting
import Synchronization

/// The texts of new API keys, each until its page shows it once to the session that created it.
///
/// They are in memory only. A text that nobody requests is forgotten after ``age``.
final class NewKeyTexts: Sendable {
    static let age = Duration.minutes(5)
    static let limit = 100

    private struct Entry {
        let keyId: APIKeyId
        let session: String
        let text: String
        let createdAt: Timestamp
    }

    private let entries = Mutex<[Entry]>([])

    func put(_ new: NewKey, for session: DashboardSession, at now: Timestamp) {
        let entry = Entry(keyId: new.row.keyId, session: session.csrf, text: new.key.text, createdAt: now)
        entries.withLock { entries in
            entries = entries.suffix(Self.limit - 1).filter { $0.createdAt + Self.age > now } + [entry]
        }
    }

    /// Removes the text of a key and returns it; nil for another session and for the second time.
    func take(_ id: APIKeyId, for session: DashboardSession, at now: Timestamp) -> String? {
        entries.withLock { entries in
            entries = entries.filter { $0.createdAt + Self.age > now }
            guard let place = entries.firstIndex(where: { $0.keyId == id && $0.session == session.csrf }) else {
                return nil
            }
            return entries.remove(at: place).text
        }
    }
}
