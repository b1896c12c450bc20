import Foundation
import Testing

@Suite("The log of serve, as it is run", .serialized)
struct ServeLogTests {
    /// A server whose standard error goes to a file.
    private struct Server {
        let setup: ServerUnderTest
        let server: RunningServer
        private let log: String

        /// - Parameter change: changes the text of the configuration.
        init(
            _ configured: String = "",
            arguments: [String] = [],
            proxies: Bool = false,
            change: (ScratchFolder, String) throws -> String = { $1 }
        ) async throws {
            setup = try await ServerUnderTest()
            log = setup.scratch.url.appending(path: "log.txt").path
            let text = try String(contentsOfFile: setup.config, encoding: .utf8)
                .replacing("send.delay: 0s", with: "send.delay: 0s\(configured)")
            let config = try setup.scratch.write(
                try change(setup.scratch, text + (proxies ? "\ntrustedProxies: [127.0.0.1]\n" : "\n")),
                to: "log.yaml"
            )
            server = try await RunningServer(
                [
                    "-c", "exec \"$0\" \"$@\" 2>'\(log)'", BuiltBinary.url.path, "serve", "--config", config, "--port",
                    "0", "--database", "sqlite:\(setup.database)",
                ] + arguments,
                executable: URL(filePath: "/bin/sh")
            )
        }

        var text: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

        /// Every line as a JSON object; a line that is none is recorded.
        var objects: [[String: Any]] {
            text.split(separator: "\n").compactMap { line in
                let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                if object == nil { Issue.record("no JSON: \(line)") }
                return object
            }
        }

        var requests: [[String: Any]] { objects.filter { $0["message"] as? String == "request" } }

        /// The answer on a connection of its own, with further fields of the request.
        func answer(_ head: String, _ fields: [String] = [], body: String = "") throws -> String {
            let connection = try RawConnection(server.url)
            let lines = ["Host: localhost", "Connection: close", "Content-Type: application/json"] + fields
            let length = "Content-Length: \(body.utf8.count)"
            connection.send("\(head) HTTP/1.1\r\n\((lines + [length]).joined(separator: "\r\n"))\r\n\r\n\(body)")
            return connection.receive(silence: 60_000).text
        }
    }

