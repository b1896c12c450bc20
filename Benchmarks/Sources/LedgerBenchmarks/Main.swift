import BenchmarkSupport
import Foundation
import LedgerSQLite

/// Measures the merchant's side: planner, sending, growth of the file, due lists.
@main
enum Main {
    static func main() async throws {
        var modes = CommandLine.arguments.dropFirst().map(Mode.init)
        if modes.isEmpty { modes = ["planner", "flush", "sales", "growth", "due"].map(Mode.init) }
        for mode in modes {
            switch mode.name {
            case "planner": try PlannerBenchmark.run()
            case "flush":
                try await FlushBenchmark.run(
                    tokens: mode.number(0) ?? 100_000,
                    apps: mode.number(1) ?? 1,
                    delay: mode.number(2) ?? 0
                )
            case "sales": try await SaleBenchmark.run(sales: mode.number(0) ?? 10_000)
            case "growth": try await GrowthBenchmark.run(tokens: mode.number(0) ?? 200_000)
            case "due": try await DueBenchmark.run(tokens: mode.number(0), open: mode.number(1) ?? 10_000)
            case "commits": try CommitBenchmark.run(seconds: mode.number(0) ?? 5, folder: mode.text(1))
            case "fill":
                guard let path = mode.text(1) else { fallthrough }
                try SQLiteLedgerStore(path: path).close()
                try DueBenchmark.fill(path, tokens: mode.number(0) ?? 10_000, open: 10_000)
            default:
                print(
                    """
                    usage: ledger-benchmarks [planner] [flush[=TOKENS[,APPS[,DELAY]]]] [sales[=SALES]]
                             [growth[=TOKENS]] [due[=TOKENS[,OPEN]]] [commits[=SECONDS[,FOLDER]]] [fill=TOKENS,FILE]

                      flush: DELAY is the milliseconds that the endpoint takes for an answer
                      due without a number: 10,000, 1,000,000 and 10,000,000 tokens, 10,000 of them open
                      commits: the rows that SQLite commits a second in groups of 64, in a file in FOLDER
                      fill: a ledger of that many tokens, for the benchmark of the server
                    """
                )
                exit(2)
            }
        }
    }

    /// A mode with its numbers, as `flush=10000,4`.
    private struct Mode {
        let name: String
        private let values: [String]

        init(_ argument: String) {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            name = parts.first ?? ""
            values = parts.dropFirst().first.map { $0.split(separator: ",").map(String.init) } ?? []
        }

        func number(_ index: Int) -> Int? { text(index).flatMap { Int($0) } }

        func text(_ index: Int) -> String? { values.dropFirst(index).first }
    }
}

/// The bytes of the files in a folder.
func size(of folder: URL) throws -> Int {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        .reduce(0) { $0 + (try $1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
}
