import Foundation
import Simulation

/// The options of `./run simulate`.
struct Options {
    var seeds: UInt64 = 1_000
    var from: UInt64 = 1
    var sweep = SeedSweep(jobs: ProcessInfo.processInfo.activeProcessorCount)
    var mostFailures = 1
    var printsScenario = false

    static let usage = """
        usage: ./run simulate [--seeds N] [--from S] [--seconds T] [--faults off] [--with KINDS] [--without KINDS]
                              [--jobs N] [--failures N] [--mutation NAME] [--servers N] [--story]

          --seeds N        how many stories (1000)
          --from S         the first seed (1)
          --seconds T      begin no story after that long
          --faults off     neither Apple's faults nor the store's, no crashes, no wrong clocks
          --with KINDS     also these kinds of events, with commas between them
          --without KINDS  none of these
          --jobs N         stories at once (one for each processor)
          --failures N     stop after that many seeds that fail (1)
          --mutation NAME  build in a defect, which must be found
          --servers N      1, or 2 on one ledger, of which one takes over while the other one is down (1)
          --story          print the story of the first seed and run nothing

        Exit code 1 when a seed breaks an invariant; the shortest story of it that does is printed. A kind or mutation
        that does not exist is answered with those that do. RELEASE=1 ./run simulate runs an optimised build.

        """

    init(_ arguments: [String]) throws(Problem) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--story": printsScenario = true
            case "--help", "-h": throw Problem(text: Self.usage, isHelp: true)
            default:
                guard let value = rest.popFirst() else { throw Problem(text: "\(option) needs a value, or is unknown") }
                try apply(option, value)
            }
        }
    }

    struct Problem: Error {
        var text: String
        var isHelp = false
    }

    private mutating func apply(_ option: String, _ value: String) throws(Problem) {
        switch option {
        case "--seeds": seeds = try Self.number(value, option)
        case "--from": from = try Self.number(value, option)
        case "--seconds": sweep.seconds = Int(clamping: try Self.number(value, option))
        case "--jobs": sweep.jobs = Int(clamping: try Self.number(value, option))
        case "--failures": mostFailures = Int(clamping: try Self.number(value, option))
        case "--faults":
            guard value == "on" || value == "off" else { throw Problem(text: "--faults takes on or off") }
            if value == "off" { sweep.kinds.subtract(ScenarioKind.faults) }
        case "--with": sweep.kinds.formUnion(try Self.kinds(value))
        case "--without": sweep.kinds.subtract(try Self.kinds(value))
        case "--servers":
            guard value == "1" || value == "2" else { throw Problem(text: "--servers takes 1 or 2, not \(value)") }
            if value == "2" { sweep.kinds.insert(.servers) } else { sweep.kinds.remove(.servers) }
        case "--mutation":
            sweep.seededDefect = SeededDefect(rawValue: value)
            let known = SeededDefect.allCases.map(\.rawValue).joined(separator: ", ")
            if sweep.seededDefect == nil { throw Problem(text: "no mutation \(value); known are \(known)") }
        default: throw Problem(text: "unknown option \(option)\n\(Self.usage)")
        }
    }

    private static func number(_ text: String, _ option: String) throws(Problem) -> UInt64 {
        guard let number = UInt64(text) else { throw Problem(text: "\(option) takes a number, not \(text)") }
        return number
    }

    private static func kinds(_ text: String) throws(Problem) -> Set<ScenarioKind> {
        var kinds: Set<ScenarioKind> = []
        for name in text.split(separator: ",") {
            guard let kind = ScenarioKind(rawValue: String(name)) else {
                let known = ScenarioKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(text: "no kind \(name); known are \(known)")
            }
            kinds.insert(kind)
        }
        return kinds
    }
}

func say(_ text: String) { print(text) }

do throws(Options.Problem) {
    let options = try Options(Array(CommandLine.arguments.dropFirst()))
    if options.printsScenario {
        var generator = ScenarioGenerator(seed: options.from, kinds: options.sweep.kinds)
        say(generator.scenario().timeline)
        exit(0)
    }
    let (end, overflow) = options.from.addingReportingOverflow(options.seeds)
    let summary = await options.sweep.run(options.from..<(overflow ? .max : end), mostFailures: options.mostFailures)
    var told: Set<Invariant> = []
    for failure in summary.failures where told.insert(failure.violation.invariant).inserted {
        say(await options.sweep.account(of: failure.seed, failure.violation))
    }
    for failure in summary.failures { say("seed \(failure.seed) failed: \(failure.violation.invariant.rawValue)") }
    let rate = (summary.seedsPerSecond * 10).rounded() / 10
    say(
        "\(summary.seeds) seeds, \(summary.steps) steps, \(summary.requests) requests to Apple's side, "
            + "\(summary.restarts) restarts, \(summary.failures.count) failed; \(rate) seeds per second"
    )
    exit(summary.failures.isEmpty ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("\(error.text)\n".utf8))
    exit(error.isHelp ? 0 : 2)
}
