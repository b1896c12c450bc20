import Foundation
import Testing

@Suite("What makes a token confirmed, with both sides as they are run", .serialized)
struct TokenStateStoryTests {
    /// The state of a token at the server, once it is this or after the time for it.
    private func state(_ sides: TwoSides, _ id: String, until wanted: String) async throws -> String? {
        var state: String?
        for _ in 0..<6_000 {
            state = try await HTTP.get(sides.server.url + "/v1/tokens/\(id)").json["state"] as? String
            if state == wanted { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        return state
    }

    /// Waits until Apple's side has tried to deliver every notification.
    private func attempted(_ sides: TwoSides) async throws {
        for _ in 0..<6_000 {
            let list = try await HTTP.get(sides.emulator.url + "/emulator/v1/notifications").list
            let attempts = list.map { ($0["sendAttempts"] as? [Any])?.count ?? 0 }
            if !attempts.isEmpty, !attempts.contains(0) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("a notification was not sent")
    }

    @Test("A token is unconfirmed until Apple accepts a report with it or a signed notification names it (TK-72)")
    func confirmation() async throws {
        let sides = try await TwoSides()
        let (sold, soldId) = try await sides.mint()
        let (named, namedId) = try await sides.mint()
        let (idle, idleId) = try await sides.mint()
        for token in [sold, named, idle] { try await sides.deliver(token) }
        for id in [soldId, namedId, idleId] {
            #expect(try await state(sides, id, until: "unconfirmed") == "unconfirmed")
        }
        _ = try await sides.sell([
            "saleId": "one", "type": "purchase", "occurredAt": "2026-11-20T12:00:00Z", "externalPurchaseId": soldId,
            "productId": "gems", "quantity": 1, "amount": TwoSides.money("9.99"),
        ])
        #expect(try await state(sides, soldId, until: "confirmed") == "confirmed")

        // The same words in a message that is not signed as Apple's confirm nothing.
        let order: [String: Any] = ["externalPurchaseId": namedId, "subtype": "CREATED"]
        let damaged = order.merging(["damage": "leaf-marker-missing"]) { first, _ in first }
        let path = sides.emulator.url + "/emulator/v1/notifications"
        #expect(try await HTTP.send("POST", path, damaged).status == 201)
        try await attempted(sides)
        #expect(try await state(sides, namedId, until: "unconfirmed") == "unconfirmed")
        #expect(try await HTTP.send("POST", path, order).status == 201)
        #expect(try await state(sides, namedId, until: "confirmed") == "confirmed")
        #expect(try await sides.status(namedId) == nil)
        #expect(try await state(sides, idleId, until: "unconfirmed") == "unconfirmed")
    }
}
