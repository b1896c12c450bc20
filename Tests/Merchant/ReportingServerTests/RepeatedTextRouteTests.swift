import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ledger
import NIOCore
import Reporting
import Testing

@testable import ReportingServer

@Suite("Answers repeat a text of the path or the query in at most 64 bytes")
struct RepeatedTextRouteTests {
    /// Long texts of the forms that ids, numbers and months have.
    private static let long = ["9", "x", "%C3%A9", "-1"].map { String(repeating: $0, count: 1_200) }

    /// Requests by the endpoint, with each varying part and each parameter long in turn.
    private static func requests() -> [(method: HTTPRequest.Method, uri: String)] {
        let bodies = long.flatMap { text in ["", ".csv"].map { text + $0 } }
        return Endpoint.all.flatMap { endpoint -> [(method: HTTPRequest.Method, uri: String)] in
            let parts = endpoint.path.split(separator: "/").map(String.init)
            let varying = parts.indices.filter { parts[$0].hasPrefix("{") || parts[$0] == "**" }
            let paths = varying.flatMap { index in
                bodies.map { text in
                    var path = parts.map { $0.hasPrefix("{") ? "2026-10" : $0 }
                    path[index] = text
                    return "/" + path.joined(separator: "/")
                }
            }
            let plain = "/" + parts.map { $0.hasPrefix("{") ? "2026-10.json" : $0 }.joined(separator: "/")
            let parameters = endpoint.path.hasPrefix("/v1/") ? (endpoint.parameters ?? []) + ["unknown"] : []
            let queries = parameters.flatMap { name in long.map { "\(plain)?\(name)=\($0)" } }
            let names = endpoint.path.hasPrefix("/v1/") ? long.map { "\(plain)?\($0)=1" } : []
            return (paths + queries + names).map { (endpoint.method, $0) }
        }
    }

    private static func longestRun(_ text: String) -> Int {
        var (longest, run, last) = (0, 0, UInt8(0))
        for byte in text.replacing("\\u00e9", with: "e").replacing("é", with: "e").replacing("-1", with: "1").utf8 {
            run = byte == last ? run + 1 : 1
            last = byte
            longest = max(longest, run)
        }
        return longest
    }

    @Test("Under every path of the list, in errors of the interface and of the pages")
    func everyPath() async throws {
        let server = try ServerFixture()
        let requests = Self.requests()
        #expect(requests.count > 600)
        try await server.application.test(.router) { client in
            var refused = 0
            for (method, uri) in requests {
                let answer = try await client.execute(
                    uri: uri,
                    method: method,
                    headers: [.contentType: "application/json"],
                    body: method == .post ? ByteBuffer(string: #"{"action":"resolve","note":"x","by":"kim"}"#) : nil
                )
                guard answer.status.code >= 400 else { continue }
                refused += 1
                let text = String(buffer: answer.body)
                #expect(Self.longestRun(text) <= 64, "\(method) \(uri.prefix(40)): \(text.prefix(400))")
                #expect(answer.status.code < 500, "\(method) \(uri.prefix(40))")
            }
            #expect(refused > 300, "\(refused)")
        }
    }
}
