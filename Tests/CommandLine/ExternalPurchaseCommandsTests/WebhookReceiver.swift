import Foundation
import RawSockets
import Synchronization

/// Receives webhooks, and keeps what came byte by byte.
final class WebhookReceiver: Sendable {
    struct Message: Sendable {
        let path: String
        let headers: [String: String]
        let body: Data
        var wasTaken = true

        var json: [String: Any] { ((try? JSONSerialization.jsonObject(with: body)) as? [String: Any]) ?? [:] }
        var events: [[String: Any]] { json["events"] as? [[String: Any]] ?? [] }
        var steps: [String] { events.compactMap { $0["step"] as? String } }
    }

    let url: String
    private let listener: RawListener
    private let state = Mutex((messages: [Message](), answers: [String]()))

    init() throws {
        listener = try RawListener()
        url = "http://127.0.0.1:\(listener.port)/hook"
        listener.start { [weak self] connection in
            self?.serve(connection)
            connection.close()
        }
    }

    /// Answers the next requests with these status lines instead of 200.
    func answer(_ statusLines: String...) { state.withLock { $0.answers += statusLines } }

    /// Every request, also those that were not taken.
    var messages: [Message] { state.withLock(\.messages) }

    /// Waits until that many requests came, at most 60 s.
    func wait(for count: Int) async throws -> [Message] {
        for _ in 0..<6_000 where messages.count < count { try await Task.sleep(for: .milliseconds(50)) }
        return messages
    }

    private func serve(_ connection: RawListener.Connection) {
        guard let request = connection.request() else { return }
        var message = Message(path: request.target, headers: request.headers, body: Data(request.body))
        let status = state.withLock { state in
            let status = state.answers.isEmpty ? "200 OK" : state.answers.removeFirst()
            message.wasTaken = status.hasPrefix("200")
            state.messages.append(message)
            return status
        }
        connection.respond(status)
    }
}
