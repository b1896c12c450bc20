import ExternalPurchaseCore
import Foundation
import Ledger
import ReportPlanning
import Synchronization
import Testing

@testable import Reporting

@Suite("The machine's clock")
struct MachineClockCheckTests {
    /// A clock of the machine and one that cannot be set.
    private final class Clocks: Sendable {
        private let state: Mutex<(wall: Timestamp, monotonic: Int64)>

        init(_ wall: Timestamp) { state = Mutex((wall, 1_000)) }

        func pass(_ milliseconds: Int64, setting: Int64 = 0) {
            state.withLock {
                $0.wall = $0.wall.advanced(byMilliseconds: milliseconds + setting)
                $0.monotonic += milliseconds
            }
        }

        func check(newest: Timestamp?, _ limits: MachineClockCheck.Limits = .init()) -> MachineClockCheck {
            MachineClockCheck(
                limits: limits,
                newest: newest,
                wall: { self.state.withLock(\.wall) },
                monotonic: { self.state.withLock(\.monotonic) }
            )
        }
    }

    private static let hour: Int64 = 3_600_000

    @Test(
        "A running server's clock may be set by as much as clock.maxJump, forward and back",
        arguments: [
            (24 * hour, true), (24 * hour + 1, false), (-24 * hour, true), (-24 * hour - 1, false),
            (8_000 * 365 * 24 * hour, false), (-56 * 365 * 24 * hour, false),
        ]
    )
    func jumps(_ setting: Int64, isPlausible: Bool) {
        let clocks = Clocks(Merchant.noon)
        let check = clocks.check(newest: Merchant.noon)
        #expect(check.doubt() == nil)
        clocks.pass(30_000, setting: setting)
        #expect((check.doubt() == nil) == isPlausible)
        // Not by waiting, only by setting it right.
        clocks.pass(30_000)
        #expect((check.doubt() == nil) == isPlausible)
        clocks.pass(30_000, setting: -setting)
        #expect(check.doubt() == nil)
    }

    @Test("A machine that slept, and a clock that is corrected a little at a time, are plausible")
    func slowChanges() {
        let clocks = Clocks(Merchant.noon)
        let check = clocks.check(newest: nil)
        #expect(check.doubt() == nil)
        clocks.pass(90 * Timestamp.day)
        #expect(check.doubt() == nil)
        for _ in 0..<50 {
            clocks.pass(30_000, setting: Self.hour)
            #expect(check.doubt() == nil)
        }
    }

    @Test(
        "At the start the clock is held against the newest entry of the ledger",
        arguments: [
            (-24 * hour, true), (-24 * hour - 1, false), (0, true), (31 * 24 * hour, true),
            (31 * 24 * hour + 1, false), (8_000 * 365 * 24 * hour, false),
        ] as [(Int64, Bool)]
    )
    func start(_ distance: Int64, isPlausible: Bool) {
        let clocks = Clocks(Merchant.noon.advanced(byMilliseconds: distance))
        let check = clocks.check(newest: Merchant.noon)
        #expect((check.doubt() == nil) == isPlausible)
        // Without an entry, or with --accept-clock, there is nothing to hold it against.
        #expect(clocks.check(newest: nil).doubt() == nil)
        // Set right while the server runs, a wrong one is taken; from then on jumps count.
        clocks.pass(60_000, setting: isPlausible ? 0 : -distance)
        #expect(check.doubt() == nil)
        clocks.pass(60_000, setting: 25 * Self.hour)
        #expect(check.doubt() != nil)
    }

    /// A sale that rests until long after, and a token without any sale.
    private static func merchant() async throws -> Merchant {
        var settings = ReportingSettings()
        settings.due = try DeadlineSettings(sendDelay: 2 * hour)
        let merchant = Merchant(settings: settings)
        let sold = Merchant.token("a")
        try await merchant.take(sold)
        try await merchant.take(Merchant.token("b"))
        try await merchant.sell(Merchant.purchase("order-1", on: sold))
        return merchant
    }

    @Test("By a clock that jumped nothing is sent, least of all an answer that cannot be taken back (RR-72, NT-65)")
    func implausibleClock() async throws {
        let year9999 = Int64(253_370_764_800_000) - Merchant.noon.milliseconds
        // By a clock that is trusted the token without a sale is answered there.
        let trusting = try await Self.merchant()
        trusting.clock.advance(milliseconds: year9999)
        await trusting.system.sender.settle()
        #expect(try await trusting.reports().contains { $0.status != .lineItem })

        let merchant = try await Self.merchant()
        merchant.clock.advance(milliseconds: year9999)
        merchant.clock.distrust(.jumped(expected: Merchant.noon, now: merchant.clock.now))
        await merchant.system.sender.settle()
        #expect(try await merchant.reports().isEmpty)
        #expect(try await merchant.system.metrics().contains("external_purchase_clock_implausible 1"))
        let readiness = await merchant.system.health.readiness()
        #expect(readiness.isReady)
        #expect(readiness.problems.map(\.check) == [.clock])
        // What comes in is stored all the while.
        try await merchant.take(Merchant.token("c"))

        merchant.clock.advance(milliseconds: -year9999 + 3 * Self.hour)
        merchant.clock.distrust(nil)
        await merchant.system.sender.settle()
        let reports = try await merchant.reports()
        #expect(reports.map(\.status) == [.lineItem])
        #expect(reports.map(\.state) == [.accepted])
    }
}
