import NIOCore
import Testing

@testable import HTTPSupport

/// The limits of a body by a clock that the test sets.
@Suite("A body has a time for its whole length")
struct ConnectionProgressTests {
    private static func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    /// A connection whose head arrived at 10 s and whose body is being read.
    private static func inBody(_ limits: HTTPLimits = HTTPLimits()) -> ConnectionProgress {
        var progress = ConnectionProgress(limits: limits, now: at(0))
        progress.headArrived(now: at(10))
        progress.readEnded(now: at(10))
        progress.readBegan(now: at(10))
        return progress
    }

    @Test("A byte every 20 s does not prolong the time of a body")
    func drip() {
        var progress = Self.inBody()
        for second in stride(from: Int64(30), to: 70, by: 20) {
            progress.bodyArrived(now: Self.at(second))
            progress.readEnded(now: Self.at(second))
            progress.readBegan(now: Self.at(second))
        }
        #expect(progress.deadline?.overrun == .wholeBody)
        #expect(progress.deadline?.moment == Self.at(70))
    }

    @Test("A client that stops within a body is cut off by the time without a byte")
    func silence() {
        var progress = Self.inBody()
        progress.bodyArrived(now: Self.at(12))
        #expect(progress.deadline?.overrun == .body)
        #expect(progress.deadline?.moment == Self.at(42))
    }

    @Test("The time in which the server does not read counts for no client")
    func slowServer() {
        var progress = Self.inBody()
        progress.bodyArrived(now: Self.at(20))
        progress.readEnded(now: Self.at(20))
        #expect(progress.deadline == nil)
        progress.readBegan(now: Self.at(1_000))
        for second in [1_020, 1_040] as [Int64] { progress.bodyArrived(now: Self.at(second)) }
        // 10 of the 60 seconds were used before.
        #expect(progress.deadline?.overrun == .wholeBody)
        #expect(progress.deadline?.moment == Self.at(1_050))
    }

    @Test("Each request of a connection has the whole time")
    func second() {
        var progress = Self.inBody()
        progress.bodyArrived(now: Self.at(60))
        progress.requestEnded(now: Self.at(60))
        progress.answerEnded(now: Self.at(60))
        progress.headArrived(now: Self.at(100))
        for second in [120, 140] as [Int64] { progress.bodyArrived(now: Self.at(second)) }
        #expect(progress.deadline?.overrun == .wholeBody)
        #expect(progress.deadline?.moment == Self.at(160))
    }
}
