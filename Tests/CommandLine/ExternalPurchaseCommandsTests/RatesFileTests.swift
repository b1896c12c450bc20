import CommandSupport
import ExternalPurchaseCore
import Foundation
import Reporting
import Testing

@testable import ExternalPurchaseCommands

@Suite("The file of exchange rates (RR-48)", .serialized)
struct RatesFileTests {
    private static let header = "date,from,to,rate,source"

    @Test(
        "A wrong file is refused with its line",
        arguments: [
            ("", "is empty; its first line is date,from,to,rate,source"),
            ("date,from,rate\n", ":1: has no column to, source"),
            ("\(header)\n20.11.2026,ISK,EUR,0.0069,Bloomberg\n", ":2: date: is no date such as 2026-11-20"),
            ("\(header)\n2026-11-20,ISX,EUR,0.0069,Bloomberg\n", ":2: from: is not a currency of ISO 4217"),
            ("\(header)\n2026-11-20,ISK,GBP,0.0069,Bloomberg\n", ":2: to: is neither EUR nor USD"),
            ("\(header)\n2026-11-20,ISK,EUR,\"0,0069\",Bloomberg\n", ":2: rate: is no decimal above 0"),
            ("\(header)\n2026-11-20,ISK,EUR,0,Bloomberg\n", ":2: rate: is no decimal above 0"),
            ("\(header)\n2026-11-20,ISK,EUR,0.1234567890123,Bloomberg\n", ":2: rate: is no decimal above 0"),
            ("\(header)\n2026-11-20,ISK,EUR,0.0069,\n", ":2: source: has no text"),
            (
                "\(header)\n2026-11-20,ISK,EUR,0.0069,B\n2026-11-20T00:00:00Z,ISK,EUR,0.007,B\n",
                ":3: date: has another rate from ISK to EUR"
            ),
            ("\(header)\n2026-11-20,ISK\n", ":2: has 2 fields, fewer than the header"),
        ]
    )
    func wrong(_ text: String, _ message: String) throws {
        let scratch = try ScratchFolder()
        let path = try scratch.write(text, to: "rates.csv")
        let error = #expect(throws: CommandFailure.self) { _ = try RatesFile.read(path) }
        #expect(
            error?.message?.hasPrefix(path + (message.hasPrefix(":") ? "" : ": ") + message) == true,
            "\(error as Any)"
        )
    }

    @Test("Columns in any order, dates and times, the same rate twice")
    func right() throws {
        let scratch = try ScratchFolder()
        let path = try scratch.write(
            """
            rate;to;from;date;source;note
            0.0069;EUR;ISK;2026-11-20;Bloomberg;
            0.0069;EUR;ISK;2026-11-20;Bloomberg;again
            0.0241;USD;UAH;2026-11-20T16:00:00+01:00;Bloomberg;

            """,
            to: "rates.csv"
        )
        let table = try RatesFile.read(path)
        #expect(table.count == 2)
        #expect(table.newest?.description == "2026-11-20T15:00:00Z")
    }

    @Test("A running server reads the file again: wrong rates change nothing, a held sale goes on when its rate comes")
    func changes() async throws {
        let setup = try await ServerUnderTest()
        let config = try String(contentsOfFile: setup.config, encoding: .utf8)
        _ = try setup.scratch.write(config + "\nrates: {file: rates.csv}\n", to: "serve.yaml")
        _ = try setup.scratch.write("\(Self.header)\n2026-11-20,KWD,EUR,2.9,Bloomberg\n", to: "rates.csv")
        let server = try await RunningServer(setup.arguments)
        func post(_ id: String, _ currency: String) async throws -> NSDictionary {
            let body: [String: Any] = [
                "saleId": id, "bundleId": ServerUnderTest.bundleId, "type": "purchase",
                "occurredAt": "2026-11-20T12:00:00Z", "productId": "gems.100", "quantity": 1,
                "amount": ["currency": currency, "inclusive": "10", "taxRate": "24", "taxCountry": "ISL"],
            ]
            return NSDictionary(dictionary: try await HTTP.send("POST", server.url + "/v1/sales", body).json)
        }
        #expect(try await post("a", "KWD")["reportingCurrency"] as? String == "EUR")
        #expect((try await post("b", "ISK")["flags"] as? [String])?.contains("no-exchange-rate") == true)
        func wait(_ what: String, for isDone: () async throws -> Bool) async throws {
            for _ in 0..<3_000 {
                if try await isDone() { return }
                try await Task.sleep(for: .milliseconds(100))
            }
            Issue.record("\(what) did not happen")
        }
        func problems() async throws -> String {
            String(decoding: try await HTTP.get(server.url + "/health/ready").body, as: UTF8.self)
        }
        _ = try setup.scratch.write("\(Self.header)\n2026-11-20,ISK,EUR,much,Bloomberg\n", to: "rates.csv")
        try await wait("the fault in /health/ready") { try await problems().contains(#""check":"rates""#) }
        #expect(try await post("c", "KWD")["reportingCurrency"] as? String == "EUR")
        _ = try setup.scratch.write("\(Self.header)\n2026-11-20,ISK,EUR,0.0069,Bloomberg\n", to: "rates.csv")
        try await wait("the rate of the held sale") {
            try await HTTP.get(server.url + "/v1/sales/b").json["reportingCurrency"] as? String == "EUR"
        }
        let ready = try await problems()
        #expect(!ready.contains("rates"), "\(ready)")
        #expect(server.terminate() == 0)
        // At the start, a wrong file is an error.
        _ = try setup.scratch.write("date,from\n", to: "rates.csv")
        let refused = try await BuiltBinary.run(setup.arguments)
        #expect(refused.exitCode == 2)
        #expect(
            refused.error.contains("rates.file") && refused.error.contains("has no column to, rate, source"),
            "\(refused.error)"
        )
    }
}
