import ExternalPurchaseCore
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import ReportingServer

@Suite("Texts that are slow to compare are refused before anything compares them")
struct HostileTextTests {
    private static func run(_ count: Int) -> String { "a" + String(repeating: "\u{301}", count: count) }
    private static func flags(_ count: Int) -> String { String(repeating: "\u{1F1E6}", count: count) }

    /// Every path that takes a body of JSON, with a value for each parameter.
    private static var paths: [String] {
        Endpoint.all.filter { $0.method == .post && $0.path.hasPrefix("/v1/") && !$0.path.contains("webhooks") }
            .map { endpoint in
                endpoint.path.split(separator: "/").map { $0.hasPrefix("{") ? "1" : String($0) }.joined(separator: "/")
            }
            .filter { !$0.hasSuffix("/apply") && !$0.hasSuffix("/redeliver") }.map { "/" + $0 }
    }

    @Test("A member's name, a text and an escaped text, at every path with a body")
    func bodies() async throws {
        let server = try ServerFixture()
        #expect(Self.paths.count > 5)
        try await server.application.test(.router) { client in
            func send(_ path: String, _ body: String) async throws -> (status: Int, text: String) {
                let answer = try await client.execute(
                    uri: path,
                    method: .post,
                    headers: [.contentType: "application/json"],
                    body: ByteBuffer(string: body)
                )
                return (answer.status.code, String(buffer: answer.body))
            }
            let escaped = "a" + String(repeating: #"\u0301"#, count: 31)
            for path in Self.paths where path != "/v1/notifications" {
                for body in [
                    #"{"\#(Self.run(31))":1}"#, #"{"\#(Self.run(30_000))":1}"#, #"{"type":"\#(Self.run(30_000))"}"#,
                    #"{"type":"\#(escaped)"}"#, #"{"\#(Self.flags(65))":1}"#, #"{"type":"\#(Self.flags(30_000))"}"#,
                    #"{"type":"\#(String(repeating: #"\ud83c\udde6"#, count: 65))"}"#,
                    #"{"items":[{"sale":{"type":"\#(Self.run(31))"}}]}"#,
                ] {
                    let answer = try await send(path, body)
                    #expect(answer.status == 400, "\(path): \(answer.text.prefix(300))")
                    #expect(answer.text.contains("30 combining characters"), "\(path): \(answer.text.prefix(300))")
                }
                // At the limit the name is one that is not known, and is shown up to 64 bytes.
                let known = try await send(path, #"{"\#(Self.run(30))":"\#(Self.run(30))"}"#)
                #expect(known.status != 400, "\(path): \(known.text.prefix(300))")
                let flag = try await send(path, #"{"\#(Self.flags(64))":"\#(Self.flags(64))"}"#)
                #expect(flag.status != 400, "\(path): \(flag.text.prefix(300))")
                let long = try await send(path, #"{"\#(String(repeating: "n", count: 512))":1}"#)
                #expect(long.status != 400 && long.text.utf8.count < 4_000, "\(path): \(long.text.prefix(300))")
                let longer = try await send(path, #"{"\#(String(repeating: "n", count: 513))":1}"#)
                #expect(longer.status == 400 && longer.text.contains("more than 512 bytes"), "\(path)")
            }
        }
    }

    @Test("A type that only canonical equivalence takes for a known one is unknown")
    func equivalent() async throws {
        let server = try ServerFixture()
        try await server.application.test(.router) { client in
            for type in ["purchase\u{301}", "PURCHASE", "purch\u{430}se"] {
                let answer = try await client.execute(
                    uri: "/v1/sales",
                    method: .post,
                    headers: [.contentType: "application/json"],
                    body: ByteBuffer(string: #"{"saleId":"a","type":"\#(type)"}"#)
                )
                #expect(answer.status.code == 422, "\(String(buffer: answer.body))")
            }
        }
    }
}
