import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Receives webhooks on a socket of its own, and keeps what came byte by byte.
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
    private let descriptor: Int32
    private let state = Mutex((messages: [Message](), answers: [String]()))

    init() throws {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let size = length
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        try #require(isBound)
        self.descriptor = descriptor
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/hook"
        let thread = Thread { [weak self] in
            while let client = Optional(accept(descriptor, nil, nil)), client >= 0 {
                self?.serve(client)
                close(client)
            }
        }
        thread.start()
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Answers the next requests with these status lines instead of 200.
    func answer(_ statusLines: String...) { state.withLock { $0.answers += statusLines } }

    /// Every request, also those that were not taken.
    var messages: [Message] { state.withLock(\.messages) }

    /// Waits until that many requests came, at most 60 s.
    func wait(for count: Int) async throws -> [Message] {
        for _ in 0..<1_200 where messages.count < count { try await Task.sleep(for: .milliseconds(50)) }
        return messages
    }

    private func serve(_ client: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let separator = Array("\r\n\r\n".utf8)
        while true {
            let count = recv(client, &buffer, buffer.count, 0)
            if count <= 0 { return }
            bytes += buffer[..<count]
            guard let end = bytes.firstRange(of: separator) else { continue }
            let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                if parts.count == 2 { headers[parts[0].lowercased()] = parts[1] }
            }
            let body = bytes[end.upperBound...]
            if body.count < Int(headers["content-length"] ?? "0") ?? 0 { continue }
            var message = Message(
                path: String(lines[0].split(separator: " ").dropFirst().first ?? ""),
                headers: headers,
                body: Data(body)
            )
            let status = state.withLock { state in
                let status = state.answers.isEmpty ? "200 OK" : state.answers.removeFirst()
                message.wasTaken = status.hasPrefix("200")
                state.messages.append(message)
                return status
            }
            let answer = Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
            _ = Foundation.send(client, answer, answer.count, 0)
            return
        }
    }
}
