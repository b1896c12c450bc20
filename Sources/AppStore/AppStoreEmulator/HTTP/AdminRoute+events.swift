import ExternalPurchaseCore
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

// Events as server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html.
extension AdminRoute {
    static func events(_ request: Request, _ state: EmulatorState) throws(EmulatorInputError) -> Response {
        var after: UInt64?
        if let name = HTTPField.Name("Last-Event-ID"), let text = request.headers[name] {
            guard let number = UInt64(text) else {
                throw EmulatorInputError("invalid-field", field: "Last-Event-ID", "Last-Event-ID is not a number")
            }
            after = number
        }
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { [events = state.events, after] writer in
                let listener = events.listen(after: after)
                defer { events.end(listener) }
                // The comment confirms to the client that it is listening before any event happens.
                try await writer.write(ByteBuffer(string: ": listening\n\n"))
                try await pass(events, to: listener, &writer)
                try await writer.finish(nil)
            }
        )
    }

    /// Writes events until the emulator stops or the listener has fallen behind the stored events.
    private static func pass(
        _ events: EventStream,
        to listener: EventStream.Listener,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        if listener.missed > 0 { try await writer.write(word("missed", listener.missed)) }
        var position = listener.position
        // A stopping server waits for its connections, so this one must end itself.
        for await _ in listener.wakes.cancelOnGracefulShutdown() {
            takeAll: while true {
                switch events.next(after: position) {
                case .nothing:
                    break takeAll
                case .event(let frame):
                    // This waits while the client reads slowly.
                    try await writer.write(events.bytes(of: frame))
                    position = frame.number
                case .lost(let count):
                    return try await writer.write(word("dropped", count))
                }
            }
        }
    }

    /// An event without a number, so that the client's last event number does not change.
    private static func word(_ name: String, _ count: UInt64) -> ByteBuffer {
        ByteBuffer(string: "event: \(name)\ndata: {\"events\":\(count)}\n\n")
    }
}
