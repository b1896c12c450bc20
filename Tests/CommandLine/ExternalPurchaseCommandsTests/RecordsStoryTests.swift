import Crypto
import Foundation
import Testing

/// The records of a merchant as they are kept, handed out and thrown away, by the built program.
@Suite("Records, as the program keeps them", .serialized)
struct RecordsStoryTests {
    private static func files(of sides: TwoSides, with text: String) throws -> [String] {
        let wanted = Data(text.utf8)
        return try FileManager.default.contentsOfDirectory(atPath: sides.scratch.url.path).sorted().filter { name in
            guard name.hasPrefix("ledger.sqlite") else { return false }
            return try Data(contentsOf: sides.scratch.url.appending(path: name)).range(of: wanted) != nil
        }
    }

    static func ledger(_ sides: TwoSides, _ arguments: String...) async throws -> BuiltBinary.Result {
        try await BuiltBinary.run(
            ["ledger"] + arguments + ["--database", sides.address, "--config", sides.config]
        )
    }

    static func purchase(_ id: String, on token: String?, more: [String: Any] = [:]) -> [String: Any] {
        var sale: [String: Any] = [
            "saleId": id, "type": "purchase", "occurredAt": "2026-11-20T12:00:00Z", "productId": "gems", "quantity": 1,
            "amount": TwoSides.money("9.99"),
        ]
        sale["externalPurchaseId"] = token
        return sale.merging(more) { $1 }
    }

    private static func charge(_ id: String, _ start: String, _ end: String) -> [String: Any] {
        [
            "saleId": id, "type": "subscription", "subscriptionId": "plus", "occurredAt": start, "customerId": "",
            "productId": "plus.monthly", "period": ["start": start, "end": end], "amount": TwoSides.money("4.99"),
        ]
    }

