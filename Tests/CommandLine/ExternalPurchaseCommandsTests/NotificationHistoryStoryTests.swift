import Foundation
import Testing

@Suite("Notifications that got lost, with both sides as they are run", .serialized)
struct NotificationHistoryStoryTests {
    /// A token whose making is notified of.
    private static var services: [String: Any] {
        ["tokenType": "SERVICES", "creationDate": 1_795_176_000_000, "expirationDate": 1_826_712_000_000]
    }

    /// The subtypes that the server has of a token, with how each came.
    private func known(_ id: String, by server: RunningServer) async throws -> [String: String] {
        let list = try await HTTP.get(server.url + "/v1/notifications").json["notifications"] as? [[String: Any]] ?? []
        var known: [String: String] = [:]
        for notification in list where notification["externalPurchaseId"] as? String == id {
            known[notification["subtype"] as? String ?? ""] = notification["arrival"] as? String
        }
        return known
    }

    private func wait(for subtypes: [String], about id: String, by server: RunningServer) async throws {
        var found: [String: String] = [:]
        for _ in 0..<6_000 {
            found = try await known(id, by: server)
            if found.keys.sorted() == subtypes { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(found.keys.sorted() == subtypes)
        #expect(Set(found.values) == ["history"])
    }

    @Test("What was sent while the server was down is found at its start, and followed (NT-68, NT-71, NT-84)")
    func atStart() async throws {
        let sides = try await TwoSides()
        sides.server.terminate()
        let (_, id) = try await sides.mint()
        var others: [String] = []
        // More than one page of 20.
        for _ in 0..<24 { others.append(try await sides.mint(Self.services).id) }
        try await sides.advance(days: 10.01)
        // Another port: no delivery that is tried again can reach it.
        let again = try await TwoSides.serve(config: sides.config, database: sides.database, emulator: sides.emulator)
        try await wait(for: ["UNREPORTED"], about: id, by: again)
        try await wait(for: ["CREATED"], about: try #require(others.last), by: again)
        let token = try await HTTP.get(again.url + "/v1/tokens/\(id)")
        #expect((token.json["firstSeen"] as? [String: Any])?["source"] as? String == "notification")
        try await sides.advance(days: 1.1)
        try await sides.expect(id, "UNRECOGNIZED_TOKEN", "what follows from a found notification follows too")
    }

    @Test("A running server asks again every history.every (NT-68)")
    func whileRunning() async throws {
        let sides = try await TwoSides(settings: "history.every: 1h")
        let app: [String: Any] = ["appAppleId": 1_234_567_890, "notificationURL": "http://127.0.0.1:9/nobody"]
        #expect(
            try await HTTP.send("PUT", sides.emulator.url + "/emulator/v1/apps/\(TwoSides.bundleId)", app).status == 200
        )
        let (_, first) = try await sides.mint(Self.services)
        try await sides.advance(days: 0.1)
        try await wait(for: ["CREATED"], about: first, by: sides.server)
        // Made after the reading that brought the first: only another one can bring it.
        let now = 1_795_176_000_000 + 8_640_000
        let (_, second) = try await sides.mint([
            "tokenType": "SERVICES", "creationDate": now, "expirationDate": now + 31_536_000_000,
        ])
        try await sides.advance(days: 0.1)
        try await wait(for: ["CREATED"], about: second, by: sides.server)
    }
}
