import Foundation
import RawSockets
import Synchronization

/// An endpoint that departs from the rules in one known way: a proxy before an emulator, which changes its answers.
///
/// It knows nothing of the cases, of the settings and of the engine under test: it reads requests and answers as JSON.
final class SeededEndpoint: Sendable {
    /// A request and the emulator's answer to it.
    struct Exchange {
        let method: String
        let path: String
        /// The body as a JSON object; empty for another body.
        let report: [String: Any]
        let bodyBytes: Int
        /// The claims of the JWT.
        let claims: [String: Any]
        var status: Int
        var body: String

        init(
            _ method: String,
            _ path: String,
            authorization: String?,
            request: [UInt8],
            status: Int,
            response: some Sequence<UInt8>
        ) {
            self.method = method
            self.path = path
            report = Self.object(request)
            bodyBytes = request.count
            claims = Self.claims(authorization ?? "")
            self.status = status
            body = String(decoding: Array(response), as: UTF8.self)
        }

        var isReport: Bool { method == "PUT" && path == "/externalPurchase/v1/reports" }

        /// The errors; nil when the body has no array of errors.
        var errors: [[String: Any]]? {
            get { (Self.object(Array(body.utf8))["errors"]) as? [[String: Any]] }
            set {
                guard let newValue else { return }
                if newValue.isEmpty, status == 400 { return accept() }
                body = Self.text(["errors": newValue])
            }
        }

        /// Answers as if nothing were wrong.
        mutating func accept() {
            status = 200
            body = Self.text(["requestIdentifier": report["requestIdentifier"] ?? ""])
        }

        var items: [[String: Any]] { report["lineItems"] as? [[String: Any]] ?? [] }

        func item(_ error: [String: Any]) -> [String: Any]? {
            items.first { $0["lineItemId"] as? String == error["lineItemId"] as? String }
        }

        static func object(_ bytes: [UInt8]) -> [String: Any] {
            ((try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]) ?? [:]
        }

        static func text(_ object: Any) -> String {
            let data = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
            return String(decoding: data ?? Data(), as: UTF8.self)
        }

        private static func claims(_ authorization: String) -> [String: Any] {
            let parts = authorization.split(separator: ".")
            guard parts.count > 1 else { return [:] }
            var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
            while text.count % 4 != 0 { text += "=" }
            return Data(base64Encoded: text).map { object(Array($0)) } ?? [:]
        }
    }

    typealias Change = @Sendable (inout Exchange) -> Void

    let url: String
    private let listener: RawListener
    private let served = Mutex<[String]>([])

    /// - Parameter change: changes each answer.
    init(before emulator: String, change: @escaping Change) throws {
        guard let port = URL(string: emulator)?.port else { throw URLError(.badURL) }
        listener = try RawListener()
        url = "http://127.0.0.1:\(listener.port)"
        listener.start { [weak self] connection in
            self?.serve(connection, port: port, change: change)
            connection.close()
        }
    }

    /// The requests that came, as `PUT /path`.
    var requests: [String] { served.withLock(\.self) }

    private func serve(_ connection: RawListener.Connection, port: Int, change: Change) {
        guard let request = connection.request(), let upstream = try? RawListener.Connection(to: port) else { return }
        defer { upstream.close() }
        served.withLock { $0.append("\(request.method) \(request.target)") }
        var head = "\(request.method) \(request.target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        for (name, value) in request.headers where ["authorization", "content-type", "accept"].contains(name) {
            head += "\(name): \(value)\r\n"
        }
        head += "Content-Length: \(request.body.count)\r\n\r\n"
        upstream.send(Array(head.utf8) + request.body)
        var answer: [UInt8] = []
        while let more = upstream.receive() { answer += more }
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
        let words = String(decoding: answer[..<end.lowerBound], as: UTF8.self).split(separator: " ", maxSplits: 2)
        guard words.count == 3, let status = Int(words[1]) else { return }
        var exchange = Exchange(
            request.method,
            request.target,
            authorization: request.headers["authorization"],
            request: request.body,
            status: status,
            response: answer[end.upperBound...]
        )
        change(&exchange)
        guard exchange.status > 0 else { return }
        let retry = exchange.status == 429 ? "Retry-After: 120\r\n" : ""
        let body = Array(exchange.body.utf8)
        let start =
            "HTTP/1.1 \(exchange.status) Status\r\n\(retry)Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        connection.send(Array(start.utf8) + body)
    }
}