    /// Waits until the server says that of a sale.
    static func expect(_ sides: TwoSides, sale: String, standing: String) async throws {
        var found: String?
        for _ in 0..<6_000 {
            let sales = try await HTTP.get(sides.server.url + "/v1/sales").json["sales"] as? [[String: Any]]
            found = sales?.first { $0["saleId"] as? String == sale }?["standing"] as? String
            if found == standing { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(found == standing, "\(sale)")
    }

    @Test("An erased id is in no byte of the ledger; figures, chain and the open subscription go on (OB-92, OB-93)")
    func erasure() async throws {
        let sides = try await TwoSides(programmes: "eu-custom-link")
        let person = "anna-5f0c9a77-private"
        let (token, id) = try await sides.mint()
        try await sides.deliver(token, customer: person)
        var start = Self.charge("sub-1", "2026-11-20T12:00:00Z", "2026-12-20T12:00:00Z")
        start["customerId"] = person
        start["externalPurchaseId"] = id
        _ = try await sides.sell(start)
        _ = try await sides.sell(Self.purchase("one", on: id, more: ["customerId": person]))
        try await Self.expect(sides, sale: "one", standing: "reported")
        let month = sides.server.url + "/v1/exports/2026-11.csv?programme=eu-2026-10"
        #expect(try await String(decoding: HTTP.get(month).body, as: UTF8.self).contains(",reported,"))
        let export = try await HTTP.get(month).body
        let reports = try await HTTP.get(sides.server.url + "/v1/reports").body
        #expect(try !Self.files(of: sides, with: person).isEmpty)
        let head = try #require(try await Self.ledger(sides, "verify", "--format", "json").json?["head"] as? String)

        func erase(_ customer: String) async throws -> HTTP.Answer {
            let body = ["bundleId": TwoSides.bundleId, "customerId": customer]
            return try await HTTP.send("POST", sides.server.url + "/v1/erasures", body)
        }
        let erased = try await erase(person)
        #expect(erased.status == 200, "\(erased.json)")
        let pseudonym = try #require(erased.json["pseudonym"] as? String)
        #expect(try Self.files(of: sides, with: person) == [])
        #expect(try await HTTP.get(month).body == export)
        #expect(try await HTTP.get(sides.server.url + "/v1/reports").body == reports)
        let verified = try await Self.ledger(sides, "verify", "--head", head)
        #expect(verified.exitCode == 0, "\(verified.output)")
        #expect(try await erase(person).status == 404)
        // The pseudonym is nobody's id.
        #expect(try await erase(pseudonym).status == 404)
        #expect(try await HTTP.send("POST", sides.server.url + "/v1/erasures", ["bundleId": "com.other"]).status == 422)

        // The same sale and token again change nothing, and do not bring the id back.
        start["bundleId"] = TwoSides.bundleId
        #expect(try await HTTP.send("POST", sides.server.url + "/v1/sales", start).status == 200)
        try await sides.deliver(token, customer: person)
        #expect(try Self.files(of: sides, with: person) == [])

        // A renewal that names the id is of a new customer; it is reported where its subscription is.
        try await sides.advance(days: 31)
        var renewal = Self.charge("sub-2", "2026-12-20T12:00:00Z", "2027-01-20T12:00:00Z")
        renewal["customerId"] = person
        let taken = try await sides.sell(renewal)
        #expect(taken["externalPurchaseId"] as? String == id)
        try await Self.expect(sides, sale: "sub-2", standing: "reported")
        #expect(try await sides.items()["sub-2"]?["subscriptionEvent"] as? String == "RENEWAL")
        #expect(try await HTTP.get(sides.server.url + "/v1/tokens/\(id)").json["customerId"] as? String == pseudonym)

        // The command does the same once the server is gone.
        let busy = try await Self.ledger(sides, "erase", "--bundle-id", TwoSides.bundleId, "--customer", person)
        #expect(busy.exitCode == 3 && busy.error.contains("/v1/erasures"), "\(busy.error)")
        sides.server.terminate()
        #expect(try !Self.files(of: sides, with: person).isEmpty)
        let second = try await Self.ledger(sides, "erase", "--bundle-id", TwoSides.bundleId, "--customer", person)
        #expect(second.exitCode == 0, "\(second.error)")
        #expect(try Self.files(of: sides, with: person) == [])
        let third = try await Self.ledger(sides, "erase", "--bundle-id", TwoSides.bundleId, "--customer", person)
        #expect(third.exitCode == 1, "\(third.error)")
        #expect(try await Self.ledger(sides, "verify", "--head", head).exitCode == 0)
    }

    @Test("A month is handed in by hand: then its sales are in no report, until it is taken back (OB-61 to OB-63)")
    func manualSubmission() async throws {
        let sides = try await TwoSides(programmes: "eu-custom-link")
        let address = sides.server.url + "/v1/exports/2026-11"
        func say(_ what: String, _ body: [String: Any]) async throws -> HTTP.Answer {
            try await HTTP.send("POST", "\(address)/\(what)", body)
        }
        let word = ["programme": "eu-2026-10", "on": "2026-11-20", "by": "kim", "reference": "case 17"]
        let nothing = try await say("submitted", word)
        #expect(nothing.status == 409, "\(nothing.json)")
        _ = try await sides.sell(Self.purchase("alone", on: nil, more: ["checkoutId": "k-1"]))
        let future = try await say("submitted", word.merging(["on": "2026-11-21"]) { $1 })
        #expect(future.status == 422 && (future.json["detail"] as? String)?.contains("/on") == true)
        let early = try await say("submitted", word.merging(["on": "2026-11-19"]) { $1 })
        let before = #"/on: is before the sale "alone", of 2026-11-20"#
        #expect(early.status == 422 && early.json["detail"] as? String == before, "\(early.json)")
        #expect(try await say("submitted", ["on": "yesterday"]).status == 422)
        let made = try await say("submitted", word)
        #expect(made.status == 201, "\(made.json)")
        #expect(made.json["sales"] as? [String] == ["alone"])
        let exportId = try #require(made.json["exportId"] as? String)
        let again = try await say("submitted", word)
        #expect(again.status == 200 && again.json["exportId"] as? String == exportId)

        func line() async throws -> String {
            let csv = try await HTTP.get(address + ".csv?programme=eu-2026-10").body
            return String(decoding: csv, as: UTF8.self).split(separator: "\r\n").dropFirst().joined()
        }
        #expect(try await line().contains(",reported-by-hand,"))
        #expect(try await line().contains(",case 17,"))

        // The token turns up after all: the sale stays where it is.
        let (token, id) = try await sides.mint()
        let body = ["token": token, "checkoutId": "k-1"]
        #expect(try await HTTP.send("POST", sides.server.url + "/v1/tokens", body).status == 201)
        try await sides.advance(days: 9.5)
        try await sides.expect(id, "NO_LINE_ITEM")
        #expect(try await sides.items()["alone"] == nil)

        // What refers to it goes by hand too: Apple knows no line item that a refund could name.
        _ = try await sides.sell([
            "saleId": "back", "type": "refund", "refundOf": "alone", "occurredAt": "2026-11-25T12:00:00Z",
            "amount": ["inclusive": "1.21"],
        ])
        try await Self.expect(sides, sale: "back", standing: "held")
        #expect(try await line().contains(",no-token,manual,"))

        #expect(try await say("withdrawn", ["exportId": exportId, "by": "lee"]).status == 422)
        #expect(try await say("withdrawn", ["exportId": "none", "by": "lee", "reason": "x"]).status == 404)
        let back = try await say("withdrawn", ["exportId": exportId, "by": "lee", "reason": "a token came"])
        #expect(back.status == 200 && back.json["sales"] as? [String] == ["alone"], "\(back.json)")
        try await sides.expect(id, "LINE_ITEM")
        #expect(try await sides.items()["alone"] != nil)
        for sale in ["alone", "back"] { try await Self.expect(sides, sale: sale, standing: "reported") }
        #expect(try await line().contains(",reported,"))
        // What is reported cannot be handed in, and what was taken back does not come back.
        #expect(try await say("submitted", word.merging(["reference": "case 18"]) { $1 }).status == 409)
        let list = try await HTTP.get(sides.server.url + "/v1/exports").json["exports"] as? [[String: Any]]
        #expect((list?.first?["withdrawn"] as? [String: Any])?["reason"] as? String == "a token came")
        let audit = try await Self.ledger(sides, "audit").output
        for kind in ["export-made", "export-handed-in", "export-withdrawn"] {
            #expect(audit.contains("\"kind\":\"\(kind)\""), "\(kind)")
        }
    }

    @Test("The command hands in, takes back and enters invoices while no server runs (OB-62, OB-80, OB-81)")
    func manualSubmissionAndInvoiceByCommand() async throws {
        let sides = try await TwoSides(programmes: "eu-custom-link")
        let (token, id) = try await sides.mint()
        try await sides.deliver(token)
        _ = try await sides.sell(Self.purchase("one", on: id))
        _ = try await sides.sell(Self.purchase("alone", on: nil))
        try await Self.expect(sides, sale: "one", standing: "reported")
        let moment = ["--at", "2026-12-31T00:00:00Z"]
        func run(_ arguments: [String]) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(
                ["ledger"] + arguments
                    + ["--database", "sqlite:\(sides.database)", "--config", sides.config] + moment
            )
        }
        let manualSubmission = [
            "submitted", "2026-11", "--programme", "eu-2026-10", "--on", "2026-12-10", "--by", "kim", "--reference",
            "c-1",
        ]
        #expect(try await run(manualSubmission).exitCode == 3)
        sides.server.terminate()
        for (day, words) in [
            ("2026-01-01", #"--on: is before the sale "alone", of 2026-11-20"#),
            ("2027-01-01", "--on: lies in the future; today is 2026-12-31"),
        ] {
            let refused = try await run(manualSubmission.map { $0 == "2026-12-10" ? day : $0 })
            #expect(refused.exitCode == 2 && refused.error.contains(words), "\(refused.error)")
        }
        let done = try await run(manualSubmission + ["--format", "json"])
        #expect(done.exitCode == 0, "\(done.error)")
        #expect(done.json?["sales"] as? [String] == ["alone"])
        let exportId = try #require(done.json?["exportId"] as? String)
        #expect(try await run(["submitted", "2026-11", "--by", "kim", "--undo", exportId]).exitCode == 2)
        func undo(_ month: String, _ more: [String] = []) async throws -> BuiltBinary.Result {
            try await run(["submitted", month, "--by", "kim", "--undo", exportId, "--reason", "twice"] + more)
        }
        let other = try await undo("2026-12")
        #expect(other.exitCode == 1 && other.error.contains(#"of "2026-12""#), "\(other.error)")
        // The id names the programme, which may be said too.
        let foreign = try await undo("2026-11", ["--programme", "eu-2025-06"])
        #expect(foreign.exitCode == 1 && foreign.error.contains(#"of "eu-2025-06" of "2026-11""#), "\(foreign.error)")
        let undone = try await undo("2026-11", ["--programme", "eu-2026-10"])
        #expect(undone.exitCode == 0, "\(undone.error)")

        // EUR 9.99 with 21 % tax is 8.256 without it; nothing tells the flow, so there is no estimate of it.
        let add = [
            "invoice", "add", "2026-11", "--programme", "eu-2026-10", "--invoice", "A-1", "--issued-on", "2026-12-15",
            "--currency", "EUR", "--amount", "1.50", "--by", "kim",
        ]
        #expect(try await run(add).exitCode == 0)
        #expect(try await run(add).output.contains("before"))
        let changed = try await run(add.map { $0 == "1.50" ? "1.60" : $0 })
        #expect(changed.exitCode == 1 && changed.error.contains("1.50 EUR of 2026-12-15"), "\(changed.error)")
        #expect(try await run(add.map { $0 == "1.50" ? "1,60" : $0 }).exitCode == 2)
        for (right, wrong, words) in [
            ("2026-12-15", "2026-11-01", "--issued-on 2026-11-01: 2026-11-01 is before the end of"),
            ("2026-12-15", "2206-12-15", "too far in the future"), ("eu-2026-10", "jp", "jp is not a programme of"),
        ] {
            let refused = try await run(add.map { $0 == right ? wrong : $0 })
            #expect(refused.exitCode == 2 && refused.error.contains(words), "\(refused.error)")
        }
        let second = add.map { $0 == "A-1" ? "A-2" : $0 == "1.50" ? "0.00" : $0 }
        let parts = second + ["--surcharge", "0.15", "--tax", "0.35"]
        let total = try await run(parts + ["--total", "0.51"])
        #expect(total.exitCode == 2)
        #expect(
            total.error.contains(
                "--total 0.51: is not the sum of amount, surcharge and tax: 0.00 + 0.15 + 0.35 is 0.50"
            ),
            "\(total.error)"
        )
        let whole = parts + ["--total", "0.50", "--due-on", "2027-01-14", "--purchase-order", "PO-7"]
        #expect(try await run(whole).exitCode == 0)
        let shown = try await run(["invoice", "2026-11", "--programme", "eu-2026-10", "--format", "json"])
        let money = try #require((shown.json?["money"] as? [[String: Any]])?.first, "\(shown.error)")
        #expect(money["currency"] as? String == "EUR")
        #expect(money["reportedNet"] as? String == "8.256")
        #expect(money["invoiced"] as? String == "1.50")
        // No line has an estimate, which is not the estimate 0.
        #expect(money["estimate"] is NSNull)
        #expect(money["unknownEstimates"] as? Int == 2)
        #expect(money["difference"] is NSNull)
        let words = try await run(["invoice", "2026-11", "--programme", "eu-2026-10"])
        #expect(words.output.contains("estimate – without 2 lines that have none"), "\(words.output)")
        let sums = "invoiced 1.50, difference –, surcharge 0.15, tax 0.35, total 2.00"
        #expect(words.output.contains(sums), "\(words.output)")
        // Thirty days from the invoice of 15 December.
        #expect((shown.json?["payment"] as? [String: Any])?["due"] as? String == "2027-01-14")
    }

    @Test("The archive opens with tar, holds what was sent byte by byte and no key, and comes out alike (OB-93, OB-94)")
    func archive() async throws {
        let sides = try await TwoSides(programmes: "eu-custom-link", more: "alerts: {every: 1s}")
        let person = "berta-41d8-private"
        let (token, id) = try await sides.mint([
            "tokenType": "SERVICES", "creationDate": 1_795_176_000_000, "expirationDate": 1_826_712_000_000,
        ])
        try await sides.deliver(token, customer: person)
        _ = try await sides.sell(Self.purchase("one", on: id, more: ["customerId": person]))
        _ = try await sides.sell(Self.purchase("=cmd()", on: nil))
        try await Self.expect(sides, sale: "one", standing: "reported")
        let sent = try #require(
            try await HTTP.get(sides.emulator.url + "/emulator/v1/requests").list
                .first { $0["method"] as? String == "PUT" && $0["status"] as? Int == 200 }?["body"] as? String
        )
        try await sides.advance(days: 1)
        for _ in 0..<6_000 {
            let known = try await HTTP.get(sides.server.url + "/v1/notifications").json["notifications"] as? [Any]
            if known?.isEmpty == false { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        // The held sale comes to wait for a person, which is an entry that names no app.
        for _ in 0..<6_000 {
            if try await Self.ledger(sides, "audit", "--filter", "kind=escalated").output.contains("escalated") {
                break
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        let archive = sides.scratch.url.appending(path: "records.tar").path
        func make(_ path: String) async throws -> BuiltBinary.Result {
            try await Self.ledger(
                sides,
                "archive",
                "--from",
                "2026-10",
                "--through",
                "2026-12",
                "--output",
                path,
                "--format",
                "json"
            )
        }
        let made = try await make(archive)
        #expect(made.exitCode == 0, "\(made.error)")
        #expect(made.json?["tokens"] as? Int == 1 && made.json?["sales"] as? Int == 2)
        let other = sides.scratch.url.appending(path: "again.tar").path
        _ = try await make(other)
        let bytes = try Data(contentsOf: URL(filePath: archive))
        #expect(try Data(contentsOf: URL(filePath: other)) == bytes)
        #expect(bytes.count % 512 == 0)

        let folder = sides.scratch.url.appending(path: "unpacked")
        try TarArchive.unpack(archive, into: folder)
        func file(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }
        func text(_ name: String) throws -> String { String(decoding: try file(name), as: UTF8.self) }
        let report = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "reports/production").path)
                .first { $0.hasSuffix(".json") }
        )
        #expect(try file("reports/production/\(report)") == Data(sent.utf8))
        #expect(try text("tokens.csv").contains(id))
        #expect(try text("tokens.csv").contains(token))
        #expect(try text("sales.csv").contains("'=cmd()"))
        #expect(try text("sale-versions.csv").contains("arrived"))
        #expect(try text("line-items.csv").contains("accepted"))
        #expect(try text("notifications.csv").contains("CREATED"))
        #expect(try text("customers.csv").contains("customer-"))
        #expect(try text("exports/eu-2026-10-2026-11.csv").contains("no-token"))

        // No key and no caller's id, in whatever form.
        let key = try String(contentsOfFile: Keys(folder: sides.scratch.url).keyFile, encoding: .utf8)
        for line in key.split(separator: "\n") where !line.hasPrefix("-----") {
            #expect(bytes.range(of: Data(line.utf8)) == nil)
        }
        #expect(bytes.range(of: Data("PRIVATE KEY".utf8)) == nil)
        #expect(bytes.range(of: Data(person.utf8)) == nil)

        // The chain, followed with another implementation of the hash.
        var previous = Data(repeating: 0, count: 32)
        for line in try text("audit-log.jsonl").split(separator: "\n") {
            let entry = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let (sequence, time) = (
                try #require(entry["sequence"] as? Int), try #require(entry["milliseconds"] as? Int)
            )
            let (kind, content) = (entry["kind"] as? String ?? "", try #require(entry["content"] as? String))
            var hash = Crypto.SHA256()
            hash.update(data: previous)
            hash.update(data: Data("\(sequence)\n\(time)\n\(kind)\n\(content)".utf8))
            previous = Data(hash.finalize())
            #expect(entry["hash"] as? String == previous.map { String(format: "%02x", $0) }.joined())
        }
        #expect(
            (made.json?["head"] as? String)?.hasSuffix(previous.map { String(format: "%02x", $0) }.joined()) == true
        )
        for wrong in [("2026-12", "2026-10"), ("2026-13", "2026-14"), ("november", "december")] {
            let result = try await Self.ledger(
                sides,
                "archive",
                "--from",
                wrong.0,
                "--through",
                wrong.1,
                "--output",
                archive
            )
            #expect(result.exitCode == 2)
        }
    }

    @Test("Nothing goes by itself in years; a purge takes what is over and leaves the rest whole (OB-90, OB-91, NT-67)")
    func purge() async throws {
        let sides = try await TwoSides(now: "2020-03-01T12:00:00Z")
        func expires(_ day: Int) -> [String: Any] {
            // 2020-03-01T12:00:00Z and a year later.
            ["tokenType": "SERVICES", "creationDate": 1_583_064_000_000, "expirationDate": 1_614_600_000_000 + day]
        }
        let (old, oldId) = try await sides.mint(expires(0))
        let (live, liveId) = try await sides.mint(expires(1))
        try await sides.deliver(old, customer: "over")
        try await sides.deliver(live, customer: "goes on")
        let date = ["occurredAt": "2020-03-01T12:00:00Z"]
        _ = try await sides.sell(Self.purchase("one", on: oldId, more: date))
        var start = Self.charge("sub-1", "2020-03-01T12:00:00Z", "2030-03-01T12:00:00Z")
        start["customerId"] = "goes on"
        start["externalPurchaseId"] = liveId
        _ = try await sides.sell(start)
        for sale in ["one", "sub-1"] { try await Self.expect(sides, sale: sale, standing: "reported") }
        try await sides.advance(days: 1_000)
        try await Task.sleep(for: .milliseconds(300))
        let tokens = try await HTTP.get(sides.server.url + "/v1/tokens").json["tokens"] as? [[String: Any]]
        #expect(tokens?.count == 2)
        let notifications = try await HTTP.get(sides.server.url + "/v1/notifications").json["notifications"]
        #expect((notifications as? [Any])?.isEmpty == false)
        let head = try #require(try await Self.ledger(sides, "verify", "--format", "json").json?["head"] as? String)
        #expect(try !Self.files(of: sides, with: "\"saleId\":\"one\",\"bundleId\"").isEmpty)

        func purge(_ arguments: String...) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(
                ["ledger", "purge", "--database", "sqlite:\(sides.database)", "--config", sides.config] + arguments
            )
        }
        func counts(_ result: BuiltBinary.Result) -> [String: Int] {
            let removed = result.json?["removed"] as? [[String: Any]] ?? []
            return Dictionary(
                uniqueKeysWithValues: removed.map { ($0["kind"] as? String ?? "", $0["count"] as? Int ?? 0) }
            )
        }
        let young = try await purge("--before", "2099-01-01")
        #expect(young.exitCode == 2 && young.error.contains("3 years"), "\(young.error)")
        let judged = try await purge("--before", "2022-01-01", "--at", "2099-01-01T00:00:00Z")
        #expect(judged.exitCode == 2 && judged.error.contains("by the machine's clock alone"), "\(judged.error)")
        #expect(try await !purge("--help").output.contains("--at "))
        let dry = try await purge("--before", "2022-01-01", "--format", "json")
        #expect(dry.exitCode == 0, "\(dry.error)")
        #expect(counts(dry)["tokens"] == 1 && counts(dry)["sales"] == 1 && counts(dry)["reports"] == 1)
        #expect(counts(dry)["customers"] == 1)
        #expect(try await purge("--before", "2022-01-01", "--confirm", "--by", "kim").exitCode == 3)
        sides.server.terminate()
        #expect(try await purge("--before", "2022-01-01", "--confirm").exitCode == 2)
        let done = try await purge("--before", "2022-01-01", "--confirm", "--by", "kim", "--format", "json")
        #expect(done.exitCode == 0, "\(done.error)")
        #expect(counts(done) == counts(dry))
        #expect(try await Self.ledger(sides, "verify", "--head", head).exitCode == 0)
        let audit = try await Self.ledger(sides, "audit").output
        #expect(audit.contains("\"kind\":\"records-purged\""))
        #expect(audit.contains("\"headSequence\":\(head.prefix { $0 != ":" })"))
        #expect(try Self.files(of: sides, with: "\"saleId\":\"one\",\"bundleId\"") == [])

        // The subscription goes on: what it refers to is there.
        let server = try await TwoSides.serve(config: sides.config, database: sides.database, emulator: sides.emulator)
        let left = try await HTTP.get(server.url + "/v1/tokens").json["tokens"] as? [[String: Any]]
        #expect(left?.map { $0["externalPurchaseId"] as? String } == [liveId])
        let sales = try await HTTP.get(server.url + "/v1/sales").json["sales"] as? [[String: Any]]
        #expect(sales?.map { $0["saleId"] as? String } == ["sub-1"])
        server.terminate()
    }

