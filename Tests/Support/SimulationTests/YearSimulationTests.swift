import Foundation
import Simulation
import Testing

@Suite("A year in a simulated world")
struct SimulationTests {
    /// `./run check` plays many more.
    @Test("Seeds with every fault break no invariant")
    func faults() async {
        let sweep = SeedSweep(jobs: 2)
        let summary = await sweep.run(1..<4, mostFailures: 1)
        for failure in summary.failures {
            let account = await sweep.account(of: failure.seed, failure.violation)
            Issue.record("\(account)")
        }
        // Each seed sends about forty requests and restarts about twice.
        #expect(summary.seeds == 3)
        #expect(summary.requests > 8 * summary.seeds)
        #expect(summary.restarts > summary.seeds / 2)
    }

    @Test("Two servers on one ledger, of which one crashes, break no invariant (SA-76)")
    func servers() async {
        let sweep = SeedSweep(kinds: ScenarioKind.usual.union([.servers]), jobs: 2)
        let summary = await sweep.run(1..<3, mostFailures: 1)
        for failure in summary.failures {
            let account = await sweep.account(of: failure.seed, failure.violation)
            Issue.record("\(account)")
        }
        #expect(summary.seeds == 2)
        #expect(summary.requests > 8 * summary.seeds)
    }

    /// Where the first seed that finds a defect is not 1: the search begins there, because each seed takes seconds.
    private static let seeds: [SeededDefect: UInt64] = [
        .swapsShares: 2, .believesRefusals: 3, .losesAToken: 4, .multipliesYen: 5, .ignoresTotals: 5,
        .forgetsReturnsWithoutRoom: 6, .neverAsksHistory: 16, .importsWithoutNames: 40,
    ]

    @Test("A built-in defect is found", arguments: SeededDefect.allCases)
    func seededDefects(_ seededDefect: SeededDefect) async throws {
        let sweep = SeedSweep(seededDefect: seededDefect, jobs: 1)
        let first = Self.seeds[seededDefect] ?? 1
        let summary = await sweep.run(first..<(first + 400), mostFailures: 1)
        let failure = try #require(summary.failures.first, "\(seededDefect.rawValue) was not found")
        #expect(seededDefect.breaks.contains(failure.violation.invariant), "\(failure.violation)")
    }

    @Test("The same seed runs the same twice", arguments: [7, 21, 63] as [UInt64])
    func repeatable(_ seed: UInt64) async {
        var one = ScenarioGenerator(seed: seed)
        var other = ScenarioGenerator(seed: seed)
        let scenario = one.scenario()
        #expect(scenario == other.scenario())
        let (first, second) = (await ScenarioRun.outcome(of: scenario), await ScenarioRun.outcome(of: scenario))
        #expect(first.requests == second.requests)
        #expect(first.restarts == second.restarts)
        #expect(first.violations == second.violations)
    }

    @Test("A failing story is told with the steps that matter and no others")
    func shortening() async throws {
        let sweep = SeedSweep(seededDefect: .roundsUp, jobs: 1)
        let summary = await sweep.run(1..<50, mostFailures: 1)
        let failure = try #require(summary.failures.first)
        var generator = ScenarioGenerator(seed: failure.seed)
        let scenario = generator.scenario()
        let short = await ScenarioRun.shortened(
            scenario,
            breaking: failure.violation.invariant,
            seededDefect: .roundsUp
        )
        // A token that is asked for and reaches the merchant, a payment, and the shop's word of it.
        #expect(short.steps.count <= 5, "\(short.timeline)")
        #expect(short.steps.allSatisfy { scenario.steps.contains($0) })
        let account = await sweep.account(of: failure.seed, failure.violation)
        #expect(account.contains("pays"))
        #expect(account.contains("BROKEN: \(Invariant.moneyAsPaid.rawValue)"))
    }

    @Test("Without faults a story has none")
    func calm() {
        for seed in 1..<50 as Range<UInt64> {
            var generator = ScenarioGenerator(seed: seed, kinds: ScenarioKind.usual.subtracting(ScenarioKind.faults))
            for step in generator.scenario().steps {
                switch step.action {
                case .appleFails, .silence, .storeFails, .crash, .restart, .merchantClock: Issue.record("\(step)")
                default: break
                }
            }
        }
    }
}

extension SeededDefect {
    /// What a defect may be found by.
    var breaks: Set<Invariant> {
        switch self {
        // The second where Apple's answer came and its record failed.
        case .resendsWithoutAsking: [.questionFirst, .soldOnce]
        case .losesASale: [.acknowledgedIsStored]
        case .losesAToken: [.acknowledgedIsStored, .dueDates]
        case .reportsTwice: [.oneAtATime, .onlyWhatWasSold, .soldOnce]
        case .believesRefusals: [.appleHasIt, .everySaleIsReported, .dueDates, .nothingForPersons]
        case .newIdentifier: [.oneIdentifier, .appleHasIt, .ledgerHasIt]
        case .multipliesYen, .roundsUp: [.moneyAsPaid]
        case .forgetsReturns, .dropsReturns:
            // Paid days count a period whose refund is at Apple.
            [.appleHasIt, .everySaleIsReported, .netAsLeft, .oneIdentifier, .figuresFollowEvents]
        case .fixedCountry, .movesDates: [.factsAsSold]
        case .forgetsNotifications, .forgetsEarlyReturns, .forgetsReturnsWithoutRoom: [.acknowledgedIsStored]
        // Shares that exceed their line are refused, and nothing of the refund is reported.
        case .swapsShares: [.moneyAsPaid, .everySaleIsReported, .netAsLeft, .returnsAddUp]
        // Renewals are held until somebody says whose they are.
        case .importsWithoutNames: [.everySaleIsReported]
        case .breaksOrdersUp: [.ordersAreWhole, .oneIdentifier]
        // The third because more than the purchase goes back.
        case .ignoresTotals: [.acknowledgedIsStored, .moneyAsPaid, .truthIsTaken]
        case .neverAsksHistory: [.appleIsHeard]
        case .disowns: [.rightAnswer]
        case .waitsTooLong: [.dueDates, .unreportedIsAnswered]
        // The second because nothing answers what Apple did not say.
        case .criesWolf: [.unreportedIsUnreported, .unreportedIsAnswered]
        case .dropsCorrections: [.figuresFollowEvents, .standsAsCorrected, .appleHasIt, .everySaleIsReported]
        case .restatesWrongly: [.standsAsCorrected, .figuresFollowEvents]
        case .ignoresLateEvents: [.figuresFollowEvents]
        }
    }
}
