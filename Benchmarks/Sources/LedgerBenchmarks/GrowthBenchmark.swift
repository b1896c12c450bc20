import BenchmarkSupport
import ExternalPurchaseCore
import Foundation
import Ledger
import LedgerSQLite

/// How large the file becomes, audit log included, through the same changes that the server makes.
enum GrowthBenchmark {
    static func run(tokens count: Int) async throws {
        print("bytes of the SQLite file, measured with \(count) tokens")
        try await withFolder { folder in
            let path = folder.appending(path: "ledger.sqlite").path
            let now = Timestamp(Date()).advanced(by: .days(-1))
            let tokens = (0..<count).map { _ in Rows.token(made: now) }
            let empty = try await step(path, folder) { _ in }
            let alone = try await fill(path, folder, tokens) { token, ledger throws(LedgerError) in
                _ = try ledger.insert(token)
            }
            say("a token", alone.bytes - empty, count, alone.seconds)
            let sold = try await fill(path, folder, tokens) { token, ledger throws(LedgerError) in
                _ = try ledger.insert(Rows.sale(1, on: token))
            }
            say("one sale on it", sold.bytes - alone.bytes, count, sold.seconds)
            let reported = try await fill(path, folder, tokens) { token, ledger throws(LedgerError) in
                var report = try ledger.insert(Rows.report(on: token), holding: [])
                report.state = .accepted
                let body = Array(#"{"requestIdentifier":"\#(report.requestIdentifier)"}"#.utf8)
                let at = report.writtenAt + .milliseconds(100)
                report.answer = ReportAnswer(status: 200, body: body, receivedAt: at, conclusion: "accepted")
                try ledger.update(report, accepting: [])
            }
            say("an accepted report without items", reported.bytes - sold.bytes, count, reported.seconds)
            print(
                String(
                    format: "  a million tokens: %.0f MiB; with one sale each %.0f MiB",
                    Double(reported.bytes - sold.bytes + alone.bytes - empty) / Double(count) * 1e6 / 1_048_576,
                    Double(reported.bytes - empty) / Double(count) * 1e6 / 1_048_576
                )
            )
        }
    }

    private static func say(_ name: String, _ bytes: Int, _ count: Int, _ seconds: Double) {
        print(
            String(
                format: "  %6.0f bytes  %6.0f MiB per million  %6.1f µs each in transactions of 1,000  ",
                Double(bytes) / Double(count),
                Double(bytes) / Double(count) * 1e6 / 1_048_576,
                seconds / Double(count) * 1e6
            ) + name
        )
    }

    private static func fill(
        _ path: String,
        _ folder: URL,
        _ tokens: [StoredToken],
        _ change: @escaping @Sendable (StoredToken, LedgerTransaction) throws(LedgerError) -> Void
    ) async throws -> (bytes: Int, seconds: Double) {
        var elapsed = 0.0
        let bytes = try await step(path, folder) { store in
            elapsed = try await seconds {
                for first in stride(from: 0, to: tokens.count, by: 1_000) {
                    let part = tokens[first..<min(first + 1_000, tokens.count)]
                    try await store.write { ledger throws(LedgerError) in
                        for token in part { try change(token, ledger) }
                    }
                }
            }
        }
        return (bytes, elapsed)
    }

    /// The size once the file is closed, when the write-ahead log is folded in.
    private static func step(
        _ path: String,
        _ folder: URL,
        _ body: (SQLiteLedgerStore) async throws -> Void
    ) async throws -> Int {
        let store = try SQLiteLedgerStore(path: path)
        try await body(store)
        try store.close()
        return try size(of: folder)
    }
}