    @Test("Columns, programmes and Apple's developer programmes come from the configuration (OB-61, OB-71, OB-95)")
    func configuration() async throws {
        let sides = try await TwoSides(programmes: "jp-custom-link")
        let (token, id) = try await sides.mint(["tokenType": "IN_APP"])
        try await sides.deliver(token)
        var money = TwoSides.money("9.99")
        money["taxCountry"] = "JPN"
        _ = try await sides.sell(Self.purchase("one", on: id, more: ["amount": money]))
        try await Self.expect(sides, sale: "one", standing: "reported")
        money["taxRate"] = nil
        _ = try await sides.sell(Self.purchase("untaxed", on: id, more: ["amount": money]))
        let base = try String(contentsOfFile: sides.config, encoding: .utf8)
        func export(_ more: String) async throws -> BuiltBinary.Result {
            let config = try sides.scratch.write(base + "\n" + more, to: "more.yaml")
            return try await BuiltBinary.run([
                "ledger", "export", "2026-11", "--database", "sqlite:\(sides.database)", "--config", config,
            ])
        }
        let mapped = try await export("exports: {columns: {saleId: Order, netAmountTaxExclusive: Net}}")
        #expect(mapped.output == "Order,Net\r\none,8.256\r\nuntaxed,\r\n", "\(mapped.error)")
        let unknown = try await export("exports: {columns: {saleIdd: Order}}")
        #expect(unknown.exitCode == 2 && unknown.error.contains("saleIdd") && unknown.error.contains("\"saleId\""))
        #expect(try await export("exports: {columns: {saleId: A, lineItemId: A}}").exitCode == 2)
        #expect(try await export("exports: {column: {saleId: A}}").exitCode == 2)
        let misspelt = try await export("developerProgrammes: [smallBusinesses]")
        #expect(misspelt.exitCode == 2)
        #expect(
            misspelt.error.contains(
                "one of externalPurchaseLinkAddendum, miniAppsPartner, newsPartner, smallBusiness, smallMarketplace, "
                    + "storeServicesTier1, videoPartner"
            ),
            "\(misspelt.error)"
        )
        #expect(try await export("developerProgrammes: [storeServicesTier1]").exitCode == 0)
        // A rule pack's programme of old that no entry covers would narrow nothing.
        let unused = base.replacing("programmes: [jp-custom-link]", with: "programmes: [us-link]")
        #expect(unused != base)
        let unusedConfig = try sides.scratch.write(unused, to: "unused.yaml")
        let refusedApp = try await BuiltBinary.run([
            "ledger", "export", "2026-11", "--database", "sqlite:\(sides.database)", "--config", unusedConfig,
        ])
        #expect(refusedApp.exitCode == 2)
        #expect(
            refusedApp.error.contains("apps[0].programmes: 'us-link' is not a programme; one of br, br-custom-link"),
            "\(refusedApp.error)"
        )

        // In the app 21 %, for small businesses 10 %, of 8.256.
        let columns = "exports: {columns: {saleId: S, estimate: E}}\n"
        #expect(try await export(columns).output == "S,E\r\none,1.73\r\nuntaxed,\r\n")
        let reduced = try await export(columns + "developerProgrammes: [smallBusiness]")
        #expect(reduced.output == "S,E\r\none,0.83\r\nuntaxed,\r\n", "\(reduced.error)")

        let overlay = try sides.scratch.write(
            """
            {"programmes":[{"id":"jp","deadlineDays":40,"rates":[{"id":"flat","flow":"any","tier":"standard",
            "percent":"50","base":"netOfTax","when":[{"condition":"always"}],
            "confidence":{"level":"assumed"}}]}]}
            """,
            to: "overlay.json"
        )
        let moment = ["--at", "2026-11-21T00:00:00Z"]
        func dryRun(_ file: String, _ more: String...) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(
                ["ledger", "programmes", file, "--database", "sqlite:\(sides.database)", "--config", sides.config]
                    + moment + more
            )
        }
        let run = try await dryRun(overlay, "--format", "json")
        #expect(run.exitCode == 1, "\(run.error)")
        let due = try #require((run.json?["due"] as? [[String: Any]])?.first, "\(run.output)")
        #expect(due["subject"] as? String == "sale untaxed of com.example.shop")
        // 15 days after November, and 40.
        #expect((due["before"] as? String)?.hasPrefix("2026-12-15T23:59:59") == true)
        #expect((due["after"] as? String)?.hasPrefix("2027-01-09T23:59:59") == true)
        let estimates = try #require(run.json?["estimates"] as? [[String: Any]])
        #expect(estimates.map { $0["saleId"] as? String } == ["one"])
        #expect((estimates.first?["before"] as? String)?.hasPrefix("1.73 EUR") == true)
        #expect((estimates.first?["after"] as? String)?.hasPrefix("4.13 EUR") == true)
        // In effect it is what the dry run said, and a dry run against it finds nothing.
        let inEffect = try await export(columns + "programmes: overlay.json")
        #expect(inEffect.output == "S,E\r\none,4.13\r\nuntaxed,\r\n", "\(inEffect.error)")
        let same = try sides.scratch.write(#"{"programmes":[]}"#, to: "same.json")
        #expect(try await dryRun(same).output == "nothing would change\n")
        let broken = try sides.scratch.write(#"{"programmes":[{"id":"jp","deadlineDay":40}]}"#, to: "broken.json")
        let refused = try await dryRun(broken)
        #expect(refused.exitCode == 2 && refused.error.contains("deadlineDay"), "\(refused.error)")
        let served = try await export("programmes: broken.json")
        #expect(served.exitCode == 2 && served.error.contains("deadlineDay"))
    }
}
