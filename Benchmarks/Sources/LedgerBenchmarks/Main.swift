import Foundation

/// Measures the merchant's side: planner, sending, growth of the file, due lists.
@main
enum Main {
    static func main() async throws {
        var modes = CommandLine.arguments.dropFirst().map(Mode.init)
        if modes.isEmpty { modes = ["planner", "flush", "sales", "growth", "due"].map(Mode.init) }
        for mode in modes {
            switch mode.name {
            case "planner": try PlannerBenchmark.run()
            case "flush": try await FlushBenchmark.run(tokens: mode.number(0) ?? 100_000, apps: mode.number(1) ?? 1)
            case "sales": try await SaleBenchmark.run(sales: mode.number(0) ?? 10_000)
            case "growth": try await GrowthBenchmark.run(tokens: mode.number(0) ?? 200_000)
            case "due": try await DueBenchmark.run(tokens: mode.number(0), share: mode.number(1) ?? 1)
            default:
                print(
                    """
                    usage: ledger-benchmarks [planner] [flush[=TOKENS[,APPS]]] [sales[=SALES]] [growth[=TOKENS]]
                             [due[=TOKENS[,PERCENT]]]

                      due without a number: 10,000 and 1,000,000 tokens, 1 % and all of them open; 10,000,000, 1 % open
                    """
                )
                exit(2)
            }
        }
    }

    /// A mode with its numbers, as `flush=10000,4`.
    private struct Mode {
        let name: String
        private let numbers: [String]

        init(_ argument: String) {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            name = parts.first ?? ""
            numbers = parts.dropFirst().first.map { $0.split(separator: ",").map(String.init) } ?? []
        }

        func number(_ index: Int) -> Int? { numbers.dropFirst(index).first.flatMap { Int($0) } }
    }
}

/// Why a measurement stopped.
struct Failure: Error, CustomStringConvertible {
    let description: String
}

func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .seconds(1)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// A number of `/proc/self/status` in MiB; 0 where there is no `/proc`.
func memory(_ name: String) -> Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") }
    let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).compactMap { Double($0) }.first
    return (kilobytes ?? 0) / 1_024
}

/// Lets `VmHWM` begin anew at what is resident now, where the system can.
func forgetPeakMemory() {
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
}

/// An empty folder for a measurement's files, which is removed afterwards.
func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
}

/// The bytes of the files in a folder.
func size(of folder: URL) throws -> Int {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        .reduce(0) { $0 + (try $1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
}
