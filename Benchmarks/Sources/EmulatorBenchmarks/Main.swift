import BenchmarkSupport
import ExternalPurchaseCore
import Foundation
import NIOHTTP1

@main
enum Main {
    static func main() async throws {
        let chosen = Set(CommandLine.arguments.dropFirst())
        if let folder = chosen.first(where: { $0.hasPrefix("verify=") })?.dropFirst("verify=".count) {
            return try await VerificationBenchmark.run(in: String(folder))
        }
        func isChosen(_ name: String) -> Bool { chosen.isEmpty || chosen.contains(name) }
        let reports = Reports(date: Int64(Date().timeIntervalSince1970 * 1_000) - 3_600_000)
        if isChosen("rules") { try compareRules(reports) }
        if isChosen("throughput") {
            print("accepted PUT per second, 50 in flight, kept-alive connections")
            try await Servers.run { try await compareThroughput($0, reports, name: "one ES256 token for all") }
            try await Servers.run(settings: ["auth.off=on"]) {
                try await compareThroughput($0, reports, name: "auth.off=on")
            }
        }
        if isChosen("million") { try await Servers.run { try await fill($0, reports) } }
    }

    // MARK: Accepted PUT per second

    private static func compareThroughput(_ servers: Servers, _ reports: Reports, name: String) async throws {
        let (inFlight, perRound) = (50, 4_000)
        func rate(_ send: @escaping @Sendable (Int) async throws -> Void, from first: Int) async throws -> Double {
            let elapsed = try await seconds {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for lane in 0..<inFlight {
                        group.addTask {
                            for number in stride(from: lane, to: perRound, by: inFlight) {
                                try await send(first + number)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            return Double(perRound) / elapsed
        }
        var (puts, echoes): ([Double], [Double]) = ([], [])
        // In turns, so that a machine that slows down slows both.
        for round in 0..<21 {
            let bodies = (0..<perRound).map { reports.body(round * perRound + $0, items: 1) }
            let first = round * perRound
            let echo = try await rate(
                { try await servers.expect(200, .PUT, servers.echoURL, bodies[$0 - first]) },
                from: first
            )
            let put = try await rate({ try await servers.put(bodies[$0 - first]) }, from: first)
            guard round > 0 else { continue }
            echoes.append(echo)
            puts.append(put)
        }
        let (put, echo) = (median(puts), median(echoes))
        print(
            String(format: "  %8.0f PUT  %8.0f echo  %.2f of the echo  ", put, echo, put / echo) + name
        )
        try BenchmarkResult(
            "emulator",
            "accepted PUT, 50 in flight, \(name)",
            value: put,
            limit: echo,
            unit: "1/s",
            of: "an echo of the same body by the same server library",
            goal: .atLeast(0.7)
        ).print()
    }

    // MARK: Validation against reading

    private static func compareRules(_ reports: Reports) throws {
        print("validating a report against reading its JSON, one thread")
        for (items, calls) in [(1, 20_000), (10, 4_000), (1_000, 40)] {
            let body = reports.body(1, items: items)
            let report = try ReceivedReport.read(body)
            let now = Timestamp(Date())
            let measurement = RuleMeasurement(report: report, now: now)
            var (readings, validations): ([Double], [Double]) = ([], [])
            var sink = 0
            for round in 0..<8 {
                let clock = ContinuousClock()
                let reading = try clock.measure {
                    for _ in 0..<calls { sink += try ReceivedReport.read(body).lineItems?.count ?? 0 }
                }
                let validating = clock.measure {
                    for _ in 0..<calls { sink += measurement.errors() }
                }
                guard round > 0 else { continue }
                readings.append(reading / .seconds(1) / Double(calls))
                validations.append(validating / .seconds(1) / Double(calls))
            }
            let (reading, validating) = (median(readings), median(validations))
            guard measurement.errors() == 0, sink > 0 else { throw Failure(description: "the report is not accepted") }
            print(
                String(
                    format: "  %5d items: read %9.1f µs  validate %9.1f µs  %.2f of reading",
                    items,
                    reading * 1e6,
                    validating * 1e6,
                    validating / reading
                )
            )
            try BenchmarkResult(
                "rules",
                "validating a report of \(items) line item(s)",
                value: validating * 1e6,
                limit: reading * 1e6,
                unit: "µs",
                of: "reading its JSON",
                goal: .atMost(1)
            ).print()
        }
    }

    // MARK: A million line items

    private static func fill(_ servers: Servers, _ reports: Reports) async throws {
        let (count, items) = (1_000, 1_000)
        print("one app, \(count) reports of \(items) line items, one after another")
        // What the first requests cost once is neither growth nor memory of the items.
        for number in 0..<20 { try await servers.put(reports.body(2_000_000 + number, items: 1)) }
        let before = memory("VmRSS")
        var latencies: [Double] = []
        for number in 1...count {
            let body = reports.body(number, items: items)
            latencies.append(try await seconds { try await servers.put(body) })
        }
        let filled = memory("VmRSS")
        let part = count / 100
        let (first, last) = (median(Array(latencies.prefix(part))), median(Array(latencies.suffix(part))))
        print(
            String(
                format: "  first 1 %%: %.1f ms  last 1 %%: %.1f ms  ratio %.2f  slowest %.1f ms",
                first * 1e3,
                last * 1e3,
                last / first,
                (latencies.max() ?? 0) * 1e3
            )
        )
        // Of which the journal and the kept events hold up to 64 MiB each, whatever was accepted.
        print(String(format: "  resident: %.0f MiB before, %.0f MiB after a million", before, filled))
    }
}
