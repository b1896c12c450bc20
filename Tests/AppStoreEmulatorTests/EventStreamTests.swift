import AppStoreEmulator
import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import NIOCore
import NIOHTTP1
import Testing

/// One who listens to `GET /emulator/v1/events`.
private final class Listener {
    struct Event {
        let id: UInt64
        let name: String
        let data: JSONObject
    }

    private var parts: HTTPClientResponse.Body.AsyncIterator
    private var text = ""

    init(_ emulator: EmulatorUnderTest, after id: UInt64? = nil) async throws {
        var request = HTTPClientRequest(url: emulator.address.baseURL + "/emulator/v1/events")
        if let id { request.headers.add(name: "Last-Event-ID", value: String(id)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(300))
        #expect(response.status == .ok)
        #expect(response.headers.first(name: "Content-Type") == "text/event-stream")
        parts = response.body.makeAsyncIterator()
        #expect(try await block() == ": listening")
    }

    /// The text up to the next blank line; nil when the stream has ended.
    private func block() async throws -> String? {
        while !text.contains("\n\n") {
            guard let part = try await parts.next() else { return nil }
            text += String(buffer: part)
        }
        let end = text.range(of: "\n\n")
        guard let end else { return nil }
        defer { text.removeSubrange(..<end.upperBound) }
        return String(text[..<end.lowerBound])
    }

    func next() async throws -> Event? {
        guard let block = try await block() else { return nil }
        var fields: [String: String] = [:]
        for line in block.split(separator: "\n") {
            let parts = line.split(separator: ": ", maxSplits: 1)
            fields[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
        }
        return Event(
            id: try #require(fields["id"].flatMap { UInt64($0) }),
            name: try #require(fields["event"]),
            data: try #require(try JSONReader().read(fields["data"] ?? "").objectValue)
        )
    }
}

@Suite("Events stream to those who listen")
struct EventStreamTests {
    @Test("Tokens, reports, requests, the clock and a reset are told in their order, numbered without gaps")
    func events() async throws {
        try await EmulatorUnderTest.run { emulator in
            let listener = try await Listener(emulator)
            try await emulator.addToken(Body.token)
            #expect(try await emulator.put(Body.noLineItem(1)).status == 200)
            _ = try await emulator.control(.POST, "/clock/advance", #"{"seconds":1}"#)
            _ = try await emulator.control(.POST, "/reset")
            var events: [Listener.Event] = []
            while events.last?.name != "reset" { events.append(try #require(try await listener.next())) }
            #expect(events.map(\.name) == ["token", "report", "request", "clock", "reset"])
            let first = try #require(events.first)
            #expect(events.map(\.id) == Array(first.id..<first.id + 5))
            #expect(first.data["externalPurchaseId"] == .string(Body.token))
            #expect(events[1].data["report"]?.objectValue?["status"] == .string("NO_LINE_ITEM"))
            #expect(events[2].data["status"]?.int64Value == 200)
            #expect(events[3].data["now"] == .string("2026-11-20T12:00:01Z"))
        }
    }

    @Test("Last-Event-ID brings what was missed, once, and then what happens")
    func resume() async throws {
        try await EmulatorUnderTest.run { emulator in
            let before = try await Listener(emulator)
            try await emulator.addToken("a")
            let seen = try #require(try await before.next())
            try await emulator.addToken("b")
            try await emulator.addToken("c")
            let after = try await Listener(emulator, after: seen.id)
            try await emulator.addToken("d")
            for expected in ["b", "c", "d"] {
                let event = try #require(try await after.next())
                #expect(event.data["externalPurchaseId"] == .string(expected))
            }
            let ahead = try await Listener(emulator, after: .max)
            try await emulator.addToken("e")
            #expect(try await ahead.next()?.data["externalPurchaseId"] == .string("e"))
        }
    }

    @Test("A Last-Event-ID that is no number is refused", arguments: ["x", "-1", "1.5", "18446744073709551616"])
    func wrongNumber(text: String) async throws {
        try await EmulatorUnderTest.run { emulator in
            let answer = try await emulator.call(.GET, "/emulator/v1/events", headers: ["Last-Event-ID": text])
            #expect(answer.status == 422)
            #expect(answer["field"] == .string("Last-Event-ID"))
        }
    }

    @Test("An emulator that stops ends the streams and does not wait for those who listen", .timeLimit(.minutes(10)))
    func shutdown() async throws {
        try await EmulatorUnderTest.run { emulator in
            let listener = try await Listener(emulator)
            await emulator.stop()
            #expect(try await listener.next() == nil)
        }
    }
}
