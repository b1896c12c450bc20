import BenchmarkSupport
import ExternalPurchaseCore
import Foundation
import GRDB
import Ledger
import LedgerSQLite
import Reporting

/// The time of a due list: counts of all that is open and the first 1,000 entries, as `ledger due` asks.
enum DueBenchmark {
    /// - Parameters:
    ///   - tokens: the size of one ledger; nil measures 10,000, 1,000,000 and 10,000,000 tokens.
    ///   - open: the number of tokens that are not reported yet, the youngest ones.
    static func run(tokens: Int?, open: Int) async throws {
        print(
            "due: the counts and the first 1,000 entries; beside it every row read whole, as a list without indexes would"
        )
        var smallest: Double?
        for count in tokens.map({ [$0] }) ?? [10_000, 1_000_000, 10_000_000] {
            try await withFolder { folder in
                let path = folder.appending(path: "ledger.sqlite").path
                try SQLiteLedgerStore(path: path).close()
                let filling = try await seconds { try fill(path, tokens: count, open: open) }
                let due = DeadlineCalculator(rules: DeadlineRules(appProgrammes: [Rows.shop: ["eu-2026-10"]]))
                let computing = try await compute(due, path)
                let reader = try SQLiteLedgerReader(path: path)
                let now = Timestamp(milliseconds: 1_795_176_000_000)
                var (found, times) = (0, [Double]())
                forgetPeakMemory()
                let before = memory("VmRSS")
                for _ in 0..<(count > 2_000_000 ? 3 : 5) {
                    times.append(
                        try await seconds {
                            let page = try await reader.read { ledger throws(LedgerError) in
                                try due.page(limit: 1_000, at: now, in: ledger)
                            }
                            guard !page.entries.isEmpty else { throw Failure(description: "nothing is due") }
                            found = page.counts.total
                        }
                    )
                }
                let grown = memory("VmHWM") - before
                let time = median(times)
                let whole = try await wholeRows(reader)
                let limit = smallest ?? time
                smallest = limit
                print(
                    String(
                        format:
                            "  %9d tokens, %8d open: %8.3f s  (%.2f of the first line)  "
                            + "whole rows %7.2f s (%.0f times)  %.0f MiB file, filled in %.0f s, %.1f MiB more at the peak",
                        count,
                        found,
                        time,
                        time / limit,
                        whole,
                        whole / time,
                        Double(try size(of: folder)) / 1_048_576,
                        filling,
                        grown
                    )
                )
                try BenchmarkResult(
                    "due",
                    "counts and first page of the due list, \(count) tokens, \(found) open",
                    value: time * 1e3,
                    limit: limit * 1e3,
                    unit: "ms",
                    of: "the smallest ledger with as many open",
                    goal: .atMost(3)
                ).print()
                // The open ones are a few days old: eight days later their warnings have begun.
                let later = now + .days(8)
                var near = 0
                let scan = try await seconds {
                    near = try await reader.read { ledger throws(LedgerError) in
                        guard let rules = try ledger.deadlineRules()?.id else { return 0 }
                        var near = 0
                        let end = later + .days(5)
                        try ledger.eachDeadline(before: end, by: rules) { _ throws(LedgerError) in near += 1 }
                        return near
                    }
                }
                let page = try await seconds {
                    let page = try await reader.read { ledger throws(LedgerError) in
                        try due.page(limit: 1_000, at: later, in: ledger)
                    }
                    guard !page.entries.isEmpty else { throw Failure(description: "nothing is due") }
                }
                print(
                    String(
                        format:
                            "    %8d near their deadline: %.3f s, as alerts read them %.3f s; "
                            + "deadlines computed in %.1f s (%.1f µs each)",
                        near,
                        page,
                        scan,
                        computing,
                        computing / Double(max(found, 1)) * 1e6
                    )
                )
            }
        }
    }

    /// Computes the deadlines of all rows as a server does after other rules.
    private static func compute(_ calculator: DeadlineCalculator, _ path: String) async throws -> Double {
        let store = try SQLiteLedgerStore(path: path)
        let maintaining = DeadlineMaintainingStore(store, calculator: calculator, dependencies: .live)
        let time = try await seconds {
            while try await maintaining.recalculate(limit: 500) {}
        }
        try store.close()
        return time
    }

    /// Reads every token as a list without indexes would.
    private static func wholeRows(_ reader: SQLiteLedgerReader) async throws -> Double {
        try await seconds {
            let open = try await reader.read { ledger throws(LedgerError) in
                var open = 0
                try ledger.eachToken { token throws(LedgerError) in
                    if token.reportedAt == nil { open += 1 }
                }
                return open
            }
            guard open > 0 else { throw Failure(description: "nothing is open") }
        }
    }

    /// Inserts rows past the audit log: through it ten million would take an hour, and the list never reads it.
    static func fill(_ path: String, tokens count: Int, open: Int) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -400000")
        }
        let end: Int64 = 1_795_176_000_000
        let types: [String?] = [nil, "SERVICES", "ACQUISITION", nil]
        let storefronts: [String?] = ["NLD", "DEU", "KOR", "JPN", nil]
        for first in stride(from: 0, to: count, by: 500_000) {
            try queue.write { database in
                let insert = try database.cachedStatement(
                    sql: """
                        INSERT INTO tokens (bundle_id, external_purchase_id, environment, app_apple_id, creation_date,
                            token_type, expiration_date, text, state, source, first_seen, checkout_id, storefront, notes,
                            reported_at, customer_source, customer_claimed, period_choice, reporting, endpoint)
                        VALUES (?, ?, 'production', 1234567890, ?, ?, ?, ?, 'confirmed', 'app', ?, ?, ?, '[]', ?,
                            'stated', 0, 'undecided', 'whenDue', 'configured')
                        """
                )
                let text = Rows.token(made: Timestamp(milliseconds: end)).text
                for number in first..<min(first + 500_000, count) {
                    // The open ones are the youngest, as in life.
                    let age = Int64(count - number) * 300 * Timestamp.millisecondsPerDay / Int64(count)
                    let isOpen = number >= count - open
                    let digits = String(number)
                    let id = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
                    let made = end - age
                    let type = types[number % types.count]
                    try insert.execute(arguments: [
                        Rows.shop.rawValue, id, made, type,
                        type == nil ? nil : made + 30 * Timestamp.millisecondsPerDay, text,
                        made + 1_000, id, storefronts[number % storefronts.count], isOpen ? nil : made + 60_000,
                    ])
                }
            }
        }
        try queue.write { database in
            try database.execute(
                sql: """
                    INSERT INTO deadlines
                    SELECT 0, sequence, bundle_id, environment, 'scheduled', 0, creation_date, NULL, NULL, NULL, -1
                    FROM tokens INDEXED BY tokens_open WHERE reported_at IS NULL
                    """
            )
        }
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try queue.close()
    }
}
