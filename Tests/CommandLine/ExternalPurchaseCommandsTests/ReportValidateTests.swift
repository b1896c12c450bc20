import ExternalPurchaseCore
import Foundation
import Testing

@Suite("report validate applies Apple's rules offline")
struct ReportValidateTests {
    static let token = "7d0c2a10-5b1e-4c58-9a44-0c0ffee00001"

    static func validate(
        _ arguments: [String],
        input: String = "",
        folder: URL? = nil
    ) async throws -> BuiltBinary.Result {
        try await BuiltBinary.run(["report", "validate"] + arguments, input: Data(input.utf8), folder: folder)
    }

    static func text(_ object: Any) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    static func codes(_ json: NSDictionary?) -> [Int]? {
        (json?["errors"] as? [[String: Any]])?.compactMap { $0["errorCode"] as? Int }
    }

    /// The moment of the test, because without a history the clock is the machine's.
    static let now = Int64(Date().timeIntervalSince1970 * 1_000)

    static func buy(_ id: String = "o", _ changes: [String: Any?] = [:]) -> [String: Any] {
        let item: [String: Any] = [
            "lineItemId": id, "creationDate": now - 86_400_000, "eventType": "BUY", "productType": "ONE_TIME_BUY",
            "productIdentifier": "coins", "quantity": 1, "amountTaxExclusive": 10_000, "taxAmount": 2_000,
            "amountTaxInclusive": 12_000, "netAmountTaxExclusive": 10_000, "pricingCurrency": "EUR",
            "reportingCurrency": "EUR", "taxCountry": "AUT",
        ]
        return item.merging(changes.mapValues { $0 ?? NSNull() }) { $1 }
    }

    static func refund(_ id: String = "r", _ changes: [String: Any?] = [:]) -> [String: Any] {
        let gone: [String: Any?] = ["productType": nil, "productIdentifier": nil, "quantity": nil]
        let own: [String: Any?] = [
            "eventType": "REFUND", "referenceLineItemId": "o", "amountTaxExclusive": 3_000, "taxAmount": 600,
            "amountTaxInclusive": 3_600, "netAmountTaxExclusive": 7_000,
        ]
        return buy(id, gone.merging(own) { $1 }.merging(changes) { $1 })
    }

    static func report(_ items: [[String: Any]], token: String = token, number: Int = 1) -> [String: Any] {
        [
            "requestIdentifier": "5e7a0000-1111-4222-8333-00000000000\(number)", "externalPurchaseId": token,
            "status": "LINE_ITEM", "lineItems": items,
        ]
    }

