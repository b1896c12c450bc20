import AppStoreServerClient
import AsyncHTTPClient
import CommandSupport
import ExternalPurchaseCore
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Synchronization

/// Follows the clock of an emulator by polling it, so that a test can set both clocks at once.
///
/// Between two polls the time advances with the machine's clock if the emulator's clock is running.
final class FollowedClock: Service {
    private struct Reading {
        var emulator: Timestamp
        var machine: Timestamp
        var isRunning: Bool
        /// The number of the request that read it.
        var request: Int
    }

    private let url: String
    private let http: HTTPClient
    private let machine: @Sendable () -> Timestamp
    private let logger: Logger
    /// Called after the time jumped, so that waiting tasks check the time again.
    private let onJump: Mutex<@Sendable () -> Void>
    private let reading: Mutex<Reading?>
    private let requests = Atomic(0)

    init(url: String, http: HTTPClient, machine: @escaping @Sendable () -> Timestamp, logger: Logger) {
        // The emulator's base URL is accepted too.
        let path = URLComponents(string: url)?.path ?? ""
        self.url = path.isEmpty || path == "/" ? url.drop(trailing: "/") + "/emulator/v1/clock" : url
        self.http = http
        self.machine = machine
        self.logger = logger
        onJump = Mutex({ @Sendable () -> Void in })
        reading = Mutex(nil)
    }

    func now() -> Timestamp {
        let now = machine()
        guard let last = reading.withLock({ $0 }) else { return now }
        guard last.isRunning else { return last.emulator }
        return last.emulator + last.machine.duration(to: now)
    }

    /// Sets the action that is called after the time jumped.
    func onJump(_ action: @escaping @Sendable () -> Void) {
        onJump.withLock { $0 = action }
    }

    /// Polls the clock once.
    ///
    /// Of two polls at a time the one that began later counts: the other may be answered last with an older time, and
    /// the time would go back.
    ///
    /// - Throws: ``CommandFailure`` when no clock responds at the address.
    func update() async throws(CommandFailure) {
        let failure = CommandFailure.otherSide(
            "--follow-clock \(HTTPAddress.shown(url)): no emulator's clock answers there"
        )
        let poll = requests.add(1, ordering: .relaxed).newValue
        do {
            let request = HTTPClientRequest(url: url)
            let (answer, body) = try await http.exchange(request, within: .seconds(5), upTo: 65_536)
            guard answer.status == .ok, let object = try JSONReader().read(Array(body.readableBytesView)).objectValue,
                let now = object["now"]?.stringValue.flatMap(Timestamp.init(rfc3339:))
            else { throw failure }
            let isRunning = object["mode"]?.stringValue != "virtual"
            let expected = self.now()
            let isLatest = reading.withLock { last in
                guard poll > last?.request ?? 0 else { return false }
                last = Reading(emulator: now, machine: machine(), isRunning: isRunning, request: poll)
                return true
            }
            if isLatest, abs(now.milliseconds - expected.milliseconds) > 1_000 { onJump.withLock { $0 }() }
        } catch {
            throw failure
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            var isLost = false
            while !Task.isCancelled {
                do {
                    try await update()
                    if isLost { logger.notice("the followed clock answers again") }
                    isLost = false
                } catch {
                    if !isLost { logger.warning("the followed clock does not answer; the last time goes on") }
                    isLost = true
                }
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}

extension String {
    fileprivate func drop(trailing suffix: Character) -> String {
        last == suffix ? String(dropLast()) : self
    }
}
