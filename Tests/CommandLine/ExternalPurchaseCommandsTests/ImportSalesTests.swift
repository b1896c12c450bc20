import Foundation
import Testing

@Suite("ledger import-sales, as it is run", .serialized)
struct ImportSalesTests {
    private static let header =
        "saleId,type,occurredAt,productId,quantity,currency,inclusive,taxRate,taxCountry,refundOf"
    private static let moment = "2026-11-20T12:00:00Z"

    private static func purchase(_ id: String, _ price: String = "9.99") -> String {
        "\(id),purchase,\(moment),gems.100,1,EUR,\(price),21,NLD,"
    }

    private static func run(
        _ file: String,
        _ setup: ServerUnderTest,
        _ more: [String] = []
    ) async throws -> BuiltBinary.Result {
        try await BuiltBinary.run(
            [
                "ledger", "import-sales", file, "--config", setup.config, "--database", "sqlite:\(setup.database)",
            ] + more
        )
    }

    private static func write(_ rows: [String], _ setup: ServerUnderTest) throws -> String {
        try setup.scratch.write(rows.joined(separator: "\n") + "\n", to: "sales.csv")
    }

    /// The same purchase as the caller of `POST /v1/sales` writes it.
    private static func body(_ id: String) -> [String: Any] {
        [
            "saleId": id, "bundleId": ServerUnderTest.bundleId, "type": "purchase", "occurredAt": moment,
            "productId": "gems.100", "quantity": 1,
            "amount": ["currency": "EUR", "inclusive": "9.99", "taxRate": "21", "taxCountry": "NLD"],
        ]
    }

    @Test("A refund before the reversal that makes room for it is imported and held until that comes (RR-46)")
    func moneyBack() async throws {
        let setup = try await ServerUnderTest()
        func row(_ id: String, _ type: String, _ of: String, reversal: String = "") -> String {
            "\(id),\(type),2026-11-21T08:00:00Z,,,EUR,9.99,,,\(of),\(reversal)"
        }
        let header = "\(Self.header),reversalOf"
        let first = [
            header, "\(Self.purchase("order-1")),", row("dp-1", "chargeback", "order-1"),
            row("re-1", "refund", "order-1"),
        ]
        let held = try await Self.run(try Self.write(first, setup), setup)
        #expect(held.exitCode == 0, "\(held.error)")
        #expect(held.output.contains("refund-above-buy"), "\(held.output)")
        let last = [header, "wb-1,chargebackReversal,2026-11-21T09:00:00Z,,,,,,,,dp-1"]
        #expect(try await Self.run(try Self.write(last, setup), setup).exitCode == 0)
        let dry = try await Self.run(try Self.write(first + last.dropFirst(), setup), setup, ["--dry-run"])
        #expect(!dry.output.contains("refund-above-buy"), "\(dry.output)")
    }

    @Test("A dry run shows what an import then stores; a repetition finds it known, and so does POST /v1/sales")
    func story() async throws {
        let setup = try await ServerUnderTest()
        // Semicolons, CRLF and a byte order mark, as spreadsheets in Europe write them.
        let rows = [
            "\u{FEFF}Order ID;type;occurredAt;productId;quantity;currency;inclusive;taxRate;taxCountry;refundOf;Note",
            "re-1;refund;2026-11-21T08:00:00Z;;;EUR;4.00;;;order-1;\"a note\nof two lines\"",
            "order-1;purchase;\(Self.moment);gems.100;1;EUR;9.99;21;NLD;;", ";;;;;;;;;;",
            "re-9;chargeback;2026-11-21T08:00:00Z;;;EUR;1.00;;;order-9;",
        ]
        let file = try setup.scratch.write(rows.joined(separator: "\r\n") + "\r\n", to: "sales.csv")
        let map = ["--map", "Order ID=saleId", "--map", "Note="]
        let dry = try await Self.run(file, setup, map + ["--dry-run"])
        #expect(dry.exitCode == 0, "\(dry.error)")
        let lines = dry.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 4, "\(dry.output)")
        #expect(lines[0].hasPrefix("\(file):2: re-1: new, held (buy-unknown"), "\(lines[0])")
        #expect(lines[1].hasPrefix("\(file):4: order-1: new, held (no-token"), "\(lines[1])")
        #expect(lines[2].hasPrefix("\(file):6: re-9: new, held (buy-unknown"), "\(lines[2])")
        #expect(lines[3].contains("3 rows: 3 new would be stored (1 chargeback, 1 purchase, 1 refund), 0 known"))
        #expect(lines[3].contains("payments EUR 9.99"))
        #expect(!FileManager.default.fileExists(atPath: setup.database))
        let left = try FileManager.default.contentsOfDirectory(atPath: setup.scratch.url.path)
        #expect(!left.contains { $0.contains("dry-run") }, "\(left)")

