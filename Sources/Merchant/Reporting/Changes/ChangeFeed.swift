package import ExternalPurchaseCore
package import Ledger

/// The feed of changes: a view of the audit log, which has an entry of every change, in commit order and without gaps.
///
/// Nothing deletes entries of the log, so that the feed is complete from the first day. A number becomes visible only
/// after all smaller ones, also on PostgreSQL, where one lock orders the transactions that write.
package struct ChangeFeed: Sendable {
    private let store: any LedgerStore

    package init(store: any LedgerStore) {
        self.store = store
    }

    /// The number of entries that one transaction reads.
    private static let most = 500

    /// A part of the feed.
    package struct Page: Sendable {
        package var changes: [Change] = []
        /// The position from which to read on, also when there were no changes.
        package var next: ChangeCursor
    }

    /// Returns the changes after a position.
    ///
    /// The page is shorter than the limit only at the end of the feed.
    ///
    /// - Parameters:
    ///   - cursor: the position.
    ///   - limit: the largest number of changes.
    ///   - bundleId: the only app whose changes are returned, besides those of all apps; nil for every app.
    /// - Throws: ``RequestError/invalid(_:)`` for a position that is not of this ledger.
    package func changes(
        after cursor: ChangeCursor,
        limit: Int,
        of bundleId: BundleId? = nil
    ) async throws(RequestError) -> Page {
        var page = Page(next: cursor)
        while page.changes.count < limit {
            let (start, rest) = (page.next, limit - page.changes.count)
            let part = try await store.longRead { ledger throws(LedgerError) in
                try ledger.changes(after: start, limit: rest, most: min(Self.most, rest + 1)) { change in
                    bundleId == nil || change.bundleId == nil || change.bundleId == bundleId
                }
            }
            guard let part else {
                let message =
                    "is no position of this ledger; was an older copy restored? Without 'after' the feed starts anew"
                throw .invalid([FieldError("/after", message)])
            }
            page.changes += part.changes
            page.next = part.next
            if part.next == start { break }
        }
        return page
    }
}

extension LedgerQueries {
    /// Reads some entries of the audit log after a position.
    ///
    /// - Returns: the selected changes and the position behind the last entry that was read, which is the given one at the
    ///   end of the log; nil if the log does not contain the position.
    func changes(
        after cursor: ChangeCursor,
        limit: Int,
        most: Int,
        where isSelected: (ToldChange) -> Bool
    ) throws(LedgerError) -> ChangeFeed.Page? {
        var entries = try auditEntries(LedgerPage(after: max(0, cursor.sequence - 1), limit: most))[...]
        if cursor.sequence > 0 {
            guard let first = entries.first, cursor.isIn(first) else { return nil }
        }
        var (page, reader) = (ChangeFeed.Page(next: cursor), ChangeReader(in: self))
        while let entry = entries.popFirst() {
            let skipped = entry.sequence == cursor.sequence ? cursor.count : 0
            let (changes, end) = try reader.changes(of: entry, skipping: skipped, where: isSelected)
            let rest = limit - page.changes.count
            page.changes += changes.prefix(rest)
            if changes.count > rest, let last = page.changes.last {
                page.next = last.cursor
                return page
            }
            // Fewer changes than before, of records that a purge removed, do not move the position back.
            if entry.sequence > cursor.sequence || end.count > cursor.count { page.next = end }
            if page.changes.count == limit { return page }
        }
        return page
    }
}
