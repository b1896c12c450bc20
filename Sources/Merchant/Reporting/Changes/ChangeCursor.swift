import ExternalPurchaseCore
import Ledger

/// A position in the feed of changes: an entry of the audit log, and how many of its changes were read.
///
/// It carries the start of the entry's hash, so that a ledger which was restored from an older copy refuses a position
/// that it does not contain, instead of passing over the changes that got the same numbers.
package struct ChangeCursor: Hashable, Sendable {
    let sequence: Int64
    /// The number of changes of the entry up to this position.
    let count: Int
    /// The first eight hexadecimal digits of the entry's hash; empty at the beginning.
    let check: String

    /// The position before the first change.
    package static let beginning = ChangeCursor(sequence: 0, count: 0, check: "")

    private init(sequence: Int64, count: Int, check: String) {
        self.sequence = sequence
        self.count = count
        self.check = check
    }

    init(_ entry: AuditEntry, count: Int) {
        self.init(sequence: entry.sequence, count: count, check: Self.check(of: entry))
    }

    /// Reads ``text``; nil for any other text.
    package init?(_ text: String) {
        if text == "0" {
            self = .beginning
            return
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let sequence = Int64(parts[0]), sequence > 0, let count = Int(parts[1]), count >= 0,
            parts[2].utf8.count == 8
        else { return nil }
        self.init(sequence: sequence, count: count, check: String(parts[2]))
        guard self.text.hasSameScalars(as: text) else { return nil }
    }

    package var text: String { sequence == 0 ? "0" : "\(sequence).\(count).\(check)" }

    /// Whether the entry is the one of this position.
    func isIn(_ entry: AuditEntry) -> Bool { entry.sequence == sequence && Self.check(of: entry) == check }

    private static func check(of entry: AuditEntry) -> String { String(entry.hash.hexadecimal.prefix(8)) }
}
