import ExternalPurchaseCore
import Foundation
import Testing

@testable import ExternalPurchaseKit

@Suite("An app on a device whose clock is wrong, and is set between restarts")
@MainActor
struct WrongClockTests {
    private static let year = 365 * 86_400.0

    /// What a user, a network and a flat battery make of a clock, in years from the true time, launch by launch.
    nonisolated static let clocks: [[Double]] = [
        [-20, -20, -20, -20], [20, 20, 20, 20], [0, 10, 0, 10], [0, -10, 0, -10], [-50, 50, -50, 50],
        [0, 1_000, 0, -60],
    ]

    @Test(
        "Every token arrives, a waiting one is tried once a launch, and none waits for years (EK-22, EK-24, EK-28)",
        arguments: clocks
    )
    func launches(_ years: [Double]) async throws {
        let fixture = try KitFixture([.C], in: "DEU")
        let start = fixture.clock.now
        fixture.server.answer { _ in .retry(reason: "network error", after: nil) }
        for year in years {
            fixture.clock.restart()
            fixture.clock.set(start + year * Self.year)
            fixture.relaunch()
            let before = fixture.server.requests
            await fixture.model.refresh()
            if let wait = await fixture.outbox.deliverDue() { #expect(wait <= .seconds(3_600)) }
            #expect(fixture.server.requests <= before + 1)
            #expect(await fixture.outbox.currentStatus.pending == 2)
        }
        // The server is back, and the clock is set once more.
        fixture.server.answer { _ in nil }
        fixture.clock.restart()
        fixture.clock.set(start)
        fixture.relaunch()
        await fixture.model.refresh()
        await fixture.drain()
        #expect(fixture.server.texts == Set(fixture.issuer.texts))
        #expect(fixture.server.arrivals.count == 2)
    }

    @Test(
        "After the delivery a clock that was set sends a token once more at most, in either direction (EK-24)",
        arguments: clocks
    )
    func delivered(_ years: [Double]) async throws {
        let fixture = try KitFixture([.C], in: "DEU")
        let start = fixture.clock.now
        await fixture.model.refresh()
        await fixture.drain()
        #expect(fixture.server.arrivals.count == 2)
        var last = 0.0
        for year in years {
            fixture.clock.restart()
            fixture.clock.set(start + year * Self.year)
            let before = fixture.server.arrivals.count
            for _ in 0..<3 {
                fixture.relaunch()
                await fixture.model.refresh()
                await fixture.drain()
            }
            #expect(fixture.server.arrivals.count == before + (year == last ? 0 : 2), "\(last) → \(year)")
            last = year
        }
        #expect(fixture.server.texts == Set(fixture.issuer.texts))
    }
}
