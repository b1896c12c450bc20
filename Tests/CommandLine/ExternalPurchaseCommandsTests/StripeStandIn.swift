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

/// A stand-in for `GET /v1/events` of Stripe's API: newest first, in pages, for one API key.
final class StripeStandIn: Sendable {
    static let key = "rk_test_0123456789abcdef"

    struct Request: Sendable {
        let path: String
        let query: [String: String]
        let account: String?
    }

    private struct State {
        var events: [[String: any Sendable]] = []
        var requests: [Request] = []
        var failures: [String] = []
    }

    let url: String
    private let pageSize: Int
    private let descriptor: Int32
    private let state = Mutex(State())

    /// - Parameter pageSize: the largest number of events of a page; Stripe's own limit is 100.
    init(pageSize: Int) throws {
        self.pageSize = pageSize
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
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread { [weak self] in
            while let client = Optional(accept(descriptor, nil, nil)), client >= 0 {
                self?.serve(client)
                close(client)
            }
        }.start()
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Adds the event of a completed session; `created` in seconds.
    func add(_ id: String, intent: String, created: Int) {
        let price: [String: any Sendable] = [
            "id": "price_1", "object": "price", "product": "prod_1", "lookup_key": "gems.100",
        ]
        let line: [String: any Sendable] = [
            "id": "li_1", "object": "item", "quantity": 1, "amount_total": 999, "amount_subtotal": 999,
            "amount_tax": 173, "amount_discount": 0, "currency": "eur", "price": price,
        ]
        let session: [String: any Sendable] = [
            "id": "cs_\(intent)", "object": "checkout.session", "mode": "payment", "payment_status": "paid",
            "payment_intent": intent, "currency": "eur", "created": created - 60, "amount_total": 999,
            "amount_subtotal": 999, "total_details": ["amount_tax": 173] as [String: any Sendable],
            "customer_details": ["address": ["country": "NL"]] as [String: [String: String]],
            "metadata": [:] as [String: String],
            "line_items": [
                "object": "list", "has_more": false, "data": [line],
            ] as [String: any Sendable],
        ]
        let event: [String: any Sendable] = [
            "id": id, "object": "event", "api_version": "2025-03-31.basil", "created": created, "livemode": false,
            "type": "checkout.session.completed", "data": ["object": session] as [String: any Sendable],
        ]
        state.withLock { $0.events.append(event) }
    }

    /// Answers the next requests with these status lines.
    func fail(_ statusLines: String...) { state.withLock { $0.failures += statusLines } }

    var requests: [Request] { state.withLock(\.requests) }

    private func serve(_ client: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
            let count = recv(client, &buffer, buffer.count, 0)
            if count <= 0 { return }
            bytes += buffer[..<count]
        }
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        func header(_ name: String) -> String? {
            lines.first { $0.lowercased().hasPrefix(name + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
        let target = String(lines[0].split(separator: " ").dropFirst().first ?? "")
        let parts = URLComponents(string: target)
        let items = (parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        let request = Request(
            path: parts?.path ?? "",
            query: Dictionary(items) { $1 },
            account: header("stripe-account")
        )
        let isAuthorized = header("authorization") == "Bearer \(Self.key)"
        let (failure, events) = state.withLock { state -> (String?, [[String: any Sendable]]) in
            state.requests.append(request)
            return (state.failures.isEmpty ? nil : state.failures.removeFirst(), state.events)
        }
        var (status, body): (String, [String: Any]) = ("200 OK", page(of: events, request.query))
        if !isAuthorized { (status, body) = ("401 Unauthorized", ["error": ["type": "invalid_request_error"]]) }
        if request.path != "/v1/events" { (status, body) = ("404 Not Found", [:]) }
        if let failure { (status, body) = (failure, ["error": ["type": "api_error"]]) }
        let content = (try? JSONSerialization.data(withJSONObject: body)) ?? Data()
        let head =
            "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(content.count)\r\n"
            + "Connection: close\r\n\r\n"
        let answer = Array(head.utf8) + content
        _ = Foundation.send(client, answer, answer.count, 0)
    }

    private func page(of events: [[String: any Sendable]], _ query: [String: String]) -> [String: Any] {
        func created(_ event: [String: any Sendable]) -> Int { event["created"] as? Int ?? 0 }
        let (first, last) = (Int(query["created[gte]"] ?? "") ?? 0, Int(query["created[lte]"] ?? "") ?? .max)
        var list = events.filter { (first...last).contains(created($0)) }.sorted { created($0) > created($1) }
        if let after = query["starting_after"] {
            let place = list.firstIndex { $0["id"] as? String == after }
            list.removeFirst(place.map { $0 + 1 } ?? list.count)
        }
        let count = min(pageSize, Int(query["limit"] ?? "") ?? 10)
        return [
            "object": "list", "url": "/v1/events", "has_more": list.count > count, "data": Array(list.prefix(count)),
        ]
    }
}
