import ExternalPurchaseCore
import Foundation
import Ledger
import Synchronization
import Testing

@testable import Reporting

@Suite("The machine's clock")
struct MachineClockCheckTests {
    /// A clock of the machine and one that cannot be set.
    private final class Clocks: Sendable {
        private let state: Mutex<(wall: Timestamp, monotonic: Duration)>

        init(_ wall: Timestamp) { state = Mutex((wall, .seconds(1))) }

        func pass(_ time: Duration, setting: Duration = .zero) {
            state.withLock {
                $0.wall = $0.wall + time + setting
                $0.monotonic += time
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

    @Test(
        "A running server's clock may be set by as much as clock.maxJump, forward and back",
        arguments: [
            (.hours(24), true), (.hours(24) + .milliseconds(1), false),
            (.hours(-24), true), (.hours(-24) - .milliseconds(1), false),
            (.days(8_000 * 365), false), (.days(-56 * 365), false),
        ]
    )
    func jumps(_ setting: Duration, isPlausible: Bool) {
        let clocks = Clocks(Merchant.noon)
        let check = clocks.check(newest: Merchant.noon)
        #expect(check.doubt() == nil)
        clocks.pass(.seconds(30), setting: setting)
        #expect((check.doubt() == nil) == isPlausible)
        // Not by waiting, only by setting it right.
        clocks.pass(.seconds(30))
        #expect((check.doubt() == nil) == isPlausible)
        clocks.pass(.seconds(30), setting: -setting)
        #expect(check.doubt() == nil)
    }

    @Test("A machine that slept, and a clock that is corrected a little at a time, are plausible")
    func slowChanges() {
        let clocks = Clocks(Merchant.noon)
        let check = clocks.check(newest: nil)
        #expect(check.doubt() == nil)
        clocks.pass(.days(90))
        #expect(check.doubt() == nil)
        for _ in 0..<50 {
            clocks.pass(.seconds(30), setting: .hours(1))
            #expect(check.doubt() == nil)
        }
    }

    @Test(
        "At the start the clock is held against the newest entry of the ledger",
        arguments: [
            (.hours(-24), true), (.hours(-24) - .milliseconds(1), false), (.zero, true), (.days(31), true),
            (.days(31) + .milliseconds(1), false), (.days(8_000 * 365), false),
        ] as [(Duration, Bool)]
    )
    func start(_ distance: Duration, isPlausible: Bool) {
        let clocks = Clocks(Merchant.noon + distance)
        let check = clocks.check(newest: Merchant.noon)
        #expect((check.doubt() == nil) == isPlausible)
        // Without an entry, or with --accept-clock, there is nothing to hold it against.
        #expect(clocks.check(newest: nil).doubt() == nil)
        // Set right while the server runs, a wrong one is taken; from then on jumps count.
        clocks.pass(.minutes(1), setting: isPlausible ? .zero : -distance)
        #expect(check.doubt() == nil)
        clocks.pass(.minutes(1), setting: .hours(25))
        #expect(check.doubt() != nil)
    }

    /// A sale that rests until long after, and a token without any sale.
    private static func merchant() async throws -> Merchant {
        var settings = ReportingSettings()
        settings.due = try DeadlineSettings(sendDelay: .hours(2))
        let merchant = Merchant(settings: settings)
        let sold = Merchant.token("a")
        try await merchant.take(sold)
        try await merchant.take(Merchant.token("b"))
        try await merchant.sell(Merchant.purchase("order-1", on: sold))
        return merchant
    }

    @Test("By a clock that jumped nothing is sent, least of all an answer that cannot be taken back (RR-72, NT-65)")
    func implausibleClock() async throws {
        let year9999 = Merchant.noon.duration(to: Timestamp(milliseconds: 253_370_764_800_000))
        // By a clock that is trusted the token without a sale is answered there.
        let trusting = try await Self.merchant()
        trusting.clock.advance(by: year9999)
        await trusting.system.sender.runUntilIdle()
        #expect(try await trusting.reports().contains { $0.status != .lineItem })

        let merchant = try await Self.merchant()
        merchant.clock.advance(by: year9999)
        merchant.clock.distrust(.jumped(expected: Merchant.noon, now: merchant.clock.now))
        await merchant.system.sender.runUntilIdle()
        #expect(try await merchant.reports().isEmpty)
        #expect(try await merchant.system.metrics().contains("external_purchase_clock_implausible 1"))
        let readiness = await merchant.system.health.readiness()
        #expect(readiness.isReady)
        #expect(readiness.problems.map(\.check) == [.clock])
        // What comes in is stored all the while.
        try await merchant.take(Merchant.token("c"))

        merchant.clock.advance(by: -year9999 + .hours(3))
        merchant.clock.distrust(nil)
        await merchant.system.sender.runUntilIdle()
        let reports = try await merchant.reports()
        #expect(reports.map(\.status) == [.lineItem])
        #expect(reports.map(\.state) == [.accepted])
    }
}