    @Test("Every published case has its outcome, through the built binary with --history (RR-90, RR-91)")
    func goldenCases() async throws {
        let vectors = ReportSendTests.vectors
        let scratch = try ScratchFolder()
        var codes: Set<Int> = []
        for vector in vectors {
            let id = vector["id"] as? String ?? "?"
            var accepted = vector["accepted"] as? [Any] ?? []
            for step in vector["steps"] as? [[String: Any]] ?? [] {
                var setup: [String: Any] = ["accepted": accepted]
                for name in ["now", "tokens", "bundleId", "environment"] { setup[name] = vector[name] }
                let history = try scratch.write(Self.text(setup), to: "history.json")
                let body = try step["raw"] as? String ?? Self.text(step["report"] as? [String: Any] ?? [:])
                let file = try scratch.write(body, to: "report.json")
                let result = try await Self.validate([file, "--history", history, "--format", "json"])
                let json = try #require(result.json, "\(id): \(result.output) \(result.error)")
                let expected = step["errors"] as? [[String: Any]] ?? []
                let isMalformed = step["malformed"] != nil
                #expect(result.exitCode == (expected.isEmpty && !isMalformed ? 0 : 1), "\(id): \(result.output)")
                #expect(json["accepted"] as? Bool == (expected.isEmpty && !isMalformed), "\(id)")
                #expect((json["malformed"] is String) == isMalformed, "\(id)")
                #expect(json["notJudged"] as? [Int] == [], "\(id)")
                #expect(json["file"] == nil)
                let errors = json["errors"] as? [[String: Any]] ?? []
                #expect(errors.map { $0["errorCode"] as? Int } == expected.map { $0["code"] as? Int }, "\(id)")
                #expect(
                    errors.map { $0["fieldName"] as? String } == expected.map { $0["fieldName"] as? String },
                    "\(id)"
                )
                #expect(
                    errors.map { $0["lineItemId"] as? String } == expected.map { $0["lineItemId"] as? String },
                    "\(id)"
                )
                codes.formUnion(errors.compactMap { $0["errorCode"] as? Int })
                if result.exitCode == 0, let report = step["report"] { accepted.append(report) }
            }
        }
        // 26 needs two reports at the same moment.
        #expect(codes == Set(ReportErrorEntry.all.map(\.code.rawValue)).subtracting([26]))
    }

    /// A report without a history, the codes that it draws and some that stay open.
    struct Alone: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: String
        let codes: [Int]
        let open: Set<Int>

        init(_ name: String, _ report: [String: Any], _ codes: [Int], open: Set<Int>) {
            testDescription = name
            body = (try? ReportValidateTests.text(report)) ?? ""
            self.codes = codes
            self.open = open
        }
    }

    static let alone: [Alone] = [
        Alone("a buy", report([buy()]), [], open: [1, 3, 8, 12, 36]),
        Alone("a refund whose buy is elsewhere", report([refund()]), [], open: [3, 21, 25, 31, 40]),
        Alone("a restatement", report([buy("o", ["restatement": true])]), [], open: [3, 38, 39]),
        Alone("a wrong sum (E11)", report([buy("o", ["amountTaxInclusive": 11_999])]), [11], open: [1, 3, 12]),
        Alone("one id twice (E1)", report([buy(), buy()]), [1], open: [3, 12]),
        Alone("a buy and its refund with two nets (E24)", report([buy(), refund()]), [24, 24], open: [1, 12]),
        Alone("a new buy with a wrong net (E12)", report([buy("o", ["netAmountTaxExclusive": 1])]), [12], open: [24]),
        Alone("a refund of itself (E13)", report([refund("o")]), [13], open: [1, 3]),
        Alone("in the future (E6)", report([buy("o", ["creationDate": now + 3_600_000])]), [6], open: [1]),
        Alone(
            "DUPLICATE_TOKEN, which depends on the type of the token (E37)",
            report([]).merging(["status": "DUPLICATE_TOKEN"]) { $1 },
            [],
            open: [8, 37]
        ),
    ]

    @Test("Without a history the report itself is judged, and the rest is listed by code", arguments: alone)
    func withoutHistory(_ alone: Alone) async throws {
        let result = try await Self.validate(["-", "--format", "json"], input: alone.body)
        #expect(Self.codes(result.json) == alone.codes, "\(result.output) \(result.error)")
        #expect(result.exitCode == (alone.codes.isEmpty ? 0 : 1))
        #expect(result.json?["accepted"] as? Bool == alone.codes.isEmpty)
        let open = Set(result.json?["notJudged"] as? [Int] ?? [])
        #expect(alone.open.subtracting(open).isEmpty, "\(open)")
        #expect(open.isDisjoint(with: alone.codes))
        // What a report says of itself is never open.
        #expect(open.isDisjoint(with: [4, 5, 6, 7, 9, 10, 11, 13, 15, 16, 17, 18, 19, 20, 27, 34, 35]))
    }

    static func history(_ changes: [String: Any] = [:], accepted: [[String: Any]] = []) throws -> String {
        let tokens: [[String: Any]] = [
            ["externalPurchaseId": token, "tokenCreationDate": now - 10 * 86_400_000, "bundleId": "com.example.a"],
            ["externalPurchaseId": "b", "tokenCreationDate": now - 10 * 86_400_000, "bundleId": "com.example.b"],
        ]
        let setup: [String: Any] = ["now": now, "tokens": tokens, "accepted": accepted]
        return try text(setup.merging(changes) { $1 })
    }

    @Test("A history keeps apps and environments apart (RR-90, SA-17, SA-91)")
    func worlds() async throws {
        let scratch = try ScratchFolder()
        let accepted = Self.report([Self.buy()])
        func outcome(_ report: [String: Any], _ changes: [String: Any]) async throws -> [Int]? {
            let history = try scratch.write(Self.history(changes, accepted: [accepted]), to: "history.json")
            let body = try Self.text(report)
            return try await Self.codes(
                Self.validate(["-", "--history", history, "--format", "json"], input: body).json
            )
        }
        let again = Self.report([Self.buy()], number: 2)
        #expect(try await outcome(again, [:]) == [1])
        // The answer of report get, as Apple gives it.
        #expect(try await outcome(again, ["accepted": [["report": accepted]]]) == [1])
        // Without the token and the caller, all is of the one app that is there.
        let unlisted = Self.report([Self.buy()], token: "gone")
        let one = [["externalPurchaseId": Self.token, "tokenCreationDate": Self.now, "bundleId": "com.example.a"]]
        #expect(try await outcome(again, ["accepted": [unlisted], "tokens": one])?.contains(1) == true)
        #expect(try await outcome(Self.report([Self.buy()], token: "b"), [:]) == [])
        #expect(try await outcome(again, ["bundleId": "com.example.a"]) == [1])
        #expect(try await outcome(again, ["bundleId": "com.example.b"]) == [3])
        #expect(try await outcome(again, ["environment": "production"]) == [1])
        #expect(try await outcome(again, ["environment": "sandbox"]) == [3])
        #expect(try await outcome(Self.report([Self.buy()], token: "SANDBOX_x"), [:]) == [3])
    }

    @Test("Several files are an array with their names, each judged by itself; one refused ends with 1")
    func severalFiles() async throws {
        let scratch = try ScratchFolder()
        _ = try scratch.write(Self.text(Self.report([Self.buy()])), to: "good.json")
        _ = try scratch.write(Self.text(Self.report([Self.buy("o", ["quantity": 0])])), to: "bad.json")
        _ = try scratch.write(#"{"status":"LINE_ITEM","lineItems":[{"exchangeRate":"1e3"}]}"#, to: "rate.json")
        let files = ["good.json", "bad.json", "rate.json"]
        let result = try await Self.validate(files + ["--format", "json"], folder: scratch.url)
        #expect(result.exitCode == 1)
        let parsed = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        let verdicts = try #require(parsed as? [[String: Any]])
        #expect(verdicts.map { $0["file"] as? String } == files)
        #expect(verdicts.map { $0["accepted"] as? Bool } == [true, false, false])
        #expect(verdicts.map { $0["malformed"] as? String } == [nil, nil, "SA-57"])
        #expect((verdicts[2]["message"] as? String)?.hasPrefix("lineItems[0].exchangeRate") == true)
        let error = try #require((verdicts[1]["errors"] as? [[String: Any]])?.first)
        #expect(error["errorCode"] as? Int == 16)
        #expect(error["errorMessage"] as? String == "This field requires a positive value.")
        #expect(error["fieldName"] as? String == "quantity")
        #expect(error["lineItemId"] as? String == "o")

        let text = try await Self.validate(files, folder: scratch.url)
        let lines = text.output.split(separator: "\n")
        #expect(lines.first == "good.json: nothing wrong by itself")
        #expect(
            lines.contains(
                "  E16 PositiveValueRequiredError: This field requires a positive value. "
                    + #"See lineItems[0].quantity (item "o", which is 0)."#
            ),
            "\(text.output)"
        )
        #expect(lines.last == "rate.json: malformed (SA-57): lineItems[0].exchangeRate is not a plain decimal")
        #expect(text.exitCode == 1)
    }

    @Test("A body that is no report is malformed, not an unreadable input", arguments: ["", "{", "[]", "\u{FEFF}{}"])
    func malformed(_ body: String) async throws {
        let result = try await Self.validate(["-", "--format", "json"], input: body)
        #expect(result.exitCode == 1)
        #expect(result.json?["malformed"] as? String == "SA-51")
        #expect(result.json?["accepted"] as? Bool == false)
        #expect(Self.codes(result.json) == [])
    }

    @Test("--set changes a rule")
    func settings() async throws {
        let scratch = try ScratchFolder()
        let file = try scratch.write(
            Self.text(Self.report([Self.buy("o", ["creationDate": Self.now + 3_600_000])])),
            to: "report.json"
        )
        #expect(try await Self.validate([file]).exitCode == 1)
        #expect(try await Self.validate([file, "--set", "rules.clockSkew=2h"]).exitCode == 0)
        let old = try scratch.write(Self.text(Self.report([Self.buy()])), to: "old.json")
        #expect(try await Self.validate([old]).exitCode == 0)
        #expect(try await Self.validate([old, "--set", "rules.creationDateLimit=1h"]).exitCode == 1)
    }

    /// Arguments after a good file, and what the one line on standard error names.
    static let refusals: [(arguments: [String], names: String)] = [
        (["nowhere.json"], "nowhere.json: no such file"),
        (["."], "is a folder"),
        (["--history", "nowhere.json"], "nowhere.json: no such file"),
        (["--history", "text.json"], "text.json: is not JSON at line 1, column 2: null is expected"),
        (["--history", "array.json"], #"array.json: is not an object such as {"now""#),
        (["--history", "case.json"], #"has no array "tokens"; give the object "setup" itself"#),
        (["--history", "token.json"], "token.json: tokens[0]: needs externalPurchaseId and tokenCreationDate"),
        (["--history", "date.json"], "date.json: tokens[0]: tokenCreationDate must be a time in UNIX milliseconds"),
        (["--history", "accepted.json"], "accepted.json: accepted[0]: is no report: SA-54"),
        (["--history", "misspelt.json"], #"misspelt.json: has no member 'acepted'; known are now, tokens"#),
        (["--history", "member.json"], "member.json: tokens[0]: has no member 'tokentype'"),
        (["--history", "empty.json"], "accepted[0]: is no accepted report: it has no requestIdentifier, external"),
        (["--history", "items.json"], "accepted[0]: report: is no accepted report: it has no lineItems[0].lineItemId"),
        (["--history", "beside.json"], "beside.json: accepted[0]: has no member 'status'; known are report"),
        (["--history", "twice.json"], "twice.json: tokens[2]: states the token of tokens[0] again, with other values"),
        (["--history", "unlisted.json"], #"accepted[0]: its token is not in "tokens", which has tokens of several"#),
        (["--history", "world.json"], #"world.json: environment must be production or sandbox, not "test""#),
        (
            ["--set", "rules.clockskew=1s"],
            "there is no setting of that name; known are limits.productIdentifierLength"
        ),
        (["--set", "rules.clockSkew=1"], "expected a duration such as"),
        (["--set", "rules.clockSkew"], "expected name=value"),
        (["-", "--history", "-"], "standard input can be read once only"),
    ]

    @Test("Unreadable input ends with 2 and says where, and what would be right", arguments: refusals)
    func refuses(_ refusal: (arguments: [String], names: String)) async throws {
        let scratch = try ScratchFolder()
        let files = [
            "good.json": #"{"status":"NO_LINE_ITEM"}"#, "text.json": "now", "array.json": "[]",
            "case.json": #"{"name":"x","setup":{"tokens":[]}}"#, "token.json": #"{"tokens":[{}]}"#,
            "date.json": #"{"tokens":[{"externalPurchaseId":"x","tokenCreationDate":"2026"}]}"#,
            "accepted.json": #"{"tokens":[],"accepted":[{"requestIdentifier":"x"}]}"#,
            "world.json": #"{"tokens":[],"environment":"test"}"#,
            "misspelt.json": #"{"tokens":[],"acepted":[]}"#,
            "member.json": #"{"tokens":[{"externalPurchaseId":"x","tokenCreationDate":1,"tokentype":"SERVICES"}]}"#,
            "empty.json": #"{"tokens":[],"accepted":[{}]}"#,
            "items.json": try #"{"tokens":[],"accepted":[{"report":\#(Self.text(Self.report([["quantity": 1]])))}]}"#,
            "beside.json": #"{"tokens":[],"accepted":[{"report":{},"status":"NO_LINE_ITEM"}]}"#,
            "twice.json": """
            {"tokens":[{"externalPurchaseId":"x","tokenCreationDate":1},{"externalPurchaseId":"x","tokenCreationDate":1},
            {"externalPurchaseId":"x","tokenCreationDate":1,"bundleId":"com.example.a"}]}
            """,
            "unlisted.json": try Self.history(accepted: [Self.report([Self.buy()], token: "gone")]),
        ]
        for (name, content) in files { _ = try scratch.write(content, to: name) }
        let result = try await Self.validate(["good.json"] + refusal.arguments, folder: scratch.url)
        #expect(result.exitCode == 2, "\(result.output)")
        #expect(result.output.isEmpty)
        #expect(result.error.contains(refusal.names), "\(result.error)")
    }
}
