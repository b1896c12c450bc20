import AsyncHTTPClient
import ExternalPurchaseCore
import Foundation
import NIOCore
import NIOHTTP1
import RawSockets
import Testing

@testable import AppStoreEmulator
@testable import HTTPSupport

/// A listener of `GET /emulator/v1/events`.
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

@Suite("Events are streamed to listeners")
struct EventStreamTests {
    @Test("Tokens, reports, requests, the clock and a reset are sent in their order, numbered without gaps")
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

    @Test("Last-Event-ID returns the missed events, once, and then the new ones")
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

    @Test("A Last-Event-ID that is not a number is refused", arguments: ["x", "-1", "1.5", "18446744073709551616"])
    func wrongNumber(text: String) async throws {
        try await EmulatorUnderTest.run { emulator in
            let answer = try await emulator.call(.GET, "/emulator/v1/events", headers: ["Last-Event-ID": text])
            #expect(answer.status == 422)
            #expect(answer["field"] == .string("Last-Event-ID"))
        }
    }

    private static let listen = "GET /emulator/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

    /// Sends a request whose event has about as many bytes as its body.
    private static func makeEvent(_ bytes: Int, _ emulator: EmulatorUnderTest) async throws {
        let answer = try await emulator.put(String(repeating: "a", count: bytes))
        #expect(answer.status == 400)
    }

    @Test("Listeners that do not read occupy a limited amount of memory each, and are disconnected")
    func silentListeners() async throws {
        let settings = ["auth.clock=virtual", "http.writeTimeout=3s"]
        try await EmulatorUnderTest.run(settings: settings) { emulator in
            let (count, size) = (60, 200_000)
            let silent = try (0..<count).map { _ in
                let connection = try RawConnection(port: emulator.address.port, receiveBuffer: 4_096)
                connection.send(Self.listen)
                return connection
            }
            for _ in 0..<6_000 where emulator.emulator.eventLoad.listeners < count {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(emulator.emulator.eventLoad.listeners == count)
            var most = 0
            for _ in 0..<60 {
                try await Self.makeEvent(size, emulator)
                most = max(most, emulator.emulator.connections.pendingBytes)
            }
            let load = emulator.emulator.eventLoad
            // A writer waits once NIO holds 65,536 bytes. On a busy machine, a second event can be on its way to the event
            // loop before that is known; without the limit it would be sixty events.
            #expect(most <= count * (65_536 + 2 * size + 2_000))
            #expect(most > 0)
            #expect(load.encodings <= 60)
            #expect(load.bytes <= 64 * 1_048_576)
            for _ in 0..<6_000 where emulator.emulator.eventLoad.listeners > 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(emulator.emulator.eventLoad.listeners == 0)
            #expect(emulator.emulator.connections.pendingBytes == 0)
            #expect(silent.count == count)
        }
    }

    @Test("A listener that falls behind the stored events is informed, and can resume with the stored ones")
    func dropped() async throws {
        let settings = ["auth.clock=virtual", "http.writeTimeout=1h"]
        try await EmulatorUnderTest.run(settings: settings) { emulator in
            let slow = try RawConnection(port: emulator.address.port, receiveBuffer: 4_096)
            slow.send(Self.listen)
            for _ in 0..<6_000 where emulator.emulator.eventLoad.listeners == 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
            // 64 MiB are stored; the sockets buffer some more.
            for _ in 0..<110 { try await Self.makeEvent(1_000_000, emulator) }
            let seen = await slow.receive(silence: 60_000) { $0.hasSuffix("0\r\n\r\n") }.text
            // Split by bytes, because the text has about 60 MiB.
            let lines = seen.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0.prefix(100))) }
            let dropped = try #require(lines.firstIndex(of: "event: dropped"))
            #expect(lines[dropped + 1].hasPrefix(#"data: {"events":"#))
            #expect(lines.count { $0 == "event: dropped" } == 1)
            let ids = lines.filter { $0.hasPrefix("id: ") }.compactMap { UInt64($0.dropFirst(4)) }
            let last = try #require(ids.last)
            #expect(ids == Array(1...last))
            #expect(last < 100)

            let back = try RawConnection(port: emulator.address.port)
            back.send(
                "GET /emulator/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nLast-Event-ID: \(last)\r\n\r\n"
            )
            let missed = await back.receive(silence: 60_000) { $0.contains("id: 110\n") }.text
            #expect(missed.contains("event: missed"))
            #expect(missed.contains("id: 110\n"))
        }
    }

    @Test("A stopping emulator ends the streams and does not wait for listeners", .timeLimit(.minutes(10)))
    func shutdown() async throws {
        try await EmulatorUnderTest.run { emulator in
            let listener = try await Listener(emulator)
            await emulator.stop()
            #expect(try await listener.next() == nil)
        }
    }
}