        let stored = try await Self.run(file, setup, map)
        #expect(stored.exitCode == 0, "\(stored.error)")
        #expect(stored.output.contains("3 rows: 3 new stored"), "\(stored.output)")
        let again = try await Self.run(file, setup, map + ["--format", "json"])
        #expect(again.exitCode == 0, "\(again.error)")
        #expect(again.json?["new"] as? Int == 0)
        #expect(again.json?["known"] as? Int == 3)
        let verified = try await BuiltBinary.run(["ledger", "verify", "--database", "sqlite:\(setup.database)"])
        #expect(verified.exitCode == 0, "\(verified.output)")

        let server = try await RunningServer(setup.arguments)
        let posted = try await HTTP.send("POST", server.url + "/v1/sales", Self.body("order-1"))
        #expect(posted.status == 200, "\(String(decoding: posted.body, as: UTF8.self))")
        let early = try await HTTP.get(server.url + "/v1/sales/re-1")
        // Its purchase arrived with the next row.
        #expect((early.json["flags"] as? [String])?.contains("buy-unknown") == false, "\(early.json)")
        let orphan = try await HTTP.get(server.url + "/v1/sales/re-9")
        #expect(orphan.json["state"] as? String == "held")
        #expect((orphan.json["flags"] as? [String])?.contains("buy-unknown") == true, "\(orphan.json)")
        #expect(server.terminate() == 0)
    }

    @Test("Every kind of sale comes through, and equals the sale of a request")
    func kinds() async throws {
        let setup = try await ServerUnderTest()
        let rows = [
            "saleId,bundleId,type,occurredAt,customerId,checkoutId,productId,quantity,currency,inclusive,inclusiveMinor,"
                + "tax,taxMinor,taxRate,taxCountry,exchangeRate,exchangeRateSource,exchangeRateAsOf,exchangeRateTo,subscriptionId,"
                + "periodStart,periodEnd,effectiveAt,refundOf,reversalOf,refundedTotal",
            "p-1,com.example.shop,purchase,2026-11-20T12:00:00Z,anna,co-1,gems.100,2,EUR,,1998,,347,,"
                + "NL,,,,,,,,,,,",
            "p-2,com.example.shop,purchase,2026-11-20T12:00:00Z,,,\"gems, \"\"100\"\"\",1,ISK,1490,,,,"
                + "24,ISL,0.0069,ECB,2026-11-20T00:00:00Z,EUR,,,,,,,",
            "s-1,com.example.shop,subscription,2026-11-20T12:00:00Z,,,plan,,EUR,9.99,,1.73,,,NLD,,,,,"
                + "sub-1,2026-11-20T12:00:00Z,2026-12-20T12:00:00Z,,,,",
            "s-2,com.example.shop,cancellation,2026-11-21T12:00:00Z,,,,,,,,,,,,,,,,sub-1,,,"
                + "2026-11-22T00:00:00Z,,,",
            "r-1,com.example.shop,refund,2026-11-21T12:00:00Z,,,,,,,,,,,,,,,,,,,,p-1,,5.00",
            "c-1,com.example.shop,chargeback,2026-11-21T12:00:00Z,,,,,,1490,,,,,,,,,,,,,,p-2,,",
            "c-2,com.example.shop,chargebackReversal,2026-11-22T12:00:00Z,,,,,,,,,,,,,,,,,,,,,c-1,",
        ]
        let file = try Self.write(rows, setup)
        let stored = try await Self.run(file, setup)
        #expect(stored.exitCode == 0, "\(stored.error)")
        #expect(stored.output.contains("7 new stored"), "\(stored.output)")
        let app = ["bundleId": ServerUnderTest.bundleId]
        let bodies: [[String: Any]] = [
            [
                "saleId": "p-1", "type": "purchase", "occurredAt": Self.moment, "customerId": "anna",
                "checkoutId": "co-1",
                "productId": "gems.100", "quantity": 2,
                "amount": ["currency": "EUR", "inclusiveMinor": 1998, "taxMinor": 347, "taxCountry": "NL"],
            ],
            [
                "saleId": "p-2", "type": "purchase", "occurredAt": Self.moment, "productId": "gems, \"100\"",
                "quantity": 1,
                "amount": [
                    "currency": "ISK", "inclusive": "1490", "taxRate": "24", "taxCountry": "ISL",
                    "exchangeRate": ["rate": "0.0069", "source": "ECB", "asOf": "2026-11-20T00:00:00Z"],
                ],
            ],
            [
                "saleId": "s-1", "type": "subscription", "occurredAt": Self.moment, "productId": "plan",
                "subscriptionId": "sub-1",
                "period": ["start": "2026-11-20T12:00:00Z", "end": "2026-12-20T12:00:00Z"],
                "amount": ["currency": "EUR", "inclusive": "9.99", "tax": "1.73", "taxCountry": "NLD"],
            ],
            [
                "saleId": "s-2", "type": "cancellation", "occurredAt": "2026-11-21T12:00:00Z",
                "subscriptionId": "sub-1", "effectiveAt": "2026-11-22T00:00:00Z",
            ],
            [
                "saleId": "r-1", "type": "refund", "occurredAt": "2026-11-21T12:00:00Z", "refundOf": "p-1",
                "refundedTotal": "5.00",
            ],
            [
                "saleId": "c-1", "type": "chargeback", "occurredAt": "2026-11-21T12:00:00Z", "refundOf": "p-2",
                "amount": ["inclusive": "1490"],
            ],
            [
                "saleId": "c-2", "type": "chargebackReversal", "occurredAt": "2026-11-22T12:00:00Z",
                "reversalOf": "c-1",
            ],
        ]
        let server = try await RunningServer(setup.arguments)
        for body in bodies {
            let answer = try await HTTP.send("POST", server.url + "/v1/sales", body.merging(app) { $1 })
            #expect(answer.status == 200, "\(body["saleId"] ?? ""): \(String(decoding: answer.body, as: UTF8.self))")
        }
        #expect(server.terminate() == 0)
    }

    @Test("Wrong rows are listed by line and field, and nothing is stored")
    func wrongRows() async throws {
        let setup = try await ServerUnderTest()
        let rows = [
            Self.header,
            Self.purchase("a-1"),
            "a-2,purchase,\(Self.moment),gems.100,1,EUR,\"9,99\",21,NLD,",
            "a-3,purchase,\(Self.moment),gems.100,1,EUR,\"1.234,50\",21,NLD,",
            "a-4,purchase,\(Self.moment),gems.100,1,EUR,\"1,234\",21,NLD,",
            "a-5,purchase,\(Self.moment),gems.100,1,EUR,9.99,21,Holland,",
            "a-6,purchase,20.11.2026,gems.100,1.5,EUR,9.99,21,NLD,",
            "a-7,sale,\(Self.moment),gems.100,1,EUR,9.99,21,NLD,",
            "a-8,refund,\(Self.moment),,,EUR,-4.00,,,a-1",
            "a-9,purchase,\(Self.moment),gems.100,1,EUR,,21,NLD,",
            "a-10,purchase,\(Self.moment),gems.100",
            "a-11,refund,\(Self.moment),,,,,,,a-1",
            "a-12,cancellation,\(Self.moment),gems.100,,,,,,",
        ]
        let file = try Self.write(rows, setup)
        let expected = [
            ":3: inclusive: is not a decimal such as \"9.99\": \"9,99\"; 9.99 would be right",
            ":4: inclusive: is not a decimal such as \"9.99\": \"1.234,50\"; 1234.50 would be right",
            ":5: inclusive: is not a decimal such as \"9.99\": \"1,234\"; decimals have a point",
            ":6: taxCountry: is not a country of ISO 3166-1",
            ":7: occurredAt: is not a time such as",
            ":7: quantity: is not a whole number above 0",
            ":8: type: is none of purchase,",
            ":9: inclusive: is negative; amounts, those of refunds too, are written without a minus",
            ":10: inclusive: is missing",
            ":11: has 4 fields, the header has 10",
            ":12: inclusive: is missing",
            ":13: productId: is not known here",
        ]
        for more in [[], ["--dry-run"]] as [[String]] {
            let result = try await Self.run(file, setup, more)
            #expect(result.exitCode == 1)
            #expect(result.output == "", "\(result.output)")
            #expect(result.error.contains("nothing was stored: 11 of 12 rows are wrong"), "\(result.error)")
            let lines = result.error.split(separator: "\n").map(String.init)
            for text in expected { #expect(lines.contains { $0.hasPrefix(file + text) }, "\(text): \(result.error)") }
        }
        let json = try await Self.run(file, setup, ["--format", "json"])
        #expect(json.exitCode == 1)
        #expect(json.json?["new"] as? Int == 0)
        #expect(json.json?["wrong"] as? Int == 11)
        let errors = try #require(json.json?["errors"] as? [[String: Any]])
        #expect(errors.contains { $0["line"] as? Int == 6 && $0["field"] as? String == "taxCountry" })
        #expect(!FileManager.default.fileExists(atPath: setup.database))
    }

    @Test("Of very many wrong rows the first hundred errors are listed, with the number of the others")
    func manyErrors() async throws {
        let setup = try await ServerUnderTest()
        let file = try Self.write([Self.header] + (1...130).map { Self.purchase("a-\($0)", "free") }, setup)
        let result = try await Self.run(file, setup)
        #expect(result.exitCode == 1)
        #expect(result.error.split(separator: "\n").count == 102, "\(result.error)")
        #expect(result.error.contains("and 30 more errors"))
    }

    struct WrongFile: Sendable, CustomTestStringConvertible {
        let name: String
        let content: [UInt8]
        var map: [String] = []
        let message: String

        var testDescription: String { name }

        init(_ name: String, _ text: String, map: [String] = [], _ message: String) {
            self.init(name, Array(text.utf8), map: map, message)
        }

        init(_ name: String, _ content: [UInt8], map: [String] = [], _ message: String) {
            (self.name, self.content, self.map, self.message) = (name, content, map, message)
        }
    }

    private static let wrongFiles: [WrongFile] = [
        WrongFile("empty", "", "is empty"),
        WrongFile("header only", header + "\n", "has no rows below its header"),
        WrongFile(
            "unknown column",
            "saleId,type,occurredAt,Gross Amount\n",
            ":1: the column 'Gross Amount' is not known; --map 'Gross Amount=FIELD'"
        ),
        WrongFile("column in other letters", "SaleID,type,occurredAt\n", "--map 'SaleID=saleId'"),
        WrongFile("column twice", "saleId,type,occurredAt,type\n", "the column 'type' stands twice"),
        WrongFile(
            "field twice",
            "saleId,type,occurredAt,id\n",
            map: ["id=saleId"],
            "'saleId' and 'id' both give saleId"
        ),
        WrongFile("no column saleId", "type,occurredAt\n", "has no column saleId"),
        WrongFile("no name", "saleId,type,,occurredAt\n", "column 3 has no name"),
        WrongFile("mapped column is missing", "saleId,type,occurredAt\n", map: ["Id=saleId"], "has no column 'Id'"),
        WrongFile("unknown field", header + "\n", map: ["type=kind"], "'kind' is not a field"),
        WrongFile("no mapping", header + "\n", map: ["type"], "is not COLUMN=FIELD"),
        WrongFile("mapped twice", header + "\n", map: ["type=type", "type="], "mapped twice"),
        WrongFile("UTF-16", [0xFF, 0xFE, 0x61, 0x00], "is UTF-16"),
        WrongFile(
            "open quote",
            header + "\n" + purchase("a-1") + "\n\"a-2,",
            ":3: ends with the file inside a quoted field"
        ),
        WrongFile(
            "commas only",
            ",,,,\n,,\n",
            "has blank lines and separators only; its first line must name the columns"
        ),
        WrongFile(
            "header above 1 MiB",
            "saleId," + String(repeating: "a", count: 1 << 20) + "\n",
            ":1: the header has more than 1 MiB; the file is no CSV"
        ),
        WrongFile(
            "header above 1 MiB of columns",
            String(repeating: "a,", count: 1 << 20),
            ":1: the header has more than 1 MiB; the file is no CSV"
        ),
        WrongFile(
            "row above 1 MiB",
            header + "\n" + String(repeating: "a", count: (1 << 20) + 1) + "\n",
            ":2: has more than 1 MiB; the file is no CSV"
        ),
    ]

    @Test("A file that cannot be read has one clear error and exit code 2")
    func wrongFiles() async throws {
        let setup = try await ServerUnderTest()
        for wrong in Self.wrongFiles {
            let file = setup.scratch.url.appending(path: "sales.csv")
            try Data(wrong.content).write(to: file)
            let result = try await Self.run(file.path, setup, wrong.map.flatMap { ["--map", $0] })
            #expect(result.exitCode == 2, "\(wrong.name): \(result.error)")
            #expect(result.error.contains(wrong.message), "\(wrong.name): \(result.error)")
            #expect(result.error.split(separator: "\n").count == 1, "\(wrong.name): \(result.error)")
        }
        let folder = setup.scratch.url
        for (link, target) in [("circle", "other"), ("other", "circle"), ("dangling", "none")] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.appending(path: link).path,
                withDestinationPath: folder.appending(path: target).path
            )
        }
        let pipe = folder.appending(path: "pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let places = [
            ("none.csv", "none.csv: no such file"), (folder.path, "is a folder; name a file"),
            ("-", "cannot be standard input"), ("/dev/null", "is a device"),
            (folder.appending(path: "circle").path, "its symbolic links lead in a circle"),
            (folder.appending(path: "dangling").path, "is a symbolic link to a file that does not exist"),
            (pipe, "is a pipe, which cannot be read twice"),
        ]
        for (path, message) in places {
            let result = try await Self.run(path, setup)
            #expect(result.exitCode == 2, "\(path): \(result.error)")
            #expect(result.error.contains(message), "\(path): \(result.error)")
            #expect(result.error.split(separator: "\n").count == 1, "\(path): \(result.error)")
        }
        let file = try Self.write([Self.header, Self.purchase("a-1")], setup)
        let bare = try await BuiltBinary.run(["ledger", "import-sales", file, "--database", "sqlite:\(setup.database)"])
        #expect(bare.exitCode == 2)
        #expect(bare.error.contains("--config is missing"), "\(bare.error)")
        #expect(!FileManager.default.fileExists(atPath: setup.database))
    }

    @Test("A byte that is not UTF-8 is an error of its row")
    func notUTF8() async throws {
        let setup = try await ServerUnderTest()
        let file = setup.scratch.url.appending(path: "sales.csv")
        let rows = Array("\(Self.header)\n\(Self.purchase("a-1"))\n".utf8)
        try Data(rows + [0xE4] + Array(Self.purchase("a-2").utf8)).write(to: file)
        let result = try await Self.run(file.path, setup)
        #expect(result.exitCode == 1)
        #expect(result.error.contains("\(file.path):3: field 1 is not UTF-8"), "\(result.error)")
    }

    @Test("Rows that contradict the ledger are listed at the end; the others are stored")
    func refused() async throws {
        let setup = try await ServerUnderTest()
        let first = try Self.write([Self.header, Self.purchase("a-1")], setup)
        #expect(try await Self.run(first, setup).exitCode == 0)
        let rows = [
            Self.header, Self.purchase("a-1", "5.00"), Self.purchase("a-2"),
            "r-1,refund,2026-11-21T12:00:00Z,,,EUR,20.00,,,a-2", "r-2,refund,2026-11-21T12:00:00Z,,,EUR,1.00,,,a-2",
            "a-3,purchase,2100-01-01T00:00:00Z,gems.100,1,EUR,9.99,21,NLD,",
        ]
        let file = try Self.write(rows, setup)
        for isDry in [true, false] {
            let result = try await Self.run(file, setup, isDry ? ["--dry-run", "--quiet"] : [])
            #expect(result.exitCode == 1)
            // The refund that does not fit is stored: a reversal or an amendment may make room for it (RR-46).
            #expect(result.output.contains("3 new \(isDry ? "would be " : "")stored"), "\(result.output)")
            #expect(result.output.contains("1 refund-above-buy"), "\(result.output)")
            #expect(result.output.contains("2 refused"), "\(result.output)")
            for text in [":2: saleId: ", ":6: occurredAt: lies in the future"] {
                #expect(result.error.contains(file + text), "\(text): \(result.error)")
            }
        }
    }

    @Test("An import of several commits goes on after an interruption", .timeLimit(.minutes(10)))
    func commits() async throws {
        let setup = try await ServerUnderTest()
        let all = (1...2_100).map { Self.purchase("a-\($0)") }
        let begun = try Self.write([Self.header] + all.prefix(1_000), setup)
        #expect(try await Self.run(begun, setup).output.contains("1000 new stored"))
        let file = try Self.write([Self.header] + all, setup)
        let result = try await Self.run(file, setup, ["--format", "json"])
        #expect(result.exitCode == 0, "\(result.error)")
        #expect(result.json?["known"] as? Int == 1_000)
        #expect(result.json?["new"] as? Int == 1_100)
        #expect((result.json?["payments"] as? [String: String]) == ["EUR": "10989.00"])
    }

    @Test("A running server stores 25 rows in a commit, so that its other requests do not wait for a thousand")
    func commitsOfServer() async throws {
        let setup = try await ServerUnderTest()
        let file = try Self.write([Self.header] + (1...60).map { Self.purchase("a-\($0)") }, setup)
        let server = try await RunningServer(setup.arguments)
        let sent = try await Self.run(file, setup, ["--server", server.url])
        #expect(sent.output.contains("60 new stored"), "\(sent.error) \(sent.output)")
        let log = try await HTTP.get(server.url + "/v1/audit?kind=sale-stored&limit=100").json["audit"]
        let entries = try #require(log as? [[String: Any]])
        let requests = entries.compactMap { ($0["content"] as? [String: Any])?["requestId"] as? String }
        try #require(requests.count == 60)
        let sizes = Dictionary(grouping: requests) { $0 }.mapValues(\.count)
        #expect([0, 25, 50].map { sizes[requests[$0]] } == [25, 25, 10])
        #expect(server.terminate() == 0)
    }

    @Test("While a server uses the ledger, the rows go to that server, with its API key; a dry run needs neither")
    func besideServer() async throws {
        let setup = try await ServerUnderTest()
        let file = try Self.write([Self.header, Self.purchase("a-1"), Self.purchase("a-2")], setup)
        let server = try await RunningServer(setup.arguments)
        let dry = try await Self.run(file, setup, ["--dry-run"])
        #expect(dry.exitCode == 0, "\(dry.error)")
        #expect(dry.output.contains("2 new would be stored"), "\(dry.output)")
        #expect(try await HTTP.get(server.url + "/v1/sales/a-1").status == 404)
        let nowhere = try await Self.run(file, setup, ["--server", "http://127.0.0.1:1"])
        #expect(nowhere.exitCode == 3)
        #expect(nowhere.error.contains("a server uses the ledger"), "\(nowhere.error)")
        let sent = try await Self.run(file, setup, ["--server", server.url])
        #expect(sent.exitCode == 0, "\(sent.error)")
        #expect(sent.output.contains("2 new stored"), "\(sent.output)")
        let posted = try await HTTP.send("POST", server.url + "/v1/sales", Self.body("a-1"))
        #expect(posted.status == 200)

        let created = try await BuiltBinary.run(
            ["keys", "create", "--scope", "sales", "--database", "sqlite:\(setup.database)"]
        )
        #expect(created.exitCode == 0, "\(created.error)")
        let key = try setup.scratch.write(created.output, to: "sales.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        for _ in 0..<3_000 {
            if try await HTTP.get(server.url + "/v1/sales/a-1").status == 401 { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        let bare = try await Self.run(file, setup, ["--server", server.url])
        #expect(bare.exitCode == 3)
        #expect(bare.error.contains("needs a key (401); --api-key-file"), "\(bare.error)")
        let unknown = try setup.scratch.write("epk_sales_unknown\n", to: "unknown.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: unknown)
        let wrong = try await Self.run(file, setup, ["--server", server.url, "--api-key-file", unknown])
        #expect(wrong.error.contains("refuses the key (401): the API key is not known"), "\(wrong.error)")
        let changed = try Self.write([Self.header, Self.purchase("a-1", "5.00"), Self.purchase("a-3")], setup)
        let keyed = try await Self.run(changed, setup, ["--server", server.url, "--api-key-file", key])
        #expect(keyed.exitCode == 1)
        #expect(keyed.output.contains("1 new stored (1 purchase), 0 known, 1 refused"), "\(keyed.output)")
        #expect(keyed.error.contains("\(changed):2: saleId: "), "\(keyed.error)")
        let plain = try await Self.run(
            changed,
            setup,
            ["--server", "http://shop.example.com", "--api-key-file", key]
        )
        #expect(plain.exitCode == 2)
        #expect(plain.error.contains("without TLS"), "\(plain.error)")
        #expect(server.terminate() == 0)

        // Without a configuration the ledger names the app.
        _ = try Self.write([Self.header, Self.purchase("a-1"), Self.purchase("a-2")], setup)
        let bareDry = try await BuiltBinary.run(
            ["ledger", "import-sales", file, "--dry-run", "--database", "sqlite:\(setup.database)"]
        )
        #expect(bareDry.exitCode == 0, "\(bareDry.error)")
        #expect(bareDry.output.contains("0 new would be stored, 2 known"), "\(bareDry.output)")
    }
}
