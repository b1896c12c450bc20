import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import Logging
import RawSockets
import Synchronization
import Testing

@testable import ExternalPurchaseCommands

@Suite("The followed clock")
struct FollowedClockTests {
    /// A clock whose first answer, read at `early`, is sent after its second, read at `late`.
    private final class SlowClock: Sendable {
        let listener: RawListener
        private let polls = Mutex((begun: 0, answered: 0))

        init(early: String, late: String) throws {
            listener = try RawListener()
            listener.start { [weak self] connection in
                guard let self else { return }
                // The listener serves one connection after the other.
                Thread.detachNewThread { [self] in
                    while connection.request() != nil {
                        let isFirst = polls.withLock { polls in
                            polls.begun += 1
                            return polls.begun == 1
                        }
                        while isFirst, polls.withLock({ $0.answered }) == 0 { usleep(1_000) }
                        connection.respond(
                            "200 OK",
                            type: "application/json",
                            Array(#"{"now":"\#(isFirst ? early : late)","mode":"virtual"}"#.utf8)
                        )
                        polls.withLock { $0.answered += 1 }
                    }
                    connection.close()
                }
            }
        }

        func firstPoll() async throws {
            while polls.withLock({ $0.begun }) == 0 { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    @Test("An answer that was overtaken does not set the time back")
    func overtaken() async throws {
        let slow = try SlowClock(early: "2026-12-01T00:00:00Z", late: "2026-12-23T00:00:00Z")
        let clock = FollowedClock(
            url: "http://127.0.0.1:\(slow.listener.port)",
            http: .shared,
            machine: { Timestamp(milliseconds: 0) },
            logger: Logger(label: "test")
        )
        async let first: Void = clock.update()
        try await slow.firstPoll()
        try await clock.update()
        try await first
        #expect(clock.now() == Timestamp(rfc3339: "2026-12-23T00:00:00Z"))
    }
}
