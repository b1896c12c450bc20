import Foundation
import Testing

@Suite("`ledger sale`, as the command is run", .serialized)
struct SaleChangeStoryTests {
    @Test("A sale is amended and voided in the database of a stopped server; a running one is asked over HTTP")
    func commandLine() async throws {
        let sides = try await TwoSides(settings: "reporting.send: off")
        let sale: [String: Any] = [
            "saleId": "order/1", "bundleId": "com.example.shop", "type": "purchase",
            "occurredAt": "2026-11-20T11:00:00Z", "customerId": "c-1", "productId": "gems.100", "quantity": 1,
            "amount": TwoSides.money("9.99"),
        ]
        _ = try await sides.sell(sale)
        let options = [
            "--by", "kim", "--config", sides.config, "--database", "sqlite:\(sides.database)", "--at",
            "2026-11-20T12:30:00Z",
        ]
        let void = ["ledger", "sale", "void", "order/1", "--reason", "never paid"]
        let busy = try await BuiltBinary.run(void + options)
        #expect(busy.exitCode == 3)
        #expect(busy.error.contains("/v1/sales"), "\(busy.error)")
        #expect(sides.server.terminate() == 0)

        var right = sale
        right["customerId"] = "c-2"
        let body = try JSONSerialization.data(withJSONObject: right)
        let amended = try await BuiltBinary.run(
            ["ledger", "sale", "amend", "-", "--reason", "a slip", "--format", "json"] + options,
            input: body
        )
        #expect(amended.exitCode == 0, "\(amended.error)")
        #expect(amended.json?["state"] as? String == "held")
        let unknown = try await BuiltBinary.run(["ledger", "sale", "void", "x", "--reason", "y"] + options)
        #expect(unknown.exitCode == 2)
        #expect(unknown.error.contains("no sale"), "\(unknown.error)")
        let nameless = try await BuiltBinary.run(
            ["ledger", "sale", "void", "x", "--reason", "y"] + options.dropFirst(2)
        )
        #expect(nameless.exitCode == 2)
        for _ in 0..<2 {
            let voided = try await BuiltBinary.run(void + options)
            #expect(voided.exitCode == 0, "\(voided.error)")
            #expect(voided.output == "order/1: void\n")
        }
        let audit = try await BuiltBinary.run(["ledger", "audit", "--database", "sqlite:\(sides.database)"])
        let entries = audit.output.split(separator: "\n").filter { $0.contains("sale-corrected") }
        #expect(entries.count == 2)
        #expect(entries.last?.contains("never paid") == true)
        let verified = try await BuiltBinary.run(["ledger", "verify", "--database", "sqlite:\(sides.database)"])
        #expect(verified.exitCode == 0)

        // An id with a slash, in the path of a running server.
        let restarted = try await TwoSides.serve(
            config: sides.config,
            database: sides.database,
            emulator: sides.emulator
        )
        let again = try await HTTP.send(
            "POST",
            restarted.url + "/v1/sales/order%2F1/void",
            ["by": "kim", "reason": "again"]
        )
        #expect(again.status == 200, "\(again.json)")
        #expect(again.json["state"] as? String == "void")
        #expect(restarted.terminate() == 0)
    }
}
