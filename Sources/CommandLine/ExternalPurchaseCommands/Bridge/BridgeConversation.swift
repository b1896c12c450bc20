import CommandSupport
import Dispatch
import ExternalPurchaseKitBridge
import Foundation
import StoreKitSimulator

/// A bridge that a host in another process uses by lines: a request each, answers and events in return (EK-59).
@MainActor
final class BridgeConversation {
    /// One byte more than a request may have, so that the bridge sees that it is too long.
    nonisolated static let keptBytes = 65_537

    private static let stop = Data(#"{"version":1,"id":"end","method":"stop"}"#.utf8)
    private static let question = Data(#""event":"question""#.utf8)

    private let bridge: ExternalPurchaseBridge
    private let session: StoreKitSession
    private let input: InputLines
    private let output = DispatchQueue(label: "external-purchase.bridge")
    private var openCalls = 0
    /// Waits for the end of the last call.
    private var waiting: CheckedContinuation<Void, Never>?
    private var isEnding = false
    private var eventCount = 0

    init(bridge: ExternalPurchaseBridge, session: StoreKitSession, input: InputLines) {
        self.bridge = bridge
        self.session = session
        self.input = input
    }

    /// Answers every line, and returns after the last answer.
    func run() async {
        let events = bridge.events
        let listener = Task { for await event in events { await hand(over: event) } }
        for await line in input.lines {
            openCalls += 1
            // Calls begin in the order of the lines; a purchase that waits for the host's answer holds up no other line.
            Task {
                await answer(line)
                end()
            }
        }
        // Nobody answers questions any more.
        isEnding = true
        await closeQuestions()
        if openCalls > 0 { await withCheckedContinuation { waiting = $0 } }
        await session.settle()
        await rest()
        listener.cancel()
        await listener.value
    }

    private func answer(_ line: Data) async {
        // A host calls in the handler of a tap (SK-50).
        let answer = await StoreKitSession.withUserInteraction { await bridge.call(line) }
        await write(answer)
    }

    private func end() {
        input.done()
        openCalls -= 1
        guard openCalls == 0, isEnding else { return }
        waiting?.resume()
        waiting = nil
    }

    private func hand(over event: Data) async {
        eventCount += 1
        await write(event)
        if isEnding, event.range(of: Self.question) != nil { await closeQuestions() }
    }

    private func closeQuestions() async {
        _ = await bridge.call(Self.stop)
    }

    /// Waits for the events that the last answers caused; a stream does not tell that nothing waits in it.
    private func rest() async {
        for _ in 0..<50 {
            let before = eventCount
            try? await Task.sleep(for: .milliseconds(20))
            if eventCount == before { return }
        }
    }

    private func write(_ line: Data) async {
        let isWritten = await withCheckedContinuation { continuation in
            output.async {
                let written: Void? = try? FileHandle.standardOutput.write(contentsOf: line + Data("\n".utf8))
                continuation.resume(returning: written != nil)
            }
        }
        // The host has gone.
        if !isWritten { input.end() }
    }
}