    private static func field(_ name: String, of answer: String) -> String? {
        answer.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name + ":") }
            .map { String($0.dropFirst(name.count + 2)) }
    }

    @Test(
        "What a sale lists is what the log has: the id of each request, and the report that was accepted",
        arguments: PostgresSchema.isThere ? [false, true] : [false]
    )
    func requestsOfSale(isPostgres: Bool) async throws {
        let schema = isPostgres ? try PostgresSchema() : nil
        let folder = try ScratchFolder()
        let database = schema.map { ["--database", $0.url, "--set", "database.folder=\(folder.url.path)/files"] }
        let server = try await Server(arguments: database ?? [], proxies: true)
        let (token, _) = try await server.setup.mint()
        _ = try server.answer("POST /v1/tokens", body: "{\"token\":\"\(token)\",\"checkoutId\":\"c\"}")
        let body = String(
            decoding: try JSONSerialization.data(withJSONObject: ServerUnderTest.sale("s", checkout: "c")),
            as: UTF8.self
        )
        let sold = try server.answer("POST /v1/sales", ["X-Request-Id: of-the-proxy.1"], body: body)
        #expect(sold.hasPrefix("HTTP/1.1 201 "), "\(sold)")
        let reports = try await ServerUnderTest.settledReports(server.server)
        let report = try #require(reports.first?["requestIdentifier"] as? String)
        let correction =
            #"{"bundleId":"com.example.shop","saleId":"s","action":"restate","fields":{"productId":"other"},"#
            + #""requestedBy":"maria","reason":"r"}"#
        let planned = try server.answer("POST /v1/corrections", body: correction)
        let id = try #require(Self.field("x-request-id", of: planned), "\(planned)")
        let answer = try await HTTP.get(server.server.url + "/v1/sales/s").json
        let requests = try #require(answer["requests"] as? [[String: Any]])
        let ids = requests.compactMap { $0["requestId"] as? String }
        #expect(ids.first == "of-the-proxy.1" && ids.last == id, "\(requests)")
        #expect(requests.contains { $0["requestIdentifier"] as? String == report }, "\(requests)")
        #expect(server.server.terminate() == 0)
        for (id, route) in [("of-the-proxy.1", "/v1/sales"), (id, "/v1/corrections")] {
            let lines = server.requests.filter { $0["requestId"] as? String == id }
            #expect(lines.map { $0["route"] as? String } == [route], "\(id)")
        }
        #expect(server.objects.contains { $0["report"] as? String == report })
    }

    @Test("A request is one JSON line with its route; no id of a customer, token or key, and no address, is in the log")
    func nothingPersonal() async throws {
        let server = try await Server(arguments: ["--verbose"])
        let (token, id) = try await server.setup.mint()
        let customer = "customer-4711"
        let taken = try server.answer(
            "POST /v1/tokens",
            ["Authorization: Bearer epk_admin_geheim", "User-Agent: curious-agent", "X-Forwarded-For: 203.0.113.9"],
            body: "{\"token\":\"\(token)\",\"customerId\":\"\(customer)\",\"checkoutId\":\"basket-0815\"}"
        )
        #expect(taken.hasPrefix("HTTP/1.1 201 "), "\(taken)")
        var sale = ServerUnderTest.sale("order-geheim", checkout: "basket-0815")
        sale["customerId"] = customer
        #expect(try await HTTP.send("POST", server.server.url + "/v1/sales", sale).status == 201)
        // The same with other content, a wrong field, and what is not there.
        sale["productId"] = "gems.200"
        #expect(try await HTTP.send("POST", server.server.url + "/v1/sales", sale).status == 409)
        sale["customerId"] = 4_711
        #expect(try await HTTP.send("POST", server.server.url + "/v1/sales", sale).status == 422)
        for head in [
            "GET /v1/tokens/\(id)", "GET /v1/sales?customerId=\(customer)", "GET /v1/sales/order-geheim",
            "GET /v1/tokens?checkout=basket-0815", "GET /nowhere/\(customer)", "DELETE /v1/tokens/\(id)",
            "GET /out/nl?externalPurchaseToken=\(token)&bundleId=\(ServerUnderTest.bundleId)",
            "GET /v1/exports/2026-11.csv", "GET /health/live", "GET /metrics",
        ] { _ = try server.answer(head) }
        _ = try await ServerUnderTest.settledReports(server.server)
        _ = try await HTTP.send(
            "POST",
            server.server.url + "/v1/erasures",
            ["bundleId": ServerUnderTest.bundleId, "customerId": customer]
        )
        #expect(server.server.terminate() == 0)
        let text = server.text
        for secret in [
            token, String(token.prefix(40)), id, customer, "4711", "basket-0815", "order-geheim", "geheim",
            "curious-agent", "203.0.113.9", "shop.example.com/nl", "gems.",
        ] {
            #expect(!text.contains(secret), "'\(secret)' is in the log")
        }
        let routes = Set(
            server.requests.compactMap { line in
                (line["route"] as? String).map { "\(line["method"] ?? "") \($0) \(line["status"] ?? "")" }
            }
        )
        for route in [
            "POST /v1/tokens 201", "POST /v1/sales 201", "POST /v1/sales 409", "POST /v1/sales 422",
            "GET /v1/tokens/{id} 200", "GET /v1/sales 200", "GET /v1/tokens 422", "- unmatched 404", "- unmatched 405",
            "GET /out/{link} 303", "GET /health/live 200", "GET /metrics 200", "POST /v1/erasures 200",
        ] {
            let pattern = route.replacing("{id}", with: "{externalPurchaseId}")
            #expect(routes.contains(route) || routes.contains(pattern), "\(route) of \(routes.sorted())")
        }
        for line in server.requests {
            #expect((line["durationMs"] as? Double).map { $0 >= 0 && $0 < 60_000 } == true, "\(line)")
            #expect((line["bytes"] as? Int).map { $0 >= 0 } == true, "\(line)")
            #expect((line["requestId"] as? String)?.isEmpty == false, "\(line)")
            #expect(["info", "debug"].contains(line["level"] as? String), "\(line)")
            #expect((line["time"] as? String)?.hasSuffix("Z") == true, "\(line)")
        }
        #expect(Set(server.requests.compactMap { $0["requestId"] as? String }).count == server.requests.count)
    }

    @Test("A refused API key is logged with its reason and, if the ledger knows it, its id, never with its text")
    func refusedKeys() async throws {
        let server = try await Server()
        func keys(_ arguments: [String]) async throws -> BuiltBinary.Result {
            try await BuiltBinary.run(["keys"] + arguments + ["--database", "sqlite:\(server.setup.database)"])
        }
        let made = try await keys(["create", "--scope", "read"])
        let key = made.output.trimmingCharacters(in: .newlines)
        #expect(key.hasPrefix("epk_read_"), "\(made.error)")
        let list = try await keys(["list", "--format", "json"])
        let rows = try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]]
        let id = try #require(rows?.first?["id"] as? String, "\(list.output)")
        #expect(try await keys(["revoke", id]).exitCode == 0)
        var answer = ""
        for _ in 0..<1_200 where !answer.contains("revoked") {
            try await Task.sleep(for: .milliseconds(100))
            answer = try server.answer("GET /v1/tokens", ["Authorization: Bearer \(key)"])
        }
        #expect(answer.hasPrefix("HTTP/1.1 401") && answer.contains("revoked"), "\(answer)")
        #expect(try server.answer("GET /v1/tokens", ["Authorization: Bearer epk_geheim"]).hasPrefix("HTTP/1.1 401"))
        #expect(server.server.terminate() == 0)
        let lines = server.objects.filter { $0["message"] as? String == "an API key was refused" }
        #expect(Set(lines.compactMap { $0["reason"] as? String }) == ["revoked", "unknown"])
        for line in lines {
            #expect(line["key"] as? String == (line["reason"] as? String == "revoked" ? id : nil), "\(line)")
            #expect(line["level"] as? String == "notice" && line["requestId"] != nil, "\(line)")
        }
        #expect(!server.text.contains("epk_") && !server.text.contains(key.dropFirst(9)))
    }

    @Test("The start warns of an app that is not configured and not reported; its records are exported and archived")
    func unknownApp() async throws {
        let server = try await Server(", reporting.send: off")
        let two = "com.example.two"
        let setup = server.setup
        #expect(server.server.terminate() == 0)
        let text = try String(contentsOfFile: setup.config, encoding: .utf8)
        let end = try #require(text.range(of: "settings:")).lowerBound
        let app = text[..<end].replacing("apps:\n", with: "").replacing(ServerUnderTest.bundleId, with: two)
            .replacing("1234567890", with: "1234567891").replacing("{nl:", with: "{de:")
        let both = try setup.scratch.write(
            "\(text[..<end])\(app)\(text[end...].replacing("send.delay: 0s", with: "reporting.send: off"))",
            to: "both.yaml"
        )
        let ledger = ["--database", "sqlite:\(setup.database)"]
        let first = try await RunningServer(["serve", "--config", both, "--port", "0"] + ledger)
        let path = "/emulator/v1/apps/\(two)"
        _ = try await HTTP.send("PUT", setup.emulator.url + path, ["appAppleId": 1_234_567_891])
        let minted = try await HTTP.send("POST", setup.emulator.url + "/emulator/v1/tokens", ["bundleId": two])
        let token = try #require(minted.json["token"] as? String)
        let body: [String: Any] = ["token": token, "checkoutId": "c"]
        #expect(try await HTTP.send("POST", first.url + "/v1/tokens", body).status == 201)
        let sale = ServerUnderTest.sale("s", checkout: "c").merging(["bundleId": two]) { $1 }
        #expect(try await HTTP.send("POST", first.url + "/v1/sales", sale).status == 201)
        #expect(first.terminate() == 0)
        let log = setup.scratch.url.appending(path: "without.txt").path
        let second = try await RunningServer(
            ["-c", "exec \"$0\" \"$@\" 2>'\(log)'", BuiltBinary.url.path] + setup.arguments,
            executable: URL(filePath: "/bin/sh")
        )
        #expect(second.terminate() == 0)
        let said =
            "the configuration lacks \(two), of which 1 token and 1 sale are not reported: nothing of it is sent; put it back"
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        #expect(lines.filter { $0.contains(said) && $0.contains(#""level":"warning""#) }.count == 1, "\(lines)")
        let month = String(ISO8601DateFormatter().string(from: Date()).prefix(7))
        let archive = setup.scratch.url.appending(path: "two.tar").path
        let rest = ["--config", setup.config] + ledger
        for arguments in [
            ["export", month, "--environment", "sandbox"], ["due"], ["plan"],
            ["archive", "--from", month, "--through", month, "--output", archive],
        ] {
            let result = try await BuiltBinary.run(["ledger"] + arguments + ["--bundle-id", two] + rest)
            #expect(result.exitCode == 0, "\(arguments): \(result.error)")
            let nowhere = try await BuiltBinary.run(["ledger"] + arguments + ["--bundle-id", "com.example.no"] + rest)
            #expect(nowhere.exitCode == 2 && nowhere.error.contains("--bundle-id"), "\(arguments): \(nowhere.error)")
        }
        let due = try await BuiltBinary.run(["ledger", "due", "--format", "json"] + rest)
        #expect(due.output.contains(#""needsReview":true"#), "\(due.output)")
    }

    @Test("The start says which deadline holds without programmes, and what no API key of Stripe leaves unfetched")
    func startNotes() async throws {
        let server = try await Server { scratch, text in
            let secret = try scratch.write("whsec_0123456789abcdef0123456789abcdef\n", to: "stripe.secret")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
            return text.replacing(#/\n +programmes: \[eea-link\]/#, with: "")
                + "stripe:\n  - {bundleId: \(ServerUnderTest.bundleId), signingSecretFile: \(secret)}\n"
        }
        #expect(server.server.terminate() == 0)
        let lines = server.objects.compactMap { $0["message"] as? String }
        let programmes = lines.filter { $0.contains("no programmes are configured") }
        // Which programme it names depends on the day of the start: StartNotesTests.
        let form =
            #/com\.example\.shop: no programmes are configured: the earliest deadline of all that fit holds, for a sale in the Netherlands on a plain token that of \S+ \(15 days after the end of (Apple's fiscal|the) month\); apps: \[{programmes: \[…\]}\] names those of your terms/#
        #expect(programmes.count == 1 && programmes.allSatisfy { $0.wholeMatch(of: form) != nil }, "\(lines)")
        let stripe = lines.filter { $0.hasPrefix("stripe (com.example.shop): no apiKeyFile") }
        #expect(stripe.count == 1 && stripe.allSatisfy { $0.contains("line items") && $0.contains("stripe replay") })
        // A complete configuration has neither line.
        let complete = try await Server()
        #expect(complete.server.terminate() == 0)
        #expect(!complete.text.contains("no programmes") && !complete.text.contains("apiKeyFile"))
    }

    @Test("The id of a request is in the answer, the problem and the log; a trusted proxy may choose it")
    func requestIds() async throws {
        for trusted in [true, false] {
            let server = try await Server(proxies: trusted)
            let proposals = [
                "trace-1.A_b", String(repeating: "x", count: 128), "", String(repeating: "x", count: 129), "a b",
                "a\tb", "\"quoted\"", "ümlaut", "a,b",
            ]
            for (index, proposal) in proposals.enumerated() {
                let answer = try server.answer("GET /nowhere", ["X-Request-Id: \(proposal)"])
                let id = try #require(Self.field("x-request-id", of: answer), "\(answer)")
                #expect((id == proposal) == (trusted && index < 2), "\(proposal): \(id)")
                #expect(!id.isEmpty)
                let body = answer.components(separatedBy: "\r\n\r\n").last ?? ""
                let problem = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
                #expect(problem?["requestId"] as? String == id)
                #expect(server.requests.last?["requestId"] as? String == id)
            }
            #expect(server.server.terminate() == 0)
        }
    }

    @Test("log.format chooses the form, --quiet only errors, and health checks are no news")
    func forms() async throws {
        let text = try await Server(", log.format: text")
        _ = try text.answer("GET /v1/tokens")
        _ = try text.answer("GET /health/live")
        #expect(text.server.terminate() == 0)
        let line = text.text.split(separator: "\n").first { $0.contains("request") && $0.contains("/v1/tokens") }
        for part in ["route=/v1/tokens", "status=200", "method=GET", "requestId="] {
            #expect(line?.contains(part) == true, "\(text.text)")
        }
        #expect(!text.text.contains("/health/live"), "\(text.text)")
        #expect(!text.text.hasPrefix("{"))
        let quiet = try await Server(", log.format: json", arguments: ["--quiet"])
        _ = try quiet.answer("GET /v1/tokens")
        #expect(quiet.server.terminate() == 0)
        #expect(quiet.text.isEmpty, "\(quiet.text)")
        let setup = try await ServerUnderTest()
        let configuration = try String(contentsOfFile: setup.config, encoding: .utf8)
        let config = try setup.scratch.write(
            configuration.replacing("send.delay: 0s", with: "log.format: xml"),
            to: "xml.yaml"
        )
        let refused = try await BuiltBinary.run(["serve", "--config", config, "--port", "0"])
        #expect(refused.exitCode == 2)
        #expect(refused.error.contains("log.format 'xml' must be text, json or automatic"), "\(refused.error)")
    }

    @Test("Metrics have the durations of requests by route and class of status, and no label of a caller's choice")
    func metrics() async throws {
        let server = try await Server()
        for head in [
            "GET /v1/tokens", "GET /v1/tokens", "GET /v1/tokens?x=1", "PUT /a/b", "GET /c", "BREW /v1/tokens",
        ] {
            _ = try server.answer(head)
        }
        let answer = try server.answer("GET /metrics")
        let name = "external_purchase_http_request_duration_seconds"
        let rows = Dictionary(
            answer.components(separatedBy: "\n").filter { $0.hasPrefix("external_purchase_http") }.compactMap { line in
                line.lastIndex(of: " ").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
            },
            uniquingKeysWith: { first, _ in
                Issue.record("a row stands twice")
                return first
            }
        )
        let ok = "route=\"/v1/tokens\",method=\"GET\",status=\"2xx\""
        #expect(rows["\(name)_count{\(ok)}"] == "2", "\(rows)")
        #expect(rows["\(name)_bucket{\(ok),le=\"+Inf\"}"] == "2")
        #expect(rows["\(name)_count{route=\"/v1/tokens\",method=\"GET\",status=\"4xx\"}"] == "1")
        let unmatched = rows["\(name)_count{route=\"unmatched\",method=\"other\",status=\"4xx\"}"].flatMap { Int($0) }
        #expect(unmatched.map { (2...3).contains($0) } == true, "\(rows)")
        #expect((rows["\(name)_sum{\(ok)}"].flatMap { Double($0) }).map { $0 > 0 && $0 < 60 } == true)
        let buckets = [
            "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10",
        ]
        .compactMap { rows["\(name)_bucket{\(ok),le=\"\($0)\"}"].flatMap { Int($0) } }
        #expect(buckets.count == 13 && buckets == buckets.sorted(), "\(buckets)")
        #expect(rows["external_purchase_http_requests_in_flight"] == "1")
        #expect((rows["external_purchase_http_connections"].flatMap { Int($0) }).map { $0 >= 1 } == true)
        #expect(!answer.contains("/a/b") && !answer.contains("BREW"))
        #expect(server.server.terminate() == 0)
    }
}
